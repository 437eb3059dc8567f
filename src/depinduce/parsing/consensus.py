"""The trees on which several grammars agree: minimum-risk trees of the mean of their arc posteriors."""

from __future__ import annotations

import numpy as np

from depinduce.chart.engine import expectations, trees_of_posteriors
from depinduce.grammar.rules import Batch, Factors, RuleTable


def agreed_trees(
    tables: list[RuleTable], batch: Batch, factors: Factors | None = None, *, threads: int = 1
) -> np.ndarray:
    """One tree per sentence, the one with the most right heads if any of the grammars is as likely right. [token]

    Of the grammars only the half (rounded up) that makes the sentences most probable is asked: learning sometimes
    ends in a poor optimum, which shows in its likelihood.
    """
    opinions = [expectations(table, batch, factors, positions=True, threads=threads) for table in tables]
    opinions.sort(key=lambda opinion: -opinion.log_z.mean())
    asked = opinions[: (len(opinions) + 1) // 2]
    root = np.mean([opinion.root for opinion in asked], axis=0)
    arc = np.mean([opinion.arc.sum(axis=1) for opinion in asked], axis=0)
    return trees_of_posteriors(batch.offsets, root, arc, threads=threads).heads[0]
