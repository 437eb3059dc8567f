"""Coarse classes of tags: the nouns, the verbs, and what grammars that tie tags together call alike.

A tag of the Penn Treebank is what its universal tag is; a tag of Universal Dependencies is itself, without its
features. Any other tag belongs to no class.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from depinduce.corpus.penn.universal_tags import universal_tag
from depinduce.corpus.tags import bare_tag

_FAMILIES = {"PROPN": "NOUN", "AUX": "VERB", "CCONJ": "CONJ"}  # of tags that are told apart by UD only
_NOUNS, _VERBS = ("NOUN", "PROPN"), ("VERB", "AUX")
TAG_CLASSES = {
    "noun": _NOUNS,
    "verb": _VERBS,
    "noun-verb": _NOUNS + _VERBS,
    "open": ("NOUN", "PROPN", "VERB", "ADJ", "ADV", "INTJ"),
    "closed": ("ADP", "AUX", "CONJ", "CCONJ", "DET", "PART", "PRT", "SCONJ", "PRON", "NUM"),
}


def in_class(tags: Iterable[str], name: str) -> np.ndarray:
    """Which tags belong to a class. [tag] bool"""
    members = TAG_CLASSES[name]
    return np.array([_universal(tag) in members for tag in tags], dtype=bool)


def family(tag: str) -> str:
    """The family of a tag, of which all kinds of nouns are one, all kinds of verbs another."""
    universal = _universal(tag)
    return _FAMILIES.get(universal, universal)


def _universal(tag: str) -> str:
    return universal_tag(tag) or bare_tag(tag)
