"""What must hold for any rules and sentences, once for every order and for both implementations."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from chart.enumeration import random_problem
from hypothesis import given, settings
from hypothesis import strategies as st
from parameters import some_now

from depinduce.chart import batched
from depinduce.chart.engine import (
    Expectations,
    best_trees,
    entropy,
    expectations,
    k_best_trees,
    log_partition,
    minimum_risk_trees,
    sample_trees,
)
from depinduce.grammar.rules import GO, STOP, Batch, Factors, Order, RuleCounts, RuleTable
from depinduce.grammar.trees import tree_log_potentials

few_examples = settings(max_examples=25)
every_order = pytest.mark.parametrize("order", list(Order))


def compiled_chart(table: RuleTable, batch: Batch, factors: Factors) -> Expectations:
    return expectations(table, batch, factors, positions=True)


def torch_chart(table: RuleTable, batch: Batch, factors: Factors) -> Expectations:
    parts = (table.root, table.child, table.decision, factors.root, factors.decision, factors.arc)
    inputs = [torch.tensor(part, requires_grad=True) for part in parts]
    log_z = batched.log_partition(*inputs[:3], batch, Factors(*inputs[3:]))
    # single words use no child rules, of which autograd must be told
    slopes = torch.autograd.grad(log_z.sum(), inputs, allow_unused=True, materialize_grads=True)
    root, child, decision, *posteriors = (part.numpy() for part in slopes)
    return Expectations(log_z.detach().numpy(), RuleCounts(root, child, decision), *posteriors)


FLAT = (0.1, 1.0)  # for entropies, which in log space take long to compile: test_precision has the peaked ones
both_charts = some_now("chart", [compiled_chart], later=[torch_chart])  # which equals the compiled one in test_charts


@st.composite
def problems(draw, sentences=6, shuffled=True, scales=(0.1, 1.0, 5.0)):
    """A function from an order to random rules, sentences and factors; flat or peaked."""
    lengths = draw(st.lists(st.integers(1, 9), min_size=1, max_size=sentences))
    tags, seed = draw(st.integers(1, 4)), draw(st.integers(0, 10_000))
    scale, moved = draw(st.sampled_from(scales)), shuffled and draw(st.booleans())

    def problem(order: Order) -> tuple[RuleTable, Batch, Factors]:
        return random_problem(order, lengths, tags, seed, scale, False, factors=True, shuffled=moved)

    return problem


def assert_close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def assert_same_counts(found: RuleCounts, expected: RuleCounts):
    assert_close(found.root, expected.root)
    assert_close(found.child, expected.child)
    assert_close(found.decision, expected.decision)


def arcs(batch: Batch, values: np.ndarray) -> list[np.ndarray]:
    """Values of arcs, sentence by sentence. [head, child, valence]"""
    parts = np.split(values, batch.arc_offsets[1:-1])
    return [part.reshape(length, length, 2) for part, length in zip(parts, batch.lengths, strict=True)]


def select(batch: Batch, factors: Factors, sentences) -> tuple[Batch, Factors]:
    """Some of the sentences, in the given order, with their factors."""
    words = np.concatenate([np.arange(*batch.offsets[s : s + 2]) for s in sentences])
    pairs = np.concatenate([np.arange(*batch.arc_offsets[s : s + 2]) for s in sentences])
    offsets = np.concatenate([[0], np.cumsum(batch.lengths[sentences])])
    parts = {name: getattr(batch, name)[words] for name in ("column", "base", "context")}
    return (
        replace(batch, offsets=offsets, root_column=batch.roots[words], **parts),
        Factors(factors.root[words], factors.decision[words], factors.arc[pairs]),
    )


def is_projective_tree(heads) -> bool:
    """One root, and every word's descendants, with itself, are neighbours."""
    covered = {word: {word} for word in range(1, len(heads) + 1)}
    for word in covered:
        above = heads[word - 1]
        for _ in heads:
            if above:
                covered[above].add(word)
                above = heads[above - 1]
        if above:  # a circle
            return False
    return list(heads).count(0) == 1 and all(max(words) - min(words) + 1 == len(words) for words in covered.values())


# ---------------------------------------------------------------- posteriors


@every_order
@both_charts
@few_examples
@given(problem=problems())
def test_every_word_has_one_head_and_every_sentence_one_root(order, chart, problem):
    table, batch, factors = problem(order)
    found = chart(table, batch, factors)
    assert all(part.min() >= 0 for part in (found.root, found.decision, found.arc, found.counts.child))
    roots = np.split(found.root, batch.offsets[1:-1])
    for root, arc in zip(roots, arcs(batch, found.arc), strict=True):
        assert_close(root.sum(), 1)
        assert_close(root + arc.sum(axis=(0, 2)), 1)
        assert_close(root.sum() + arc.sum(), len(root))
        assert not arc[np.arange(len(root)), np.arange(len(root))].any()  # nobody heads itself


@every_order
@both_charts
@few_examples
@given(problem=problems())
def test_every_side_stops_once_and_goes_once_for_every_child(order, chart, problem):
    table, batch, factors = problem(order)
    found = chart(table, batch, factors)
    assert_close(found.decision[..., STOP].sum(axis=2), 1)
    for arc, decision in zip(arcs(batch, found.arc), np.split(found.decision, batch.offsets[1:-1]), strict=True):
        sides = [np.tril(arc.transpose(2, 0, 1)).sum(axis=2), np.triu(arc.transpose(2, 0, 1)).sum(axis=2)]
        assert_close(decision[..., GO], np.array(sides).transpose(2, 0, 1))  # [head, direction, valence]


@every_order
@both_charts
@few_examples
@given(problem=problems())
def test_rule_counts_are_sums_of_position_posteriors(order, chart, problem):
    table, batch, factors = problem(order)
    found = chart(table, batch, factors)
    assert_close(found.counts.root, np.bincount(batch.roots, weights=found.root, minlength=len(table.root)))
    assert_close(found.counts.child.sum(axis=1), found.counts.decision[:, GO])
    assert_close(found.counts.decision.sum(axis=0), found.decision.sum(axis=(0, 1, 2)))
    as_child = np.concatenate([arc.sum(axis=(0, 2)) for arc in arcs(batch, found.arc)])
    by_tag = np.bincount(batch.column, weights=as_child, minlength=table.child.shape[1])
    assert_close(found.counts.child.sum(axis=0), by_tag)


# ---------------------------------------------------------------- the same problem in other words


@every_order
@both_charts
@few_examples
@given(problem=problems(), data=st.data())
def test_a_batch_is_its_sentences_one_by_one_in_any_order(order, chart, problem, data):
    table, batch, factors = problem(order)
    together = chart(table, batch, factors)
    singles = [chart(table, *select(batch, factors, [s])) for s in range(len(batch))]
    assert_same_counts(sum((one.counts for one in singles), RuleCounts.zeros_like(table)), together.counts)
    turned = data.draw(st.permutations(range(len(batch))))
    permuted = chart(table, *select(batch, factors, turned))
    assert_same_counts(permuted.counts, together.counts)
    for part in ("log_z", "root", "decision", "arc"):
        assert_close(np.concatenate([getattr(one, part) for one in singles]), getattr(together, part))
        assert_close(np.concatenate([getattr(singles[s], part) for s in turned]), getattr(permuted, part))


@every_order
@both_charts
@few_examples
@given(problem=problems(sentences=1, shuffled=False))
def test_a_mirrored_sentence_under_mirrored_rules_has_mirrored_trees(order, chart, problem):
    table, batch, factors = problem(order)
    mirrored_table = RuleTable(table.root, other_way(table.child), other_way(table.decision))
    words = np.arange(len(batch.column))[::-1]
    parts = {"column": batch.column[words], "base": batch.base[words], "context": batch.context[words]}
    mirrored_factors = Factors(
        factors.root[words],
        factors.decision[words][:, ::-1].copy(),
        factors.arc[::-1].copy(),  # head and child are both counted from the other end
    )
    found = chart(table, batch, factors)
    mirrored = chart(mirrored_table, replace(batch, **parts), mirrored_factors)
    assert_close(mirrored.log_z, found.log_z)
    assert_close(mirrored.root[::-1], found.root)
    assert_close(mirrored.decision[::-1, ::-1], found.decision)
    assert_close(mirrored.arc[::-1], found.arc)
    assert_close(other_way(mirrored.counts.child), found.counts.child)


def other_way(rows: np.ndarray) -> np.ndarray:
    """The rows of a tag grammar with LEFT for RIGHT: direction is their first axis."""
    return np.concatenate(np.split(rows, 2)[::-1])


@every_order
@both_charts
@few_examples
@given(problem=problems(), data=st.data())
def test_constant_weights_shift_log_z_and_nothing_else(order, chart, problem, data):
    # Every tree of n words has one root, n - 1 children, each after a GO, and 2 n STOPs.
    root, child, stop, go = (data.draw(st.floats(-3, 3)) for _ in range(4))
    table, batch, factors = problem(order)
    shifted = RuleTable(table.root + root, table.child + child, table.decision + np.array([stop, go]))
    before, after = chart(table, batch, factors), chart(shifted, batch, factors)
    assert_close(after.log_z - before.log_z, root + (batch.lengths - 1) * (child + go) + 2 * batch.lengths * stop)
    assert_same_counts(after.counts, before.counts)
    assert_close(after.arc, before.arc)


@every_order
@few_examples
@given(problem=problems(scales=FLAT), threads=st.integers(2, 3))
def test_threads_change_nothing(order, problem, threads):
    table, batch, factors = problem(order)
    assert np.array_equal(log_partition(table, batch, factors), log_partition(table, batch, factors, threads=threads))
    alone, shared = (expectations(table, batch, factors, positions=True, threads=t) for t in (1, threads))
    assert_same_counts(shared.counts, alone.counts)
    for part in ("log_z", "root", "decision", "arc"):
        assert np.array_equal(getattr(shared, part), getattr(alone, part))
    assert np.array_equal(entropy(table, batch, factors), entropy(table, batch, factors, threads=threads))
    for trees in (best_trees, minimum_risk_trees):
        one, several = trees(table, batch, factors), trees(table, batch, factors, threads=threads)
        assert np.array_equal(one.heads, several.heads)
        assert np.array_equal(one.log_potential, several.log_potential)
    one, several = (k_best_trees(table, batch, 4, factors, threads=t) for t in (1, threads))
    assert np.array_equal(one.heads, several.heads)


# ---------------------------------------------------------------- trees and their distribution


@every_order
@few_examples
@given(problem=problems())
def test_trees_are_projective_and_single_rooted(order, problem):
    table, batch, factors = problem(order)
    for trees in (
        best_trees(table, batch, factors),
        minimum_risk_trees(table, batch, factors),
        k_best_trees(table, batch, 4, factors),
        sample_trees(table, batch, 4, factors),
    ):
        for heads in trees.heads:
            for sentence in np.split(heads, batch.offsets[1:-1]):
                assert np.all(sentence == -1) or is_projective_tree(sentence.tolist())
        assert np.all(trees.heads[0] >= 0)


@every_order
@few_examples
@given(problem=problems())
def test_no_tree_outweighs_the_best_nor_the_best_all(order, problem):
    table, batch, factors = problem(order)
    log_z, best = log_partition(table, batch, factors), best_trees(table, batch, factors)
    ranked, drawn = k_best_trees(table, batch, 6, factors), sample_trees(table, batch, 6, factors)
    assert np.all(log_z >= best.log_potential[0] - 1e-9)
    assert_close(best.log_potential[0], tree_log_potentials(table, batch, best.heads[0], factors))
    assert_close(ranked.log_potential[0], best.log_potential[0])
    assert np.all(np.diff(np.nan_to_num(ranked.log_potential, neginf=-1e9), axis=0) <= 1e-9)
    assert np.all(drawn.log_potential <= best.log_potential + 1e-9)
    assert np.all(np.logaddexp.reduce(ranked.log_potential, axis=0) <= log_z + 1e-9)


@every_order
@few_examples
@given(problem=problems())
def test_k_best_trees_differ(order, problem):
    table, batch, factors = problem(order)
    ranked = k_best_trees(table, batch, 12, factors)
    for sentence in np.split(ranked.heads, batch.offsets[1:-1], axis=1):
        exist = sentence[sentence[:, 0] >= 0]
        assert len(exist) == min(12, number_of_trees(sentence.shape[1]))
        assert len(np.unique(exist, axis=0)) == len(exist)


@every_order
@few_examples
@given(problem=problems())
def test_no_tree_that_belongs_among_the_k_best_is_missing(order, problem):
    table, batch, factors = problem(order)
    ranked, drawn = k_best_trees(table, batch, 12, factors), sample_trees(table, batch, 20, factors)
    for s in range(len(batch)):
        words = slice(*batch.offsets[s : s + 2])
        best = {tuple(heads) for heads in ranked.heads[:, words].tolist()}
        for heads, score in zip(drawn.heads[:, words].tolist(), drawn.log_potential[:, s], strict=True):
            assert tuple(heads) in best or score <= ranked.log_potential[-1, s] + 1e-9


def number_of_trees(length: int) -> int:
    return math.comb(3 * length - 2, length - 1) // length


@every_order
@few_examples
@given(problem=problems(sentences=1, scales=FLAT))
def test_entropy_is_log_z_less_the_expected_log_potential(order, problem):
    table, batch, factors = problem(order)
    found = expectations(table, batch, factors, positions=True)
    expected = found.counts.dot(table)
    for posterior, factor in (
        (found.root, factors.root),
        (found.decision, factors.decision),
        (found.arc, factors.arc),
    ):
        expected += np.sum(posterior * factor)
    (nats,) = entropy(table, batch, factors)
    assert_close(nats, found.log_z[0] - expected)
    assert -1e-9 <= nats <= math.log(number_of_trees(batch.lengths[0])) + 1e-9


@every_order
@few_examples
@given(problem=problems(sentences=1))
def test_minimum_risk_trees_are_at_least_as_right_as_best_trees(order, problem):
    table, batch, factors = problem(order)
    found = expectations(table, batch, factors, positions=True)
    (arc,) = arcs(batch, found.arc)
    right = np.vstack([found.root, arc.sum(axis=2)])  # [head as in a tree, child]
    safest, likeliest = minimum_risk_trees(table, batch, factors), best_trees(table, batch, factors)
    words = np.arange(batch.lengths[0])
    assert_close(safest.log_potential[0, 0], right[safest.heads[0], words].sum())
    assert safest.log_potential[0, 0] >= right[likeliest.heads[0], words].sum() - 1e-9
