"""How many languages teach each other which tags head which, and what a new language makes of it."""

from __future__ import annotations

from depinduce.insight.word_order import WordOrder, order_of_languages
from depinduce.learning.adaptation import FEWEST
from depinduce.learning.settings.committee import CommitteeSettings
from depinduce.learning.settings.order_free import PolyglotSettings
from depinduce.models.loading import load_universal
from depinduce.report.arc_layout import arcs_of
from depinduce.report.svg_arcs import Band, Course
from drawing.sheet import MARGIN, WIDTH, Sheet

COURSE = Course(down=False, port=4, port_step=3, port_spread=9, lowest=18, level=13, root=18)
PANEL_WIDTH, INNER = WIDTH - 2 * MARGIN, 18
COLUMN, GAP = 216, 34  # of the upper panel
TOP, ABOVE, BELOW = MARGIN, 384, 340  # where the upper panel begins; the heights of both
STEP, STEP_GAP, STEP_HEIGHT = 160, 25, 92  # boxes of the lower panel
# a language: the tags of a phrase in its order, their heads, and the colours of the arcs to them
PHRASES = {
    "fr": (["VERB", "ADP", "NOUN"], [0, 3, 1], ["", "draw-purple", "draw-blue"]),
    "ja": (["NOUN", "ADP", "VERB"], [3, 1, 0], ["draw-blue", "draw-purple", ""]),
}
PAIRS = (("VERB", "NOUN", "draw-blue"), ("NOUN", "ADP", "draw-purple"))  # (head, child, colour)
OTHERS = {"VERB": "ADV", "NOUN": "ADJ"}  # another child of these heads
SHARES = {0.9: "nine tenths"}
TIMES = {2: "twice", 3: "three times", 4: "four times", 5: "five times", 6: "six times"}


def picture() -> str:
    universal, settings = load_universal(), PolyglotSettings(model="polyglot")
    committee = CommitteeSettings(model="committee")
    times = TIMES[settings.poolings]
    sheet = Sheet(
        TOP + ABOVE + 22 + BELOW + MARGIN,
        "Which tags head which all languages tell, on which side each one its own",
        f"""
        Above, a universal grammar. Every language has trees, at first those of its own grammar, which differ in order:
        in French the noun stands after its verb and the adposition before its noun, in Japanese the other way round.
        From the trees of all languages it is pooled which tags head which, whatever the side. Around what the others
        have pooled every language learns on which side they stand in its own text, and its new trees go into the next
        pool; {times}. Below, a new language. The pooled headedness and its own text, from {FEWEST} sentences on, give
        the order-free grammar. With {committee.fewest_sentences:,} sentences it also learns a grammar of its own. If
        the two agree on the heads of {SHARES[committee.least_agreement]} of the words, both vote, otherwise only the
        first. A student learns from their trees, and all together are a committee, which takes the tree with the most
        probable arcs on average.
        """,
    )
    _universal(sheet, order_of_languages(universal), settings.iterations, times)
    _new_language(sheet, TOP + ABOVE + 22, committee)
    return sheet.svg()


# ---------------------------------------------------------------- many languages


def _universal(sheet: Sheet, order: WordOrder, iterations: int, times: str) -> None:
    """The loop of poolings."""
    first, second, third = (MARGIN + INNER + place * (COLUMN + GAP) for place in range(3))
    sheet.panel(MARGIN, TOP, PANEL_WIDTH, ABOVE)
    _title(sheet, TOP, "Many languages teach each other", "`--recipe universal`")
    top = TOP + 58
    height = 230
    sheet.box(first, top, COLUMN, height)
    sheet.box(second, top, COLUMN, height, "draw-green")
    sheet.box(third, top, COLUMN, height)
    for x, number, head in ((first, 1, "Trees"), (second, 2, "Headedness"), (third, 3, "Order")):
        sheet.badge(x + 22, top + 24, number)
        sheet.text(x + 42, top + 29, head, "draw-head")
    sheet.lines(
        first + 16, top + 58, ["of every language: first those of", "its own grammar, `ud-sibling`"], "draw-small"
    )
    sheet.lines(second + 16, top + 58, ["which tags head which in all", "languages, whatever the side"], "draw-small")
    sheet.lines(
        third + 16, top + 58, ["each language learns the sides", f"from its own text: {iterations} × EM"], "draw-small"
    )
    for place, name in enumerate(PHRASES):
        y = top + 136 + 62 * place
        sheet.text(first + 20, y + 12, name, "draw-chip")
        _phrase(sheet, first + 78, y, *PHRASES[name])
        sheet.text(third + 20, y + 2, name, "draw-chip")
        _sides(sheet, third + 124, y - 12, order, name)
    sheet.text(third + 124 - 24, top + 104, "before", "draw-small", "end")
    sheet.text(third + 124 + 24, top + 104, "after", "draw-small")
    _pooled(sheet, second + 16, top + 118, order)
    middle = top + height / 2
    sheet.arrow((first + COLUMN + 4, middle), (second - 4, middle))
    sheet.arrow((second + COLUMN + 4, middle), (third - 4, middle))
    down = top + height + 30
    sheet.arrow(
        (third + COLUMN / 2, top + height + 4), (third + COLUMN / 2, down), (first + COLUMN / 2, down),
        (first + COLUMN / 2, top + height + 4), kind="draw-blue",
    )  # fmt: skip
    note = f"The trees of this order go into the next pool, {times}: a grammar that errs alone is outvoted."
    sheet.text(WIDTH / 2, down + 25, note, anchor="middle")
    sheet.text(
        WIDTH / 2,
        down + 44,
        "To a language only the others tell what heads what; each counts alike.",
        "draw-small",
        "middle",
    )


def _phrase(sheet: Sheet, x: float, base: float, tags: list[str], heads: list[int], kinds: list[str]) -> None:
    """A phrase as tags with arcs above them."""
    middles = [x + 46 * place for place in range(len(tags))]
    band = Band(COURSE, [arc for arc in arcs_of(heads) if arc.head >= 0], middles, side=-1)
    for arc in band.arcs:
        sheet.parts.append(band.element(arc, base, tags, kinds[arc.child]))
    for middle, tag in zip(middles, tags, strict=True):
        sheet.text(middle, base + 13, tag, "draw-chip", "middle")


def _pooled(sheet: Sheet, x: float, y: float, order: WordOrder) -> None:
    """How many of the children of a head have which tag, as bars."""
    for head, child, colour in PAIRS:
        row = order.weight[order.tags.id(head)]
        shares = row / row.sum()
        sheet.text(x, y, f"{head} heads", "draw-small")
        for place, tag in enumerate((child, OTHERS[head])):
            length, kind = round(130 * float(shares[order.tags.id(tag)])), "" if place else colour
            sheet.bar(x + 80, y - 9 + 20 * place, length, 11, kind)
            sheet.text(x + 86 + length, y + 1 + 20 * place, tag, f"draw-chip {kind}".rstrip())
        y += 50


def _sides(sheet: Sheet, middle: float, y: float, order: WordOrder, name: str) -> None:
    """On which side of their heads children stand in a language: bars to the left and to the right of the head."""
    length, half, language = 62.0, 23.0, order.languages.index(name)
    for head, child, colour in PAIRS:
        left = float(order.left[language, order.tags.id(head), order.tags.id(child)])
        sheet.bar(middle - half - length * left, y - 8, length * left, 11, colour)
        sheet.text(middle, y + 2, head, "draw-chip", "middle")
        sheet.bar(middle + half, y - 8, length * (1 - left), 11, colour)
        y += 22


def _title(sheet: Sheet, y: float, head: str, command: str) -> None:
    sheet.text(MARGIN + INNER, y + 34, head, "draw-head")
    sheet.text(WIDTH - MARGIN - INNER, y + 34, command, anchor="end")


# ---------------------------------------------------------------- a new one


def _new_language(sheet: Sheet, top: float, settings: CommitteeSettings) -> None:
    """From a headedness and a text to a committee."""
    sheet.panel(MARGIN, top, PANEL_WIDTH, BELOW)
    _title(sheet, top, "A new language", "`--recipe adapt`; `parse universal` does it before it parses")
    given, learned, asked, joined = (MARGIN + INNER + place * (STEP + STEP_GAP) for place in range(4))
    high, low = top + 58, top + 58 + STEP_HEIGHT + 40
    _step(sheet, given, high, "Headedness", ["of the universal", "grammar"], "draw-green")
    _step(sheet, given, low, "Its text", ["tagged, no trees; from", f"{FEWEST} sentences on"])
    _step(sheet, learned, high, "`order-free`", ["the headedness, with", "the language’s order"], "draw-blue")
    _step(sheet, learned, low, "`own`", ["the text alone has", f"taught it: `{settings.own_recipe}`"], "draw-purple")
    gate = low + STEP_HEIGHT - high
    sheet.box(asked, high, STEP, gate)
    sheet.lines(
        asked + STEP / 2,
        high + 36,
        ["Do they agree", "on the heads of", f"{SHARES[settings.least_agreement]} of", "the words?"],
        "draw-head",
        "middle",
    )
    for place, (answer, kind, then) in enumerate(
        (("yes", "draw-green", "both vote"), ("no", "draw-red", "only the first"))
    ):
        end = sheet.chip(asked + 18, high + 136 + 32 * place, answer, kind)
        sheet.text(end + 8, high + 140.5 + 32 * place, then)
    _step(sheet, joined, high, "Committee", ["the arcs that are most", "probable on average"], "draw-green")
    _step(sheet, joined, low, "`student`", ["second order, learned", "from their trees"], "draw-red")
    middle, middle_low = high + STEP_HEIGHT / 2, low + STEP_HEIGHT / 2
    for x, y in ((given, middle), (learned, middle), (learned, middle_low), (asked, middle), (asked, middle_low)):
        sheet.arrow((x + STEP + 3, y), (x + STEP + STEP_GAP - 3, y))
    sheet.arrow((given + STEP + 3, middle_low), (learned - 3, middle_low))
    sheet.arrow(
        (given + STEP - 30, low - 3),
        (given + STEP - 30, low - 20),
        (learned + 30, low - 20),
        (learned + 30, high + STEP_HEIGHT + 3),
    )
    sheet.arrow((joined + STEP / 2, low - 3), (joined + STEP / 2, high + STEP_HEIGHT + 3))
    sheet.text(joined + STEP / 2 + 8, low - 16, "joins", "draw-small")
    few = f"With fewer than {settings.fewest_sentences:,} sentences `order-free` is all, after seconds."
    sheet.text(WIDTH / 2, low + STEP_HEIGHT + 34, f"{few} The rest takes a minute.", anchor="middle")


def _step(sheet: Sheet, x: float, y: float, head: str, story: list[str], kind: str = "") -> None:
    sheet.box(x, y, STEP, STEP_HEIGHT, kind)
    sheet.text(x + STEP / 2, y + 31, head, "draw-head", "middle")
    sheet.lines(x + STEP / 2, y + 55, story, "draw-small", "middle")
