"""Grammars of several languages over the same tags in one table: the rows of one below those of another, and roots too.

A batch says where the rules of every word are, and which word may use which. So neither a chart nor whoever counts the
rules of a tree knows that there are several grammars in a table, and counts come back in the same layout.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from depinduce.grammar.rules import Batch, Order, RuleArrays, tag_batch

Rules = TypeVar("Rules", bound=RuleArrays)


def stacked(grammars: Iterable[Rules]) -> Rules:
    """The tables, or the counts, of grammars as one."""
    first, *others = grammars
    parts = zip(first.parts, *(other.parts for other in others), strict=True)
    return type(first)(*map(np.concatenate, parts)) if others else first


def parted(rules: Rules) -> list[Rules]:
    """Each of the grammars in a table."""
    count = len(rules.root) // rules.child.shape[1]
    return [type(rules)(*parts) for parts in zip(*(np.split(part, count) for part in rules.parts), strict=True)]


def chosen(rules: Rules, numbers: Sequence[int] | np.ndarray) -> Rules:
    """Of the grammars in a table those with these numbers, in their order."""
    each = parted(rules)
    return rules if np.array_equal(numbers, np.arange(len(each))) else stacked(each[number] for number in numbers)


def each_of(function: Callable[[Rules], Rules], rules: Rules) -> Rules:
    """What a function makes of every grammar in a table."""
    return stacked(map(function, parted(rules)))


def stacked_batch(
    order: Order,
    tags: np.ndarray,
    offsets: np.ndarray,
    tag_count: int,
    grammar: np.ndarray,
    grammars: int | None = None,
) -> Batch:
    """The batch of sentences, each under one of the grammars in a table.

    tags: [token], offsets: [sentence + 1], grammar: [sentence] its number
    grammars: how many there are, if the last ones may have no sentence
    """
    batch = tag_batch(order, tags, offsets, tag_count)
    number, rows = np.repeat(grammar, batch.lengths).astype(np.int32), len(batch.rows)
    return replace(
        batch,
        base=batch.base + rows * number[:, None],
        rows=np.arange(rows * (grammars or 1 + int(number.max(initial=0))), dtype=np.int32),
        root_column=batch.column + tag_count * number,
    )
