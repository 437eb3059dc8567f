"""How pieces of a sentence combine in the chart of first-order and grandparent grammars."""

from __future__ import annotations

from drawing.sheet import Sheet
from drawing.spans import HIGH, LOW, Row, arc, half, half_open, left_side, places, rows_picture, sign, sum_over

DESCRIPTION = """
Three ways to put pieces of a sentence together. open(h, c): a head h takes a child c to its left; what lies between
them is shared out between the right side of c and the left side of h. left(h, i): the left side of c is added to it,
and the left side of h is complete down to i. Z: the left and the right side of a root word cover the sentence.
"""


def picture() -> str:
    return rows_picture(
        [
            Row(
                "`open(h, c)`",
                ["h decides to GO and takes the child c.", "What lies between them is shared out", "at some place r."],
                [
                    "gap(h, c; g) = Σ right(c, r; h, NO) · left(h, r+1; g, HAS)",
                    "open(h, c; g, v) = link(h, c; g, v) · gap(h, c; g)",
                    "link(h, c; g, v) = go(h, g, v) · child(c | h, g, v) · arc(h, c, v)",
                ],
                _open,
            ),
            Row(
                "`left(h, i)`",
                [
                    "The other side of c, down to i.",
                    "Then the left side of h is complete,",
                    "with c as its farthest child.",
                ],
                [
                    "left(h, h; g, v) = stop(h, g, v)",
                    "left(h, i; g, v) = Σ left(c, i; h, NO) · open(h, c; g, v)",
                ],
                _left,
            ),
            Row(
                "`Z`",
                ["The root word with both its sides", "covers the sentence, 1 to n.", "Z sums over all trees."],
                ["Z = Σ root(h) · left(h, 1; ROOT, NO) · right(h, n; ROOT, NO)"],
                _whole,
            ),
        ],
        "How pieces combine in the chart",
        DESCRIPTION,
    )


def _open(sheet: Sheet, base: float) -> None:
    half_open(sheet, 480, 360, base, "open")
    arc(sheet, 480, 360, base, base - LOW - 3)
    places(sheet, base, {"c": 360, "h": 480})
    sign(sheet, 508, base, "=")
    sum_over(sheet, 540, base, "r")
    half(sheet, 580, 648, base, "right")
    half(sheet, 744, 660, base, "left")
    arc(sheet, 744, 580, base, base - HIGH - 3)
    places(sheet, base, {"c": 580, "r": 645, "r+1": 670, "h": 744})


def _left(sheet: Sheet, base: float) -> None:
    left_side(sheet, base, "open")


def _whole(sheet: Sheet, base: float) -> None:
    sign(sheet, 480, base, "Z")
    sign(sheet, 508, base, "=")
    sum_over(sheet, 540, base, "h")
    half(sheet, 668, 580, base, "left")
    half(sheet, 672, 744, base, "right")
    sheet.arrow((670, base - HIGH - 30), (670, base - HIGH - 4))
    places(sheet, base, {"1": 580, "h": 670, "n": 744})
