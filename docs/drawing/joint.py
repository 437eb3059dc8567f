"""A joint model: a grammar over words and one over tags that must agree on the tree."""

from __future__ import annotations

from depinduce.report.arc_layout import arcs_of
from depinduce.report.svg_arcs import Band
from drawing.sheet import MARGIN, WIDTH, Sheet
from drawing.trees import COURSE, TAGS_BELOW, Tree, centred

WORDS, TAGS, HEADS = ["the", "girls", "read", "the", "book"], ["DET", "NOUN", "VERB", "DET", "NOUN"], [2, 3, 0, 5, 3]
BOX_WIDTH, BOX_HEIGHT = 268, 104
PANEL = MARGIN + BOX_WIDTH + 48
DESCRIPTION = """
Two grammars and one tree. Above, a first-order grammar over words, a LexicalNetwork: its rules become Factors of
single arcs, decisions and roots. Below, a second-order grammar over tags, a RuleNetwork: its rules are the RuleTable
of the chart. Between them the sentence the girls read the book, with the same tree above the words and below the
tags. One chart sums the product of both over all trees and gives each its expected counts.
"""


def picture() -> str:
    height = 334
    sheet = Sheet(height, "Two grammars meet in one chart", DESCRIPTION)
    width, bottom = WIDTH - MARGIN - PANEL, height - MARGIN - BOX_HEIGHT
    sheet.panel(PANEL, MARGIN, width, height - 2 * MARGIN)
    words = ["first order: `LexicalNetwork`", "its rules become `Factors` of the", "chart (`as_factors`)"]
    tags = ["second order: `RuleNetwork`", "its rules are the `RuleTable` of", "the chart"]
    _grammar(sheet, MARGIN, "Grammar over words", words, "draw-purple")
    _grammar(sheet, bottom, "Grammar over tags", tags, "draw-blue")
    above = centred(Tree(WORDS, TAGS, HEADS, 0, 114, gap=26), PANEL + width / 2)
    below = Band(COURSE, arcs_of(HEADS), above.middles, side=1)
    for word in range(len(WORDS)):
        above.word(sheet, word)
        above.arc(sheet, word, "draw-purple")
    for arc in below.arcs:
        sheet.parts.append(below.element(arc, above.base + TAGS_BELOW + 8, TAGS))
    sheet.text(PANEL + width / 2, height - MARGIN - 48, "one chart, one tree z for both:", anchor="middle")
    sheet.text(PANEL + width / 2, height - MARGIN - 22, "log Σ p₀(x, z) · p₁(x, z)", "draw-head", "middle")
    for y, kind in ((MARGIN, "draw-purple"), (bottom, "draw-blue")):
        right, left, middle = PANEL - 4, MARGIN + BOX_WIDTH + 4, y + BOX_HEIGHT / 2
        sheet.arrow((left, middle - 9), (right, middle - 9), kind=kind)
        sheet.arrow((right, middle + 9), (left, middle + 9), kind=kind, dashed=True)
    sheet.lines(
        MARGIN + 14,
        height / 2 - 4,
        ["solid: rules · dashed: expected counts,", "each from the same pass"],
        "draw-small",
    )
    return sheet.svg()


def _grammar(sheet: Sheet, y: float, head: str, story: list[str], kind: str) -> None:
    sheet.box(MARGIN, y, BOX_WIDTH, BOX_HEIGHT, kind)
    sheet.text(MARGIN + 14, y + 28, head, "draw-head")
    sheet.lines(MARGIN + 14, y + 50, story)
