"""What a language has made of a universal grammar: which of the known ones it is like, and what stands elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from depinduce.errors import DepinduceError
from depinduce.insight.word_order import WordOrder, order_of_grammar, order_of_languages
from depinduce.models.loading import load_universal
from depinduce.models.model import Model


@dataclass(frozen=True)
class Shift:
    """A head and a child that stand otherwise than in the mean of all known languages."""

    head: str
    child: str
    share: float  # of all children
    before: float  # the share of those that stand before their head, on its left
    mean: float  # the same in the mean of all languages

    def __str__(self) -> str:
        """What is said to be so more or less often."""
        return f"{self.child} before {self.head}"


@dataclass(frozen=True)
class AdaptedOrder:
    """The order of one language beside that of a universal grammar."""

    known: WordOrder  # of the languages of the universal grammar
    mean: np.ndarray  # [head, child] the share of children on the left, in the mean of them
    own: WordOrder  # of the language, among the same tags

    @property
    def left(self) -> np.ndarray:
        return self.own.left[0]

    def __str__(self) -> str:
        """In words."""
        (first, share), *others = self.nearest
        then = f", then {' and '.join(name for name, _ in others[:2])}" if others else ""
        count = len(self.known.languages)
        return (
            f"ordered most like {first} ({share:.0%} of the children on the same side){then}; {self.changed:.0%} stand "
            f"on another side than in the mean of {count} languages"
        )

    @property
    def changed(self) -> float:
        """The share of children on another side than in the mean of all languages."""
        return 1 - self.own.agreement(self.left, self.mean)

    @property
    def nearest(self) -> list[tuple[str, float]]:
        """The known languages, with the share of children on the same side as in each; the most alike first."""
        names, orders = self.known.languages, self.known.left
        shares = [(name, self.own.agreement(self.left, left)) for name, left in zip(names, orders, strict=True)]
        return sorted(shares, key=lambda item: -item[1])

    def shifts(self, number: int) -> list[Shift]:
        """The pairs in which most children stand on another side than in the mean of all languages."""
        changes = self.own.weight * np.abs(self.left - self.mean)
        ranked = np.argsort(-changes, axis=None, kind="stable")[:number]
        pairs = [divmod(int(place), len(self.own.tags)) for place in ranked if changes.flat[place] > 0]
        return [
            Shift(
                self.own.tags[head],
                self.own.tags[child],
                float(self.own.weight[head, child]),
                float(self.left[head, child]),
                float(self.mean[head, child]),
            )
            for head, child in pairs
        ]


def adapted_order(universal: Model, model: Model) -> AdaptedOrder:
    """The order of a grammar beside that of a universal one."""
    known = order_of_languages(universal)
    return AdaptedOrder(known, order_of_grammar(universal, known.tags).left[0], order_of_grammar(model, known.tags))


def universal_of(model: Model) -> Model | None:
    """The universal grammar that a model started from; None if it did not, or if that is no longer there."""
    start: Any = model.history.get("settings", {}).get("init") or [""]
    if start[0] != "universal" or model.rule_view() is None:
        return None
    try:
        return load_universal(*start[1:])
    except (DepinduceError, OSError):
        return None
