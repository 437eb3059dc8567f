"""The settings of the benchmark of several processes, apart from it so that `--help` need not wait."""

from __future__ import annotations

from dataclasses import dataclass

from depinduce.errors import DepinduceError
from depinduce.settings import MOST, MOST_SEED, require_within, setting

LEARNERS = (
    "count DMV", "count sibling DMV", "HDP-DEP", "polyglot",
    "NDMV, EM", "NDMV, DMO", "sibling, DMO", "sibling, DMO, large",
)  # fmt: skip


@dataclass(frozen=True)
class ScaleBench:
    """What `depinduce bench scale` measures."""

    train: str | None = setting(
        None, "CoNLL-U file whose sentences are shuffled word by word to make the text, if not the demo", metavar="FILE"
    )
    learners: tuple[str, ...] = setting(
        LEARNERS, f"which ones: {'; '.join(LEARNERS)} (in quotes, default: all)", metavar="NAME"
    )
    words: int = setting(1_000_000, "in the text of one process")
    max_length: int = setting(15, "the most words of a sentence")
    iterations: int = setting(20, "of EM, for the count models")
    batch_size: int = setting(1000, "sentences in a batch, for the networks")
    large_batch: int = setting(10_000, "and of a second look at DMO: what every process does, the network, weighs less")
    epochs: int = setting(2, "for the networks")
    processes: int = setting(2, "side by side")
    repeats: int = setting(2, "of every measurement, the shortest of which counts")
    latency: float = setting(20e-6, "seconds of a message between two machines, for the estimate")
    bandwidth: float = setting(1.25e9, "bytes in a second between two machines, for the estimate")
    seed: int = setting(0, "for the text and the weights")

    def __post_init__(self):
        unknown = [name for name in self.learners if name not in LEARNERS]
        if unknown or not self.learners:
            raise DepinduceError(f"--learners cannot have {unknown[:1] or 'nothing'}. Choose from: {LEARNERS}.")
        require_within(0, MOST_SEED, seed=self.seed)
        require_within(1, MOST, words=self.words, iterations=self.iterations, epochs=self.epochs, repeats=self.repeats)
        require_within(1, MOST, batch_size=self.batch_size, large_batch=self.large_batch)
        require_within(1, 40, max_length=self.max_length)
        require_within(2, 64, processes=self.processes)
        require_within(0, 1, latency=self.latency)
        require_within(1, 1e15, bandwidth=self.bandwidth)
