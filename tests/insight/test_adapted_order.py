"""A language beside the universal grammar that it started from: likeness and shifts, counted by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from insight.known_orders import with_sides
from learning.languages import TAGS

from depinduce.corpus import Vocabulary
from depinduce.insight.adapted_order import AdaptedOrder, adapted_order, universal_of
from depinduce.insight.word_order import WordOrder
from depinduce.models.committee_model import CommitteeModel

PAIR = Vocabulary(["N", "V"], [2, 1])


def beside(known: dict[str, list[list[float]]], own: list[list[float]]) -> AdaptedOrder:
    """A language of which half of the children are N below V, a quarter V below V and a quarter N below N."""
    weight = np.array([[0.25, 0.0], [0.5, 0.25]])
    orders = np.array(list(known.values()))
    languages = WordOrder(PAIR, tuple(known), orders, weight)
    return AdaptedOrder(languages, orders.mean(axis=0), WordOrder(PAIR, ("",), np.array([own]), weight))


FINAL, INITIAL = [[1.0, 0.5], [1.0, 1.0]], [[0.0, 0.5], [0.0, 0.0]]


def test_likeness_and_change_are_shares_of_children():
    order = beside({"ko": FINAL, "cy": INITIAL}, [[0.0, 0.5], [0.0, 1.0]])
    assert order.nearest == [("cy", 0.75), ("ko", 0.25)]
    assert order.changed == 0.5  # the mean has every child on either side alike
    assert str(order) == (
        "ordered most like cy (75% of the children on the same side), then ko; 50% stand on another side than in the "
        "mean of 2 languages"
    )


def test_what_differs_most_comes_first_and_what_is_the_same_not_at_all():
    order = beside({"ko": FINAL, "cy": INITIAL}, [[0.6, 0.9], [0.3, 0.5]])
    first, second = order.shifts(10)
    assert (str(first), first.before, first.mean, first.share) == ("N before V", 0.3, 0.5, 0.5)
    assert (str(second), second.before) == ("N before N", 0.6)
    assert order.shifts(1) == [first]


def test_a_grammar_is_set_beside_the_one_that_it_started_from(tmp_path):
    start = with_sides(0.8, 0.6)
    start.save(tmp_path / "start")
    made = {"settings": {"init": ["universal", str(tmp_path / "start")]}}
    grammar = replace(with_sides(0.1).in_language("l0"), history=made)
    order = adapted_order(universal_of(grammar), grammar)
    assert [name for name, _ in order.nearest] == ["l1", "l0"]
    assert order.left == pytest.approx(0.1, abs=1e-6) and order.mean == pytest.approx(0.7, abs=1e-3)
    assert order.changed == pytest.approx(0.6, abs=1e-3)


def test_the_order_of_a_committee_is_that_of_its_order_free_member():
    members = {"order-free": with_sides(0.1).in_language("l0"), "student": with_sides(0.9).in_language("l0")}
    order = adapted_order(with_sides(0.8, 0.6), CommitteeModel(members))
    assert order.left == pytest.approx(0.1, abs=1e-6)


def test_who_started_elsewhere_or_lost_its_start_has_no_universal_grammar():
    for start in (["harmonic"], ["universal", "gone"]):
        grammar = replace(with_sides(0.1).in_language("l0"), history={"settings": {"init": start}})
        assert universal_of(grammar) is None
    assert with_sides(0.1).tags == TAGS
