"""Probabilities with rescaling and log space agree, at any length and for potentials of any size."""

import numpy as np
import pytest
from chart.enumeration import Enumerated, random_problem
from parameters import some_now

from depinduce.chart.engine import best_trees, entropy, expectations, log_partition, sample_trees
from depinduce.grammar.rules import GO, Factors, Order, RuleTable

pytestmark = pytest.mark.filterwarnings("error")
every_order = pytest.mark.parametrize("order", list(Order))
# The extremes always; what lies between them with the slow tests.
flat_to_peaked = some_now("scale", [0.1, 20.0], later=[1.0, 5.0])


def assert_close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def assert_same_expectations(found, expected):
    for part in ("root", "child", "decision"):
        assert_close(getattr(found.counts, part), getattr(expected.counts, part))
    for part in ("log_z", "root", "decision", "arc"):
        assert_close(getattr(found, part), getattr(expected, part))


def both_spaces(table, batch, factors=None):
    return [expectations(table, batch, factors, positions=True, space=space) for space in ("auto", "log")]


# ---------------------------------------------------------------- lengths


@every_order
@flat_to_peaked
@pytest.mark.parametrize("normalised", [True, False])
def test_both_spaces_agree_up_to_forty_words(order, scale, normalised):
    lengths = [1, 2, 3, 5, 10, 20, 40]
    problem = random_problem(order, lengths, 3, seed=1, scale=scale, normalised=normalised, factors=True)
    assert_same_expectations(*both_spaces(*problem))


@every_order
@flat_to_peaked
def test_both_spaces_agree_at_eighty_words(order, scale):
    assert_same_expectations(*both_spaces(*random_problem(order, [80], 2, seed=2, scale=scale)))


@every_order
@flat_to_peaked
@pytest.mark.slow
def test_both_spaces_agree_up_to_three_hundred_words(order, scale):
    assert_same_expectations(*both_spaces(*random_problem(order, [160, 300], 2, seed=3, scale=scale)))


@every_order
@pytest.mark.parametrize("scale", [0.1, 1.0])
def test_flat_rules_do_not_need_log_space(order, scale):
    # Log space rounds otherwise, so posteriors that differ in the last digits came from probabilities.
    table, batch, _ = random_problem(order, [10, 20, 40, 80], 2, seed=4, scale=scale)
    automatic, logarithmic = both_spaces(table, batch)
    differ = np.split(automatic.arc != logarithmic.arc, batch.arc_offsets[1:-1])
    assert all(arcs.mean() > 0.1 for arcs in differ)


@every_order
@flat_to_peaked
def test_long_sentences_have_long_trees(order, scale):
    table, batch, _ = random_problem(order, [150], 2, seed=5, scale=scale)
    (log_z,), best = log_partition(table, batch), best_trees(table, batch)
    assert best.log_potential[0, 0] <= log_z + 1e-9
    assert np.all(best.heads >= 0)


# ---------------------------------------------------------------- sizes


def large_and_small(order, size, seed):
    """Rules and factors whose log potentials are -size, 0 or size, and a little more to break ties."""
    table, batch, factors = random_problem(order, [3, 1, 5, 2, 4], 2, seed, normalised=False, factors=True)
    random = np.random.default_rng(seed)

    def enlarge(values):
        return values + size * random.integers(-1, 2, size=values.shape)

    table = RuleTable(enlarge(table.root), enlarge(table.child), enlarge(table.decision))
    return table, batch, Factors(enlarge(factors.root), enlarge(factors.decision), enlarge(factors.arc))


@every_order
@pytest.mark.parametrize("size", [30, 200, 600, 10_000])
@some_now("seed", [6], later=[7])
def test_potentials_of_any_size_equal_enumeration(order, size, seed):
    problem = large_and_small(order, size, seed)
    exact = [Enumerated(*problem[:2], sentence, problem[2]) for sentence in range(5)]
    for found in both_spaces(*problem):
        np.testing.assert_allclose(found.log_z, [sentence.log_z for sentence in exact], rtol=1e-12)
        # differences of numbers of this size keep fewer digits
        tolerance = {"rtol": 1e-9, "atol": 1e-13 * size + 1e-12}
        np.testing.assert_allclose(found.counts.child, sum(sentence.counts.child for sentence in exact), **tolerance)
        np.testing.assert_allclose(found.root, np.concatenate([sentence.roots for sentence in exact]), **tolerance)
    best = best_trees(*problem)
    np.testing.assert_allclose(best.log_potential[0], [sentence.scores[0] for sentence in exact], rtol=1e-12)


@every_order
@some_now("size", [-600, -40, 40, 600], later=[-200, 200])
def test_a_common_factor_of_any_size_only_shifts_log_z(order, size):
    # Every tree of n words has one root, n - 1 children, each after a GO, and 2 n STOPs.
    table, batch, _ = random_problem(order, [30, 12, 1, 5, 7], 3, seed=8)
    shifted = RuleTable(table.root + size, table.child + size, table.decision + size)
    before = expectations(table, batch)
    for space in ("auto", "log"):
        after = expectations(shifted, batch, space=space)
        assert_close(after.log_z - before.log_z, size * (1 + 2 * (batch.lengths - 1) + 2 * batch.lengths))
        assert_close(after.counts.child, before.counts.child)
        assert_close(after.counts.decision, before.counts.decision)


@every_order
@pytest.mark.parametrize("size", [-600, 600])
def test_a_sentence_that_needs_log_space_does_not_disturb_its_neighbours(order, size):
    table, batch, _ = random_problem(order, [5, 9, 4, 6, 8, 5, 3], 3, seed=9)
    plain = Factors(root=np.zeros(40), arc=np.zeros((batch.arc_offsets[-1], 2)))
    factors = Factors(root=plain.root.copy(), arc=plain.arc.copy())
    one, other = slice(5, 14), slice(*batch.arc_offsets[4:6])  # the words of sentence 1, the arcs of 4
    factors.root[one] += size
    factors.arc[other] += size
    expected = np.zeros(7)
    expected[1], expected[4] = size, 7 * size  # one root, seven arcs among eight words
    before, after = (expectations(table, batch, given, positions=True) for given in (plain, factors))
    assert_close(after.log_z - before.log_z, expected)
    for part in ("root", "child", "decision"):
        assert_close(getattr(after.counts, part), getattr(before.counts, part))
    for part in ("root", "decision", "arc"):
        assert_close(getattr(after, part), getattr(before, part))


@every_order
@pytest.mark.parametrize("part", ["root", "child", "decision"])
@some_now("size", [-600, -100, 40, 600], later=[-240, 100])
def test_one_kind_of_rule_may_be_of_any_size(order, part, size):
    table, batch, _ = random_problem(order, [5, 1, 4], 2, seed=10)
    getattr(table, part)[:] += size
    exact = [Enumerated(table, batch, sentence) for sentence in range(3)]
    found = expectations(table, batch)
    assert_close(found.log_z, [sentence.log_z for sentence in exact])
    assert_close(found.counts.root, sum(sentence.counts.root for sentence in exact))
    assert_close(found.counts.child, sum(sentence.counts.child for sentence in exact))


@every_order
@pytest.mark.parametrize("size", [-200, 50])
def test_all_that_weighs_on_one_arc_may_be_small_or_large_together(order, size):
    table, batch, factors = random_problem(order, [3, 1, 2, 4], 2, seed=12, factors=True)
    for part in (table.child, table.decision[:, GO], factors.arc, factors.decision[..., GO]):
        part += size
    exact = [Enumerated(table, batch, sentence, factors) for sentence in range(4)]
    found = expectations(table, batch, factors)
    assert_close(found.log_z, [sentence.log_z for sentence in exact])
    assert_close(found.counts.child, sum(sentence.counts.child for sentence in exact))


@every_order
def test_a_very_improbable_word_is_no_impossible_one(order):
    table, batch, _ = random_problem(order, [6, 4], 2, seed=11)
    table.child[:, 0] -= 400  # beyond the smallest double once two of them meet
    exact = [Enumerated(table, batch, sentence) for sentence in range(2)]
    found = expectations(table, batch)
    assert_close(found.log_z, [sentence.log_z for sentence in exact])
    assert_close(found.counts.child, sum(sentence.counts.child for sentence in exact))


# ---------------------------------------------------------------- entropies and samples: long to compile


@every_order
@flat_to_peaked
@pytest.mark.parametrize("normalised", [True, False])
@pytest.mark.slow
def test_entropies_of_both_spaces_agree_up_to_forty_words(order, scale, normalised):
    lengths = [1, 2, 3, 5, 10, 20, 40]
    problem = random_problem(order, lengths, 3, seed=1, scale=scale, normalised=normalised, factors=True)
    assert_close(entropy(*problem), entropy(*problem, space="log"))


@every_order
@flat_to_peaked
@pytest.mark.slow
def test_samples_of_long_sentences_do_not_outweigh_the_best_trees(order, scale):
    table, batch, _ = random_problem(order, [150], 2, seed=5, scale=scale)
    drawn = sample_trees(table, batch, 2)
    assert np.all(drawn.log_potential <= best_trees(table, batch).log_potential + 1e-9)
    assert np.all(drawn.heads >= 0)


@every_order
@pytest.mark.parametrize("size", [30, 200, 600, 10_000])
@pytest.mark.parametrize("seed", [6, 7])
@pytest.mark.slow
def test_entropies_of_potentials_of_any_size_equal_enumeration(order, size, seed):
    problem = large_and_small(order, size, seed)
    exact = [Enumerated(*problem[:2], sentence, problem[2]) for sentence in range(5)]
    for space in ("auto", "log"):
        np.testing.assert_allclose(entropy(*problem, space=space), [sentence.entropy for sentence in exact], atol=1e-9)


@every_order
@pytest.mark.parametrize("part", ["root", "child", "decision"])
@pytest.mark.parametrize("size", [-600, -240, -100, 40, 100, 600])
@pytest.mark.slow
def test_one_kind_of_rule_of_any_size_leaves_entropies_and_samples(order, part, size):
    table, batch, _ = random_problem(order, [5, 1, 4], 2, seed=10)
    getattr(table, part)[:] += size
    exact = [Enumerated(table, batch, sentence) for sentence in range(3)]
    assert_close(entropy(table, batch), [sentence.entropy for sentence in exact])
    assert np.all(sample_trees(table, batch, 2).heads >= 0)
