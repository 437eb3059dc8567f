"""Points with names on a plane, as a self-contained SVG picture in which no name covers another."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from depinduce.report.curves import svg_document, words_at
from depinduce.report.html_page import text
from depinduce.report.svg_style import WORD_SIZE, word_width

# All measures are in pixels.
WIDTH, HEIGHT = 760, 490
LEFT, RIGHT, TOP, BOTTOM = 72, 28, 60, 52  # from the edges of the picture to the frame
INNER = 34  # from the frame to the outermost points
TITLE_LINE = 34
DOT, NAME_SIZE, NAME_HEIGHT = 5, 13, 15  # radius of a point; a name, and the room that it takes
LINE = 17  # from one line of a text to the next
RINGS = (9, 20, 32, 46, 62, 80, 100, 122, 146)  # how far from its point a name may stand: the nearest that is free
WAYS = tuple(math.radians(angle) for angle in (0, 180, 90, 270, 45, 315, 135, 225, 20, 340, 160, 200))
FAR = 20  # from here on a line leads from the name to its point


@dataclass(frozen=True)
class Point:
    """Something that lies on the plane."""

    name: str
    x: float
    y: float
    is_new: bool = False  # it has another colour and another shape
    told: str = ""  # to whoever points at it


@dataclass(frozen=True)
class _Box:
    """Room that is taken."""

    left: float
    top: float
    right: float
    bottom: float

    def touches(self, other: _Box) -> bool:
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom

    def holds(self, other: _Box) -> bool:
        across = self.left <= other.left and other.right <= self.right
        return across and self.top <= other.top and other.bottom <= self.bottom


@dataclass(frozen=True)
class _Name:
    """Where the name of a point stands."""

    box: _Box
    is_far: bool


def scatter_plot(
    title: str, x_more: Sequence[str], y_more: Sequence[str], points: Sequence[Point], description: str,
    alone: bool = True,
) -> str:  # fmt: skip
    """The points as the text of an SVG file, or of a picture in a page, which has the style of curves already.

    Both axes have the same scale, and no numbers: the picture is about what is near what. x_more, y_more: what there
    is more of the farther one goes, the most telling first; what has no room is left away
    """
    if not points:
        raise ValueError("a plot needs at least one point")
    frame = _Box(LEFT, TOP, WIDTH - RIGHT, HEIGHT - BOTTOM)
    places = _pixels(points, frame)
    parts = [words_at("curve-title", LEFT, TITLE_LINE, title), *_frame(frame, x_more, y_more)]
    for point, place, name in zip(points, places, _names(points, places, frame), strict=True):
        parts.append(_drawn(point, place, name))
    return svg_document(parts, (WIDTH, HEIGHT), title, description, alone)


def _pixels(points: Sequence[Point], frame: _Box) -> list[tuple[float, float]]:
    """The places of the points, in the middle of the frame, as large as they can be."""
    xs, ys = [point.x for point in points], [point.y for point in points]
    room = frame.right - frame.left - 2 * INNER, frame.bottom - frame.top - 2 * INNER
    spans = max(xs) - min(xs), max(ys) - min(ys)
    scale = min(side / span if span > 0 else math.inf for side, span in zip(room, spans, strict=True))
    scale = scale if math.isfinite(scale) else 1.0
    x_middle, y_middle = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
    across, down = (frame.left + frame.right) / 2, (frame.top + frame.bottom) / 2
    return [
        (round(across + scale * (point.x - x_middle), 1), round(down - scale * (point.y - y_middle), 1))
        for point in points
    ]


def _frame(frame: _Box, x_more: Sequence[str], y_more: Sequence[str]) -> list[str]:
    """Arrows along two sides, with what one finds more of the farther one goes."""
    left, right, bottom, top = frame.left, frame.right, frame.bottom, frame.top
    y_middle = (top + bottom) / 2
    parts = [
        f'<path class="curve-axis curve-line" d="M{left:g} {bottom:g}H{right:g}m-6 -4l6 4l-6 4"/>',
        f'<path class="curve-axis curve-line" d="M{left:g} {bottom:g}V{top:g}m-4 6l4 -6l4 6"/>',
    ]
    for number, line in enumerate(_lines(x_more, right - left)):
        parts.append(words_at("curve-label", (left + right) / 2, bottom + 24 + LINE * number, line, "middle"))
    lines = _lines(y_more, bottom - top)
    for number, line in enumerate(lines):
        x = left - 16 - LINE * (len(lines) - 1 - number)
        turned = f' transform="rotate(-90 {x:g} {y_middle:g})"'
        parts.append(words_at("curve-label", x, y_middle, line, "middle", turned))
    return parts


def _lines(more: Sequence[str], room: float) -> list[str]:
    """Two lines of this length at the most, of as much as has room there."""
    lines = ["→"]
    for one in more:
        if _width(f"→ {one},") > room or (_width(f"{lines[-1]} {one},") > room and len(lines) == 2):
            break
        if _width(f"{lines[-1]} {one},") > room:
            lines.append("")
        lines[-1] = f"{lines[-1]} {one},".lstrip()
    return [*lines[:-1], lines[-1].rstrip(",")] if lines != ["→"] else []


def _width(words: str) -> float:
    return word_width(words) * NAME_SIZE / WORD_SIZE


def _names(points: Sequence[Point], places: list[tuple[float, float]], frame: _Box) -> list[_Name | None]:
    """Where the names stand: apart from each other and from all points. None: there is no room for it."""
    taken = [_Box(x - DOT - 2, y - DOT - 2, x + DOT + 2, y + DOT + 2) for x, y in places]
    names: list[_Name | None] = [None] * len(points)
    # Where points are crowded the names have the fewest places to choose from.
    crowd = [sum(math.dist(place, other) < RINGS[-1] for other in places) for place in places]
    order = sorted(range(len(points)), key=lambda number: (not points[number].is_new, -crowd[number], number))
    for ring, number in product(RINGS, order):
        if names[number] is None:
            free = (
                box
                for box in _around(places[number], ring, _width(points[number].name))
                if frame.holds(box) and not any(map(box.touches, taken))
            )
            if (box := next(free, None)) is not None:
                names[number] = _Name(box, ring >= FAR)
                taken.append(box)
    return names


def _around(place: tuple[float, float], ring: float, width: float) -> Iterator[_Box]:
    """The places for a name of this width so far from its point, the best first."""
    (x, y), half_width, half_height = place, width / 2, NAME_HEIGHT / 2
    for way in WAYS:
        middle_x = x + math.cos(way) * (ring + half_width)
        middle_y = y + math.sin(way) * (ring + half_height)
        yield _Box(middle_x - half_width, middle_y - half_height, middle_x + half_width, middle_y + half_height)


def _drawn(point: Point, place: tuple[float, float], name: _Name | None) -> str:
    (x, y), told = place, f"<title>{text(point.told or point.name)}</title>"
    parts = []
    if name is not None:
        box = name.box
        middle = (box.left + box.right) / 2
        if name.is_far:
            near_x, near_y = min(max(x, box.left), box.right), min(max(y, box.top), box.bottom)
            parts.append(f'<path class="curve-axis" d="M{x:g} {y:g}L{near_x:.1f} {near_y:.1f}"/>')
        parts.append(words_at("curve-name", round(middle, 1), round(box.bottom - 4, 1), point.name, "middle"))
    if point.is_new:
        parts.append(f'<path class="curve-dot-1" d="M{x:g} {y - DOT - 2:g}l{DOT + 2} {DOT + 2}l{-DOT - 2} {DOT + 2}'
                     f'l{-DOT - 2} {-DOT - 2}z"/>')  # fmt: skip
    else:
        parts.append(f'<circle class="curve-dot-0" cx="{x:g}" cy="{y:g}" r="{DOT}"/>')
    return f"<g>{told}{''.join(parts)}</g>"
