"""How the words of a corpus appear to a grammar with hidden states: a symbol, and an item that its state emits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from depinduce.chart.states import StateBatch
from depinduce.corpus import Corpus, Vocabulary
from depinduce.grammar.constraints import allowed_heads

RARE = ""  # the item of a word that is rare or unknown
MIN_COUNT = 2  # of a word that is an item of its own


@dataclass(frozen=True)
class Refinement:
    """Symbols are tags or categories of tags; an item is a tag or a word, of a certain symbol."""

    tags: Vocabulary
    words: Vocabulary  # none, if items are tags
    symbols: Vocabulary
    symbol_of_tag: np.ndarray  # [tag]
    items: tuple[tuple[int, str], ...]  # symbol and spelling
    emits_words: bool

    @classmethod
    def of(cls, corpus: Corpus, categories: dict[str, str], emits_words: bool) -> Refinement:
        """categories: the symbol of every tag"""
        tags = corpus.tag_vocabulary
        names = [categories[tag] for tag in tags]
        counts: dict[str, int] = {}
        for name, count in zip(names, tags.counts, strict=True):
            counts[name] = counts.get(name, 0) + count
        symbols = Vocabulary.from_counts(counts)
        symbol_of_tag = symbols.ids(names).astype(np.int64)
        if emits_words:
            words = corpus.word_vocabulary
            pairs, seen = np.unique(
                symbol_of_tag[corpus.tags] * len(words) + corpus.words, return_counts=True
            )  # fmt: skip
            frequent = pairs[seen >= MIN_COUNT]
            items = [(int(pair) // len(words), words[int(pair) % len(words)]) for pair in frequent]
            items += [(symbol, RARE) for symbol in range(len(symbols))]
        else:
            words = Vocabulary((), ())
            items = [(int(symbol), tag) for symbol, tag in zip(symbol_of_tag, tags, strict=True)]
        return cls(tags, words, symbols, symbol_of_tag, tuple(items), emits_words)

    @cached_property
    def _number(self) -> dict[tuple[int, str], int]:
        return {item: number for number, item in enumerate(self.items)}

    @cached_property
    def symbol_of_item(self) -> np.ndarray:
        """[item]"""
        return np.array([symbol for symbol, _ in self.items], dtype=np.int64)

    def symbols_in(self, corpus: Corpus) -> np.ndarray:
        """The symbol of each word; that of an unknown tag is the number of symbols. [token]"""
        return np.append(self.symbol_of_tag, len(self.symbols))[corpus.tags]

    def items_in(self, corpus: Corpus) -> np.ndarray:
        """The item of each word; that of an unknown tag is the number of items. [token]"""
        if not self.emits_words:
            return np.where(corpus.tags < 0, len(self.items), corpus.tags)
        symbols = self.symbols_in(corpus)
        spelling = [*corpus.word_vocabulary.symbols, RARE]
        pairs, place = np.unique(np.stack([symbols, corpus.words]), axis=1, return_inverse=True)
        numbers = [
            self._number.get((symbol, spelling[word]), self._number.get((symbol, RARE), len(self.items)))
            for symbol, word in pairs.T.tolist()
        ]
        return np.array(numbers)[place.ravel()]

    def batch(self, corpus: Corpus, may_head: np.ndarray) -> StateBatch:
        """A corpus for the chart. may_head: [token]"""
        symbols, items, known = self.symbols_in(corpus), self.items_in(corpus), corpus.known
        possible = () if known is None else known.possible(corpus.offsets)
        return StateBatch(corpus.offsets, symbols, items, may_head, np.ones(len(corpus)), *possible)

    def batch_without_heads(self, corpus: Corpus, non_heads: tuple[str, ...]) -> StateBatch:
        """A corpus for the chart, in which these tags head nothing."""
        allowed = allowed_heads(self.tags, non_heads, corpus)
        return self.batch(corpus, np.ones(len(corpus.tags), dtype=bool) if allowed is None else allowed)

    def to_json(self) -> dict:
        return {
            "tags": self.tags.to_json(),
            "words": self.words.to_json(),
            "symbols": self.symbols.to_json(),
            "symbol_of_tag": self.symbol_of_tag.tolist(),
            "items": [list(item) for item in self.items],
            "emits_words": self.emits_words,
        }

    @classmethod
    def from_json(cls, data: dict) -> Refinement:
        tags, words, symbols = (Vocabulary.from_json(data[name]) for name in ("tags", "words", "symbols"))
        symbol_of_tag = np.array(data["symbol_of_tag"], dtype=np.int64)
        items = tuple((int(symbol), str(name)) for symbol, name in data["items"])
        emits_words = bool(data["emits_words"])
        if symbol_of_tag.shape != (len(tags),) or (not emits_words and len(items) != len(tags)):
            raise ValueError("not every tag has a symbol and an item")
        for symbol in (*symbol_of_tag.tolist(), *(symbol for symbol, _ in items)):
            if not 0 <= symbol < len(symbols):
                raise ValueError(f"there is no symbol {symbol}")
        return cls(tags, words, symbols, symbol_of_tag, items, emits_words)
