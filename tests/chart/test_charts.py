"""The compiled charts equal the enumeration of all trees, in everything they can be asked for."""

import math
from functools import cache

import numpy as np
import pytest
import torch
from chart.enumeration import Enumerated, projective_trees, random_problem
from parameters import some_now

from depinduce.chart import batched
from depinduce.chart.engine import (
    Trees,
    best_trees,
    entropy,
    expectations,
    k_best_trees,
    log_partition,
    minimum_risk_trees,
    sample_trees,
)
from depinduce.grammar.constraints import forbid_heads
from depinduce.grammar.rules import Factors, Order, RuleCounts, RuleTable, tag_batch
from depinduce.grammar.trees import tree_log_potentials

# Charts take four sentences at a time: two full groups and one with empty lanes, most of them padded.
LENGTHS = [3, 1, 5, 2, 4, 1, 5, 3, 2]

every_order = pytest.mark.parametrize("order", list(Order))
both_spaces = pytest.mark.parametrize("space", ["auto", "log"])
# For what has passes of its own in log space: to compile them takes longer than all these tests.
log_space_later = some_now("space", ["auto"], later=["log"])
with_and_without_factors = pytest.mark.parametrize("factors", [False, True])
plain_and_shuffled = pytest.mark.parametrize("shuffled", [False, True])


@cache
def mixed_lengths(order, factors=False, shuffled=False):
    """A batch of sentences of 1 to 5 words under random rules, and the trees of each."""
    problem = random_problem(order, LENGTHS, 3, seed=1, normalised=False, factors=factors, shuffled=shuffled)
    return problem, enumerate_all(*problem)


def enumerate_all(table, batch, factors=None):
    return [Enumerated(table, batch, sentence, factors) for sentence in range(len(batch))]


def assert_close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def assert_same_counts(found: RuleCounts, expected: RuleCounts):
    assert_close(found.root, expected.root)
    assert_close(found.child, expected.child)
    assert_close(found.decision, expected.decision)


def total_counts(exact):
    return sum((sentence.counts for sentence in exact[1:]), exact[0].counts)


def by_sentence(batch, heads):
    """The heads of each sentence as enumeration writes them."""
    return [tuple(part.tolist()) for part in np.split(heads, batch.offsets[1:-1])]


def score_of(exact: Enumerated, tree):
    return exact.scores[exact.trees.index(tree)]


# ---------------------------------------------------------------- sums over trees


@every_order
@both_spaces
@with_and_without_factors
@plain_and_shuffled
def test_log_partition_equals_enumeration(order, space, factors, shuffled):
    problem, exact = mixed_lengths(order, factors, shuffled)
    assert_close(log_partition(*problem, space=space), [sentence.log_z for sentence in exact])


@every_order
@both_spaces
@with_and_without_factors
@plain_and_shuffled
def test_expected_counts_equal_enumeration(order, space, factors, shuffled):
    problem, exact = mixed_lengths(order, factors, shuffled)
    found = expectations(*problem, space=space)
    assert_close(found.log_z, [sentence.log_z for sentence in exact])
    assert_same_counts(found.counts, total_counts(exact))
    assert len(found.root) == len(found.decision) == len(found.arc) == 0  # nobody asked for positions


@every_order
@both_spaces
@with_and_without_factors
@plain_and_shuffled
def test_position_posteriors_equal_enumeration(order, space, factors, shuffled):
    problem, exact = mixed_lengths(order, factors, shuffled)
    found = expectations(*problem, positions=True, space=space)
    assert_same_counts(found.counts, total_counts(exact))
    assert_close(found.root, np.concatenate([sentence.roots for sentence in exact]))
    assert_close(found.decision, np.concatenate([sentence.decisions for sentence in exact]))
    assert_close(found.arc, np.concatenate([sentence.arcs_by_valence.reshape(-1, 2) for sentence in exact]))


@every_order
@both_spaces
def test_six_words_equal_enumeration(order, space):
    table, batch, factors = random_problem(order, [6, 2], 2, seed=2, factors=True, shuffled=True)
    exact = enumerate_all(table, batch, factors)
    found = expectations(table, batch, factors, positions=True, space=space)
    assert_close(found.log_z, [sentence.log_z for sentence in exact])
    assert_same_counts(found.counts, total_counts(exact))
    assert_close(found.arc, np.concatenate([sentence.arcs_by_valence.reshape(-1, 2) for sentence in exact]))


@every_order
@log_space_later
@with_and_without_factors
def test_entropy_equals_enumeration(order, space, factors):
    problem, exact = mixed_lengths(order, factors, shuffled=True)
    assert_close(entropy(*problem, space=space), [sentence.entropy for sentence in exact])


@every_order
@log_space_later
def test_all_ones_count_the_projective_trees(order, space):
    lengths = [*range(1, 31), 60]
    table, batch, _ = random_problem(order, lengths, tags=3, seed=3)
    flat = RuleTable(np.zeros(3), np.zeros(table.child.shape), np.zeros(table.decision.shape))
    trees = [math.comb(3 * n - 2, n - 1) // n for n in lengths]
    assert trees[:7] == [*(len(projective_trees(n)) for n in range(1, 7)), 3876]
    log_trees = [math.log(number) for number in trees]
    assert_close(log_partition(flat, batch, space=space), log_trees)
    assert_close(entropy(flat, batch, space=space), log_trees)


@every_order
@both_spaces
def test_counts_equal_finite_differences(order, space):
    table, batch, factors = random_problem(order, [7, 12, 9], tags=2, seed=4, factors=True)
    found = expectations(table, batch, factors, positions=True, space=space)
    inputs = [table.root, table.child, table.decision, factors.root, factors.decision, factors.arc]
    counts = found.counts
    outputs = [counts.root, counts.child, counts.decision, found.root, found.decision, found.arc]
    random, step = np.random.default_rng(5), 1e-4
    for values, slopes in zip(inputs, outputs, strict=True):
        for place in random.permutation(values.size)[:12]:
            kept = values.flat[place]
            values.flat[place] = kept + step
            above = log_partition(table, batch, factors, space=space).sum()
            values.flat[place] = kept - step
            below = log_partition(table, batch, factors, space=space).sum()
            values.flat[place] = kept
            assert slopes.flat[place] == pytest.approx((above - below) / (2 * step), abs=1e-6)


# ---------------------------------------------------------------- single trees


@every_order
@with_and_without_factors
@plain_and_shuffled
def test_best_trees_equal_enumeration(order, factors, shuffled):
    (table, batch, given), exact = mixed_lengths(order, factors, shuffled)
    found = best_trees(table, batch, given)
    assert_close(found.log_potential, [[sentence.scores[0] for sentence in exact]])
    for tree, sentence in zip(by_sentence(batch, found.heads[0]), exact, strict=True):
        assert score_of(sentence, tree) == pytest.approx(sentence.scores[0])


@every_order
@with_and_without_factors
@plain_and_shuffled
def test_k_best_trees_are_the_first_k_of_all(order, factors, shuffled):
    (table, batch, given), exact = mixed_lengths(order, factors, shuffled)
    found = k_best_trees(table, batch, 10, given)
    for s, sentence in enumerate(exact):
        number = min(10, len(sentence.trees))
        assert_close(found.log_potential[:number, s], sentence.scores[:number])
        trees = [by_sentence(batch, heads)[s] for heads in found.heads[:number]]
        assert_close([score_of(sentence, tree) for tree in trees], sentence.scores[:number])
        assert len(set(trees)) == number


@every_order
@with_and_without_factors
def test_more_than_all_trees_are_all_trees_and_then_none(order, factors):
    (table, batch, given), exact = mixed_lengths(order, factors, shuffled=True)
    k = 150  # five words have 143 trees
    found = k_best_trees(table, batch, k, given)
    for s, sentence in enumerate(exact):
        number = len(sentence.trees)
        trees = [by_sentence(batch, heads)[s] for heads in found.heads]
        assert set(trees[:number]) == set(sentence.trees)
        assert trees[number:] == [(-1,) * sentence.length] * (k - number)
        assert_close(found.log_potential[:number, s], sentence.scores)
        assert np.all(np.isneginf(found.log_potential[number:, s]))


@every_order
@with_and_without_factors
def test_minimum_risk_trees_have_the_most_heads_right_in_expectation(order, factors):
    (table, batch, given), exact = mixed_lengths(order, factors, shuffled=True)
    found = minimum_risk_trees(table, batch, given)
    for s, sentence in enumerate(exact):
        right = np.vstack([sentence.roots, sentence.arcs])  # [head as in a tree, child]
        expected = {tree: right[tree, np.arange(len(tree))].sum() for tree in sentence.trees}
        assert expected[by_sentence(batch, found.heads[0])[s]] == pytest.approx(max(expected.values()))
        assert found.log_potential[0, s] == pytest.approx(max(expected.values()))


@every_order
def test_among_equal_trees_one_is_chosen_whole(order):
    table, batch, _ = random_problem(order, LENGTHS, tags=2, seed=6)
    flat = RuleTable(np.zeros(2), np.zeros(table.child.shape), np.zeros(table.decision.shape))
    for found in (best_trees(flat, batch), minimum_risk_trees(flat, batch)):
        trees = by_sentence(batch, found.heads[0])
        assert all(tree in projective_trees(len(tree)) for tree in trees)


@every_order
@log_space_later
def test_samples_come_as_often_as_they_are_probable(order, space):
    tags = np.tile([0, 1, 2, 1], 200)  # the same sentence 200 times, 100 samples of each
    table, *_ = random_problem(order, [4], tags=3, seed=7)
    batch = tag_batch(order, tags, np.arange(0, 801, 4), 3)
    found = sample_trees(table, batch, 100, seed=8, space=space)
    exact = Enumerated(table, batch)
    drawn = [tree for heads in found.heads for tree in by_sentence(batch, heads)]
    often = np.array([drawn.count(tree) for tree in exact.trees]) / len(drawn)
    standard_error = np.sqrt(exact.probabilities * (1 - exact.probabilities) / len(drawn))
    assert often.sum() == pytest.approx(1)
    assert np.all(np.abs(often - exact.probabilities) <= 5 * standard_error)
    assert_close(found.log_potential.ravel(), [score_of(exact, tree) for tree in drawn])


@every_order
@log_space_later
def test_arcs_of_samples_match_the_posteriors_of_long_sentences(order, space):
    table, batch, factors = random_problem(order, [11] * 4, tags=3, seed=9, factors=True)
    found = sample_trees(table, batch, 1000, factors, seed=10, space=space)
    expected = expectations(table, batch, factors, positions=True)
    right = np.concatenate([expected.root.reshape(4, 1, 11), expected.arc.sum(axis=1).reshape(4, 11, 11)], 1)
    heads = found.heads.reshape(1000, 4, 1, 11)
    often = (heads == np.arange(12)[:, None]).mean(axis=0)  # [sentence, head, child]
    rare = 3 / 1000  # an arc that is hardly ever drawn may be drawn thrice
    assert np.all(np.abs(often - right) <= 5 * np.sqrt(right * (1 - right) / 1000) + rare)


@every_order
def test_the_same_seed_gives_the_same_samples_on_any_number_of_threads(order):
    table, batch, factors = random_problem(order, LENGTHS * 3, tags=3, seed=11, factors=True)
    alone = sample_trees(table, batch, 5, factors, seed=12)
    for threads in (1, 2, 3):
        again = sample_trees(table, batch, 5, factors, seed=12, threads=threads)
        assert np.array_equal(alone.heads, again.heads)
    other = sample_trees(table, batch, 5, factors, seed=13)
    assert not np.array_equal(alone.heads, other.heads)


def test_a_sentence_with_a_seed_of_its_own_has_the_same_samples_in_any_batch():
    table, batch, _ = random_problem(Order.FIRST, [5, 6, 7], tags=3, seed=11)
    seeds = np.array([7, 8, 9])
    together = by_sentence(batch, sample_trees(table, batch, 5, seed=seeds).heads.T)
    for number, (start, end) in enumerate(zip(batch.offsets, batch.offsets[1:], strict=False)):
        tags = batch.column[start:end]
        one = tag_batch(Order.FIRST, tags, np.array([0, len(tags)]), 3)
        assert sample_trees(table, one, 5, seed=seeds[number : number + 1]).heads.T.tolist() == list(together[number])
    with pytest.raises(ValueError, match="seeds for 3 sentences"):
        sample_trees(table, batch, 5, seed=seeds[:2])


# ---------------------------------------------------------------- the same numbers by other ways


@every_order
@with_and_without_factors
def test_torch_and_compiled_charts_agree(order, factors):
    lengths = [12, 1, 9, 6, 11, 2]
    table, batch, given = random_problem(order, lengths, 4, seed=14, scale=2, factors=factors, shuffled=True)
    found = expectations(table, batch, given, positions=True)
    rules = [torch.tensor(part, requires_grad=True) for part in (table.root, table.child, table.decision)]
    given = given or Factors(np.zeros(41), np.zeros((41, 2, 2, 2)), np.zeros((batch.arc_offsets[-1], 2)))
    wanted = [torch.tensor(part, requires_grad=True) for part in (given.root, given.decision, given.arc)]
    log_z = batched.log_partition(*rules, batch, Factors(*wanted))
    np.testing.assert_allclose(found.log_z, log_z.detach(), rtol=1e-6)
    gradients = torch.autograd.grad(log_z.sum(), (*rules, *wanted))
    counts = found.counts
    ours = [counts.root, counts.child, counts.decision, found.root, found.decision, found.arc]
    for part, gradient in zip(ours, gradients, strict=True):
        np.testing.assert_allclose(part, gradient, rtol=1e-6, atol=1e-6)
    trees, (heads, scores) = best_trees(table, batch, given), batched.best_trees(*rules, batch, given)
    np.testing.assert_allclose(trees.log_potential[0], scores, rtol=1e-6)
    for best in (trees.heads[0], heads):  # among equal trees each may choose its own
        np.testing.assert_allclose(tree_log_potentials(table, batch, best, given), scores, rtol=1e-6)


@pytest.mark.parametrize("order", [Order.SIBLING, Order.GRANDPARENT])
@with_and_without_factors
def test_a_first_order_grammar_may_be_written_as_a_second_order_one(order, factors):
    tags, lengths = 3, [8, 1, 5, 10, 3]
    first, batch, given = random_problem(Order.FIRST, lengths, tags, seed=15, scale=2, factors=factors)

    def written_in(values):  # [direction, head, valence, …]
        values = values.reshape(2, tags, 2, -1)
        if order is Order.GRANDPARENT:
            return np.repeat(values[:, :, None], tags + 1, axis=2)
        return values[:, :, [1] * tags + [0]]  # after any sibling HAS, after none NO

    second = RuleTable.of_tags(first.root, written_in(first.child), written_in(first.decision))
    second_batch = tag_batch(order, batch.column, batch.offsets, tags)
    ours, theirs = (
        expectations(table, sentences, given, positions=True)
        for table, sentences in ((first, batch), (second, second_batch))
    )
    for part in ("log_z", "root", "decision", "arc"):
        assert_close(getattr(ours, part), getattr(theirs, part))
    trees, second_trees = best_trees(first, batch, given), best_trees(second, second_batch, given)
    assert_close(trees.log_potential, second_trees.log_potential)
    assert np.array_equal(trees.heads, second_trees.heads)


# ---------------------------------------------------------------- impossible rules and trees


def assert_no_nan(*results):
    for result in results:
        parts = [result.log_potential] if isinstance(result, Trees) else vars(result).values()
        for part in parts:
            if isinstance(part, RuleCounts):
                assert_no_nan(part)
            else:
                assert not np.isnan(part).any()


@every_order
@log_space_later
def test_forbidden_heads_leave_no_trace_of_nan(order, space):
    table, batch, _ = random_problem(order, LENGTHS, tags=3, seed=16, shuffled=True)
    allowed = np.random.default_rng(17).random(len(batch.column)) < 0.5
    allowed[batch.offsets[:-1]] = True
    factors = forbid_heads(batch, allowed)
    exact = enumerate_all(table, batch, factors)
    found = expectations(table, batch, factors, positions=True, space=space)
    assert_close(found.log_z, [sentence.log_z for sentence in exact])
    assert_same_counts(found.counts, total_counts(exact))
    assert_close(found.decision, np.concatenate([sentence.decisions for sentence in exact]))
    assert_close(entropy(table, batch, factors, space=space), [sentence.entropy for sentence in exact])
    sampled = sample_trees(table, batch, 3, factors, seed=18, space=space)
    many, best = k_best_trees(table, batch, 200, factors), best_trees(table, batch, factors)
    assert_no_nan(found, sampled, many, best, minimum_risk_trees(table, batch, factors))
    for s, sentence in enumerate(exact):
        possible = sentence.scores > -np.inf
        assert_close(many.log_potential[: possible.sum(), s], sentence.scores[possible])
        assert np.all(many.heads[possible.sum() :, batch.offsets[s]] == -1)
        assert all(score_of(sentence, by_sentence(batch, heads)[s]) > -np.inf for heads in sampled.heads)


@every_order
@both_spaces
def test_impossible_rules_have_no_counts(order, space):
    table, batch, _ = random_problem(order, LENGTHS, tags=3, seed=19)
    table.child[::3, 1] = -np.inf
    table.decision[1::4, 1] = -np.inf
    table.root[batch.roots[3]] = -np.inf  # the one word of the second sentence
    exact = enumerate_all(table, batch)
    assert 0 < np.isinf([sentence.log_z for sentence in exact]).sum() < len(exact)
    found = expectations(table, batch, positions=True, space=space)
    assert_close(found.log_z, [sentence.log_z for sentence in exact])
    assert_same_counts(found.counts, total_counts(exact))
    assert_close(found.arc, np.concatenate([sentence.arcs_by_valence.reshape(-1, 2) for sentence in exact]))


@every_order
@log_space_later
def test_a_sentence_without_a_tree_does_not_disturb_its_neighbours(order, space):
    table, batch, _ = random_problem(order, [4, 3, 5, 4], tags=3, seed=20)
    factors = forbid_heads(batch, ~np.isin(np.arange(16), [4, 5, 6]))  # nobody heads anything in 4..7
    exact = enumerate_all(table, batch, factors)
    found = expectations(table, batch, factors, positions=True, space=space)
    assert np.isneginf(found.log_z).tolist() == [False, True, False, False]
    assert_close(found.log_z, [sentence.log_z for sentence in exact])
    assert_same_counts(found.counts, total_counts(exact))
    assert_close(found.root, np.concatenate([sentence.roots for sentence in exact]))
    assert_close(found.arc, np.concatenate([sentence.arcs_by_valence.reshape(-1, 2) for sentence in exact]))
    assert not found.decision[4:7].any()

    for trees in (
        best_trees(table, batch, factors),
        k_best_trees(table, batch, 2, factors),
        sample_trees(table, batch, 2, factors, seed=21, space=space),
        minimum_risk_trees(table, batch, factors),
    ):
        assert np.all(trees.heads[:, 4:7] == -1)
        assert np.all(np.isneginf(trees.log_potential[:, 1]))
        assert np.all(np.delete(trees.heads, [4, 5, 6], axis=1) >= 0)
    entropies = entropy(table, batch, factors, space=space)
    assert_close(entropies, [sentence.entropy for sentence in exact])


@every_order
@both_spaces
def test_without_any_tree_nothing_is_counted(order, space):
    table, batch, _ = random_problem(order, [3, 2], tags=2, seed=22)
    found = expectations(table, batch, forbid_heads(batch, np.zeros(5, bool)), positions=True, space=space)
    assert np.all(np.isneginf(found.log_z))
    parts = (found.counts.root, found.counts.child, found.counts.decision)
    assert not any(part.any() for part in (*parts, found.root, found.decision, found.arc))


# ---------------------------------------------------------------- no special cases


@every_order
@log_space_later
def test_a_single_word_is_the_root_and_stops_twice(order, space):
    table, batch, _ = random_problem(order, [1], tags=2, seed=23)
    found = expectations(table, batch, positions=True, space=space)
    assert found.log_z[0] == pytest.approx(Enumerated(table, batch).log_z)
    assert found.root.tolist() == pytest.approx([1])
    assert (found.counts.child.sum(), found.counts.decision.sum()) == pytest.approx((0, 2))
    assert entropy(table, batch, space=space).tolist() == pytest.approx([0], abs=1e-12)
    assert k_best_trees(table, batch, 2).heads.tolist() == [[0], [-1]]
    assert best_trees(table, batch).heads.tolist() == minimum_risk_trees(table, batch).heads.tolist() == [[0]]


@every_order
@both_spaces
def test_an_empty_batch_gives_empty_arrays_and_zero_counts(order, space):
    table, *_ = random_problem(order, [1], tags=2, seed=24)
    batch = tag_batch(order, np.zeros(0, int), np.array([0]), 2)
    found = expectations(table, batch, positions=True, space=space)
    assert found.log_z.shape == found.root.shape == log_partition(table, batch, space=space).shape == (0,)
    assert_same_counts(found.counts, RuleCounts.zeros_like(table))
    assert entropy(table, batch, space=space).shape == (0,)
    assert best_trees(table, batch).heads.shape == minimum_risk_trees(table, batch).heads.shape == (1, 0)
    assert k_best_trees(table, batch, 3).heads.shape == (3, 0)
    assert sample_trees(table, batch, 3, space=space).heads.shape == (3, 0)
