"""The batched torch charts equal the enumeration of all trees, in values, gradients and best trees."""

import math

import numpy as np
import pytest
import torch
from chart.enumeration import Enumerated, random_problem

from depinduce.chart.batched import best_trees, log_partition
from depinduce.grammar.constraints import forbid_heads
from depinduce.grammar.rules import Factors, Order, RuleCounts, RuleTable, tag_batch

LENGTHS = [3, 5, 1, 4, 2, 5]
every_order = pytest.mark.parametrize("order", list(Order))
with_and_without_factors = pytest.mark.parametrize("factors", [False, True])


def tensors(table: RuleTable) -> list[torch.Tensor]:
    return [torch.tensor(part, requires_grad=True) for part in (table.root, table.child, table.decision)]


def tensor_factors(factors: Factors) -> Factors:
    parts = (factors.root, factors.decision, factors.arc)
    return Factors(*(torch.tensor(part, requires_grad=True) for part in parts))


def enumerate_all(table, batch, factors=None):
    return [Enumerated(table, batch, sentence, factors) for sentence in range(len(batch))]


def assert_close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@every_order
@with_and_without_factors
@pytest.mark.parametrize("shuffled", [False, True])
def test_log_partition_and_its_gradient_equal_enumeration(order, factors, shuffled):
    problem = random_problem(order, LENGTHS, 3, seed=5, normalised=False, factors=factors, shuffled=shuffled)
    table, batch, given = problem
    rules = tensors(table)
    log_z = log_partition(*rules, batch, given)
    exact = enumerate_all(*problem)
    assert_close(log_z.detach(), [sentence.log_z for sentence in exact])
    expected = sum((sentence.counts for sentence in exact), RuleCounts.zeros_like(table))
    counts = torch.autograd.grad(log_z.sum(), rules)
    for part, wanted in zip(counts, (expected.root, expected.child, expected.decision), strict=True):
        assert_close(part, wanted)


@every_order
def test_gradients_of_factors_are_posteriors(order):
    table, batch, given = random_problem(order, LENGTHS, tags=3, seed=6, factors=True)
    factors = tensor_factors(given)
    log_z = log_partition(*tensors(table), batch, factors)
    roots, decisions, arcs = torch.autograd.grad(log_z.sum(), (factors.root, factors.decision, factors.arc))
    exact = enumerate_all(table, batch, given)
    assert_close(roots, np.concatenate([sentence.roots for sentence in exact]))
    assert_close(decisions, np.concatenate([sentence.decisions for sentence in exact]))
    assert_close(arcs, np.concatenate([sentence.arcs_by_valence.reshape(-1, 2) for sentence in exact]))


@every_order
@with_and_without_factors
def test_best_trees_equal_enumeration(order, factors):
    problem = random_problem(order, LENGTHS, 3, seed=7, scale=2.0, factors=factors, shuffled=True)
    table, batch, given = problem
    heads, scores = best_trees(*tensors(table), batch, given)
    exact = enumerate_all(*problem)
    assert heads.tolist() == [head for sentence in exact for head in sentence.trees[0]]
    assert_close(scores, [sentence.scores[0] for sentence in exact])


@every_order
def test_among_equal_trees_one_is_chosen_whole(order):
    table, batch, _ = random_problem(order, [5, 4], tags=3, seed=8)
    flat = [torch.zeros(part.shape) for part in (table.root, table.child, table.decision)]
    heads, scores = best_trees(*flat, batch)
    assert tuple(heads[:5].tolist()) in Enumerated(table, batch, 0).trees
    assert tuple(heads[5:].tolist()) in Enumerated(table, batch, 1).trees
    assert scores.tolist() == [0, 0]


@every_order
def test_all_ones_count_the_projective_trees(order):
    lengths = [1, 2, 3, 4, 5, 6, 7, 8]
    table, batch, _ = random_problem(order, lengths, tags=3, seed=9)
    flat = [torch.zeros(part.shape, dtype=torch.float64) for part in (table.root, table.child, table.decision)]
    trees = [math.comb(3 * n - 2, n - 1) // n for n in lengths]
    assert trees[:6] == [1, 2, 7, 30, 143, 728]
    assert_close(log_partition(*flat, batch).exp(), trees)


@every_order
def test_forbidden_heads_leave_no_trace_of_nan(order):
    table, batch, _ = random_problem(order, LENGTHS, tags=3, seed=10)
    allowed = np.ones(len(batch.column), dtype=bool)
    allowed[[1, 3, 5, 6, 8, 9, 10, 12]] = False  # longer sentences keep a head
    given = forbid_heads(batch, allowed)
    rules, factors = tensors(table), Factors(decision=torch.tensor(given.decision, requires_grad=True))
    log_z = log_partition(*rules, batch, factors)
    exact = enumerate_all(table, batch, given)
    assert_close(log_z.detach(), [sentence.log_z for sentence in exact])
    *counts, decisions = torch.autograd.grad(log_z.sum(), (*rules, factors.decision))
    assert_close(counts[1], sum(sentence.counts.child for sentence in exact))
    assert_close(decisions, np.concatenate([sentence.decisions for sentence in exact]))
    heads, _ = best_trees(*rules, batch, given)
    assert heads.tolist() == [head for sentence in exact for head in sentence.trees[0]]


@every_order
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_sentence_without_a_tree_does_not_disturb_its_neighbours(order, dtype):
    table, batch, _ = random_problem(order, [4, 3, 4], tags=3, seed=11)
    given = forbid_heads(batch, np.arange(11) // 4 != 1)  # nobody heads anything in words 4..7
    rules = [part.detach().to(dtype).requires_grad_() for part in tensors(table)]
    log_z = log_partition(*rules, batch, given)
    assert log_z.isneginf().tolist() == [False, True, False]
    assert log_z.dtype == dtype
    exact = enumerate_all(table, batch, given)
    counts = torch.autograd.grad(log_z.sum(), rules)
    np.testing.assert_allclose(counts[2], sum(sentence.counts.decision for sentence in exact), atol=1e-5)
    heads, scores = best_trees(*rules, batch, given)
    assert heads[4:7].tolist() == [-1, -1, -1]
    assert (scores.isneginf() == log_z.isneginf()).all()


@every_order
def test_impossible_rules_have_no_counts(order):
    table, batch, _ = random_problem(order, LENGTHS, tags=3, seed=12)
    table.child[::3, 1] = -np.inf
    table.root[2] = -np.inf
    rules = tensors(table)
    log_z = log_partition(*rules, batch)
    exact = enumerate_all(table, batch)
    assert_close(log_z.detach(), [sentence.log_z for sentence in exact])
    counts = torch.autograd.grad(log_z.sum(), rules)
    assert_close(counts[1], sum(sentence.counts.child for sentence in exact))


@every_order
def test_gradient_equals_finite_differences(order):
    table, batch, given = random_problem(order, [3, 1, 2], tags=2, seed=13, factors=True)

    def by_parts(root, child, decision, *factors):
        return log_partition(root, child, decision, batch, Factors(*factors))

    factors = tensor_factors(given)
    inputs = (*tensors(table), factors.root, factors.decision, factors.arc)
    assert torch.autograd.gradcheck(by_parts, inputs)


@every_order
def test_padding_changes_nothing(order):
    table, batch, _ = random_problem(order, [2, 9], tags=3, seed=14)
    alone = tag_batch(order, batch.column[:2], np.array([0, 2]), 3)
    together = log_partition(*tensors(table), batch)
    assert together[0].item() == pytest.approx(log_partition(*tensors(table), alone).item(), rel=1e-14)


@every_order
def test_single_words_and_empty_batches_are_no_special_case(order):
    table, words, _ = random_problem(order, [1, 1], tags=2, seed=15)
    assert best_trees(*tensors(table), words)[0].tolist() == [0, 0]
    empty = tag_batch(order, np.zeros(0, int), np.array([0]), 2)
    assert log_partition(*tensors(table), empty).shape == (0,)
    assert [len(part) for part in best_trees(*tensors(table), empty)] == [0, 0]
