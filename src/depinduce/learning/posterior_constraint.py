"""Posterior regularisation: in expectation, at least a share of all dependencies match the rules of a rule set.

Among the distributions q over trees that meet the constraint, the one nearest to the model's p is

    q(z) ∝ p(z | x) · exp(λ · matches in z),    λ ≥ 0, and λ = 0 if p itself meets it.

The expected number of matches rises with the dual variable λ. Its gradient is what the constraint still lacks, and λ
follows that gradient, never below 0. (Ganchev, Graça, Gillenwater and Taskar 2010)
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np

from depinduce.chart.engine import Expectations
from depinduce.chart.problems import Problem
from depinduce.corpus import Corpus
from depinduce.corpus.ragged import pairs, pieces
from depinduce.grammar.knowledge import Matches, load_knowledge
from depinduce.grammar.rules import Factors
from depinduce.learning.settings.learning import LearningSettings

T = TypeVar("T")

TOLERANCE = 1e-3  # of the share
LARGEST_DUAL = 40.0  # a match that weighs e⁴⁰ outweighs everything: more cannot help
STEP = 4.0  # λ per share that is lacking
BATCH_STEP = 1.0  # the same, when a step follows every batch
MOST_PASSES = 25


@dataclass(frozen=True)
class Tilt:
    """Which dependencies of some sentences match."""

    root: np.ndarray  # [token] 1 where a word matches as the root
    arc: np.ndarray  # [arc] 1 where an arc matches
    offsets: np.ndarray  # [sentence + 1]
    arc_offsets: np.ndarray  # [sentence + 1]

    by_position: ClassVar[bool] = True  # matches are found by the posteriors of positions

    def take(self, sentences: np.ndarray) -> Tilt:
        """Of some of the sentences."""
        tokens, offsets = pieces(self.offsets, sentences)
        arcs, arc_offsets = pieces(self.arc_offsets, sentences)
        return Tilt(self.root[tokens], self.arc[arcs], offsets, arc_offsets)

    def applied(self, problem: Problem, dual: float) -> Problem:
        """The problem in which every match weighs exp(λ)."""
        return problem.times(self.factors(dual))

    def factors(self, dual: float) -> Factors:
        """The factors that give every match the weight exp(λ)."""
        return Factors(root=dual * self.root, arc=np.repeat(dual * self.arc[:, None], 2, axis=1))

    def matched(self, expected: Expectations) -> float:
        """The expected number of matches."""
        roots = np.add.reduceat(expected.root * self.root, self.offsets[:-1])
        return float((roots + np.add.reduceat(expected.arc.sum(axis=1) * self.arc, self.arc_offsets[:-1])).sum())


@dataclass(frozen=True)
class CorpusTilt:
    """Which dependencies of a corpus match; that is told of some of its sentences at a time."""

    matches: Matches
    tags: np.ndarray  # [token]
    offsets: np.ndarray  # [sentence + 1]

    def take(self, sentences: np.ndarray) -> Tilt:
        tokens, offsets = pieces(self.offsets, sentences)
        return tilt_of(self.matches, self.tags[tokens], offsets)


def tilt_of(matches: Matches, tags: np.ndarray, offsets: np.ndarray) -> Tilt:
    """The matches in sentences. tags: [token], offsets: [sentence + 1]"""
    arc_offsets = np.concatenate([[0], np.cumsum(np.diff(offsets) ** 2)])
    sentence, head, child = pairs(offsets)
    begin = offsets[sentence]
    direction = (child > head).astype(np.int64)
    arc = matches.arc[direction, tags[begin + head], tags[begin + child]]
    return Tilt(matches.root[tags].astype(np.float64), arc.astype(np.float64), offsets, arc_offsets)


@dataclass
class ShareConstraint:
    """The constraint on a whole corpus, with its dual variable as it was last found."""

    share: float
    dependencies: float  # in the corpus: each word depends on one
    tilt: Any  # a Tilt, or something that likewise takes sentences, applies to a problem and finds matches
    dual: float = 0.0
    found: float = 0.0  # the share of matches at that dual variable

    @classmethod
    def of(cls, settings: LearningSettings, train: Corpus) -> ShareConstraint | None:
        """The constraint that settings ask for, if any."""
        if settings.rules is None:
            return None
        knowledge = load_knowledge(settings.rules)
        tilt = CorpusTilt(knowledge.matches(train.tag_vocabulary), train.tags, train.offsets)
        return cls(settings.rules_share or knowledge.share, len(train.tags), tilt)

    def restore(self, remembered: dict) -> None:
        """Go back to where it was."""
        self.dual, self.found = remembered["dual"], remembered["found"]

    def as_history(self, rules: str) -> dict:
        """What a model remembers of it."""
        return {"rules": rules, "wanted": self.share, "found": self.found, "dual": self.dual}

    @property
    def tilted_by(self) -> float:
        """By how much the tilt has raised the log Z of the corpus, in expectation: λ times its matches."""
        return self.dual * self.found * self.dependencies

    def follow(self, matched: float, words: float) -> float:
        """One step of λ after a batch of so many words, so many of which matched; gives λ before times the matches."""
        tilted_by = self.dual * matched
        self.found += matched
        self.dual = max(0.0, self.dual + BATCH_STEP * (self.share - matched / words))
        return tilted_by

    def meet(self, expect: Callable[[], tuple[T, float]]) -> T:
        """What is expected of the whole corpus where the constraint is met; sets the dual variable.

        expect: what it is at the present λ, and the expected number of matches
        """
        below = above = None  # λ that is too small, λ that is enough, each with its share of matches
        for number in range(MOST_PASSES):
            expected, matched = expect()
            self.found = matched / self.dependencies
            lacking = self.share - self.found
            if abs(lacking) <= TOLERANCE or (self.dual == 0.0 and lacking < 0.0):
                break
            if lacking > 0.0:
                below = self.dual, lacking
            else:
                above = self.dual, lacking
            if lacking > 0.0 and self.dual >= LARGEST_DUAL:
                warnings.warn(f"the rules match {self.found:.1%} of the dependencies at the most", stacklevel=2)
                break
            if below and above:  # between the two, where a straight line crosses zero
                along = below[1] / (below[1] - above[1])
                self.dual = below[0] + min(max(along, 0.05), 0.95) * (above[0] - below[0])
            else:  # along the gradient, with larger and larger steps
                self.dual = min(max(0.0, self.dual + 2**number * STEP * lacking), LARGEST_DUAL)
        else:
            expected, matched = expect()
            self.found = matched / self.dependencies
        return expected
