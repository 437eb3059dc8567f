"""A trained grammar: its rule table, the tags it knows, how it was made, and where it is kept on disk."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from depinduce import __version__
from depinduce.corpus import Corpus, Reading, Vocabulary
from depinduce.errors import DepinduceError
from depinduce.files import atomic_directory
from depinduce.grammar.between_orders import add_average_tag
from depinduce.grammar.constraints import forbid_heads, may_head
from depinduce.grammar.inside_out import as_outside_in
from depinduce.grammar.rules import Batch, Factors, Order, RuleTable, tag_batch

FORMAT, FORMAT_VERSION = "depinduce model", 1
DESCRIPTION, TABLES = "model.json", "model.safetensors"
INNER = "model"  # where a training keeps it in its directory


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

    def save(self, directory: str | Path) -> None:
        """Write the model to a directory of its own, whole or not at all."""
        from safetensors.numpy import save

        require_place_for_model(directory)
        with atomic_directory(directory) as folder:
            arrays = {"root": self.table.root, "child": self.table.child, "decision": self.table.decision}
            data = save({name: np.ascontiguousarray(array) for name, array in arrays.items()})
            (folder / TABLES).write_bytes(data)
            description = {
                "format": FORMAT,
                "format_version": FORMAT_VERSION,
                "depinduce": __version__,
                "order": self.order.value,
                "inside_out": self.inside_out,
                "non_heads": list(self.non_heads),
                "reading": vars(self.reading),
                "tags": self.tags.to_json(),
                "history": self.history,
            }
            text = json.dumps(description, indent=2, ensure_ascii=False) + "\n"
            (folder / DESCRIPTION).write_text(text, encoding="utf-8")

    @classmethod
    def load(cls, directory: str | Path) -> GrammarModel:
        """Read a model that `save` wrote, to this directory or, as a training does, to `model` in it."""
        from safetensors.numpy import load_file

        directory = Path(directory)
        if (directory / INNER / DESCRIPTION).is_file():
            directory = directory / INNER
        description = _read_description(directory / DESCRIPTION)
        try:
            order, tags = Order(description["order"]), Vocabulary.from_json(description["tags"])
            table = RuleTable(**load_file(directory / TABLES))
            _require_shape(table, order, len(tags))
            return cls(
                order=order,
                tags=tags,
                table=table,
                non_heads=tuple(description["non_heads"]),
                reading=Reading(**description["reading"]),
                history=description["history"],
                inside_out=description.get("inside_out", False),
            )
        except Exception as error:  # whatever a damaged file leads to
            raise DepinduceError(
                f"{directory}: the model cannot be read ({type(error).__name__}: {error}). "
                "The files are damaged or from another version: train it again, or copy it again."
            ) from error


def constraint(tags: Vocabulary, non_heads: tuple[str, ...], corpus: Corpus, batch: Batch) -> Factors | None:
    """The factors that keep the non-heads from heading anything; None where there are none."""
    forbidden = np.isin(np.array(tags.symbols), non_heads) if non_heads else np.zeros(len(tags), dtype=bool)
    if not forbidden.any():
        return None
    return forbid_heads(batch, may_head(corpus.tags, corpus.offsets, forbidden))


def require_place_for_model(directory: str | Path) -> None:
    """Refuse to put a model in the place of anything but another model, or where nothing can be written."""
    place = Path(directory)
    above = next(folder for folder in place.absolute().parents if folder.exists())
    if not (above.is_dir() and os.access(above, os.W_OK)):
        raise DepinduceError(f"{place}: nothing can be written in {above}. Choose another place for the model.")
    if place.exists() and not (place.is_dir() and all(map(_is_ours, place.iterdir()))):
        raise DepinduceError(f"{place}: this is not a model and is not replaced. Choose another place for the model.")


def _is_ours(path: Path) -> bool:
    """Whether this may be part of a model or of its training, or was half-written when that was killed."""
    if path.name == INNER or re.fullmatch(r"seed-\d+", path.name):
        return path.is_dir() and all(map(_is_ours, path.iterdir()))
    own = (DESCRIPTION, TABLES, "config.toml", "metrics.jsonl", "checkpoint.safetensors", "seeds.json")
    return path.name in own or path.name.startswith(tuple(f".{whole}." for whole in (*own, INNER)))


def _require_shape(table: RuleTable, order: Order, tags: int) -> None:
    """A chart does not check its indices: a table of another shape must not get there."""
    rows = 2 * tags * order.slots(tags)
    if (table.root.shape, table.child.shape, table.decision.shape) != ((tags,), (rows, tags), (rows, 2)):
        raise ValueError(f"the tables are not those of a {order.value} grammar over {tags} tags")


def _read_description(path: Path) -> dict:
    if not path.is_file():
        raise DepinduceError(
            f"{path.parent}: no model here (there is no {path.name}). "
            "Name the directory that `depinduce train --out` wrote."
        )
    try:
        description = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise DepinduceError(f"{path}: damaged ({error}). Train the model again, or copy it again.") from error
    if not isinstance(description, dict) or description.get("format") != FORMAT:
        raise DepinduceError(f"{path}: not a model of depinduce. Name the directory that `depinduce train` wrote.")
    if description.get("format_version") != FORMAT_VERSION:
        raise DepinduceError(
            f"{path}: written in format {description.get('format_version')} by depinduce "
            f"{description.get('depinduce')}; this version reads format {FORMAT_VERSION}. "
            "Use that version of depinduce, or train the model again."
        )
    return description
