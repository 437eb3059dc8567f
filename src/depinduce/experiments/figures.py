"""The paper's figures 2 to 5: log-likelihood and attachment score, epoch by epoch, by DMO and by EM."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from depinduce.experiments.results import Results, paper_numbers
from depinduce.report.curves import Series, line_chart

Line = dict[str, Any]  # of a cell's history


@dataclass(frozen=True)
class Curves:
    """Two figures: what was trained by DMO and by EM, on what."""

    model: str
    corpus: str
    language: str
    dmo: str  # experiments
    em: str
    length: str  # of the longest sentences, to learn from and to score
    numbers: tuple[int, int]  # of the figures in the paper


CURVES = {
    "ud": Curves("Sibling-NDMV by the paper's recipe", "French", "fr", "curve-dmo", "curve-em", "15", (4, 5)),
    "wsj": Curves(
        "Joint sibling-NDMV and L-NDMV by our recipe, without its ladder",
        "WSJ",
        "wsj",
        "wsj-curve-dmo",
        "wsj-curve-em",
        "10",
        (2, 3),
    ),
}


def figures_of(results: Results) -> dict[str, str]:
    """SVG files by name; none where there are no cells for them."""
    if results.suite not in CURVES:
        return {}
    curves = CURVES[results.suite]
    cells = {"DMO": _cells(results, curves.dmo), "EM": _cells(results, curves.em)}
    cells = {method: runs for method, runs in cells.items() if runs}
    if not cells:
        return {}
    seeds = " and ".join(f"{len(runs)} of {method}" for method, runs in cells.items())
    about = f"{curves.model} on {curves.corpus}, sentences of up to {curves.length} words. Trainings: {seeds}."
    around = " Lines are means, bands reach from the lowest to the highest." if _several(cells) else ""
    likelihood = [
        _series(f"{method}, {what}", runs, lambda line, part=part: line[part], colour, dashed=part == "dev")
        for colour, (method, runs) in enumerate(cells.items())
        for part, what in (("train", "training"), ("dev", "held out"))
    ]
    begins = all(0 in _epochs(run["history"]) for runs in cells.values() for run in runs)
    at_0 = " Epoch 0 is after the start, before the first." if begins else ""
    quoted = f" The paper's curves begin at {paper_numbers(results.suite)['figures']['uas_at_0']}." if begins else ""
    accuracy = [
        _series(method, runs, lambda line: line["watched"][f"uas_{curves.length}"], colour)
        for colour, (method, runs) in enumerate(cells.items())
    ]
    first, second = curves.numbers
    return {
        f"figure-{first}-likelihood.svg": line_chart(
            f"Log-likelihood by training method, {curves.corpus}",
            "epoch",
            "log-likelihood per sentence",
            likelihood,
            f"{about} Log-likelihood of a training sentence during each epoch, of a held-out one after it."
            f"{at_0}{around}",
        ),
        f"figure-{second}-uas.svg": line_chart(
            f"Attachment score by training method, {curves.corpus}",
            "epoch",
            f"UAS (%), dev sentences, ≤{curves.length} words",
            accuracy,
            f"{about} Attachment score of the dev sentences after each epoch; it decides nothing."
            f"{at_0}{quoted}{around}",
        ),
    }


def _cells(results: Results, experiment: str) -> list[dict[str, Any]]:
    return [cell for (name, _, _), cell in results.cells.items() if name == experiment]


def _several(cells: dict[str, list]) -> bool:
    return any(len(runs) > 1 for runs in cells.values())


def _last_rung(history: list[Line]) -> list[Line]:
    """The epochs of the model itself, without those of a ladder below it."""
    top = max((line.get("rung", 0) for line in history), default=0)
    return [line for line in history if line.get("rung", 0) == top]


def _epochs(history: list[Line]) -> dict[int, Line]:
    """The epochs of the model itself by their numbers; 0 is what was before the first, if that was recorded."""
    lines = _last_rung(history)
    before = {0: lines[0]["before"]} if lines and "before" in lines[0] else {}
    return before | dict(enumerate(lines, 1))


def _series(name: str, runs: list[dict], pick: Callable[[Line], float], colour: int, dashed: bool = False) -> Series:
    """The mean over seeds of a number of every epoch, within its range."""
    curves = [_epochs(run["history"]) for run in runs]
    in_all = [epoch for epoch in curves[0] if all(epoch in curve for curve in curves)]
    epochs = [(epoch, [pick(curve[epoch]) for curve in curves]) for epoch in in_all]
    points = [(epoch, statistics.fmean(values)) for epoch, values in epochs]
    band = [(epoch, min(values), max(values)) for epoch, values in epochs] if len(runs) > 1 else []
    return Series(name, points, colour, dashed, band)
