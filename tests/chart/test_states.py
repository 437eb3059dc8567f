"""The chart with hidden states equals the enumeration of all trees in all states, and the first-order chart without."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from chart.enumeration import random_problem
from chart.state_enumeration import enumerate_states
from parameters import some_now

from depinduce.chart.engine import expectations
from depinduce.chart.states import MANY, VALENCES, StateBatch, StateRules, state_expectations
from depinduce.grammar.rules import GO, RIGHT, STOP, Batch, Order, RuleTable

pytestmark = pytest.mark.filterwarnings("error")
SYMBOLS, STATES, ITEMS = 3, 2, 4
LENGTHS = [3, 1, 4, 2, 4]
flat_to_peaked = some_now("scale", [0.1, 20.0], later=[1.0, 5.0])


def random_rules(seed: int, states: int = STATES, scale: float = 1.0) -> StateRules:
    """Log weights, not normalised."""
    draw = np.random.default_rng(seed).normal
    context = (2, SYMBOLS, states, VALENCES)
    shapes = (SYMBOLS, states), (*context, SYMBOLS, states), (*context, 2), (ITEMS, states)
    return StateRules(*(scale * draw(size=shape) for shape in shapes))


def random_batch(seed: int, lengths: list[int] = LENGTHS) -> StateBatch:
    random = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    symbols, items = (random.integers(size, size=offsets[-1]) for size in (SYMBOLS, ITEMS))
    return StateBatch(offsets, symbols, items, np.ones(offsets[-1], dtype=bool), np.ones(len(lengths)))


def assert_same(found, expected, tolerance: float = 1e-9):
    tolerances = {"rtol": tolerance, "atol": tolerance}
    np.testing.assert_allclose(found.log_z, expected.log_z, **tolerances)
    for name, part in found.counts._asdict().items():
        np.testing.assert_allclose(part, getattr(expected.counts, name), **tolerances, err_msg=name)
    np.testing.assert_allclose(found.root, expected.root, **tolerances)
    np.testing.assert_allclose(found.arc, expected.arc, **tolerances)


# ---------------------------------------------------------------- against enumeration


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("scale", [1.0, 5.0])
def test_sums_equal_the_enumeration_of_all_trees_and_states(seed, scale):
    rules, batch = random_rules(seed, scale=scale), random_batch(seed)
    assert_same(state_expectations(rules, batch, positions=True), enumerate_states(rules, batch))


def test_third_and_later_children_have_the_last_valence():
    # four children on one side: only the word at the left end may head
    rules, batch = random_rules(3), random_batch(3, [5])
    batch = replace(batch, may_head=np.arange(5) == 0)
    found = state_expectations(rules, batch, positions=True)
    assert_same(found, enumerate_states(rules, batch))
    assert found.counts.decision[RIGHT, :, :, MANY, GO].sum() == pytest.approx(2)
    assert found.arc.reshape(5, 5)[0, 1:] == pytest.approx(np.ones(4))


def test_words_that_may_not_head_have_no_children():
    rules, batch = random_rules(4), random_batch(4)
    batch = replace(batch, may_head=batch.symbols != 0)
    batch.may_head[batch.offsets[:-1]] = True  # every sentence has a tree
    found = state_expectations(rules, batch, positions=True)
    assert_same(found, enumerate_states(rules, batch))
    free = state_expectations(rules, replace(batch, may_head=np.ones(len(batch.symbols), dtype=bool)))
    assert np.any(found.log_z < free.log_z - 0.01) and np.all(found.log_z <= free.log_z)


def test_a_sentence_counts_as_often_as_it_occurs():
    rules, batch = random_rules(5), random_batch(5)
    batch = replace(batch, weights=np.array([2.0, 7.0, 0.5, 0.0, 3.0]))
    found = state_expectations(rules, batch, positions=True)
    assert_same(found, enumerate_states(rules, batch))  # whose posteriors and log Z are of one occurrence
    assert found.counts.root.sum() == pytest.approx(12.5)
    assert found.counts.emission.sum() == pytest.approx(2 * 3 + 7 * 1 + 0.5 * 4 + 3 * 4)


def test_counts_are_the_gradient_of_log_z():
    rules, batch = random_rules(6), replace(random_batch(6, [6, 9]), weights=np.array([1.0, 2.5]))
    counts, step = state_expectations(rules, batch).counts, 1e-4
    random = np.random.default_rng(6)
    for name, count in counts._asdict().items():
        used = np.argwhere(count > 1e-3)
        for place in map(tuple, random.choice(used, size=min(12, len(used)), replace=False)):
            totals = []
            for sign in (1, -1):
                moved = getattr(rules, name).copy()
                moved[place] += sign * step
                totals.append(batch.weights @ state_expectations(rules._replace(**{name: moved}), batch).log_z)
            assert (totals[0] - totals[1]) / (2 * step) == pytest.approx(count[place], rel=1e-6), (name, place)


def test_one_word_is_the_root_and_stops():
    rules, batch = random_rules(7), random_batch(7, [1])
    (symbol,), (item,) = batch.symbols, batch.items
    alone = rules.root[symbol] + rules.emission[item] + rules.decision[:, symbol, :, 0, STOP].sum(axis=0)
    found = state_expectations(rules, batch, positions=True)
    assert found.log_z == pytest.approx(np.logaddexp(*alone))
    assert found.counts.root[symbol] == pytest.approx(np.exp(alone - np.logaddexp(*alone)))
    assert found.counts.child.sum() == found.counts.decision[..., GO].sum() == 0
    assert (found.root, found.arc) == ([1], [0])


def test_a_sentence_without_a_tree_counts_nothing_and_disturbs_nobody():
    rules, batch = random_rules(8), random_batch(8, [4, 2, 1])
    lonely = rules.decision.copy()
    lonely[..., GO] = -np.inf
    found = state_expectations(rules._replace(decision=lonely), batch, positions=True)
    alone = state_expectations(rules._replace(decision=lonely), random_batch_part(batch, 2), positions=True)
    assert np.isneginf(found.log_z).tolist() == [True, True, False]
    assert found.log_z[2] == alone.log_z[0]
    for part, expected in zip(found.counts, alone.counts, strict=True):
        assert np.array_equal(part, expected)
    assert found.root.tolist() == [0] * 6 + [1]
    assert not found.arc.any()


def random_batch_part(batch: StateBatch, sentence: int) -> StateBatch:
    """One sentence of a batch."""
    words = slice(batch.offsets[sentence], batch.offsets[sentence + 1])
    length = batch.offsets[sentence + 1] - batch.offsets[sentence]
    return StateBatch(
        np.array([0, length]), batch.symbols[words], batch.items[words], batch.may_head[words],
        batch.weights[sentence : sentence + 1],
    )  # fmt: skip


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_threads_change_nothing(threads):
    rules, batch = random_rules(9), random_batch(9, [5, 3, 8, 1, 7])
    one = state_expectations(rules, batch, positions=True)
    more = state_expectations(rules, batch, positions=True, threads=threads)
    assert_same(more, one, tolerance=1e-13)
    assert np.array_equal(more.log_z, one.log_z) and np.array_equal(more.arc, one.arc)


# ---------------------------------------------------------------- against the first-order chart


def as_states(table: RuleTable, batch: Batch, states: int = 1) -> tuple[StateRules, StateBatch]:
    """A first-order grammar as one with states that are all alike."""
    tags = len(table.root)
    child = table.child.reshape(2, tags, 1, 2, tags, 1)[:, :, :, [0, 1, 1]]
    decision = table.decision.reshape(2, tags, 1, 2, 2)[:, :, :, [0, 1, 1]]
    rules = StateRules(
        root=np.repeat(table.root[:, None], states, axis=1) - np.log(states),
        child=np.broadcast_to(child, (2, tags, states, VALENCES, tags, states)) - np.log(states),
        decision=np.repeat(decision, states, axis=2),
        emission=np.zeros((1, states)),
    )
    words = len(batch.column)
    items, may_head, weights = np.zeros(words, dtype=np.int64), np.ones(words, dtype=bool), np.ones(len(batch))
    return rules, StateBatch(batch.offsets, batch.column, items, may_head, weights)


def assert_same_as_first_order(table: RuleTable, batch: Batch, states: int = 1, tolerance: float = 1e-9):
    expected = expectations(table, batch, positions=True, space="log")
    found = state_expectations(*as_states(table, batch, states), positions=True)
    tags, tolerances = len(table.root), {"rtol": tolerance, "atol": tolerance}
    np.testing.assert_allclose(found.log_z, expected.log_z, rtol=tolerance)
    np.testing.assert_allclose(found.root, expected.root, **tolerances)
    np.testing.assert_allclose(found.arc, expected.arc.sum(axis=1), **tolerances)
    child, decision = found.counts.child.sum(axis=(2, 5)), found.counts.decision.sum(axis=2)
    child, decision = (np.stack([part[:, :, 0], part[:, :, 1:].sum(axis=2)], axis=2) for part in (child, decision))
    np.testing.assert_allclose(found.counts.root.sum(axis=1), expected.counts.root, **tolerances)
    np.testing.assert_allclose(child.reshape(-1, tags), expected.counts.child, **tolerances)
    np.testing.assert_allclose(decision.reshape(-1, 2), expected.counts.decision, **tolerances)


@flat_to_peaked
@pytest.mark.parametrize("states", [1, 2])
def test_states_that_are_alike_make_a_first_order_grammar(scale, states):
    table, batch, _ = random_problem(Order.FIRST, [1, 2, 3, 8, 20], 3, seed=10, scale=scale)
    assert_same_as_first_order(table, batch, states)


@flat_to_peaked
def test_long_sentences_equal_the_first_order_chart_in_log_space(scale):
    table, batch, _ = random_problem(Order.FIRST, [150, 40], 2, seed=11, scale=scale)
    assert_same_as_first_order(table, batch, tolerance=1e-8)


@some_now("size", [-100, -20, 60], later=[-60, 20])
def test_weights_of_any_size_equal_the_first_order_chart(size):
    table, batch, _ = random_problem(Order.FIRST, [150, 30, 12, 1, 5], 2, seed=12)
    table = RuleTable(table.root + size, table.child + size, table.decision + size)
    assert_same_as_first_order(table, batch, tolerance=1e-8)


@pytest.mark.parametrize("part", ["root", "child", "decision"])
@pytest.mark.parametrize("size", [-200, -60, 60])
def test_one_kind_of_rule_may_be_of_any_size(part, size):
    table, batch, _ = random_problem(Order.FIRST, [12, 1, 5], 2, seed=13)
    getattr(table, part)[:] += size
    assert_same_as_first_order(table, batch)


def test_very_improbable_words_are_no_impossible_ones():
    table, batch, _ = random_problem(Order.FIRST, [150, 6, 4], 2, seed=14)
    table.child[:, 0] -= 200
    assert_same_as_first_order(table, batch, tolerance=1e-8)
