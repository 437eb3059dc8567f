"""Finished cells on disk: `cells.jsonl`, a line for each that is scored on test trees, and `dev-cells.jsonl`.

The process that ran a cell adds its line itself. It does not hand it to the one that started it, so that a cell that
ends after that one was killed is kept all the same. Processes lock the file while they write, those of several
commands with one --out as well. A line counts once its line break is there: one that a kill or a full disk has cut off
is never read, and the next writer removes it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from depinduce.errors import DepinduceError
from depinduce.experiments.experiment import Cell
from depinduce.files import append_line, parse_json

Key = tuple[str, str, int]  # experiment, language, seed


@dataclass(frozen=True)
class Place:
    """Where the result of a cell is: a line of a file, or the whole of it."""

    path: Path
    line: int | None = None

    def refusal(self, why: str) -> DepinduceError:
        """An error for a result that cannot be used."""
        where, it = (self.path, "file") if self.line is None else (f"{self.path}, line {self.line}", "line")
        return DepinduceError(f"{where}: {why}. Choose another --out, or delete that {it} to run the cell again.")


@dataclass(frozen=True)
class Kept:
    """The result of a cell as it was found."""

    result: dict[str, Any]
    place: Place


def cells_file(out: Path, split: str) -> Path:
    """The file of all cells that are scored on the trees of a split."""
    return out / ("cells.jsonl" if split == "test" else f"{split}-cells.jsonl")


def keep(cell: Cell, result: dict[str, Any], out: Path) -> None:
    """Add the result of a cell to those on disk; it has reached the disk when this returns."""
    append_line(cells_file(out, cell.split), json.dumps(result))


def kept(cells: Iterable[Cell], out: Path) -> dict[Cell, Kept]:
    """What is on disk of these cells, in their order."""
    cells = list(cells)
    lines = {split: _lines(cells_file(out, split)) for split in {cell.split for cell in cells}}
    found = {cell: lines[cell.split].get(_key(vars(cell))) or _in_own_file(cell, out) for cell in cells}
    return {cell: one for cell, one in found.items() if one is not None}


def _lines(path: Path) -> dict[Key, Kept]:
    """The results of a file by their cells; of two, the later one."""
    if not path.exists():
        return {}
    whole = path.read_bytes().split(b"\n")[:-1]
    return dict(_read(line, Place(path, number)) for number, line in enumerate(whole, 1))


def _in_own_file(cell: Cell, out: Path) -> Kept | None:
    """The result from a file of its own, as version 0.1.0 kept it: cells/EXPERIMENT/LANGUAGE-SEED.json."""
    path = cells_file(out, cell.split).with_suffix("") / cell.experiment / f"{cell.language}-{cell.seed}.json"
    return _read(path.read_bytes(), Place(path))[1] if path.exists() else None


def _read(text: bytes, place: Place) -> tuple[Key, Kept]:
    try:
        result = parse_json(text)
        if before := result.pop("members", None):  # what version 0.1.0 called the parts of a joint model
            result["parts"] = {"words": before["first"], "tags": before["second"]}
        return _key(result), Kept(result, place)
    except (ValueError, TypeError, KeyError) as error:
        raise place.refusal(f"not the result of a cell ({error})") from error


def _key(about: dict[str, Any]) -> Key:
    return about["experiment"], about["language"], about["seed"]
