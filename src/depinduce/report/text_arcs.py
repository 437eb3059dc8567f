"""A tree as arcs above the words, the form for sentences that fit into the width of the terminal.

Every word has three places where lines arrive: its own arc comes down in the middle, the arcs to its left
children leave one column to the left, those to its right children one column to the right. So the arcs of
a projective tree neither cross nor touch, and it is plain which arrow belongs to which arc.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from depinduce.report.arc_layout import Arc, arc_levels, arcs_of, missed_arcs, wrong_words
from depinduce.report.canvas import Canvas, styled
from depinduce.report.display_width import centre

NARROWEST = 3  # columns of a word: its three places


def arcs_width(words: Sequence[str], tags: Sequence[str], gap: int) -> int:
    """The columns that `draw_arcs` takes."""
    return sum(_column_widths(words, tags)) + gap * (len(words) - 1)


def draw_arcs(
    words: Sequence[str],
    tags: Sequence[str],
    heads: Sequence[int],
    gold: Sequence[int] | None = None,
    gap: int = 2,  # columns between words
    colour: bool = False,
    notes: Sequence[str] | None = None,  # up to three columns for every word, below its tag
    faint: Collection[int] = (),  # words 0..n-1 whose arcs step back
) -> str:
    """The tree above its words and tags; below them, upside down, the gold arcs that it misses."""
    widths = _column_widths(words, tags)
    middles = _middles(widths, gap)
    wrong = wrong_words(heads, gold)
    missed = missed_arcs(heads, gold)
    word_styles = ["wrong" if word in wrong else "word" for word in range(len(words))]

    lines = _rows_above(arcs_of(heads), middles, wrong, faint, colour)
    lines.append(_text_row(words, widths, word_styles, gap, colour))
    for texts in (tags, notes or ()):
        if any(texts):
            lines.append(_text_row(texts, widths, ["tag"] * len(texts), gap, colour))
    lines += _rows_below(missed, middles, colour)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _column_widths(words: Sequence[str], tags: Sequence[str]) -> list[int]:
    return [max(len(word), len(tag), NARROWEST) for word, tag in zip(words, tags, strict=True)]


def _middles(widths: list[int], gap: int) -> list[int]:
    """The middle column of every word."""
    middles, begin = [], 0
    for width in widths:
        middles.append(begin + (width - 1) // 2)
        begin += width + gap
    return middles


def _text_row(texts: Sequence[str], widths: list[int], styles: list[str], gap: int, colour: bool) -> str:
    cells = zip(texts, widths, styles, strict=True)
    return (" " * gap).join(styled(centre(text, width), style, colour) for text, width, style in cells)


def _rows_above(
    arcs: list[Arc], middles: list[int], wrong: set[int], faint: Collection[int], colour: bool
) -> list[str]:
    """The arcs of the tree: highest level first, arrows last; a wrong arc ends in a cross."""
    canvas, levels = Canvas(), arc_levels(arcs)
    arrows = _highest(arcs, levels)  # their row
    # Where lines join, the last one shows its style: a wrong arc, or else one that is not faint.
    for arc in sorted(arcs, key=lambda arc: (arc.child in wrong, arc.child not in faint)):
        is_wrong = arc.child in wrong
        style = " ".join(["faint"] * (arc.child in faint) + ["wrong"] * is_wrong) or "plain"
        top = arrows - levels[arc] if arc in levels else 0
        canvas.vertical(middles[arc.child], top, arrows, style)
        if arc.head >= 0:
            head_column = _head_column(arc, middles)
            canvas.vertical(head_column, top, arrows + 1, style)  # reaching down to the word
            canvas.horizontal(top, *sorted((head_column, middles[arc.child])), style=style)
        canvas.put(arrows, middles[arc.child], "✗" if is_wrong else "▼", style)
    return canvas.lines(arrows + 1, colour)


def _rows_below(arcs: list[Arc], middles: list[int], colour: bool) -> list[str]:
    """The gold arcs that are missing above: arrows first, highest level last; no rows when there are none."""
    if not arcs:
        return []
    canvas, levels = Canvas(), arc_levels(arcs)
    lowest = _highest(arcs, levels)
    for arc in arcs:
        bottom = levels.get(arc, lowest)
        canvas.vertical(middles[arc.child], 0, bottom, "gold")
        if arc.head >= 0:
            head_column = _head_column(arc, middles)
            canvas.vertical(head_column, -1, bottom, "gold")  # reaching up to the tag
            canvas.horizontal(bottom, *sorted((head_column, middles[arc.child])), style="gold")
        canvas.put(0, middles[arc.child], "▲", "gold")
    return canvas.lines(lowest + 1, colour)


def _highest(arcs: list[Arc], levels: dict[Arc, int]) -> int:
    """The number of levels, with one more for the root's arc where another arc passes over its word."""
    roots = [arc.child for arc in arcs if arc.head < 0]
    is_covered = any(arc.left < root < arc.right for arc in levels for root in roots)
    return max(levels.values(), default=1) + is_covered


def _head_column(arc: Arc, middles: list[int]) -> int:
    """Where an arc leaves its head: on the side of the child."""
    return middles[arc.head] + (1 if arc.child > arc.head else -1)
