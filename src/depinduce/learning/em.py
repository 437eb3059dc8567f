"""Expectation maximisation of a count model: soft (all trees, weighted) or hard (the best tree of each sentence)."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

import numpy as np

from depinduce.chart.engine import Expectations, best_trees, expectations, log_partition
from depinduce.errors import DepinduceError
from depinduce.grammar.multinomials import Multinomials
from depinduce.grammar.rules import Batch, Factors, RuleCounts, RuleTable, multiplied
from depinduce.grammar.trees import tree_counts
from depinduce.learning.posterior_constraint import TOLERANCE, ShareConstraint
from depinduce.networks.word_batch import LexicalBatch

P, C = TypeVar("P"), TypeVar("C")  # parameters, counts


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
class Outcome(Generic[P]):
    """Where EM ended."""

    parameters: P
    iteration: int  # after which they were made
    finished: bool  # or interrupted by Ctrl-C


class Alternation(Protocol[P, C]):
    """What EM goes back and forth between."""

    slack: float  # how much the objective may fall, relative to its size, for reasons that are no fault
    constraint: ShareConstraint | None

    def expect(self, parameters: P) -> tuple[C, float, float]:
        """The E-step: counts, the mean log-likelihood of a training sentence, and the objective."""

    def estimate(self, counts: C) -> P:
        """The M-step."""

    def held_out(self, parameters: P) -> float | None:
        """The mean log-likelihood of a held-out sentence, if there are any."""


def alternate(
    steps: Alternation[P, C],
    parameters: P,
    *,
    iterations: int,
    patience: int,
    done: int = 0,
    report: Callable[[Step], None] = lambda step: None,
) -> Outcome[P]:
    """EM from parameters that `done` iterations have made already.

    Stops after `iterations`, or when the held-out likelihood has not risen for `patience` of them, and gives the
    parameters after which it was highest. Without held-out sentences those are the last. Ctrl-C ends it early.
    """
    best = Outcome(parameters, done, finished=True)
    best_dev = steps.held_out(parameters) if done else None
    previous, start = -np.inf, time.perf_counter()
    try:
        for iteration in range(done + 1, iterations + 1):
            counts, train, objective = steps.expect(parameters)
            if iteration > done + 2:  # the start need not belong to the family
                _warn_if_lower(objective, previous, iteration, steps.slack)
            previous = objective
            parameters = steps.estimate(counts)
            dev = steps.held_out(parameters)
            report(Step(iteration, train, dev, objective, time.perf_counter() - start))
            if dev is None or best_dev is None or dev > best_dev:
                best, best_dev = Outcome(parameters, iteration, finished=True), dev
            elif iteration - best.iteration >= patience:
                break
    except KeyboardInterrupt:
        return replace(best, finished=False)
    return best


@dataclass
class CountSteps:
    """EM of a count model, under a posterior constraint if there is one."""

    family: Multinomials
    train: Data
    dev: Data | None = None
    kind: str = "soft"
    threads: int = 1
    constraint: ShareConstraint | None = None

    @property
    def slack(self) -> float:
        return 1e-9 if self.constraint is None else TOLERANCE

    def expect(self, table: RuleTable) -> tuple[RuleCounts, float, float]:
        if self.constraint is None:
            counts, scores = E_STEPS[self.kind](table, self.train, self.threads)
        else:
            counts, scores = self._constrained(table)
        return counts, float(scores.mean()), float(scores.sum()) + self.family.log_prior(table)

    def _constrained(self, table: RuleTable) -> tuple[RuleCounts, np.ndarray]:
        batch, constraint = self.train.batch, self.constraint

        def expect(dual: float) -> tuple[Expectations, float]:
            factors = multiplied(self.train.factors, constraint.tilt.factors(dual))
            expected = expectations(table, batch, factors, positions=True, threads=self.threads)
            return expected, constraint.tilt.matched(expected).sum()

        expected = constraint.satisfy(expect)
        return expected.counts, expected.log_z - constraint.dual * constraint.tilt.matched(expected)

    def estimate(self, counts: RuleCounts) -> RuleTable:
        return self.family.estimate(counts)

    def held_out(self, table: RuleTable) -> float | None:
        return None if self.dev is None else _mean_log_likelihood(table, self.dev, self.threads)


def _mean_log_likelihood(table: RuleTable, held_out: Data, threads: int) -> float:
    log_likelihood = log_partition(table, held_out.batch, held_out.factors, threads=threads)
    impossible = int(np.isneginf(log_likelihood).sum())
    if impossible:
        raise DepinduceError(
            f"{impossible} held-out sentences have probability 0, so that they cannot tell when to stop. "
            "Raise --smoothing, or leave --dev away."
        )
    return float(log_likelihood.mean())


def _warn_if_lower(objective: float, previous: float, iteration: int, slack: float) -> None:
    if objective < previous - slack * abs(previous):
        message = f"the objective of EM fell from {previous:.9g} to {objective:.9g} in iteration {iteration}"
        warnings.warn(message, LikelihoodFell, stacklevel=3)
