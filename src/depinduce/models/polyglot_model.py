"""A universal grammar: one headedness of many languages, and every language's own rules around it.

A sentence is parsed by the rules of its language or, if that is none of those that it knows, by the mean of all.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np

from depinduce.chart.problems import Problem
from depinduce.corpus import Corpus, Reading, Vocabulary
from depinduce.grammar.between_orders import add_average_tag
from depinduce.grammar.constraints import constraint
from depinduce.grammar.headedness import FirstOrder, Headedness, joined, symbols
from depinduce.grammar.rules import Order, RuleTable, tag_batch
from depinduce.models.model import Model, OpenRules
from depinduce.models.model_files import how_made, new_model, numbers_of, write_numbers
from depinduce.models.sound_numbers import require_distributions, require_finite, require_kind
from depinduce.models.tag_model import GrammarModel

POOLED = "headedness."  # before the names of its numbers in the file


@dataclass(frozen=True)
class PolyglotModel(Model):
    """First-order grammars of many languages over the same tags."""

    tags: Vocabulary
    names: tuple[str, ...]  # of the languages
    table: FirstOrder  # log probabilities
    pool: Headedness  # of all languages
    non_heads: tuple[str, ...] = ()
    reading: Reading = field(default_factory=Reading)
    history: dict = field(default_factory=dict)

    kind: ClassVar[str] = "polyglot"
    order: ClassVar[Order] = Order.FIRST  # pyright: ignore[reportIncompatibleVariableOverride]
    about_rules: ClassVar[str] = "These are the rules of all languages in the mean."

    @classmethod
    def of(
        cls, tags: Vocabulary, names: tuple[str, ...], table: FirstOrder, pool: Headedness, **about
    ) -> PolyglotModel:
        """The model in the precision of its files, so that one that was saved is the same."""
        table = FirstOrder(*map(_as_kept, table))
        return cls(tags, names, table, Headedness(*map(_as_kept, pool.parts)), **about)

    @property
    def languages(self) -> tuple[str, ...]:
        return self.names

    @property
    def headedness(self) -> Headedness:
        return self.pool

    @property
    def about(self) -> str:
        return f"a universal grammar over tags, of {len(self.names)} languages"

    # ---------------------------------------------------------------- its grammars

    def in_language(self, name: str) -> GrammarModel:
        number = self.names.index(name)
        return self._grammar(RuleTable.of_tags(*(part[number] for part in self.table)))

    @cached_property
    def universal(self) -> GrammarModel:
        """The mean of all languages."""
        with np.errstate(divide="ignore"):
            return self._grammar(RuleTable.of_tags(*(np.log(np.exp(part).mean(axis=0)) for part in self.table)))

    def _grammar(self, table: RuleTable) -> GrammarModel:
        return GrammarModel(Order.FIRST, self.tags, table, self.non_heads, self.reading, self.history)

    @cached_property
    def _all(self) -> RuleTable:
        """All grammars in one, the universal one last, each with an average tag for those that are unknown."""
        grammars = [*map(self.in_language, self.names), self.universal]
        tables = [add_average_tag(grammar.table, Order.FIRST) for grammar in grammars]
        tags = len(self.tags) + 1
        child = np.stack([table.child.reshape(*Order.FIRST.shape(tags), tags) for table in tables])
        decision = np.stack([table.decision.reshape(*Order.FIRST.shape(tags), 2) for table in tables])
        return joined(FirstOrder(np.stack([table.root for table in tables]), child, decision))

    def problem(self, corpus: Corpus) -> Problem:
        if corpus.language is None or (corpus.language < 0).all():
            return self.universal.problem(corpus)
        known, universal = len(self.tags), len(self.names)
        language = np.repeat(np.where(corpus.language < 0, universal, corpus.language), corpus.lengths)
        tags = symbols(np.where(corpus.tags < 0, known, corpus.tags), language, known + 1)
        batch = tag_batch(Order.FIRST, tags, corpus.offsets, len(self._all.root))
        return Problem(self._all, batch, constraint(self.tags, self.non_heads, corpus, batch))

    def with_non_heads(self, tags: tuple[str, ...]) -> PolyglotModel:
        return replace(self, non_heads=tags)

    def rule_view(self) -> GrammarModel:
        return self.universal

    def open_rules(self, corpus: Corpus) -> list[OpenRules]:
        language = -1 if corpus.language is None else int(corpus.language[0])
        grammar = self.universal if language < 0 else self.in_language(self.names[language])
        return grammar.open_rules(corpus)

    # ---------------------------------------------------------------- files

    def save(self, directory: str | Path) -> None:
        own = {"names": list(self.names), "tags": self.tags.to_json()}
        pooled = {f"{POOLED}{name}": part for name, part in self.pool.named.items()}
        with new_model(directory, self, own) as folder:
            numbers = self.table._asdict() | pooled
            write_numbers(folder, {name: part.astype(np.float32) for name, part in numbers.items()})

    @classmethod
    def read(cls, directory: Path, description: dict) -> PolyglotModel:
        tags, names = Vocabulary.from_json(description["tags"]), tuple(description["names"])
        kept = numbers_of(directory, description)
        require_kind(kept, np.float32)
        numbers = {name: part.astype(np.float64) for name, part in kept.items()}
        pooled = {name.removeprefix(POOLED): part for name, part in numbers.items() if name.startswith(POOLED)}
        table = FirstOrder(**{name: part for name, part in numbers.items() if not name.startswith(POOLED)})
        _require_shapes(table, Headedness(**pooled), len(names), len(tags))
        require_distributions(table._asdict())
        _require_counts(pooled)
        return cls(tags, names, table, Headedness(**pooled), **how_made(description))


def _as_kept(numbers: np.ndarray) -> np.ndarray:
    return numbers.astype(np.float32).astype(np.float64)


def _require_counts(pooled: dict[str, np.ndarray]) -> None:
    require_finite(pooled)
    for name, counts in pooled.items():
        if (counts < 0).any():
            raise ValueError(f"{name} holds counts that are negative")


def _require_shapes(table: FirstOrder, pooled: Headedness, languages: int, tags: int) -> None:
    """A chart does not check its indices: a table of another shape must not get there."""
    rows = (languages, *Order.FIRST.shape(tags))
    of_languages, of_all = ((languages, tags), (*rows, tags), (*rows, 2)), ((tags,), (tags, 2, tags), (tags, 2, 2))
    if tuple(part.shape for part in (*table, *pooled.parts)) != of_languages + of_all:
        raise ValueError(f"the tables are not those of {languages} languages over {tags} tags")
