"""Vocabularies: the symbols of a corpus, numbered, with how often each was seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

import numpy as np

UNKNOWN = -1


class Vocabulary:
    """A frozen numbering of symbols with their counts."""

    def __init__(self, symbols: Iterable[str], counts: Iterable[int]):
        self.symbols = tuple(symbols)
        self.counts = tuple(int(count) for count in counts)
        if len(self.counts) != len(self.symbols):
            raise ValueError(f"{len(self.counts)} counts for {len(self.symbols)} symbols")
        if len(self._ids) != len(self.symbols):
            raise ValueError("a symbol is there twice")

    @classmethod
    def from_counts(cls, counts: Mapping[str, int]) -> Vocabulary:
        """The symbols from the most to the least frequent, in the order of their spelling among equals."""
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        return cls([symbol for symbol, _ in ranked], [count for _, count in ranked])

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {symbol: number for number, symbol in enumerate(self.symbols)}

    def id(self, symbol: str) -> int:
        """The number of a symbol, -1 if it is unknown."""
        return self._ids.get(symbol, UNKNOWN)

    def ids(self, symbols: Iterable[str]) -> np.ndarray:
        """The numbers of symbols, int32, -1 for the unknown ones."""
        return np.array([self._ids.get(symbol, UNKNOWN) for symbol in symbols], dtype=np.int32)

    def __len__(self) -> int:
        return len(self.symbols)

    def __iter__(self) -> Iterator[str]:
        return iter(self.symbols)

    def __contains__(self, symbol: str) -> bool:
        return symbol in self._ids

    def __getitem__(self, number: int) -> str:
        """The symbol of a number. -1 is no number: an unknown symbol has no spelling."""
        if number < 0:
            raise IndexError(f"{number} is not the number of a symbol")
        return self.symbols[number]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and (self.symbols, self.counts) == (other.symbols, other.counts)

    def __hash__(self) -> int:
        return hash((self.symbols, self.counts))

    def __repr__(self) -> str:
        return f"Vocabulary of {len(self)} symbols: {' '.join(self.symbols[:8])}{' …' if len(self) > 8 else ''}"

    def to_json(self) -> dict[str, list]:
        return {"symbols": list(self.symbols), "counts": list(self.counts)}

    @classmethod
    def from_json(cls, data: Mapping[str, list]) -> Vocabulary:
        if not all(isinstance(symbol, str) for symbol in data["symbols"]):
            raise ValueError("a symbol that is no text")
        return cls(data["symbols"], data["counts"])
