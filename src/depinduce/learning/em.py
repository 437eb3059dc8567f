"""Expectation maximisation of a count model: soft (all trees, weighted) or hard (the best tree of each sentence)."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from depinduce.chart.engine import best_trees, expectations, log_partition
from depinduce.grammar.rules import Batch, Factors, RuleCounts, RuleTable
from depinduce.grammar.trees import tree_counts
from depinduce.models.counts import Multinomials


@dataclass(frozen=True)
class Data:
    """Sentences to learn from or to watch: a batch and its constraints."""

    batch: Batch
    factors: Factors | None = None


@dataclass(frozen=True)
class Step:
    """One iteration as it is reported."""

    iteration: int
    train: float  # mean log-likelihood of a training sentence (hard EM: of its best tree) before this iteration
    dev: float | None  # mean log-likelihood of a held-out sentence after this iteration
    objective: float  # what EM maximises: the log-likelihood of all sentences plus the log prior
    seconds: float  # since the start


class LikelihoodFell(UserWarning):
    """EM cannot lower its objective: if it does, something is wrong with the data or the program."""


def expected_counts(table: RuleTable, data: Data, threads: int) -> tuple[RuleCounts, np.ndarray]:
    """The E-step over all trees: counts, and the log-likelihood of every sentence."""
    expected = expectations(table, data.batch, data.factors, threads=threads)
    return expected.counts, expected.log_z


def best_tree_counts(table: RuleTable, data: Data, threads: int) -> tuple[RuleCounts, np.ndarray]:
    """The E-step of hard EM: the counts and the log-probability of the best trees."""
    trees = best_trees(table, data.batch, data.factors, threads=threads)
    return tree_counts(table, data.batch, trees.heads[0]), trees.log_potential[0]


E_STEPS = {"soft": expected_counts, "hard": best_tree_counts}


def maximise(
    table: RuleTable,
    family: Multinomials,
    train: Data,
    dev: Data | None = None,
    *,
    kind: str = "soft",
    iterations: int = 50,
    patience: int = 3,
    threads: int = 1,
    report: Callable[[Step], None] = lambda step: None,
) -> RuleTable:
    """The table after EM; with held-out sentences, the one after which they were most probable.

    Stops after `iterations`, or when the held-out likelihood has not risen for `patience` of them.
    """
    best, best_dev, waited = table, -np.inf, 0
    previous = -np.inf
    start = time.perf_counter()
    for iteration in range(1, iterations + 1):
        counts, log_likelihood = E_STEPS[kind](table, train, threads)
        objective = float(log_likelihood.sum()) + family.log_prior(table)
        if iteration > 2 and objective < previous - 1e-6 * abs(previous):
            warnings.warn(
                f"the objective of EM fell from {previous:.6f} to {objective:.6f} in iteration {iteration}",
                LikelihoodFell,
                stacklevel=2,
            )
        previous = objective
        table = family.estimate(counts)
        dev_likelihood = None
        if dev is not None:
            dev_likelihood = float(log_partition(table, dev.batch, dev.factors, threads=threads).mean())
        report(Step(iteration, float(log_likelihood.mean()), dev_likelihood, objective, time.perf_counter() - start))
        if dev_likelihood is None:
            best = table
        elif dev_likelihood > best_dev:
            best, best_dev, waited = table, dev_likelihood, 0
        else:
            waited += 1
            if waited >= patience:
                break
    return best
