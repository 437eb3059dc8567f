"""What a rule looks at: the same arc in a first-order, a sibling and a grandparent grammar."""

from __future__ import annotations

from drawing.sheet import MARGIN, WIDTH, Sheet, text_width
from drawing.trees import HEIGHT, WORDS_BELOW, Tree, centred

WORDS, TAGS, HEADS = ["girls", "reading", "books", "now"], ["NOUN", "VERB", "NOUN", "ADV"], [0, 1, 2, 2]
GIRLS, READING, BOOKS, NOW = range(4)
GUTTER, GAP, PANEL_HEIGHT = 12, 3, 250
PANEL_WIDTH = (WIDTH - 2 * MARGIN - 2 * GUTTER) / 3

# order: what else the rule looks at, the parts of the row as (value, what it is, colour)
DIRECTION, HEAD, VALENCE = ("RIGHT", "direction", ""), ("VERB", "head", "draw-blue"), ("HAS", "valence", "draw-green")
ORDERS = {
    "FIRST": (None, [DIRECTION, HEAD, VALENCE]),
    "SIBLING": (NOW, [DIRECTION, HEAD, ("ADV", "previous child", "draw-purple")]),
    "GRANDPARENT": (GIRLS, [DIRECTION, HEAD, ("NOUN", "head’s head", "draw-purple"), VALENCE]),
}
DESCRIPTION = """
The phrase girls reading books now, three times. The arc from reading to books is in question; now was generated
before books. FIRST: the row is RIGHT, VERB, HAS, as reading has a child on this side. SIBLING: the row is RIGHT,
VERB, ADV, for the previous child, now. GRANDPARENT: the row is RIGHT, VERB, NOUN, HAS, for the head's head, girls.
"""


def picture() -> str:
    sheet = Sheet(2 * MARGIN + PANEL_HEIGHT, "What a rule looks at", DESCRIPTION)
    for number, (order, (other, row)) in enumerate(ORDERS.items()):
        x = MARGIN + number * (PANEL_WIDTH + GUTTER)
        sheet.panel(x, MARGIN, PANEL_WIDTH, PANEL_HEIGHT)
        sheet.text(x + 16, MARGIN + 30, order, "draw-head")
        _tree(sheet, centred(Tree(WORDS, TAGS, HEADS, 0, MARGIN + 112, gap=13), x + PANEL_WIDTH / 2), other)
        _row(sheet, x + 16, MARGIN + 182, row)
    return sheet.svg()


def _tree(sheet: Sheet, tree: Tree, other: int | None) -> None:
    """The phrase with a box around the head and around what else the rule looks at."""
    looked_at = {READING: "draw-blue"} | ({} if other is None else {other: "draw-purple"})
    for word, kind in looked_at.items():
        width = tree.widths[word] + 10
        sheet.box(tree.middles[word] - width / 2, tree.base + 1, width, HEIGHT + 3, kind, radius=6)
    arcs = {GIRLS: "draw-old", READING: "draw-old", BOOKS: "", NOW: "draw-green"}  # green: what the valence tells of
    arcs |= {NOW: {NOW: "draw-purple"}, GIRLS: {READING: "draw-purple"}}.get(other, {})
    for word, kind in arcs.items():
        tree.arc(sheet, word, kind)
        if word == BOOKS:
            sheet.text(tree.middles[word], tree.base + WORDS_BELOW, "?", "draw-word draw-blue", "middle")
        else:
            tree.word(sheet, word)


def _row(sheet: Sheet, x: float, y: float, row: list[tuple[str, str, str]]) -> None:
    """The name of the row in its parts."""
    sheet.text(x, y, "the row:")
    needed = [max(text_width(value, "draw-chip") + 8, text_width(meaning, "draw-small")) for value, meaning, _ in row]
    spare = (PANEL_WIDTH - 32 - sum(needed) - GAP * (len(row) - 1)) / len(row)
    for (value, meaning, kind), least in zip(row, needed, strict=True):
        width = round(least + spare, 1)
        sheet.box(x, y + 12, width, 26, kind, radius=5)
        sheet.text(x + width / 2, y + 29.5, value, f"draw-chip {kind}".strip(), "middle")
        sheet.text(x + width / 2, y + 54, meaning, "draw-small", "middle")
        x += width + GAP
