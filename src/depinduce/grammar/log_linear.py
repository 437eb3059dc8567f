"""Log-linear rules: the probability of a rule is made of the weights of its features, which it shares with other rules.

    score(rule) = Σ weights of its features                p(rule | row) = exp score / the row's total

A tag has names: itself, and the classes that it belongs to. The features of a rule put a name in the place of every
tag:

    child      head, child, direction, valence        basic: the tags themselves; it is the indicator of the rule
    decision   head, STOP or GO, direction, valence
    root       child

With back-off, each of them has copies that do not see the direction, the valence, or either. Seen as matrices:
`names` has a row for each tag and a 1 for each of its names; for a direction and a valence, and W with an entry for
each pair of names, the scores of all heads and children are names · W · namesᵀ. A gradient goes back by the
transposes:

    ∂ Σ count · log p / ∂ weight = Σ over rules with the feature of (count - the row's total count · p)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from depinduce.corpus import Vocabulary
from depinduce.corpus.tag_classes import TAG_CLASSES, in_class
from depinduce.grammar.rules import Order, RuleCounts, RuleTable

BACK_OFF = "back-off"
TEMPLATES = (*TAG_CLASSES, BACK_OFF)
LOWEST = -30.0  # a weight for what has probability 0


@dataclass(frozen=True)
class Features:
    """The features of all first-order rules over some tags, and where their weights lie in one vector."""

    names: np.ndarray  # [tag, name] 1 where a name is one of the tag; the first names are the tags
    back_off: bool
    child_valence: bool = True  # may features of children see the valence?

    @classmethod
    def of(cls, tags: Vocabulary, templates: Sequence[str], child_valence: bool = True) -> Features:
        """Those of some templates, beside the basic ones. A class without any tag has no features."""
        classes = [in_class(tags, name) for name in TAG_CLASSES if name in templates]
        names = [np.eye(len(tags)), *(members[:, None].astype(np.float64) for members in classes if members.any())]
        return cls(np.concatenate(names, axis=1), BACK_OFF in templates, child_valence)

    @property
    def tags(self) -> int:
        return len(self.names)

    @property
    def decision_sides(self) -> list[tuple[int, int]]:
        """What features of decisions see of the head's side: 2 directions or 1 for both, and valences likewise."""
        return [(2, 2), (1, 2), (2, 1), (1, 1)] if self.back_off else [(2, 2)]

    @property
    def child_sides(self) -> list[tuple[int, int]]:
        """The same of children."""
        if self.child_valence:
            return self.decision_sides
        return [(2, 1), (1, 1)] if self.back_off else [(2, 1)]

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """Of the weights: roots [name], children [direction, valence, name, name], decisions […, name, STOP or GO]."""
        names = self.names.shape[1]
        children = [(*side, names, names) for side in self.child_sides]
        return [(names,), *children, *((*side, names, 2) for side in self.decision_sides)]

    @property
    def size(self) -> int:
        """How many weights there are."""
        return sum(map(math.prod, self.shapes))

    def _parts(self, weights: np.ndarray) -> tuple[np.ndarray, list[np.ndarray], list[np.ndarray]]:
        """The weights of roots, children and decisions, as views."""
        cuts = np.cumsum([math.prod(shape) for shape in self.shapes])[:-1]
        pieces = zip(np.split(weights, cuts), self.shapes, strict=True)
        root, *others = (piece.reshape(shape) for piece, shape in pieces)
        children = len(self.child_sides)
        return root, others[:children], others[children:]

    def table(self, weights: np.ndarray) -> RuleTable:
        """The log probabilities of all rules."""
        names, tags = self.names, self.tags
        of_root, of_child, of_decision = self._parts(weights)
        child, decision = np.zeros((2, 2, tags, tags)), np.zeros((2, 2, tags, 2))  # [direction, valence, head, …]
        for part in of_child:
            child += names @ part @ names.T
        for part in of_decision:
            decision += names @ part
        return RuleTable.of_tags(
            log_softmax(names @ of_root), log_softmax(child).swapaxes(1, 2), log_softmax(decision).swapaxes(1, 2)
        )

    def value_and_gradient(self, weights: np.ndarray, counts: RuleCounts) -> tuple[float, np.ndarray]:
        """Σ count · log p(rule), and its gradient."""
        table = self.table(weights)
        root, child, decision = (
            count - count.sum(axis=-1, keepdims=True) * np.exp(values)
            for count, values in zip(counts.parts, table.parts, strict=True)
        )
        return counts.dot(table), self._pulled_back(root, child, decision)

    def _pulled_back(self, root: np.ndarray, child: np.ndarray, decision: np.ndarray) -> np.ndarray:
        """The gradient by the weights from that by the scores of all rules."""
        names, rows = self.names, Order.FIRST.shape(self.tags)
        of_child = names.T @ child.reshape(*rows, -1).swapaxes(1, 2) @ names  # [direction, valence, name, name]
        of_decision = names.T @ decision.reshape(*rows, 2).swapaxes(1, 2)
        parts = [names.T @ root]
        for full, sides in ((of_child, self.child_sides), (of_decision, self.decision_sides)):
            for directions, valences in sides:
                unseen = tuple(axis for axis, seen in enumerate((directions, valences)) if seen == 1)
                parts.append(full.sum(axis=unseen, keepdims=True))
        return np.concatenate([part.ravel() for part in parts])

    def basic(self, table: RuleTable) -> np.ndarray:
        """The weights with which the rules are those of a table: the basic ones are its logs, all others 0."""
        tags, rows = self.tags, Order.FIRST.shape(self.tags)
        weights = np.zeros(self.size)
        of_root, of_child, of_decision = self._parts(weights)
        root, child, decision = (np.maximum(part, LOWEST) for part in table.parts)
        of_root[:tags] = root
        by_valence = child.reshape(*rows, -1).swapaxes(1, 2)
        of_child[0][:, :, :tags, :tags] = by_valence if self.child_valence else by_valence[:, :1]
        of_decision[0][:, :, :tags] = decision.reshape(*rows, 2).swapaxes(1, 2)
        return weights


def log_softmax(scores: np.ndarray) -> np.ndarray:
    """log p ∝ scores, along the last axis."""
    scores = scores - scores.max(axis=-1, keepdims=True)
    return scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))
