"""The part of a report about how sure the grammar is, and may be: probabilities of arcs beside what became of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from depinduce.evaluation.reliability import Reliability
from depinduce.report.curves import Series, line_chart
from depinduce.report.run_report.elements import Section, figure, paragraph, table

if TYPE_CHECKING:
    from depinduce.models.model import Model


@dataclass(frozen=True)
class Sureness:
    """Two kinds of probabilities of the arcs that were chosen, beside gold trees."""

    raw: Reliability  # of the grammar's own
    calibrated: Reliability | None  # of what is written beside the arcs; None if the model knows no better
    about: str  # where the calibration is from

    @classmethod
    def of(cls, model: Model, posteriors: np.ndarray, heads: np.ndarray, gold: np.ndarray) -> Sureness:
        """posteriors: the grammar's own, of these heads [token]; gold: -1 where unknown [token]"""
        known = (gold >= 0) & np.isfinite(posteriors)
        posteriors, right = np.minimum(posteriors[known], 1.0), heads[known] == gold[known]
        calibration = model.calibration
        if calibration is None:
            return cls(Reliability.of(posteriors, right), None, "")
        return cls(Reliability.of(posteriors, right), Reliability.of(calibration(posteriors), right), calibration.about)


def sureness_section(sureness: Sureness) -> Section:
    """A reliability diagram, and its numbers."""
    kinds = {"its own": sureness.raw}
    if sureness.calibrated is not None:
        kinds["calibrated"] = sureness.calibrated
    lead = (
        "The probability of an arc should be the share of such arcs that are right: of those at 0.8, four in five. "
        "The grammar's own probabilities are those of an arc among all trees, if the grammar were right."
    )
    if sureness.calibrated is not None:
        lead += f" What stands beside arcs elsewhere is {sureness.about}, without a look at these trees."
    errors = ", ".join(f"{name} {found.error:.3f}" for name, found in kinds.items())
    series = [Series("as it should be", [(0.0, 0.0), (1.0, 1.0)], 2, dashed=True)]
    for number, (name, found) in enumerate(kinds.items()):
        series.append(Series(name, [(one.said, one.right) for one in found.bins], number))
    about = f"The mean distance from the dashed line (expected calibration error, ten bins): {errors}."
    chart = line_chart(
        "Are they as often right as they say?", "probability", "share that is right", series, about, False
    )
    rows = [
        [name, f"{one.low:.1f}", f"{one.arcs:,}", f"{one.said:.2f}", f"{one.right:.2f}"]
        for name, found in kinds.items()
        for one in found.bins
    ]
    numbers = table(["probability", "from", "arcs", "mean", "right"], rows, "Arcs by their probabilities")
    return Section("sureness", "How sure it may be", "Sureness", [paragraph(lead), figure(chart, about), numbers])
