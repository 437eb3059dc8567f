"""Trees and grammars for other tools: a component for spaCy, graphs for NLTK, repositories of a model hub.

Each needs its extra: `depinduce[spacy]`, `[nltk]`, `[hub]`.
"""
