"""Long sentences: what they cost, and trees made of their pieces.

A chart takes the cube of a sentence's length in time and its square in memory: nothing for 40 words, a minute and a
gigabyte for 2,000. Those are seldom sentences: a file without full stops, or a table. Cut into pieces of equal length,
each of which is parsed like a sentence, they take no more than others; the root of a piece then hangs on that of the
piece before, so that the whole is a projective tree with one root.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from depinduce.corpus import Corpus
from depinduce.grammar.rules import Order
from depinduce.models.model import Model
from depinduce.parsing.decoding import Parses, Parsing

# Measured on one core with count models over 4 tags and a sentence of 500 words; other machines differ.
BEST_TREE, ALL_TREES = 5e-9, 8e-8  # seconds, times the cube of the length
ROOM_OF_BEST_TREE, ROOM_OF_ALL_TREES = 350, 930  # bytes, times the square
ROOM_OF_RULES = 32  # bytes, times the cube, of a grammar that makes rules for all pairs of words
LONG_TIME, MUCH_ROOM = 5.0, 500e6  # from here on the user is told


@dataclass(frozen=True)
class Cost:
    """What a sentence takes, roughly."""

    words: int
    seconds: float
    bytes: float

    @property
    def is_high(self) -> bool:
        return self.seconds >= LONG_TIME or self.bytes >= MUCH_ROOM


def cost_of(model: Model, parsing: Parsing, words: int, tags: int) -> Cost:
    """What a sentence of so many words, with so many different tags, will take, or its pieces."""
    best_tree = parsing.decode in (None, "viterbi") and not (
        parsing.several or parsing.needs_posteriors or parsing.log_likelihood or not model.scores_trees
    )
    longest = min(words, parsing.max_words or words)
    contexts = tags + 1 if model.order is Order.GRANDPARENT else 1
    seconds = (BEST_TREE if best_tree else ALL_TREES) * contexts * words * longest**2
    room = (ROOM_OF_BEST_TREE if best_tree else ROOM_OF_ALL_TREES) * contexts * words * longest
    return Cost(words, seconds, room + (ROOM_OF_RULES * longest**3 if model.costly else 0))


# ---------------------------------------------------------------- pieces


def pieces_of(words: int, longest: int | None) -> int:
    """How many pieces a sentence is cut into."""
    return 1 if longest is None else -(-words // longest)


def cut(corpus: Corpus, longest: int) -> Corpus:
    """The corpus with the pieces of long sentences in their place."""
    pieces = np.array([pieces_of(length, longest) for length in corpus.lengths.tolist()], dtype=np.int64)
    bounds = [
        start + length * np.arange(number) // number
        for start, length, number in zip(corpus.offsets[:-1], corpus.lengths, pieces, strict=True)
    ]
    return replace(
        corpus,
        offsets=np.concatenate([*bounds, corpus.offsets[-1:]]).astype(np.int64),
        index=np.repeat(corpus.index, pieces),
        language=None if corpus.language is None else np.repeat(corpus.language, pieces),
    )


def joined(parses: Parses, pieces: Corpus, corpus: Corpus) -> Parses:
    """The parses of pieces as those of the sentences that they were cut from.

    A sentence of several pieces has one tree, and nobody knows how probable that is: its numbers are NaN.
    """
    first = np.searchsorted(pieces.offsets[:-1], corpus.offsets[:-1])  # the first piece of every sentence
    is_cut = np.diff(np.append(first, len(pieces))) > 1
    heads = parses.heads.copy()
    heads[1:, np.repeat(is_cut, corpus.lengths)] = -1
    for sentence in np.flatnonzero(is_cut):
        start, end = corpus.offsets[sentence], corpus.offsets[sentence + 1]
        root_before = 0
        for piece in range(first[sentence], np.searchsorted(pieces.offsets, end)):
            tree = heads[0, pieces.offsets[piece] : pieces.offsets[piece + 1]]
            root = int(np.flatnonzero(tree == 0)[0])
            shift = pieces.offsets[piece] - start
            tree += shift
            tree[root] = root_before
            root_before = shift + root + 1

    def of_sentences(values: np.ndarray | None) -> np.ndarray | None:
        return None if values is None else np.where(is_cut, np.nan, values[..., first])

    return Parses(heads, parses.posteriors, of_sentences(parses.log_z), of_sentences(parses.log_probability))
