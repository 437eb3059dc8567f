"""One grammar in several orders, and grammars with one more tag."""

import warnings

import numpy as np
import pytest
from chart.enumeration import projective_trees
from learning.tagged import random_table

from depinduce.chart.engine import best_trees, expectations, log_partition
from depinduce.grammar.between_orders import add_average_tag, lower_order, raise_order
from depinduce.grammar.rules import HAS, LEFT, NO, RIGHT, Order, RuleCounts, RuleTable, tag_batch
from depinduce.grammar.trees import tree_counts

every_order = pytest.mark.parametrize("order", list(Order))
higher_orders = pytest.mark.parametrize("order", [Order.SIBLING, Order.GRANDPARENT])

TAGS = 3
SENTENCES = np.array([0, 1, 2, 1, 0, 2, 2, 1, 0, 0, 1, 2, 1]), np.array([0, 5, 6, 9, 13])  # tags, offsets


def by_names(rules: np.ndarray, order: Order, tags: int = TAGS) -> np.ndarray:
    """Rows as direction, head and context, and their columns."""
    return rules.reshape(*order.shape(tags), rules.shape[-1])


def same(one: RuleTable | RuleCounts, other: RuleTable | RuleCounts) -> bool:
    pairs = [(one.root, other.root), (one.child, other.child), (one.decision, other.decision)]
    return all(a.shape == b.shape and np.allclose(a, b, rtol=1e-12, atol=1e-12) for a, b in pairs)


def test_in_a_raised_grammar_only_the_valence_of_the_context_matters():
    first = random_table(Order.FIRST, TAGS, seed=1)
    child = by_names(first.child, Order.FIRST)

    sibling = by_names(raise_order(first, Order.SIBLING).child, Order.SIBLING)
    null = TAGS
    for direction, head in np.ndindex(2, TAGS):
        assert np.array_equal(sibling[direction, head, null], child[direction, head, NO])
        for previous in range(TAGS):
            assert np.array_equal(sibling[direction, head, previous], child[direction, head, HAS])

    grand = by_names(raise_order(first, Order.GRANDPARENT).child, Order.GRANDPARENT)
    for direction, head, grandparent, valence in np.ndindex(2, TAGS, TAGS + 1, 2):
        assert np.array_equal(grand[direction, head, grandparent, valence], child[direction, head, valence])


@higher_orders
def test_a_raised_grammar_gives_the_same_numbers(order):
    first = random_table(Order.FIRST, TAGS, seed=2)
    plain, raised = tag_batch(Order.FIRST, *SENTENCES, TAGS), tag_batch(order, *SENTENCES, TAGS)
    table = raise_order(first, order)
    assert np.allclose(log_partition(table, raised), log_partition(first, plain), rtol=1e-12)
    assert np.array_equal(best_trees(table, raised).heads, best_trees(first, plain).heads)


def test_raising_to_first_order_changes_nothing():
    first = random_table(Order.FIRST, TAGS, seed=3)
    assert same(raise_order(first, Order.FIRST), first)


@every_order
def test_lowered_counts_of_a_tree_are_its_first_order_counts(order):
    sentence = np.array([0, 1, 2, 0, 1]), np.array([0, 5])
    first, batch = tag_batch(Order.FIRST, *sentence, TAGS), tag_batch(order, *sentence, TAGS)
    for heads in projective_trees(5):
        counts = tree_counts(random_table(order, TAGS, seed=0), batch, np.array(heads))
        direct = tree_counts(random_table(Order.FIRST, TAGS, seed=0), first, np.array(heads))
        assert same(lower_order(counts, order), direct)


@higher_orders
def test_lowered_expected_counts_of_a_raised_grammar_are_those_of_first_order(order):
    first = random_table(Order.FIRST, TAGS, seed=4)
    direct = expectations(first, tag_batch(Order.FIRST, *SENTENCES, TAGS)).counts
    raised = expectations(raise_order(first, order), tag_batch(order, *SENTENCES, TAGS)).counts
    assert same(lower_order(raised, order), direct)


@every_order
def test_the_average_tag_leaves_the_known_rules_as_they_are(order):
    table = random_table(order, TAGS, seed=5)
    more = add_average_tag(table, order)
    contexts = [0, 1] if order is Order.FIRST else [0, 1, 2, 4]  # NULL or ROOT has moved behind the average tag
    child = by_names(more.child, order, TAGS + 1)[:, :TAGS][:, :, contexts][..., :TAGS]
    decision = by_names(more.decision, order, TAGS + 1)[:, :TAGS][:, :, contexts]
    assert same(RuleTable.of_tags(more.root[:TAGS], child, decision), table)


@every_order
def test_the_average_tag_is_the_mean_as_a_head_and_as_a_child(order):
    table = random_table(order, TAGS, seed=6)
    more = add_average_tag(table, order)
    assert np.exp(more.root[TAGS]) == pytest.approx(np.exp(table.root).mean())
    child, decision = np.exp(by_names(table.child, order)), np.exp(by_names(table.decision, order))
    new_child = np.exp(by_names(more.child, order, TAGS + 1))
    new_decision = np.exp(by_names(more.decision, order, TAGS + 1))
    last = -1 if order is not Order.GRANDPARENT else (-1, NO)  # HAS, after NULL, or under ROOT without a child
    for direction in (LEFT, RIGHT):
        of_heads = child[direction, :, *np.atleast_1d(last)]  # [head, child]
        of_average = new_child[direction, TAGS, *np.atleast_1d(last)]
        assert np.allclose(of_average[:TAGS], of_heads.mean(axis=0))
        assert of_average[TAGS] == pytest.approx(of_heads.mean())
        of_head_1 = new_child[direction, 1, *np.atleast_1d(last)]
        assert of_head_1[TAGS] == pytest.approx(child[direction, 1, *np.atleast_1d(last)].mean())
        average = decision[direction, :, *np.atleast_1d(last)].mean(axis=0)
        assert np.allclose(new_decision[direction, TAGS, *np.atleast_1d(last)], average)


@higher_orders
def test_the_average_tag_is_the_mean_as_a_sibling_and_as_a_grandparent(order):
    table = random_table(order, TAGS, seed=7)
    decision = np.exp(by_names(table.decision, order))
    more = np.exp(by_names(add_average_tag(table, order).decision, order, TAGS + 1))
    assert np.allclose(more[:, :TAGS, TAGS], decision[:, :, :TAGS].mean(axis=2))


@every_order
def test_with_the_average_tag_decisions_stay_normalised_and_children_compete_with_it(order):
    more = add_average_tag(random_table(order, TAGS, seed=8), order)
    assert np.allclose(np.exp(more.decision).sum(axis=1), 1)
    assert np.allclose(np.exp(more.child).sum(axis=1), 1 + 1 / TAGS)
    assert np.exp(more.root).sum() == pytest.approx(1 + 1 / TAGS)


@every_order
def test_impossible_rules_stay_impossible_without_a_warning(order):
    table = random_table(order, TAGS, seed=9)
    table.child[:, 0] = -np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        more = add_average_tag(table, order)
    assert np.all(np.isneginf(more.child[:, 0]))
    assert not np.isnan(more.child).any()
