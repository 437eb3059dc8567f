"""Sentences that show a rule at work: for every arc between two tags, the shortest sentence in which it was found."""

from __future__ import annotations

from collections.abc import Sequence

from depinduce.insight.inspection import ROOT

Arc = tuple[str, str, str]  # the tag of the head, or ROOT; left or right, or nothing; the tag of the child


class Examples:
    """The shortest sentence for each kind of arc, of all that were shown."""

    def __init__(self) -> None:
        self._found: dict[Arc, tuple[Sequence[str], int, int]] = {}  # the words, the child and its head, from 1

    def show(self, words: Sequence[str], tags: Sequence[str], heads: Sequence[int]) -> None:
        """Keep a sentence for what it is the shortest of. heads: from 1, 0 is the root"""
        for child, head in enumerate(heads, start=1):
            if head == 0:
                arc = (ROOT, "", tags[child - 1])
            else:
                arc = (tags[head - 1], "left" if child < head else "right", tags[child - 1])
            if arc not in self._found or len(words) < len(self._found[arc][0]):
                self._found[arc] = (words, child, head)

    def of(self, arc: Arc | None) -> str | None:
        """The sentence for an arc, with its (child) and its [head] marked; None if there is none."""
        if arc is None or arc not in self._found:
            return None
        words, child, head = self._found[arc]
        marked = {child: "({})", head: "[{}]"}
        return " ".join(marked.get(place, "{}").format(word) for place, word in enumerate(words, start=1))
