"""`depinduce reproduce ud`: runs what is missing, keeps what is done, and sets it beside the paper."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.demo_parts import contents, depinduce
from experiments.tiny_ud import in_this_process, results_in, shrink, tiny_data

from depinduce.experiments.cells import LOOKS, run_cell
from depinduce.experiments.suites import EXPERIMENTS


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    return tiny_data(tmp_path_factory.mktemp("ud"))


@pytest.fixture
def ran(monkeypatch) -> list[str]:
    """Tiny experiments, run in this process; the cells that were run, in their order."""
    shrink(monkeypatch)
    return in_this_process(monkeypatch)


def depinduce_ud(data: Path, out: Path, *options: object) -> int:
    return depinduce("reproduce", "ud", "--data", data, "--out", out, *options)


@pytest.mark.slow
def test_a_run_in_processes_of_its_own_leaves_cells_tables_and_figures(data, tmp_path, monkeypatch, capsys):
    shrink(monkeypatch)
    out = tmp_path / "out"
    options = ["--languages", "fr", "pl", "--experiments", "paper-sibling", "curve-dmo", "--seeds", 2, "--jobs", 2]
    assert depinduce_ud(data, out, *options) == 0
    shown = capsys.readouterr()
    assert "6 cells to run, 2 at a time, about" in shown.err
    assert "6/6 " in shown.err
    assert "Table 2, UAS (%), ≤15 words; test sentences, mean ± sd of 2 seeds" in shown.out
    assert "Knowledge used: function-word constraint" in shown.out
    tables = ["ud.md", "ud.json", "figure-4-likelihood.svg", "figure-5-uas.svg"]
    assert set(contents(out)) == {"cells.jsonl", "dev-cells.jsonl", LOOKS, *tables}
    cells, curves = results_in(out / "cells.jsonl"), results_in(out / "dev-cells.jsonl")
    assert set(cells) == {f"paper-sibling {language} {seed}" for language in ("fr", "pl") for seed in (0, 1)}
    assert set(curves) == {f"curve-dmo fr {seed}" for seed in (0, 1)}
    summary = json.loads((out / "ud.json").read_text("utf-8"))
    one = cells["paper-sibling fr 0"]
    assert summary["experiments"]["paper-sibling"]["fr"]["viterbi"]["15"]["seeds"][0] == one["scores"]["viterbi"]["15"]
    assert "| French |" in (out / "ud.md").read_text("utf-8")


def test_finished_cells_are_not_run_again_and_all_of_them_are_in_the_tables(data, tmp_path, ran, capsys):
    assert depinduce_ud(data, tmp_path, "--languages", "fr", "--experiments", "ndmv", "--seeds", 1) == 0
    assert depinduce_ud(data, tmp_path, "--languages", "fr", "--experiments", "ndmv", "--seeds", 2) == 0
    assert ran == ["ndmv fr 0", "ndmv fr 1"]
    assert depinduce_ud(data, tmp_path, "--languages", "fr", "--experiments", "paper-ndmv", "--seeds", 2) == 0
    assert ran[2:] == ["paper-ndmv fr 0", "paper-ndmv fr 1"]
    assert set(json.loads((tmp_path / "ud.json").read_text("utf-8"))["experiments"]) == {"ndmv", "paper-ndmv"}
    capsys.readouterr()
    names = ["--models", "ndmv", "--experiments", "ndmv", "paper-ndmv", "sibling"]
    assert depinduce_ud(data, tmp_path, "--languages", "fr", *names, "--seeds", 2) == 0
    assert "all 4 cells are in" in capsys.readouterr().err
    assert len(ran) == 4


def test_a_result_of_other_settings_is_refused_before_anything_runs(data, tmp_path, ran, monkeypatch, capsys):
    options = ["--languages", "fr", "--experiments", "ndmv", "--seeds", 1]
    assert depinduce_ud(data, tmp_path, *options) == 0
    shrink(monkeypatch, size=9)
    assert depinduce_ud(data, tmp_path, *options, "--jobs", 1) == 1
    assert "size was 8, is 9. Choose another --out, or delete that line" in capsys.readouterr().err
    assert ran == ["ndmv fr 0"]


def test_every_look_at_test_trees_is_written_down_before_it_happens(data, tmp_path, ran, monkeypatch):
    options = ["--languages", "fr", "--experiments", "paper-ndmv", "curve-dmo", "--seeds"]
    assert depinduce_ud(data, tmp_path, *options, 1, "--split", "dev") == 0
    assert not (tmp_path / LOOKS).exists()
    with monkeypatch.context() as once:
        in_this_process(once, stop_before=0)
        assert depinduce_ud(data, tmp_path, *options, 1) == 130
    assert depinduce_ud(data, tmp_path, *options, 2) == 0
    assert depinduce_ud(data, tmp_path, *options, 2) == 0  # there is nothing left to look at
    looks = [json.loads(line) for line in (tmp_path / LOOKS).read_text("utf-8").splitlines()]
    assert [look["cells"] for look in looks] == [["paper-ndmv fr 0"], ["paper-ndmv fr 0", "paper-ndmv fr 1"]]
    assert {look["code"] for look in looks} == {cell["code"] for cell in results_in(tmp_path / "cells.jsonl").values()}


def test_ctrl_c_keeps_what_is_finished_and_the_same_command_goes_on(data, tmp_path, ran, monkeypatch, capsys):
    options = ["--languages", "fr", "pl", "--experiments", "paper-ndmv", "--seeds", 1]
    with monkeypatch.context() as once:
        in_this_process(once, stop_before=1)
        assert depinduce_ud(data, tmp_path, *options) == 130
    shown = capsys.readouterr()
    assert "interrupted; finished cells are kept in" in shown.err
    assert "Go on with the same command" in shown.err
    assert set(results_in(tmp_path / "cells.jsonl")) == {"paper-ndmv fr 0"}
    assert depinduce_ud(data, tmp_path, *options) == 0
    assert ran == ["paper-ndmv pl 0"]


def test_ctrl_c_before_anything_is_finished_shows_no_empty_tables(data, tmp_path, monkeypatch, capsys):
    def interrupted(*arguments, **more):
        raise KeyboardInterrupt

    monkeypatch.setattr("depinduce.jobs.side_by_side", interrupted)
    assert depinduce_ud(data, tmp_path / "out", "--languages", "fr", "--experiments", "paper-ndmv", "--seeds", 1) == 130
    assert capsys.readouterr().out == ""
    assert set(contents(tmp_path / "out")) == {LOOKS}


def test_the_tables_are_in_files_even_if_nobody_reads_them_to_the_end(data, tmp_path, ran, monkeypatch):
    """As with `depinduce reproduce … | head`."""

    def closed(table):
        raise BrokenPipeError

    monkeypatch.setattr("depinduce.cli.reproduce.show_table", closed)
    depinduce_ud(data, tmp_path, "--languages", "fr", "--experiments", "paper-ndmv", "--seeds", 1)
    assert "| French |" in (tmp_path / "ud.md").read_text("utf-8")
    assert (tmp_path / "ud.json").exists()


def test_a_failed_cell_is_told_and_the_others_go_on(data, tmp_path, ran, monkeypatch, capsys):
    def work(task, send):
        return {"failed": "astray", "seconds": 1.0} if task.cell.language == "fr" else run_cell(task, send)

    monkeypatch.setattr("depinduce.experiments.cells.run_cell", work)
    options = ["--languages", "fr", "pl", "--experiments", "paper-ndmv", "--seeds", 1]
    assert depinduce_ud(data, tmp_path, *options) == 1
    complaint = capsys.readouterr().err
    assert "warning: paper-ndmv fr 0: astray" in complaint
    assert "1 of 2 cells failed and are missing from the tables" in complaint
    assert set(results_in(tmp_path / "cells.jsonl")) == {"paper-ndmv pl 0"}


def test_cells_of_several_states_of_the_code_are_told(data, tmp_path, ran, capsys):
    options = ["--languages", "fr", "--experiments", "paper-ndmv", "--seeds"]
    assert depinduce_ud(data, tmp_path, *options, 1) == 0
    path = tmp_path / "cells.jsonl"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | {"code": "older"}) + "\n", encoding="utf-8")
    assert "states of the code" not in capsys.readouterr().err
    assert depinduce_ud(data, tmp_path, *options, 2) == 0
    assert "come from 2 states of the code" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--split", "dev"], "the dev trees of nl de it pt es are kept aside"),
        (["--languages", "fr", "eu"], "train.conllu: no such file. --data names a directory with LANG/train.conllu"),
        (["--languages", "fr", "--seeds", "0"], "--seeds must be at least 1, not 0."),
        (["--languages", "fr", "--jobs", "-1"], "--jobs must be at least 1, not -1."),
        (["--experiments", "ndmv", "--models", "grand"], "No experiment of ndmv has the model grand."),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_remedy(options, message, data, tmp_path, capsys):
    assert depinduce_ud(data, tmp_path / "out", *options) == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_help_lists_the_experiments(capsys):
    with pytest.raises(SystemExit):
        depinduce("reproduce", "--help")
    shown = " ".join(capsys.readouterr().out.split())
    for name, experiment in EXPERIMENTS.items():
        assert f" {name} {experiment.about}" in shown


def test_an_unknown_experiment_is_refused_with_the_known_ones(data, tmp_path, capsys):
    with pytest.raises(SystemExit):
        depinduce_ud(data, tmp_path, "--experiments", "siblings")
    assert "'paper-sibling-em'" in capsys.readouterr().err
