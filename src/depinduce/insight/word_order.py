"""Which tags head which, and on which side: what a universal grammar has in common, and what a language made of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from depinduce.corpus import Vocabulary
from depinduce.corpus.tags import called, find_tags
from depinduce.grammar.between_orders import lower_order
from depinduce.grammar.rules import LEFT, Order
from depinduce.insight.generation import expected_uses
from depinduce.models.model import Model, require_rule_view
from depinduce.models.places import MEMBERS
from depinduce.models.tag_model import GrammarModel

FIRM = 0.05  # so much more often on one side than on the other is a preference
MOST_NAMED = 12  # languages of one side


@dataclass(frozen=True)
class Pair:
    """A head and a tag among its children."""

    head: str
    child: str
    share: float  # of the children of the head, wherever they stand
    left: dict[str, float]  # the share on the left, in every language; of a grammar of one language, under ""
    mean: float | None = None  # the same in the mean of the languages of the universal grammar that it started from

    def __str__(self) -> str:
        """In words."""
        said = f"{self.head} heads {self.child}: {self.share:.2f} of its children"
        if list(self.left) == [""]:
            mean = "" if self.mean is None else f" (in the mean of all languages: {self.mean:.0%})"
            return f"{said}, {self.left['']:.0%} on the left{mean}"
        before = [name for name, left in self.left.items() if left > 0.5 + FIRM]
        after = [name for name, left in self.left.items() if left < 0.5 - FIRM]
        languages = "language" if len(before) == 1 else "languages"
        return f"{said}; on the left in {_named(before, f' {languages}')}, on the right in {_named(after)}"


def _named(names: list[str], what: str = "") -> str:
    """How many languages these are, and which."""
    shown = names if len(names) <= MOST_NAMED else [*names[:MOST_NAMED], "…"]
    return f"{len(names)}{what} ({' '.join(shown)})" if names else "none"


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
    grammars = [_rules(model.in_language(name) if name else model) for name in names]
    uses = [_by_side(grammar) for grammar in grammars]  # of each [direction, head, child]
    pooled = np.mean(uses, axis=(0, 1)) if model.headedness is None else model.headedness.child.sum(axis=1)
    return WordOrder(grammars[0].tags, names, np.stack([_share_on_left(one) for one in uses]), _normal(pooled))


def order_of_grammar(model: Model, tags: Vocabulary) -> WordOrder:
    """That of a grammar as a whole, a mean of its languages if it has several, among the tags of another."""
    grammar = _rules(model)
    known = find_tags(grammar.tags, tags)[:, None] == np.arange(len(tags))  # [own tag, tag] which it is, if it is one
    uses = known.T @ _by_side(grammar) @ known
    return WordOrder(tags, ("",), _share_on_left(uses)[None], _normal(uses.sum(axis=0)))


def word_order(model: Model, heads: Sequence[str] = (), universal: Model | None = None) -> list[Pair]:
    """All pairs of a head and a child, those of one head together, the most frequent child first.

    universal: the universal grammar that the model started from, to set it beside
    """
    order = order_of_languages(model)
    mean = None if universal is None else order_of_grammar(universal, order.tags).left[0]
    named = called(order.tags, heads or order.tags.symbols)
    return [pair for head in map(order.tags.id, named) for pair in _pairs(order, head, mean)]


def _pairs(order: WordOrder, head: int, mean: np.ndarray | None) -> Iterator[Pair]:
    shares = _normal(order.weight[head])
    for child in np.argsort(-shares, kind="stable").tolist():
        left = {name: float(order.left[number, head, child]) for number, name in enumerate(order.languages)}
        in_mean = None if mean is None else float(mean[head, child])
        yield Pair(order.tags[head], order.tags[child], float(shares[child]), left, in_mean)


def _rules(model: Model) -> GrammarModel:
    """The grammar whose order is told; of a committee the order-free one, which has learned nothing else."""
    return require_rule_view(model.parts.get(MEMBERS[0], model))


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
