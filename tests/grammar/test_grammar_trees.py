"""The rules of a given tree are those of its generative story, as enumeration tells it."""

import numpy as np
import pytest
from chart.enumeration import (
    projective_trees,
    random_problem,
    tell,
    tree_log_potential,
    tree_rule_counts,
)

from depinduce.grammar.rules import GO, HAS, LEFT, NO, RIGHT, STOP, Factors, Order, RuleCounts, RuleTable, tag_batch
from depinduce.grammar.trees import tree_counts, tree_log_potentials, tree_rules

every_order = pytest.mark.parametrize("order", list(Order))
plain_and_shuffled = pytest.mark.parametrize("shuffled", [False, True])

# Tree by tree through the 143 of five words, beside shorter sentences that take their turns.
LENGTHS = [5, 1, 4, 2, 3]


def all_trees():
    """Heads for a batch of LENGTHS, until every tree of five words has had its turn."""
    for turn in range(len(projective_trees(5))):
        yield [projective_trees(n)[turn % len(projective_trees(n))] for n in LENGTHS]


@every_order
@plain_and_shuffled
def test_counts_of_all_trees_equal_their_stories(order, shuffled):
    table, batch, _ = random_problem(order, LENGTHS, 3, seed=1, shuffled=shuffled)
    for trees in all_trees():
        found = tree_counts(table, batch, np.concatenate(trees))
        stories = [tree_rule_counts(table, batch, s, heads) for s, heads in enumerate(trees)]
        expected = sum(stories, RuleCounts.zeros_like(table))
        assert np.array_equal(found.root, expected.root)
        assert np.array_equal(found.child, expected.child)
        assert np.array_equal(found.decision, expected.decision)


@every_order
@plain_and_shuffled
@pytest.mark.parametrize("parts", [(), ("root",), ("decision",), ("arc",), ("root", "decision", "arc")])
def test_log_potentials_of_all_trees_equal_their_stories(order, shuffled, parts):
    table, batch, given = random_problem(order, LENGTHS, 3, seed=2, normalised=False, factors=True, shuffled=shuffled)
    factors = Factors(**{part: getattr(given, part) for part in parts}) if parts else None
    for trees in all_trees():
        found = tree_log_potentials(table, batch, np.concatenate(trees), factors)
        expected = [tree_log_potential(table, batch, s, heads, factors) for s, heads in enumerate(trees)]
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@every_order
def test_log_potential_is_counts_times_rules(order):
    table, batch, _ = random_problem(order, [5], 3, seed=3)
    for heads in projective_trees(5):
        counts = tree_counts(table, batch, np.array(heads))
        (score,) = tree_log_potentials(table, batch, np.array(heads))
        assert counts.dot(table) == pytest.approx(score)


@every_order
def test_rules_by_word_are_those_of_the_story(order):
    table, batch, _ = random_problem(order, [2, 5], 3, seed=4, shuffled=True)
    for heads in projective_trees(5):
        found, story = tree_rules(batch, np.array([0, 1, *heads])), tell(batch, 1, heads)
        for row, _, _, child, valence in story.children:
            assert (found.child_row[2 + child], found.child_valence[2 + child]) == (row, valence)
        assert found.child_row[story.root] == -1
        for row, decision, token, direction, valence in story.decisions:
            if decision == STOP:
                assert found.stop_row[token, direction] == row
                assert found.stop_valence[token, direction] == valence


def test_rules_of_a_sibling_tree_by_hand():
    # D N V D N: "the dog bit the man", with D under N and both N under V.
    det, noun, verb, null = 0, 1, 2, 3
    batch = tag_batch(Order.SIBLING, np.array([det, noun, verb, det, noun]), np.array([0, 5]), 3)
    rules = tree_rules(batch, np.array([2, 3, 0, 5, 3]))
    row = np.arange(24).reshape(Order.SIBLING.shape(3))
    noun_before, verb_left, verb_right = row[LEFT, noun, null], row[LEFT, verb, null], row[RIGHT, verb, null]
    assert rules.child_row.tolist() == [noun_before, verb_left, -1, noun_before, verb_right]
    assert rules.child_valence.tolist() == [NO] * 5
    assert rules.stop_row[2].tolist() == [row[LEFT, verb, noun], row[RIGHT, verb, noun]]
    assert rules.stop_valence.tolist() == [[NO, NO], [HAS, NO], [HAS, HAS], [NO, NO], [HAS, NO]]


def test_children_come_from_the_outside_in():
    # All three words hang to the right of the first: the last comes first, and is the sibling of the next.
    batch = tag_batch(Order.SIBLING, np.arange(4), np.array([0, 4]), 4)
    table = RuleTable.of_tags(np.zeros(4), np.zeros((2, 4, 5, 4)), np.zeros((2, 4, 5, 2)))
    counts = tree_counts(table, batch, np.array([0, 1, 1, 1]))
    child, decision = counts.child.reshape(2, 4, 5, 4), counts.decision.reshape(2, 4, 5, 2)
    null = 4
    used = {tuple(place) for place in np.argwhere(child).tolist()}
    assert used == {(RIGHT, 0, null, 3), (RIGHT, 0, 3, 2), (RIGHT, 0, 2, 1)}
    assert decision[RIGHT, 0, :, GO].tolist() == [0, 0, 1, 1, 1]
    assert decision[RIGHT, 0, :, STOP].tolist() == [0, 1, 0, 0, 0]


@every_order
def test_an_impossible_rule_makes_a_tree_impossible(order):
    table, batch, _ = random_problem(order, [3, 3], 2, seed=5)
    table.child[:] = -np.inf
    table.child[tree_rules(batch, np.array([0, 1, 2, 0, 1, 2])).child_row[[1, 2]]] = 0
    (score, _) = tree_log_potentials(table, batch, np.array([0, 1, 2, 0, 1, 2]))
    assert np.isfinite(score)
    table.root[batch.roots[0]] = -np.inf
    (score, _) = tree_log_potentials(table, batch, np.array([0, 1, 2, 0, 1, 2]))
    assert np.isneginf(score)
