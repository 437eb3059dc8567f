"""How often an arc of some posterior is right: a rising line through a few points, kept with the model.

The posterior of an arc is its share of all trees *if the grammar is right*, which a grammar that learned without trees
is not: of arcs that it gives 0.97, two thirds may be right. The line takes a posterior to what can be expected of it.
It never changes a tree, for it is asked when the tree is there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

POINTS = 10  # at the most
DIGITS = 4  # of a number that is kept
SOURCES = {
    "order-free": "by what a grammar made of other languages thinks of its trees",
    "trees": "on gold trees",
    "fixed": "by a factor for all grammars whose tags no universal grammar knows",
}


@dataclass(frozen=True)
class Calibration:
    """A line from (0, 0) through some points, level after the last."""

    raw: tuple[float, ...]  # posteriors, ascending
    right: tuple[float, ...]  # what share of such arcs is right: not descending
    source: str  # one of SOURCES

    def __post_init__(self):
        further, up = np.diff([0.0, *self.raw, 1.0]), np.diff([0.0, *self.right, 1.0])
        if len(further) != len(up) or len(up) == 1 or self.source not in SOURCES:
            raise ValueError("a calibration has points, each with two numbers, and says where it is from")
        if not ((further >= 0).all() and (further[1:-1] > 0).all() and (up >= 0).all()):  # nor for what is no number
            raise ValueError("the points of a calibration must ascend, between 0 and 1")

    def __call__(self, posteriors: np.ndarray) -> np.ndarray:
        """What share of arcs with these posteriors is right. Whatever is not a number stays so."""
        return np.interp(posteriors, [0.0, *self.raw], [0.0, *self.right])

    @property
    def about(self) -> str:
        """Where it is from, in words."""
        return f"calibrated {SOURCES[self.source]}"

    def to_json(self) -> dict[str, Any]:
        return {"raw": list(self.raw), "right": list(self.right), "source": self.source}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Calibration:
        return cls(tuple(values["raw"]), tuple(values["right"]), values["source"])


def fixed(factor: float) -> Calibration:
    """Every posterior times a number."""
    return Calibration((1.0,), (factor,), "fixed")


def fitted(posteriors: np.ndarray, worth: np.ndarray, source: str) -> Calibration | None:
    """The line that rises through the mean worth of arcs with such posteriors; None if there are too few arcs.

    The arcs are parted by their posteriors into ten groups of one size; groups in which the worth would fall are
    joined (isotonic regression).

    worth: [arc] what each is worth, from 0 to 1: the probability that it is right, or whether it is
    """
    known = np.isfinite(posteriors) & np.isfinite(worth)
    posteriors, worth = np.clip(posteriors[known], 0, 1), np.clip(worth[known], 0, 1)
    if len(posteriors) < POINTS:
        return None
    points: list[tuple[float, float, int]] = []  # mean posterior, mean worth, arcs
    for group in np.array_split(np.argsort(posteriors, kind="stable"), POINTS):
        point = float(posteriors[group].mean()), float(worth[group].mean()), len(group)
        while points and (points[-1][1] > point[1] or _kept(points[-1][0]) == _kept(point[0])):
            point = _joined(points.pop(), point)
        points.append(point)
    raw, right, _ = zip(*points, strict=True)
    return Calibration(tuple(map(_kept, raw)), tuple(map(_kept, right)), source)


def _joined(one: tuple[float, float, int], other: tuple[float, float, int]) -> tuple[float, float, int]:
    """The point of two groups together."""
    arcs = one[2] + other[2]
    posterior, worth = ((one[k] * one[2] + other[k] * other[2]) / arcs for k in (0, 1))
    return posterior, worth, arcs


def _kept(number: float) -> float:
    return round(number, DIGITS)
