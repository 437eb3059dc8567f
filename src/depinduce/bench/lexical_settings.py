"""The settings of the benchmark of models over words, apart from it so that `--help` need not wait."""

from __future__ import annotations

from dataclasses import dataclass

from depinduce.errors import DepinduceError
from depinduce.settings import setting


@dataclass(frozen=True)
class LexicalBench:
    """What `depinduce bench lexical` measures."""

    vocabulary: int = setting(5000, "tokens")
    batch_size: int = setting(64, "sentences in a batch")
    max_length: int = setting(10, "the most words of a sentence")
    threads: int = setting(1, "threads for each")
    seconds: float = setting(5.0, "time to repeat each measurement for")
    seed: int = setting(0, "for the sentences and the weights")

    def __post_init__(self):
        if self.vocabulary < 100:
            raise DepinduceError("bench lexical: --vocabulary at least 100.")
        if self.batch_size < 1 or self.threads < 1 or not 1 <= self.max_length <= 40:
            raise DepinduceError("bench lexical: --batch-size and --threads at least 1, --max-length from 1 to 40.")
