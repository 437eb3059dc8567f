"""Which tags head which, and on which side: what a universal grammar has in common, and what a language made of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

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


def word_order(model: Model, heads: Sequence[str] = ()) -> list[Pair]:
    """All pairs of a head and a child, those of one head together, the most frequent child first."""
    names = model.languages or ("",)
    grammars = [require_rule_view(model.in_language(name) if name else model) for name in names]
    uses = np.stack([_by_side(grammar) for grammar in grammars])  # [language, direction, head, child]
    totals = uses.sum(axis=1)
    left = np.divide(uses[:, LEFT], totals, out=np.full_like(totals, 0.5), where=totals > 0)
    pooled = totals.mean(axis=0) if model.headedness is None else model.headedness.child.sum(axis=1)
    tags = grammars[0].tags
    pairs = []
    for head in map(tags.id, heads or tags):
        shares = pooled[head] / max(pooled[head].sum(), np.finfo(float).tiny)
        for child in np.argsort(-shares, kind="stable").tolist():
            of_languages = {name: float(left[number, head, child]) for number, name in enumerate(names)}
            pairs.append(Pair(tags[head], tags[child], float(shares[child]), of_languages))
    return pairs


def _by_side(grammar: GrammarModel) -> np.ndarray:
    """How often a sentence has each child on each side of each head. [direction, head, child]"""
    counts, tags = lower_order(expected_uses(grammar).counts, grammar.order), len(grammar.tags)
    return counts.child.reshape(*Order.FIRST.shape(tags), tags).sum(axis=2)
