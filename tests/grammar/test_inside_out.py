"""Sibling grammars from the inside out equal the enumeration of all trees, told from the inside out."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest
from chart.enumeration import Heads, projective_trees, random_problem

from depinduce.chart.engine import best_trees, expectations, log_partition
from depinduce.grammar.constraints import forbid_heads
from depinduce.grammar.inside_out import as_outside_in, counts_inside_out
from depinduce.grammar.rules import GO, LEFT, RIGHT, STOP, Batch, Order, RuleCounts, RuleTable, tag_batch
from depinduce.grammar.trees import tree_counts, tree_log_potentials

TAGS, NULL = 3, 3
LENGTHS = [3, 1, 5, 2, 4, 5]


@cache
def problem(normalised: bool = True) -> tuple[RuleTable, Batch]:
    """A random sibling grammar and sentences of 1 to 5 words."""
    return random_problem(Order.SIBLING, LENGTHS, TAGS, seed=1, normalised=normalised)[:2]


# ---------------------------------------------------------------- the story


def story(tags: tuple[int, ...], heads: Heads) -> RuleCounts:
    """The rules of one tree: each head generates its children on each side from the nearest to the farthest."""
    counts = RuleCounts(np.zeros(TAGS), np.zeros((2, TAGS, TAGS + 1, TAGS)), np.zeros((2, TAGS, TAGS + 1, 2)))
    for head, tag in enumerate(tags):
        if heads[head] == 0:
            counts.root[tag] += 1
        left = [child for child in range(head - 1, -1, -1) if heads[child] == head + 1]
        right = [child for child in range(head + 1, len(tags)) if heads[child] == head + 1]
        for direction, nearest_first in ((LEFT, left), (RIGHT, right)):
            sibling = NULL
            for child in nearest_first:
                counts.decision[direction, tag, sibling, GO] += 1
                counts.child[direction, tag, sibling, tags[child]] += 1
                sibling = tags[child]
            counts.decision[direction, tag, sibling, STOP] += 1
    return RuleCounts(counts.root, counts.child.reshape(-1, TAGS), counts.decision.reshape(-1, 2))


def trees_of(batch: Batch, sentence: int) -> list[tuple[Heads, RuleCounts]]:
    """All trees of a sentence with their stories."""
    return stories(tuple(batch.column[batch.offsets[sentence] : batch.offsets[sentence + 1]].tolist()))


@cache
def stories(tags: tuple[int, ...]) -> list[tuple[Heads, RuleCounts]]:
    return [(heads, story(tags, heads)) for heads in projective_trees(len(tags))]


def all_trees(batch: Batch):
    """One tree of each sentence, until every tree of five words has had its turn."""
    for turn in range(len(projective_trees(5))):
        yield [trees_of(batch, s)[turn % len(trees_of(batch, s))] for s in range(len(batch))]


def test_children_come_from_the_inside_out():
    # All three words hang to the right of the first: the nearest comes first, and is the sibling of the next.
    counts = story((0, 1, 2, 1), (0, 1, 1, 1))
    child, decision = counts.child.reshape(2, TAGS, TAGS + 1, TAGS), counts.decision.reshape(2, TAGS, TAGS + 1, 2)
    used = {tuple(place) for place in np.argwhere(child).tolist()}
    assert used == {(RIGHT, 0, NULL, 1), (RIGHT, 0, 1, 2), (RIGHT, 0, 2, 1)}
    assert decision[RIGHT, 0, :, GO].tolist() == [0, 1, 1, 1]
    assert decision[RIGHT, 0, :, STOP].tolist() == [0, 1, 0, 0]


# ---------------------------------------------------------------- the chart


@pytest.mark.parametrize("normalised", [True, False])
def test_every_tree_has_the_probability_of_its_story(normalised):
    table, batch = problem(normalised)
    potentials = as_outside_in(table)
    for trees in all_trees(batch):
        found = tree_log_potentials(potentials, batch, np.concatenate([heads for heads, _ in trees]))
        np.testing.assert_allclose(found, [counts.dot(table) for _, counts in trees], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("normalised", [True, False])
def test_log_z_and_best_trees_equal_enumeration(normalised):
    table, batch = problem(normalised)
    log_z, best = log_partition(as_outside_in(table), batch), best_trees(as_outside_in(table), batch)
    for s in range(len(batch)):
        scores = {heads: counts.dot(table) for heads, counts in trees_of(batch, s)}
        assert log_z[s] == pytest.approx(np.logaddexp.reduce(list(scores.values())), rel=1e-12)
        assert best.log_potential[0, s] == pytest.approx(max(scores.values()), rel=1e-12)
        assert tuple(best.heads[0, batch.offsets[s] : batch.offsets[s + 1]]) == max(scores, key=scores.get)


def test_expected_counts_equal_enumeration():
    table, batch = problem()
    found = counts_inside_out(expectations(as_outside_in(table), batch).counts)
    exact = RuleCounts.zeros_like(table)
    for s in range(len(batch)):
        trees = [counts for _, counts in trees_of(batch, s)]
        scores = np.array([counts.dot(table) for counts in trees])
        for counts, posterior in zip(trees, np.exp(scores - np.logaddexp.reduce(scores)), strict=True):
            for part in ("root", "child", "decision"):
                getattr(exact, part)[:] += posterior * getattr(counts, part)
    assert_same(found, exact)
    assert found.root.sum() == pytest.approx(len(batch))


def test_counts_of_given_trees_are_those_of_their_stories():
    table, batch = problem()
    for trees in all_trees(batch):
        found = counts_inside_out(tree_counts(table, batch, np.concatenate([heads for heads, _ in trees])))
        assert_same(found, sum((counts for _, counts in trees), RuleCounts.zeros_like(table)))


def assert_same(found: RuleCounts, expected: RuleCounts) -> None:
    for part in ("root", "child", "decision"):
        np.testing.assert_allclose(getattr(found, part), getattr(expected, part), rtol=1e-9, atol=1e-12)


def test_tags_that_head_nothing_head_nothing_from_the_inside_out_too():
    table, batch = problem()
    allowed = batch.column != 0
    factors = forbid_heads(batch, allowed)
    log_z = log_partition(as_outside_in(table), batch, factors)
    removed = 0
    for s in range(len(batch)):
        first, remaining = batch.offsets[s], []
        for heads, counts in trees_of(batch, s):
            if all(head == 0 or allowed[first + head - 1] for head in heads):
                remaining.append(counts.dot(table))
            else:
                removed += 1
        if remaining:
            assert log_z[s] == pytest.approx(np.logaddexp.reduce(remaining), rel=1e-12)
        else:
            assert np.isneginf(log_z[s])
    assert removed > 0


# ---------------------------------------------------------------- beside the other direction


def test_without_context_both_directions_are_the_same_grammar():
    table, batch = problem()
    child, decision = table.child.reshape(2, TAGS, TAGS + 1, TAGS), table.decision.reshape(2, TAGS, TAGS + 1, 2)
    no_context = RuleTable.of_tags(
        table.root, np.repeat(child[:, :, :1], TAGS + 1, axis=2), np.repeat(decision[:, :, :1], TAGS + 1, axis=2)
    )
    inwards, outwards = expectations(no_context, batch), expectations(as_outside_in(no_context), batch)
    np.testing.assert_allclose(outwards.log_z, inwards.log_z, rtol=1e-12)
    np.testing.assert_allclose(outwards.counts.root, inwards.counts.root, rtol=1e-9)
    assert not np.allclose(log_partition(as_outside_in(table), batch), log_partition(table, batch))


def test_the_inside_out_grammar_is_the_outside_in_grammar_where_no_head_has_two_children_on_a_side():
    # With two words there is nothing to put in order.
    table, _ = problem()
    batch = tag_batch(Order.SIBLING, np.array([0, 1, 2, 2, 1]), np.array([0, 2, 4, 5]), TAGS)
    np.testing.assert_allclose(log_partition(as_outside_in(table), batch), log_partition(table, batch), rtol=1e-12)


# ---------------------------------------------------------------- arrays


def test_the_table_stays_as_it_is():
    table, _ = problem()
    before = table.child.copy(), table.decision.copy()
    as_outside_in(table)
    assert np.array_equal(table.child, before[0])
    assert np.array_equal(table.decision, before[1])


def test_impossible_rules_stay_impossible_without_a_warning():
    table, batch = random_problem(Order.SIBLING, [4, 3], TAGS, seed=2)[:2]
    table.child[3, 1] = table.decision[5, GO] = table.decision[9, STOP] = -np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        potentials = as_outside_in(table)
    assert not np.isnan(potentials.child).any()
    assert not np.isnan(potentials.decision).any()
    log_z = log_partition(potentials, batch)
    for s in range(len(batch)):
        scores = [counts.dot(table) for _, counts in trees_of(batch, s)]
        assert log_z[s] == pytest.approx(np.logaddexp.reduce(scores), rel=1e-12)
