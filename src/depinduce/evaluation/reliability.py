"""Whether probabilities keep what they say: of arcs with the probability 0.8, four in five should be right."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

BINS = 10


@dataclass(frozen=True)
class Bin:
    """The arcs with a probability in some tenth."""

    low: float  # where the tenth begins
    arcs: int
    said: float  # their mean probability
    right: float  # the share of them that is right


@dataclass(frozen=True)
class Reliability:
    """Probabilities of arcs beside what became of them."""

    bins: list[Bin]  # those with arcs in them

    @classmethod
    def of(cls, probabilities: np.ndarray, right: np.ndarray) -> Reliability:
        """probabilities: [arc]; right: [arc] whether it is"""
        place = np.clip((probabilities * BINS).astype(int), 0, BINS - 1)
        bins = []
        for number in np.unique(place).tolist():
            within = place == number
            said, share = float(probabilities[within].mean()), float(right[within].mean())
            bins.append(Bin(number / BINS, int(within.sum()), said, share))
        return cls(bins)

    @property
    def arcs(self) -> int:
        return sum(one.arcs for one in self.bins)

    @property
    def error(self) -> float:
        """The expected calibration error: how far a probability is from the share that is right, on average."""
        return sum(one.arcs * abs(one.said - one.right) for one in self.bins) / max(self.arcs, 1)
