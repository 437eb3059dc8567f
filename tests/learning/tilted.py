"""Sentences under a random grammar with all their trees, some of whose dependencies match random rules."""

from __future__ import annotations

import numpy as np
from chart.enumeration import Enumerated, Heads, random_problem

from depinduce.chart.engine import Expectations
from depinduce.chart.problems import Problem
from depinduce.grammar.knowledge import Matches
from depinduce.grammar.rules import LEFT, RIGHT, Order
from depinduce.learning.posterior_constraint import ShareConstraint, tilt_of

TAGS = 3
LENGTHS = [3, 1, 4, 2, 5]


def random_matches(seed: int, tags: int = TAGS) -> Matches:
    """About half of everything; a tag that nobody knows matches nothing."""
    random = np.random.default_rng(seed)
    root, arc = random.random(tags + 1) < 0.5, random.random((2, tags + 1, tags + 1)) < 0.5
    root[-1], arc[:, -1], arc[:, :, -1] = False, False, False
    return Matches(root, arc)


def matches_in(heads: Heads, tags: np.ndarray, matches: Matches) -> int:
    """The dependencies of a tree that match, one by one."""
    number = 0
    for child, head in enumerate(heads):
        if head == 0:
            number += bool(matches.root[tags[child]])
        else:
            direction = LEFT if child < head - 1 else RIGHT
            number += bool(matches.arc[direction, tags[head - 1], tags[child]])
    return number


class Toy:
    """A few sentences under a random grammar, with all their trees."""

    def __init__(self, order: Order, seed: int = 3, lengths: list[int] = LENGTHS):
        self.problem = Problem(*random_problem(order, lengths, TAGS, seed))
        self.table, self.batch, _ = self.problem
        self.matches = random_matches(seed)
        self.words = len(self.batch.column)
        self.tilt = tilt_of(self.matches, self.batch.column, self.batch.offsets)
        self.trees = [Enumerated(self.table, self.batch, sentence) for sentence in range(len(lengths))]
        tags = np.split(self.batch.column, self.batch.offsets[1:-1])
        self.matched = [  # in each tree of each sentence
            np.array([matches_in(heads, own, self.matches) for heads in exact.trees])
            for own, exact in zip(tags, self.trees, strict=True)
        ]

    def tilted(self, dual: float) -> list[np.ndarray]:
        """q(z) ∝ p(z) exp(λ · matches), for the trees of each sentence."""
        weights = [
            np.exp(exact.scores - exact.log_z + dual * matched)
            for exact, matched in zip(self.trees, self.matched, strict=True)
        ]
        return [own / own.sum() for own in weights]

    def share(self, dual: float) -> float:
        return sum(q @ m for q, m in zip(self.tilted(dual), self.matched, strict=True)) / self.words

    def expect(self, dual: float) -> Expectations:
        return self.tilt.applied(self.problem, dual).expect(positions=True)

    def constraint(self, share: float, dual: float = 0.0) -> ShareConstraint:
        return ShareConstraint(share, self.words, self.tilt, dual)
