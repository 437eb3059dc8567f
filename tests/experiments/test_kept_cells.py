"""What is finished is never lost: not by several processes at once, nor by a kill; and what 0.1.0 kept is found."""

from __future__ import annotations

import json
import multiprocessing
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from experiments.tiny_ud import made_up_cell, results_in

from depinduce.errors import DepinduceError
from depinduce.experiments.experiment import Cell
from depinduce.experiments.kept_cells import keep, kept

CELL = Cell("ndmv", "fr", 0)


def result_of(cell: Cell, uas: float = 60.0) -> dict:
    """A made-up result, about as long as a true one."""
    history = [{"train": -20.0 - epoch, "dev": -21.0} for epoch in range(100)]
    return made_up_cell(cell.experiment, cell.language, cell.seed, uas, history=history)


def keep_seeds(out: Path, language: str, seeds: int) -> None:
    for seed in range(seeds):
        cell = Cell("ndmv", language, seed)
        keep(cell, result_of(cell), out)


def results(cells: list[Cell], out: Path) -> dict[Cell, dict]:
    return {cell: one.result for cell, one in kept(cells, out).items()}


def test_a_result_is_found_again_and_others_are_not(tmp_path):
    assert kept([CELL], tmp_path / "nowhere") == {}
    keep(CELL, result_of(CELL), tmp_path / "out")
    assert results([CELL, Cell("ndmv", "fr", 1)], tmp_path / "out") == {CELL: result_of(CELL)}


def test_test_and_dev_results_are_kept_apart(tmp_path):
    dev = Cell("ndmv", "fr", 0, "dev")
    keep(dev, result_of(dev, 50.0), tmp_path)
    assert kept([CELL], tmp_path) == {}
    keep(CELL, result_of(CELL, 60.0), tmp_path)
    assert results([dev, CELL], tmp_path) == {dev: result_of(dev, 50.0), CELL: result_of(CELL, 60.0)}
    assert {path.name for path in tmp_path.iterdir()} == {"cells.jsonl", "dev-cells.jsonl"}


def test_of_two_results_the_later_one_counts(tmp_path):
    for uas in (50.0, 60.0):
        keep(CELL, result_of(CELL, uas), tmp_path)
    assert results([CELL], tmp_path) == {CELL: result_of(CELL, 60.0)}


@pytest.mark.slow
def test_processes_that_finish_at_the_same_time_do_not_disturb_each_other(tmp_path):
    languages = ("fr", "pl", "eu")
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=keep_seeds, args=(tmp_path, language, 40)) for language in languages]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    cells = [Cell("ndmv", language, seed) for language in languages for seed in range(40)]
    assert results(cells, tmp_path) == {cell: result_of(cell) for cell in cells}


def test_a_kill_loses_nothing_that_was_finished(tmp_path):
    endless = f"""
import itertools
from pathlib import Path
from experiments.test_kept_cells import Cell, keep, result_of
for seed in itertools.count():
    keep(Cell("ndmv", "fr", seed), result_of(Cell("ndmv", "fr", seed)), Path({str(tmp_path)!r}))
    print(seed, flush=True)
"""
    command = [sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}\n{endless}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        said = [int(writer.stdout.readline()) for _ in range(20)]
        writer.send_signal(signal.SIGKILL)
        said += [int(line) for line in writer.stdout]
    cells = [Cell("ndmv", "fr", seed) for seed in said]
    assert results(cells, tmp_path) == {cell: result_of(cell) for cell in cells}


@pytest.mark.parametrize("torn", ['{"format": "depin', "{", json.dumps(result_of(Cell("ndmv", "pl", 0)))])
def test_a_line_that_was_cut_off_is_not_read_and_gives_way_to_the_next(torn, tmp_path):
    file = tmp_path / "cells.jsonl"
    keep(CELL, result_of(CELL), tmp_path)
    file.write_bytes(file.read_bytes() + torn.encode())
    cells = [CELL, Cell("ndmv", "pl", 0), Cell("ndmv", "eu", 0)]
    assert set(kept(cells, tmp_path)) == {CELL}
    keep(cells[2], result_of(cells[2]), tmp_path)
    assert set(kept(cells, tmp_path)) == {CELL, cells[2]}
    assert set(results_in(file)) == {"ndmv fr 0", "ndmv eu 0"}


@pytest.mark.parametrize("damage", ['{"format": ', "{}", "[]", "", '{"experiment": "ndmv", "language": "fr"}'])
def test_a_damaged_line_is_refused_with_its_number_and_a_remedy(damage, tmp_path):
    file = tmp_path / "cells.jsonl"
    for seed in (0, 1):
        keep(Cell("ndmv", "fr", seed), result_of(Cell("ndmv", "fr", seed)), tmp_path)
    first, second = file.read_text("utf-8").splitlines()
    file.write_text(f"{first}\n{damage}\n{second}\n", encoding="utf-8")
    with pytest.raises(DepinduceError, match=r"cells\.jsonl, line 2: not the result of a cell.*delete that line"):
        kept([CELL], tmp_path)


# ---------------------------------------------------------------- version 0.1.0


def keep_as_0_1_0(cell: Cell, text: str, out: Path) -> None:
    folder = out / ("cells" if cell.split == "test" else "dev-cells") / cell.experiment
    folder.mkdir(parents=True)
    (folder / f"{cell.language}-{cell.seed}.json").write_text(text, encoding="utf-8")


@pytest.mark.parametrize("split", ["test", "dev"])
def test_a_cell_in_a_file_of_its_own_is_found_until_there_is_a_newer_one(split, tmp_path):
    cell, other = Cell("ndmv", "fr", 0, split), Cell("ndmv", "fr", 1, split)
    keep_as_0_1_0(cell, json.dumps(result_of(cell, 50.0)) + "\n", tmp_path)
    keep(other, result_of(other), tmp_path)
    assert results([cell, other], tmp_path) == {cell: result_of(cell, 50.0), other: result_of(other)}
    keep(cell, result_of(cell, 60.0), tmp_path)
    assert results([cell], tmp_path) == {cell: result_of(cell, 60.0)}


def test_a_damaged_file_of_its_own_is_named(tmp_path):
    keep_as_0_1_0(CELL, '{"format": ', tmp_path)
    with pytest.raises(DepinduceError, match=r"ndmv.fr-0\.json: not the result of a cell.*delete that file"):
        kept([CELL], tmp_path)


def test_the_members_of_a_joint_model_of_0_1_0_are_the_parts_of_now(tmp_path):
    """What was `first` is over words, what was `second` over tags."""
    members = {"first": {"viterbi": {"15": 1.0}}, "second": {"viterbi": {"15": 2.0}}}
    keep(CELL, result_of(CELL) | {"members": members}, tmp_path)
    (result,) = results([CELL], tmp_path).values()
    assert result["parts"] == {"words": members["first"], "tags": members["second"]}
    assert "members" not in result
