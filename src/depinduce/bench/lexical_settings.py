"""The settings of the benchmark of models over words, apart from it so that `--help` need not wait."""

from __future__ import annotations

from dataclasses import dataclass

from depinduce.settings import MOST, MOST_SEED, MOST_THREADS, require_within, setting

MOST_BATCH = 10_000


@dataclass(frozen=True)
class LexicalBench:
    """What `depinduce bench lexical` measures."""

    vocabulary: int = setting(5000, "tokens")
    softmax_sizes: tuple[int, ...] = setting(
        (1000, 10_000, 100_000), "tokens at which the softmax over all words and that of two levels are compared"
    )
    batch_size: int = setting(64, "sentences in a batch")
    max_length: int = setting(10, "the most words of a sentence")
    threads: int = setting(1, "threads for each")
    seconds: float = setting(5.0, "time to repeat each measurement for")
    seed: int = setting(0, "for the sentences and the weights")

    def __post_init__(self):
        require_within(0, MOST_SEED, seed=self.seed)
        require_within(0, MOST, seconds=self.seconds)
        require_within(1, MOST_THREADS, threads=self.threads)
        require_within(1, MOST_BATCH, batch_size=self.batch_size)
        require_within(100, 1_000_000, vocabulary=self.vocabulary)
        for size in self.softmax_sizes:
            require_within(100, 1_000_000, softmax_sizes=size)
        require_within(1, 40, max_length=self.max_length)
