"""Sentences with arcs, as parts of a drawing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from depinduce.report.arc_layout import Arc, arcs_of
from depinduce.report.svg_arcs import Band, Course
from depinduce.report.svg_style import WORD_SIZE, tag_width, word_width
from drawing.sheet import Sheet
from drawing.style import WORD

COURSE = Course(down=False, port=5, port_step=3.5, port_spread=12, lowest=24, level=17, root=24)
WORDS_BELOW, TAGS_BELOW = 18, 34  # base lines below the ends of the arcs
HEIGHT = 36  # of words and tags together


@dataclass(frozen=True)
class Tree:
    """A sentence at a place of a sheet. Arcs keep their height whether all of them are drawn or only some."""

    words: Sequence[str]
    tags: Sequence[str]
    heads: Sequence[int]  # 1-based, 0 = root, -1 = none
    left: float
    base: float  # height at which the arcs end
    gap: float = 18  # between words

    @cached_property
    def widths(self) -> list[float]:
        pairs = zip(self.words, self.tags, strict=True)
        return [max(word_width(word) * WORD / WORD_SIZE, tag_width(tag)) for word, tag in pairs]

    @cached_property
    def middles(self) -> list[float]:
        begins = [self.left + sum(self.widths[:word]) + self.gap * word for word in range(len(self.words))]
        return [round(begin + width / 2, 1) for begin, width in zip(begins, self.widths, strict=True)]

    @property
    def width(self) -> float:
        return sum(self.widths) + self.gap * (len(self.words) - 1)

    @cached_property
    def band(self) -> Band:
        return Band(COURSE, arcs_of(self.heads), self.middles, side=-1)

    def draw(self, sheet: Sheet, kinds: dict[int, str] | None = None) -> None:
        """All words and arcs; kinds: of the arcs to some words 0..n-1."""
        for word in range(len(self.words)):
            self.word(sheet, word)
            if self.heads[word] >= 0:
                self.arc(sheet, word, (kinds or {}).get(word, ""))

    def arc(self, sheet: Sheet, child: int, kind: str = "") -> None:
        """The arc to a word."""
        arc = Arc(self.heads[child] - 1, child)
        sheet.parts.append(self.band.element(arc, self.base, self.words, kind))

    def word(self, sheet: Sheet, word: int, kind: str = "") -> None:
        """A word and its tag."""
        middle = self.middles[word]
        sheet.text(middle, self.base + WORDS_BELOW, self.words[word], f"draw-word {kind}".strip(), "middle")
        if self.tags[word]:
            tag = (
                f'<text class="dep-text dep-tag" x="{middle:g}" y="{self.base + TAGS_BELOW:g}">{self.tags[word]}</text>'
            )
            sheet.parts.append(tag)


def centred(tree: Tree, middle: float) -> Tree:
    """The same tree around another middle."""
    return Tree(tree.words, tree.tags, tree.heads, round(middle - tree.width / 2, 1), tree.base, tree.gap)
