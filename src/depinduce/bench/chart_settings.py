"""The settings of the chart benchmark, apart from it so that `--help` need not wait."""

from __future__ import annotations

from dataclasses import dataclass

from depinduce.settings import MOST, MOST_SEED, MOST_THREADS, require_within, setting


@dataclass(frozen=True)
class ChartBench:
    """What `depinduce bench charts` measures."""

    order: str = setting("sibling", "which chart", choices=("sibling", "grandparent"))
    lengths: tuple[int, ...] = setting((10, 15, 20, 40), "sentence lengths for both (nothing above 40)")
    alone: tuple[int, ...] = setting((80, 160, 300), "sentence lengths for ours alone")
    threads: int = setting(2, "threads for each")
    seconds: float = setting(3.0, "time to repeat each measurement for")
    seed: int = setting(0, "for the rules and the sentences")

    def __post_init__(self):
        require_within(0, MOST_SEED, seed=self.seed)
        require_within(0, MOST, seconds=self.seconds)
        require_within(1, MOST_THREADS, threads=self.threads)
        require_within(1, 40, lengths=max(self.lengths, default=1))  # the yardstick is O(n⁴)
        require_within(1, 2000, alone=max(self.alone, default=1))
        require_within(1, MOST, lengths=min(self.lengths, default=1), alone=min(self.alone, default=1))
