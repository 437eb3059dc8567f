"""How a sentence is generated: from the top, children from the outside in, with a decision before each."""

from __future__ import annotations

from dataclasses import dataclass

from drawing.sheet import MARGIN, WIDTH, Sheet, text_width
from drawing.trees import HEIGHT, WORDS_BELOW, Tree, centred

WORDS = ["the", "girls", "answer", "letters", "at", "home"]
TAGS = ["DET", "NOUN", "VERB", "NOUN", "ADP", "NOUN"]
HEADS = [2, 3, 0, 3, 6, 3]
THE, GIRLS, ANSWER, LETTERS, AT, HOME = range(6)
PANEL_WIDTH, PANEL_HEIGHT, GUTTER = (WIDTH - 2 * MARGIN - 16) / 2, 174, 16

DESCRIPTION = """
Six steps. 1: ROOT generates one word, answer. 2: answer generates to its left: GO, girls; then STOP. 3: answer
generates to its right, the farthest child first: GO, home. 4: once more: GO, letters; then STOP. 5: girls and home
each generate one word to their left, the and at, then STOP; to their right they STOP at once. 6: the, letters and at
STOP on both sides, and the sentence is finished.
"""


@dataclass(frozen=True)
class Step:
    """What happens in one panel: its words 0..n-1, and on which sides words stop (-1 left, 1 right)."""

    head: str
    story: list[str]  # texts, and the decisions GO and STOP
    new: list[int]
    stops: list[tuple[int, int]]


STEPS = [
    Step("ROOT generates one word", ["*answer*"], [ANSWER], []),
    Step("*answer*, to its left", ["GO", "*girls*", "STOP"], [GIRLS], [(ANSWER, -1)]),
    Step("*answer*, to its right: the farthest first", ["GO", "*home*"], [HOME], []),
    Step("*answer*, to its right once more", ["GO", "*letters*", "STOP"], [LETTERS], [(ANSWER, 1)]),
    Step(
        "*girls* and *home* do the same",
        ["left:", "GO", "*the*, *at*", "STOP", "", "right:", "STOP"],
        [THE, AT],
        [(word, side) for word in (GIRLS, HOME) for side in (-1, 1)],
    ),
    Step(
        "*the*, *letters* and *at* have no children",
        ["left:", "STOP", "", "right:", "STOP"],
        [],
        [(word, side) for word in (THE, LETTERS, AT) for side in (-1, 1)],
    ),
]


def picture() -> str:
    rows = len(STEPS) // 2
    sheet = Sheet(
        2 * MARGIN + rows * PANEL_HEIGHT + (rows - 1) * GUTTER,
        "How a sentence is generated, in six steps",
        DESCRIPTION,
    )
    there: list[int] = []
    stops: list[tuple[int, int]] = []
    for number, step in enumerate(STEPS):
        x = MARGIN + number % 2 * (PANEL_WIDTH + GUTTER)
        y = MARGIN + number // 2 * (PANEL_HEIGHT + GUTTER)
        sheet.panel(x, y, PANEL_WIDTH, PANEL_HEIGHT)
        sheet.badge(x + 24, y + 25, number + 1)
        sheet.text(x + 44, y + 30, step.head, "draw-head")
        _story(sheet, x + 44, y + 52, step.story)
        tree = centred(Tree(WORDS, TAGS, HEADS, 0, y + PANEL_HEIGHT - HEIGHT - 12), x + PANEL_WIDTH / 2)
        _tree(sheet, tree, there, step.new, stops, step.stops)
        there += step.new
        stops += step.stops
    return sheet.svg()


def _story(sheet: Sheet, x: float, y: float, story: list[str]) -> None:
    """Decisions as pills, with the words that follow; an empty text is a gap."""
    for text in story:
        if text in ("GO", "STOP"):
            x = sheet.chip(x, y, text, "draw-green" if text == "GO" else "draw-red") + 7
        else:
            if text:
                sheet.text(x, y + 4.5, text)
            x += text_width(text, "draw-note") + 7


def _tree(
    sheet: Sheet,
    tree: Tree,
    there: list[int],
    new: list[int],
    stopped: list[tuple[int, int]],
    stops: list[tuple[int, int]],
) -> None:
    """The words that are there, places for those to come, and a bar where a word has stopped."""
    for word in range(len(WORDS)):
        middle, half = tree.middles[word], tree.widths[word] / 2
        if word in new or word in there:
            tree.arc(sheet, word, "" if word in new else "draw-old")
            tree.word(sheet, word, "draw-blue" if word in new else "")
        else:
            sheet.line(
                f"M{middle - half + 4:g} {tree.base + WORDS_BELOW:g}H{middle + half - 4:g}", "draw-thin draw-dashed"
            )
    for word, side in [*stopped, *stops]:
        x = tree.middles[word] + side * (tree.widths[word] / 2 + 3.5)
        kind = "draw-red" if (word, side) in stops else ""
        sheet.line(f"M{x:g} {tree.base + 5:g}v17", kind)
