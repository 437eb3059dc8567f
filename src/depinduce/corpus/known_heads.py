"""What somebody knows of the heads of a sentence before it is parsed: heads that words have, and heads they have not.

A head in the file is known, `_` is not; `NotHead=3,7` in MISC says that neither word 3 nor word 7 is the head of this
one, and `NotHead=0` that it is not the root.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from depinduce.corpus.conllu import MISC, Sentence
from depinduce.corpus.faults import quoted
from depinduce.corpus.punctuation import remove
from depinduce.corpus.ragged import pairs, pieces
from depinduce.errors import InputError

NOT_HEAD = "NotHead="


@dataclass(frozen=True, eq=False)
class KnownHeads:
    """What is known of the words of a corpus."""

    heads: np.ndarray  # int32 [token] from 1 within the sentence, 0 is the root, -1 unknown
    refused: np.ndarray  # int32 [·] heads that the words do not have, of one word after the other
    offsets: np.ndarray  # int64 [token + 1] which of these are whose

    @classmethod
    def of(cls, heads: Sequence[int] | np.ndarray, refused: Sequence[Sequence[int]]) -> KnownHeads:
        numbers = [head for own in refused for head in own]
        offsets = np.concatenate([[0], np.cumsum([len(own) for own in refused])]).astype(np.int64)
        return cls(np.array(heads, dtype=np.int32), np.array(numbers, dtype=np.int32), offsets)

    def take(self, tokens: np.ndarray) -> KnownHeads:
        """Of some words, given by their numbers."""
        places, offsets = pieces(self.offsets, tokens)
        return KnownHeads(self.heads[tokens], self.refused[places], offsets)

    def without(self, tokens: np.ndarray) -> KnownHeads:
        """The same, but nothing of these words. tokens: [token] bool"""
        kept = ~np.repeat(tokens, np.diff(self.offsets))
        counts = np.where(tokens, 0, np.diff(self.offsets))
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return KnownHeads(np.where(tokens, np.int32(-1), self.heads), self.refused[kept], offsets)

    @property
    def informed(self) -> np.ndarray:
        """Of which words anything is known. [token] bool"""
        return (self.heads >= 0) | (np.diff(self.offsets) > 0)

    def possible(self, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Which words may be the root, and which arcs may be. [token] bool, [arc] bool as in Batch.arc_offsets

        offsets: [sentence + 1]
        """
        sentence, head, child = pairs(offsets)
        wanted = self.heads[offsets[sentence] + child]
        root = self.heads <= 0
        arc = (wanted < 0) | (wanted == head + 1)
        token = np.repeat(np.arange(len(self.heads)), np.diff(self.offsets))
        root[token[self.refused == 0]] = False
        token, other = token[self.refused > 0], self.refused[self.refused > 0] - 1
        lengths = np.diff(offsets)
        first = np.cumsum(lengths**2) - lengths**2
        sentence = np.searchsorted(offsets, token, side="right") - 1
        arc[first[sentence] + other * lengths[sentence] + token - offsets[sentence]] = False
        return root, arc


def known_in(sentence: Sentence, keep: Sequence[bool] | None) -> tuple[list[int], list[tuple[int, ...]]]:
    """The known heads of the words that are kept, and those that they do not have, both numbered among the kept."""
    heads, refused = sentence.heads, refused_heads(sentence)
    if keep is None:
        return heads, refused
    number = [0, *np.cumsum(keep).tolist()]
    kept = [tuple(number[head] for head in own if head == 0 or keep[head - 1]) for own in compress(refused, keep)]
    return remove(heads, keep), kept


def refused_heads(sentence: Sentence) -> list[tuple[int, ...]]:
    """What `NotHead=` says of every word."""
    values = sentence.column(MISC)
    if not any(NOT_HEAD in value for value in values):
        return [()] * len(values)
    return [_refused(sentence, word, value) for word, value in enumerate(values, start=1)]


def _refused(sentence: Sentence, word: int, misc: str) -> tuple[int, ...]:
    told = [attribute.removeprefix(NOT_HEAD) for attribute in misc.split("|") if attribute.startswith(NOT_HEAD)]
    numbers = [number for value in told for number in value.split(",")]
    for number in numbers:
        if not (number.isascii() and number.isdecimal() and int(number) <= len(sentence)):
            found = f"{NOT_HEAD}{quoted(told[0])[1:-1]} names no words of the sentence, which has {len(sentence)}"
            remedy = "Write the ids of words that are not the head, and 0 for the root, with commas: NotHead=3,7."
            raise InputError(sentence.path, sentence.line_of(word), found, remedy)
    return tuple(sorted({int(number) for number in numbers}))
