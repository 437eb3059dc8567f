"""Dependency trees for a language from part-of-speech tagged text alone, with no treebank."""

__version__ = "0.1.0"
