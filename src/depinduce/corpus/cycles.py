"""Heads that lead in a circle and so make no tree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def find_cycle(heads: Sequence[int] | np.ndarray) -> list[int] | None:
    """The words (1-based) of one cycle from the first of them, each followed by its head; None if there is none.

    An unknown head (-1) leads nowhere, as the root does.
    """
    heads = [int(head) for head in heads]
    walk_of = [0] * (len(heads) + 1)  # the number of the walk that first came to each word
    for first in range(1, len(heads) + 1):
        word = first
        while word > 0 and not walk_of[word]:
            walk_of[word] = first
            word = heads[word - 1]
        if word > 0 and walk_of[word] == first:
            return _from_the_first(heads, word)
    return None


def _from_the_first(heads: list[int], word: int) -> list[int]:
    cycle = [word]
    while heads[cycle[-1] - 1] != word:
        cycle.append(heads[cycle[-1] - 1])
    first = cycle.index(min(cycle))
    return cycle[first:] + cycle[:first]
