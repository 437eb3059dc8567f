"""The twelve universal tags of Petrov, Das & McDonald (2012) for the tags of the Penn Treebank."""

from __future__ import annotations

_PENN_TAGS = {
    "NOUN": "NN NNS NNP NNPS",
    "VERB": "VB VBD VBG VBN VBP VBZ MD",
    "ADJ": "JJ JJR JJS",
    "ADV": "RB RBR RBS WRB",
    "PRON": "PRP PRP$ WP WP$",
    "DET": "DT EX PDT WDT",
    "ADP": "IN",
    "NUM": "CD",
    "CONJ": "CC",
    "PRT": "POS RP TO",
    "X": "FW LS SYM UH",
    ".": ". , : `` '' -LRB- -RRB- $ #",
}
_UNIVERSAL = {penn: universal for universal, tags in _PENN_TAGS.items() for penn in tags.split()}


def universal_tag(tag: str) -> str | None:
    """The universal tag of a Penn tag, of its first part where annotators left a choice (JJ|RB); None if unknown."""
    return _UNIVERSAL.get(tag) or _UNIVERSAL.get(tag.partition("|")[0])
