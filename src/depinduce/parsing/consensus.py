"""The trees on which several grammars agree: minimum-risk trees of the mean of their arc posteriors."""

from __future__ import annotations

import numpy as np

from depinduce.chart.engine import trees_of_posteriors
from depinduce.chart.problems import ArcPosteriors, Problem, mean_posteriors
from depinduce.grammar.rules import Batch, Factors, RuleTable


def agreed_trees(
    tables: list[RuleTable], batch: Batch, factors: Factors | None = None, *, threads: int = 1
) -> np.ndarray:
    """One tree per sentence, the one with the most right heads if any of the grammars is as likely right. [token]

    Of the grammars only the half (rounded up) that makes the sentences most probable is asked: learning sometimes
    ends in a poor optimum, which shows in its likelihood.
    """
    problems = [Problem(table, batch, factors) for table in tables]
    problems.sort(key=lambda problem: -problem.log_partition(threads=threads).mean())
    asked = problems[: (len(problems) + 1) // 2]
    opinions = [problem.posteriors(threads=threads) for problem in asked]
    return minimum_risk_trees(mean_posteriors(opinions), batch.offsets, threads=threads)


def minimum_risk_trees(posteriors: ArcPosteriors, offsets: np.ndarray, *, threads: int = 1) -> np.ndarray:
    """The tree of every sentence with the most right heads in expectation. [token]"""
    return trees_of_posteriors(offsets, posteriors.root, posteriors.arc, threads=threads).heads[0]
