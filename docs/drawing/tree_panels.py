"""All trees of a short sentence side by side, each with bars that say how probable it is."""

from __future__ import annotations

from collections.abc import Sequence

from drawing.sheet import MARGIN, WIDTH, Sheet
from drawing.toy_corpus import SHORTEST, tags_of
from drawing.trees import HEIGHT, Tree, centred

COLUMNS, GUTTER = 4, 12
PANEL_WIDTH = (WIDTH - 2 * MARGIN - (COLUMNS - 1) * GUTTER) / COLUMNS
BAR_LINE, LONGEST_BAR = 20, PANEL_WIDTH - 80


def panel_height(bars: int) -> float:
    return 122 + BAR_LINE * bars


def sheet_height(trees: int, bars: int) -> float:
    """The height of a drawing with so many trees and something after the last one."""
    rows = trees // COLUMNS + 1
    return 2 * MARGIN + rows * panel_height(bars) + (rows - 1) * GUTTER


def corner(number: int, bars: int) -> tuple[float, float]:
    """The upper left corner of a panel."""
    row, column = divmod(number, COLUMNS)
    return MARGIN + column * (PANEL_WIDTH + GUTTER), MARGIN + row * (panel_height(bars) + GUTTER)


def panel(sheet: Sheet, number: int, heads: list[int], bars: Sequence[tuple[float, str]], note: str = "") -> None:
    """One tree. bars: shares from 0 to 1, each with its colour; note: beside the first of them, which is short"""
    x, y = corner(number, len(bars))
    height = panel_height(len(bars))
    sheet.panel(x, y, PANEL_WIDTH, height)
    bars_begin = y + height - 10 - BAR_LINE * len(bars)
    tree = Tree(SHORTEST, tags_of(SHORTEST), heads, 0, bars_begin - HEIGHT - 10, gap=12)
    centred(tree, x + PANEL_WIDTH / 2).draw(sheet)
    for line, (share, kind) in enumerate(bars):
        middle, length = bars_begin + BAR_LINE * (line + 0.5), max(LONGEST_BAR * share, 2)
        sheet.bar(x + 18, middle - 5, length, 10, kind)
        sheet.text(round(x + 18 + length + 8, 1), middle + 4.5, f"{share:.0%}")
    if note:
        sheet.text(x + PANEL_WIDTH - 16, bars_begin + BAR_LINE / 2 + 4.5, note, anchor="end")
