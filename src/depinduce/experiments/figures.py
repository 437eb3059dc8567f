"""The paper's figures 4 and 5: log-likelihood and attachment score on French, epoch by epoch, by DMO and by EM."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

from depinduce.experiments.ud_results import Results
from depinduce.report.curves import Series, line_chart

CURVES = {"DMO": "curve-dmo", "EM": "curve-em"}
LANGUAGE = "fr"

Line = dict[str, Any]  # of a cell's history


def ud_figures(results: Results) -> dict[str, str]:
    """SVG files by name; none where there are no cells for them."""
    cells = {method: _cells(results, experiment) for method, experiment in CURVES.items()}
    cells = {method: runs for method, runs in cells.items() if runs}
    if not cells:
        return {}
    seeds = " and ".join(f"{len(runs)} of {method}" for method, runs in cells.items())
    about = f"Sibling-NDMV by the paper's recipe on French, sentences of up to 15 words. Trainings: {seeds}."
    around = " Lines are means, bands reach from the lowest to the highest." if _several(cells) else ""
    likelihood = [
        _series(f"{method}, {what}", runs, lambda line, part=part: line[part], colour, dashed=part == "dev")
        for colour, (method, runs) in enumerate(cells.items())
        for part, what in (("train", "training"), ("dev", "held out"))
    ]
    accuracy = [
        _series(method, runs, lambda line: line["watched"]["uas_15"], colour)
        for colour, (method, runs) in enumerate(cells.items())
    ]
    return {
        "figure-4-likelihood.svg": line_chart(
            "Log-likelihood by training method, French",
            "epoch",
            "log-likelihood per sentence",
            likelihood,
            f"{about} Log-likelihood of a training sentence during each epoch, of a held-out one after it.{around}",
        ),
        "figure-5-uas.svg": line_chart(
            "Attachment score by training method, French",
            "epoch",
            "UAS (%), dev sentences, ≤15 words",
            accuracy,
            f"{about} Attachment score of the dev sentences after each epoch; it decides nothing.{around}",
        ),
    }


def _cells(results: Results, experiment: str) -> list[dict[str, Any]]:
    return [cell for (name, language, _), cell in results.cells.items() if (name, language) == (experiment, LANGUAGE)]


def _several(cells: dict[str, list]) -> bool:
    return any(len(runs) > 1 for runs in cells.values())


def _series(name: str, runs: list[dict], pick: Callable[[Line], float], colour: int, dashed: bool = False) -> Series:
    """The mean over seeds of a number of every epoch, within its range."""
    curves = [[pick(line) for line in run["history"]] for run in runs]
    epochs = list(enumerate(zip(*curves, strict=False), 1))  # as many as all of them have
    points = [(epoch, statistics.fmean(values)) for epoch, values in epochs]
    band = [(epoch, min(values), max(values)) for epoch, values in epochs] if len(runs) > 1 else []
    return Series(name, points, colour, dashed, band)
