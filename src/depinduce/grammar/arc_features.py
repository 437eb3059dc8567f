"""What a conditional model of arcs sees of each: the tags of its two words and around them, its direction and length.

Of the words l < r that an arc joins, each of these features goes with the direction of the arc and its length (1, 2, 3,
4, 5, up to 10, more), as in the CRF autoencoder of Cai, Jiang and Tu (2017):

    the tag of l, and likewise of r                one feature for both: which of them heads is not said
    the tags of l and r
    those and the tag on the left of l             those and the tag on the right of l
    those and the tag on the left of r             those and the tag on the right of r

ROOT is a word before the first one. Before it and after the last word there are symbols of their own, and where two
words are neighbours there is one for the tag between them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from depinduce.corpus.ragged import pairs

TEMPLATES = 7
LENGTHS = np.array([1, 2, 3, 4, 5, 10])  # the longest of each class; beyond, there is one more
OF_ONE, OF_BOTH, LEFT_OF_LEFT, RIGHT_OF_LEFT, LEFT_OF_RIGHT, RIGHT_OF_RIGHT = range(6)  # kinds of features
SYMBOLS = 5  # beside tags: ROOT, the beginning, the end, nothing between, a tag that nobody knows


@dataclass(frozen=True)
class ArcCodes:
    """The features of all arcs of some sentences, by numbers that say which they are."""

    root: np.ndarray  # [token, template] int64: of the arc from ROOT
    arc: np.ndarray  # [arc, template] int64, see Batch.arc_offsets; without meaning from a word to itself

    @property
    def known(self) -> np.ndarray:
        """All that there are, ascending. [feature] int64"""
        return np.union1d(self.root, self.arc)


def arc_codes(tags: np.ndarray, offsets: np.ndarray, tag_count: int) -> ArcCodes:
    """The features of tagged sentences. tags: [token], -1 is a tag that nobody knows; offsets: [sentence + 1]"""
    root, beginning, end, nothing, unknown = range(tag_count, tag_count + SYMBOLS)
    lengths = np.diff(offsets)
    sentences = np.arange(len(lengths))
    # every sentence with the beginning and ROOT before it, and the end after it
    word = np.arange(len(tags)) + 3 * np.repeat(sentences, lengths) + 2  # [token] where it is there
    line = np.empty(len(tags) + 3 * len(lengths), dtype=np.int64)
    line[offsets[:-1] + 3 * sentences] = beginning
    line[offsets[:-1] + 3 * sentences + 1] = root
    line[offsets[1:] + 3 * sentences + 2] = end
    line[word] = np.where(tags < 0, unknown, tags)

    def codes(head: np.ndarray, child: np.ndarray) -> np.ndarray:
        left, right = np.minimum(head, child), np.maximum(head, child)
        length = np.searchsorted(LENGTHS, right - left)
        how = 2 * length + (head < child)  # length and direction
        one, other = line[left], line[right]
        near = right - left <= 1
        base = tag_count + SYMBOLS

        def code(kind: int, *symbols: np.ndarray) -> np.ndarray:
            number = kind * 2 * (len(LENGTHS) + 1) + how
            for symbol in (*symbols, *[0] * (3 - len(symbols))):
                number = number * base + symbol
            return number

        return np.stack(
            [
                code(OF_ONE, one),
                code(OF_ONE, other),
                code(OF_BOTH, one, other),
                code(LEFT_OF_LEFT, one, other, line[left - 1]),
                code(RIGHT_OF_LEFT, one, other, np.where(near, nothing, line[left + 1])),
                code(LEFT_OF_RIGHT, one, other, np.where(near, nothing, line[right - 1])),
                code(RIGHT_OF_RIGHT, one, other, line[right + 1]),
            ],
            axis=1,
        )

    sentence, head, child = pairs(offsets)
    first = word[offsets[:-1]] if len(lengths) else np.empty(0, dtype=np.int64)  # [sentence]
    before = np.repeat(first - 1, lengths)  # ROOT of each word
    return ArcCodes(codes(before, word), codes(first[sentence] + head, first[sentence] + child))


@dataclass(frozen=True)
class ArcFeatures:
    """The features of all arcs of some sentences, by their places in a list; the place after it is for all others."""

    root: np.ndarray  # [token, template] int32
    arc: np.ndarray  # [arc, template] int32

    @classmethod
    def of(cls, codes: ArcCodes, known: np.ndarray) -> ArcFeatures:
        """known: [feature] ascending"""
        return cls(_places(codes.root, known), _places(codes.arc, known))

    def take(self, tokens: np.ndarray, arcs: np.ndarray) -> ArcFeatures:
        return ArcFeatures(self.root[tokens], self.arc[arcs])

    def scores(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The sum of its features' weights, for every root and arc. weights: [feature + 1], the last is 0"""
        return weights[self.root].sum(axis=1), weights[self.arc].sum(axis=1)

    def counts(self, root: np.ndarray, arc: np.ndarray, features: int) -> np.ndarray:
        """How often each feature occurs if arcs occur so often. root: [token], arc: [arc]; [feature + 1]"""
        times = np.concatenate([np.repeat(root, TEMPLATES), np.repeat(arc, TEMPLATES)])
        places = np.concatenate([self.root.ravel(), self.arc.ravel()])
        return np.bincount(places, weights=times, minlength=features + 1)


def _places(codes: np.ndarray, known: np.ndarray) -> np.ndarray:
    if len(known) == 0:
        return np.zeros(codes.shape, dtype=np.int32)
    place = np.searchsorted(known, codes)
    is_known = known[np.minimum(place, len(known) - 1)] == codes
    return np.where(is_known, place, len(known)).astype(np.int32)
