"""Two explanations of the same four sentences, and how probable each makes them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from depinduce.grammar.rules import Order
from drawing.sheet import MARGIN, WIDTH, Sheet
from drawing.toy_corpus import SENTENCES, all_below_the_verb, articles_below_nouns, probabilities_with, tags_of
from drawing.trees import HEIGHT, Tree

PANEL_WIDTH, ROW, GUTTER = (WIDTH - 2 * MARGIN - 16) / 2, 88, 16
HEAD, FOOT = 34, 150

NOUNS = [
    "`VERB`: one child on its left and one on its right: 1",
    "`VERB`: that child is a `NOUN`: 1",
    "`NOUN`: a child on its left: 1/2, and it is a `DET`: 1",
]
VERB = [
    "`VERB`: first child on its left: `DET` 1/2, `NOUN` 1/2",
    "`VERB`: one more child on its left: 1/3",
    "`VERB`: one more child on its right: 1/3",
]


def picture() -> str:
    sheet = Sheet(
        2 * MARGIN + HEAD + len(SENTENCES) * ROW + FOOT,
        "Two explanations of the same sentences",
        "Four sentences: "
        + "; ".join(SENTENCES)
        + ". If articles hang on nouns, each sentence has the probability 1/4,"
        " all four 1/256. If every word hangs on the verb, they have 2/9, 2/27, 2/27 and 2/81, all four 1/33215.",
    )
    _panel(sheet, MARGIN, "Articles hang on their nouns", articles_below_nouns, NOUNS)
    _panel(sheet, MARGIN + PANEL_WIDTH + GUTTER, "Every word hangs on the verb", all_below_the_verb, VERB)
    return sheet.svg()


def _panel(sheet: Sheet, x: float, head: str, tree_of: Callable[[list[str]], list[int]], rules: list[str]) -> None:
    sheet.panel(x, MARGIN, PANEL_WIDTH, sheet.height - 2 * MARGIN)
    sheet.text(x + 20, MARGIN + 30, head, "draw-head")
    shares = probabilities_with(Order.FIRST, tree_of)
    for number, (sentence, share) in enumerate(zip(SENTENCES, shares, strict=True)):
        words, bottom = sentence.split(), MARGIN + HEAD + (number + 1) * ROW
        Tree(words, tags_of(words), tree_of(words), x + 20, bottom - HEIGHT).draw(sheet)
        sheet.text(x + PANEL_WIDTH - 20, bottom - 18, str(Fraction(share).limit_denominator(1000)), anchor="end")
    top = MARGIN + HEAD + len(SENTENCES) * ROW + 16
    sheet.line(f"M{x + 20:g} {top:g}H{x + PANEL_WIDTH - 20:g}", "draw-thin")
    sheet.text(x + 20, top + 26, "all four sentences with these trees")
    sheet.text(x + PANEL_WIDTH - 20, top + 26, f"1/{round(1 / shares.prod()):,}", "draw-head", "end")
    sheet.text(x + 20, top + 58, "under the rules that suit them best:")
    sheet.lines(x + 20, top + 80, rules)
