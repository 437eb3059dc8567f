"""How pieces of a sentence combine in the chart of sibling grammars: the children on one side are a chain."""

from __future__ import annotations

from drawing.sheet import Sheet
from drawing.spans import HIGH, Row, arc, half, half_open, left_side, pair, places, rows_picture, sign, sum_over

DESCRIPTION = """
The children of h on its left form a chain, c1, c2, c3 from the outside in, with a piece between any two neighbours.
pair(c, s): the right side of c and the left side of s, sharing out what lies between them. chain(h, c): either c is
the nearest child and h stops, or the next child s follows after the pair of c and s. left(h, i): the left side of the
farthest child and the chain from it.
"""
CHAIN = "chain(h, c) = right(c, h-1) · stop(h, c) + go(h, c) · Σ pair(c, s) · later(h, s) · child(s | h, c)"


def picture() -> str:
    return rows_picture(
        [
            Row(
                "A head and its chain of children",
                ["Every rule looks at the head and", "at two neighbours in the chain,", "never at a third child."],
                ["left(c₁, i) · pair(c₁, c₂) · pair(c₂, c₃) · right(c₃, h-1) · the rules of h"],
                _children,
            ),
            Row(
                "`pair(c, s)`",
                ["Two neighbouring children.", "What lies between them is shared out", "at some place r."],
                ["pair(c, s) = Σ right(c, r) · left(s, r+1)"],
                _pair,
            ),
            Row(
                "`chain(h, c)`",
                ["c is a child of h, and all between", "them is done: h stops after c, or", "goes on and takes s."],
                [
                    CHAIN,
                    "later(h, c) = chain(h, c) · arc(h, c, HAS)",
                ],
                _chain,
            ),
            Row(
                "`left(h, i)`",
                ["c is the farthest child, which was", "generated first: the left side of h", "is complete down to i."],
                [
                    "left(h, h) = stop(h, ∅)",
                    "left(h, i) = Σ left(c, i) · first(h, c)",
                    "first(h, c) = chain(h, c) · go(h, ∅) · child(c | h, ∅) · arc(h, c, NO)",
                ],
                _left,
            ),
        ],
        "The chain of children in the sibling chart",
        DESCRIPTION,
    )


def _children(sheet: Sheet, base: float) -> None:
    half(sheet, 418, 356, base, "left")
    pair(sheet, 422, 526, base, "pair")
    pair(sheet, 530, 634, base, "pair")
    half(sheet, 638, 706, base, "right")
    for number, child in enumerate((420, 528, 636)):
        arc(sheet, 734 - 5 * number, child, base, base - HIGH - 3, rise=36 - 9 * number)
    sheet.line(f"M734 {base:g}v{-HIGH}", "draw-blue")
    places(sheet, base, {"i": 356, "c₁": 420, "c₂": 528, "c₃": 636, "h": 734})


def _pair(sheet: Sheet, base: float) -> None:
    pair(sheet, 360, 480, base, "pair")
    places(sheet, base, {"c": 360, "s": 480})
    sign(sheet, 508, base, "=")
    sum_over(sheet, 540, base, "r")
    half(sheet, 580, 648, base, "right")
    half(sheet, 744, 660, base, "left")
    places(sheet, base, {"c": 580, "r": 645, "r+1": 670, "s": 744})


def _chain(sheet: Sheet, base: float) -> None:
    half_open(sheet, 400, 310, base, "chain")
    places(sheet, base, {"c": 310, "h": 400})
    sign(sheet, 422, base, "=")
    half(sheet, 446, 516, base, "right")
    sheet.line(f"M526 {base:g}v{-HIGH}", "draw-red")
    places(sheet, base, {"c": 446, "h-1": 508, "h": 532})
    sign(sheet, 554, base, "+")
    sum_over(sheet, 580, base, "s")
    pair(sheet, 606, 674, base, "pair")
    half_open(sheet, 748, 678, base, "later")
    arc(sheet, 748, 676, base, base - HIGH + 7)
    places(sheet, base, {"c": 606, "s": 676, "h": 748})


def _left(sheet: Sheet, base: float) -> None:
    left_side(sheet, base, "first")
