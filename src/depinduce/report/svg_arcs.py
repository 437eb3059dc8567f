"""The arcs of an SVG picture, on one side of a line of words that runs across the page or down it.

An arc is a straight line with two round shoulders, each a quarter of an ellipse that is never wider than high.
So an arc lies beyond the arcs inside it everywhere, and those of a projective tree never cross.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from xml.sax.saxutils import escape

from depinduce.report.arc_layout import Arc, arc_levels

ARROW_LENGTH, ARROW_WIDTH = 7, 7  # pixels, as all measures
LABEL_DROP = 3.5  # from the line of an arc to the foot of its name
FAINTEST = 0.25  # opacity of an arc with the probability 0


@dataclass(frozen=True)
class Course:
    """Which way the words run, and what room the arcs take beside them."""

    down: bool
    port: float  # from the middle of a word to where the longest arc to a child leaves
    port_step: float  # between such arcs
    port_spread: float  # between all of them
    lowest: float  # height of the first level
    level: float  # of every further one
    root: float  # length of the root's arrow


ACROSS = Course(down=False, port=6, port_step=4, port_spread=14, lowest=34, level=23, root=30)
DOWN = Course(down=True, port=4, port_step=2.5, port_spread=5, lowest=24, level=15, root=24)


@dataclass(frozen=True)
class Band:
    """The arcs on one side of the words.

    A place is told by how far it is along the words and, in pixels of the picture, by how far across them.
    """

    course: Course
    arcs: list[Arc]
    middles: list[float]  # of the words, along them
    side: int  # -1 above the words or left of them, 1 below or right

    @cached_property
    def levels(self) -> dict[Arc, int]:
        return arc_levels(self.arcs)

    @property
    def height(self) -> float:
        """How far the arcs reach away from the words."""
        return max(map(self.arc_height, self.arcs), default=0)

    def arc_height(self, arc: Arc) -> float:
        if arc.head < 0:
            return self.course.root
        return self.course.lowest + self.course.level * (self.levels[arc] - 1)

    def element(
        self,
        arc: Arc,
        base: float,
        words: Sequence[str],
        kind: str = "",
        posterior: float | None = None,
        label: str = "",
    ) -> str:
        """One arc that ends at `base`: its line, its arrowhead, its name and a remark for the mouse."""
        child, arrow_base = self.middles[arc.child], base + self.side * ARROW_LENGTH
        corners = [(child, base), (child - ARROW_WIDTH / 2, arrow_base), (child + ARROW_WIDTH / 2, arrow_base)]
        points = " ".join(self._at(*corner, between=",") for corner in corners)
        remark = f"{words[arc.head] if arc.head >= 0 else 'root'} → {words[arc.child]}"
        remark += f", {label}" * bool(label)
        opacity = ""
        if posterior is not None:
            remark += f", probability {posterior:.2f}"
            opacity = f' opacity="{FAINTEST + (1 - FAINTEST) * min(max(posterior, 0.0), 1.0):.2f}"'
        return (
            f'<g class="{arc_class(kind)}" data-head="{arc.head + 1}" data-child="{arc.child + 1}"{opacity}>'
            f"<title>{escape(remark)}</title>{self._line(arc, base, arrow_base)}"
            f'<polygon points="{points}"/>{self._name(arc, base, label)}</g>'
        )

    def _name(self, arc: Arc, base: float, label: str) -> str:
        """What an arc is called, in the middle of its line; where words run down the page it stands beside them."""
        if not label or arc.head < 0 or self.course.down:
            return ""
        start, child = self.middles[arc.head], self.middles[arc.child]
        start += self._port(arc) if child > start else -self._port(arc)
        x, y = (start + child) / 2, base + self.side * self.arc_height(arc) + LABEL_DROP
        of_word = f'data-label="{arc.child + 1}"'
        return f'<text class="dep-text dep-label" x="{x:g}" y="{y:g}" {of_word}>{escape(label)}</text>'

    def _line(self, arc: Arc, base: float, arrow_base: float) -> str:
        """The line of an arc: from the head up a shoulder, along the level and down the other shoulder to the arrow."""
        child, peak = self.middles[arc.child], base + self.side * self.arc_height(arc)
        if arc.head < 0:
            x, y = self._at(child, peak).split()
            straight = f"H{arrow_base:g}" if self.course.down else f"V{arrow_base:g}"
            return f'<circle cx="{x}" cy="{y}" r="3.2"/><path d="M{x} {y}{straight}"/>'
        onward = 1 if child > self.middles[arc.head] else -1
        start = self.middles[arc.head] + onward * self._port(arc)
        shoulder = min(abs(child - start) / 2, abs(peak - base))
        # Words that run down are those that run across, seen in a mirror.
        turn = int((onward * self.side < 0) != self.course.down)
        rise, fall = (self._at(shoulder, abs(peak - foot)) for foot in (base, arrow_base))
        up = f"A{rise} 0 0 {turn} {self._at(start + onward * shoulder, peak)}"
        straight = f"{'V' if self.course.down else 'H'}{child - onward * shoulder:g}"
        down = f"A{fall} 0 0 {turn} {self._at(child, arrow_base)}"
        return f'<path d="M{self._at(start, base)}{up}{straight}{down}"/>'

    def _port(self, arc: Arc) -> float:
        """How far from the middle of its head an arc leaves; the longest on its side is the nearest."""
        siblings = [a for a in self.arcs if a.head == arc.head and (a.child > a.head) == (arc.child > arc.head)]
        outer = sum(self.levels[sibling] > self.levels[arc] for sibling in siblings)
        return self.course.port + outer * min(self.course.port_step, self.course.port_spread / len(siblings))

    def _at(self, along: float, across: float, between: str = " ") -> str:
        """A place as x and y."""
        x, y = (across, along) if self.course.down else (along, across)
        return f"{x:g}{between}{y:g}"


def arc_class(kind: str) -> str:
    return f"dep-arc {kind}".strip()
