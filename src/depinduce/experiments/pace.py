"""How long cells take: a guess from their settings before, and what the finished ones show afterwards."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from depinduce.experiments.experiment import Cell
from depinduce.experiments.suites import EXPERIMENTS
from depinduce.learning.ladder import rungs
from depinduce.learning.settings.configuration import MAX_LENGTH
from depinduce.learning.settings.learning import LearningSettings

# Measured on one core of 2.45 GHz. They only shape the first guess.
SECONDS_PER_EPOCH = {  # or iteration, per 1000 sentences
    "dmv": 0.03, "hdp-dep": 0.3,
    "ndmv": 0.06, "sibling": 0.06, "grand": 0.11, "lexical": 5.0, "joint-sibling": 5.2, "joint-grand": 5.4,
    "lexical-sibling": 8.0, "lexical-grand": 16.0,
}  # fmt: skip
FURTHER_STEP = 0.7  # of an epoch: every gradient step on a batch after the first
SHORT_EPOCH = 0.5  # an epoch over short sentences, as a share of one over all
EPOCHS_UNTIL_STOP = 30  # where held-out likelihood tells when to stop
OVERHEAD = 2.5  # seconds: read the files, parse, score


class Pace:
    """The time that cells need, corrected by those that are done."""

    def __init__(self, data: Path):
        self.data = data
        self._sentences: dict[str, int] = {}
        self._per_thousand: dict[str, float] = {}
        self._longest: dict[str, int | None] = {}  # sentence that an experiment learns from
        self._guessed: dict[str, float] = defaultdict(float)  # of the finished cells of an experiment
        self._taken: dict[str, float] = defaultdict(float)

    def finished(self, cell: Cell, seconds: float) -> None:
        self._guessed[cell.experiment] += self.guess(cell)
        self._taken[cell.experiment] += seconds

    @property
    def taken(self) -> float:
        """Seconds that the finished cells took, one after the other."""
        return sum(self._taken.values())

    def left(self, cells: list[Cell]) -> float:
        """Seconds that these cells will take, one after the other."""
        overall = self.taken / sum(self._guessed.values()) if self._guessed else 1.0
        return sum(self.guess(cell) * self._correction(cell, overall) for cell in cells)

    def _correction(self, cell: Cell, overall: float) -> float:
        guessed = self._guessed.get(cell.experiment)
        return self._taken[cell.experiment] / guessed if guessed else overall

    def guess(self, cell: Cell) -> float:
        """Seconds for one cell by its settings."""
        if cell.experiment not in self._per_thousand:
            configuration = EXPERIMENTS[cell.experiment].configuration()
            self._longest[cell.experiment] = configuration.reading.max_length
            self._per_thousand[cell.experiment] = seconds_per_thousand(configuration.learning)
        if cell.language not in self._sentences:
            path = self.data / cell.language / "train.conllu"
            self._sentences[cell.language] = count_sentences(path, self._longest[cell.experiment])
        return OVERHEAD + self._per_thousand[cell.experiment] * self._sentences[cell.language] / 1000


def seconds_per_thousand(settings: LearningSettings) -> float:
    """The time of the whole training, per 1000 sentences."""
    seconds = 0.0
    for rung in rungs(settings):
        own = rung.settings
        stops_early = own.batch_size is not None and own.patience < own.most_rounds
        rounds = min(own.most_rounds, EPOCHS_UNTIL_STOP) if stops_early else own.most_rounds
        growing = MAX_LENGTH - own.grow_from if own.grow_from else 0
        steps = 1 + FURTHER_STEP * (own.gradient_steps - 1)
        whole = own.start_epochs + steps * (rounds + SHORT_EPOCH * growing)
        seconds += whole * SECONDS_PER_EPOCH[rung.model]
    return seconds


def count_sentences(path: Path, longest: int | None) -> int:
    """The sentences of a CoNLL-U file that have a word numbered 1, but none beyond the longest."""
    first, beyond = b"1\t", b"\0" if longest is None else f"{longest + 1}\t".encode()
    with open(path, "rb") as lines:
        return sum(line.startswith(first) - line.startswith(beyond) for line in lines)
