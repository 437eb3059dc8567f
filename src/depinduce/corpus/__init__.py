"""Text in, arrays out: CoNLL-U files, vocabularies, punctuation and corpora."""

from depinduce.corpus.conllu import Sentence, read_sentences, read_text
from depinduce.corpus.corpus import Corpus, Reading, build_corpus, in_vocabulary, load_corpus
from depinduce.corpus.punctuation import MODES, PUNCTUATION, attach, is_punctuation, remove
from depinduce.corpus.streams import Writer, open_output
from depinduce.corpus.vocabulary import Vocabulary

__all__ = [
    "MODES",
    "PUNCTUATION",
    "Corpus",
    "Reading",
    "Sentence",
    "Vocabulary",
    "Writer",
    "attach",
    "build_corpus",
    "in_vocabulary",
    "is_punctuation",
    "load_corpus",
    "open_output",
    "read_sentences",
    "read_text",
    "remove",
]
