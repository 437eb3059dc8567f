"""The oracle itself: it enumerates all trees, each once, and scores them by the generative story."""

import numpy as np
import pytest
from chart.enumeration import (
    Enumerated,
    projective_trees,
    random_problem,
    tree_log_potential,
    tree_rule_counts,
)

from depinduce.grammar.rules import (
    GO,
    HAS,
    LEFT,
    NO,
    RIGHT,
    STOP,
    Factors,
    Order,
    RuleTable,
    tag_batch,
)

ORDERS = list(Order)


@pytest.mark.parametrize(("length", "trees"), [(1, 1), (2, 2), (3, 7), (4, 30), (5, 143), (6, 728)])
def test_every_length_has_its_number_of_trees_and_no_tree_twice(length, trees):
    assert len(projective_trees(length)) == len(set(projective_trees(length))) == trees


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 6])
def test_every_tree_is_single_rooted_connected_and_projective(length):
    for heads in projective_trees(length):
        assert heads.count(0) == 1
        for child, head in enumerate(heads, start=1):
            between = range(min(head, child) + 1, max(head, child)) if head else ()
            assert all(head in ancestors(heads, word) for word in between)
            assert 0 in ancestors(heads, child)


def ancestors(heads, word):
    above = []
    while word != 0 and len(above) <= len(heads):
        word = heads[word - 1]
        above.append(word)
    return above


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("shuffled", [False, True])
def test_counts_times_log_potentials_are_the_score(order, shuffled):
    table, batch, _ = random_problem(order, [2, 5], tags=3, seed=1, normalised=False, shuffled=shuffled)
    for heads in projective_trees(5):
        counts = tree_rule_counts(table, batch, 1, heads)
        assert counts.dot(table) == pytest.approx(tree_log_potential(table, batch, 1, heads))
        assert (counts.root.sum(), counts.child.sum(), counts.decision.sum()) == (1, 4, 4 + 2 * 5)


@pytest.mark.parametrize("order", ORDERS)
def test_shuffled_rules_give_the_same_trees_the_same_scores(order):
    plain, moved = (random_problem(order, [4], tags=3, seed=2, shuffled=shuffled) for shuffled in (False, True))
    np.testing.assert_allclose(Enumerated(*plain[:2]).scores, Enumerated(*moved[:2]).scores)


def numbered(order):
    """A grammar over tags A and B in which every rule has a log potential of its own digit place."""
    shape = order.shape(2)
    rows = int(np.prod(shape))
    child = 10.0 * np.arange(rows * 2).reshape(*shape, 2)
    decision = 1000.0 * np.arange(rows * 2).reshape(*shape, 2)
    return np.array([1.0, 2.0]), child, decision


def test_first_order_score_of_two_words_by_hand():
    # A B with B the root: B takes A on its left, and nobody else takes anything.
    root, child, decision = numbered(Order.FIRST)
    table, batch = RuleTable.of_tags(root, child, decision), tag_batch(Order.FIRST, [0, 1], [0, 2], 2)
    a, b = 0, 1
    by_hand = root[b] + decision[LEFT, b, NO, GO] + child[LEFT, b, NO, a] + decision[LEFT, b, HAS, STOP]
    by_hand += decision[RIGHT, b, NO, STOP] + decision[LEFT, a, NO, STOP] + decision[RIGHT, a, NO, STOP]
    assert tree_log_potential(table, batch, 0, (2, 0)) == by_hand


def test_sibling_score_of_three_words_by_hand():
    # A B A with the second A the root: it takes the first A from outside, then B with sibling A.
    root, child, decision = numbered(Order.SIBLING)
    table, batch = RuleTable.of_tags(root, child, decision), tag_batch(Order.SIBLING, [0, 1, 0], [0, 3], 2)
    a, b, null = 0, 1, 2
    by_hand = root[a] + decision[LEFT, a, null, GO] + child[LEFT, a, null, a]
    by_hand += decision[LEFT, a, a, GO] + child[LEFT, a, a, b] + decision[LEFT, a, b, STOP]
    by_hand += decision[RIGHT, a, null, STOP]
    by_hand += decision[LEFT, a, null, STOP] + decision[RIGHT, a, null, STOP]
    by_hand += decision[LEFT, b, null, STOP] + decision[RIGHT, b, null, STOP]
    assert tree_log_potential(table, batch, 0, (3, 3, 0)) == by_hand


def test_sibling_score_of_two_words_by_hand():
    # A B with A the root: A takes B on its right and stops with B as the sibling.
    root, child, decision = numbered(Order.SIBLING)
    table, batch = RuleTable.of_tags(root, child, decision), tag_batch(Order.SIBLING, [0, 1], [0, 2], 2)
    a, b, null = 0, 1, 2
    by_hand = root[a] + decision[RIGHT, a, null, GO] + child[RIGHT, a, null, b] + decision[RIGHT, a, b, STOP]
    by_hand += decision[LEFT, a, null, STOP] + decision[LEFT, b, null, STOP] + decision[RIGHT, b, null, STOP]
    assert tree_log_potential(table, batch, 0, (0, 1)) == by_hand


def test_grandparent_score_of_two_words_by_hand():
    # A B with A the root: A decides under ROOT, B under A.
    root, child, decision = numbered(Order.GRANDPARENT)
    table, batch = RuleTable.of_tags(root, child, decision), tag_batch(Order.GRANDPARENT, [0, 1], [0, 2], 2)
    a, b, top = 0, 1, 2
    by_hand = root[a] + decision[RIGHT, a, top, NO, GO] + child[RIGHT, a, top, NO, b]
    by_hand += decision[RIGHT, a, top, HAS, STOP] + decision[LEFT, a, top, NO, STOP]
    by_hand += decision[LEFT, b, a, NO, STOP] + decision[RIGHT, b, a, NO, STOP]
    assert tree_log_potential(table, batch, 0, (0, 1)) == by_hand


@pytest.mark.parametrize("order", ORDERS)
def test_factors_of_the_used_positions_are_added(order):
    table, batch, _ = random_problem(order, [3, 2], tags=2, seed=3)
    factors = Factors(
        root=np.arange(5.0),
        decision=np.arange(40.0).reshape(5, 2, 2, 2),
        arc=np.arange(26.0).reshape(13, 2),
    )
    by_hand = factors.root[3] + factors.arc[9 + 1, NO]  # tokens 3 and 4; head 0 and child 1 of sentence 1
    by_hand += factors.decision[3, RIGHT, NO, GO] + factors.decision[3, RIGHT, HAS, STOP]
    by_hand += factors.decision[3, LEFT, NO, STOP]
    by_hand += factors.decision[4, LEFT, NO, STOP] + factors.decision[4, RIGHT, NO, STOP]
    without = tree_log_potential(table, batch, 1, (0, 1))
    assert tree_log_potential(table, batch, 1, (0, 1), factors) == pytest.approx(without + by_hand)


@pytest.mark.parametrize("order", ORDERS)
def test_posteriors_are_distributions_and_agree_with_the_counts(order):
    table, batch, factors = random_problem(order, [1, 4], tags=3, seed=4, normalised=False, factors=True)
    exact = Enumerated(table, batch, 1, factors)
    assert np.all(np.diff(exact.scores) <= 0)
    assert exact.probabilities.sum() == pytest.approx(1)
    assert exact.roots.sum() == pytest.approx(1)
    np.testing.assert_allclose(exact.arcs.sum(axis=0) + exact.roots, 1)  # every word has one head
    np.testing.assert_allclose(exact.decisions[..., STOP].sum(axis=2), 1)  # every side stops once
    assert exact.counts.child.sum() == pytest.approx(exact.arcs.sum())
    assert exact.counts.decision[:, GO].sum() == pytest.approx(exact.arcs.sum())
    assert 0 < exact.entropy < np.log(len(exact.trees))
