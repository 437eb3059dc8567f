"""Universal grammars whose languages have known orders."""

from __future__ import annotations

import numpy as np
from learning.languages import TAGS, universal_of

from depinduce.grammar.headedness import FirstOrder
from depinduce.grammar.rules import Order
from depinduce.models.polyglot_model import PolyglotModel

PLAIN = universal_of(("final", "initial"))


def with_sides(*left: float) -> PolyglotModel:
    """A grammar whose languages have a child on the left of a head with these probabilities, and else on the right."""
    decision = np.zeros((len(left), 2, len(TAGS), 2, 2))
    for number, share in enumerate(left):
        go = np.array([share, 1 - share])[:, None] * 0.5
        decision[number, :, :, 0] = np.stack([1 - go, go], axis=-1)
        decision[number, :, :, 1] = [1.0, 0.0]  # one child on each side at the most
    child = np.full((len(left), 2, len(TAGS), 2, len(TAGS)), np.log(1 / len(TAGS)))
    root = np.full((len(left), len(TAGS)), np.log(1 / len(TAGS)))
    with np.errstate(divide="ignore"):
        table = FirstOrder(root, child, np.log(decision)).table
    names = tuple(f"l{number}" for number in range(len(left)))
    return PolyglotModel.of(Order.FIRST, TAGS, names, table, PLAIN.pool)
