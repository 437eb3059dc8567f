"""The settings of the training benchmark, apart from it so that `--help` need not wait."""

from __future__ import annotations

from dataclasses import dataclass

from depinduce.settings import MOST, MOST_SEED, MOST_THREADS, require_within, setting

MOST_BATCH = 10_000


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
        require_within(0, MOST_SEED, seed=self.seed)
        require_within(0, MOST, seconds=self.seconds)
        require_within(1, MOST_THREADS, threads=self.threads)
        require_within(1, MOST_BATCH, batch_size=self.batch_size)
        require_within(1, 40, max_length=self.max_length)  # the yardstick is O(n⁴)
