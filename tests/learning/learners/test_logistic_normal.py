"""DMVs with logistic-normal priors: without variance they are the count DMV, without groups nothing is shared."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from learning.killed import require_the_same_after_a_stop, require_the_same_after_kills
from learning.tagged import random_sentences, tagged
from learning.trainings import count_training, same_table

from depinduce.chart.engine import best_trees, expectations, log_partition
from depinduce.errors import DepinduceError
from depinduce.grammar.rules import Order, RuleTable, tag_batch
from depinduce.learning.learners.learner import Start
from depinduce.learning.learners.logistic_normal import LogisticNormalLearner, make_learners
from depinduce.learning.run import Run
from depinduce.learning.settings.configuration import configure
from depinduce.learning.training import Training

WORDS = ["NOUN", "VERB", "DET", "ADP", "PROPN", "AUX"]
CORPUS = tagged(*random_sentences(7, count=40, tags=WORDS))
TAGS = len(CORPUS.tag_vocabulary)
BATCH = tag_batch(Order.FIRST, CORPUS.tags, CORPUS.offsets, TAGS)
EXPERTS = ("own", "shared")
either = pytest.mark.parametrize("experts", EXPERTS)


def training(start: Start | None = None, **settings) -> tuple[Training, LogisticNormalLearner]:
    """One that has begun."""
    configuration = configure({"model": "ln-dmv"} | settings)
    own = configuration.learning
    (learner,) = make_learners(own, configuration, CORPUS, 0)
    made = Training(own, [learner], CORPUS, starts=[start or Start(own.init[0])])
    made.begin()
    return made, learner


def trees(table: RuleTable) -> np.ndarray:
    return best_trees(table, BATCH).heads[0]


# ---------------------------------------------------------------- the rules of a sentence


def sentence_tables(learner: LogisticNormalLearner) -> list[RuleTable]:
    """The table of every sentence as an ordinary one: by loops over the layout."""
    table, layout, tables = learner.table_of_sentences(), learner.layout, []
    for sentence in range(len(CORPUS)):
        child, decision = np.zeros((4 * TAGS, TAGS)), np.zeros((4 * TAGS, 2))
        for row, (whose, kind) in enumerate(zip(layout.sentence, layout.kind, strict=True)):
            if whose == sentence:
                child[kind], decision[kind] = table.child[row], table.decision[row]
        tables.append(RuleTable(table.root[sentence * TAGS :][:TAGS], child, decision))
    return tables


@pytest.mark.parametrize("child_valence", [True, False])
def test_every_sentence_has_rules_of_its_own(child_valence):
    made, learner = training(experts="shared", child_valence=child_valence)
    for _ in range(3):
        made.run_round()
    ((whole, _),) = made.whole
    found = learner.view(whole).problem.expect()
    for number, table in enumerate(sentence_tables(learner)):
        first, last = CORPUS.offsets[number : number + 2]
        batch = tag_batch(Order.FIRST, CORPUS.tags[first:last], np.array([0, last - first]), TAGS)
        alone = expectations(table, batch)
        assert found.log_z[number] == pytest.approx(alone.log_z[0], rel=1e-9)
        rows = learner.layout.sentence == number
        np.testing.assert_allclose(found.counts.child[rows], alone.counts.child[learner.layout.kind[rows]], atol=1e-9)


@either
def test_it_starts_with_the_rules_of_a_count_model(experts):
    for init in ("harmonic", "random", "uniform"):
        _, learner = training(experts=experts, init=(init,))
        counted = count_training(CORPUS, init=(init,)).learners[0].table
        for one, other in zip(learner.table.parts, counted.parts, strict=True):
            np.testing.assert_allclose(np.exp(one), np.exp(other), atol=1e-9)


def test_trees_can_be_the_start():
    chains = Start("trees", np.concatenate([np.arange(n) for n in CORPUS.lengths]))  # each word on the one before
    _, learner = training(start=chains)
    assert trees(learner.table).tolist() == chains.heads.tolist()


# ---------------------------------------------------------------- what is switched off


@pytest.mark.parametrize("child_valence", [True, False])
@pytest.mark.parametrize("init", ["harmonic", "random"])
def test_without_variance_it_is_the_count_dmv(init, child_valence):
    same = {"init": (init,), "iterations": 4, "child_valence": child_valence}
    made, learner = training(**same, variance=1e-12)
    counted = count_training(CORPUS, smoothing=0.0, **same)
    for _ in range(4):
        one, other = made.run_round(), counted.run_round()
        assert one.train == pytest.approx(other.train, abs=1e-3)
    assert (trees(learner.table) == trees(counted.learners[0].table)).all()


@pytest.mark.parametrize("groups", [(), ("closed",)])
def test_without_groups_nothing_is_shared(groups):
    """And with one of function words, something is."""
    (one, own), (other, shared) = training(experts="own"), training(experts="shared", groups=groups)
    for _ in range(3):
        one.run_round(), other.run_round()
    assert same_table(own.table, shared.table) == (groups == ())


@either
def test_variance_changes_trees(experts):
    found = []
    for variance in (1e-12, 1.0):
        made, learner = training(variance=variance, experts=experts)
        for _ in range(12):
            made.run_round()
        found.append(trees(learner.table))
    assert 0.02 < np.mean(found[0] != found[1]) < 0.9


def test_sharing_changes_trees():
    found = []
    for experts in EXPERTS:
        made, learner = training(experts=experts, init=("random",))
        for _ in range(12):
            made.run_round()
        found.append(trees(learner.table))
    assert np.mean(found[0] != found[1]) > 0.02


def test_heads_of_a_group_have_an_expert_in_common_and_others_have_not():
    _, learner = training(experts="shared")
    child = learner.child
    assert child.group is not None and child.group_of_kind is not None
    by_head = child.group_of_kind.reshape(2, TAGS, 2)
    noun, proper, verb, aux, det = (CORPUS.tag_vocabulary.id(tag) for tag in ("NOUN", "PROPN", "VERB", "AUX", "DET"))
    assert (by_head[:, noun] == by_head[:, proper]).all() and (by_head[:, verb] == by_head[:, aux]).all()
    assert not np.intersect1d(by_head[:, noun], by_head[:, verb]).size
    assert (by_head[:, det] == -1).all()
    assert len(np.unique(by_head[:, noun])) == 4  # one for each direction and valence


# ---------------------------------------------------------------- what is maximised


@either
@pytest.mark.parametrize("variance", [0.01, 1.0])
def test_the_bound_never_falls(experts, variance):
    made, _ = training(experts=experts, variance=variance, iterations=12)
    told = [made.run_round().objective for _ in range(12)]
    assert (np.diff(told) > -1e-9 * abs(told[0])).all()
    assert told[-1] > told[0] + 1


def test_the_bound_is_below_the_likelihood():
    """The mean probability of a sentence under grammars drawn from the prior, which is its likelihood."""
    made, learner = training(variance=0.2, family_correlation=0.0)
    bound, rng, logs = learner.beside_likelihood(), np.random.default_rng(0), []
    ((whole, _),) = made.whole
    bound += learner.view(whole).problem.log_partition().sum()
    for _ in range(200):
        parts = []
        for distributions in (learner.root, learner.child, learner.decision):
            prior = distributions.own.prior
            drawn = prior.mean[distributions.own.kind] + np.sqrt(0.2) * rng.normal(size=distributions.own.mean.shape)
            parts.append(drawn - np.log(np.exp(drawn).sum(axis=1, keepdims=True)))
        table = RuleTable(parts[0].ravel(), parts[1], parts[2])
        logs.append(log_partition(table, learner.layout.batch))
    likelihood = np.logaddexp.reduce(logs, axis=0) - np.log(len(logs))
    assert bound < likelihood.sum() < bound + 0.2 * abs(bound)


def test_tags_that_may_not_head_do_not():
    made, learner = training(non_heads=("ud",))
    for _ in range(8):
        made.run_round()
    det = CORPUS.tag_vocabulary.id("DET")
    assert (np.exp(learner.table.decision.reshape(2, TAGS, 2, 2)[:, det, 0, 1]) < 0.15).all()


# ---------------------------------------------------------------- runs

KEPT = {"model": "ln-dmv", "experts": "shared", "iterations": 5, "non_heads": ("ud",)}


def shared_run(directory: Path | None) -> Run:
    return Run(configure(KEPT), CORPUS, directory=directory)


@either
def test_a_stopped_training_goes_on_to_the_same_model(experts, tmp_path):
    values = configure(KEPT | {"experts": experts})
    require_the_same_after_a_stop(tmp_path, lambda place: Run(values, CORPUS, directory=place), 3)


@pytest.mark.slow
def test_a_killed_training_goes_on_to_the_same_model(tmp_path):
    moments = {"in the start": [("start", 0)], "on the way": [("round", 2), ("round", 2), ("round", 5)]}
    require_the_same_after_kills(tmp_path, shared_run, moments)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"experts": "all"}, "--experts cannot be 'all'. Choose from: own, shared."),
        ({"groups": ("nouns",)}, "groups cannot have 'nouns'. Choose from: noun verb"),
        ({"variance": 0.0}, "--variance must be at least 1e-12"),
        ({"family_correlation": 1.0}, "family_correlation cannot be 1.0"),
        ({"belief_steps": 0}, "--belief-steps must be at least 1"),
    ],
)
def test_impossible_settings_are_refused(wrong, message):
    with pytest.raises(DepinduceError) as refusal:
        configure({"model": "ln-dmv"} | wrong)
    assert message in str(refusal.value)
