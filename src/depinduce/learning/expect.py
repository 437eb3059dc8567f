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

    learners: list[Learner]  # if there are two, over tags and over words, the chart is that of their product
    hard: bool
    constraint: ShareConstraint | None
    threads: int

    def counts(self, views: list[View], sentences: np.ndarray | None = None) -> tuple[list[Any], float]:
        """The counts of every learner, and the log-likelihood of the sentences (or the score of their best trees).

        sentences: the numbers of those in a batch, after which the constraint takes a step; None: they are all of the
            corpus, and the constraint is met
        """
        chart = self.chart(views)
        if self.hard:
            return self._of_best_trees(chart, views)
        expected, tilted_by = self._expect(chart, sentences)
        total = chart.total(expected.log_z) - tilted_by
        first, *others = self.learners
        in_product = [
            learner.counts_in_product(view.data, expected) for learner, view in zip(others, views[1:], strict=True)
        ]
        return [first.counts(expected), *in_product], total

    def log_likelihood(self, views: list[View]) -> float:
        """The mean log-likelihood of held-out sentences."""
        log_z = self.chart(views).log_partition(threads=self.threads)
        impossible = int(np.isneginf(log_z).sum())
        if impossible:
            raise DepinduceError(
                f"{impossible} held-out sentences have probability 0, so that they cannot tell when to stop. "
                "Raise --smoothing, or leave --dev away."
            )
        return float(log_z.mean())

    def chart(self, views: list[View]) -> Any:
        """What is summed over: the problem of the learner, or the product of both."""
        if len(views) == 1:
            return views[0].problem
        over_tags, over_words = (view.problem.with_single_trees for view in views)
        assert over_tags is not None and over_words is not None, "hidden states have no product"
        return over_tags.times(as_factors(over_words))

    def _expect(self, chart: Any, sentences: np.ndarray | None) -> tuple[Any, float]:
        """The expectations of the chart, and by how much a tilt has raised their log Z, in expectation."""
        if self.constraint is None:
            positions = any(learner.needs_positions for learner in self.learners)
            return chart.expect(positions=positions, threads=self.threads), 0.0
        if sentences is None:
            return self.constraint.satisfied(chart, threads=self.threads)
        return self.constraint.followed(chart, sentences, threads=self.threads)

    def _of_best_trees(self, chart: Problem, views: list[View]) -> tuple[list[Any], float]:
        trees = chart.best_trees(threads=self.threads)
        counts = [
            learner.counts_of_trees(view.data, trees.heads[0])
            for learner, view in zip(self.learners, views, strict=True)
        ]
        return counts, float(trees.log_potential[0].sum())
