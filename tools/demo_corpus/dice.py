"""Chance, from nothing but `Random.random()`: the one method whose sequence Python promises to keep."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import TypeVar

Item = TypeVar("Item")


class Dice:
    """A seeded source of choices, the same on every Python version."""

    def __init__(self, seed: int):
        self._roll = random.Random(seed).random

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return self._roll() < probability

    def pick(self, items: Sequence[Item]) -> Item:
        """One of the items, all equally likely."""
        return items[int(self._roll() * len(items))]

    def weighted(self, weights: Mapping[Item, float]) -> Item:
        """One of the keys, with probability in proportion to its weight."""
        remaining = self._roll() * sum(weights.values())
        for item, weight in weights.items():
            remaining -= weight
            if remaining < 0:
                return item
        return item

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """The items in random order."""
        return [item for _, _, item in sorted((self._roll(), place, item) for place, item in enumerate(items))]
