"""The trees on which several grammars agree: minimum-risk trees of the mean of their arc posteriors."""

from __future__ import annotations

import numpy as np

from depinduce.chart.engine import Expectations, expectations, minimum_risk_trees
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
    mean = Expectations(
        log_z=asked[0].log_z,
        counts=asked[0].counts,
        root=np.mean([opinion.root for opinion in asked], axis=0),
        arc=np.mean([opinion.arc for opinion in asked], axis=0),
    )
    return minimum_risk_trees(tables[0], batch, factors, threads=threads, expected=mean).heads[0]
