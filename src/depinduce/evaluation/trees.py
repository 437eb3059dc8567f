"""Properties of dependency trees: projectivity and cycles.

Heads are 1-based within their sentence, 0 is the root; an unknown head (-1) makes no arc.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def is_projective(heads: Sequence[int] | np.ndarray) -> bool:
    """Whether no two arcs of one sentence cross; the root stands before the first word and has arcs too."""
    return bool(projective_sentences(heads, [0, len(heads)])[0])


def non_projective_share(heads: np.ndarray, offsets: np.ndarray) -> float:
    """The share (0 to 1) of sentences whose tree is not projective; nan when there are none."""
    projective = projective_sentences(heads, offsets)
    return float(1.0 - projective.mean()) if len(projective) else float("nan")


def projective_sentences(heads: Sequence[int] | np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Whether the arcs of each sentence [S] never cross."""
    heads, offsets = np.asarray(heads, dtype=np.int64), np.asarray(offsets, dtype=np.int64)
    lengths = np.diff(offsets)
    sentence = np.repeat(np.arange(len(lengths)), lengths)  # [N]
    # All sentences on one line, each with a place for the root before its first word.
    root = offsets[sentence] + sentence
    child, head = np.arange(len(heads)) + sentence + 1, root + heads
    left, right = np.minimum(child, head)[heads >= 0], np.maximum(child, head)[heads >= 0]
    outer_first = np.lexsort((-right, left))

    projective = np.ones(len(lengths), dtype=bool)
    arcs = zip(
        left[outer_first].tolist(),
        right[outer_first].tolist(),
        sentence[heads >= 0][outer_first],
        strict=True,
    )
    open_ends: list[int] = []  # the right ends of the arcs over the current place, the innermost last
    for begin, end, number in arcs:
        while open_ends and open_ends[-1] <= begin:
            open_ends.pop()
        if open_ends and open_ends[-1] < end:
            projective[number] = False
        open_ends.append(end)
    return projective


def find_cycle(heads: Sequence[int] | np.ndarray) -> list[int] | None:
    """The words (1-based) of one cycle, each followed by its head; None when every word reaches the root."""
    heads = [int(head) for head in heads]
    walk_of = [0] * (len(heads) + 1)  # the number of the walk that first came to each word
    for first in range(1, len(heads) + 1):
        word = first
        while word > 0 and not walk_of[word]:
            walk_of[word] = first
            word = heads[word - 1]
        if word > 0 and walk_of[word] == first:
            return _follow(heads, word)
    return None


def _follow(heads: list[int], word: int) -> list[int]:
    cycle = [word]
    while heads[cycle[-1] - 1] != word:
        cycle.append(heads[cycle[-1] - 1])
    return cycle


def cyclic_sentences(heads: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Whether each sentence [S] has a cycle, that is words that never reach the root."""
    heads, offsets = np.asarray(heads, dtype=np.int64), np.asarray(offsets, dtype=np.int64)
    lengths = np.diff(offsets)
    outside = len(heads)  # stands for all roots and unknown heads, and is its own head
    ancestor = np.append(np.where(heads > 0, np.repeat(offsets[:-1], lengths) + heads - 1, outside), outside)
    for _ in range(int(lengths.max(initial=0)).bit_length()):
        ancestor = ancestor[ancestor]  # 2, 4, 8, … steps up
    lost = np.concatenate([[0], np.cumsum(ancestor[:-1] != outside)])
    return lost[offsets[1:]] > lost[offsets[:-1]]
