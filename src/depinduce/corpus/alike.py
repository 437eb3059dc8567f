"""Sentences with the same tags: to a grammar over tags they are one sentence that counts several times."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from depinduce.corpus.corpus import Corpus

_LOOKED_AT = 1 << 20  # words at a time, so that memory need not hold all


def distinct_sentences(corpus: Corpus, apart: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """The first of all sentences with the same tags, and how many there are. Both [distinct sentence]

    apart: those of two languages are not alike. A sentence whose heads are known in part or in whole is like no other.
    The first ones are in their order.
    """
    language = corpus.language if apart and corpus.language is not None else np.zeros(len(corpus), dtype=np.int64)
    lengths, given = corpus.lengths, corpus.is_given
    first, times = [np.flatnonzero(given)], [np.ones(int(given.sum()))]
    for length in np.unique(lengths[~given]):
        sentences = np.flatnonzero((lengths == length) & ~given)
        _, place, count = np.unique(
            _keys(corpus, language, sentences, int(length)), return_index=True, return_counts=True
        )
        first.append(sentences[place])
        times.append(count.astype(np.float64))
    numbers = np.concatenate(first)
    order = np.argsort(numbers, kind="stable")
    return numbers[order], np.concatenate(times)[order]


def _keys(corpus: Corpus, language: np.ndarray, sentences: np.ndarray, length: int) -> np.ndarray:
    """A number for each of some sentences of one length, the same if their tags and languages are. [sentence]"""
    symbols = len(corpus.tag_vocabulary) + 1  # and the unknown one
    fitting = max(1, int(np.log(2.0**62) / np.log(symbols)))  # so many tags are one number
    keys = language[sentences]
    for first in range(0, length, fitting):
        places = np.arange(first, min(first + fitting, length))
        part = np.empty(len(sentences), dtype=np.int64)
        for some in in_pieces(sentences, np.full(len(sentences), len(places)), _LOOKED_AT):
            tags = corpus.tags[corpus.offsets[sentences[some], None] + places]
            part[some] = (tags.astype(np.int64) + 1) @ symbols ** np.arange(len(places))
        keys = _paired(keys, part)
    return keys


def _paired(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Numbers that are the same where both numbers are."""
    if not one.any():
        return other
    (_, one), (found, other) = (np.unique(numbers, return_inverse=True) for numbers in (one, other))
    return one * len(found) + other


def in_pieces(sentences: np.ndarray, lengths: np.ndarray, most_words: int) -> Iterator[slice]:
    """Where to cut sentences into pieces of up to so many words each; one that has more is a piece of its own.

    lengths: [sentence] of each
    """
    ends = np.cumsum(lengths)
    begin = 0
    while begin < len(sentences):
        before = ends[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, before + most_words, side="right")))
        yield slice(begin, end)
        begin = end
