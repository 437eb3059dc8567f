"""Tags that head nothing: their trees are gone, the rules stay as they are."""

import numpy as np
import pytest
from chart.enumeration import Enumerated, projective_trees, random_problem, tree_log_potential

from depinduce.chart.engine import best_trees, log_partition
from depinduce.grammar.constraints import forbid_heads, may_head
from depinduce.grammar.rules import GO, STOP, Order, tag_batch

DET, NOUN, VERB = 0, 1, 2
NON_HEADS = np.array([True, False, False])


def test_tokens_of_forbidden_tags_may_not_head():
    tags, offsets = np.array([DET, NOUN, VERB, NOUN, DET]), np.array([0, 3, 5])
    assert may_head(tags, offsets, NON_HEADS).tolist() == [False, True, True, True, False]


def test_a_sentence_of_nothing_else_is_exempt():
    tags, offsets = np.array([DET, DET, DET, NOUN, DET]), np.array([0, 2, 4, 5])
    assert may_head(tags, offsets, NON_HEADS).tolist() == [True, True, False, True, True]


def test_an_unknown_tag_may_head():
    tags, offsets = np.array([-1, DET]), np.array([0, 2])
    assert may_head(tags, offsets, NON_HEADS).tolist() == [True, False]


def test_no_sentences_need_no_heads():
    assert may_head(np.zeros(0, int), np.array([0]), NON_HEADS).shape == (0,)


def test_forbidden_heads_never_go_and_stop_as_before():
    batch = tag_batch(Order.SIBLING, np.array([DET, NOUN]), np.array([0, 2]), 3)
    factors = forbid_heads(batch, np.array([False, True]))
    assert factors.root is factors.arc is None
    assert np.all(np.isneginf(factors.decision[0, :, :, GO]))
    assert not factors.decision[0, :, :, STOP].any()
    assert not factors.decision[1].any()


@pytest.mark.parametrize("order", list(Order))
def test_exactly_the_trees_with_a_forbidden_head_are_removed(order):
    table, batch, _ = random_problem(order, [5, 3, 4, 1], 3, seed=1)
    allowed = may_head(batch.column, batch.offsets, NON_HEADS)
    factors = forbid_heads(batch, allowed)
    assert not allowed.all()
    log_z, best = log_partition(table, batch, factors), best_trees(table, batch, factors)
    for s in range(len(batch)):
        first, length = batch.offsets[s], int(batch.lengths[s])
        remaining = [
            tree_log_potential(table, batch, s, heads)  # by the rules alone: nothing is renormalised
            for heads in projective_trees(length)
            if all(head == 0 or allowed[first + head - 1] for head in heads)
        ]
        exact = Enumerated(table, batch, s, factors)
        assert np.isfinite(exact.scores).sum() == len(remaining)
        assert log_z[s] == pytest.approx(np.logaddexp.reduce(remaining), rel=1e-12)
        assert best.log_potential[0, s] == pytest.approx(max(remaining), rel=1e-12)
    assert np.all(log_z <= log_partition(table, batch) + 1e-12)
