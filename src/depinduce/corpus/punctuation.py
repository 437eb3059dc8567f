"""Punctuation: which words are punctuation, trees without it, and trees with it put back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from depinduce.corpus.conllu import UPOS, XPOS, Sentence
from depinduce.errors import DepinduceError


@dataclass(frozen=True)
class Marks:
    """The tags that make a word punctuation, by their columns: one of its tags suffices."""

    by_column: Mapping[int, frozenset[str]]

    def keep(self, sentence: Sentence) -> list[bool] | None:
        """Which words stay, a flag for each; None if all stay."""
        columns = [(marks, sentence.column(number)) for number, marks in self.by_column.items()]
        if all(marks.isdisjoint(tags) for marks, tags in columns):
            return None
        keep = [True] * len(sentence)
        for marks, tags in columns:
            for position, tag in enumerate(tags):
                if tag in marks:
                    keep[position] = False
        return keep


_UD = frozenset({"PUNCT", "."})  # `.` in the twelve universal tags that came before UD
PENN = frozenset({",", ".", ":", "``", "''", "-LRB-", "-RRB-", "(", ")"})

CURRENCY = frozenset({"$", "#"})

PUNCTUATION = {
    "ud": Marks({UPOS: _UD}),
    "penn": Marks({XPOS: PENN}),
    "penn-currency": Marks({XPOS: PENN | CURRENCY}),
    "none": Marks({}),
}
MODES = ("auto", *PUNCTUATION)


def marks_of(mode: str, tag_column: int = UPOS, table: Mapping[str, str] | None = None) -> Marks:
    """The punctuation marks of a mode.

    `auto` is `ud`, and the Penn tags as well when the tags are taken from XPOS, and what a map of tags calls PUNCT.
    """
    if mode == "auto":
        marks = {UPOS: _UD} | ({XPOS: PENN} if tag_column == XPOS else {})
        mapped = frozenset(tag for tag, meant in (table or {}).items() if meant == "PUNCT")
        return Marks(marks | {tag_column: marks.get(tag_column, frozenset()) | mapped} if mapped else marks)
    if mode not in PUNCTUATION:
        raise DepinduceError(f"There is no punctuation mode {mode!r}. Choose from: {', '.join(MODES)}.")
    return PUNCTUATION[mode]


def is_punctuation(sentence: Sentence, marks: Marks) -> np.ndarray:
    """Which words are punctuation, bool [n]."""
    keep = marks.keep(sentence)
    return np.zeros(len(sentence), dtype=bool) if keep is None else ~np.array(keep, dtype=bool)


def remove(heads: Sequence[int], keep: Sequence[bool] | np.ndarray) -> list[int]:
    """The heads of the kept words, renumbered, each child with the nearest of its ancestors that is kept.

    0 where no ancestor is kept; -1 where the way up meets an unknown head.
    """
    number, kept = [0], 0  # the new number of every old one
    for stays in keep:
        kept += bool(stays)
        number.append(kept)
    result = []
    for head, stays in zip(heads, keep, strict=True):
        if stays:
            head = _nearest_kept(head, heads, keep)
            result.append(number[head] if head > 0 else head)
    return result


def _nearest_kept(head: int, heads: Sequence[int], keep: Sequence[bool] | np.ndarray) -> int:
    for _ in heads:  # no way up is longer, unless it goes in a circle
        if head <= 0 or keep[head - 1]:
            return int(head)
        head = heads[head - 1]
    return 0


def attach(heads: Sequence[int], keep: Sequence[bool]) -> list[int]:
    """The heads of all words, given those of the kept ones: the inverse of `remove`.

    Between two kept words punctuation hangs on their lowest common ancestor (which may be one of them):
    the lowest word whose descendants reach over the gap, so that every arc over the gap starts at this
    word or above it, and none is crossed. At the edges it hangs on the root. A projective tree with one
    root stays one. Where nothing is kept, the first word is the root and heads the others.
    """
    heads = [int(head) for head in heads]
    place = [position for position, stays in enumerate(keep, start=1) if stays]  # of every kept word
    if len(place) != len(heads):
        raise ValueError(f"{len(heads)} heads for {len(place)} kept words")
    if not place:
        return [0] + [1] * (len(keep) - 1) if len(keep) else []
    root = place[_top(1, heads) - 1]
    result, seen, head_of_gap = [], 0, root
    for stays in keep:
        if stays:
            head = heads[seen]
            result.append(place[head - 1] if head > 0 else head)
            seen += 1
            head_of_gap = None  # a new gap opens; most stay empty
        else:
            if head_of_gap is None:
                meeting = _lowest_common_ancestor(seen, seen + 1, heads) if seen < len(heads) else 0
                head_of_gap = place[meeting - 1] if meeting else root
            result.append(head_of_gap)
    return result


def _ancestors(word: int, heads: Sequence[int]) -> list[int]:
    """A word, its head, the head of that, and so on to the top."""
    way = []
    while word > 0 and len(way) < len(heads):
        way.append(word)
        word = heads[word - 1]
    return way


def _top(word: int, heads: Sequence[int]) -> int:
    return _ancestors(word, heads)[-1]


def _lowest_common_ancestor(left: int, right: int, heads: Sequence[int]) -> int:
    above_left = set(_ancestors(left, heads))
    return next((word for word in _ancestors(right, heads) if word in above_left), 0)
