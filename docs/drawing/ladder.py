"""The models that the recipe ud-sibling trains one after the other, as stairs."""

from __future__ import annotations

from depinduce.learning.settings.recipes import load_recipe
from depinduce.report.arc_layout import Arc
from depinduce.report.svg_arcs import Band, Course
from drawing.sheet import MARGIN, Sheet

STEP_WIDTH, GAP, RISE, TOP, HEIGHT = 240, 16, 64, 32, 390
COURSE = Course(down=False, port=4, port_step=3, port_spread=9, lowest=18, level=13, root=18)
# model: what a rule sees, and the words 0, 1, 2, … of a sketch of it as (head, child, seen)
SEES = {
    "ndmv": ("a rule sees the head", []),
    "grand": ("a rule also sees the head’s head", [(0, 1, True), (1, 2, False)]),
    "sibling": ("a rule also sees the previous child", [(0, 2, True), (0, 1, False)]),
}


def picture() -> str:
    recipe = load_recipe("ud-sibling")
    models, members, anchor = [*recipe["ladder"], recipe["model"]], recipe["members"], recipe["anchor"]
    asked = (members + 1) // 2
    sheet = Sheet(
        HEIGHT,
        "The ladder of the recipe ud-sibling",
        f"""
        Three steps. First {members} networks of the model {models[0]}, from the best trees of the harmonic start, short
        sentences first. The {asked} that make the training sentences most probable are asked, and the trees on which
        they agree are the start of the model {models[1]}. Its trees are the start of the model {models[2]}, and their
        counts, times {anchor}, are added to those of every batch: the anchor.
        """,
    )
    corners = [(MARGIN + step * (STEP_WIDTH + GAP), TOP + (2 - step) * RISE) for step in range(3)]
    for model, (x, y) in zip(models, corners, strict=True):
        seen, arcs = SEES[model]
        sheet.panel(x, y, STEP_WIDTH, HEIGHT - MARGIN - y)
        sheet.text(x + 18, y + 32, f"`{model}`", "draw-head")
        sheet.text(x + 18, y + 54, seen)
        _sketch(sheet, x + 40, y + 112, arcs)
    (first, low), (second, middle), (third, high) = corners
    sheet.lines(first + 18, low + 84, [f"start: best {recipe['init'][0]} trees,", "short sentences first"])
    _members(sheet, first + 18, low + 120, members, asked)
    _passed_on(sheet, first, low, ["the trees on which", "these three agree" if asked == 3 else "these agree"])
    sheet.lines(
        second + 18, middle + 148, ["If two words stand side by side,", "it can only say that one heads", "the other."]
    )
    _passed_on(sheet, second, middle, ["its trees"])
    sheet.lines(third + 18, high + 148, ["It could also say that one follows", "the other below the same head."])
    sheet.line(f"M{third + 18:g} {high + 188:g}h{STEP_WIDTH - 36}", "draw-thin")
    end = sheet.chip(third + 18, high + 212, f"anchor {anchor}", "draw-purple")
    sheet.text(end + 8, high + 216.5, "To the counts")
    sheet.lines(
        third + 18, high + 235, ["of every batch, that much of the", f"counts of {models[1]}’s trees is added."]
    )
    return sheet.svg()


def _sketch(sheet: Sheet, x: float, base: float, arcs: list[tuple[int, int, bool]]) -> None:
    """Words as dots, and what a rule sees of them in colour; the arc that it makes is blue."""
    if not arcs:
        return
    middles = [x + 62 * word for word in range(3)]
    band = Band(COURSE, [Arc(head, child) for head, child, _ in arcs], middles, side=-1)
    seen_words = {head for head, _, _ in arcs} | {child for _, child, seen in arcs if seen}
    for (_, _, seen), arc in zip(arcs, band.arcs, strict=True):
        sheet.parts.append(band.element(arc, base, ["", "", ""], "draw-purple" if seen else ""))
    for word, middle in enumerate(middles):
        kind = "draw-purple" if word in seen_words else "draw-blue"
        sheet.dot(middle, base + 8, 6, kind)


def _members(sheet: Sheet, x: float, y: float, members: int, asked: int) -> None:
    """A box for every member, those that are asked in colour."""
    width = (STEP_WIDTH - 36 + 6) / members - 6
    for member in range(members):
        left = x + member * (width + 6)
        kind = "draw-blue" if member < asked else ""
        sheet.box(left, y, width, width, kind, radius=6)
        sheet.text(left + width / 2, y + width / 2 + 4.2, str(member + 1), f"draw-chip {kind}".rstrip(), "middle")
    sheet.lines(x, y + width + 22, ["asked: the half that makes the", "sentences most probable"])


def _passed_on(sheet: Sheet, x: float, y: float, story: list[str]) -> None:
    """An arrow from the top of a step to the side of the next, with what is passed on above it."""
    sheet.arrow((x + 36, y - 4), (x + 36, y - 26), (x + STEP_WIDTH + GAP - 3, y - 26))
    sheet.lines(x + 52, y - 37 - 18 * (len(story) - 1), story)
