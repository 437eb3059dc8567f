"""What a sibling model makes of adpositions if nothing holds it back."""

from __future__ import annotations

from drawing.sheet import MARGIN, WIDTH, Sheet
from drawing.trees import HEIGHT, Tree, centred

WORDS, TAGS = ["parle", "de", "musique", "avec", "passion"], ["VERB", "ADP", "NOUN", "ADP", "NOUN"]
WANTED, FOUND = [0, 3, 1, 5, 1], [0, 1, 1, 1, 1]
GUTTER, PANEL_HEIGHT = 16, 214
PANEL_WIDTH = (WIDTH - 2 * MARGIN - GUTTER) / 2
DESCRIPTION = """
The French phrase parle de musique avec passion, twice. Wanted: the verb has the children musique and passion, each
noun has its adposition as a child. Found: the verb has all four words as children.
"""


def picture() -> str:
    sheet = Sheet(2 * MARGIN + PANEL_HEIGHT, "An adposition hangs on its noun, or beside it on the verb", DESCRIPTION)
    _panel(sheet, MARGIN, "Wanted", WANTED, "`NOUN` takes `ADP` on its left")
    _panel(sheet, MARGIN + PANEL_WIDTH + GUTTER, "Found", FOUND, "after a `NOUN`, `VERB` takes `ADP` on its right")
    return sheet.svg()


def _panel(sheet: Sheet, x: float, head: str, heads: list[int], rule: str) -> None:
    sheet.panel(x, MARGIN, PANEL_WIDTH, PANEL_HEIGHT)
    sheet.text(x + 18, MARGIN + 32, head, "draw-head")
    tree = centred(Tree(WORDS, TAGS, heads, 0, MARGIN + PANEL_HEIGHT - HEIGHT - 44, gap=22), x + PANEL_WIDTH / 2)
    in_question = dict.fromkeys((1, 3), "draw-red" if head == "Found" else "draw-green")
    tree.draw(sheet, {0: "draw-old", 2: "draw-old", 4: "draw-old"} | in_question)
    sheet.text(x + PANEL_WIDTH / 2, MARGIN + PANEL_HEIGHT - 18, rule, anchor="middle")
