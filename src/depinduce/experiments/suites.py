"""What `depinduce reproduce` can be asked for: suites of experiments, the cells they consist of, and their results."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from depinduce.errors import DepinduceError
from depinduce.experiments.compared import COMPARED
from depinduce.experiments.corrections import CORRECTIONS
from depinduce.experiments.experiment import CELL_FORMAT, CELL_FORMAT_VERSION, Cell, name_of_trees
from depinduce.experiments.kept_cells import Place, kept
from depinduce.experiments.polyglot import POLYGLOT
from depinduce.experiments.ud import JOINT, UD
from depinduce.experiments.wsj import WSJ
from depinduce.learning.settings.configuration import as_saved, changes, configure

SUITES = {
    "ud": UD,
    "joint": JOINT,
    "wsj": WSJ,
    "compared": COMPARED,
    "polyglot": POLYGLOT,
    "corrections": CORRECTIONS,
}
EXPERIMENTS = UD | JOINT | WSJ | COMPARED | POLYGLOT | CORRECTIONS


def plan(names: Iterable[str], languages: Iterable[str], seeds: int, split: str = "test") -> list[Cell]:
    """The cells of some experiments, one seed of everything before the next."""
    names, languages = list(names), list(languages)
    return [
        Cell(name, language, seed, EXPERIMENTS[name].scored_on(split))
        for seed in range(seeds)
        for name in names
        for language in languages
        if language in EXPERIMENTS[name].languages and seed in EXPERIMENTS[name].seeds(seeds)
    ]


def read_cells(cells: Iterable[Cell], out: Path, start: str | None = None) -> dict[Cell, dict[str, Any]]:
    """The results of those that are there; one made with other settings, or from other trees, is refused."""
    found = kept(cells, out)
    for cell, one in found.items():
        _require_same_making(cell, one.result, one.place, start)
    return {cell: one.result for cell, one in found.items()}


def _require_same_making(cell: Cell, result: dict[str, Any], place: Place, start: str | None) -> None:
    """Refuse what was made in another way than a training would be now. start: a file of trees, or HDP-DEP's"""
    try:
        version = (result["format"], result["format_version"])
        settings = as_saved(configure(result["settings"]).values())
    except (ValueError, TypeError, KeyError, DepinduceError) as error:
        raise place.refusal(f"not a result that this version can read ({error})") from error
    if version != (CELL_FORMAT, CELL_FORMAT_VERSION):
        raise place.refusal(f"written in another format, {version[0]} {version[1]}")
    trees = result.get("start")
    wanted = name_of_trees(start) if start is not None and EXPERIMENTS[cell.experiment].starts_from_hdp else None
    if trees != wanted:
        came = "HDP-DEP" if trees is None else f"the trees of {trees}"
        raise place.refusal(f"started from {came}, which is not what --init says now")
    now = as_saved(EXPERIMENTS[cell.experiment].configuration(cell.seed).values())
    changed = [name for name in {**now, **settings} if now.get(name) != settings.get(name)]
    if changed:
        raise place.refusal(f"made with other settings: {changes(changed, settings, now)}")
