"""Trees on which grammars agree that are tables of rules."""

from __future__ import annotations

import numpy as np

from depinduce.chart.problems import Problem
from depinduce.grammar.rules import Batch, Factors, RuleTable
from depinduce.parsing import consensus


def agreed_trees(
    tables: list[RuleTable], batch: Batch, factors: Factors | None = None, *, threads: int = 1
) -> np.ndarray:
    problems = [Problem(table, batch, factors) for table in tables]
    return consensus.agreed_trees(problems, batch.offsets, threads=threads)
