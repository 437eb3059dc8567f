"""Properties of dependency trees: projectivity and cycles.

Heads are 1-based within their sentence, 0 is the root; an unknown head (-1) makes no arc.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from depinduce.corpus.cycles import find_cycle

__all__ = ["find_cycle", "is_projective", "non_projective_share", "projective_sentences"]


def is_projective(heads: Sequence[int] | np.ndarray) -> bool:
    """Whether no two arcs of one sentence cross; the root stands before the first word and has arcs too."""
    return bool(projective_sentences(heads, [0, len(heads)])[0])


def non_projective_share(heads: np.ndarray, offsets: np.ndarray) -> float:
    """The share (0 to 1) of sentences whose tree is not projective; nan when there are none."""
    projective = projective_sentences(heads, offsets)
    return float(1.0 - projective.mean()) if len(projective) else float("nan")


def projective_sentences(heads: Sequence[int] | np.ndarray, offsets: Sequence[int] | np.ndarray) -> np.ndarray:
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
