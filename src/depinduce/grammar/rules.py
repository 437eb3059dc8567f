"""Rule tables and rule counts of first-order, sibling and grandparent grammars.

A head generates its children on each side from the outside in. Before each child it decides to go on
(GO) or to stop (STOP); a decision and the child that follows it look at the same *context*:

    order         a row of the table is one context                          rows of T tags
    FIRST         direction, head, valence                                   2 · T · 2
    SIBLING       direction, head, previous child or NULL                    2 · T · (T + 1)
    GRANDPARENT   direction, head, head's head or ROOT, valence              2 · T · (T + 1) · 2

Valence is NO before the first child in a direction and HAS afterwards. A sibling implies it
(no sibling, no child yet), so sibling rows do without.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from functools import cached_property
from typing import Self, overload

import numpy as np

LEFT, RIGHT = 0, 1  # direction
NO, HAS = 0, 1  # valence
STOP, GO = 0, 1  # decision


class Order(enum.Enum):
    """How far a rule looks beyond the head: not at all, at the previous child, or at the head's head."""

    FIRST = "first"
    SIBLING = "sibling"
    GRANDPARENT = "grandparent"

    def slots(self, tags: int) -> int:
        """How many rows a head has in one direction, in a grammar over `tags` tags."""
        return {Order.FIRST: 2, Order.SIBLING: tags + 1, Order.GRANDPARENT: 2 * (tags + 1)}[self]

    def shape(self, tags: int) -> tuple[int, ...]:
        """The rows of a tag grammar as named axes: direction, head, then the context."""
        context = {
            Order.FIRST: (2,),  # valence
            Order.SIBLING: (tags + 1,),  # sibling, the last is NULL
            Order.GRANDPARENT: (tags + 1, 2),  # grandparent, the last is ROOT; valence
        }[self]
        return (2, tags, *context)


@dataclass(frozen=True)
class RuleArrays:
    """A number for every rule."""

    root: np.ndarray  # [column]
    child: np.ndarray  # [row, column]
    decision: np.ndarray  # [row, STOP or GO]

    @classmethod
    def of_tags(cls, root: np.ndarray, child: np.ndarray, decision: np.ndarray) -> Self:
        """The numbers from arrays whose leading axes are `Order.shape`."""
        tags = len(root)
        return cls(root, child.reshape(-1, tags), decision.reshape(-1, 2))

    @property
    def parts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.root, self.child, self.decision

    @property
    def named(self) -> dict[str, np.ndarray]:
        """The parts by their names, as they are kept in files."""
        return {"root": self.root, "child": self.child, "decision": self.decision}


@dataclass(frozen=True)
class RuleTable(RuleArrays):
    """The log potential of every rule: log probabilities in a model, any log weight to a chart."""


@dataclass(frozen=True)
class RuleCounts(RuleArrays):
    """How often every rule is used, once or in expectation: the shape of its RuleTable."""

    @classmethod
    def zeros_like(cls, like: RuleArrays) -> RuleCounts:
        return cls(*(np.zeros(part.shape) for part in like.parts))

    def __add__(self, other: RuleCounts) -> RuleCounts:
        return RuleCounts(*(one + another for one, another in zip(self.parts, other.parts, strict=True)))

    def __rmul__(self, weight: float) -> RuleCounts:
        return RuleCounts(*(weight * part for part in self.parts))

    def dot(self, table: RuleTable) -> float:
        """Σ count · log potential, where a rule of zero potential that is not used counts nothing."""
        pairs = zip(self.parts, table.parts, strict=True)
        return float(sum(np.sum(count[count > 0] * values[count > 0]) for count, values in pairs))


@dataclass(frozen=True)
class Batch:
    """Sentences as a chart reads them: the row of every head in context, the column of every child.

    The row of head h in direction d is `rows[base[h, d] + slot]`. The slot is

        SIBLING               context[sibling], or no_context where there is none
        FIRST, GRANDPARENT    2 · context[grandparent] + valence, with no_context under ROOT

    In a tag grammar `rows` counts 0, 1, 2, …; a lexical model lists the few rows that its sentences need.
    First order is the grandparent case in which all contexts are the same. A table that holds the grammars of several
    languages has one root per language for a column, see `stacked`.
    """

    order: Order
    offsets: np.ndarray  # [sentence + 1] int64: sentence s owns tokens offsets[s] .. offsets[s + 1]
    column: np.ndarray  # [token] int32
    base: np.ndarray  # [token, direction] int32
    context: np.ndarray  # [token] int32
    no_context: int
    rows: np.ndarray  # [·] int32
    root_column: np.ndarray | None = None  # [token] int32: the place of every word among the roots, if not its column
    weights: np.ndarray | None = None  # [sentence] float64: how often each sentence counts; None: once

    @property
    def roots(self) -> np.ndarray:
        """The place of every word among the roots of a table. [token]"""
        return self.column if self.root_column is None else self.root_column

    def total(self, of_sentences: np.ndarray) -> float:
        """The sum of numbers of sentences, each as often as it counts. of_sentences: [sentence]"""
        return float(of_sentences.sum() if self.weights is None else self.weights @ of_sentences)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def lengths(self) -> np.ndarray:
        return np.diff(self.offsets)

    @cached_property
    def arc_offsets(self) -> np.ndarray:
        """Where each sentence's n × n arcs begin in an array over all (head, child) pairs. [sentence + 1]"""
        return np.concatenate([[0], np.cumsum(self.lengths**2)])

    def arcs_of(self, heads: np.ndarray) -> np.ndarray:
        """The number of each word's arc among all (head, child) pairs; without meaning for a root. [token]

        heads: [token], counted from 1 within the sentence, 0 is the root
        """
        return arcs_of(heads, self.offsets)


def arcs_of(heads: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """The number of each word's arc among all (head, child) pairs, see `Batch.arcs_of`. [token]"""
    lengths = np.diff(offsets)
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    position = np.arange(len(heads)) - offsets[sentence]
    head = np.maximum(np.asarray(heads, dtype=np.int64) - 1, 0)
    return (np.cumsum(lengths**2) - lengths**2)[sentence] + head * lengths[sentence] + position


def tag_batch(order: Order, tags: np.ndarray, offsets: np.ndarray, tag_count: int) -> Batch:
    """The batch of tagged sentences under a grammar over `tag_count` tags.

    tags: [token] int, offsets: [sentence + 1]
    """
    tags = np.ascontiguousarray(tags, dtype=np.int32)
    slots = order.slots(tag_count)
    base = np.stack([tags * slots, (tag_count + tags) * slots], axis=1).astype(np.int32)
    first = order is Order.FIRST
    return Batch(
        order=order,
        offsets=np.ascontiguousarray(offsets, dtype=np.int64),
        column=tags,
        base=base,
        context=np.zeros_like(tags) if first else tags,
        no_context=0 if first else tag_count,
        rows=np.arange(2 * tag_count * slots, dtype=np.int32),
    )


@dataclass(frozen=True)
class Factors:
    """Log potentials of single positions, multiplied onto the rules; None stands for one everywhere.

    They carry what does not fit a rule table: the first-order member of a joint model, tags that head
    nothing, posterior constraints, the votes of a minimum-risk tree. Valence here is of the rule's head.
    """

    root: np.ndarray | None = None  # [token]
    decision: np.ndarray | None = None  # [token, direction, valence, STOP or GO]
    arc: np.ndarray | None = None  # [arc, valence], arc = arc_offsets[sentence] + head · n + child

    @property
    def parts(self) -> tuple[np.ndarray | None, np.ndarray | None, np.ndarray | None]:
        return self.root, self.decision, self.arc


@overload
def multiplied(one: Factors, other: Factors | None) -> Factors: ...
@overload
def multiplied(one: Factors | None, other: Factors) -> Factors: ...
@overload
def multiplied(one: Factors | None, other: Factors | None) -> Factors | None: ...
def multiplied(one: Factors | None, other: Factors | None) -> Factors | None:
    """The product of two sets of factors over the same sentences."""
    if one is None or other is None:
        return one or other
    return Factors(
        *(a if b is None else b if a is None else a + b for a, b in zip(one.parts, other.parts, strict=True))
    )
