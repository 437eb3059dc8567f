"""The settings of the training benchmark, apart from it so that `--help` need not wait."""

from __future__ import annotations

from dataclasses import dataclass

from depinduce.errors import DepinduceError
from depinduce.settings import setting


@dataclass(frozen=True)
class TrainingBench:
    """What `depinduce bench train` measures."""

    train: str | None = setting(None, "CoNLL-U file to learn from, if not the demo corpus", metavar="FILE")
    max_length: int = setting(15, "the most words of a sentence, at most 40")
    batch_size: int = setting(100, "sentences in a batch")
    threads: int = setting(1, "threads for each")
    seconds: float = setting(0.5, "time to repeat the measurement of a batch for; ten times as long for an epoch")
    seed: int = setting(0, "for the weights and the order of the sentences")

    def __post_init__(self):
        if not 1 <= self.max_length <= 40:
            raise DepinduceError("bench train: --max-length from 1 to 40 (the yardstick is O(n⁴)).")
        if self.batch_size < 1 or self.threads < 1:
            raise DepinduceError("bench train: --batch-size and --threads at least 1.")
