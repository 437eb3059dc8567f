"""What a new language learns besides its order: a grammar of its own, which joins if it agrees, and a student."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from learning.killed import interrupted, killed_runs, require_finish
from learning.languages import TAGS, language, universal_of

from depinduce.chart.problems import mean_posteriors
from depinduce.corpus.known_heads import KnownHeads
from depinduce.errors import DepinduceError
from depinduce.learning import ladder
from depinduce.learning.given_trees import tell_the_optimum
from depinduce.learning.languages import text_of
from depinduce.learning.run import Progress, Run
from depinduce.learning.settings.configuration import configure
from depinduce.models.committee_model import CommitteeModel
from depinduce.models.loading import load_model
from depinduce.models.places import INNER, MEMBERS, METRICS, NUMBERS
from depinduce.models.tag_model import GrammarModel
from depinduce.parsing.consensus import minimum_risk_trees
from depinduce.parsing.decoding import Parsing, parse_corpus

UNIVERSAL = universal_of(("final", "initial", "mixed"))
CORPUS, HEADS = language("final", 40, seed=7)
RECIPES = {
    "own.toml": {"model": "dmv-sibling", "ladder": ("dmv",), "iterations": 3, "prior_strength": 10.0},
    "student.toml": {"model": "dmv-sibling", "ladder": ("dmv-grand",), "iterations": 2},
}
VALUES = {
    "model": "committee", "init": ("universal",), "own_recipe": "own.toml", "student_recipe": "student.toml",
    "iterations": 4, "fewest_sentences": 40, "least_agreement": 0.0,
}  # fmt: skip
ROUNDS = {"order-free": 4, "own": 6, "student": 4}


def run_of(directory: Path | None = None, corpus=CORPUS, recipes=RECIPES, **changed) -> Run:
    """Four rounds of an order-free grammar, two rungs of three for one of its own, two of two for the student."""
    with patch.object(ladder, "load_recipe", recipes.__getitem__):
        return Run(configure(VALUES | changed), corpus, directory=directory, universal=UNIVERSAL)


def trained(**changed):
    model, finished = run_of(**changed).go()
    assert finished
    return model


def files(directory: Path) -> list[tuple[str, bytes | list]]:
    """The numbers of all members, and the rounds of each."""
    found = [(str(path), path.read_bytes()) for path in sorted((directory / INNER).rglob(NUMBERS))]
    lines = [json.loads(line) for line in (directory / METRICS).read_text("utf-8").splitlines()]
    rounds = [{name: line[name] for name in ("rung", "part", "member", "round", "train")} for line in lines]
    return [(path.removeprefix(str(directory)), data) for path, data in found] + [(METRICS, rounds)]


def same(one: GrammarModel, other: GrammarModel) -> bool:
    return all(a.tobytes() == b.tobytes() for a, b in zip(one.table.parts, other.table.parts, strict=True))


# ---------------------------------------------------------------- its members


def test_the_first_two_members_are_what_each_would_be_alone():
    model = trained()
    assert isinstance(model, CommitteeModel)
    assert list(model.members) == list(MEMBERS)
    order_free = Run(configure({"model": "order-free", "init": ("universal",), "iterations": 4}), CORPUS)
    with patch("depinduce.learning.learners.order_free.load_universal", lambda: UNIVERSAL):
        assert same(order_free.go()[0], model.members["order-free"])
    own, _ = Run(configure(RECIPES["own.toml"]), text_of(CORPUS)).go()
    assert same(own, model.members["own"])


def opinion(model: CommitteeModel, name: str):
    """What a member thinks of the training sentences, in its own tags."""
    member = model.members[name]
    return member.problem(replace(CORPUS, tags=member.tags.ids(TAGS)[CORPUS.tags])).posteriors()


def test_an_own_grammar_that_has_learned_from_trees_need_not_agree():
    few, enough = (2, 30)
    for trees, joins in ((few, False), (enough, True)):
        known = np.where(np.arange(len(CORPUS.tags)) < CORPUS.offsets[trees], HEADS, -1)
        corpus = replace(CORPUS, known=KnownHeads.of(known, [()] * len(known)))
        assert tell_the_optimum(corpus) is joins
        model = trained(corpus=corpus, least_agreement=1.0)
        assert model.history["committee"]["agreement"] < 1.0 and ("own" in model.members) is joins


@pytest.mark.parametrize("joins", [True, False])
def test_the_own_grammar_joins_if_it_agrees_and_the_student_learns_from_those_who_do(joins):
    both = trained()
    trees = {name: minimum_risk_trees(opinion(both, name), CORPUS.offsets) for name in ("order-free", "own")}
    agreement = float(np.mean(trees["order-free"] == trees["own"]))
    assert 0.1 < agreement < 0.95  # so that there is something to decide
    model = trained(least_agreement=agreement if joins else agreement + 0.001)
    assert list(model.members) == (list(MEMBERS) if joins else ["order-free", "student"])
    told = model.history["committee"]
    assert told["agreement"] == pytest.approx(agreement) and told["own_joined"] == joins
    assert told["languages"] == ["final", "initial", "mixed"]
    start = trees["order-free"]
    if joins:
        start = minimum_risk_trees(mean_posteriors([opinion(both, "order-free"), opinion(both, "own")]), CORPUS.offsets)
        assert not np.array_equal(start, trees["order-free"])
    alone = Run(configure(RECIPES["student.toml"] | {"init": ("trees", "given")}), text_of(CORPUS))
    with patch.object(alone, "start_trees", lambda init, rung=None: start):
        assert same(alone.go()[0], model.members["student"])


@pytest.mark.parametrize("why", ["few sentences", "no torch"])
def test_little_text_or_no_torch_leaves_the_order_free_grammar_alone(why, recwarn):
    committee = trained()
    if why == "few sentences":
        model = trained(fewest_sentences=41)
        assert not recwarn.list
    else:
        neural = {name: {"model": "ndmv"} for name in RECIPES}
        with patch.object(ladder, "find_spec", lambda name: None):
            model = trained(recipes=neural)
        (warning,) = recwarn.list
        assert "torch is not installed: only the order-free grammar is learned" in str(warning.message)
    assert isinstance(model, GrammarModel)
    assert same(model, committee.members["order-free"])
    assert model.history["settings"]["model"] == model.history["model"] == "order-free"


def test_a_text_that_lacks_tags_of_the_universal_grammar_is_parsed_by_all_members():
    corpus = CORPUS.select(np.bincount(np.repeat(np.arange(40), CORPUS.lengths), CORPUS.tags == TAGS.id("A")) == 0)
    model = trained(corpus=corpus, fewest_sentences=2)
    assert set(model.tags) == set(TAGS)
    assert set(model.members["own"].tags) == set(TAGS) - {"A"}
    assert (parse_corpus(model, CORPUS, Parsing()) >= 0).all()


# ---------------------------------------------------------------- as a run


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """The directory of a run that nobody stopped."""
    directory = tmp_path_factory.mktemp("whole") / "run"
    assert run_of(directory).go()[1]
    return directory


def test_the_metrics_tell_whose_round_it_was(whole):
    (_, lines) = files(whole)[-1]
    assert [line["part"] for line in lines] == [part for part, rounds in ROUNDS.items() for _ in range(rounds)]
    assert [line["rung"] for line in lines] == [0] * 4 + [1] * 3 + [2] * 3 + [3] * 2 + [4] * 2
    model = load_model(whole)
    assert len(model.history["rounds"]) == 14
    for part, rounds in ROUNDS.items():
        assert len(model.members[part].history["rounds"]) == rounds
    assert model.members["student"].history["settings"]["init"] == ["model", "committee"]


def test_progress_counts_the_rounds_of_all_members():
    seen: list[Progress] = []
    run_of().go(seen.append)
    assert [progress.done for progress in seen] == list(range(1, 15))
    assert {progress.total for progress in seen} == {14}
    names = dict.fromkeys(str(progress.rung) for progress in seen)
    own = ["own, dmv", "own, dmv-sibling", "student, dmv-grand", "student, dmv-sibling"]
    assert list(names) == ["order-free", *own]


TWO = ["order-free", "own"]


@pytest.mark.parametrize(("stop_at", "members"), [(2, []), (4, []), (5, []), (10, []), (11, TWO), (14, TWO)])
def test_an_interrupted_run_keeps_what_is_finished_and_goes_on(stop_at, members, whole, tmp_path):
    model = interrupted(run_of(tmp_path / "run"), stop_at)
    assert list(model.parts) == members
    assert load_model(tmp_path / "run").history["finished"] is False
    assert (parse_corpus(model, CORPUS, Parsing()) >= 0).all()
    require_finish(run_of(tmp_path / "run"))
    assert files(tmp_path / "run") == files(whole)


KILLED = {
    "in the order-free grammar": [("round", 3)],
    "before the own one": [("start", 1)],
    "in its ladder": [("round", 7)],
    "between it and the student": [("round", 10)],
    "in the start of the student": [("start", 3)],
    "in the student": [("round", 12)],
    "again and again": [("start", 0), ("round", 4), ("start", 2), ("round", 11), ("round", 14)],
}


@pytest.fixture(scope="module")
def killed(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("killed")
    killed_runs(folder, run_of, KILLED)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("when", KILLED)
def test_a_killed_run_of_a_committee_ends_as_if_it_was_not(when, whole, killed, tmp_path):
    directory = Path(shutil.copytree(killed / when, tmp_path / "run"))
    require_finish(run_of(directory))
    assert files(directory) == files(whole)


def test_another_recipe_of_the_same_name_is_refused_on_resume(tmp_path):
    interrupted(run_of(tmp_path / "run"), 6)
    others = RECIPES | {"own.toml": RECIPES["own.toml"] | {"prior_strength": 20.0}}
    with pytest.raises(DepinduceError, match=r"own.toml was another: prior_strength was 10.0, is 20.0"):
        run_of(tmp_path / "run", recipes=others).resume()


@pytest.mark.parametrize("name", ["own", "order-free"])
def test_a_grammar_that_another_run_has_trained_is_taken_over(name, whole):
    model = load_model(whole)
    run, seen = run_of(), []
    run.take_over(name, model.members[name])
    found, finished = run.go(seen.append)
    assert finished and len(seen) == 14 - ROUNDS[name]
    assert {progress.total for progress in seen} == {14 - ROUNDS[name]}
    assert list(found.members) == list(MEMBERS)  # the first one knows the tags of all
    for member in MEMBERS:
        assert same(found.members[member], model.members[member])
    with pytest.raises(ValueError, match="the grammar own has other tags"):
        run_of().take_over("own", UNIVERSAL.universal)


def test_held_out_sentences_and_recipes_over_words_are_refused():
    with pytest.raises(DepinduceError, match="--dev: likelihood does not tell when committee should stop"):
        Run(configure(VALUES), CORPUS, CORPUS)
    with pytest.raises(DepinduceError, match="own_recipe own.toml: lexical is no grammar over tags"):
        run_of(recipes=RECIPES | {"own.toml": {"model": "lexical"}})
    for wrong in ({"least_agreement": 1.5}, {"fewest_sentences": -1}):
        with pytest.raises(DepinduceError, match=f"--{next(iter(wrong)).replace('_', '-')}"):
            configure(VALUES | wrong)


def test_a_run_that_was_begun_without_torch_becomes_a_committee_with_it(whole, tmp_path):
    with (
        patch.object(ladder, "find_spec", lambda name: None),
        pytest.warns(UserWarning, match="torch is not installed"),
    ):
        alone = run_of(tmp_path / "run", recipes={name: {"model": "ndmv"} for name in RECIPES})
    assert isinstance(alone.go()[0], GrammarModel)
    require_finish(run_of(tmp_path / "run"))
    assert files(tmp_path / "run") == files(whole)
