"""The CRF autoencoder sums over the trees that there are, climbs its objective, and is a model like all others."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cli.demo_parts import demo_part, depinduce
from learning.autoencoded import SENTENCES, SMALL, Random, Told
from learning.killed import require_the_same_after_a_stop, require_the_same_after_kills
from learning.tagged import RULES, random_sentences, tagged
from learning.trainings import CORPUS, HELD_OUT

from depinduce.corpus import Corpus
from depinduce.errors import DepinduceError
from depinduce.learning.learners.crf import Attachments, CrfLearner
from depinduce.learning.learners.learner import Start
from depinduce.learning.run import Run
from depinduce.learning.settings.configuration import configure
from depinduce.learning.settings.crf import CrfSettings
from depinduce.learning.training import LikelihoodFell, Training
from depinduce.models.crf_model import CrfModel
from depinduce.models.loading import load_model
from depinduce.models.places import INNER
from depinduce.parsing.decoding import Parsing, parse_corpus

QUICK = {"model": "crfae", "iterations": 3, "encoder_passes": 2, "start_passes": 1, "step_sentences": 10}


# ---------------------------------------------------------------- how it learns


def test_the_gradient_is_that_of_the_best_trees_of_now():
    made, step = Random(seed=5), 1e-5
    learner, data = made.learner, made.learner.sentences(SMALL, "training").all()
    gradient = learner.gradient(made.parameters, data)
    trees = [one.best for one in made.told()]
    names = np.random.default_rng(0).permutation(len(made.places))[:40]
    for name in np.array([*made.places], dtype=object)[names]:
        values = []
        for change in (step, -step):
            weights = made.weights | {name: made.weights[name] + change}
            told = [Told(one.split(), weights, made.decoder) for one in SENTENCES]
            values.append(
                sum(one.encoded[one.trees.index(tree)] - one.log_z for one, tree in zip(told, trees, strict=True))
            )
        assert gradient[made.places[name]] == pytest.approx((values[0] - values[1]) / (2 * step), abs=1e-6)


def test_the_decoder_is_the_relative_frequencies_of_trees():
    learner = Random(seed=6).learner
    heads = np.array([2, 3, 0, 0, 2, 0, 2, 1, 0, 1, 2, 3, 4, 2, 0, 0, 1, 2, 3, 4])
    assert len(heads) == len(SMALL.tags)
    counts = dict.fromkeys([(head, tag) for head in (*"NVDA", "ROOT") for tag in "NVDA"], 0.1)
    token = 0
    for sentence in SENTENCES:
        tags = sentence.split()
        for tag in tags:
            counts["ROOT" if heads[token] == 0 else tags[heads[token] - 1], tag] += 1
            token += 1
    data = learner.sentences(SMALL, "training").all()
    decoder = learner._decoder(data, Attachments.of_trees(heads, SMALL.offsets))
    for row, head in enumerate((*learner.tags, "ROOT")):
        total = sum(counts[head, tag] for tag in "NVDA")
        assert np.exp(decoder[row]) == pytest.approx([counts[head, tag] / total for tag in learner.tags])


def test_the_harmonic_start_gives_every_word_one_head():
    wanted = Attachments.harmonic(CORPUS.offsets)
    arc = 0
    for start, end in zip(CORPUS.offsets[:-1], CORPUS.offsets[1:], strict=True):
        length = end - start
        block = wanted.arc[arc : arc + length**2].reshape(length, length)
        assert block.sum(axis=0) + wanted.root[start:end] == pytest.approx(np.ones(length))
        if length > 2:
            assert block[1, 0] == pytest.approx(2 * block[2, 0])
        arc += length**2


def training(corpus: Corpus = CORPUS, start: Start | None = None, **settings) -> Training:
    own = CrfSettings(**QUICK | settings)
    made = Training(own, [CrfLearner(own, corpus, seed=0)], corpus, starts=None if start is None else [start])
    made.begin()
    return made


@pytest.mark.parametrize("init", ["harmonic", "random"])
@pytest.mark.filterwarnings(f"error::{LikelihoodFell.__module__}.{LikelihoodFell.__name__}")
def test_the_objective_does_not_fall(init):
    made = training(init=(init,), iterations=8)
    objectives = [made.run_round().objective for _ in range(8)]
    assert (np.diff(objectives) > -1e-6).all()
    assert objectives[-1] > objectives[0] + 10
    (learner,) = made.learners
    assert isinstance(learner, CrfLearner)
    assert learner.objective(learner.sentences(CORPUS, "training").all()) >= objectives[-1] - 1e-6


def test_passes_that_lower_the_objective_are_undone(monkeypatch):
    made = training()
    (learner,) = made.learners
    assert isinstance(learner, CrfLearner)
    weights, random = learner.now.weights, np.random.default_rng(0)
    monkeypatch.setattr(learner, "_climbed", lambda data, passes: np.append(random.normal(size=len(weights) - 1), 0.0))
    decoder = learner.now.decoder
    made.run_round()
    assert learner.now.weights is weights
    assert not np.array_equal(learner.now.decoder, decoder)
    assert learner.rate == made.settings.learning_rate / 2


def test_passes_are_those_of_a_plain_loop_in_which_200_sentences_pay_the_price_once():
    """AdaGrad and FOBOS, one feature after another."""
    made = training(start_passes=0, step_sentences=15, sparse_weights=4.0)
    (learner,) = made.learners
    assert isinstance(learner, CrfLearner)
    data, order = learner.sentences(CORPUS, "training").all(), np.random.default_rng([0, 0])
    weights, squares = [0.0] * len(learner.now.weights), [0.0] * len(learner.now.weights)
    for _ in range(2):
        shuffled = order.permutation(len(CORPUS))
        for first in range(0, len(CORPUS), 15):
            some = shuffled[first : first + 15]
            gradient = learner.gradient(replace(learner.now, weights=np.array(weights)), data.take(some))
            for feature, slope in enumerate(gradient.tolist()):
                if slope != 0:
                    squares[feature] += slope**2
                if squares[feature] > 0:
                    rate = learner.settings.learning_rate / math.sqrt(squares[feature])
                    there = weights[feature] + rate * slope
                    paid = rate * 4.0 * len(some) / 200
                    weights[feature] = math.copysign(max(abs(there) - paid, 0.0), there)
    weights[-1] = 0.0
    assert learner._climbed(data, 2) == pytest.approx(weights, abs=1e-6)
    assert np.count_nonzero(weights) > 100


def test_twice_the_text_pays_twice_the_price():
    paid, sentences = [], random_sentences(3)
    for corpus in (tagged(*sentences), tagged(*2 * sentences)):
        (learner,) = training(corpus, start_passes=0).learners
        assert isinstance(learner, CrfLearner)
        before = learner.beside_likelihood()
        learner.now = replace(learner.now, weights=np.full_like(learner.now.weights, 0.5))
        paid.append((before - learner.beside_likelihood()) / len(learner.now.weights))
    once = 0.5 * 2.5 * len(sentences) / 200
    assert paid == pytest.approx([once, 2 * once])


def test_a_price_on_weights_leaves_fewer():
    used = {}
    for price in (0.0, 3.0):
        made = training(sparse_weights=price)
        made.run_round()
        used[price] = np.count_nonzero(made.learners[0].now.weights)
    assert used[3.0] < 0.5 * used[0.0]


def test_it_learns_given_trees():
    chains = np.concatenate([np.arange(n) for n in CORPUS.lengths])  # each word hangs on the one before
    made = training(start=Start("trees", chains), start_passes=20, sparse_weights=0.01)
    model = made.learners[0].model({}, best=False)
    assert np.mean(parse_corpus(model, CORPUS, Parsing()) == chains) > 0.97


def test_rules_are_worth_something_in_training_and_nothing_without_weight(tmp_path):
    rules = tmp_path / "rules.toml"
    rules.write_text(RULES, "utf-8")
    trees = {}
    for name, more in {
        "none": {},
        "nothing": {"rules": str(rules), "rules_weight": 0.0},
        "much": {"rules": str(rules), "rules_weight": 50.0},
    }.items():
        made = training(**more)
        made.run_round()
        model = made.learners[0].model({}, best=False)
        trees[name] = parse_corpus(model, CORPUS, Parsing()).tolist()
    assert trees["none"] == trees["nothing"] != trees["much"]


@pytest.mark.parametrize(
    "bad", [{"init": ("uniform",)}, {"smoothing": 0.0}, {"learning_rate": 0.0}, {"rules": "ud", "rules_share": 0.5}]
)
def test_settings_that_cannot_be_are_refused(bad):
    with pytest.raises(DepinduceError):
        CrfSettings(model="crfae", **bad)


# ---------------------------------------------------------------- as a model


def crf_run(directory: Path | None) -> Run:
    return Run(configure(QUICK | {"non_heads": ("D",), "patience": 9}), CORPUS, HELD_OUT, directory)


def test_the_model_in_the_file_is_the_one_that_was_trained(tmp_path):
    model, _ = crf_run(tmp_path / "run").go()
    loaded = load_model(tmp_path / "run")
    assert isinstance(model, CrfModel)
    assert isinstance(loaded, CrfModel)
    assert np.count_nonzero(loaded.parameters.weights) == len(loaded.features) > 50
    one, other = (made.problem(HELD_OUT).log_partition() for made in (model, loaded))
    assert one.tobytes() == other.tobytes()
    assert one.mean() == pytest.approx(max(line["dev"] for line in model.history["rounds"]))


def test_a_stopped_training_goes_on_to_the_same_model(tmp_path):
    require_the_same_after_a_stop(tmp_path, crf_run, 2)


@pytest.mark.slow
def test_a_killed_training_ends_as_if_it_was_not(tmp_path):
    killed = {"in its start": [("start", 0)], "on the way": [("round", 1), ("round", 3)]}
    require_the_same_after_kills(tmp_path, crf_run, killed)


@pytest.mark.slow
def test_the_commands_know_it(tmp_path, capsys):
    train, dev = demo_part(tmp_path / "train.conllu"), demo_part(tmp_path / "dev.conllu", "dev", 20)
    out = tmp_path / "crf"
    quick = ["--model", "crfae", "--iterations", 2, "--set", "encoder_passes=1", "--non-heads", "ud"]
    assert depinduce("train", *quick, "--train", train, "--seeds", "0-1", "--jobs", 1, "--out", out) == 0
    assert depinduce("train", *quick, "--train", train, "--seeds", "0-1", "--jobs", 1, "--out", out, "--resume") == 0
    assert depinduce("parse", out, dev, "--out", tmp_path / "parsed.conllu", "--posteriors") == 0
    assert depinduce("parse", out / "seed-0", dev, "--k-best", 3, "--out", tmp_path / "several.conllu") == 0
    assert depinduce("evaluate", dev, tmp_path / "parsed.conllu") == 0
    assert depinduce("report", out / "seed-0" / INNER, "--gold", dev, "--out", tmp_path / "report.html") == 0
    capsys.readouterr()
    assert depinduce("inspect", out / "seed-0", "--head", "VERB") == 0
    assert "weights of features" in capsys.readouterr().out.replace("\n", " ")
