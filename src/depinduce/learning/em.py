"""Expectation maximisation of a count model: soft (all trees, weighted) or hard (the best tree of each sentence)."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from depinduce.chart.engine import best_trees, expectations, log_partition
from depinduce.errors import DepinduceError
from depinduce.grammar.rules import Batch, Factors, RuleCounts, RuleTable
from depinduce.grammar.trees import tree_counts
from depinduce.models.counts import Multinomials
from depinduce.models.lexical_batch import LexicalBatch


@dataclass(frozen=True)
class Data:
    """Sentences to learn from or to watch: a batch and its constraints."""

    batch: Batch
    factors: Factors | None = None
    words: LexicalBatch | None = None  # where the rules see words


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


@dataclass(frozen=True)
class Outcome:
    """Where EM ended."""

    table: RuleTable
    iteration: int  # after which the table was made
    finished: bool  # or interrupted by Ctrl-C


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
    done: int = 0,
    report: Callable[[Step], None] = lambda step: None,
) -> Outcome:
    """EM from `table`, which `done` iterations have made already.

    Stops after `iterations`, or when the held-out likelihood has not risen for `patience` of them, and gives
    the table after which it was highest. Without held-out sentences that is the last. Ctrl-C ends it early.
    """
    best = Outcome(table, done, finished=True)
    best_dev = -np.inf if dev is None or done == 0 else _mean_log_likelihood(table, dev, threads)
    previous, start = -np.inf, time.perf_counter()
    try:
        for iteration in range(done + 1, iterations + 1):
            counts, log_likelihood = E_STEPS[kind](table, train, threads)
            objective = float(log_likelihood.sum()) + family.log_prior(table)
            if iteration > done + 2:  # the start need not belong to the family
                _warn_if_lower(objective, previous, iteration)
            previous = objective
            table = family.estimate(counts)
            dev_likelihood = None if dev is None else _mean_log_likelihood(table, dev, threads)
            seconds = time.perf_counter() - start
            report(Step(iteration, float(log_likelihood.mean()), dev_likelihood, objective, seconds))
            if dev_likelihood is None or dev_likelihood > best_dev:
                best, best_dev = Outcome(table, iteration, finished=True), dev_likelihood
            elif iteration - best.iteration >= patience:
                break
    except KeyboardInterrupt:
        return Outcome(best.table, best.iteration, finished=False)
    return best


def _mean_log_likelihood(table: RuleTable, held_out: Data, threads: int) -> float:
    log_likelihood = log_partition(table, held_out.batch, held_out.factors, threads=threads)
    impossible = int(np.isneginf(log_likelihood).sum())
    if impossible:
        raise DepinduceError(
            f"{impossible} held-out sentences have probability 0, so that they cannot tell when to stop. "
            "Raise --smoothing, or leave --dev away."
        )
    return float(log_likelihood.mean())


def _warn_if_lower(objective: float, previous: float, iteration: int) -> None:
    if objective < previous - 1e-9 * abs(previous):
        message = f"the objective of EM fell from {previous:.9g} to {objective:.9g} in iteration {iteration}"
        warnings.warn(message, LikelihoodFell, stacklevel=3)
