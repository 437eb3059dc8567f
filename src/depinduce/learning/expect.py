"""The E-step, of which there is one: from rules to the counts that trees, seen or unseen, give to them.

    soft      all trees of a sentence, each by its probability
    hard      the best tree of each sentence
    sharp     between these two: all trees, each by a power of its probability, see `EStep.counts`
    product   the trees of two grammars that must agree: p₀(x, z) · p₁(x, z) in the place of either
    tilted    so that in expectation most dependencies match the rules of a rule set, see `posterior_constraint`
    sparse    so that few pairs of tags stand in a dependency anywhere, see `posterior_sparsity`

Whatever is learned differs only in what a learner then does with the counts. Counts add up: over the pieces of a
corpus, and over the processes of a team, each of which has a share of the sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np

from depinduce.chart.problems import Problem
from depinduce.errors import DepinduceError
from depinduce.learning.learners.learner import Learner, View
from depinduce.learning.posterior_constraint import ShareConstraint
from depinduce.learning.posterior_sparsity import PosteriorSparsity
from depinduce.learning.team import ALONE, Team
from depinduce.networks.word_batch import as_factors

Piece = tuple[list[View], np.ndarray]  # what learners see of some sentences, and the numbers of these


class Found(NamedTuple):
    """What an E-step finds in some sentences."""

    counts: list[Any]  # of every learner
    total: float  # the log-likelihood of the sentences (hard: the score of their best trees)
    matched: float = 0.0  # the expected number of dependencies that match the rules, if there are any
    words: float = 0.0

    def __add__(self, other: Found) -> Found:  # pyright: ignore[reportIncompatibleMethodOverride], no tuple's sum
        pairs = zip(self.counts, other.counts, strict=True)
        counts = [_like(one, [a + b for a, b in zip(one.parts, more.parts, strict=True)]) for one, more in pairs]
        return Found(
            counts, self.total + other.total, self.matched + other.matched, self.words + other.words
        )  # fmt: skip


@dataclass
class EStep:
    """The way from the views that learners have of some sentences to their counts."""

    learners: list[Learner]  # if there are two, over tags and over words, the chart is that of their product
    hard: bool
    constraint: ShareConstraint | PosteriorSparsity | None
    threads: int
    team: Team = ALONE

    def counts(
        self,
        views: list[View],
        sentences: np.ndarray | None = None,
        beside: list[Any] | None = None,
        unambiguity: float = 0.0,
    ) -> tuple[list[Any], float]:
        """The counts of every learner, and the log-likelihood of the sentences (or the score of their best trees).

        sentences: the numbers of those in a batch, after which the constraint takes a step; None: they are all of the
            corpus, and the constraint is met
        beside: counts of this batch that are added to those that are found
        unambiguity: σ, what the entropy of the trees z of a sentence x costs, from 0 to 1. The distribution over them
            that maximises E_q log p(x, z) + (1 - σ) · H(q) is q(z) ∝ p(x, z) to the power 1 / (1 - σ). Its value takes
            the place of the log-likelihood: (1 - σ) · log Σ_z p(x, z) to that power. At 0 this is log p(x), at 1 the
            score of the best tree. (Tu and Honavar 2012)
        """
        if sentences is None:
            return self.of_all(lambda: [(views, np.arange(len(views[0].problem.batch)))], unambiguity)
        assert not isinstance(self.constraint, PosteriorSparsity), "sparsity is that of the whole corpus"
        own = self.of_some(views, sentences, unambiguity)
        found = self.in_team(own if beside is None else own + Found(beside, 0.0))
        tilted_by = 0.0 if self.constraint is None else self.constraint.follow(found.matched, found.words)
        return found.counts, found.total - (1.0 - unambiguity) * tilted_by

    def of_all(self, pieces: Callable[[], Iterable[Piece]], unambiguity: float = 0.0) -> tuple[list[Any], float]:
        """The same of all sentences of the corpus, given in pieces, anew whenever they are asked for."""
        if isinstance(self.constraint, PosteriorSparsity):
            ((views, _),) = pieces()
            return self._of_sparse(views, self.constraint)
        if self.constraint is None:
            found = self._sum(pieces(), unambiguity)
            return found.counts, found.total
        found = self.constraint.meet(lambda: (found := self._sum(pieces(), unambiguity), found.matched))
        return found.counts, found.total - (1.0 - unambiguity) * self.constraint.tilted_by

    def _sum(self, pieces: Iterable[Piece], unambiguity: float) -> Found:
        return self.in_team(reduce(add, (self.of_some(*piece, unambiguity) for piece in pieces)))

    def of_some(self, views: list[View], sentences: np.ndarray, unambiguity: float = 0.0) -> Found:
        """What this process finds in some sentences, under the tilt of now."""
        chart, ambiguity = self.chart(views), 1.0 - unambiguity
        if self.hard or unambiguity == 1.0:
            return self._of_best_trees(chart, views)
        if unambiguity:
            chart = chart.raised(1.0 / ambiguity)
        matched = 0.0
        if self.constraint is None:
            positions = any(learner.needs_positions for learner in self.learners)
            expected = chart.expect(positions=positions, threads=self.threads)
        else:
            assert isinstance(self.constraint, ShareConstraint), "sparsity is that of the whole corpus"
            tilt = self.constraint.tilt.take(sentences)
            tilted = tilt.applied(chart, self.constraint.dual)
            expected = tilted.expect(positions=tilt.by_position, threads=self.threads)
            matched = tilt.matched(expected)
        total = ambiguity * chart.total(expected.log_z)
        return Found(self._counted(views, expected), total, matched, float(views[0].problem.batch.offsets[-1]))

    def _of_sparse(self, views: list[View], sparsity: PosteriorSparsity) -> tuple[list[Any], float]:
        """Of all sentences, where few pairs of tags are probable."""
        chart = self.chart(views)
        expected, tilted_by = sparsity.satisfied(chart, threads=self.threads)
        return self._counted(views, expected), chart.total(expected.log_z) - tilted_by

    def _counted(self, views: list[View], expected: Any) -> list[Any]:
        """The counts of every learner, from what the chart gives."""
        first, *others = self.learners
        in_product = [
            learner.counts_in_product(view.data, expected) for learner, view in zip(others, views[1:], strict=True)
        ]
        return [first.counts(views[0].data, expected), *in_product]

    def in_team(self, found: Found) -> Found:
        """What all processes have found; but counts of rules that only one process has stay its own."""
        if self.team.size == 1:
            return found
        shared = [learner.shares_rules for learner in self.learners]
        parts = [part for own, of_all in zip(found.counts, shared, strict=True) if of_all for part in own.parts]
        *sums, numbers = self.team.sum([*parts, np.array(found[1:])])
        counts = [
            _like(own, [sums.pop(0) for _ in own.parts]) if of_all else own
            for own, of_all in zip(found.counts, shared, strict=True)
        ]
        return Found(counts, *numbers.tolist())

    def log_likelihood(self, views: list[View]) -> float:
        """The mean log-likelihood of held-out sentences."""
        log_z = self.chart(views).log_partition(threads=self.threads)
        own = np.array([log_z.sum(), float(len(log_z)), float(np.isneginf(log_z).sum())])
        total, sentences, impossible = self.team.sum([own])[0].tolist()
        if impossible:
            raise DepinduceError(
                f"{impossible:.0f} held-out sentences have probability 0, so that they cannot tell when to stop. "
                "Raise --smoothing, or leave --dev away."
            )
        return total / sentences

    def chart(self, views: list[View]) -> Any:
        """What is summed over: the problem of the learner, or the product of both."""
        if len(views) == 1:
            return views[0].problem
        over_tags, over_words = (view.problem.with_single_trees for view in views)
        assert over_tags is not None and over_words is not None, "hidden states have no product"
        return over_tags.times(as_factors(over_words))

    def _of_best_trees(self, chart: Problem, views: list[View]) -> Found:
        trees = chart.best_trees(threads=self.threads)
        counts = [
            learner.counts_of_trees(view.data, trees.heads[0])
            for learner, view in zip(self.learners, views, strict=True)
        ]
        return Found(counts, chart.total(trees.log_potential[0]))


def _like(counts: Any, parts: list[np.ndarray]) -> Any:
    """Counts of the same kind, of other numbers."""
    return type(counts)(*parts)
