"""Lines over a number, such as a score over epochs, as a self-contained SVG picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from depinduce.report.html_page import text

# All measures are in pixels.
WIDTH, HEIGHT = 680, 420
LEFT, RIGHT, TOP, BOTTOM = 74, 28, 84, 58  # from the edges of the picture to the axes
TITLE_LINE, LEGEND_LINE = 34, 60
LEGEND_SAMPLE, LEGEND_GAP, LETTER = 26, 22, 6.6
TICKS = 6  # about so many on an axis
COLOURS = 4

# Class names begin with "curve-", as a page may hold many such pictures beside styles of its own.
STYLE = """
.curve-card{fill:#ffffff;stroke:#e4e7ee}
.curve-text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;fill:#5a6379}
.curve-title{font-size:16px;font-weight:600;fill:#1c2333}
.curve-label,.curve-name{font-size:13px}
.curve-name{fill:#1c2333}
.curve-tick,.curve-legend{font-size:12px}
.curve-grid{stroke:#e9ecf2;stroke-width:1}
.curve-axis{stroke:#9aa3b5;stroke-width:1}
.curve-line{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}
.curve-dashed{stroke-dasharray:6 5}
.curve-band{opacity:.16}
.curve-0{stroke:#3f6fd8}.curve-1{stroke:#d9542b}.curve-2{stroke:#2a9268}.curve-3{stroke:#8a56c2}
.curve-dot-0,.curve-band-0{fill:#3f6fd8}.curve-dot-1,.curve-band-1{fill:#d9542b}
.curve-dot-2,.curve-band-2{fill:#2a9268}.curve-dot-3,.curve-band-3{fill:#8a56c2}
@media (prefers-color-scheme:dark){
.curve-card{fill:#161b26;stroke:#2b3244}
.curve-text{fill:#a4adc2}
.curve-title,.curve-name{fill:#e9ecf3}
.curve-grid{stroke:#262d3d}
.curve-axis{stroke:#5d6780}
.curve-0{stroke:#82a9f7}.curve-1{stroke:#f58b64}.curve-2{stroke:#5fc99e}.curve-3{stroke:#bd94ee}
.curve-dot-0,.curve-band-0{fill:#82a9f7}.curve-dot-1,.curve-band-1{fill:#f58b64}
.curve-dot-2,.curve-band-2{fill:#5fc99e}.curve-dot-3,.curve-band-3{fill:#bd94ee}
}
"""


@dataclass(frozen=True)
class Series:
    """One line, and the range around it if there is one."""

    name: str
    points: Sequence[tuple[float, float]]  # (x, y)
    colour: int = 0
    dashed: bool = False
    band: Sequence[tuple[float, float, float]] = ()  # (x, lowest y, highest y)
    in_legend: bool = True  # or one of several that are alike


@dataclass(frozen=True)
class _Axis:
    """The numbers along one side of the picture."""

    ticks: list[float]
    begin: float  # pixel of the first tick
    end: float
    names: Sequence[str] = ()  # of 0, 1, 2 and so on, in the place of the numbers

    @classmethod
    def over(cls, values: Sequence[float], begin: float, end: float, names: Sequence[str] = ()) -> _Axis:
        if names:
            return cls([float(number) for number in range(len(names))], begin, end, names)
        whole = all(float(value).is_integer() for value in values)  # such as epochs, between which there is nothing
        return cls(nice_ticks(min(values), max(values), 1 if whole else 0), begin, end)

    def pixel(self, value: float) -> float:
        first, last = self.ticks[0], self.ticks[-1]
        return round(self.begin + (value - first) / (last - first) * (self.end - self.begin), 1)

    def label(self, tick: float) -> str:
        if self.names:
            return self.names[int(tick)]
        step = self.ticks[1] - self.ticks[0]
        digits = max(0, -math.floor(math.log10(step) + 1e-9))
        return f"{tick:.{digits}f}".replace("-", "\N{MINUS SIGN}")


def nice_ticks(lowest: float, highest: float, least_step: float = 0) -> list[float]:
    """Round numbers around a range: steps of 1, 2 or 5 times a power of ten, and not smaller than the least."""
    if highest - lowest < 1e-9 * max(1.0, abs(lowest), abs(highest)):  # a point, as far as anyone can see
        lowest, highest = lowest - 0.5, highest + 0.5
    rough = max((highest - lowest) / TICKS, least_step)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * (1 - 1e-9))
    first, last = math.floor(lowest / step + 1e-9), math.ceil(highest / step - 1e-9)
    return [number * step for number in range(first, last + 1)]


def line_chart(
    title: str,
    x_label: str,
    y_label: str,
    series: Sequence[Series],
    description: str = "",
    alone: bool = True,
    width: int = WIDTH,
    height: int = HEIGHT,
    names: Sequence[str] = (),
) -> str:
    """The lines as the text of an SVG file, or of a picture in a page, which has STYLE already.

    Title and description are for screen readers too. names: of the x 0, 1, 2 and so on, if they are no numbers
    """
    points = [point for one in series for point in one.points]
    if not points:
        raise ValueError("a chart needs at least one point")
    heights = [y for _, y in points] + [y for one in series for _, *ys in one.band for y in ys]
    across = _Axis.over([x for x, _ in points], LEFT, width - RIGHT, names)
    up = _Axis.over(heights, height - BOTTOM, TOP)
    parts = [words_at("curve-title", LEFT, TITLE_LINE, title)]
    parts += _legend(series)
    parts += _grid(across, up)
    parts += _labels(x_label, y_label, width, height)
    for one in sorted(series, key=lambda one: not one.band):  # bands lie below lines
        parts += _band(one, across, up)
    for one in series:
        parts += _line(one, across, up)
    return svg_document(parts, (width, height), title, description, alone)


def _grid(across: _Axis, up: _Axis) -> list[str]:
    """Lines at the heights of the ticks, and the numbers."""
    left, right, bottom = across.begin, across.end, up.begin
    parts = []
    for tick in up.ticks:
        y = up.pixel(tick)
        parts.append(f'<path class="curve-grid" d="M{left:g} {y:g}H{right:g}"/>')
        parts.append(words_at("curve-tick", left - 8, y + 4, up.label(tick), "end"))
    parts.append(f'<path class="curve-axis" d="M{left:g} {bottom:g}H{right:g}"/>')
    for tick in across.ticks:
        x = across.pixel(tick)
        parts.append(f'<path class="curve-axis" d="M{x:g} {bottom:g}v5"/>')
        parts.append(words_at("curve-tick", x, bottom + 20, across.label(tick), "middle"))
    return parts


def _labels(x_label: str, y_label: str, width: int, height: int) -> list[str]:
    """What the axes show."""
    x_middle, y_middle = (LEFT + width - RIGHT) / 2, (TOP + height - BOTTOM) / 2
    turned = f' transform="rotate(-90 22 {y_middle:g})"'
    return [
        words_at("curve-label", x_middle, height - 16, x_label, "middle"),
        words_at("curve-label", 22, y_middle, y_label, "middle", turned),
    ]


def _line(one: Series, across: _Axis, up: _Axis) -> list[str]:
    pixels = [(across.pixel(x), up.pixel(y)) for x, y in one.points]
    name = f"<title>{text(one.name)}</title>"
    if len(pixels) == 1:
        (x, y), colour = pixels[0], one.colour % COLOURS
        return [f'<circle class="curve-dot-{colour}" cx="{x:g}" cy="{y:g}" r="3">{name}</circle>']
    path = "M" + "L".join(f"{x:g} {y:g}" for x, y in pixels)
    return [f'<path class="{_line_class(one)}" d="{path}">{name}</path>'] if pixels else []


def _band(one: Series, across: _Axis, up: _Axis) -> list[str]:
    if not one.band:
        return []
    low = [(across.pixel(x), up.pixel(lowest)) for x, lowest, _ in one.band]
    high = [(across.pixel(x), up.pixel(highest)) for x, _, highest in one.band]
    corners = " ".join(f"{x:g},{y:g}" for x, y in [*low, *reversed(high)])
    return [f'<polygon class="curve-band curve-band-{one.colour % COLOURS}" points="{corners}"/>']


def _legend(series: Sequence[Series]) -> list[str]:
    """A sample of every line with its name, in one row."""
    parts, x = [], float(LEFT)
    for one in filter(lambda one: one.in_legend, series):
        parts.append(f'<path class="{_line_class(one)}" d="M{x:g} {LEGEND_LINE - 4}h{LEGEND_SAMPLE}"/>')
        parts.append(words_at("curve-legend", x + LEGEND_SAMPLE + 8, LEGEND_LINE, one.name))
        x += LEGEND_SAMPLE + 8 + LETTER * len(one.name) + LEGEND_GAP
    return parts


def _line_class(one: Series) -> str:
    return f"curve-line curve-{one.colour % COLOURS}{' curve-dashed' if one.dashed else ''}"


def words_at(kind: str, x: float, y: float, words: str, anchor: str = "start", more: str = "") -> str:
    """A text of one kind. more: further attributes"""
    return f'<text class="curve-text {kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}"{more}>{text(words)}</text>'


def svg_document(parts: list[str], size: tuple[int, int], title: str, description: str, alone: bool) -> str:
    """A picture of these elements, with what screen readers read. alone: it brings STYLE with it"""
    width, height = size
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
            f' viewBox="0 0 {width} {height}" role="img" aria-label="{text(title)}">',
            f"<title>{text(title)}</title>",
            f"<desc>{text(description or title)}</desc>",
            *([f"<style>{STYLE}</style>"] if alone else []),
            f'<rect class="curve-card" x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="12"/>',
            *parts,
            "</svg>\n",
        ]
    )
