"""The E-step, of which there is one: from rules to the counts that trees, seen or unseen, give to them.

    soft      all trees of a sentence, each by its probability
    hard      the best tree of each sentence
    product   the trees of two grammars that must agree: p₀(x, z) · p₁(x, z) in the place of either
    tilted    so that in expectation most dependencies match the rules of a rule set, see `posterior_constraint`

Whatever is learned differs only in what a learner then does with the counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from depinduce.chart.problems import Problem
from depinduce.errors import DepinduceError
from depinduce.learning.learners.learner import Learner, View
from depinduce.learning.posterior_constraint import ShareConstraint
from depinduce.networks.word_batch import as_factors


@dataclass
class EStep:
    """The way from the views that learners have of some sentences to their counts."""

    learners: list[Learner]
    agreement: bool  # several learners have one chart, that of their product; or each has its own
    hard: bool
    constraints: list[ShareConstraint]  # one for every chart, or none at all
    threads: int

    def counts(self, views: list[View], sentences: np.ndarray | None = None) -> tuple[list[Any], float]:
        """The counts of every learner, and the log-likelihood of the sentences (or the score of their best trees).

        sentences: the numbers of those in a batch, after which the constraints take a step; None: they are all of the
            corpus, and the constraints are met
        """
        charts = self.charts(views)
        if self.hard:
            return self._of_best_trees(charts, views)
        expected, total = [], 0.0
        for number, chart in enumerate(charts):
            found, tilted_by = self._expect(number, chart, sentences)
            expected.append(found)
            total += chart.total(found.log_z) - tilted_by
        if len(charts) == len(self.learners):
            return [learner.counts(found) for learner, found in zip(self.learners, expected, strict=True)], total
        over_tags, over_words = self.learners
        return [over_tags.counts(expected[0]), over_words.counts_in_product(views[1].data, expected[0])], total

    def log_likelihood(self, views: list[View]) -> float:
        """The mean log-likelihood of held-out sentences."""
        log_z = np.sum([chart.log_partition(threads=self.threads) for chart in self.charts(views)], axis=0)
        impossible = int(np.isneginf(log_z).sum())
        if impossible:
            raise DepinduceError(
                f"{impossible} held-out sentences have probability 0, so that they cannot tell when to stop. "
                "Raise --smoothing, or leave --dev away."
            )
        return float(log_z.mean())

    def charts(self, views: list[View]) -> list[Any]:
        """What is summed over: the problem of each learner, or the product of all."""
        problems = [view.problem for view in views]
        if len(problems) == 1 or not self.agreement:
            return problems
        over_tags, over_words = (problem.with_single_trees for problem in problems)
        assert over_tags is not None and over_words is not None, "hidden states have no product"
        return [over_tags.times(as_factors(over_words))]

    def _expect(self, number: int, chart: Any, sentences: np.ndarray | None) -> tuple[Any, float]:
        """The expectations of one chart, and by how much a tilt has raised their log Z, in expectation."""
        one_for_all = len(self.learners) > 1 and self.agreement
        positions = one_for_all or self.learners[number].needs_positions
        if not self.constraints:
            return chart.expect(positions=positions, threads=self.threads), 0.0
        constraint = self.constraints[number]
        if sentences is None:
            return constraint.satisfied(chart, threads=self.threads)
        return constraint.followed(chart, sentences, threads=self.threads)

    def _of_best_trees(self, charts: list[Problem], views: list[View]) -> tuple[list[Any], float]:
        trees = [chart.best_trees(threads=self.threads) for chart in charts]
        heads = [found.heads[0] for found in trees] * (len(self.learners) // len(charts))
        counts = [
            learner.counts_of_trees(view.data, of_all)
            for learner, view, of_all in zip(self.learners, views, heads, strict=True)
        ]
        return counts, float(np.sum([found.log_potential[0] for found in trees]))
