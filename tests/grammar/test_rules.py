"""Rule tables: how many rows an order has, and which row and column every word of a batch reads."""

import numpy as np
import pytest

from depinduce.grammar.rules import HAS, LEFT, NO, RIGHT, Order, RuleCounts, RuleTable, tag_batch


@pytest.mark.parametrize(
    ("order", "slots", "shape"),
    [
        (Order.FIRST, 2, (2, 5, 2)),
        (Order.SIBLING, 6, (2, 5, 6)),
        (Order.GRANDPARENT, 12, (2, 5, 6, 2)),
    ],
)
def test_five_tags_have_these_rows(order, slots, shape):
    assert order.slots(5) == slots
    assert order.shape(5) == shape
    assert np.prod(shape) == 2 * 5 * slots
    batch = tag_batch(order, np.zeros(1, int), np.array([0, 1]), 5)
    assert batch.rows.tolist() == list(range(2 * 5 * slots))


def test_tags_become_rows_in_the_order_of_the_shape():
    tags, offsets = np.array([2, 0, 1, 1]), np.array([0, 3, 4])
    null = root = 3

    first = tag_batch(Order.FIRST, tags, offsets, 3)
    rows = np.arange(12).reshape(Order.FIRST.shape(3))
    for token, direction, valence in np.ndindex(4, 2, 2):
        for context in (first.no_context, *first.context):  # first order knows only one
            found = first.rows[first.base[token, direction] + 2 * context + valence]
            assert found == rows[direction, tags[token], valence]

    sibling = tag_batch(Order.SIBLING, tags, offsets, 3)
    rows = np.arange(24).reshape(Order.SIBLING.shape(3))
    assert sibling.no_context == null
    for head, direction, child in np.ndindex(4, 2, 4):
        found = sibling.rows[sibling.base[head, direction] + sibling.context[child]]
        assert found == rows[direction, tags[head], tags[child]]
    assert sibling.rows[sibling.base[0, RIGHT] + sibling.no_context] == rows[RIGHT, 2, null]

    grand = tag_batch(Order.GRANDPARENT, tags, offsets, 3)
    rows = np.arange(48).reshape(Order.GRANDPARENT.shape(3))
    assert grand.no_context == root
    for head, direction, above, valence in np.ndindex(4, 2, 4, 2):
        found = grand.rows[grand.base[head, direction] + 2 * grand.context[above] + valence]
        assert found == rows[direction, tags[head], tags[above], valence]
    assert grand.rows[grand.base[2, LEFT] + 2 * grand.no_context + HAS] == rows[LEFT, 1, root, HAS]


def test_a_batch_knows_its_sentences():
    batch = tag_batch(Order.SIBLING, np.array([2, 0, 1, 1]), np.array([0, 3, 4]), 3)
    assert len(batch) == 2
    assert batch.column.tolist() == [2, 0, 1, 1]
    assert batch.lengths.tolist() == [3, 1]
    assert batch.arc_offsets.tolist() == [0, 9, 10]


@pytest.mark.parametrize("order", list(Order))
def test_a_table_of_named_axes_is_read_by_rows(order):
    shape = order.shape(3)
    child, decision = np.random.default_rng(1).normal(size=(*shape, 3)), np.zeros((*shape, 2))
    decision[(RIGHT, 1, *[NO] * (len(shape) - 2))] = 7
    table = RuleTable.of_tags(np.zeros(3), child, decision)
    rows = np.arange(np.prod(shape)).reshape(shape)
    place = (RIGHT, 1, *[NO] * (len(shape) - 2))
    assert np.array_equal(table.child[rows[place]], child[place])
    assert table.decision[rows[place]].tolist() == [7, 7]
    assert table.decision.sum() == 14


def test_counts_add_up_and_unused_impossible_rules_weigh_nothing():
    table = RuleTable(np.array([-1.0, -np.inf]), np.array([[-2.0, -np.inf]]), np.array([[-3.0, -4.0]]))
    once = RuleCounts(np.array([1.0, 0.0]), np.array([[1.0, 0.0]]), np.array([[2.0, 1.0]]))
    assert RuleCounts.zeros_like(table).dot(table) == 0
    assert once.dot(table) == -1 - 2 - 2 * 3 - 4
    twice = once + once
    assert (twice.root.tolist(), twice.child.tolist(), twice.decision.tolist()) == ([2, 0], [[2, 0]], [[4, 2]])
