"""The tokens of a lexical grammar: pairs of a word and its tag that are frequent enough, and the tags for the rest.

0 … T - 1    a tag, for all its words that have no token of their own
T … V - 1    a word with a tag
V            a tag that was never seen
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from depinduce.corpus import Corpus, Vocabulary


@dataclass(frozen=True)
class Lexicon:
    """Which tokens there are."""

    tags: Vocabulary
    words: Vocabulary  # those of the pairs
    pairs: np.ndarray  # [pair, (tag, word)] int32, sorted
    counts: np.ndarray | None = None  # [pair] how often each was seen; not kept in files

    @classmethod
    def of(cls, corpus: Corpus, min_count: int = 2) -> Lexicon:
        """The tokens of a training corpus: its tags, and its pairs that were seen so many times."""
        known = corpus.words >= 0
        both = np.stack([corpus.tags[known], corpus.words[known]], axis=1)
        pairs, counts = np.unique(both, axis=0, return_counts=True)
        pairs, counts = pairs[counts >= min_count], counts[counts >= min_count]
        numbers, new = np.unique(pairs[:, 1], return_inverse=True)
        of_word = np.bincount(new, weights=counts, minlength=len(numbers))
        words = Vocabulary([corpus.word_vocabulary[int(number)] for number in numbers], of_word)
        return cls(corpus.tag_vocabulary, words, np.stack([pairs[:, 0], new], axis=1).astype(np.int32), counts)

    def __len__(self) -> int:
        """The number of tokens V, without that of unseen tags."""
        return len(self.tags) + len(self.pairs)

    @property
    def unknown(self) -> int:
        return len(self)

    @cached_property
    def tag_of(self) -> np.ndarray:
        """The tag of each token. [V]"""
        return np.concatenate([np.arange(len(self.tags)), self.pairs[:, 0]])

    @cached_property
    def word_of(self) -> np.ndarray:
        """The word of each token, counted after the tags, which stand for themselves. [V]"""
        return np.concatenate([np.arange(len(self.tags)), len(self.tags) + self.pairs[:, 1]])

    @cached_property
    def _codes(self) -> np.ndarray:
        return self.pairs[:, 0].astype(np.int64) * len(self.words) + self.pairs[:, 1]

    def tokens(self, corpus: Corpus) -> np.ndarray:
        """The token of every word of a corpus whose tag ids are those of `tags`. [token] int64"""
        words = corpus.words
        if corpus.word_vocabulary != self.words:
            translation = np.append(self.words.ids(corpus.word_vocabulary.symbols), -1)
            words = translation[words]
        tags = corpus.tags.astype(np.int64)
        code = np.where((tags >= 0) & (words >= 0), tags * len(self.words) + words, -1)
        place = np.searchsorted(self._codes, code)
        found = np.append(self._codes, -2)[place] == code
        return np.where(found, len(self.tags) + place, np.where(tags >= 0, tags, self.unknown))

    def spelling(self, token: int) -> str:
        """How a token is shown to people: word/TAG, or the tag."""
        if token >= len(self):
            return "?"
        tag = self.tags[int(self.tag_of[token])]
        return tag if token < len(self.tags) else f"{self.words[int(self.pairs[token - len(self.tags), 1])]}/{tag}"

    def to_json(self) -> dict[str, object]:
        return {"words": self.words.to_json(), "pairs": self.pairs.tolist()}

    @classmethod
    def from_json(cls, tags: Vocabulary, data: Mapping) -> Lexicon:
        pairs, words = np.array(data["pairs"], dtype=np.int32).reshape(-1, 2), Vocabulary.from_json(data["words"])
        if ((pairs < 0) | (pairs >= [len(tags), len(words)])).any():
            raise ValueError("a pair of a tag and a word that are not there")
        lexicon = cls(tags, words, pairs)
        if (np.diff(lexicon._codes) <= 0).any():  # they are looked up by halves
            raise ValueError("pairs of tags and words that are not in order")
        return lexicon
