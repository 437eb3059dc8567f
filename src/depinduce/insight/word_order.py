"""Which tags head which, and on which side: what a universal grammar has in common, and what a language made of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from depinduce.corpus import Vocabulary
from depinduce.corpus.tags import find_tags
from depinduce.grammar.between_orders import lower_order
from depinduce.grammar.rules import LEFT, Order
from depinduce.insight.generation import expected_uses
from depinduce.models.model import Model, require_rule_view
from depinduce.models.tag_model import GrammarModel

FIRM = 0.05  # so much more often on one side than on the other is a preference


@dataclass(frozen=True)
class Pair:
    """A head and a tag among its children."""

    head: str
    child: str
    share: float  # of the children of the head, wherever they stand
    left: dict[str, float]  # the share on the left, in every language; of a grammar of one language, under ""

    def __str__(self) -> str:
        """In words."""
        said = f"{self.head} heads {self.child}: {self.share:.2f} of its children"
        if list(self.left) == [""]:
            return f"{said}, {self.left['']:.0%} on the left"
        before = sum(left > 0.5 + FIRM for left in self.left.values())
        after = sum(left < 0.5 - FIRM for left in self.left.values())
        return f"{said}; on the left in {before} languages, on the right in {after}"


@dataclass(frozen=True)
class WordOrder:
    """On which side of a head its children stand in some languages, for every pair of a head and a child."""

    tags: Vocabulary
    languages: tuple[str, ...]
    left: np.ndarray  # [language, head, child] the share on the left
    weight: np.ndarray  # [head, child] of all children, in all languages, wherever they stand; sums to 1

    def agreement(self, one: np.ndarray, other: np.ndarray) -> float:
        """The share of children that stand on the same side in two orders. one, other: [head, child]"""
        return 1.0 - float((self.weight * np.abs(one - other)).sum())

    def most_frequent(self, number: int) -> list[tuple[int, int]]:
        """The head and the child of the pairs with the most children, as ids."""
        ranked = np.argsort(-self.weight, axis=None, kind="stable")[:number]
        return [divmod(int(place), len(self.tags)) for place in ranked]


def order_of_languages(model: Model) -> WordOrder:
    """That of every language of a model; of a model that tells none apart, one without a name."""
    names = model.languages or ("",)
    grammars = [require_rule_view(model.in_language(name) if name else model) for name in names]
    uses = [_by_side(grammar) for grammar in grammars]  # of each [direction, head, child]
    pooled = np.mean(uses, axis=(0, 1)) if model.headedness is None else model.headedness.child.sum(axis=1)
    return WordOrder(grammars[0].tags, names, np.stack([_share_on_left(one) for one in uses]), _normal(pooled))


def order_of_grammar(model: Model, tags: Vocabulary) -> WordOrder:
    """That of a grammar as a whole, a mean of its languages if it has several, among the tags of another."""
    grammar = require_rule_view(model)
    known = find_tags(grammar.tags, tags)[:, None] == np.arange(len(tags))  # [own tag, tag] which it is, if it is one
    uses = known.T @ _by_side(grammar) @ known
    return WordOrder(tags, ("",), _share_on_left(uses)[None], _normal(uses.sum(axis=0)))


def word_order(model: Model, heads: Sequence[str] = ()) -> list[Pair]:
    """All pairs of a head and a child, those of one head together, the most frequent child first."""
    order = order_of_languages(model)
    return [pair for head in map(order.tags.id, heads or order.tags) for pair in _pairs(order, head)]


def _pairs(order: WordOrder, head: int) -> Iterator[Pair]:
    shares = _normal(order.weight[head])
    for child in np.argsort(-shares, kind="stable").tolist():
        left = {name: float(order.left[number, head, child]) for number, name in enumerate(order.languages)}
        yield Pair(order.tags[head], order.tags[child], float(shares[child]), left)


def _by_side(grammar: GrammarModel) -> np.ndarray:
    """How often a sentence has each child on each side of each head. [direction, head, child]"""
    counts, tags = lower_order(expected_uses(grammar).counts, grammar.order), len(grammar.tags)
    return counts.child.reshape(*Order.FIRST.shape(tags), tags).sum(axis=2)


def _share_on_left(uses: np.ndarray) -> np.ndarray:
    """The share of the children on the left, one half where there are none. uses: [direction, head, child]"""
    total = uses.sum(axis=0)
    return np.divide(uses[LEFT], total, out=np.full_like(total, 0.5), where=total > 0)


def _normal(weights: np.ndarray) -> np.ndarray:
    return weights / max(weights.sum(), np.finfo(float).tiny)
