"""Which tags head which, and on which side: against a grammar whose languages are known."""

from __future__ import annotations

import numpy as np
import pytest
from learning.languages import TAGS, universal_of

from depinduce.grammar.headedness import FirstOrder
from depinduce.insight.word_order import word_order
from depinduce.models.polyglot_model import PolyglotModel

PLAIN = universal_of(("final", "initial"))


def with_sides(*left: float) -> PolyglotModel:
    """A grammar whose languages have a child on the left of a head with these probabilities, and else on the right."""
    decision = np.zeros((len(left), 2, len(TAGS), 2, 2))
    for number, share in enumerate(left):
        go = np.array([share, 1 - share])[:, None] * 0.5
        decision[number, :, :, 0] = np.stack([1 - go, go], axis=-1)
        decision[number, :, :, 1] = [1.0, 0.0]  # one child on each side at the most
    child = np.repeat(PLAIN.table.child[:1], len(left), axis=0)
    child[:] = np.log(1 / len(TAGS))
    root = np.full((len(left), len(TAGS)), np.log(1 / len(TAGS)))
    with np.errstate(divide="ignore"):
        table = FirstOrder(root, child, np.log(decision))
    return PolyglotModel.of(TAGS, tuple(f"l{number}" for number in range(len(left))), table, PLAIN.pool)


def test_sides_are_those_of_the_rules_and_shares_those_of_the_pool():
    model = with_sides(0.9, 0.2, 0.5)
    pairs = {(pair.head, pair.child): pair for pair in word_order(model)}
    assert len(pairs) == len(TAGS) ** 2
    assert list(pairs["N", "D"].left.values()) == pytest.approx([0.9, 0.2, 0.5], abs=1e-6)
    pool = PLAIN.pool.child.sum(axis=1)[TAGS.id("N")]
    assert pairs["N", "D"].share == pytest.approx(pool[TAGS.id("D")] / pool.sum())
    assert str(pairs["N", "D"]).endswith("; on the left in 1 languages, on the right in 1")
    shares = [pair.share for pair in word_order(model, ["V"])]
    assert shares == sorted(shares, reverse=True)


def test_of_one_language_it_tells_the_share_on_the_left():
    (first, *_) = word_order(with_sides(0.9, 0.2).in_language("l1"), ["N"])
    assert str(first).endswith(" of its children, 20% on the left")
