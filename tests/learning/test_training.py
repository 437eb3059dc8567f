"""The loop: it never loses what it should not, it stops in time, and what it keeps and reports is what it says."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
import torch
from learning.tagged import random_sentences, random_table, tagged
from learning.trainings import (
    CHAINS,
    CORPUS,
    HELD_OUT,
    KINDS,
    TAGS,
    count_training,
    learner_of,
    likelihood,
    network_training,
    rounds_of,
    same_table,
    same_weights,
    table_kept,
    table_now,
)

from depinduce.chart.engine import best_trees, log_partition
from depinduce.corpus import Corpus
from depinduce.errors import DepinduceError
from depinduce.grammar.multinomials import Multinomials, random_counts, uniform_counts
from depinduce.grammar.rules import HAS, LEFT, NO, RIGHT, Order, RuleCounts, RuleTable
from depinduce.learning.minibatches import Data, Minibatches
from depinduce.learning.training import Diverged, LikelihoodFell, Round, Training

MODELS = {Order.FIRST: "dmv", Order.SIBLING: "dmv-sibling", Order.GRANDPARENT: "dmv-grand"}
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)

# ---------------------------------------------------------------- EM of count models


@pytest.mark.filterwarnings("error::depinduce.learning.training.LikelihoodFell")
@pytest.mark.parametrize("order", list(Order))
@pytest.mark.parametrize("em", ["soft", "hard"])
@pytest.mark.parametrize("child_valence", [True, False])
@pytest.mark.parametrize("strength", [0.0, 20.0])
@pytest.mark.parametrize("constrained", [False, True])
def test_em_never_lowers_its_objective(order, em, child_valence, strength, constrained):
    for seed in range(4):
        family = Multinomials.smoothed(order, TAGS, 0.1, child_valence)
        if strength:
            family = family.around(random_table(Order.FIRST, TAGS, seed), strength)
        corpus = tagged(*random_sentences(seed))
        non_heads = (corpus.tag_vocabulary[0],) if constrained else ()
        start = family.estimate(random_counts(order, TAGS, seed))
        settings = {"model": MODELS[order], "em": em, "non_heads": non_heads, "iterations": 12}
        training = count_training(corpus, table=start, family=family, **settings)
        objectives = [one.objective for one in rounds_of(training)]
        data = Minibatches(order, corpus, non_heads).all()
        objectives.append(objective(table_now(training), family, data, em))
        assert np.all(np.diff(objectives) >= -1e-9 * np.abs(objectives[:-1]))
        assert objectives[-1] > objectives[0] + 1e-3  # and it does rise


def objective(table: RuleTable, family: Multinomials, data: Data, em: str) -> float:
    """What EM maximises, put together here once more."""
    if em == "soft":
        log_likelihood = log_partition(table, data.batch, data.factors).sum()
    else:
        log_likelihood = best_trees(table, data.batch, data.factors).log_potential.sum()
    pairs = zip(family.pseudo.parts, table.parts, strict=True)
    return log_likelihood + sum((pseudo * values).sum() for pseudo, values in pairs)


@pytest.mark.parametrize("em", ["soft", "hard"])
def test_an_iteration_reports_the_table_it_began_with_and_the_held_out_after_it(em):
    corpus, family = tagged(*random_sentences(1)), Multinomials.smoothed(Order.SIBLING, TAGS, 0.1)
    held_out = tagged(*random_sentences(2), vocabulary=corpus.tag_vocabulary)
    data, of_held_out = (Minibatches(Order.SIBLING, sentences).all() for sentences in (corpus, held_out))
    training = count_training(
        corpus, held_out, random_table(Order.SIBLING, TAGS, seed=1), model="dmv-sibling", em=em, patience=9
    )
    for number in (1, 2, 3):
        before = table_now(training)
        one = training.run_round()
        expected = objective(before, family, data, em)
        assert one.round == number
        assert one.objective == pytest.approx(expected, rel=1e-12)
        assert one.train * len(corpus) == pytest.approx(expected - family.log_prior(before), rel=1e-9)
        assert one.dev == pytest.approx(log_partition(table_now(training), of_held_out.batch).mean(), rel=1e-12)
        assert one.max_length == corpus.lengths.max()
        assert one.sentences_per_second == pytest.approx(len(corpus) / one.seconds)


def test_one_iteration_by_hand():
    # "A B" has two trees, A -> B and B -> A, equally probable under equal rules.
    corpus = tagged("A B")
    start = Multinomials.smoothed(Order.FIRST, 2, 0.0).estimate(uniform_counts(Order.FIRST, 2))
    training = count_training(corpus, table=start, smoothing=0.0, iterations=1)
    training.run_round()
    table, (a, b) = table_now(training), corpus.tags
    child, decision = np.exp(table.child).reshape(2, 2, 2, 2), np.exp(table.decision).reshape(2, 2, 2, 2)
    assert np.exp(table.root) == pytest.approx([0.5, 0.5])
    assert child[RIGHT, a, NO, b] == pytest.approx(1)
    assert child[LEFT, b, NO, a] == pytest.approx(1)
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
    training = count_training(tagged(*random_sentences(1)), table=random_table(Order.FIRST, TAGS, 0), family=family)
    with pytest.warns(LikelihoodFell, match="fell from .* to .* in iteration"):
        rounds_of(training)


def test_two_threads_learn_what_one_does():
    corpus, start = tagged(*random_sentences(1, count=60)), random_table(Order.SIBLING, TAGS, 3)
    one, two = (
        count_training(corpus, table=start, model="dmv-sibling", iterations=5, threads=threads) for threads in (1, 2)
    )
    for training in (one, two):
        rounds_of(training)
    assert table_now(one).child == pytest.approx(table_now(two).child, rel=1e-9)


# ---------------------------------------------------------------- when it stops, and what it keeps


def watched(seed: int, **settings) -> tuple[Training, list[float]]:
    """EM with held-out sentences to its end, and the held-out likelihood after each iteration."""
    corpus = tagged(*random_sentences(seed))
    held_out = tagged(*random_sentences(seed + 100), vocabulary=corpus.tag_vocabulary)
    training = count_training(corpus, held_out, random_table(Order.FIRST, TAGS, seed), **settings)
    return training, [one.dev for one in rounds_of(training)]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("patience", [1, 3])
def test_early_stopping_waits_for_its_patience_and_gives_the_best_table(seed, patience):
    _, whole = watched(seed, iterations=30, patience=30)
    training, curve = watched(seed, iterations=30, patience=patience)
    assert curve == whole[: len(curve)]
    assert training.best_round == np.argmax(curve) + 1
    assert len(curve) in (training.best_round + patience, 30)
    start = random_table(Order.FIRST, TAGS, seed)
    plain = count_training(training.corpus, table=start, iterations=training.best_round)
    rounds_of(plain)
    assert same_table(table_kept(training), table_now(plain))


def test_these_seeds_stop_at_once_later_and_never():
    iterations = [watched(seed, iterations=30, patience=1)[0].best_round for seed in range(8)]
    assert 1 in iterations
    assert any(1 < iteration < 29 for iteration in iterations)


def test_a_held_out_likelihood_of_zero_is_a_likelihood():
    # One tag, one word: the rules are certain after one iteration, and log 1 cannot be beaten.
    corpus = tagged("A")
    training = count_training(corpus, corpus, random_table(Order.FIRST, 1, 0), smoothing=0.0, iterations=20, patience=2)
    assert [one.dev for one in rounds_of(training)] == [0, 0, 0]
    assert training.best_round == 1


def test_held_out_sentences_of_probability_zero_end_the_training():
    train = tagged("A B")
    start = Multinomials.smoothed(Order.FIRST, 2, smoothing=1.0).estimate(uniform_counts(Order.FIRST, 2))
    training = count_training(train, tagged("B B", vocabulary=train.tag_vocabulary), start, smoothing=0.0)
    with pytest.raises(DepinduceError, match="1 held-out sentences have probability 0"):
        rounds_of(training)


@pytest.mark.parametrize("patience", [1, 3])
@pytest.mark.parametrize("grow_from", [0, 4])
def test_patience_stops_a_network_and_its_best_held_out_epoch_is_kept(patience, grow_from):
    made = network_training(
        dev=HELD_OUT, model="sibling", learning_rate=0.05, batch_size=4, epochs=60, patience=patience,
        grow_from=grow_from,
    )  # fmt: skip
    rounds, tables = [], []
    while not made.finished:
        rounds.append(made.run_round())
        tables.append(table_now(made))
    growing = len(range(grow_from, 7)) if grow_from else 0
    held_out = [one.dev for one in rounds[growing:]]
    best = int(np.argmax(held_out))
    assert len(held_out) == best + 1 + patience < 60
    assert same_table(table_kept(made), tables[growing + best])
    assert not same_table(table_kept(made), tables[-1])
    assert same_table(table_now(made), tables[-1])  # asking for the best does not disturb the training


def test_without_held_out_sentences_the_last_round_is_kept():
    network = network_training(model="ndmv", learning_rate=0.05, batch_size=4, epochs=5, patience=1)
    counts = count_training(CORPUS, iterations=5, patience=1)
    for made in (network, counts):
        assert len(rounds_of(made)) == made.round == 5
        assert same_table(table_kept(made), table_now(made))


# ---------------------------------------------------------------- what a round learns from


@every_kind
def test_an_epoch_reports_what_it_was_before_it_and_the_held_out_after_it(kind):
    made = network_training(dev=HELD_OUT, **kind, batch_size=0)
    for number in (1, 2):
        before = likelihood(made)
        one = made.run_round()
        assert one.round == number
        assert one.train == pytest.approx(before, rel=1e-6)
        assert one.dev == pytest.approx(likelihood(made, HELD_OUT), rel=1e-12)
        assert one.objective is None
        assert one.sentences_per_second == pytest.approx(len(CORPUS) / one.seconds)


def sentences_of_rounds(made: Training, rounds: int) -> list[tuple[Round, list[np.ndarray]]]:
    """The batches of sentences from which each round learns."""
    taken: list[np.ndarray] = []
    take = made.train[0].take
    made.train[0].take = lambda sentences, **of: taken.append(sentences) or take(sentences, **of)
    seen = []
    for _ in range(rounds):
        taken.clear()
        seen.append((made.run_round(), list(taken)))
    return seen


def test_an_epoch_learns_once_from_every_sentence_in_batches_of_random_order():
    made = network_training(model="ndmv", batch_size=8)
    (_, one), (_, other) = sentences_of_rounds(made, 2)
    assert [len(batch) for batch in one] == [len(batch) for batch in other] == [8, 8, 8, 7]
    assert sorted(np.concatenate(one)) == sorted(np.concatenate(other)) == list(range(len(CORPUS)))
    assert not np.array_equal(np.concatenate(one), np.concatenate(other))
    (_, (everything,)) = sentences_of_rounds(network_training(model="ndmv", batch_size=0), 1)[0]
    assert len(everything) == len(CORPUS)


def test_a_batch_gives_the_likelihood_of_its_sentences_before_it():
    made = network_training(model="ndmv", batch_size=8)
    some = np.array([4, 0, 9])
    before = len(some) * likelihood(made, CORPUS.select(np.isin(np.arange(len(CORPUS)), some)))
    assert made.learn_from(some) == pytest.approx(before, rel=1e-6)


def test_sentences_grow_by_a_word_with_each_epoch():
    made = network_training(model="ndmv", batch_size=8, grow_from=3, epochs=2)
    assert CORPUS.lengths.max() == 7
    assert made.total_rounds == 6
    lengths = []
    for one, batches in sentences_of_rounds(made, 6):
        fitting = np.flatnonzero(CORPUS.lengths <= one.max_length)
        assert sorted(np.concatenate(batches)) == fitting.tolist()
        lengths.append(one.max_length)
    assert lengths == [3, 4, 5, 6, 7, 7]
    assert made.finished


def test_growing_begins_where_there_are_sentences():
    made = network_training(tagged("N V D A", "V N D A N", "N V D A N V"), model="ndmv", grow_from=2, epochs=1)
    seen = sentences_of_rounds(made, 3)
    assert [(one.max_length, len(np.concatenate(batches))) for one, batches in seen] == [(4, 1), (5, 2), (6, 3)]
    assert made.finished


def test_the_constraint_acts_in_training_and_on_held_out_sentences():
    free, constrained = (
        network_training(dev=HELD_OUT, model="sibling", non_heads=tags, batch_size=0) for tags in ((), ("D",))
    )
    one, other = free.run_round(), constrained.run_round()
    assert other.train < one.train - 0.1
    assert other.dev < one.dev - 0.1


# ---------------------------------------------------------------- the start


def test_without_a_start_there_is_nothing_to_begin_and_no_anchor():
    made, other = network_training(model="ndmv", anchor=0.5), network_training(model="ndmv")
    made.begin()
    assert same_weights(made, other)
    made.run_round()
    other.run_round()
    assert same_weights(made, other)


def test_without_a_round_the_model_is_that_of_the_start():
    made = network_training(start=CHAINS, model="ndmv", learning_rate=0.05)
    made.begin()
    assert same_table(table_kept(made), table_now(made))
    assert not same_table(table_kept(made), table_kept(network_training(model="ndmv")))


# ---------------------------------------------------------------- when it goes wrong


@pytest.mark.parametrize("method", ["em", "hard-em"])
def test_a_likelihood_that_falls_under_full_batch_em_is_told(method):
    made = network_training(model="ndmv", method=method, batch_size=0, m_steps=5, learning_rate=0.08)
    with pytest.warns(LikelihoodFell, match=r"fell from .* to .* in epoch \d+\. Lower --learning-rate"):
        for _ in range(12):
            made.run_round()


def test_small_steps_of_full_batch_em_do_not_fall():
    made = network_training(model="ndmv", method="em", batch_size=0, learning_rate=0.0005)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        curve = [made.run_round().train for _ in range(12)]
    assert np.all(np.diff(curve) > 0)


@pytest.mark.parametrize(
    "fluctuating",
    [
        {"method": "em", "batch_size": 4, "m_steps": 2, "learning_rate": 0.02},
        {"method": "dmo", "batch_size": 0, "learning_rate": 0.02},
    ],
)
def test_nothing_is_told_of_a_likelihood_that_may_fall(fluctuating):
    made = network_training(model="ndmv", **fluctuating)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        curve = [made.run_round().train for _ in range(20)]
    assert np.min(np.diff(curve)) < 0


def test_nothing_is_told_of_sentences_that_grow():
    made = network_training(model="ndmv", method="em", batch_size=0, learning_rate=0.0005, grow_from=3, epochs=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        curve = [one.train for one in rounds_of(made)]
    assert np.all(np.diff(curve[:5]) < 0)  # longer sentences are less likely


@every_kind
def test_an_absurd_learning_rate_diverges_and_says_so(kind):
    made = network_training(**kind, learning_rate=0.9, batch_size=4)
    with pytest.raises(Diverged, match="in epoch 1.* lower --learning-rate"):
        made.run_round()


@every_kind
def test_weights_that_are_no_numbers_are_noticed_at_once(kind):
    made = network_training(**kind, batch_size=4)
    made.run_round()
    with torch.no_grad():
        next(learner_of(made).network.parameters()).fill_(float("nan"))
    with pytest.raises(Diverged, match="not numbers any more in epoch 2"):
        made.run_round()


@pytest.mark.parametrize("spoiled", [float("nan"), 1e30], ids=["no numbers", "numbers too large for the rules"])
def test_what_the_last_step_of_an_epoch_spoiled_is_not_kept(spoiled):
    # The next batch would show it, but there is none.
    made = network_training(model="sibling", batch_size=0)
    made.run_round()
    good = table_kept(made)
    learner = learner_of(made)
    step = learner.optimiser.step

    def spoil():
        step()
        with torch.no_grad():
            next(learner.network.parameters()).fill_(spoiled)

    learner.optimiser.step = spoil
    with pytest.raises(Diverged, match="in epoch 2"):
        made.run_round()
    assert same_table(table_kept(made), good)


# ---------------------------------------------------------------- what it may not use


@every_kind
@pytest.mark.parametrize("held_out", [False, True])
def test_heads_in_the_corpora_are_not_looked_at(kind, held_out):
    def trained(heads: bool) -> Training:
        def given(corpus: Corpus) -> Corpus:
            return replace(corpus, heads=np.zeros(len(corpus.tags), dtype=np.int32)) if heads else corpus

        dev = given(HELD_OUT) if held_out else None
        made = network_training(given(CORPUS), dev, CHAINS, anchor=0.1, **kind, batch_size=8, grow_from=5, epochs=2)
        made.begin()
        rounds_of(made)
        return made

    assert same_weights(trained(heads=True), trained(heads=False))


def test_the_seed_decides_the_weights_and_the_order_of_the_sentences():
    def first_round(seed: int) -> tuple[Training, list[np.ndarray]]:
        made = network_training(model="ndmv", seed=seed, batch_size=8)
        ((_, batches),) = sentences_of_rounds(made, 1)
        return made, batches

    (one, batches), (again, same_batches), (other, other_batches) = map(first_round, (5, 5, 6))
    assert same_weights(one, again)
    assert np.array_equal(np.concatenate(batches), np.concatenate(same_batches))
    assert not same_weights(one, other)
    assert not np.array_equal(np.concatenate(batches), np.concatenate(other_batches))


# ---------------------------------------------------------------- state


@pytest.mark.parametrize("make", [count_training, network_training], ids=["counts", "network"])
def test_a_training_that_is_restored_goes_on_as_if_it_never_stopped(make):
    settings = {"model": "dmv"} if make is count_training else {"model": "sibling", "batch_size": 8}
    whole, other = (make(CORPUS, HELD_OUT, patience=20, **settings) for _ in range(2))
    for _ in range(3):
        whole.run_round()
    arrays, state = whole.state()
    other.restore({name: array.copy() for name, array in arrays.items()}, state)
    for name in ("round", "best_round", "best_dev", "first_per_word", "previous"):  # what warnings compare with, too
        assert getattr(other, name) == getattr(whole, name)
    for _ in range(3):
        one, again = whole.run_round(), other.run_round()
        assert (one.round, one.train, one.dev, one.objective) == (again.round, again.train, again.dev, again.objective)
    assert same_table(table_now(whole), table_now(other))
    assert same_table(table_kept(whole), table_kept(other))
