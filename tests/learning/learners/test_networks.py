"""A network over tags learns by gradient: what a step is, what it climbs, and what it learns from given trees."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from learning.tagged import random_sentences, tagged
from learning.trainings import (
    CHAINS,
    CORPUS,
    HARMONIC,
    KINDS,
    SMALL,
    TAGS,
    learner_of,
    likelihood,
    network_training,
    potentials,
    same_table,
    same_weights,
    table_kept,
    table_now,
)

from depinduce.chart.engine import best_trees, expectations
from depinduce.corpus import Corpus
from depinduce.grammar.between_orders import raise_order
from depinduce.grammar.inside_out import counts_inside_out
from depinduce.grammar.multinomials import Multinomials, random_counts
from depinduce.grammar.rules import RuleCounts, RuleTable, tag_batch
from depinduce.grammar.trees import tree_counts
from depinduce.learning.harmonic import harmonic_table
from depinduce.learning.learners.learner import Start
from depinduce.learning.learners.networks import TagLearner, make_learners, one_vector
from depinduce.learning.settings.configuration import configure
from depinduce.learning.settings.networks import NeuralSettings
from depinduce.learning.training import Training
from depinduce.models.table import entry
from depinduce.networks.tag_network import RuleNetwork

OURS = {name: kind for name, kind in KINDS.items() if name != "jiang-ndmv"}  # which has a learner of its own
every_kind = pytest.mark.parametrize("kind", OURS.values(), ids=OURS)


# ---------------------------------------------------------------- a step


def network_of(training: Training) -> RuleNetwork:
    return learner_of(training).network


def adam_steps(training: Training, counts_of, steps: int) -> None:
    """Steps of Adam up Σ count · log p(rule), per sentence; `counts_of(table)` gives the counts for each."""
    optimiser = torch.optim.Adam(network_of(training).parameters(), lr=training.settings.learning_rate)
    for _ in range(steps):
        counts = counts_of(table_now(training))
        parts = (torch.from_numpy(part).float() for part in counts.parts)
        objective = sum((part * values).sum() for part, values in zip(parts, network_of(training)(), strict=True))
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


def difference(one: Training, other: Training) -> float:
    """How far the gradients of the last step are apart, as a share of the largest."""
    pairs = [
        (a.grad, b.grad) for a, b in zip(network_of(one).parameters(), network_of(other).parameters(), strict=True)
    ]
    return float(max((a - b).abs().max() for a, b in pairs) / max(b.abs().max() for _, b in pairs))


def distance(one: Training, other: Training) -> float:
    """The largest difference between two weights, in steps of Adam."""
    pairs = zip(learner_of(one).weights().values(), learner_of(other).weights().values(), strict=True)
    return max(float((a - b).abs().max()) for a, b in pairs) / one.settings.learning_rate


def same_steps(one: Training, other: Training) -> bool:
    """Adam forgets how large a gradient is, so that the weights alone do not tell."""
    return distance(one, other) < 0.05 and difference(one, other) < 0.001


@every_kind
def test_a_step_of_dmo_goes_up_the_gradient_of_the_likelihood(kind):
    trained, by_hand = (network_training(**kind, method="dmo", batch_size=0) for _ in range(2))
    trained.run_round()
    adam_steps(by_hand, lambda table: expected_counts(table, by_hand.settings), steps=1)
    assert same_steps(trained, by_hand)


@every_kind
def test_steps_of_em_use_the_counts_of_the_table_before_them(kind):
    trained, by_hand, dmo = (
        network_training(**kind, method="em", m_steps=4, batch_size=0, learning_rate=0.05) for _ in "123"
    )
    before = expected_counts(table_now(by_hand), by_hand.settings)
    trained.run_round()
    adam_steps(by_hand, lambda table: before, steps=4)
    adam_steps(dmo, lambda table: expected_counts(table, dmo.settings), steps=4)
    assert same_steps(trained, by_hand)
    assert not same_steps(trained, dmo)  # which counts anew before each step


@every_kind
def test_hard_em_uses_the_best_trees(kind):
    trained, by_hand, soft = (network_training(**kind, method="hard-em", m_steps=3, batch_size=0) for _ in "123")
    before = best_tree_counts(table_now(by_hand), by_hand.settings)
    one = trained.run_round()
    adam_steps(by_hand, lambda table: before, steps=3)
    adam_steps(soft, lambda table: expected_counts(table, soft.settings), steps=3)
    assert same_steps(trained, by_hand)
    assert not same_steps(trained, soft)
    batch = tag_batch(by_hand.settings.order, CORPUS.tags, CORPUS.offsets, TAGS)
    beginning = potentials(table_now(network_training(**kind)), by_hand.settings)
    assert one.train == pytest.approx(best_trees(beginning, batch).log_potential.mean(), rel=1e-6)


@every_kind
def test_dmo_is_em_with_one_step(kind):
    dmo, em = (
        network_training(**kind, method=method, m_steps=m, batch_size=7) for method, m in (("dmo", 9), ("em", 1))
    )
    for _ in range(3):
        one, other = dmo.run_round(), em.run_round()
        assert one.train == other.train
    assert same_weights(dmo, em)


# ---------------------------------------------------------------- what it climbs


@every_kind
@pytest.mark.parametrize("method", ["dmo", "em"])
def test_learning_raises_the_likelihood(kind, method):
    made = network_training(**kind, method=method, m_steps=3, batch_size=8, learning_rate=0.01)
    before = likelihood(made)
    rounds = [made.run_round() for _ in range(10)]
    assert likelihood(made) > before + 0.5
    assert rounds[-1].train > rounds[0].train + 0.3


@every_kind
def test_hard_em_raises_the_probability_of_the_best_trees(kind):
    made = network_training(**kind, method="hard-em", m_steps=3, batch_size=8, learning_rate=0.01)
    curve = [made.run_round().train for _ in range(8)]
    assert curve[-1] > curve[0] + 0.5


# ---------------------------------------------------------------- the start

SENTENCES = ["D N V D N", "N V D N", "D N V", "V N N", "N V", "D A N V N", "A N V A A N"]
HEADS = [(2, 3, 0, 5, 3), (2, 0, 4, 2), (2, 3, 0), (0, 1, 1), (2, 0), (3, 3, 4, 0, 4), (2, 3, 0, 6, 6, 3)]


def relative_frequencies(kind: dict[str, str], corpus: Corpus) -> tuple[RuleTable, RuleCounts]:
    """The grammar and the counts of SENTENCES with HEADS."""
    order = entry(kind["model"]).order
    batch = tag_batch(order, corpus.tags, corpus.offsets, TAGS)
    counts = tree_counts(random_counts(order, TAGS, 0), batch, np.concatenate(HEADS))
    if "generation" in kind:
        counts = counts_inside_out(counts)
    return Multinomials.smoothed(order, TAGS, 0.0).estimate(counts), counts


@every_kind
def test_a_network_learns_the_relative_frequencies_of_given_trees(kind):
    corpus = tagged(*SENTENCES)
    start = Start("trees", heads=np.concatenate(HEADS))
    made = network_training(corpus, start=start, **kind, size=24, batch_size=0, learning_rate=0.01, start_epochs=200)
    made.begin()
    expected, counts = relative_frequencies(kind, corpus)
    table = table_kept(made)
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
        counts = expectations(raise_order(harmonic_table(CORPUS), settings.order), batch).counts
    return counts if settings.generation == "outside-in" else counts_inside_out(counts)


STARTS = {"trees": CHAINS, "grammar": HARMONIC}
every_start = pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)


@every_kind
@every_start
def test_the_start_is_gradient_steps_on_its_counts(kind, start):
    started, by_hand = (network_training(start=start, **kind, batch_size=0, start_epochs=3) for _ in range(2))
    started.begin()
    adam_steps(by_hand, lambda table: start_counts(start, by_hand.settings), steps=3)
    assert same_steps(started, by_hand)


@every_kind
@every_start
def test_an_anchor_adds_so_much_of_the_counts_of_the_start(kind, start):
    trained, by_hand, free = (network_training(start=start, anchor=a, **kind, batch_size=0) for a in (0.5, 0.0, 0.0))

    def counts_of(table: RuleTable) -> RuleCounts:
        return expected_counts(table, by_hand.settings) + 0.5 * start_counts(start, by_hand.settings)

    for made in (trained, free):
        for _ in range(3):
            made.run_round()
    adam_steps(by_hand, counts_of, steps=3)
    assert same_steps(trained, by_hand)
    assert not same_steps(trained, free)


# ---------------------------------------------------------------- a learner


def test_all_weights_and_gradients_are_views_of_one_vector():
    network = RuleNetwork(entry("sibling").order, TAGS, SMALL)
    before = [part.detach().clone() for part in network.parameters()]
    vector = one_vector(network)
    parts = list(network.parameters())
    assert all(torch.equal(part, old) for part, old in zip(parts, before, strict=True))
    with torch.no_grad():
        vector += 1
        vector.grad += 2
    assert all(torch.allclose(part, old + 1) for part, old in zip(parts, before, strict=True))
    assert all(bool((part.grad == 2).all()) for part in parts)


@every_kind
def test_the_model_of_a_learner_has_its_rules_and_its_weights(kind):
    made = network_training(**kind)
    made.run_round()
    model = learner_of(made).model({"non_heads": ("D",)})
    assert (model.order, model.inside_out, model.non_heads) == (
        made.settings.order, made.settings.inside_out, ("D",)
    )  # fmt: skip
    again = RuleNetwork(made.settings.order, TAGS, SMALL)
    again.load_state_dict({name: torch.from_numpy(weights) for name, weights in model.network.items()})
    assert np.allclose(again.table().child, model.table.child, atol=1e-6)


@every_kind
def test_a_learner_keeps_its_best_weights_until_there_are_better_ones(kind):
    made = network_training(**kind, batch_size=0)
    learner = learner_of(made)
    first = table_now(made)
    made.learn_from(np.arange(len(CORPUS)))
    assert same_table(table_kept(made), first)
    assert not same_table(table_now(made), first)
    learner.keep()
    assert same_table(table_kept(made), table_now(made))


@every_kind
def test_a_restored_learner_takes_the_same_next_step(kind):
    one, other = (network_training(**kind, batch_size=0, seed=seed) for seed in (1, 2))
    everything = np.arange(len(CORPUS))
    for _ in range(2):
        one.learn_from(everything)
    learner_of(other).restore({name: array.copy() for name, array in learner_of(one).state().items()})
    assert same_weights(one, other)
    for made in (one, other):
        made.learn_from(everything)  # with the moments of Adam
    assert same_weights(one, other)


def test_sizes_of_a_network_under_a_count_model_are_the_usual_ones():
    configuration = configure({"model": "dmv-sibling", "ladder": ["ndmv"]})
    corpus = tagged(*random_sentences(1))
    (learner,) = make_learners(configuration.learning.of_rung(0), configuration, corpus, seed=0)
    (usual,) = make_learners(NeuralSettings(model="ndmv"), configure({"model": "ndmv"}), corpus, seed=0)
    assert isinstance(learner, TagLearner)
    assert all(torch.equal(a, b) for a, b in zip(learner.weights().values(), usual.weights().values(), strict=True))
