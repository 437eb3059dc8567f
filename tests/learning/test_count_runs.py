"""Ladders, members, seeds, watching and resuming are not for networks alone: count models have them, and mixed ladders.

What runs promise of networks is in `test_run`.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from corpus.blocks import block, write
from learning.killed import interrupted, killed_runs, require_finish
from learning.tagged import random_sentences
from learning.trainings import CORPUS, HELD_OUT, count_run, rounds_of, same_table, table_kept, trained_counts
from parameters import some_now
from parsing.agreement import agreed_trees

from depinduce.corpus import Corpus
from depinduce.errors import DepinduceError
from depinduce.grammar.rules import Order
from depinduce.learning.ladder import rungs
from depinduce.learning.learners.closed_form import CountLearner
from depinduce.learning.learners.learner import Start
from depinduce.learning.lesson import Lesson
from depinduce.learning.minibatches import Minibatches
from depinduce.learning.run import Progress, Run
from depinduce.learning.seeds import train_seeds
from depinduce.learning.settings.configuration import configure
from depinduce.learning.settings.counts import CountSettings
from depinduce.learning.training import Training
from depinduce.models.loading import load_model
from depinduce.models.model import Model
from depinduce.models.places import (
    CHECKPOINT,
    CONFIGURATION,
    DESCRIPTION,
    INNER,
    METRICS,
    NUMBERS,
    ROUNDS,
    SEEDS,
    kept_rounds,
    place_of_round,
    require_place_for_model,
)
from depinduce.parsing.decoding import Parsing, parse_corpus

# Two members of three iterations each, then a rung of three: nine rounds.
LADDER = {"model": "dmv-sibling", "ladder": ("dmv",), "members": 2, "init": ("random",), "iterations": 3}
NETWORK = {"size": 8, "child_rank": 5, "decision_rank": 4, "batch_size": 10, "learning_rate": 0.03, "start_epochs": 1}
MIXED = NETWORK | {"model": "sibling", "ladder": ("dmv",), "epochs": 2}


def run_of(values: dict, dev: Corpus | None = None, directory: Path | None = None, **options) -> Run:
    return Run(configure(values), CORPUS, dev, directory, **options)


def trained(values: dict, dev: Corpus | None = None, directory: Path | None = None, **options) -> Model:
    model, finished = run_of(values, dev, directory, **options).go()
    assert finished
    return model


@pytest.fixture
def starts(monkeypatch) -> list[np.ndarray | None]:
    """The trees that the rungs of a run start from, in their order."""
    seen: list[np.ndarray | None] = []
    begin = Training.begin
    monkeypatch.setattr(Training, "begin", lambda self: seen.append(self.starts[0].heads) or begin(self))
    return seen


# ---------------------------------------------------------------- ladders


def test_the_second_rung_starts_from_the_trees_of_the_first(starts):
    model = trained({"model": "dmv-sibling", "ladder": ("dmv",), "iterations": 4})
    first = trained_counts(CountSettings(iterations=4))
    none, trees = starts[:2]
    assert none is None  # harmonic
    assert np.array_equal(trees, agreed_trees([first.table], Minibatches(Order.FIRST, CORPUS).all().batch))
    assert model.order is Order.SIBLING
    found = [(line["rung"], line["model"], line["round"]) for line in model.history["rounds"]]
    assert found == [(0, "dmv", n) for n in (1, 2, 3, 4)] + [(1, "dmv-sibling", n) for n in (1, 2, 3, 4)]


@pytest.mark.parametrize("model", ["dmv-sibling", "dmv-grand"])
@pytest.mark.parametrize("prior_strength", [0.0, 50.0])
def test_a_ladder_is_the_same_as_its_rungs_trained_by_hand(model, prior_strength):
    values = {"iterations": 4, "prior_strength": prior_strength}
    ladder = trained({"model": model, "ladder": ("dmv",), **values})
    first = trained_counts(CountSettings(iterations=4))
    heads = agreed_trees([first.table], Minibatches(Order.FIRST, CORPUS).all().batch)
    settings = CountSettings(model=model, **values)
    by_hand = Training(settings, [CountLearner(settings, CORPUS)], CORPUS, starts=[Start("model", heads)])
    by_hand.begin()
    rounds_of(by_hand)
    assert same_table(ladder.table, table_kept(by_hand))


def test_members_differ_in_their_seed_and_their_agreement_is_the_start_of_the_next_rung(starts):
    configuration = configure(LADDER | {"members": 3})
    trained(LADDER | {"members": 3})
    trees = starts[3]
    tables = [trained_counts(rung.settings).table for rung in rungs(configuration.learning)[:3]]
    assert not any(same_table(one, other) for one, other in ((tables[0], tables[1]), (tables[1], tables[2])))
    batch = Minibatches(Order.FIRST, CORPUS).all().batch
    assert np.array_equal(trees, agreed_trees(tables, batch))


@pytest.mark.parametrize("rule", ["non_heads", "rules"])
def test_what_is_known_of_tags_holds_on_every_rung(rule, rules, starts):
    given = {"non_heads": ("D",)} if rule == "non_heads" else {"rules": rules, "rules_share": 0.7}
    model = trained({"model": "dmv-sibling", "ladder": ("dmv",), "iterations": 6} | given)
    if rule == "rules":
        matched = [line["matched"] for line in model.history["rounds"]]
        assert all(share >= 0.69 for (share,) in matched)
    else:
        assert model.non_heads == ("D",)
        for begin, end in zip(CORPUS.offsets[:-1], CORPUS.offsets[1:], strict=True):
            tags, tree = CORPUS.tags[begin:end], starts[1][begin:end]
            determiner = CORPUS.tag_vocabulary.id("D")
            assert (tags == determiner).all() or not (tags[tree[tree > 0] - 1] == determiner).any()


@pytest.mark.parametrize(
    ("values", "kinds"),
    [
        (MIXED, ["iteration"] * 50 + ["epoch"] * 2),
        (MIXED | {"model": "grand", "ladder": ("dmv", "sibling", "dmv-grand"), "epochs": 1}, None),
        ({"model": "dmv-sibling", "ladder": ("ndmv",), "iterations": 3}, ["epoch"] * 4 + ["iteration"] * 3),
    ],
    ids=["counts, then a network", "in turns", "a network, then counts"],
)
def test_counts_and_networks_can_be_rungs_of_one_ladder(values, kinds, starts):
    model = trained(values)
    models = (*values["ladder"], values["model"])
    assert list(dict.fromkeys(line["model"] for line in model.history["rounds"])) == list(models)
    if kinds is not None:
        assert ["epoch" if line["objective"] is None else "iteration" for line in model.history["rounds"]] == kinds
        assert model.history["round_name"] == kinds[-1]
    assert model.history["model"] == values["model"]
    assert len(starts) == len(models)
    assert all(trees is not None for trees in starts[1:])
    assert sorted(set(parse_corpus(model, CORPUS, Parsing()).tolist()))[0] == 0


def test_progress_counts_all_rounds_of_a_mixed_ladder():
    seen: list[Progress] = []
    run_of(MIXED | {"members": 2}).go(seen.append)
    assert [progress.done for progress in seen] == list(range(1, 103))
    assert {progress.total for progress in seen} == {102}
    assert [str(seen[number].rung) for number in (0, 50, 100)] == ["dmv 1/2", "dmv 2/2", "sibling"]


# ---------------------------------------------------------------- watching and seeds


def test_what_is_watched_decides_nothing_and_is_marked(tmp_path):
    seen = []

    def watch(model: Model) -> dict[str, float]:
        seen.append(model.order)
        return {"uas_15": float(len(seen))}

    plain = trained(LADDER)
    watched = trained(LADDER, directory=tmp_path / "run", watch=watch)
    assert same_table(plain.table, watched.table)
    assert seen == [Order.FIRST] * 6 + [Order.SIBLING] * 3
    assert (plain.history["watched"], watched.history["watched"]) == (False, True)
    assert [line["watched"]["uas_15"] for line in metrics(tmp_path / "run")] == list(range(1, 10))


def chains(path: Path, seed: int) -> str:
    """A file of sentences in which each word hangs on the one before."""
    blocks = []
    for sentence in random_sentences(seed, count=30):
        tags = sentence.split()
        blocks.append(block(" ".join(f"{tag.lower()}/{tag}" for tag in tags), range(len(tags))))
    return str(write(path, *blocks))


@pytest.mark.slow
def test_of_several_seeds_with_a_bound_the_best_bound_is_kept(tmp_path):
    train = chains(tmp_path / "train.conllu", 1)
    configuration = configure({"model": "e-dmv", "iterations": 4, "random_starts": 1, "start_iterations": 1})
    summary = train_seeds(configuration, [0, 1, 2], 1, [train], None, tmp_path / "out")
    assert summary["by"] == "objective"
    assert summary["best_seed"] == max(summary["seeds"], key=lambda line: line["objective"])["seed"]


@pytest.mark.slow
@pytest.mark.parametrize("held_out", [False, True])
def test_of_several_seeds_the_likeliest_is_kept(held_out, tmp_path):
    train, gold = chains(tmp_path / "train.conllu", 1), chains(tmp_path / "gold.conllu", 2)
    dev = [chains(tmp_path / "dev.conllu", 3)] if held_out else None
    configuration = configure({"model": "dmv", "init": ("random",), "iterations": 4, "patience": 9})
    summary = train_seeds(configuration, [0, 1, 2], 1, [train], dev, tmp_path / "out", watch=gold)
    by = "dev" if held_out else "train"
    lines = summary["seeds"]
    assert summary["by"] == by
    assert [line["seed"] for line in lines] == [0, 1, 2]
    assert len({line[by] for line in lines}) == 3
    assert summary["best_seed"] == max(lines, key=lambda line: line[by])["seed"]
    assert all(set(line["watched"]) == {"uas_15", "uas_40"} and line["finished"] for line in lines)
    assert summary["mean"][by] == pytest.approx(np.mean([line[by] for line in lines]))
    assert json.loads((tmp_path / "out" / SEEDS).read_text("utf-8")) == summary
    kept = load_model(tmp_path / "out")
    best = configuration.replace(seed=summary["best_seed"])
    alone, _ = Lesson.of(best, [train], dev).run().go()
    assert same_table(kept.table, alone.table)


# ---------------------------------------------------------------- on disk


def metrics(directory: Path) -> list[dict]:
    return [json.loads(line) for line in (directory / METRICS).read_text("utf-8").splitlines()]


def without_times(lines: list[dict]) -> list[dict]:
    return [{name: value for name, value in line.items() if "second" not in name} for line in lines]


def files(directory: Path) -> tuple[bytes, bytes]:
    return (directory / INNER / DESCRIPTION).read_bytes(), (directory / INNER / NUMBERS).read_bytes()


def test_a_run_of_a_count_model_leaves_its_settings_its_rounds_and_its_model(tmp_path):
    directory = tmp_path / "run"
    model, _ = count_run(CountSettings(model="dmv-grand", iterations=5), dev=HELD_OUT, directory=directory).go()
    assert {path.name for path in directory.iterdir()} == {CONFIGURATION, METRICS, CHECKPOINT, INNER}
    assert model.history["rounds"] == without_times(metrics(directory))
    loaded = load_model(directory)
    assert same_table(loaded.table, model.table)
    assert loaded.history == model.history


# where SIGKILL comes: in the start of a rung, or after a round and before it is saved; of two members of three rounds
# each and of three rounds on top
KILLED = {
    "before there is anything": [("start", 0)],
    "in the first round": [("round", 1)],
    "in the last round of the first member": [("round", 3)],
    "in the start of the second member": [("start", 1)],
    "before the trees on which they agree": [("round", 6)],
    "after these": [("start", 2)],
    "in the second rung": [("round", 8)],
    "before the model is written": [("round", 9)],
    "again and again": [("start", 0), ("round", 2), ("round", 2), ("start", 2), ("round", 9)],
}
KEPT = LADDER | {"model": "dmv-grand", "prior_strength": 10.0, "non_heads": ("D",), "patience": 9}


def kept_run(directory: Path | None) -> Run:
    return run_of(KEPT, HELD_OUT, directory)


@pytest.fixture(scope="module")
def killed(tmp_path_factory) -> Path:
    """A folder of runs, one for each of KILLED."""
    folder = tmp_path_factory.mktemp("killed")
    killed_runs(folder, kept_run, KILLED)
    return folder


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """The directory of a run that nobody stopped."""
    directory = tmp_path_factory.mktemp("whole") / "run"
    trained(KEPT, HELD_OUT, directory)
    return directory


@pytest.mark.slow
@pytest.mark.parametrize("when", KILLED)
def test_a_killed_run_of_a_count_model_ends_as_if_it_was_not(when, whole, killed, tmp_path):
    directory = shutil.copytree(killed / when, tmp_path / "run")
    assert not (directory / INNER).exists()
    run = run_of(KEPT, HELD_OUT, directory)
    run.resume()
    assert run.go()[1]
    assert files(directory) == files(whole)
    assert without_times(metrics(directory)) == without_times(metrics(whole))


@some_now("stop_at", [50], later=[49, 51, 52])  # of fifty iterations and two epochs
def test_a_mixed_ladder_goes_on_where_it_was_stopped(stop_at, tmp_path):
    def interrupt(progress: Progress) -> None:
        if progress.done == stop_at:
            raise KeyboardInterrupt

    whole = trained(MIXED)
    model, finished = run_of(MIXED, directory=tmp_path / "run").go(interrupt)
    assert not finished
    assert model.order is (Order.FIRST if stop_at <= 50 else Order.SIBLING)
    assert same_table(load_model(tmp_path / "run").table, model.table)
    run = run_of(MIXED, directory=tmp_path / "run")
    run.resume()
    resumed, finished = run.go()
    assert finished
    assert same_table(resumed.table, whole.table)
    assert resumed.history == whole.history


# ---------------------------------------------------------------- the grammars of all rounds


def rounds_in(directory: Path) -> dict[str, bytes]:
    return {place.name: (place / NUMBERS).read_bytes() for place in kept_rounds(directory)}


def test_the_grammar_of_every_round_is_kept_if_that_is_wanted_and_changes_nothing(tmp_path):
    wanted = {"model": "dmv", "iterations": 4}
    plain, keeping = (tmp_path / name for name in ("plain", "keeping"))
    trained(wanted, directory=plain)
    trained(wanted, directory=keeping, keep_rounds=True)
    assert files(plain) == files(keeping)
    assert not (plain / ROUNDS).exists()
    assert list(rounds_in(keeping)) == ["00-0000", "00-0001", "00-0002", "00-0003", "00-0004"]
    for number in range(5):  # the same as if the training had ended there
        ended = trained(wanted | {"iterations": max(number, 1)})
        kept = load_model(place_of_round(keeping, 0, number))
        assert same_table(kept.table, ended.table) == (number > 0)
    require_place_for_model(keeping)  # --overwrite knows them


def test_of_a_ladder_with_members_the_first_member_and_every_rung_are_kept_and_a_killed_run_keeps_the_same(tmp_path):
    def run(name: str) -> Run:
        return run_of(LADDER, directory=tmp_path / name, keep_rounds=name == "whole" or not (tmp_path / name).exists())

    whole, stopped = run("whole"), run("stopped")
    whole.go()
    interrupted(stopped, 2)
    require_finish(run("stopped"))  # without being told again
    assert rounds_in(tmp_path / "stopped") == rounds_in(tmp_path / "whole")
    rungs = {name.split("-")[0] for name in rounds_in(tmp_path / "whole")}
    assert rungs == {f"{number:02}" for number, rung in enumerate(whole.rungs) if rung.member == 0} and len(rungs) > 1


@pytest.mark.parametrize(
    ("values", "directory", "what"),
    [
        ({"model": "lexical"}, "run", "lexical"),
        ({"model": "hdp-dep"}, "run", "hdp-dep"),
        ({"model": "dmv"}, None, "a training in memory"),
    ],
)
def test_rounds_are_kept_of_tables_over_tags_in_a_directory_only(values, directory, what, tmp_path):
    with pytest.raises(DepinduceError, match=f"--keep-rounds: not of {what}"):
        run_of(values, directory=None if directory is None else tmp_path / directory, keep_rounds=True)
