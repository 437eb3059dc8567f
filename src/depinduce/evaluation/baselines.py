"""Trees that know nothing of the language: the scores any parser has to beat.

A uniformly random projective tree is drawn exactly and in linear time. In such a tree every head has a
sequence of left children and a sequence of right children. List the heads in preorder (a head before its
left subtrees, those before its right subtrees) and write down their numbers of children
(left_1, right_1), …, (left_n, right_n): 2n numbers with the sum n-1 that determine the tree. There are
C(3n-2, n-1) such lists of numbers, all equally easy to draw (n-1 stars and 2n-1 bars in a row). By the cycle
lemma exactly one of the n rotations of each list is the preorder of a tree, so that there are
C(3n-2, n-1) / n = 1, 2, 7, 30, 143, … trees, each reached from n lists.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def next_word(offsets: np.ndarray, seed: int = 0) -> np.ndarray:
    """Heads [N] where each word hangs on the next one and the last is the root."""
    start, position = _positions(offsets)
    is_last = np.append(start[1:] != start[:-1], True) if len(start) else np.zeros(0, bool)
    return np.where(is_last, 0, position + 1)


def previous_word(offsets: np.ndarray, seed: int = 0) -> np.ndarray:
    """Heads [N] where each word hangs on the one before and the first is the root."""
    return _positions(offsets)[1] - 1


def random_projective(offsets: np.ndarray, seed: int = 0) -> np.ndarray:
    """Heads [N] of one tree per sentence, drawn uniformly from its projective trees with one root."""
    rng = np.random.default_rng(seed)
    heads = np.zeros(int(offsets[-1]), dtype=np.int64)
    for start, end in zip(offsets[:-1], offsets[1:], strict=True):
        if end > start:
            heads[start:end] = random_tree(int(end - start), rng)
    return heads


BASELINES: dict[str, Callable[[np.ndarray, int], np.ndarray]] = {
    "next word": next_word,
    "previous word": previous_word,
    "random projective tree": random_projective,
}


def random_tree(words: int, rng: np.random.Generator) -> list[int]:
    """The heads (1-based, 0 = root) of one projective tree, each of the possible ones equally likely."""
    bars = np.sort(rng.permutation(3 * words - 2)[: 2 * words - 1])
    stars_between = np.diff(bars, prepend=-1, append=3 * words - 2) - 1  # [2n] with the sum n-1
    children = stars_between.reshape(words, 2)  # [n, (left, right)]
    # Walking the list, every head uses up one open place and opens as many as it has children; a preorder
    # never runs out of places before its end. That rotation begins after the first lowest point.
    open_places = np.cumsum(children.sum(1) - 1)
    children = np.roll(children, -(int(np.argmin(open_places)) + 1), axis=0)
    return _tree_of_preorder(children[:, 0].tolist(), children[:, 1].tolist())


def _tree_of_preorder(left: list[int], right: list[int]) -> list[int]:
    """The heads of the tree whose words, in preorder, have these numbers of left and right children."""
    parent, place = [], [0] * len(left)  # by preorder number; place in the sentence is 1-based
    unfinished: list[int] = []  # from the root down to the current word
    next_place = 1
    for word in range(len(left)):
        parent.append(unfinished[-1] if unfinished else -1)
        unfinished.append(word)
        while unfinished:  # until one of them still waits for a child: the next word in preorder
            top = unfinished[-1]
            if left[top]:
                left[top] -= 1
                break
            if not place[top]:
                place[top] = next_place
                next_place += 1
            if right[top]:
                right[top] -= 1
                break
            unfinished.pop()
    heads = [0] * len(left)
    for word, head in enumerate(parent):
        heads[place[word] - 1] = place[head] if head >= 0 else 0
    return heads


def _positions(offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The start of each word's sentence, and the word's 1-based place in it: two arrays [N]."""
    offsets = np.asarray(offsets, dtype=np.int64)
    start = np.repeat(offsets[:-1], np.diff(offsets))
    return start, np.arange(len(start)) - start + 1
