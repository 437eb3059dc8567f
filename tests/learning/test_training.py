"""EM: it never loses, it stops in time, and what it watches is what it says."""

from __future__ import annotations

import numpy as np
import pytest
from learning.tagged import random_sentences, random_table, tagged

from depinduce.chart.engine import best_trees, log_partition
from depinduce.corpus import Corpus
from depinduce.errors import DepinduceError
from depinduce.grammar.constraints import forbid_heads, may_head
from depinduce.grammar.multinomials import Multinomials, random_counts, uniform_counts
from depinduce.grammar.rules import HAS, LEFT, NO, RIGHT, Order, RuleCounts, RuleTable, tag_batch
from depinduce.learning.em import CountSteps, Data, LikelihoodFell, Outcome, Step, alternate

TAGS = 4


def data_of(corpus: Corpus, order: Order, constrained: bool = False) -> Data:
    batch = tag_batch(order, corpus.tags, corpus.offsets, TAGS)
    if not constrained:
        return Data(batch)
    first_tag_only = np.arange(TAGS) == 0
    return Data(batch, forbid_heads(batch, may_head(corpus.tags, corpus.offsets, first_tag_only)))


def maximise(
    start: RuleTable, family: Multinomials, train: Data, dev: Data | None = None, *, kind="soft", threads=1, **options
) -> Outcome[RuleTable]:
    """EM of a count model."""
    steps = CountSteps(family, train, dev, kind, threads)
    return alternate(steps, start, **{"iterations": 50, "patience": 3, **options})


@pytest.mark.filterwarnings("error::depinduce.learning.em.LikelihoodFell")
@pytest.mark.parametrize("order", list(Order))
@pytest.mark.parametrize("kind", ["soft", "hard"])
@pytest.mark.parametrize("child_valence", [True, False])
@pytest.mark.parametrize("strength", [0.0, 20.0])
@pytest.mark.parametrize("constrained", [False, True])
def test_em_never_lowers_its_objective(order, kind, child_valence, strength, constrained):
    for seed in range(4):
        family = Multinomials.smoothed(order, TAGS, 0.1, child_valence)
        if strength:
            family = family.around(random_table(Order.FIRST, TAGS, seed), strength)
        data = data_of(tagged(*random_sentences(seed)), order, constrained)
        steps: list[Step] = []
        start = family.estimate(random_counts(order, TAGS, seed))
        outcome = maximise(start, family, data, kind=kind, iterations=12, report=steps.append)

        objectives = [step.objective for step in steps] + [objective(outcome.parameters, family, data, kind)]
        assert np.all(np.diff(objectives) >= -1e-9 * np.abs(objectives[:-1]))
        assert objectives[-1] > objectives[0] + 1e-3  # and it does rise


def objective(table: RuleTable, family: Multinomials, data: Data, kind: str) -> float:
    """What EM maximises, put together here once more."""
    if kind == "soft":
        log_likelihood = log_partition(table, data.batch, data.factors).sum()
    else:
        log_likelihood = best_trees(table, data.batch, data.factors).log_potential.sum()
    pairs = [
        (family.pseudo.root, table.root),
        (family.pseudo.child, table.child),
        (family.pseudo.decision, table.decision),
    ]
    return log_likelihood + sum((pseudo * values).sum() for pseudo, values in pairs)


@pytest.mark.parametrize("kind", ["soft", "hard"])
def test_each_step_reports_the_table_it_began_with(kind):
    corpus, family = tagged(*random_sentences(1)), Multinomials.smoothed(Order.SIBLING, TAGS, 0.1)
    data, held_out = data_of(corpus, Order.SIBLING), data_of(tagged(*random_sentences(2)), Order.SIBLING)
    table, steps = random_table(Order.SIBLING, TAGS, seed=1), []
    for iteration in (1, 2, 3):
        before, one_step = table, {"kind": kind, "iterations": iteration, "done": iteration - 1}
        maximise(before, family, data, held_out, report=steps.append, **one_step)
        table = maximise(before, family, data, **one_step).parameters
        expected = objective(before, family, data, kind)
        assert steps[-1].objective == pytest.approx(expected, rel=1e-12)
        assert steps[-1].train * len(corpus) == pytest.approx(expected - family.log_prior(before), rel=1e-9)
        assert steps[-1].dev == pytest.approx(log_partition(table, held_out.batch).mean(), rel=1e-12)
    assert [step.iteration for step in steps] == [1, 2, 3]


def test_one_iteration_by_hand():
    # "A B" has two trees, A -> B and B -> A, equally probable under equal rules.
    start = Multinomials.smoothed(Order.FIRST, 2, 0.0).estimate(uniform_counts(Order.FIRST, 2))
    data = Data(tag_batch(Order.FIRST, np.array([0, 1]), np.array([0, 2]), 2))
    table = maximise(start, Multinomials.smoothed(Order.FIRST, 2, 0.0), data, iterations=1).parameters
    child, decision = np.exp(table.child).reshape(2, 2, 2, 2), np.exp(table.decision).reshape(2, 2, 2, 2)
    a, b = 0, 1
    assert np.exp(table.root) == pytest.approx([0.5, 0.5])
    assert child[RIGHT, a, NO] == pytest.approx([0, 1])
    assert child[LEFT, b, NO] == pytest.approx([1, 0])
    for head, inward, outward in ((a, RIGHT, LEFT), (b, LEFT, RIGHT)):
        assert decision[inward, head, NO] == pytest.approx([0.5, 0.5])  # STOP, GO
        assert decision[inward, head, HAS] == pytest.approx([1, 0])
        assert decision[outward, head, NO] == pytest.approx([1, 0])


def test_a_wrong_m_step_is_noticed():
    class Forgetful(Multinomials):
        """Makes a grammar that has nothing to do with the counts, another one each time."""

        def estimate(self, counts: RuleCounts) -> RuleTable:
            return random_table(self.order, self.tags, seed=int(counts.root[0] * 1e9))

    family = Forgetful.smoothed(Order.FIRST, TAGS, 0.1)
    with pytest.warns(LikelihoodFell, match="fell from .* to .* in iteration"):
        maximise(random_table(Order.FIRST, TAGS, 0), family, data_of(tagged(*random_sentences(1)), Order.FIRST))


def run(seed: int, **options) -> tuple[RuleTable, int, list[float]]:
    """EM with held-out sentences: the table, its iteration, and the held-out likelihood after each iteration."""
    family = Multinomials.smoothed(Order.FIRST, TAGS, 0.1)
    train = data_of(tagged(*random_sentences(seed)), Order.FIRST)
    held_out = data_of(tagged(*random_sentences(seed + 100)), Order.FIRST)
    curve: list[float] = []
    start = random_table(Order.FIRST, TAGS, seed)
    outcome = maximise(start, family, train, held_out, report=lambda step: curve.append(step.dev), **options)
    assert outcome.finished
    return outcome.parameters, outcome.iteration, curve


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("patience", [1, 3])
def test_early_stopping_waits_for_its_patience_and_gives_the_best_table(seed, patience):
    _, _, whole = run(seed, iterations=30, patience=30)
    table, iteration, curve = run(seed, iterations=30, patience=patience)
    assert curve == whole[: len(curve)]
    assert iteration == np.argmax(curve) + 1
    assert len(curve) in (iteration + patience, 30)
    family, train = Multinomials.smoothed(Order.FIRST, TAGS, 0.1), data_of(tagged(*random_sentences(seed)), Order.FIRST)
    plain = maximise(random_table(Order.FIRST, TAGS, seed), family, train, iterations=iteration)
    assert np.array_equal(table.child, plain.parameters.child)


def test_these_seeds_stop_at_once_later_and_never():
    iterations = [run(seed, iterations=30, patience=1)[1] for seed in range(8)]
    assert 1 in iterations
    assert any(1 < iteration < 29 for iteration in iterations)


def test_a_held_out_likelihood_of_zero_is_a_likelihood():
    # One tag, one word: the rules are certain after one iteration, and log 1 cannot be beaten.
    data = Data(tag_batch(Order.FIRST, np.array([0]), np.array([0, 1]), 1))
    family, steps = Multinomials.smoothed(Order.FIRST, 1, 0.0), []
    outcome = maximise(
        random_table(Order.FIRST, 1, 0), family, data, data, iterations=20, patience=2, report=steps.append
    )
    assert [step.dev for step in steps] == [0, 0, 0]
    assert outcome.iteration == 1


def test_two_threads_learn_what_one_does():
    data = data_of(tagged(*random_sentences(1, count=60)), Order.SIBLING)
    family = Multinomials.smoothed(Order.SIBLING, TAGS, 0.1)
    start = random_table(Order.SIBLING, TAGS, 3)
    one, two = (maximise(start, family, data, iterations=5, threads=threads).parameters for threads in (1, 2))
    assert one.child == pytest.approx(two.child, rel=1e-9)


def test_held_out_sentences_of_probability_zero_are_refused():
    train, dev = (
        Data(tag_batch(Order.FIRST, np.array(tags), np.array([0, len(tags)]), 2)) for tags in ([0, 1], [1, 1])
    )
    family = Multinomials.smoothed(Order.FIRST, 2, smoothing=0.0)
    start = Multinomials.smoothed(Order.FIRST, 2, smoothing=1.0).estimate(uniform_counts(Order.FIRST, 2))
    with pytest.raises(DepinduceError, match="1 held-out sentences have probability 0"):
        maximise(start, family, train, dev)
