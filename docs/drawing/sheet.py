"""A sheet to draw on: texts, boxes and arrows in the colours of `style`, as a self-contained SVG picture."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape

from depinduce.report.svg_style import WORD_SIZE, word_width
from depinduce.report.svg_tree import svg_document
from drawing.style import SIZES, STYLE

WIDTH = 800  # of all drawings: a column of text on GitHub is a little wider
MARGIN = 24
TIP_LENGTH, TIP_WIDTH, BEND = 7, 7, 10  # of arrows; the last is the radius of a bend
CHIP_HEIGHT = 19
MONO = 0.602  # width of a letter of a monospaced typeface, in ems
_MARKED = re.compile(r"(`[^`]+`|\*[^*]+\*)")


def text_width(text: str, kind: str) -> float:
    """About how wide a text is, rather too wide than too narrow."""
    size = SIZES[kind]
    if kind == "draw-code":
        return MONO * size * len(text)
    code = sum(len(part) - 2 for part in _MARKED.findall(text) if part[0] == "`")
    plain = _MARKED.sub(lambda found: found[0][1:-1] if found[0][0] == "*" else "", text)
    return word_width(plain) / WORD_SIZE * size + MONO * 0.95 * size * code


class Sheet:
    """What has been drawn so far. All measures are in pixels, from the upper left corner.

    Kinds are class names of `style`: a colour such as "draw-blue", or how a text is set.
    """

    def __init__(self, height: float, title: str, description: str):
        self.height, self.title, self.description = height, title, " ".join(description.split())
        card = f'<rect class="dep-card" x=".5" y=".5" width="{WIDTH - 1:g}" height="{height - 1:g}" rx="12"/>'
        self.parts = [card]

    def svg(self) -> str:
        """The text of an SVG file."""
        return svg_document(self.parts, WIDTH, self.height, self.title, STYLE, self.description)

    def text(self, x: float, y: float, text: str, kind: str = "draw-note", anchor: str = "start") -> None:
        """A line of text on the base line y. In it `code` and *words* are marked as they are here."""
        spans = "".join(_span(part) for part in _MARKED.split(text))
        where = f'x="{x:g}" y="{y:g}" text-anchor="{anchor}"'
        self.parts.append(f'<text class="draw-text {kind}" {where}>{spans}</text>')

    def lines(self, x: float, y: float, texts: list[str], kind: str = "draw-note", anchor: str = "start") -> None:
        """Lines of text one below the other."""
        for number, text in enumerate(texts):
            self.text(x, y + number * 18, text, kind, anchor)

    def box(self, x: float, y: float, width: float, height: float, kind: str = "", radius: float = 8) -> None:
        self._rectangle(f"draw-box {kind}", x, y, width, height, radius)

    def panel(self, x: float, y: float, width: float, height: float) -> None:
        """A quiet ground for a part of the drawing."""
        self._rectangle("draw-panel", x, y, width, height, 10)

    def bar(self, x: float, y: float, width: float, height: float, kind: str) -> None:
        """A filled bar, as in a bar chart."""
        self._rectangle(f"draw-bar {kind}", x, y, round(width, 1), height, 2)

    def shape(self, points: list[tuple[float, float]], kind: str = "") -> None:
        """A closed shape with straight sides."""
        self._polygon(f"draw-box {kind}", points)

    def dot(self, x: float, y: float, radius: float, kind: str) -> None:
        self.parts.append(f'<circle class="draw-box {kind}" cx="{x:g}" cy="{y:g}" r="{radius:g}"/>')

    def line(self, path: str, kind: str = "") -> None:
        """A line along an SVG path."""
        self.parts.append(f'<path class="{f"draw-line {kind}".rstrip()}" d="{path}"/>')

    def arrow(self, *corners: tuple[float, float], kind: str = "", dashed: bool = False) -> None:
        """An arrow along corners, each level with the one before, above or below it; the bends are round."""
        (before_x, before_y), (x, y) = corners[-2:]
        across, down = _sign(x - before_x), _sign(y - before_y)
        path = f"M{corners[0][0]:g} {corners[0][1]:g}"
        for before, corner, after in zip(corners, corners[1:], corners[2:], strict=False):
            enter, leave = _towards(corner, before, BEND), _towards(corner, after, BEND)
            path += f"L{enter[0]:g} {enter[1]:g}Q{corner[0]:g} {corner[1]:g} {leave[0]:g} {leave[1]:g}"
        path += f"L{x - across * TIP_LENGTH:g} {y - down * TIP_LENGTH:g}"
        self.line(path, f"{kind} draw-dashed".lstrip() if dashed else kind)
        self.tip(x, y, across, down, kind)

    def tip(self, x: float, y: float, across: int, down: int, kind: str = "") -> None:
        """The end of an arrow that goes right or left (across is 1 or -1), down or up."""
        base_x, base_y, half = x - across * TIP_LENGTH, y - down * TIP_LENGTH, TIP_WIDTH / 2
        one, other = (base_x + down * half, base_y + across * half), (base_x - down * half, base_y - across * half)
        self._polygon(f"draw-tip {kind}", [(x, y), one, other])

    def chip(self, x: float, y: float, text: str, kind: str) -> float:
        """A short word in a pill whose middle has the height y; gives where it ends."""
        width = round(text_width(text, "draw-chip") + 16)
        self.box(x, y - CHIP_HEIGHT / 2, width, CHIP_HEIGHT, kind, radius=CHIP_HEIGHT / 2)
        self.text(x + width / 2, y + 4.1, text, f"draw-chip {kind}", "middle")
        return x + width

    def badge(self, x: float, y: float, number: int) -> None:
        """The number of a step, in a circle around a middle."""
        self.dot(x, y, 11, "draw-blue")
        self.text(x, y + 4.3, str(number), "draw-chip draw-blue", "middle")

    def _rectangle(self, kind: str, x: float, y: float, width: float, height: float, radius: float) -> None:
        size = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}"'
        self.parts.append(f'<rect class="{kind.rstrip()}" {size}/>')

    def _polygon(self, kind: str, points: list[tuple[float, float]]) -> None:
        corners = " ".join(f"{x:g},{y:g}" for x, y in points)
        self.parts.append(f'<polygon class="{kind.rstrip()}" points="{corners}"/>')


def _span(part: str) -> str:
    """A part of a text, without its marks."""
    kind = {"`": "draw-mono", "*": "draw-cited"}.get(part[:1])
    return f'<tspan class="{kind}">{escape(part[1:-1])}</tspan>' if kind else escape(part)


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)


def _towards(corner: tuple[float, float], other: tuple[float, float], distance: float) -> tuple[float, float]:
    """The place so far from a corner on the level or upright line to another one."""
    return corner[0] + _sign(other[0] - corner[0]) * distance, corner[1] + _sign(other[1] - corner[1]) * distance
