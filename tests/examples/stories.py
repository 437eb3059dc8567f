"""The oracle of the examples: every projective tree of a short sentence, and every choice that its story makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from chart.enumeration import Heads, projective_trees

from depinduce.grammar.rules import GO, LEFT, RIGHT, STOP, RuleCounts, RuleTable


class Choice(NamedTuple):
    """A decision of a head, and the child after it. Words count from 0."""

    direction: int
    head: int
    above: int | None  # the head's head, None below ROOT
    previous: tuple[int, ...]  # the children so far in this direction, the last one first
    child: int | None  # None: it stops


def choices(heads: Heads) -> Iterator[Choice]:
    """All choices in the story of a tree: each head, in each direction, its children from the outside in."""
    for head, above in enumerate(heads):
        left = [word for word in range(head) if heads[word] == head + 1]
        right = [word for word in reversed(range(head + 1, len(heads))) if heads[word] == head + 1]
        for direction, children in ((LEFT, left), (RIGHT, right)):
            previous: tuple[int, ...] = ()
            for child in (*children, None):
                yield Choice(direction, head, above - 1 if above else None, previous, child)
                previous = (child, *previous)


class Told:
    """All trees of a sentence, with the rows that a grammar's own notion of context gives to their choices.

    row: from the tags of the sentence and a choice to the place of a row, in a table whose rows have these axes
    """

    def __init__(
        self,
        table: RuleTable,
        axes: tuple[int, ...],
        row: Callable[[np.ndarray, Choice], tuple[int, ...]],
        tags: np.ndarray,
        arcs: np.ndarray | None = None,
    ):
        self.table, self.tags = table, tags
        self.trees = projective_trees(len(tags))
        self.rows = [
            [(int(np.ravel_multi_index(row(tags, choice), axes)), choice) for choice in choices(tree)]
            for tree in self.trees
        ]
        scores = [self._score(tree, rows, arcs) for tree, rows in zip(self.trees, self.rows, strict=True)]
        self.scores, self.log_z = np.array(scores), float(np.logaddexp.reduce(scores))
        self.best = self.trees[int(np.argmax(scores))]

    def _score(self, tree: Heads, rows: list[tuple[int, Choice]], arcs: np.ndarray | None) -> float:
        total = self.table.root[self.tags[tree.index(0)]]
        for row, choice in rows:
            total += self.table.decision[row, STOP if choice.child is None else GO]
            if choice.child is not None:
                total += self.table.child[row, self.tags[choice.child]]
                total += 0.0 if arcs is None else arcs[choice.head, choice.child]
        return float(total)

    @property
    def counts(self) -> RuleCounts:
        """How often each rule is used, in expectation."""
        counts = RuleCounts.zeros_like(self.table)
        for tree, rows, probability in zip(self.trees, self.rows, np.exp(self.scores - self.log_z), strict=True):
            counts.root[self.tags[tree.index(0)]] += probability
            for row, choice in rows:
                counts.decision[row, STOP if choice.child is None else GO] += probability
                if choice.child is not None:
                    counts.child[row, self.tags[choice.child]] += probability
        return counts


def random_table(random: np.random.Generator, axes: tuple[int, ...], tags: int) -> RuleTable:
    """Any log potentials; they need not be probabilities."""
    rows = int(np.prod(axes))
    return RuleTable(*(random.normal(size=size) for size in (tags, (rows, tags), (rows, 2))))
