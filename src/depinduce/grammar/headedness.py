"""Which tags head which, whatever the side: what languages have in common, and each language's own order around it.

A *headedness* counts the rules of trees without the side on which a child stands: N(h, v, c) children, N(h, v, d)
decisions, N(c) roots, for heads h, valences v, children c and decisions d. Languages are pooled by adding theirs.
Shares of these counts are the prior of a first-order grammar whose order, the sides s, is free:

    q(c | h)       ∝ N(h, c) + RARE                                 child tags of a head
    q(c | h, v)    ∝ N(h, v, c) + backoff · q(c | h)
    F(d | h, v)    ∝ N(h, v, d) + RARE
    U(c)           ∝ N(c) + RARE

Such a grammar starts with p(c | h, s, v) = q, stops F and roots U on both sides alike. From the expected counts E that
it then gives to a language's text it learns the sides, and only then and slowly everything else:

    δ(s | h, c)    ∝ E(h, c, s) + side                              on which side of h does c stand?
    δ(s | h)       ∝ Σ_c E(h, c, s) + side                          and all children of h?
    p̃(c | h, s, v) ∝ q(c | h, v) · δ(s | h, c)                      the prior, with this order
    p(c | h, s, v) ∝ E(h, s, v, c) + child · p̃(c | h, s, v)
    p(d | h, s, v) ∝ E(h, s, v, d) + decision · F(d | h, v)
    p(c | ROOT)    ∝ E(c) + root · U(c)

In the first half of its EM, (1 - tied) · δ(s | h, c) + tied · δ(s | h) stands in the place of δ(s | h, c). Two nouns
in a row have no order by themselves; that of what else stands around nouns decides it, before it settles by chance.
The counts of a long text are scaled to those of `most` sentences: it does not drown what others know.

All of it works on one language, or on several at once: arrays have one more axis, `language`, before all others. To a
chart the grammars of several languages are one table, in which they lie one below the other (`grammar.stacked`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from depinduce.corpus import Vocabulary
from depinduce.corpus.tags import find_tags
from depinduce.grammar.multinomials import log_shares, shares
from depinduce.grammar.rules import Order, RuleArrays, RuleCounts, RuleTable

RARE = 0.01  # the count of what no tree has shown: not impossible
SENTENCES = 1000.0  # to so many the counts of a language are scaled, so that languages weigh alike


class FirstOrder(NamedTuple):
    """A number for every first-order rule, of each of some languages."""

    root: np.ndarray  # [language, tag]
    child: np.ndarray  # [language, direction, head, valence, child]
    decision: np.ndarray  # [language, direction, head, valence, STOP or GO]

    @classmethod
    def of(cls, rules: RuleArrays) -> FirstOrder:
        """The numbers of grammars that lie in one table."""
        tags = rules.child.shape[1]
        shape = (-1, *Order.FIRST.shape(tags))
        return cls(
            rules.root.reshape(-1, tags), rules.child.reshape(*shape, tags), rules.decision.reshape(*shape, 2)
        )  # fmt: skip

    @property
    def table(self) -> RuleTable:
        """Log probabilities as one table of all languages."""
        tags = self.root.shape[-1]
        return RuleTable(self.root.reshape(-1), self.child.reshape(-1, tags), self.decision.reshape(-1, 2))


@dataclass(frozen=True)
class Headedness(RuleArrays):
    """The counts of rules, whatever the side. All may have an axis of languages before."""

    root: np.ndarray  # [tag]
    child: np.ndarray  # [head, valence, child]
    decision: np.ndarray  # [head, valence, STOP or GO]

    @classmethod
    def by_language(cls, counts: RuleCounts, sentences: np.ndarray) -> Headedness:
        """That of every language, each scaled to the same number of sentences. sentences: [language] counted"""
        root, child, decision = FirstOrder.of(counts)
        scale = SENTENCES / np.maximum(sentences, 1)
        return cls(
            root * scale[:, None],
            child.sum(axis=1) * scale[:, None, None, None],
            decision.sum(axis=1) * scale[:, None, None, None],
        )

    def pooled(self) -> Headedness:
        """That of all languages together."""
        return Headedness(*(part.sum(axis=0) for part in self.parts))

    def of_the_others(self) -> Headedness:
        """For every language, that of all other languages: what they leave open it decides, and not it alone.

        A language that is alone has only itself.
        """
        if len(self.root) == 1:
            return self
        return Headedness(*(part.sum(axis=0) - part for part in self.parts))

    def among(self, known: Vocabulary, tags: Vocabulary) -> Headedness:
        """The same of other tags. Without an axis of languages.

        One that is not `known` is an average tag; several that are the same to `known`, such as refinements of one,
        share its counts by how often each was seen.
        """
        places = find_tags(tags, known)  # -1 is the average tag, which comes last
        seen = np.array(tags.counts) + RARE
        share = seen / np.bincount(places + 1, weights=seen)[places + 1]
        share[places < 0] = 1.0
        root, child, decision = (_with_average(part, axis=0) for part in self.parts)
        child = _with_average(child, axis=2)[places][:, :, places]
        return Headedness(root[places] * share, child * share, decision[places])


def _with_average(part: np.ndarray, axis: int) -> np.ndarray:
    return np.concatenate([part, part.mean(axis=axis, keepdims=True)], axis=axis)


@dataclass(frozen=True)
class Strengths:
    """How many counts the prior is worth, in a row of rules or for a pair of tags."""

    child: float = 1000.0
    decision: float = 1000.0
    root: float = 300.0
    side: float = 2.5
    backoff: float = 50.0
    tied: float = 0.5  # not a count, but a share: of the side that all children of a head have in common, at first
    most: float = 1500.0  # sentences that a text counts as


class OrderFree:
    """Grammars around a headedness: how they start, and how counts become rules."""

    def __init__(self, headedness: Headedness, strengths: Strengths | None = None, trees: np.ndarray | None = None):
        """headedness: [language, …]
        trees: [language] the share of what is to be known that comes from trees of the language, beside which the prior
            weighs less: it is for text that does not tell what heads what
        """
        # the last bits of sums depend on how numbers lie in memory, and those of a file lie in their order
        headedness = Headedness(*map(np.ascontiguousarray, headedness.parts))
        self.headedness, self.strengths = headedness, strengths or Strengths()
        self.left = np.ones(1) if trees is None else 1.0 - trees
        in_general = shares(headedness.child.sum(axis=2, keepdims=True) + RARE)
        child = shares(headedness.child + self.strengths.backoff * in_general)  # q(c | h, v)
        self.root = shares(headedness.root + RARE)  # [language, tag]
        self.child = child[:, None]  # [language, direction, head, valence, child], directions alike
        self.decision = shares(headedness.decision + RARE)[:, None]

    def start(self) -> FirstOrder:
        """The log probabilities of a grammar in which a child stands on either side alike."""
        both = (1, 2, 1, 1, 1)
        return FirstOrder(np.log(self.root), np.log(np.tile(self.child, both)), np.log(np.tile(self.decision, both)))

    def ordered(self, counts: FirstOrder, at_first: bool = False) -> np.ndarray:
        """p̃(c | h, s, v): the prior of children where counts tell the order."""
        by_child = counts.child.sum(axis=3)  # [language, direction, head, child]
        side = self._sides(by_child)
        if at_first:
            in_common = self._sides(by_child.sum(axis=3, keepdims=True))
            side = (1 - self.strengths.tied) * side + self.strengths.tied * in_common
        return shares(self.child * side[:, :, :, None])

    def _sides(self, counts: np.ndarray) -> np.ndarray:
        side = counts + self.strengths.side
        total = side.sum(axis=1, keepdims=True)
        return np.divide(side, total, out=np.full_like(side, 0.5), where=total > 0)

    def estimate(self, counts: FirstOrder, at_first: bool = False) -> FirstOrder:
        """The log probabilities of the grammar that learns from these counts. at_first: in the first half of its EM"""
        strengths, sentences = self.strengths, counts.root.sum(axis=-1)  # each has one root
        scale = np.minimum(1.0, strengths.most / np.maximum(sentences, 1.0))
        counts = FirstOrder(*(_by_language(scale, part) * part for part in counts))

        def around(own: np.ndarray, strength: float, prior: np.ndarray) -> np.ndarray:
            return log_shares(own + _by_language(self.left * strength, prior) * prior)

        return FirstOrder(
            around(counts.root, strengths.root, self.root),
            around(counts.child, strengths.child, self.ordered(counts, at_first)),
            around(counts.decision, strengths.decision, self.decision),
        )


def _by_language(numbers: np.ndarray, part: np.ndarray) -> np.ndarray:
    """One number for each language, to multiply an array with. part: [language, …]"""
    return numbers.reshape(-1, *[1] * (part.ndim - 1))
