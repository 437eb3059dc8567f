"""The settings of the chart benchmark, apart from it so that `--help` need not wait."""

from __future__ import annotations

from dataclasses import dataclass

from depinduce.settings import setting


@dataclass(frozen=True)
class ChartBench:
    """What `depinduce bench charts` measures."""

    order: str = setting("sibling", "which chart", choices=("sibling", "grandparent"))
    lengths: tuple[int, ...] = setting((10, 15, 20, 40), "sentence lengths for both (nothing above 40)")
    alone: tuple[int, ...] = setting((80, 160, 300), "sentence lengths for ours alone")
    threads: int = setting(2, "threads for each")
    seconds: float = setting(3.0, "time to repeat each measurement for")
    seed: int = setting(0, "for the rules and the sentences")
