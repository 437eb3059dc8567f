"""The feature DMV: without features it is the count DMV, with them tags of a class learn from each other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from learning.killed import require_the_same_after_a_stop, require_the_same_after_kills
from learning.tagged import random_sentences, tagged
from learning.trainings import count_training, same_table

from depinduce.chart.engine import best_trees, expectations, log_partition
from depinduce.corpus import Corpus
from depinduce.errors import DepinduceError
from depinduce.grammar.multinomials import random_counts
from depinduce.grammar.rules import Order, RuleCounts, RuleTable, tag_batch
from depinduce.learning.learners.features import FeatureLearner, make_learners
from depinduce.learning.learners.learner import Start
from depinduce.learning.run import Run
from depinduce.learning.settings.configuration import configure
from depinduce.learning.training import Training

WORDS = ["NOUN", "VERB", "DET", "ADP", "PROPN"]
CORPUS = tagged(*random_sentences(5, count=40, tags=WORDS))
TAGS = len(CORPUS.tag_vocabulary)
BATCH = tag_batch(Order.FIRST, CORPUS.tags, CORPUS.offsets, TAGS)
BASIC = {"model": "feature-dmv", "templates": (), "penalty": 0.0}
both_ways = pytest.mark.parametrize("optimiser", ["direct", "em"])


def training(corpus: Corpus = CORPUS, start: Start | None = None, **settings) -> tuple[Training, FeatureLearner]:
    """One that has begun."""
    configuration = configure({"model": "feature-dmv"} | settings)
    own = configuration.learning
    (learner,) = make_learners(own, configuration, corpus, 0)
    made = Training(own, [learner], corpus, starts=[start or Start(own.init[0])])
    made.begin()
    return made, learner


def probabilities(table: RuleTable) -> np.ndarray:
    return np.concatenate([np.exp(part).ravel() for part in table.parts])


# ---------------------------------------------------------------- without features: the count DMV


def test_without_features_and_penalty_an_m_step_gives_relative_frequencies():
    _, learner = training(**BASIC, optimiser="em", init=("uniform",), m_steps=300)
    counts = 50 * random_counts(Order.FIRST, TAGS, 4)
    learner.learn(None, counts, len(CORPUS))
    for part, found in zip(counts.parts, learner.table.parts, strict=True):
        np.testing.assert_allclose(np.exp(found), part / part.sum(axis=-1, keepdims=True), atol=1e-4)


@pytest.mark.parametrize(("init", "child_valence"), [("harmonic", True), ("harmonic", False), ("random", True)])
def test_without_features_and_penalty_em_is_that_of_the_count_dmv(init, child_valence):
    same = {"init": (init,), "iterations": 3, "child_valence": child_valence}
    made, learner = training(**BASIC, **same, optimiser="em", m_steps=200)
    counted = count_training(CORPUS, smoothing=0.0, **same)
    assert probabilities(learner.table) == pytest.approx(probabilities(counted.learners[0].table), abs=1e-9)
    for _ in range(3):
        one, other = made.run_round(), counted.run_round()
        assert one.objective == pytest.approx(other.objective, abs=1e-2)
    trees = [best_trees(table, BATCH).heads[0] for table in (learner.table, counted.learners[0].table)]
    assert (trees[0] == trees[1]).all()


def test_without_a_penalty_features_change_no_m_step():
    """Basic features can express every table, so that only a penalty makes others matter to EM."""
    counts, tables = 50 * random_counts(Order.FIRST, TAGS, 4), []
    for templates in ((), ("noun", "verb", "noun-verb", "back-off")):
        _, learner = training(templates=templates, penalty=0.0, optimiser="em", init=("uniform",), m_steps=300)
        learner.learn(None, counts, len(CORPUS))
        tables.append(probabilities(learner.table))
    np.testing.assert_allclose(*tables, atol=1e-4)


# ---------------------------------------------------------------- with features


def test_a_rare_noun_learns_from_other_nouns():
    """PROPN is seen once, below no determiner; nouns have one on their left."""
    counts = RuleCounts(np.ones(TAGS), np.zeros((4 * TAGS, TAGS)), np.zeros((4 * TAGS, 2)))
    noun, proper, det, verb = (CORPUS.tag_vocabulary.id(tag) for tag in ("NOUN", "PROPN", "DET", "VERB"))
    left = 2 * np.array([noun, proper, verb])  # rows of the first child on the left
    counts.child[left[0], det] = 100
    counts.child[left[2], noun] = 100
    found = {}
    for templates in ((), ("noun",)):
        _, learner = training(templates=templates, penalty=0.5, optimiser="em", init=("uniform",), m_steps=500)
        learner.learn(None, counts, len(CORPUS))
        found[templates] = np.exp(learner.table.child[left[1]])
    np.testing.assert_allclose(found[()], 1 / TAGS, atol=1e-3)  # nothing was seen, and the penalty prefers nothing
    assert found["noun",][det] > 0.5


@both_ways
def test_features_change_trees(optimiser):
    trees = []
    for templates in ((), ("noun", "verb", "noun-verb", "back-off")):
        made, learner = training(templates=templates, penalty=1.0, optimiser=optimiser)
        for _ in range(15):
            made.run_round()
        trees.append(best_trees(learner.table, BATCH).heads[0])
    assert 0.02 < np.mean(trees[0] != trees[1]) < 0.9


def test_a_larger_penalty_makes_smaller_weights():
    sizes = []
    for penalty in (0.01, 1.0, 100.0):
        made, learner = training(penalty=penalty, optimiser="em", iterations=5)
        for _ in range(5):
            made.run_round()
        sizes.append(np.abs(learner.weights).sum())
    assert sizes[0] > 1.5 * sizes[1] > 3 * sizes[2]


# ---------------------------------------------------------------- what is maximised


def objective(learner: FeatureLearner, weights: np.ndarray) -> float:
    """By its definition."""
    log_z = log_partition(learner.features.table(weights), BATCH)
    return float(log_z.sum()) - learner.settings.penalty * sum(weight**2 for weight in weights)


def test_the_gradient_of_the_likelihood_is_that_of_small_changes():
    _, learner = training(penalty=0.3, init=("random",))
    rng = np.random.default_rng(3)
    place = learner.weights + rng.normal(size=len(learner.weights))
    counts = expectations(learner.features.table(place), BATCH).counts
    gradient = learner.penalised(place, counts)[1]
    for _ in range(10):
        direction = rng.normal(size=len(place))
        ahead, behind = (objective(learner, place + side * 1e-5 * direction) for side in (1, -1))
        assert gradient @ direction == pytest.approx((ahead - behind) / 2e-5, rel=1e-4)


@both_ways
@pytest.mark.parametrize(("penalty", "init"), [(0.0, "random"), (0.1, "harmonic"), (3.0, "random")])
def test_the_objective_never_falls_and_is_what_it_says(optimiser, penalty, init):
    made, learner = training(optimiser=optimiser, penalty=penalty, init=(init,), iterations=8)
    told = []
    for _ in range(8):
        before = objective(learner, learner.weights)
        told.append(made.run_round().objective)
        assert told[-1] == pytest.approx(before, rel=1e-9)
    assert (np.diff(told) > -1e-9 * abs(told[0])).all()
    assert told[-1] > told[0] + 1


def test_the_direct_way_arrives_where_the_gradient_is_small():
    made, learner = training(penalty=0.5, iterations=300)
    for _ in range(300):
        made.run_round()
    counts = expectations(learner.table, BATCH).counts
    assert np.abs(learner.penalised(learner.weights, counts)[1]).max() < 0.05


def test_trees_can_be_the_start():
    chains = Start("trees", np.concatenate([np.arange(n) for n in CORPUS.lengths]))  # each word on the one before
    _, learner = training(start=chains)
    assert best_trees(learner.table, BATCH).heads[0].tolist() == chains.heads.tolist()


@both_ways
def test_tags_that_may_not_head_do_not(optimiser):
    made, learner = training(optimiser=optimiser, non_heads=("ud",))
    for _ in range(8):
        made.run_round()
    det = CORPUS.tag_vocabulary.id("DET")
    go = np.exp(learner.table.decision.reshape(2, TAGS, 2, 2)[:, det, 0, 1])
    assert (go < 0.05).all()


# ---------------------------------------------------------------- runs

KEPT = {"model": "feature-dmv", "iterations": 9, "penalty": 0.1, "non_heads": ("ud",)}


def direct_run(directory: Path | None) -> Run:
    return Run(configure(KEPT), CORPUS, directory=directory)


@both_ways
def test_a_stopped_training_goes_on_to_the_same_model(optimiser, tmp_path):
    values = configure(KEPT | {"optimiser": optimiser, "iterations": 6})
    require_the_same_after_a_stop(tmp_path, lambda place: Run(values, CORPUS, directory=place), 3)


@pytest.mark.slow
def test_a_killed_training_goes_on_to_the_same_model(tmp_path):
    moments = {"in the start": [("start", 0)], "on the way": [("round", 4), ("round", 4), ("round", 9)]}
    require_the_same_after_kills(tmp_path, direct_run, moments)


def test_it_is_a_rung_like_any_other():
    for values in ({"model": "dmv", "ladder": ("feature-dmv",)}, {"model": "feature-dmv", "ladder": ("dmv",)}):
        run = Run(configure(values | {"iterations": 3, "members": 2}), CORPUS)
        assert run.go()[1]
        assert [line["model"] for line in run.history][0] == values["ladder"][0]


def test_training_twice_gives_the_same_model():
    one, other = (Run(configure(KEPT), CORPUS).go()[0] for _ in range(2))
    assert same_table(one.table, other.table)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"templates": ("nouns",)}, "templates cannot have 'nouns'. Choose from: noun verb"),
        ({"optimiser": "adam"}, "--optimiser cannot be 'adam'. Choose from: direct, em."),
        ({"penalty": -1.0}, "--penalty must be at least 0"),
        ({"m_steps": 0}, "--m-steps must be at least 1"),
        ({"rules": "ud"}, "--rules are about expectations: they need --set optimiser=em."),
    ],
)
def test_impossible_settings_are_refused(wrong, message):
    with pytest.raises(DepinduceError) as refusal:
        configure({"model": "feature-dmv"} | wrong)
    assert message in str(refusal.value)
