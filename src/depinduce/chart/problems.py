"""A grammar and sentences, put together so that a chart can begin: rules, where the sentences use them, and factors.

There are two charts, of rules (`engine`) and of rules with hidden states (`states`). Whoever has a problem need not
know for which one it is: both sum over trees and tell how probable every arc is. Single trees have probabilities in
the first only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from depinduce.chart import engine
from depinduce.chart.engine import Expectations, Trees
from depinduce.chart.states import StateBatch, StateExpectations, StateRules, state_expectations
from depinduce.grammar.rules import Batch, Factors, RuleTable, arcs_of, multiplied
from depinduce.grammar.trees import tree_log_potentials


class ArcPosteriors(NamedTuple):
    """How probable every arc is among all trees of its sentence."""

    log_z: np.ndarray  # [sentence]
    root: np.ndarray  # [token]
    arc: np.ndarray  # [arc], see Batch.arc_offsets

    def of(self, heads: np.ndarray, offsets: np.ndarray) -> np.ndarray:
        """The posteriors of the arcs of one tree per sentence. [token]"""
        return np.where(heads == 0, self.root, self.arc[arcs_of(heads, offsets)])


class Problem(NamedTuple):
    """Sentences under a table of rules; the functions of `chart.engine` take its three parts."""

    table: RuleTable
    batch: Batch
    factors: Factors | None = None

    def times(self, factors: Factors | None) -> Problem:
        """The same under further factors."""
        return self._replace(factors=multiplied(self.factors, factors))

    def expect(self, *, positions: bool = False, threads: int = 1) -> Expectations:
        return engine.expectations(*self, positions=positions, threads=threads)

    def log_partition(self, *, threads: int = 1) -> np.ndarray:
        return engine.log_partition(*self, threads=threads)

    def posteriors(self, *, threads: int = 1) -> ArcPosteriors:
        expected = self.expect(positions=True, threads=threads)
        return ArcPosteriors(expected.log_z, expected.root, expected.arc.sum(axis=1))

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

    def expect(self, *, positions: bool = False, threads: int = 1) -> StateExpectations:
        return state_expectations(*self, positions=positions, threads=threads)

    def log_partition(self, *, threads: int = 1) -> np.ndarray:
        return self.expect(threads=threads).log_z

    def posteriors(self, *, threads: int = 1) -> ArcPosteriors:
        expected = self.expect(positions=True, threads=threads)
        return ArcPosteriors(expected.log_z, expected.root, expected.arc)
