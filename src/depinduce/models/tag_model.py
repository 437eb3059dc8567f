"""A trained grammar over tags: its rule table, the tags it knows, how it was made, and what is kept of it on disk."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np

from depinduce.corpus import Corpus, Reading, Vocabulary
from depinduce.grammar.between_orders import add_average_tag
from depinduce.grammar.constraints import constraint
from depinduce.grammar.inside_out import as_outside_in
from depinduce.grammar.rules import Batch, Factors, Order, RuleTable, tag_batch
from depinduce.models.model_files import NUMBERS, how_made, new_model, write_numbers

KIND = "tags"
NO_WORDS = Vocabulary((), ())


@dataclass(frozen=True)
class GrammarModel:
    """A grammar over tags that can parse."""

    order: Order
    tags: Vocabulary
    table: RuleTable
    non_heads: tuple[str, ...] = ()  # tags that head nothing
    reading: Reading = field(default_factory=Reading)  # how the training file was read
    history: dict = field(default_factory=dict)  # settings, hash of the training data, likelihoods
    inside_out: bool = False  # children are generated from the inside out (sibling grammars only)

    one_table: ClassVar[bool] = True  # the same for all sentences

    @property
    def words(self) -> Vocabulary:
        """It knows none."""
        return NO_WORDS

    @cached_property
    def _with_unknown(self) -> RuleTable:
        return add_average_tag(self.table, self.order)

    def problem(self, corpus: Corpus) -> tuple[RuleTable, Batch, Factors | None]:
        """What a chart needs for a corpus whose tag ids are this model's (-1 where it does not know the tag)."""
        known = len(self.tags)
        unknown = corpus.tags < 0
        if not unknown.any():
            table, tag_ids, tag_count = self.table, corpus.tags, known
        else:
            table, tag_ids, tag_count = self._with_unknown, np.where(unknown, known, corpus.tags), known + 1
        if self.inside_out:
            table = as_outside_in(table)
        batch = tag_batch(self.order, tag_ids, corpus.offsets, tag_count)
        return table, batch, constraint(self.tags, self.non_heads, corpus, batch)

    def with_non_heads(self, tags: tuple[str, ...]) -> GrammarModel:
        """The same, but these tags head nothing."""
        return replace(self, non_heads=tags)

    def save(self, directory: str | Path) -> None:
        """Write the model to a directory of its own, whole or not at all."""
        description = {
            "order": self.order.value,
            "inside_out": self.inside_out,
            "non_heads": list(self.non_heads),
            "reading": vars(self.reading),
            "tags": self.tags.to_json(),
            "history": self.history,
        }
        with new_model(directory, KIND, description) as folder:
            arrays = {"root": self.table.root, "child": self.table.child, "decision": self.table.decision}
            write_numbers(folder, arrays)

    @classmethod
    def read(cls, directory: Path, description: dict) -> GrammarModel:
        """The model of a directory with this description."""
        from safetensors.numpy import load_file

        order, tags = Order(description["order"]), Vocabulary.from_json(description["tags"])
        table = RuleTable(**load_file(directory / NUMBERS))
        _require_shape(table, order, len(tags))
        inside_out = description.get("inside_out", False)
        return cls(order=order, tags=tags, table=table, inside_out=inside_out, **how_made(description))


def _require_shape(table: RuleTable, order: Order, tags: int) -> None:
    """A chart does not check its indices: a table of another shape must not get there."""
    rows = 2 * tags * order.slots(tags)
    if (table.root.shape, table.child.shape, table.decision.shape) != ((tags,), (rows, tags), (rows, 2)):
        raise ValueError(f"the tables are not those of a {order.value} grammar over {tags} tags")
