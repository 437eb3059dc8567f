"""Count models: shares of counts, smoothed, tied, and drawn towards a first-order grammar."""

import warnings

import numpy as np
import pytest
from learning.tagged import random_table

from depinduce.grammar.between_orders import raise_order
from depinduce.grammar.multinomials import Multinomials, random_counts, uniform_counts
from depinduce.grammar.rules import HAS, LEFT, NO, RIGHT, Order, RuleCounts, RuleTable

every_order = pytest.mark.parametrize("order", list(Order))
TAGS = 3


def parts(rules: RuleTable | RuleCounts) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return rules.root, rules.child, rules.decision


@every_order
@pytest.mark.parametrize("child_valence", [True, False])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_every_row_is_a_distribution(order, child_valence, smoothing):
    counts = random_counts(order, TAGS, seed=1)
    table = Multinomials.smoothed(order, TAGS, smoothing, child_valence).estimate(counts)
    for part, like in zip(parts(table), parts(counts), strict=True):
        assert part.shape == like.shape
        assert np.allclose(np.exp(part).sum(axis=-1), 1)


def test_estimates_are_smoothed_shares_by_hand():
    counts = RuleCounts(np.array([3.0, 1.0]), np.zeros((8, 2)), np.zeros((8, 2)))
    counts.child[5], counts.decision[5] = [1, 0], [0, 4]
    table = Multinomials.smoothed(Order.FIRST, 2, 1.0).estimate(counts)
    assert np.exp(table.root) == pytest.approx([4 / 6, 2 / 6])
    assert np.exp(table.child[5]) == pytest.approx([2 / 3, 1 / 3])
    assert np.exp(table.decision[5]) == pytest.approx([1 / 6, 5 / 6])


def test_rows_without_counts_are_uniform_and_rules_without_counts_impossible():
    counts = RuleCounts(np.array([1.0, 0.0]), np.zeros((8, 2)), np.zeros((8, 2)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = Multinomials.smoothed(Order.FIRST, 2, 0.0).estimate(counts)
    assert table.root.tolist() == [0, -np.inf]
    assert np.exp(table.child) == pytest.approx(np.full((8, 2), 0.5))
    assert np.exp(table.decision) == pytest.approx(np.full((8, 2), 0.5))


@every_order
def test_the_estimate_maximises_likelihood_and_prior(order):
    counts = random_counts(order, TAGS, seed=2)
    family = Multinomials.smoothed(order, TAGS, 0.3).around(random_table(Order.FIRST, TAGS, seed=3), 5.0)
    best = family.estimate(counts)
    for seed in range(20):
        pairs = zip(parts(best), parts(random_table(order, TAGS, seed=seed)), strict=True)
        near = RuleTable(*(np.log(0.99 * np.exp(here) + 0.01 * np.exp(there)) for here, there in pairs))
        assert counts.dot(best) + family.log_prior(best) > counts.dot(near) + family.log_prior(near)


@pytest.mark.parametrize("order", [Order.FIRST, Order.GRANDPARENT])
def test_without_child_valence_first_and_later_children_share_their_counts(order):
    counts = random_counts(order, TAGS, seed=4)
    tied = Multinomials.smoothed(order, TAGS, 0.0, child_valence=False).estimate(counts)
    child = np.exp(tied.child).reshape(*order.shape(TAGS), TAGS)
    assert np.array_equal(child[..., NO, :], child[..., HAS, :])
    summed = counts.child.reshape(*order.shape(TAGS), TAGS).sum(axis=-2)
    assert child[..., NO, :] == pytest.approx(summed / summed.sum(axis=-1, keepdims=True))
    free = Multinomials.smoothed(order, TAGS, 0.0).estimate(counts)
    assert np.array_equal(tied.decision, free.decision)  # decisions always know the valence
    assert not np.allclose(tied.child, free.child)


def test_a_sibling_grammar_knows_valence_only_through_its_siblings():
    counts = random_counts(Order.SIBLING, TAGS, seed=5)
    free, tied = (Multinomials.smoothed(Order.SIBLING, TAGS, 0.1, knows).estimate(counts) for knows in (True, False))
    assert np.array_equal(free.child, tied.child)


@pytest.mark.parametrize("order", [Order.SIBLING, Order.GRANDPARENT])
def test_without_counts_the_prior_is_the_first_order_grammar(order):
    first = random_table(Order.FIRST, TAGS, seed=6)
    zero = RuleCounts.zeros_like(random_table(order, TAGS, seed=0))
    table = Multinomials.smoothed(order, TAGS, 0.0).around(first, 100.0).estimate(zero)
    assert table.child == pytest.approx(raise_order(first, order).child)
    assert table.decision == pytest.approx(raise_order(first, order).decision)


def test_a_prior_of_strength_s_weighs_as_much_as_s_counts():
    first = random_table(Order.FIRST, 2, seed=7)
    counts = RuleCounts.zeros_like(random_table(Order.SIBLING, 2, seed=0))
    null, head = 2, 1
    row = np.ravel_multi_index((RIGHT, head, null), Order.SIBLING.shape(2))
    counts.child[row] = [30.0, 0.0]
    table = Multinomials.smoothed(Order.SIBLING, 2, 0.0).around(first, 10.0).estimate(counts)
    before = np.exp(first.child.reshape(2, 2, 2, 2)[RIGHT, head, NO])  # NULL: no child yet
    assert np.exp(table.child[row]) == pytest.approx((10 * before + [30, 0]) / 40)
    other = np.ravel_multi_index((LEFT, head, 0), Order.SIBLING.shape(2))
    assert table.child[other] == pytest.approx(first.child.reshape(2, 2, 2, 2)[LEFT, head, HAS])


def test_the_log_prior_is_the_pseudo_counts_by_hand():
    table = Multinomials.smoothed(Order.FIRST, 2, 0.0).estimate(uniform_counts(Order.FIRST, 2))
    rules = 2 + 8 * 2 + 8 * 2  # each with log 1/2
    assert Multinomials.smoothed(Order.FIRST, 2, 0.25).log_prior(table) == pytest.approx(0.25 * rules * np.log(0.5))


@every_order
def test_random_counts_depend_on_the_seed_and_nothing_else(order):
    one, again, other = (random_counts(order, TAGS, seed) for seed in (1, 1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(parts(one), parts(again), strict=True))
    assert not any(np.array_equal(a, b) for a, b in zip(parts(one), parts(other), strict=True))
