"""A grammar and sentences, put together so that a chart can begin: rules, where the sentences use them, and factors.

There are two charts, of rules (`engine`) and of rules with hidden states (`states`), and several grammars may be asked
about the same sentences. Whoever has a problem need not know which of these it is: all sum over trees and tell how
probable every arc is. Single trees have probabilities in the first only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from depinduce.chart import engine
from depinduce.chart.engine import Expectations, Trees
from depinduce.chart.states import StateBatch, StateExpectations, StateRules, state_expectations
from depinduce.grammar.rules import Batch, Factors, Order, RuleTable, arcs_of, multiplied, tag_batch
from depinduce.grammar.trees import tree_log_potentials


class ArcPosteriors(NamedTuple):
    """How probable every arc is among all trees of its sentence."""

    log_z: np.ndarray  # [sentence]
    root: np.ndarray  # [token]
    arc: np.ndarray  # [arc], see Batch.arc_offsets

    def of(self, heads: np.ndarray, offsets: np.ndarray) -> np.ndarray:
        """The posteriors of the arcs of one tree per sentence. [token]"""
        return np.where(heads == 0, self.root, self.arc[arcs_of(heads, offsets)])


class AnyProblem(Protocol):
    """Sentences that can be summed over, whatever the grammar is."""

    @property
    def with_single_trees(self) -> Problem | None:
        """Itself, if it knows how probable a single tree is."""
        ...

    def log_partition(self, *, threads: int = 1) -> np.ndarray:
        """The log-likelihood of every sentence. [sentence]"""
        ...

    def posteriors(self, *, threads: int = 1) -> ArcPosteriors:
        """How probable every arc is."""
        ...

    def in_log_space(self) -> None:
        """Sum once more as only sentences do whose probabilities are too small for anything else: to compile it."""
        ...


class Problem(NamedTuple):
    """Sentences under a table of rules; the functions of `chart.engine` take its three parts."""

    table: RuleTable
    batch: Batch
    factors: Factors | None = None

    @classmethod
    def of_arcs(cls, offsets: np.ndarray, root: np.ndarray, arc: np.ndarray) -> Problem:
        """Trees that weigh what their arcs weigh, without any rules. root: [token] and arc: [arc] log potentials"""
        nothing = RuleTable(np.zeros(1), np.zeros((4, 1)), np.zeros((4, 2)))
        plain = tag_batch(Order.FIRST, np.zeros(len(root), np.int32), offsets, 1)
        return cls(nothing, plain, Factors(root=root, arc=np.repeat(arc[:, None], 2, axis=1)))

    @property
    def with_single_trees(self) -> Problem:
        return self

    @property
    def is_sound(self) -> bool:
        """Whether its rules are numbers."""
        return bool(np.isfinite(sum(part.sum() for part in self.table.parts)))

    def times(self, factors: Factors | None) -> Problem:
        """The same under further factors."""
        return self._replace(factors=multiplied(self.factors, factors))

    def raised(self, power: float) -> Problem:
        """The same with all potentials to a power: the larger it is, the more a sentence is its best trees'."""
        table = RuleTable(*(power * part for part in self.table.parts))
        factors = None
        if self.factors is not None:
            factors = Factors(*(None if part is None else power * part for part in self.factors.parts))
        return self._replace(table=table, factors=factors)

    def total(self, log_z: np.ndarray) -> float:
        """The log-likelihood of all sentences, each as often as it counts."""
        return self.batch.total(log_z)

    def expect(self, *, positions: bool = False, threads: int = 1) -> Expectations:
        return engine.expectations(*self, positions=positions, threads=threads)

    def log_partition(self, *, threads: int = 1) -> np.ndarray:
        return engine.log_partition(*self, threads=threads)

    def posteriors(self, *, threads: int = 1) -> ArcPosteriors:
        expected = self.expect(positions=True, threads=threads)
        return ArcPosteriors(expected.log_z, expected.root, expected.arc.sum(axis=1))

    def in_log_space(self) -> None:
        engine.expectations(*self, positions=True, space="log")

    def best_trees(self, *, threads: int = 1) -> Trees:
        return engine.best_trees(*self, threads=threads)

    def k_best_trees(self, k: int, *, threads: int = 1) -> Trees:
        return engine.k_best_trees(self.table, self.batch, k, self.factors, threads=threads)

    def sample_trees(self, samples: int, seeds: np.ndarray, *, threads: int = 1) -> Trees:
        return engine.sample_trees(self.table, self.batch, samples, self.factors, seed=seeds, threads=threads)

    def log_potentials(self, heads: np.ndarray) -> np.ndarray:
        """log p(sentence, tree) of one tree per sentence. [sentence]"""
        return tree_log_potentials(self.table, self.batch, heads, self.factors)


class StateProblem(NamedTuple):
    """Sentences under rules with hidden states."""

    rules: StateRules
    batch: StateBatch

    @property
    def with_single_trees(self) -> None:
        return None  # the probability of a tree is a sum over its states

    @property
    def is_sound(self) -> bool:
        return True  # it is never made by a network

    def total(self, log_z: np.ndarray) -> float:
        """The log-likelihood of all sentences, each as often as it occurs."""
        return float(self.batch.weights @ log_z)

    def in_log_space(self) -> None:
        pass  # it has one way to compute

    def expect(self, *, positions: bool = False, threads: int = 1) -> StateExpectations:
        return state_expectations(*self, positions=positions, threads=threads)

    def log_partition(self, *, threads: int = 1) -> np.ndarray:
        return self.expect(threads=threads).log_z

    def posteriors(self, *, threads: int = 1) -> ArcPosteriors:
        expected = self.expect(positions=True, threads=threads)
        return ArcPosteriors(expected.log_z, expected.root, expected.arc)


class MeanProblem(NamedTuple):
    """The same sentences under several grammars, each of which is as likely right."""

    problems: Sequence[AnyProblem]

    @property
    def with_single_trees(self) -> None:
        return None

    def log_partition(self, *, threads: int = 1) -> np.ndarray:
        return _log_mean([problem.log_partition(threads=threads) for problem in self.problems])

    def posteriors(self, *, threads: int = 1) -> ArcPosteriors:
        return mean_posteriors([problem.posteriors(threads=threads) for problem in self.problems])

    def in_log_space(self) -> None:
        for problem in self.problems:
            problem.in_log_space()


def mean_posteriors(opinions: Sequence[ArcPosteriors]) -> ArcPosteriors:
    """What several grammars, each of which is as likely right, think of the same sentences."""
    log_z, root, arc = zip(*opinions, strict=True)
    return ArcPosteriors(_log_mean(log_z), np.mean(root, axis=0), np.mean(arc, axis=0))


def _log_mean(logs: Sequence[np.ndarray]) -> np.ndarray:
    """The logarithm of the mean of numbers that are given by theirs."""
    return np.logaddexp.reduce(logs, axis=0) - np.log(len(logs))
