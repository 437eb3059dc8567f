"""The D-NDMV learns rules and what they see of sentences from the counts of these: its own term, on and off."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from cli.demo_parts import model_files
from learning.killed import require_the_same_after_a_stop, require_the_same_after_kills
from learning.tagged import tagged
from learning.trainings import CHAINS, CORPUS, HARMONIC, HELD_OUT, RANDOM, TAGS, table_now

from depinduce.chart.engine import best_trees, expectations
from depinduce.corpus import Corpus
from depinduce.grammar.rules import Order, tag_batch
from depinduce.grammar.trees import tree_counts
from depinduce.learning.harmonic import harmonic_table
from depinduce.learning.learners.d_ndmv import SentenceLearner
from depinduce.learning.learners.learner import Start
from depinduce.learning.run import Run
from depinduce.learning.settings.configuration import configure
from depinduce.learning.training import Training
from depinduce.models.table import find

SMALL = {"model": "d-ndmv", "tag_size": 6, "valence_size": 3, "sentence_size": 8, "read_size": 4, "batch_size": 10}
KINDS = {"deterministic": {}, "variational": {"variational": True}}
both_kinds = pytest.mark.parametrize("kind", KINDS)


def training_of(corpus: Corpus = CORPUS, start: Start = RANDOM, dev: Corpus | None = None, **values) -> Training:
    configuration = configure(SMALL | values)
    learners = find(configuration.learning.entry.learners)(configuration.learning, configuration, corpus, 0)
    return Training(configuration.learning, learners, corpus, dev, 0, [start])


def learner_of(training: Training) -> SentenceLearner:
    (learner,) = training.learners
    assert isinstance(learner, SentenceLearner)
    return learner


# ---------------------------------------------------------------- one step


@both_kinds
@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_a_step_follows_the_bound_of_its_batch(kind, dropout):
    """The gradient that Adam gets is that of the log-likelihood less the divergence, under the same noise."""
    training = training_of(**KINDS[kind], sentence_dropout=dropout, batch_size=0, divergence_weight=0.7)
    learner = learner_of(training)
    learner.network.double()
    learner.parameters.data = learner.parameters.data.double()
    data, parameters = training.train[0].all(), list(learner.network.parameters())

    def bound() -> float:
        learner.noise.manual_seed(3)
        return float(learner.view(data, training=True).problem.log_partition().mean())

    learner.noise.manual_seed(3)
    view = learner.view(data, training=True)
    counts = learner.counts(data, view.problem.expect())
    gradients = view.pull_back(*(torch.from_numpy(part / -len(CORPUS)) for part in counts.parts))
    step, rng = 1e-5, np.random.default_rng(0)
    for parameter, gradient in zip(parameters, gradients, strict=True):
        place = tuple(rng.integers(parameter.shape))
        was, ends = float(parameter.data[place]), []
        for there in (was + step, was - step):
            parameter.data[place] = there
            ends.append(bound())
        parameter.data[place] = was
        assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(-float(gradient[place]), rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("first", [7, 10], ids=["two", "one and nothing"])
def test_shares_of_a_batch_have_their_parts_of_its_divergence(first):
    training, batch = training_of(variational=True, sentence_dropout=0.0), np.arange(10)
    learner = learner_of(training)

    def of_divergence(share: np.ndarray) -> np.ndarray:
        data, _ = training.train[0].take(share, among=batch)
        rules, pull_back = learner.rules(data, learner.noise)
        gradients = pull_back(*(torch.zeros_like(part) for part in rules))
        return torch.cat([gradient.flatten() for gradient in gradients]).numpy()

    whole = of_divergence(batch)
    assert np.abs(whole).max() > 0
    np.testing.assert_allclose(of_divergence(batch[:first]) + of_divergence(batch[first:]), whole, atol=1e-6)


def test_the_bound_is_the_likelihood_under_the_mean_less_the_divergence():
    training = training_of(variational=True)
    learner, data = learner_of(training), training.train[0].all()
    with torch.no_grad():
        rules, divergence = learner.network.rules_of(data.batch)
    told, without = learner.view(data).problem, learner.problem(rules, data)
    np.testing.assert_allclose(told.log_partition(), without.log_partition() - divergence.numpy(), rtol=1e-5)
    assert (divergence > 0).all()
    posteriors = told.posteriors(), without.posteriors()  # trees are as probable as without it
    np.testing.assert_allclose(posteriors[0].arc, posteriors[1].arc, atol=1e-9)


@both_kinds
@pytest.mark.parametrize("method", ["dmo", "em", "hard-em"])
def test_training_makes_sentences_more_probable(kind, method):
    training = training_of(**KINDS[kind], method=method, learning_rate=0.02, epochs=8, dev=HELD_OUT)
    rounds = [training.run_round() for _ in range(8)]
    assert rounds[-1].train > rounds[0].train + 0.5
    assert rounds[-1].dev is not None


def test_a_hidden_vector_that_costs_nothing_diverges_further():
    def divergence(weight: float) -> float:
        training = training_of(variational=True, divergence_weight=weight, learning_rate=0.02, sentence_dropout=0.0)
        for _ in range(15):
            training.run_round()
        with torch.no_grad():
            return learner_of(training).network.vectors(CORPUS.tags, CORPUS.offsets).divergence.mean().item()

    assert divergence(0.0) > 2 * divergence(1.0)


# ---------------------------------------------------------------- its own term, off and on


def test_without_a_vector_it_learns_the_grammar_of_jiang_et_al():
    """In batches, where the two learn alike."""
    jiang = {"model": "jiang-ndmv", **{name: SMALL[name] for name in ("tag_size", "valence_size", "batch_size")}}
    configuration = configure(jiang)
    learners = find(configuration.learning.entry.learners)(configuration.learning, configuration, CORPUS, 0)
    theirs = Training(configuration.learning, learners, CORPUS, None, 0, [RANDOM])
    ours = training_of(sentence_size=0)
    for _ in range(5):
        theirs.run_round()
        ours.run_round()
    table = learner_of(ours).model({}, best=False).rule_view().table
    for found, wanted in zip(table.parts, table_now(theirs).parts, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-4)


ENDS = tagged(*(f"{words} {end}" for words in ("A", "A A", "A A A", "A A A A") for end in ("L", "R")))
IN_TWO_WAYS = np.concatenate(  # after L every word hangs on the one before, after R on the one behind
    [np.arange(n) if k % 2 == 0 else np.arange(2, n + 2) % (n + 1) for k, n in enumerate(ENDS.lengths)]
)


def heads_learned(**values) -> np.ndarray:
    """The trees of a grammar that has learned nothing but these trees."""
    training = training_of(
        ENDS, Start("trees", IN_TWO_WAYS), start_epochs=200, learning_rate=0.02, sentence_dropout=0.0, **values
    )
    training.begin()
    learner = learner_of(training)
    return learner.view(training.train[0].all()).problem.best_trees().heads[0]


@pytest.mark.slow
@both_kinds
def test_the_vector_of_a_sentence_changes_its_tree(kind):
    """What the last word says reaches rules that do not see it. No grammar without the vector can know."""
    assert heads_learned(**KINDS[kind]).tolist() == IN_TWO_WAYS.tolist()
    assert heads_learned(sentence_size=0).tolist() != IN_TWO_WAYS.tolist()


# ---------------------------------------------------------------- starts and constraints


@pytest.mark.parametrize("start", [HARMONIC, CHAINS], ids=["grammar", "trees"])
def test_the_counts_of_a_start_are_those_of_its_grammar_or_trees(start):
    batch, table = tag_batch(Order.FIRST, CORPUS.tags, CORPUS.offsets, TAGS), harmonic_table(CORPUS)
    wanted = expectations(table, batch).counts if start.heads is None else tree_counts(table, batch, start.heads)
    training = training_of(start=start)
    (counts,) = training._start_counts(*2 * [np.arange(len(CORPUS))])
    head_tags, child = training.train[0].all().batch.head_tags, counts.child.reshape(2, -1, 2, TAGS)
    of_tags = [child[:, head_tags == tag].sum(axis=1) for tag in range(TAGS)]
    np.testing.assert_allclose(np.stack(of_tags, axis=1).reshape(-1, TAGS), wanted.child, atol=1e-9)
    np.testing.assert_allclose(counts.root, wanted.root, atol=1e-9)


def test_non_heads_head_nothing_while_it_learns():
    corpus = tagged("N D V D", "D N V", "V D")
    training = training_of(corpus, non_heads=("D",))
    heads = learner_of(training).view(training.train[0].all()).problem.best_trees().heads[0]
    of_head = corpus.tags[np.repeat(corpus.offsets[:-1], corpus.lengths) + heads - 1][heads > 0]
    assert {corpus.tag_vocabulary[tag] for tag in of_head.tolist()} <= {"N", "V"}


# ---------------------------------------------------------------- a run


@pytest.mark.parametrize("below", ["dmv", "ndmv", "jiang-ndmv"])
def test_it_stands_on_a_ladder(below):
    run = Run(configure(SMALL | {"ladder": (below,), "epochs": 2, "start_epochs": 1}), CORPUS)
    model, finished = run.go()
    assert finished and model.kind == "sentences"
    assert [line["model"] for line in run.history if line["round"] == 1] == [below, "d-ndmv"]


def test_the_models_of_its_ladder_have_a_learning_rate_of_their_own():
    values = {"ladder": ("dmv", "ndmv"), "learning_rate": 0.02, "ladder_learning_rate": 0.003}
    settings = configure(SMALL | values).learning
    assert [getattr(settings.of_rung(number), "learning_rate", None) for number in range(3)] == [None, 0.003, 0.02]


def test_the_model_is_the_best_that_it_was():
    training = training_of(dev=HELD_OUT, learning_rate=0.05, epochs=12, patience=12)
    rounds = [training.run_round() for _ in range(12)]
    best = max(one.dev for one in rounds if one.dev is not None)
    kept, now = (learner_of(training).model({}, best=best_one) for best_one in (True, False))
    assert kept.problem(HELD_OUT).log_partition().mean() == pytest.approx(best, abs=1e-5)
    assert now.problem(HELD_OUT).log_partition().mean() == pytest.approx(rounds[-1].dev, abs=1e-5)


KILLED = {"in its start": [("start", 0)], "twice": [("round", 1), ("round", 3)]}


def run_in(directory: Path | None) -> Run:
    values = SMALL | {"variational": True, "epochs": 4, "start_epochs": 1}
    return Run(configure(values), CORPUS, HELD_OUT, directory=directory)


@pytest.mark.slow
def test_a_killed_training_goes_on_to_the_same_model(tmp_path):
    require_the_same_after_kills(tmp_path, run_in, KILLED)


@pytest.mark.parametrize("method", ["dmo", "hard-em"])
def test_a_stopped_training_goes_on_to_the_same_model(tmp_path, method):
    values = SMALL | {"method": method, "variational": method == "dmo", "epochs": 4, "start_epochs": 1}
    require_the_same_after_a_stop(tmp_path, lambda place: Run(configure(values), CORPUS, directory=place), 2)


def test_the_seed_decides_all(tmp_path):
    values = SMALL | {"variational": True, "epochs": 2}
    for name, seed in (("one", 1), ("again", 1), ("other", 2)):
        Run(configure(values | {"seed": seed}), CORPUS, directory=tmp_path / name).go()
    numbers = {name: model_files(tmp_path / name) for name in ("one", "again", "other")}
    assert numbers["one"] == numbers["again"] != numbers["other"]


def test_best_trees_of_a_stack_are_those_of_single_tables():
    training = training_of()
    learner, data = learner_of(training), training.train[0].all()
    found = learner.view(data).problem.best_trees().heads[0]
    with torch.no_grad():
        vectors = learner.network.vectors(CORPUS.tags, CORPUS.offsets).s.numpy()
    for number, (a, b) in enumerate(zip(CORPUS.offsets, CORPUS.offsets[1:], strict=False)):
        batch = tag_batch(Order.FIRST, CORPUS.tags[a:b], np.array([0, b - a]), TAGS)
        table = learner.network.table_under(vectors[number])
        assert best_trees(table, batch).heads[0].tolist() == found[a:b].tolist()
