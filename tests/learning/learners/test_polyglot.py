"""Many languages that pool which tags head which: what they learn from, and that nothing of it is lost on the way."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from learning.killed import interrupted, killed_runs, require_finish
from learning.languages import language, share_right, together

from depinduce.chart.engine import expectations, trees_of_posteriors
from depinduce.errors import DepinduceError
from depinduce.grammar.headedness import FirstOrder, Headedness, OrderFree
from depinduce.grammar.multinomials import uniform_counts
from depinduce.grammar.rules import Order, RuleTable
from depinduce.grammar.stacked import stacked
from depinduce.grammar.trees import tree_counts
from depinduce.learning import ladder
from depinduce.learning.languages import text_of, words_of
from depinduce.learning.learners.learner import Start
from depinduce.learning.learners.polyglot import PolyglotLearner
from depinduce.learning.minibatches import Minibatches
from depinduce.learning.run import Run
from depinduce.learning.settings.configuration import configure
from depinduce.learning.settings.order_free import PolyglotSettings
from depinduce.learning.training import Training
from depinduce.models.loading import load_model
from depinduce.models.places import INNER, METRICS, NUMBERS
from depinduce.parsing.decoding import Parsing, parse_corpus

DRAWN = {order: language(order, 40, seed) for seed, order in enumerate(("final", "initial", "mixed"))}
CORPUS = together({name: corpus for name, (corpus, _) in DRAWN.items()})
HEADS = np.concatenate([heads for _, heads in DRAWN.values()])
SIZES = np.array([40, 40, 40])


def settings(**values) -> PolyglotSettings:
    return PolyglotSettings(**{"model": "polyglot", "iterations": 3, "poolings": 3} | values)


# ---------------------------------------------------------------- what is learned


def by_hand(own: PolyglotSettings, heads: np.ndarray) -> tuple[RuleTable, Headedness]:
    """The same in plain steps: pool, then EM around what the others have pooled, as often as wanted."""
    data = Minibatches(Order.FIRST, CORPUS, apart=True).all()
    trees = heads
    like = stacked([uniform_counts(Order.FIRST, 5)] * 3)
    for pooling in range(own.poolings):
        pool = Headedness.by_language(tree_counts(like, data.batch, trees), SIZES)
        grammar = OrderFree(pool.of_the_others(), own.strengths)
        table = grammar.start().table
        for iteration in range(own.iterations):
            counts = FirstOrder.of(expectations(table, data.batch).counts)
            table = grammar.estimate(counts, at_first=iteration < own.iterations / 2).table
        found = expectations(table, data.batch, positions=True)
        root, arc = found.root.copy(), found.arc.sum(axis=1)
        if pooling < own.voting:
            root[heads == 0] += own.votes
            arc[data.batch.arcs_of(heads)[heads > 0]] += own.votes
        trees = trees_of_posteriors(data.batch.offsets, root, arc).heads[0]
    return table, pool


@pytest.mark.parametrize("voting", [0, 1, 3])
def test_languages_pool_and_learn_in_turn(voting):
    own = settings(voting=voting)
    chains = np.concatenate([np.arange(n) for n in CORPUS.lengths])  # poor trees, so that everything matters
    learner = PolyglotLearner(own, CORPUS)
    training = Training(own, [learner], CORPUS, starts=[Start("trees", chains)])
    training.begin()
    while not training.finished:
        training.run_round()
    table, pool = by_hand(own, chains)
    assert training.round == 3 * 3 + 2
    assert np.array_equal(learner.table.child, table.child)
    assert np.array_equal(learner.pool.child, pool.child)


def test_every_language_learns_its_own_order():
    own = settings(iterations=10, decision_strength=30.0)  # drawn languages differ in decisions, too
    learner = PolyglotLearner(own, CORPUS)
    training = Training(own, [learner], CORPUS, starts=[Start("trees", HEADS)])
    training.begin()
    while not training.finished:
        training.run_round()
    model = learner.model({})
    strangers = replace(CORPUS, language=np.full(len(CORPUS), -1))
    own_order, no_order = (share_right(parse_corpus(model, text, Parsing()), HEADS) for text in (CORPUS, strangers))
    assert own_order > 0.8
    assert own_order > no_order + 0.03


def test_the_text_of_a_language_is_as_if_it_was_read_alone():
    alone = together({"final": DRAWN["final"][0]})
    text = text_of(CORPUS, "final")
    assert text.tag_vocabulary == alone.tag_vocabulary
    assert np.array_equal(text.tags, alone.tags) and np.array_equal(text.offsets, alone.offsets)
    assert text.language is None


def test_a_text_without_languages_is_refused():
    with pytest.raises(DepinduceError, match="must know which is which: --train fr=fr.conllu"):
        PolyglotLearner(settings(), replace(CORPUS, language=None, languages=()))


# ---------------------------------------------------------------- as a run

VALUES = {"model": "polyglot", "init": ("recipe", "ud-dmv.toml"), "iterations": 3, "poolings": 2}
OWN = {"model": "dmv-sibling", "ladder": ("dmv",), "init": ("harmonic",), "iterations": 3, "prior_strength": 10.0}


def run_of(directory: Path | None, **changed: float) -> Run:
    """Two rungs of three iterations for each of three languages, then two poolings: 18 + 7 rounds."""
    with patch.object(ladder, "load_recipe", lambda name: OWN | changed):
        return Run(configure(VALUES), CORPUS, directory=directory)


def files(directory: Path) -> tuple[bytes, list[dict]]:
    return (directory / INNER / NUMBERS).read_bytes(), load_model(directory).history["rounds"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """The directory of a run that nobody stopped."""
    directory = tmp_path_factory.mktemp("whole") / "run"
    assert run_of(directory).go()[1]
    return directory


def test_every_language_climbs_the_ladder_that_it_would_climb_alone(whole):
    lines = [json.loads(line) for line in (whole / METRICS).read_text("utf-8").splitlines()]
    assert len(lines) == 18 + 7
    for number, name in enumerate(CORPUS.languages):
        alone = Run(configure(OWN), together({name: DRAWN[name][0]}))
        alone.go()
        own = lines[6 * number : 6 * number + 6]
        assert [line["train"] for line in own] == [line["train"] for line in alone.history]
        assert {line["language"] for line in own} == {name}
    assert all("language" not in line for line in lines[18:])


def test_the_model_remembers_its_own_rounds_and_not_all_ladders(whole):
    model = load_model(whole)
    assert model.languages == ("final", "initial", "mixed")
    assert [line["model"] for line in model.history["rounds"]] == ["polyglot"] * 7


@pytest.mark.parametrize("stop_at", [7, 18, 22])
def test_an_interrupted_run_goes_on_where_it_was(stop_at, whole, tmp_path):
    model = interrupted(run_of(tmp_path / "run"), stop_at)
    assert model.languages == (() if stop_at <= 18 else CORPUS.languages)
    require_finish(run_of(tmp_path / "run"))
    assert files(tmp_path / "run") == files(whole)


KILLED = {
    "before the first rung": [("start", 0)],
    "in the second language": [("round", 8)],
    "between two languages": [("round", 12)],
    "before they learn together": [("start", 6)],
    "in the first EM": [("round", 19)],
    "at the pooling": [("round", 22)],
    "again and again": [("start", 0), ("round", 6), ("start", 4), ("round", 22), ("round", 25)],
}


@pytest.fixture(scope="module")
def killed(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("killed")
    killed_runs(folder, run_of, KILLED)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("when", KILLED)
def test_a_killed_run_of_many_languages_ends_as_if_it_was_not(when, whole, killed, tmp_path):
    directory = shutil.copytree(killed / when, tmp_path / "run")
    require_finish(run_of(directory))
    assert files(directory) == files(whole)


def test_another_recipe_of_the_same_name_is_refused_on_resume(tmp_path):
    interrupted(run_of(tmp_path / "run"), 1)
    with pytest.raises(DepinduceError, match=r"ud-dmv.toml was another: prior_strength was 10.0, is 20.0"):
        run_of(tmp_path / "run", prior_strength=20.0).resume()


def test_languages_can_start_from_given_trees():
    run = Run(configure(VALUES | {"init": ("trees", "trees.conllu"), "iterations": 10}), CORPUS)
    with patch.object(run, "start_trees", lambda init, rung=None: HEADS):
        model, finished = run.go()
    assert finished and len(model.history["rounds"]) == 21
    assert share_right(parse_corpus(model, CORPUS, Parsing()), HEADS) > 0.8


def test_held_out_sentences_and_recipes_over_words_are_refused():
    with pytest.raises(DepinduceError, match="--dev: likelihood does not tell when polyglot should stop"):
        Run(configure({"model": "polyglot"}), CORPUS, CORPUS)
    with pytest.raises(DepinduceError, match="ud-lexical: lexical is no grammar over tags"):
        Run(configure({"model": "polyglot", "init": ("recipe", "ud-lexical")}), CORPUS)


@pytest.mark.parametrize("model", ["crfae", "d-ndmv"])
def test_a_language_may_begin_with_the_trees_of_a_model_that_is_no_table_of_rules(model):
    own = {"model": model} | ({"iterations": 2} if model == "crfae" else {"epochs": 2, "start_epochs": 1})
    with patch.object(ladder, "load_recipe", lambda name: own):
        run = Run(configure(VALUES), CORPUS)
    for _ in DRAWN:
        run.climb()
    for name in DRAWN:
        text = text_of(CORPUS, name)
        (alone,) = [run.plan.learners(rung, None) for rung in run.rungs if rung.ladder == name]
        (rung,) = [rung for rung in run.rungs if rung.ladder == name]
        training = Training(rung.settings, alone, text, seed=rung.seed)
        training.begin()
        while not training.finished:
            training.run_round()
        trees = parse_corpus(alone[0].model({}), text, Parsing("mbr"))
        assert np.array_equal(run.heads[words_of(CORPUS, name)], trees)
    assert run.go()[1]
