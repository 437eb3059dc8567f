"""The relations of Universal Dependencies, version 2, in the order of its table: core arguments first."""

from __future__ import annotations

RELATIONS = (
    "nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp",
    "obl", "vocative", "expl", "dislocated", "advcl", "advmod", "discourse", "aux", "cop", "mark",
    "nmod", "appos", "nummod", "acl", "amod", "det", "clf", "case",
    "conj", "cc", "fixed", "flat", "list", "parataxis", "compound", "orphan", "goeswith", "reparandum",
    "punct", "root", "dep",
)  # fmt: skip
