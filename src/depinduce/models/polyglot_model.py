"""Grammars of many languages over the same tags, and one for all others.

A sentence is parsed by the rules of its language or, if that is none of those that it knows, by the *universal*
grammar: the mean of all, or what a network makes of no language. One that was learned around what all languages have in
common (`learners.polyglot`) also keeps that: which tags head which, whatever the side.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np

from depinduce.chart.problems import Problem
from depinduce.corpus import Corpus, Reading, Vocabulary
from depinduce.grammar.between_orders import add_average_tag
from depinduce.grammar.constraints import constraint
from depinduce.grammar.headedness import Headedness
from depinduce.grammar.inside_out import as_outside_in
from depinduce.grammar.rules import Order, RuleTable
from depinduce.grammar.stacked import chosen, each_of, parted, stacked, stacked_batch
from depinduce.models.model import Model, OpenRules
from depinduce.models.model_files import how_made, new_model, numbers_of, write_numbers
from depinduce.models.places import NETWORK
from depinduce.models.sound_numbers import require_distributions, require_finite, require_kind
from depinduce.models.tag_model import ORDERS, GrammarModel, direction_of, weights_of

POOLED = "headedness."  # before the names of its numbers in the file


@dataclass(frozen=True)
class PolyglotModel(Model):
    """Grammars of one order of many languages over the same tags."""

    order: Order
    tags: Vocabulary
    names: tuple[str, ...]  # of the languages
    table: RuleTable  # log probabilities, of every language and last of the universal grammar: see `grammar.stacked`
    pool: Headedness | None = None  # of all languages
    non_heads: tuple[str, ...] = ()
    reading: Reading = field(default_factory=Reading)
    history: dict = field(default_factory=dict)
    inside_out: bool = False  # children are generated from the inside out (sibling grammars only)
    network: dict[str, np.ndarray] | None = field(default=None, repr=False, compare=False)  # that made the table

    kind: ClassVar[str] = "polyglot"
    about_rules: ClassVar[str] = "These are the rules of its universal grammar, for languages that it does not know."

    @classmethod
    def of(
        cls,
        order: Order,
        tags: Vocabulary,
        names: tuple[str, ...],
        table: RuleTable,
        pool: Headedness | None = None,
        **about,
    ) -> PolyglotModel:
        """The model in the precision of its files, so that one that was saved is the same.

        table: of every language and of the universal grammar; without the latter it is the mean of all
        """
        if len(table.root) == len(names) * len(tags):
            table = with_mean(table)
        if pool is not None:
            pool = Headedness(*map(_as_kept, pool.parts))
        return cls(order, tags, names, RuleTable(*map(_as_kept, table.parts)), pool, **about)

    @property
    def languages(self) -> tuple[str, ...]:
        return self.names

    @property
    def headedness(self) -> Headedness | None:
        return self.pool

    @property
    def language_vectors(self) -> np.ndarray | None:
        """What the vector of each language adds to the embeddings of all symbols (`networks.language_vectors`)."""
        if self.network is None or "languages.maps" not in self.network:
            return None
        vectors, maps = (self.network[f"languages.{name}"].astype(np.float64) for name in ("vectors", "maps"))
        return (maps @ vectors.T).transpose(2, 0, 1).reshape(len(vectors), -1)

    @property
    def about(self) -> str:
        kind = "a universal grammar" if self.pool is not None else ORDERS[self.order]
        way = ", children from the inside out" if self.inside_out else ""
        return f"{kind} over tags, of {len(self.names)} languages{way}"

    # ---------------------------------------------------------------- its grammars

    def in_language(self, name: str) -> GrammarModel:
        return self._grammar(self.names.index(name))

    @cached_property
    def universal(self) -> GrammarModel:
        """The grammar of all that it does not know."""
        return self._grammar(len(self.names))

    def _grammar(self, number: int) -> GrammarModel:
        table = parted(self.table)[number]
        return GrammarModel(
            self.order, self.tags, table, self.non_heads, self.reading, self.history, inside_out=self.inside_out
        )

    @cached_property
    def _potentials(self) -> RuleTable:
        """As a chart reads them."""
        return each_of(as_outside_in, self.table) if self.inside_out else self.table

    @cached_property
    def _with_unknown(self) -> RuleTable:
        """The same with one more tag, for those that are unknown."""
        table = each_of(lambda own: add_average_tag(own, self.order), self.table)
        return each_of(as_outside_in, table) if self.inside_out else table

    def problem(self, corpus: Corpus) -> Problem:
        known, unknown = len(self.tags), corpus.tags < 0
        table, tag_count = (self._with_unknown, known + 1) if unknown.any() else (self._potentials, known)
        language = np.full(len(corpus), -1) if corpus.language is None else corpus.language
        numbers, grammar = np.unique(np.where(language < 0, len(self.names), language), return_inverse=True)
        tags = np.where(unknown, known, corpus.tags)
        batch = stacked_batch(self.order, tags, corpus.offsets, tag_count, grammar)
        return Problem(chosen(table, numbers), batch, constraint(self.tags, self.non_heads, corpus, batch))

    def with_non_heads(self, tags: tuple[str, ...]) -> PolyglotModel:
        return replace(self, non_heads=tags)

    def rule_view(self) -> GrammarModel:
        return self.universal

    def open_rules(self, corpus: Corpus) -> list[OpenRules]:
        language = -1 if corpus.language is None else int(corpus.language[0])
        return self._grammar(language if language >= 0 else len(self.names)).open_rules(corpus)

    # ---------------------------------------------------------------- files

    def save(self, directory: str | Path) -> None:
        own = {
            "order": self.order.value,
            "inside_out": self.inside_out,
            "names": list(self.names),
            "tags": self.tags.to_json(),
        }
        numbers = _by_language(self.table, self.order, len(self.tags))
        if self.pool is not None:
            numbers |= {f"{POOLED}{name}": part for name, part in self.pool.named.items()}
        with new_model(directory, self, own) as folder:
            write_numbers(folder, {name: part.astype(np.float32) for name, part in numbers.items()})
            if self.network is not None:
                write_numbers(folder, self.network, NETWORK)

    @classmethod
    def read(cls, directory: Path, description: dict) -> PolyglotModel:
        order = Order(description.get("order", Order.FIRST.value))  # which the first of its kind did not say
        tags, names = Vocabulary.from_json(description["tags"]), tuple(description["names"])
        kept = numbers_of(directory, description)
        require_kind(kept, np.float32)
        numbers = {name: part.astype(np.float64) for name, part in kept.items()}
        pooled = {name.removeprefix(POOLED): part for name, part in numbers.items() if name.startswith(POOLED)}
        rules = {name: part for name, part in numbers.items() if not name.startswith(POOLED)}
        _require_shapes(rules, order, len(names), len(tags))
        require_distributions(rules)
        table = RuleTable(rules["root"].reshape(-1), rules["child"].reshape(-1, len(tags)),
                          rules["decision"].reshape(-1, 2))  # fmt: skip
        if len(rules["root"]) == len(names):
            table = with_mean(table)
        return cls(
            order,
            tags,
            names,
            table,
            _pool_of(pooled, len(tags)) if pooled else None,
            inside_out=direction_of(description, order),
            network=weights_of(directory, description),
            **how_made(description),
        )


def with_mean(table: RuleTable) -> RuleTable:
    """The grammars of some languages, and last their mean."""
    each = parted(table)
    with np.errstate(divide="ignore"):
        parts = zip(*(own.parts for own in each), strict=True)
        return stacked([*each, RuleTable(*(np.log(np.exp(part).mean(axis=0)) for part in map(np.stack, parts)))])


def _as_kept(numbers: np.ndarray) -> np.ndarray:
    return numbers.astype(np.float32).astype(np.float64)


def _by_language(table: RuleTable, order: Order, tags: int) -> dict[str, np.ndarray]:
    """The numbers of a table as a file has them, with named axes."""
    rows = (-1, *order.shape(tags))
    root, child, decision = table.parts
    return {
        "root": root.reshape(-1, tags), "child": child.reshape(*rows, tags), "decision": decision.reshape(*rows, 2)
    }  # fmt: skip


def _pool_of(pooled: dict[str, np.ndarray], tags: int) -> Headedness:
    pool = Headedness(**pooled)
    if tuple(part.shape for part in pool.parts) != ((tags,), (tags, 2, tags), (tags, 2, 2)):
        raise ValueError(f"the counts of which tags head which are not those of {tags} tags")
    require_finite(pooled)
    for name, counts in pooled.items():
        if (counts < 0).any():
            raise ValueError(f"{name} holds counts that are negative")
    return pool


def _require_shapes(rules: Mapping[str, np.ndarray], order: Order, languages: int, tags: int) -> None:
    """A chart does not check its indices: a table of another shape must not get there."""
    found = {name: part.shape for name, part in rules.items()}
    for grammars in (languages, languages + 1):  # without a universal one it is the mean
        rows = (grammars, *order.shape(tags))
        if found == {"root": (grammars, tags), "child": (*rows, tags), "decision": (*rows, 2)}:
            return
    raise ValueError(f"the tables are not those of {order.value} grammars of {languages} languages over {tags} tags")
