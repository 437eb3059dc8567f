"""Trees that are equally probable: position decides, as `chart.derivations` says, and no last bit does."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from chart.enumeration import Heads, projective_trees, tree_log_potential

from depinduce.chart.engine import best_trees, expectations, k_best_trees, minimum_risk_trees, trees_of_posteriors
from depinduce.grammar.rules import Batch, Order, RuleTable, tag_batch

TAGS = 2
LENGTHS = (1, 2, 3, 4, 5, 5, 6, 6)
LAST_BITS = 1e-13  # by so much, relatively, machines differ


def coarse_table(order: Order, seed: int) -> RuleTable:
    """Potentials of which many sums are equal."""
    rows, draw = 2 * TAGS * order.slots(TAGS), np.random.default_rng(seed).integers
    return RuleTable(*(draw(-1, 1, size=size) / 2.0 for size in (TAGS, (rows, TAGS), (rows, 2))))


def sentences(order: Order, seed: int) -> Batch:
    tags = np.random.default_rng(seed).integers(0, TAGS, sum(LENGTHS))
    return tag_batch(order, tags, np.concatenate([[0], np.cumsum(LENGTHS)]), TAGS)


# ---------------------------------------------------------------- the rule, told from the tree


def ways(order: Order, heads: Heads) -> list[int]:
    """The choices that lead from the top to a tree, each as its place among the alternatives."""
    root = heads.index(0)
    return [root, *_side(order, heads, root, range(root)), *_side(order, heads, root, range(root + 1, len(heads)))]


def _side(order: Order, heads: Heads, head: int, words: range) -> Iterator[int]:
    children = [child for child in words if heads[child] == head + 1]
    outside_in = children if words.start < head else children[::-1]
    if outside_in:
        yield outside_in[0]
    for number, child in enumerate(outside_in):
        following = outside_in[number + 1] if number + 1 < len(outside_in) else None
        if order is Order.SIBLING:
            yield from [-1] if following is None else [following, _last_below(heads, min(child, following))]
        else:
            reached = _last_below(heads, child) if child < head else -_first_below(heads, child)
            yield from [reached] if following is None else [reached, following]
        yield from _side(order, heads, child, range(_first_below(heads, child), child))
        yield from _side(order, heads, child, range(child + 1, _last_below(heads, child) + 1))


def _below(heads: Heads, word: int) -> list[int]:
    return [word, *(below for child, head in enumerate(heads) if head == word + 1 for below in _below(heads, child))]


def _first_below(heads: Heads, word: int) -> int:
    return min(_below(heads, word))


def _last_below(heads: Heads, word: int) -> int:
    return max(_below(heads, word))


# ---------------------------------------------------------------- tests


@pytest.mark.parametrize("order", Order)
def test_of_equally_good_trees_the_first_by_position_is_the_best(order):
    tied = 0
    for seed in range(6):
        table, batch = coarse_table(order, seed), sentences(order, seed)
        found = np.split(best_trees(table, batch).heads[0], batch.offsets[1:-1])
        for sentence, heads in enumerate(found):
            scores = {tree: tree_log_potential(table, batch, sentence, tree) for tree in projective_trees(len(heads))}
            best = [tree for tree, score in scores.items() if score == max(scores.values())]
            tied += len(best) > 1
            assert tuple(heads.tolist()) == min(best, key=lambda tree: ways(order, tree))
    assert tied > 20


@pytest.mark.parametrize("order", Order)
def test_last_bits_choose_no_tree_and_no_order_of_trees(order):
    for seed in range(6):
        table, batch = coarse_table(order, seed), sentences(order, seed)
        noise = np.random.default_rng(seed)
        parts = (table.root, table.child, table.decision)
        noisy = RuleTable(*(part * (1 + LAST_BITS * noise.standard_normal(part.shape)) for part in parts))
        assert np.array_equal(best_trees(table, batch).heads, best_trees(noisy, batch).heads)
        assert np.array_equal(k_best_trees(table, batch, 20).heads, k_best_trees(noisy, batch, 20).heads)
        assert np.array_equal(minimum_risk_trees(table, batch).heads, minimum_risk_trees(noisy, batch).heads)


@pytest.mark.parametrize("order", Order)
def test_the_k_best_trees_begin_with_the_best_and_list_every_tie_once(order):
    table, batch = coarse_table(order, 1), sentences(order, 1)
    several, best = k_best_trees(table, batch, 200), best_trees(table, batch)
    assert np.array_equal(several.heads[0], best.heads[0])
    for sentence, length in enumerate(LENGTHS):
        place = slice(*batch.offsets[sentence : sentence + 2])
        trees = [tuple(heads.tolist()) for heads in several.heads[:, place] if heads[0] >= 0]
        scores = [tree_log_potential(table, batch, sentence, tree) for tree in trees]
        assert len(set(trees)) == len(trees) == min(200, len(projective_trees(length)))
        assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("order", Order)
def test_the_same_rules_in_other_places_are_a_tie_for_a_real_valued_grammar(order):
    rows, rng = 2 * TAGS * order.slots(TAGS), np.random.default_rng(0)
    table = RuleTable(rng.normal(size=TAGS), rng.normal(size=(rows, TAGS)), rng.normal(size=(rows, 2)))
    batch = tag_batch(order, np.array([0, 0, 0, 0, 1]), np.array([0, 5]), TAGS)
    scores: dict[float, list[Heads]] = {}
    for tree in projective_trees(5):
        scores.setdefault(round(tree_log_potential(table, batch, 0, tree), 9), []).append(tree)
    several = [tuple(heads.tolist()) for heads in k_best_trees(table, batch, 150).heads]
    assert sum(len(equal) > 1 for equal in scores.values()) > 20
    for score, equal in scores.items():
        places = sorted(several.index(tree) for tree in equal)
        assert places == list(range(places[0], places[0] + len(equal))), score


def test_equal_votes_but_for_rounding_are_a_tie():
    offsets = np.array([0, 2])
    for first, second in ((0.5, 0.5 - 1e-14), (0.5 - 1e-14, 0.5)):
        arc = np.array([[0.0, second], [first, 0.0]]).ravel()  # [head, child]
        trees = trees_of_posteriors(offsets, np.array([second, first]), arc)
        assert trees.heads[0].tolist() == [0, 1]


def test_sums_over_trees_are_not_rounded():
    table, batch = coarse_table(Order.FIRST, 0), sentences(Order.FIRST, 0)
    moved = RuleTable(table.root, table.child, table.decision - 1e-11)
    decisions = expectations(table, batch, positions=True).decision.sum()
    difference = expectations(table, batch).log_z.sum() - expectations(moved, batch).log_z.sum()
    np.testing.assert_allclose(difference, 1e-11 * decisions, rtol=1e-3)
