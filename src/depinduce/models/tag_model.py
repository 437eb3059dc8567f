"""A trained grammar over tags: its rule table, the tags it knows, how it was made, and what is kept of it on disk."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np

from depinduce.chart.problems import Problem
from depinduce.corpus import Corpus, Reading, Vocabulary
from depinduce.grammar.between_orders import add_average_tag
from depinduce.grammar.constraints import allowed_heads, constraint
from depinduce.grammar.inside_out import as_outside_in
from depinduce.grammar.rules import Order, RuleTable, tag_batch
from depinduce.models.model import Model, OpenRules
from depinduce.models.model_files import how_made, new_model, numbers_of, write_numbers
from depinduce.models.places import NETWORK
from depinduce.models.sound_numbers import require_distributions, require_finite

ORDERS = {
    Order.FIRST: "a first-order grammar",
    Order.SIBLING: "a sibling grammar",
    Order.GRANDPARENT: "a grandparent grammar",
}


@dataclass(frozen=True)
class GrammarModel(Model):
    """A grammar over tags that can parse."""

    order: Order
    tags: Vocabulary
    table: RuleTable
    non_heads: tuple[str, ...] = ()  # tags that head nothing
    reading: Reading = field(default_factory=Reading)  # how the training file was read
    history: dict = field(default_factory=dict)  # settings, hash of the training data, likelihoods
    inside_out: bool = False  # children are generated from the inside out (sibling grammars only)
    network: dict[str, np.ndarray] | None = field(
        default=None, repr=False, compare=False
    )  # weights that made the table

    kind: ClassVar[str] = "tags"

    @property
    def about(self) -> str:
        return f"{ORDERS[self.order]} over tags{', children from the inside out' if self.inside_out else ''}"

    @cached_property
    def _with_unknown(self) -> RuleTable:
        return add_average_tag(self.table, self.order)

    def problem(self, corpus: Corpus) -> Problem:
        return self._problem(corpus, self.inside_out)

    def _problem(self, corpus: Corpus, inside_out: bool) -> Problem:
        known = len(self.tags)
        unknown = corpus.tags < 0
        if not unknown.any():
            table, tag_ids, tag_count = self.table, corpus.tags, known
        else:
            table, tag_ids, tag_count = self._with_unknown, np.where(unknown, known, corpus.tags), known + 1
        if inside_out:
            table = as_outside_in(table)
        batch = tag_batch(self.order, tag_ids, corpus.offsets, tag_count)
        return Problem(table, batch, constraint(self.tags, self.non_heads, corpus, batch))

    def with_non_heads(self, tags: tuple[str, ...]) -> GrammarModel:
        return replace(self, non_heads=tags)

    def rule_view(self) -> GrammarModel:
        return self

    def open_rules(self, corpus: Corpus) -> list[OpenRules]:
        names = [self.tags[tag] if tag >= 0 else "a tag that it does not know" for tag in corpus.tags.tolist()]
        allowed = allowed_heads(self.tags, self.non_heads, corpus)
        return [OpenRules("", self.order, self.inside_out, self._problem(corpus, False), names, allowed)]

    def save(self, directory: str | Path) -> None:
        own = {"order": self.order.value, "inside_out": self.inside_out, "tags": self.tags.to_json()}
        with new_model(directory, self, own) as folder:
            write_numbers(folder, self.table.named)
            if self.network is not None:
                write_numbers(folder, self.network, NETWORK)

    @classmethod
    def read(cls, directory: Path, description: dict) -> GrammarModel:
        order, tags = Order(description["order"]), Vocabulary.from_json(description["tags"])
        table = RuleTable(**numbers_of(directory, description))
        _require_shape(table, order, len(tags))
        require_distributions(table.named)
        network, inside_out = weights_of(directory, description), direction_of(description, order)
        return cls(order, tags, table, inside_out=inside_out, network=network, **how_made(description))


def weights_of(directory: Path, description: dict) -> dict[str, np.ndarray] | None:
    """The weights of the network that made a table, if it was one."""
    network = numbers_of(directory, description, NETWORK) if (directory / NETWORK).exists() else None
    require_finite(network or {})
    return network


def direction_of(description: dict, order: Order) -> bool:
    """Whether children are generated from the inside out."""
    inside_out = description.get("inside_out", False)
    if inside_out not in ((False, True) if order is Order.SIBLING else (False,)):
        raise ValueError(f"no {order.value} grammar has inside_out = {inside_out!r}")
    return inside_out


def _require_shape(table: RuleTable, order: Order, tags: int) -> None:
    """A chart does not check its indices: a table of another shape must not get there."""
    rows = 2 * tags * order.slots(tags)
    if (table.root.shape, table.child.shape, table.decision.shape) != ((tags,), (rows, tags), (rows, 2)):
        raise ValueError(f"the tables are not those of a {order.value} grammar over {tags} tags")
