"""Where arcs lie: which words they join and how high they pass, for every way of drawing a tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Arc:
    """An arc from a head to a child: words 0..n-1; the head is -1 for the arc from the root."""

    head: int
    child: int

    @property
    def left(self) -> int:
        return min(self.head, self.child)

    @property
    def right(self) -> int:
        return max(self.head, self.child)


def check_sentence(
    words: Sequence[str],
    tags: Sequence[str],
    *analyses: Sequence[int] | None,
    posteriors: Sequence[float | None] | None = None,
    labels: Sequence[str] | None = None,
    glosses: Sequence[str] | None = None,
) -> None:
    """An error if the parts of a sentence to be drawn do not fit together."""
    if len(tags) != len(words):
        raise ValueError(f"{len(words)} words but {len(tags)} tags")
    if posteriors is not None and len(posteriors) != len(words):
        raise ValueError(f"{len(words)} words but {len(posteriors)} posteriors")
    if labels is not None and len(labels) != len(words):
        raise ValueError(f"{len(words)} words but {len(labels)} labels")
    if glosses is not None and len(glosses) != len(words):
        raise ValueError(f"{len(words)} words but {len(glosses)} glosses")
    for heads in analyses:
        if heads is None:
            continue
        if len(heads) != len(words):
            raise ValueError(f"{len(words)} words but {len(heads)} heads")
        for word, head in enumerate(heads, 1):
            if not -1 <= head <= len(words) or head == word:
                raise ValueError(f"word {word} of {len(words)} cannot have the head {head}")


def arcs_of(heads: Sequence[int]) -> list[Arc]:
    """The arcs of 1-based heads (0 = root, -1 = unknown: no arc), in the order of the children."""
    return [Arc(int(head) - 1, child) for child, head in enumerate(heads) if head >= 0]


def wrong_words(heads: Sequence[int], gold: Sequence[int] | None) -> set[int]:
    """The words 0..n-1 whose head is not the gold head, where that is known."""
    if gold is None:
        return set()
    return {word for word, (head, right) in enumerate(zip(heads, gold, strict=True)) if right not in (-1, head)}


def missed_arcs(heads: Sequence[int], gold: Sequence[int] | None) -> list[Arc]:
    """The gold arcs that are not in the tree."""
    if gold is None:
        return []
    wrong = wrong_words(heads, gold)
    return [arc for arc in arcs_of(gold) if arc.child in wrong]


def arc_levels(arcs: Sequence[Arc]) -> dict[Arc, int]:
    """A level 1, 2, … for every arc between words, such that no two arcs on one level overlap.

    Short arcs come first, so an arc lies above all arcs inside it and those of a projective tree never
    cross. Arcs that meet at a word without one being over the other may share a level: one ends at the
    middle of the word, the other begins at its far side.
    """
    levels: dict[Arc, int] = {}
    for arc in sorted(arcs, key=lambda arc: (arc.right - arc.left, arc.left)):
        if arc.head >= 0:
            below = (level for other, level in levels.items() if other.left < arc.right and arc.left < other.right)
            levels[arc] = 1 + max(below, default=0)
    return levels
