"""Training one network: what a step is, what an epoch learns from, when it stops and what it keeps."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
import torch
from learning.tagged import random_sentences, tagged

from depinduce.chart.engine import best_trees, expectations, log_partition
from depinduce.corpus import Corpus
from depinduce.grammar.between_orders import raise_order
from depinduce.grammar.inside_out import as_outside_in, counts_inside_out
from depinduce.grammar.multinomials import Multinomials, random_counts
from depinduce.grammar.rules import RuleCounts, RuleTable, tag_batch
from depinduce.grammar.trees import tree_counts
from depinduce.learning.em import LikelihoodFell
from depinduce.learning.network_training import Diverged, Epoch, NetworkTraining, Start
from depinduce.learning.settings.learning import NEURAL_MODELS
from depinduce.learning.settings.networks import NeuralSettings
from depinduce.learning.starts import harmonic_table
from depinduce.networks.network_settings import NetworkSettings

torch.set_num_threads(1)  # the networks here are tiny

CORPUS = tagged(*random_sentences(3, count=30))
HELD_OUT = tagged(*random_sentences(103, tags="NNVDA"), vocabulary=CORPUS.tag_vocabulary)
TAGS = len(CORPUS.tag_vocabulary)
SMALL = NetworkSettings(size=10, child_rank=6, decision_rank=5)
KINDS = {  # every grammar that a network can be trained as
    "ndmv": {"model": "ndmv"},
    "sibling": {"model": "sibling"},
    "inside-out": {"model": "sibling", "generation": "inside-out"},
    "grand": {"model": "grand"},
}
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def training(
    corpus: Corpus = CORPUS, dev: Corpus | None = None, start: Start | None = None, seed: int = 0, size: int = 10,
    **settings,
) -> NetworkTraining:  # fmt: skip
    return NetworkTraining.of_tags(NeuralSettings(**settings), replace(SMALL, size=size), corpus, dev, seed, start)


def weights(training: NetworkTraining) -> dict[str, np.ndarray]:
    return {name: tensor.numpy().copy() for name, tensor in training.network.state_dict().items()}


def same_weights(one: NetworkTraining, other: NetworkTraining) -> bool:
    """Bit by bit."""
    pairs = zip(weights(one).values(), weights(other).values(), strict=True)
    return all(a.tobytes() == b.tobytes() for a, b in pairs)


def same_table(one: RuleTable, other: RuleTable) -> bool:
    return all(getattr(one, name).tobytes() == getattr(other, name).tobytes() for name in ("root", "child", "decision"))


def potentials(table: RuleTable, settings: NeuralSettings) -> RuleTable:
    """A rule table as the chart reads it."""
    return table if settings.generation == "outside-in" else as_outside_in(table)


def likelihood(training: NetworkTraining, corpus: Corpus = CORPUS) -> float:
    settings = training.settings
    batch = tag_batch(settings.order, corpus.tags, corpus.offsets, TAGS)
    return float(log_partition(potentials(training.network.table(), settings), batch).mean())


# ---------------------------------------------------------------- a step


def adam_steps(training: NetworkTraining, counts_of, steps: int) -> None:
    """Steps of Adam up Σ count · log p(rule), per sentence; `counts_of(table)` gives the counts for each."""
    optimiser = torch.optim.Adam(training.network.parameters(), lr=training.settings.learning_rate)
    for _ in range(steps):
        counts = counts_of(training.network.table())
        parts = (torch.from_numpy(part).float() for part in (counts.root, counts.child, counts.decision))
        objective = sum((part * values).sum() for part, values in zip(parts, training.network(), strict=True))
        optimiser.zero_grad()
        (-objective / len(CORPUS)).backward()
        optimiser.step()


def expected_counts(table: RuleTable, settings: NeuralSettings) -> RuleCounts:
    batch = tag_batch(settings.order, CORPUS.tags, CORPUS.offsets, TAGS)
    counts = expectations(potentials(table, settings), batch).counts
    return counts if settings.generation == "outside-in" else counts_inside_out(counts)


def best_tree_counts(table: RuleTable, settings: NeuralSettings) -> RuleCounts:
    batch = tag_batch(settings.order, CORPUS.tags, CORPUS.offsets, TAGS)
    counts = tree_counts(table, batch, best_trees(potentials(table, settings), batch).heads[0])
    return counts if settings.generation == "outside-in" else counts_inside_out(counts)


def difference(one: NetworkTraining, other: NetworkTraining) -> float:
    """How far the gradients of the last step are apart, as a share of the largest."""
    pairs = [(a.grad, b.grad) for a, b in zip(one.network.parameters(), other.network.parameters(), strict=True)]
    return float(max((a - b).abs().max() for a, b in pairs) / max(b.abs().max() for _, b in pairs))


def distance(one: NetworkTraining, other: NetworkTraining) -> float:
    """The largest difference between two weights, in steps of Adam."""
    pairs = zip(weights(one).values(), weights(other).values(), strict=True)
    return max(float(np.abs(a - b).max()) for a, b in pairs) / one.settings.learning_rate


def same_steps(one: NetworkTraining, other: NetworkTraining) -> bool:
    """Adam forgets how large a gradient is, so that the weights alone do not tell."""
    return distance(one, other) < 0.05 and difference(one, other) < 0.001


@every_kind
def test_a_step_of_dmo_goes_up_the_gradient_of_the_likelihood(kind):
    trained, by_hand = (training(**kind, method="dmo", batch_size=0) for _ in range(2))
    trained.run_epoch()
    adam_steps(by_hand, lambda table: expected_counts(table, by_hand.settings), steps=1)
    assert same_steps(trained, by_hand)


@every_kind
def test_steps_of_em_use_the_counts_of_the_table_before_them(kind):
    trained, by_hand, dmo = (training(**kind, method="em", m_steps=4, batch_size=0, learning_rate=0.05) for _ in "123")
    before = expected_counts(by_hand.network.table(), by_hand.settings)
    trained.run_epoch()
    adam_steps(by_hand, lambda table: before, steps=4)
    adam_steps(dmo, lambda table: expected_counts(table, dmo.settings), steps=4)
    assert same_steps(trained, by_hand)
    assert not same_steps(trained, dmo)  # which counts anew before each step


@every_kind
def test_hard_em_uses_the_best_trees(kind):
    trained, by_hand, soft = (training(**kind, method="hard-em", m_steps=3, batch_size=0) for _ in "123")
    before = best_tree_counts(by_hand.network.table(), by_hand.settings)
    epoch = trained.run_epoch()
    adam_steps(by_hand, lambda table: before, steps=3)
    adam_steps(soft, lambda table: expected_counts(table, soft.settings), steps=3)
    assert same_steps(trained, by_hand)
    assert not same_steps(trained, soft)
    batch = tag_batch(by_hand.settings.order, CORPUS.tags, CORPUS.offsets, TAGS)
    beginning = potentials(training(**kind).network.table(), by_hand.settings)
    assert epoch.train == pytest.approx(best_trees(beginning, batch).log_potential.mean(), rel=1e-6)


@every_kind
def test_dmo_is_em_with_one_step(kind):
    dmo, em = (training(**kind, method=method, m_steps=m, batch_size=7) for method, m in (("dmo", 9), ("em", 1)))
    for _ in range(3):
        one, other = dmo.run_epoch(), em.run_epoch()
        assert one.train == other.train
    assert same_weights(dmo, em)


# ---------------------------------------------------------------- an epoch


@every_kind
@pytest.mark.parametrize("method", ["dmo", "em"])
def test_learning_raises_the_likelihood(kind, method):
    made = training(**kind, method=method, m_steps=3, batch_size=8, learning_rate=0.01)
    before = likelihood(made)
    epochs = [made.run_epoch() for _ in range(10)]
    assert likelihood(made) > before + 0.5
    assert epochs[-1].train > epochs[0].train + 0.3


@every_kind
def test_hard_em_raises_the_probability_of_the_best_trees(kind):
    made = training(**kind, method="hard-em", m_steps=3, batch_size=8, learning_rate=0.01)
    curve = [made.run_epoch().train for _ in range(8)]
    assert curve[-1] > curve[0] + 0.5


@every_kind
def test_an_epoch_reports_what_it_was_before_it_and_the_held_out_after_it(kind):
    made = training(dev=HELD_OUT, **kind, batch_size=0)
    for number in (1, 2):
        before = likelihood(made)
        epoch = made.run_epoch()
        assert epoch.epoch == number
        assert epoch.train == pytest.approx(before, rel=1e-6)
        assert epoch.dev == pytest.approx(likelihood(made, HELD_OUT), rel=1e-12)
        assert epoch.sentences_per_second == pytest.approx(len(CORPUS) / epoch.seconds)


def sentences_of_epochs(made: NetworkTraining, epochs: int) -> list[tuple[Epoch, list[np.ndarray]]]:
    """The batches of sentences from which each epoch learns."""
    taken: list[np.ndarray] = []
    take = made.train[0].take
    made.train[0].take = lambda sentences: taken.append(sentences) or take(sentences)
    seen = []
    for _ in range(epochs):
        taken.clear()
        seen.append((made.run_epoch(), list(taken)))
    return seen


def test_an_epoch_learns_once_from_every_sentence_in_batches_of_random_order():
    made = training(model="ndmv", batch_size=8)
    (_, one), (_, other) = sentences_of_epochs(made, 2)
    assert [len(batch) for batch in one] == [len(batch) for batch in other] == [8, 8, 8, 7]
    assert sorted(np.concatenate(one)) == sorted(np.concatenate(other)) == list(range(len(CORPUS)))
    assert not np.array_equal(np.concatenate(one), np.concatenate(other))
    (_, (everything,)) = sentences_of_epochs(training(model="ndmv", batch_size=0), 1)[0]
    assert len(everything) == len(CORPUS)


def test_sentences_grow_by_a_word_with_each_epoch():
    made = training(model="ndmv", batch_size=8, grow_from=3, epochs=2)
    assert CORPUS.lengths.max() == 7
    assert made.total_epochs == 6
    lengths = []
    for epoch, batches in sentences_of_epochs(made, 6):
        fitting = np.flatnonzero(CORPUS.lengths <= epoch.max_length)
        assert sorted(np.concatenate(batches)) == fitting.tolist()
        lengths.append(epoch.max_length)
    assert lengths == [3, 4, 5, 6, 7, 7]
    assert made.finished


def test_growing_begins_where_there_are_sentences():
    made = training(tagged("N V D A", "V N D A N", "N V D A N V"), model="ndmv", grow_from=2, epochs=1)
    seen = sentences_of_epochs(made, 3)
    assert [(epoch.max_length, len(np.concatenate(batches))) for epoch, batches in seen] == [(4, 1), (5, 2), (6, 3)]
    assert made.finished


def test_the_constraint_acts_in_training_and_on_held_out_sentences():
    free, constrained = (training(dev=HELD_OUT, model="sibling", non_heads=tags, batch_size=0) for tags in ((), ("D",)))
    one, other = free.run_epoch(), constrained.run_epoch()
    assert other.train < one.train - 0.1
    assert other.dev < one.dev - 0.1


# ---------------------------------------------------------------- the start

SENTENCES = ["D N V D N", "N V D N", "D N V", "V N N", "N V", "D A N V N", "A N V A A N"]
HEADS = [(2, 3, 0, 5, 3), (2, 0, 4, 2), (2, 3, 0), (0, 1, 1), (2, 0), (3, 3, 4, 0, 4), (2, 3, 0, 6, 6, 3)]


def relative_frequencies(kind: dict[str, str], corpus: Corpus) -> tuple[RuleTable, RuleCounts]:
    """The grammar and the counts of SENTENCES with HEADS."""
    order = NEURAL_MODELS[kind["model"]]
    batch = tag_batch(order, corpus.tags, corpus.offsets, TAGS)
    counts = tree_counts(random_counts(order, TAGS, 0), batch, np.concatenate(HEADS))
    if "generation" in kind:
        counts = counts_inside_out(counts)
    return Multinomials.smoothed(order, TAGS, 0.0).estimate(counts), counts


@every_kind
def test_a_network_learns_the_relative_frequencies_of_given_trees(kind):
    corpus = tagged(*SENTENCES)
    start = Start(heads=np.concatenate(HEADS))
    made = training(corpus, start=start, **kind, size=24, batch_size=0, learning_rate=0.01, start_epochs=200)
    made.begin()
    expected, counts = relative_frequencies(kind, corpus)
    table = made.table()
    for part in ("root", "child", "decision"):
        used = np.atleast_1d(getattr(counts, part).sum(axis=-1) > 0)
        found, wanted = (np.atleast_2d(np.exp(getattr(of, part)))[used] for of in (table, expected))
        assert np.abs(found - wanted).max() < 0.06
        assert np.ptp(wanted) > 0.5


def start_counts(start: Start, settings: NeuralSettings) -> RuleCounts:
    """What a start counts in CORPUS, put together here once more."""
    batch = tag_batch(settings.order, CORPUS.tags, CORPUS.offsets, TAGS)
    if start.heads is not None:
        counts = tree_counts(random_counts(settings.order, TAGS, 0), batch, start.heads)
    else:
        counts = expectations(raise_order(start.first_order, settings.order), batch).counts
    return counts if settings.generation == "outside-in" else counts_inside_out(counts)


CHAINS = Start(heads=np.concatenate([np.arange(n) for n in CORPUS.lengths]))  # each word hangs on the one before
STARTS = {"trees": CHAINS, "grammar": Start(first_order=harmonic_table(CORPUS))}
every_start = pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)


@every_kind
@every_start
def test_the_start_is_gradient_steps_on_its_counts(kind, start):
    started, by_hand = (training(start=start, **kind, batch_size=0, start_epochs=3) for _ in range(2))
    started.begin()
    adam_steps(by_hand, lambda table: start_counts(start, by_hand.settings), steps=3)
    assert same_steps(started, by_hand)


@every_kind
@every_start
def test_an_anchor_adds_so_much_of_the_counts_of_the_start(kind, start):
    trained, by_hand, free = (training(start=start, anchor=a, **kind, batch_size=0) for a in (0.5, 0.0, 0.0))

    def counts_of(table: RuleTable) -> RuleCounts:
        return expected_counts(table, by_hand.settings) + 0.5 * start_counts(start, by_hand.settings)

    for made in (trained, free):
        for _ in range(3):
            made.run_epoch()
    adam_steps(by_hand, counts_of, steps=3)
    assert same_steps(trained, by_hand)
    assert not same_steps(trained, free)


def test_without_a_start_there_is_nothing_to_begin_and_no_anchor():
    made, other = training(model="ndmv", anchor=0.5), training(model="ndmv")
    made.begin()
    assert same_weights(made, other)
    made.run_epoch()
    other.run_epoch()
    assert same_weights(made, other)


def test_without_an_epoch_the_model_is_that_of_the_start():
    made = training(start=CHAINS, model="ndmv", learning_rate=0.05)
    made.begin()
    assert same_table(made.table(), made.network.table())
    assert not same_table(made.table(), training(model="ndmv").table())


# ---------------------------------------------------------------- when it stops, and what it keeps


@pytest.mark.parametrize("patience", [1, 3])
@pytest.mark.parametrize("grow_from", [0, 4])
def test_patience_stops_and_the_best_held_out_epoch_is_kept(patience, grow_from):
    made = training(
        dev=HELD_OUT, model="sibling", learning_rate=0.05, batch_size=4, epochs=60, patience=patience,
        grow_from=grow_from,
    )  # fmt: skip
    epochs, tables = [], []
    while not made.finished:
        epochs.append(made.run_epoch())
        tables.append(made.network.table())
    growing = len(range(grow_from, 7)) if grow_from else 0
    held_out = [epoch.dev for epoch in epochs[growing:]]
    best = int(np.argmax(held_out))
    assert len(held_out) == best + 1 + patience < 60
    assert same_table(made.table(), tables[growing + best])
    assert not same_table(made.table(), tables[-1])
    assert same_table(made.network.table(), tables[-1])  # asking for the best does not disturb the training


def test_without_held_out_sentences_the_last_epoch_is_kept():
    made = training(model="ndmv", learning_rate=0.05, batch_size=4, epochs=5, patience=1)
    while not made.finished:
        made.run_epoch()
    assert made.epoch == 5
    assert same_table(made.table(), made.network.table())


# ---------------------------------------------------------------- when it goes wrong


@pytest.mark.parametrize("method", ["em", "hard-em"])
def test_a_likelihood_that_falls_under_full_batch_em_is_told(method):
    made = training(model="ndmv", method=method, batch_size=0, m_steps=5, learning_rate=0.08)
    with pytest.warns(LikelihoodFell, match=r"should not lower .* epoch \d+ did: .* Lower --learning-rate"):
        for _ in range(12):
            made.run_epoch()


def test_small_steps_of_full_batch_em_do_not_fall():
    made = training(model="ndmv", method="em", batch_size=0, learning_rate=0.0005)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        curve = [made.run_epoch().train for _ in range(12)]
    assert np.all(np.diff(curve) > 0)


@pytest.mark.parametrize(
    "fluctuating",
    [
        {"method": "em", "batch_size": 4, "m_steps": 2, "learning_rate": 0.02},
        {"method": "dmo", "batch_size": 0, "learning_rate": 0.02},
    ],
)
def test_nothing_is_told_of_a_likelihood_that_may_fall(fluctuating):
    made = training(model="ndmv", **fluctuating)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        curve = [made.run_epoch().train for _ in range(20)]
    assert np.min(np.diff(curve)) < 0


@every_kind
def test_an_absurd_learning_rate_diverges_and_says_so(kind):
    made = training(**kind, learning_rate=0.9, batch_size=4)
    with pytest.raises(Diverged, match="in epoch 1.* lower --learning-rate"):
        made.run_epoch()


@every_kind
def test_weights_that_are_no_numbers_are_noticed_at_once(kind):
    made = training(**kind, batch_size=4)
    made.run_epoch()
    with torch.no_grad():
        next(made.network.parameters()).fill_(float("nan"))
    with pytest.raises(Diverged, match="not numbers any more in epoch 2"):
        made.run_epoch()


@pytest.mark.parametrize("spoiled", [float("nan"), 1e30], ids=["no numbers", "numbers too large for the rules"])
def test_what_the_last_step_of_an_epoch_spoiled_is_not_kept(spoiled):
    # The next batch would show it, but there is none.
    made = training(model="sibling", batch_size=0)
    made.run_epoch()
    good = made.table()
    optimiser = made.learners[0].optimiser
    step = optimiser.step

    def spoil():
        step()
        with torch.no_grad():
            next(made.network.parameters()).fill_(spoiled)

    optimiser.step = spoil
    with pytest.raises(Diverged, match="in epoch 2"):
        made.run_epoch()
    assert same_table(made.table(), good)


# ---------------------------------------------------------------- what it may not use


@every_kind
@pytest.mark.parametrize("held_out", [False, True])
def test_heads_in_the_corpora_are_not_looked_at(kind, held_out):
    def trained(heads: bool) -> NetworkTraining:
        corpora = [CORPUS, HELD_OUT]
        if heads:
            corpora = [replace(corpus, heads=np.zeros(len(corpus.tags), dtype=np.int32)) for corpus in corpora]
        dev = corpora[1] if held_out else None
        made = training(corpora[0], dev, CHAINS, anchor=0.1, **kind, batch_size=8, grow_from=5, epochs=2)
        made.begin()
        while not made.finished:
            made.run_epoch()
        return made

    assert same_weights(trained(heads=True), trained(heads=False))


def test_the_seed_decides_the_weights_and_the_order_of_the_sentences():
    def first_epoch(seed: int) -> tuple[NetworkTraining, list[np.ndarray]]:
        made = training(model="ndmv", seed=seed, batch_size=8)
        ((_, batches),) = sentences_of_epochs(made, 1)
        return made, batches

    (one, batches), (again, same_batches), (other, other_batches) = map(first_epoch, (5, 5, 6))
    assert same_weights(one, again)
    assert np.array_equal(np.concatenate(batches), np.concatenate(same_batches))
    assert not same_weights(one, other)
    assert not np.array_equal(np.concatenate(batches), np.concatenate(other_batches))
