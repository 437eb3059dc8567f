"""One step of learning: rules from the network, counts from the chart, and the gradient back."""

from __future__ import annotations

from drawing.sheet import MARGIN, WIDTH, Sheet

BOX_WIDTH, BOX_HEIGHT, GAP = 164, 92, 32
TOP, BELOW = 32, 182  # of the two rows of boxes
DESCRIPTION = """
A loop. The RuleNetwork makes a RuleTable, the log-probability of every rule. The chart takes the table and a Batch of
tagged sentences, sums over all trees of every sentence, and gives log Z, how probable the sentences are, and
RuleCounts, how often each rule is used in expectation. The gradient of the sum of count times log p goes back to the
network, which takes a step of Adam. A count model has Multinomials in place of the network: its next table is made of
the counts directly.
"""


def picture() -> str:
    sheet = Sheet(356, "One step of learning", DESCRIPTION)
    network, table, chart, sentences = (MARGIN + place * (BOX_WIDTH + GAP) for place in range(4))
    middle, middle_below = TOP + BOX_HEIGHT / 2, BELOW + BOX_HEIGHT / 2
    _box(sheet, network, TOP, "`RuleNetwork`", ["its parameters are", "what is learned"], "draw-purple")
    _box(sheet, table, TOP, "`RuleTable`", ["log p of every rule:", "root, child, decision"], "draw-blue")
    _box(sheet, chart, TOP, "chart", ["sums over all trees", "of every sentence"], "draw-green")
    _box(sheet, sentences, TOP, "`Batch`", ["tagged sentences,", "without trees"])
    _box(sheet, sentences, BELOW, "log Z", ["how probable the", "sentences are"])
    _box(sheet, chart, BELOW, "`RuleCounts`", ["how often each rule is", "used, in expectation"], "draw-blue")
    _box(sheet, table, BELOW, "gradient", ["of Σ count · log p(rule)", "by the parameters"], "draw-purple")
    sheet.arrow((network + BOX_WIDTH + 3, middle), (table - 3, middle))
    sheet.arrow((table + BOX_WIDTH + 3, middle), (chart - 3, middle))
    sheet.arrow((sentences - 3, middle), (chart + BOX_WIDTH + 3, middle))
    sheet.arrow((chart + BOX_WIDTH / 2, TOP + BOX_HEIGHT + 3), (chart + BOX_WIDTH / 2, BELOW - 3))
    turn = TOP + BOX_HEIGHT + 24
    begin, end = chart + BOX_WIDTH - 30, sentences + BOX_WIDTH / 2
    sheet.arrow((begin, TOP + BOX_HEIGHT + 3), (begin, turn), (end, turn), (end, BELOW - 3))
    sheet.arrow((chart - 3, middle_below), (table + BOX_WIDTH + 3, middle_below))
    corner = network + BOX_WIDTH / 2
    sheet.arrow((table - 3, middle_below), (corner, middle_below), (corner, TOP + BOX_HEIGHT + 3))
    sheet.text(corner, middle_below + 22, "a step of Adam", anchor="middle")
    sheet.text(
        WIDTH / 2,
        BELOW + BOX_HEIGHT + 44,
        "A count model has `Multinomials` for a network: its next table is made of the counts, without a gradient.",
        anchor="middle",
    )
    return sheet.svg()


def _box(sheet: Sheet, x: float, y: float, head: str, story: list[str], kind: str = "") -> None:
    sheet.box(x, y, BOX_WIDTH, BOX_HEIGHT, kind)
    sheet.text(x + BOX_WIDTH / 2, y + 31, head, "draw-head", "middle")
    sheet.lines(x + BOX_WIDTH / 2, y + 55, story, anchor="middle")
