"""How long cells take: a guess from their settings before, and what the finished ones show afterwards."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from depinduce.experiments.experiment import Cell
from depinduce.experiments.suites import EXPERIMENTS
from depinduce.learning.ladder import rungs
from depinduce.learning.settings.configuration import MAX_LENGTH, Configuration
from depinduce.learning.settings.learning import LearningSettings

# Measured on one core of 2.45 GHz. They only shape the first guess.
SECONDS_PER_EPOCH = {  # or iteration, per 1000 sentences
    "dmv": 0.03, "dmv-sibling": 0.03, "order-free": 0.0065, "polyglot": 0.0065, "committee": 0.05, "hdp-dep": 0.3,
    "jiang-ndmv": 0.02, "ndmv": 0.06, "sibling": 0.06, "grand": 0.11, "lexical": 5.0, "joint-sibling": 5.2,
    "joint-grand": 5.4, "lexical-sibling": 8.0, "lexical-grand": 16.0, "e-dmv": 0.03, "feature-dmv": 0.006,
    "ln-dmv": 0.12, "crfae": 0.28, "d-ndmv": 0.2,
}  # fmt: skip
FURTHER_STEP = 0.7  # of an epoch: every gradient step on a batch after the first
SHORT_EPOCH = 0.5  # an epoch over short sentences, as a share of one over all
EPOCHS_UNTIL_STOP = 30  # where held-out likelihood tells when to stop
OVERHEAD = 2.5  # seconds: read the files, parse, score


class Timed(Protocol):
    """What takes its time: those of one kind alike."""

    @property
    def kind(self) -> str: ...


Item = TypeVar("Item", bound=Timed)


class Pace(Generic[Item]):
    """The time that cells need, corrected by those that are done."""

    def __init__(self, guess: Callable[[Item], float]):
        """guess: seconds for one of them"""
        self.guess = guess
        self._guessed: dict[str, float] = defaultdict(float)  # of the finished cells of a kind
        self._taken: dict[str, float] = defaultdict(float)

    def finished(self, item: Item, seconds: float) -> None:
        self._guessed[item.kind] += self.guess(item)
        self._taken[item.kind] += seconds

    @property
    def taken(self) -> float:
        """Seconds that the finished cells took, one after the other."""
        return sum(self._taken.values())

    def left(self, items: Iterable[Item]) -> float:
        """Seconds that these cells will take, one after the other."""
        overall = self.taken / sum(self._guessed.values()) if self._guessed else 1.0
        return sum(self.guess(item) * self._correction(item, overall) for item in items)

    def _correction(self, item: Item, overall: float) -> float:
        guessed = self._guessed.get(item.kind)
        return self._taken[item.kind] / guessed if guessed else overall


def guess_of(data: Path) -> Callable[[Cell], float]:
    """Seconds for a cell that is one training, by its settings."""

    def guess(cell: Cell) -> float:
        configuration = EXPERIMENTS[cell.experiment].configuration()
        return seconds_for(configuration, [data / cell.language / "train.conllu"])

    return cache(guess)


def seconds_for(configuration: Configuration, texts: Iterable[Path]) -> float:
    """The time of a training on these files, with all that is around it."""
    sentences = sum(count_sentences(text, configuration.reading.max_length) for text in texts)
    return OVERHEAD + seconds_per_thousand(configuration.learning) * sentences / 1000


def seconds_per_thousand(settings: LearningSettings) -> float:
    """The time of the whole training, per 1000 sentences."""
    seconds = 0.0
    for rung in rungs(settings):
        own = rung.settings
        stops_early = own.batch_size is not None and own.patience < own.most_rounds
        rounds = min(own.most_rounds, EPOCHS_UNTIL_STOP) if stops_early else own.most_rounds
        growing = MAX_LENGTH - own.grow_from if own.grow_from else 0
        batched = bool(own.batch_size)  # otherwise steps are on one table, whatever the number of sentences
        steps = 1 + FURTHER_STEP * (own.gradient_steps - 1) * batched
        whole = own.start_epochs + steps * (rounds + SHORT_EPOCH * growing)
        seconds += whole * SECONDS_PER_EPOCH[rung.model]
    return seconds


@cache
def count_sentences(path: Path, longest: int | None) -> int:
    """The sentences of a CoNLL-U file that have a word numbered 1, but none beyond the longest."""
    first, beyond = b"1\t", b"\0" if longest is None else f"{longest + 1}\t".encode()
    with open(path, "rb") as lines:
        return sum(line.startswith(first) - line.startswith(beyond) for line in lines)
