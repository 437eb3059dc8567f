"""`depinduce reproduce polyglot`: what is missing is made once, kept, gone on with, and set into tables."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from cli.demo_parts import depinduce
from experiments.tiny_ud import in_this_process, results_in
from experiments.tiny_worlds import shrink_worlds, tiny_worlds

from depinduce.experiments.polyglot import EIGHT

OWN = ["own grammar fr 0", "own grammar pl 0", "own grammar ru 0", "own grammar xx 0"]


@pytest.fixture
def folders(tmp_path, monkeypatch) -> list[str]:
    shrink_worlds(monkeypatch, tmp_path)
    return tiny_worlds(tmp_path / "data")


@pytest.fixture
def ran(monkeypatch) -> list[str]:
    """The grammars and cells that were run in this process, in their order."""
    return in_this_process(monkeypatch)


def polyglot(folders: list[str], out: Path, *options: object) -> int:
    return depinduce("reproduce", "polyglot", "--data", *folders, "--out", out, "--seeds", 1, *options)


def test_what_cells_need_is_made_once_and_nothing_is_run_again(folders, tmp_path, ran, capsys):
    out, options = tmp_path / "out", ["--languages", "fr", "--experiments", "own", "order-free"]
    assert polyglot(folders, out, *options) == 0
    shown = capsys.readouterr()
    assert "2 cells to run with 5 grammars that they need, 2 at a time, about" in shown.err
    assert "0/2 own grammar fr 0: made" in shown.err
    assert ran == [*OWN, "universal grammar of 4 0", "own fr 0", "order-free fr 0"]
    assert "UD 1.4, the eight languages" in shown.out
    assert polyglot(folders, out, *options) == 0
    assert "all 2 cells are in" in capsys.readouterr().err
    assert len(ran) == 7
    assert polyglot(folders, out, "--experiments", "adapt", "--languages", "pl") == 0
    assert ran[7:] == ["adapt pl 0"]
    summary = json.loads((out / "polyglot.json").read_text("utf-8"))
    assert set(summary["experiments"]) == {"adapt"}  # of the languages that were asked for


def test_ctrl_c_keeps_what_is_made_and_the_same_command_goes_on(folders, tmp_path, monkeypatch, capsys):
    out, options = tmp_path / "out", ["--languages", "fr", "--experiments", "own", "out-universal"]
    with monkeypatch.context() as once:
        in_this_process(once, stop_before=4)
        assert polyglot(folders, out, *options) == 130
    assert "interrupted; finished cells are kept in" in capsys.readouterr().err
    ran = in_this_process(monkeypatch)
    assert polyglot(folders, out, *options) == 0
    assert ran == ["universal grammar of 3 0", "own fr 0", "out-universal fr 0"]


def test_what_is_shared_can_be_deleted_once_its_cells_are_finished(folders, tmp_path, ran):
    out, options = tmp_path / "out", ["--languages", "fr", "--experiments", "own"]
    assert polyglot(folders, out, *options) == 0
    shutil.rmtree(out / "shared")
    assert polyglot(folders, out, *options) == 0
    assert ran == ["own grammar fr 0", "own fr 0"]


def test_on_dev_no_test_file_is_opened_and_the_looks_at_test_are_written_down(folders, tmp_path, ran):
    out = tmp_path / "out"
    assert polyglot(folders, out, "--experiments", "own", "--languages", "fr") == 0
    for path in Path(folders[0]).glob("*/test.conllu"):
        path.unlink()
    assert polyglot(folders, out, "--experiments", "own", "more-own", "ud2-own", "--split", "dev") == 0
    assert set(results_in(out / "dev-cells.jsonl")) == {"own fr 0", "own pl 0", "more-own ru 0", "ud2-own ja 0"}
    (look,) = (out / "looks-at-test.jsonl").read_text("utf-8").splitlines()
    assert json.loads(look)["cells"] == ["own fr 0"]


def test_one_world_alone_will_do(folders, tmp_path, ran):
    assert polyglot(folders[1:], tmp_path / "out", "--experiments", "own", "ud2-own") == 0
    assert ran == ["ud2-own grammar ja 0", "ud2-own ja 0"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--split", "dev", "--languages", "de"], "the dev trees of de are kept aside"),
        (["--experiments", "ndmv"], "reproduce polyglot has no experiment ndmv"),
        (["--init", "trees", "somewhere"], "--init is for reproduce wsj"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_remedy(options, message, folders, tmp_path, capsys):
    assert polyglot(folders, tmp_path / "out", *options) == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_texts_that_have_changed_since_are_refused(folders, tmp_path, ran, capsys):
    out, options = tmp_path / "out", ["--languages", "fr", "--experiments", "out-universal"]
    assert polyglot(folders, out, *options) == 0
    shutil.rmtree(Path(folders[0]) / "xx")
    assert polyglot(folders, out, *options) == 1
    assert "out-universal fr 0 comes from other texts than those of --data" in capsys.readouterr().err


def test_one_folder_is_enough_for_the_papers_tables(folders, tmp_path, capsys):
    assert depinduce("reproduce", "ud", "--data", *folders, "--out", tmp_path / "out") == 1
    assert "reproduce ud takes one --data DIR, not 2." in capsys.readouterr().err


@pytest.mark.slow
def test_processes_of_their_own_wait_for_what_they_need(folders, tmp_path):
    out = tmp_path / "out"
    assert polyglot(folders, out, "--jobs", 2) == 0
    cells = {f"{name} {language} 0" for name in EIGHT for language in ("fr", "pl")}
    assert set(results_in(out / "cells.jsonl")) == cells
    assert (out / "polyglot.md").exists()
