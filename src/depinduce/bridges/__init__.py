"""Trees for other tools: a component for spaCy, graphs for NLTK. Each needs its extra: `depinduce[spacy]`, `[nltk]`."""
