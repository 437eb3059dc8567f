"""The pieces of a chart, as triangles and trapezoids, and rows of a drawing that say how they combine.

A piece covers some words next to each other. It is highest at its head, and has some height at a word that will
still have children on the other side.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from drawing.sheet import MARGIN, TIP_LENGTH, WIDTH, Sheet

HIGH, LOW = 54, 24  # of a piece at its head and at a child that is still open on its far side
BASE, FORMULA, FORMULA_LINE, GUTTER = 104, 42, 18, 12  # of a row: where pieces stand, formulas below that


@dataclass(frozen=True)
class Row:
    """One step of a chart: its name, what it means, how it is computed, and its pieces, drawn above a base line."""

    name: str
    story: list[str]
    formulas: list[str]
    draw: Callable[[Sheet, float], None]

    @property
    def height(self) -> float:
        return BASE + FORMULA + FORMULA_LINE * (len(self.formulas) - 1) + 16


def rows_picture(rows: list[Row], title: str, description: str) -> str:
    """The steps of a chart, one below the other."""
    height = 2 * MARGIN + sum(row.height for row in rows) + GUTTER * (len(rows) - 1)
    sheet, top = Sheet(height, title, description), MARGIN
    for row in rows:
        sheet.panel(MARGIN, top, WIDTH - 2 * MARGIN, row.height)
        sheet.text(MARGIN + 16, top + 30, row.name, "draw-head")
        sheet.lines(MARGIN + 16, top + 54, row.story)
        row.draw(sheet, top + BASE)
        for number, formula in enumerate(row.formulas):
            sheet.text(MARGIN + 16, top + BASE + FORMULA + number * FORMULA_LINE, formula, "draw-code")
        top += row.height + GUTTER
    return sheet.svg()


def half(sheet: Sheet, head: float, end: float, base: float, name: str) -> None:
    """`left` or `right`: a head with all its children on one side, down to the end of what they cover."""
    sheet.shape([(head, base), (head, base - HIGH), (end, base)], "draw-blue")
    _name(sheet, head + (end - head) * 0.36, base - 12, name, "draw-blue")


def half_open(sheet: Sheet, head: float, child: float, base: float, name: str) -> None:
    """`open` or `chain`: a head and a child with all that is between them, and nothing beyond the child yet."""
    sheet.shape([(head, base), (head, base - HIGH), (child, base - LOW), (child, base)], "draw-purple")
    _name(sheet, (head + child) / 2, base - 12, name, "draw-purple")


def pair(sheet: Sheet, first: float, second: float, base: float, name: str) -> None:
    """`pair`: two neighbouring children and all that is between them."""
    middle, high = (first + second) / 2, HIGH - 10
    top = [(first, base - high), (middle, base - LOW), (second, base - high)]
    sheet.shape([(first, base), *top, (second, base)], "draw-green")
    _name(sheet, middle, base - 8, name, "draw-green")


def arc(sheet: Sheet, head: float, child: float, base: float, foot: float, rise: float = 22) -> None:
    """The arc of a rule above the pieces: from the top of the head to the left, down to a foot above the child."""
    start, width = base - HIGH - 3, 22
    fall = foot - TIP_LENGTH - (start - rise)
    rising = f"M{head:g} {start:g}a{width} {rise:g} 0 0 0 {-width} {-rise:g}"
    sheet.line(f"{rising}H{child + width:g}a{width} {fall:g} 0 0 0 {-width} {fall:g}")
    sheet.tip(child, foot, 0, 1)


def places(sheet: Sheet, base: float, names: dict[str, float]) -> None:
    """The positions of a sentence below a piece."""
    for name, x in names.items():
        sheet.text(x, base + 17, name, "draw-code", "middle")


def sum_over(sheet: Sheet, x: float, base: float, index: str) -> None:
    """A sign of summation with what runs below it."""
    sheet.text(x, base - 14, "Σ", "draw-sign", "middle")
    sheet.text(x, base + 5, index, "draw-code", "middle")


def sign(sheet: Sheet, x: float, base: float, text: str) -> None:
    sheet.text(x, base - 16, text, "draw-sign", "middle")


def _name(sheet: Sheet, x: float, y: float, name: str, kind: str) -> None:
    sheet.text(x, y, name, f"draw-piece {kind}", "middle")


def left_side(sheet: Sheet, base: float, name: str) -> None:
    """The left side of h: that of a child c, and a half-open piece of this name between them."""
    half(sheet, 480, 350, base, "left")
    places(sheet, base, {"i": 350, "h": 480})
    sign(sheet, 508, base, "=")
    sum_over(sheet, 540, base, "c")
    half(sheet, 646, 580, base, "left")
    half_open(sheet, 744, 650, base, name)
    arc(sheet, 744, 648, base, base - HIGH - 3)
    places(sheet, base, {"i": 580, "c": 648, "h": 744})
