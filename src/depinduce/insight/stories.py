"""Which rules of a grammar made a tree, word by word, in words and with their probabilities.

Every word of a tree has the rules by which it came to be: its head's decision to take a child and the choice of this
one (of the root, only that choice), and its own two decisions to stop, on its left and on its right. These are all
rules of the tree, each once, so that the product over all words is the probability of the tree.

A joint model has two grammars, and a tree the rules of both. HDP-DEP has hidden states: what is shown of it are the
rules of the grammar that remains when the states are summed out, whose product is no probability of the tree.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from depinduce.corpus import Corpus
from depinduce.grammar.rules import GO, HAS, LEFT, NO, RIGHT, STOP, Batch, Order, RuleTable
from depinduce.models.model import Model

SIDES = {LEFT: "left", RIGHT: "right"}


@dataclass(frozen=True)
class Rule:
    """A rule that a tree uses, or a constraint that forbids it."""

    text: str
    log_probability: float

    def to_json(self) -> dict:
        return {"text": self.text, "probability": math.exp(self.log_probability)}


@dataclass(frozen=True)
class WordRules:
    """The rules by which one word came to be."""

    arc: list[Rule]  # that made it the child of its head, or the root
    stops: list[Rule]  # by which it has no further children, on its left and on its right

    @property
    def log_probability(self) -> float:
        return sum(rule.log_probability for rule in (*self.arc, *self.stops))

    def to_json(self) -> dict:
        return {name: [rule.to_json() for rule in getattr(self, name)] for name in ("arc", "stops")}


@dataclass(frozen=True)
class Story:
    """How one grammar tells a tree."""

    title: str  # which grammar, where there are several
    words: list[WordRules]

    @property
    def log_probability(self) -> float:
        return sum(word.log_probability for word in self.words)


def stories(model: Model, corpus: Corpus, heads: Sequence[int]) -> list[Story]:
    """The rules of a tree of the only sentence of a corpus. heads: from 1, 0 is the root"""
    told = []
    for rules in model.open_rules(corpus):
        table, batch, factors = rules.problem
        root = table.root[batch.roots]
        if factors is not None and factors.root is not None:  # where a grammar over words has them
            root = root + factors.root
        way = rules.order, rules.inside_out
        teller = _Teller(*way, table, batch, root, list(heads), rules.names, rules.may_head)
        told.append(Story(rules.title, teller.words()))
    return told


@dataclass(frozen=True)
class _Place:
    """Where a decision is made: by which head, on which side, after which of its children (-1: none yet)."""

    head: int
    side: int
    previous: int

    @property
    def valence(self) -> int:
        return NO if self.previous < 0 else HAS


@dataclass(frozen=True)
class _Teller:
    """Tells the rules of one tree of one grammar. Words are 0..n-1."""

    order: Order
    inside_out: bool
    table: RuleTable
    batch: Batch
    root: np.ndarray  # [word] log p that it is the root
    heads: list[int]  # from 1, 0 is the root
    names: list[str]
    allowed: np.ndarray | None  # [word] whether it may have children; None: all may

    def words(self) -> list[WordRules]:
        arcs: dict[int, list[Rule]] = {}
        stops: list[list[Rule]] = []
        for head in range(len(self.heads)):
            stops.append([])
            for side in (LEFT, RIGHT):
                place = _Place(head, side, -1)
                for child in self._children(head, side):
                    arcs[child] = self._arc(place, child)
                    place = replace(place, previous=child)
                stops[head].append(self._stop(place))
            if self.heads[head] == 0:
                arcs[head] = [Rule(f"the root is {self.names[head]}", float(self.root[head]))]
        return [WordRules(arcs[word], stops[word]) for word in range(len(self.heads))]

    def _children(self, head: int, side: int) -> list[int]:
        """In the order in which they are generated."""
        places = range(head) if side == LEFT else range(len(self.heads) - 1, head, -1)
        children = [child for child in places if self.heads[child] == head + 1]  # from the outside in
        return children[::-1] if self.inside_out else children

    def _arc(self, place: _Place, child: int) -> list[Rule]:
        row, name = self._row(place), self.names[place.head]
        rules = [
            Rule(self._decision(place, taken=True), float(self.table.decision[row, GO])),
            Rule(self._choice(place, child), float(self.table.child[row, self.batch.column[child]])),
        ]
        if self.allowed is not None and not self.allowed[place.head]:
            rules.append(Rule(f"{name} may not have children, by the constraint of this grammar", -math.inf))
        return rules

    def _stop(self, place: _Place) -> Rule:
        return Rule(self._decision(place, taken=False), float(self.table.decision[self._row(place), STOP]))

    def _row(self, place: _Place) -> int:
        """The row of the table that the head looks at, as `Batch` defines it."""
        if self.order is Order.SIBLING:
            slot = self._context(place.previous)
        else:
            slot = 2 * self._context(self.heads[place.head] - 1) + place.valence
        return int(self.batch.rows[self.batch.base[place.head, place.side] + slot])

    def _context(self, word: int) -> int:
        return self.batch.no_context if word < 0 else int(self.batch.context[word])

    # ---------------------------------------------------------------- in the words of `depinduce inspect`

    def _decision(self, place: _Place, taken: bool) -> str:
        side = f"on its {SIDES[place.side]}"
        if place.valence == NO:
            return f"{self._subject(place)} has {'a' if taken else 'no'} child {side}"
        children = "one more child" if taken else "no more children"
        return f"{self._subject(place)} takes {children} further {self._onward} {side}"

    def _choice(self, place: _Place, child: int) -> str:
        if place.valence == HAS:
            where = f"further {self._onward} on its {SIDES[place.side]}"
        else:
            where = f"as the {'nearest' if self.inside_out else 'farthest'} child on its {SIDES[place.side]}"
        return f"{self._subject(place)} takes {self.names[child]} {where}"

    def _subject(self, place: _Place) -> str:
        """The head in its context."""
        name, above = self.names[place.head], self.heads[place.head]
        if self.order is Order.SIBLING:
            return f"after {self.names[place.previous]}, {name}" if place.valence == HAS else name
        if self.order is Order.GRANDPARENT:
            return f"{name} under {self.names[above - 1]}" if above else f"{name} as the root"
        return name

    @property
    def _onward(self) -> str:
        return "out" if self.inside_out else "in"
