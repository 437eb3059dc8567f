"""A cell is one training: planned in order, scored without a look at trees in training, kept, and never mixed up."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from cli.demo_parts import without_heads
from experiments.tiny_ud import results_in, shrink, tiny_data
from real_data import REAL_DATA, real_files

from depinduce.errors import DepinduceError
from depinduce.experiments.cells import run_cell, tasks_of
from depinduce.experiments.experiment import Cell
from depinduce.experiments.suites import EXPERIMENTS, plan, read_cells
from depinduce.experiments.ud import JOINT, LANGUAGES, UD, require_data, require_development
from depinduce.experiments.wsj import WSJ
from depinduce.learning.run import Run
from depinduce.learning.settings.recipes import recipe_names
from depinduce.learning.training import Diverged


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    return tiny_data(tmp_path_factory.mktemp("ud"))


def run_one(cell: Cell, data: Path, out: Path) -> dict:
    return run_cell(*tasks_of([cell], data, out))


# ---------------------------------------------------------------- the plan


def test_after_the_first_fifth_of_the_plan_everything_has_one_seed():
    names = [name for name in UD if not name.startswith("curve")]
    cells = plan(names, LANGUAGES, 5)
    assert len(cells) == len(set(cells)) == 5 * len(names) * len(LANGUAGES)
    first = cells[: len(cells) // 5]
    assert {(cell.experiment, cell.language) for cell in first} == {(n, lang) for n in names for lang in LANGUAGES}


def test_curves_are_french_have_three_seeds_at_most_and_never_look_at_test_trees():
    cells = plan(["curve-dmo", "curve-em"], LANGUAGES, 5, "test")
    assert {cell.language for cell in cells} == {"fr"}
    assert {cell.seed for cell in cells} == {0, 1, 2}
    assert {cell.split for cell in cells} == {"dev"}


@pytest.mark.parametrize("name", UD | JOINT | WSJ)
def test_every_experiment_has_a_recipe_and_settings_that_go_together(name):
    experiment = EXPERIMENTS[name]
    settings = experiment.configuration(seed=3).learning
    assert experiment.recipe in recipe_names()
    assert settings.seed == 3
    assert settings.model == re.sub("^(paper-)?ud-|^wsj-|-em$|-no-skip$", "", experiment.recipe)
    assert bool(settings.non_heads) is not (name.endswith("-free") or name.startswith("wsj-"))
    if experiment.watched:
        assert settings.patience == settings.epochs == 40  # never stops early


def test_dev_trees_of_other_languages_are_kept_aside():
    require_development(["eu", "fr", "pl"])
    with pytest.raises(DepinduceError, match="dev trees of de it are kept aside.*fr, pl and eu only"):
        require_development(["de", "fr", "it"])


def test_a_missing_file_is_named(data):
    require_data(data, ["fr", "pl"], "test")
    with pytest.raises(DepinduceError, match=r"eu.train\.conllu: no such file. --data names"):
        require_data(data, ["fr", "eu"], "test")


# ---------------------------------------------------------------- one cell


def test_a_cell_says_all_about_itself_and_is_read_back(data, tmp_path, monkeypatch):
    shrink(monkeypatch)
    cell = Cell("sibling", "pl", 1)
    assert read_cells([cell], tmp_path) == {}
    result = run_one(cell, data, tmp_path)
    assert read_cells([cell], tmp_path) == {cell: json.loads(json.dumps(result))}
    about = {name: result[name] for name in ("experiment", "recipe", "language", "seed", "split")}
    assert about == {"experiment": "sibling", "recipe": "ud-sibling", "language": "pl", "seed": 1, "split": "test"}
    assert result["settings"]["size"] == 8
    assert result["settings"]["seed"] == 1
    assert [set(scores) for scores in result["scores"].values()] == [{"15", "40"}, {"15", "40"}]
    assert all(0 < uas < 100 for scores in result["scores"].values() for uas in scores.values())
    assert result["epochs"] == len(result["history"])


def test_the_likelihoods_are_those_of_the_model_that_was_kept(data, tmp_path, monkeypatch):
    shrink(monkeypatch)
    result = run_one(Cell("paper-sibling", "fr", 0), data, tmp_path)
    best = max(line["dev"] for line in result["history"])
    assert result["log_likelihood"]["dev"] == pytest.approx(best, rel=1e-9)
    assert result["log_likelihood"]["train"] > min(line["train"] for line in result["history"])


@pytest.mark.parametrize("name", ["ndmv", "paper-grand"])
def test_without_gold_heads_in_train_and_dev_a_cell_is_bit_identical(name, data, tmp_path, monkeypatch):
    shrink(monkeypatch)
    blank = tiny_data(tmp_path / "blank")
    for split in ("train", "dev"):
        path = blank / "fr" / f"{split}.conllu"
        with_heads = path.read_text("utf-8")
        path.write_text(without_heads(with_heads), encoding="utf-8")
        assert path.read_text("utf-8") != with_heads
    gold, no_gold = (run_one(Cell(name, "fr", 0), source, tmp_path / source.name) for source in (data, blank))
    del gold["seconds"], no_gold["seconds"]
    assert gold == no_gold


def test_watching_a_training_changes_nothing_in_it(data, tmp_path, monkeypatch):
    shrink(monkeypatch)
    watched = run_one(Cell("curve-dmo", "fr", 0, "dev"), data, tmp_path)
    unwatched = run_one(Cell("paper-sibling", "fr", 0, "dev"), data, tmp_path)
    before = watched["history"][0].pop("before")
    assert all(0 < line["watched"]["uas_15"] < 100 for line in (before, *watched["history"]))
    assert before["dev"] < watched["history"][0]["dev"]
    assert [line | {"watched": None} for line in unwatched["history"]] == [
        line | {"watched": None} for line in watched["history"]
    ]
    assert watched["scores"] == unwatched["scores"]


def test_trees_that_are_not_there_cannot_be_scored(data, tmp_path, monkeypatch):
    shrink(monkeypatch)
    blank = tiny_data(tmp_path / "blank")
    path = blank / "fr" / "test.conllu"
    path.write_text(without_heads(path.read_text("utf-8")), encoding="utf-8")
    with pytest.raises(DepinduceError, match=r"fr.test\.conllu: it has no trees to score"):
        run_one(Cell("ndmv", "fr", 0), blank, tmp_path)


def test_a_training_that_goes_astray_is_told_and_leaves_nothing(data, tmp_path, monkeypatch):
    shrink(monkeypatch)

    def astray(self):
        raise Diverged.because("The rules are not numbers any more in epoch 2")

    monkeypatch.setattr(Run, "go", astray)
    result = run_one(Cell("ndmv", "fr", 0), data, tmp_path)
    assert result["failed"].startswith("The rules are not numbers any more in epoch 2.")
    assert not (tmp_path / "cells.jsonl").exists()


def test_an_interrupted_training_is_no_result(data, tmp_path, monkeypatch):
    shrink(monkeypatch)
    monkeypatch.setattr(Run, "go", lambda self: (None, False))
    with pytest.raises(KeyboardInterrupt):
        run_one(Cell("ndmv", "fr", 0), data, tmp_path)
    assert not (tmp_path / "cells.jsonl").exists()


# ---------------------------------------------------------------- reading back


@pytest.fixture
def finished(data, tmp_path, monkeypatch) -> tuple[Cell, Path]:
    """A finished cell and the file that it is in."""
    shrink(monkeypatch)
    cell = Cell("paper-ndmv", "fr", 0)
    run_one(cell, data, tmp_path)
    return cell, tmp_path / "cells.jsonl"


def change(path: Path, change_it: Callable[[dict], object]) -> dict:
    """Change the only result of a file; gives what is in it then."""
    (result,) = results_in(path).values()
    change_it(result)
    path.write_text(json.dumps(result) + "\n", encoding="utf-8")
    return result


def test_a_cell_made_with_other_settings_is_refused(finished, tmp_path, monkeypatch):
    cell, path = finished
    shrink(monkeypatch, learning_rate=0.01)
    with pytest.raises(DepinduceError) as refusal:
        read_cells([cell], tmp_path)
    assert "learning_rate was 0.001, is 0.01. Choose another --out, or delete that line" in str(refusal.value)
    assert str(refusal.value).startswith(f"{path}, line 1: made with other settings")


def test_a_setting_that_is_new_since_then_had_its_default(finished, tmp_path):
    cell, path = finished
    older = change(path, lambda result: result["settings"].pop("generation"))
    assert read_cells([cell], tmp_path) == {cell: older}


@pytest.mark.parametrize("lost", ["format", "format_version", "settings"])
def test_a_result_that_lacks_something_is_refused_with_a_remedy(lost, finished, tmp_path):
    cell, path = finished
    change(path, lambda result: result.pop(lost))
    with pytest.raises(DepinduceError, match="line 1: not a result that this version can read.*delete that line"):
        read_cells([cell], tmp_path)


def test_a_cell_of_another_format_is_refused(finished, tmp_path):
    cell, path = finished
    change(path, lambda result: result.update(format_version=99))
    with pytest.raises(DepinduceError, match="another format, depinduce cell 99"):
        read_cells([cell], tmp_path)


# ---------------------------------------------------------------- real treebanks


@pytest.mark.slow
@pytest.mark.skipif(not real_files("ud14/fr/train.conllu"), reason="the real treebanks are not here")
def test_two_epochs_on_french_beat_any_trivial_tree(tmp_path, monkeypatch):
    monkeypatch.setitem(EXPERIMENTS, "paper-ndmv", replace(EXPERIMENTS["paper-ndmv"], changes={"epochs": 2}))
    result = run_one(Cell("paper-ndmv", "fr", 0, "dev"), REAL_DATA / "ud14", tmp_path)
    assert result["scores"]["viterbi"]["15"] > 40  # the next word as the head of every word: 32
    assert result["epochs"] == 2
