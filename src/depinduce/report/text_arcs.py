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


def arcs_width(
    words: Sequence[str],
    tags: Sequence[str],
    gap: int,
    heads: Sequence[int] = (),
    labels: Sequence[str] | None = None,
    glosses: Sequence[str] | None = None,
) -> int:
    """The columns that `draw_arcs` takes."""
    widths = _column_widths(words, tags, glosses)
    return sum(widths) + sum(_gaps(widths, gap, heads, labels))


def draw_arcs(
    words: Sequence[str],
    tags: Sequence[str],
    heads: Sequence[int],
    gold: Sequence[int] | None = None,
    gap: int = 2,  # columns between words, at least
    colour: bool = False,
    notes: Sequence[str] | None = None,  # up to three columns for every word, below its tag
    faint: Collection[int] = (),  # words 0..n-1 whose arcs step back
    labels: Sequence[str] | None = None,  # what the arc to each word is called; nothing where it is empty
    glosses: Sequence[str] | None = None,  # what each word means, below its tag
) -> str:
    """The tree above its words and tags; below them, upside down, the gold arcs that it misses.

    The name of an arc stands in its line, and words move apart until it fits in.
    """
    widths = _column_widths(words, tags, glosses)
    gaps = _gaps(widths, gap, heads, labels)
    middles = _middles(widths, gaps)
    wrong = wrong_words(heads, gold)
    missed = missed_arcs(heads, gold)
    word_styles = ["wrong" if word in wrong else "word" for word in range(len(words))]

    lines = _rows_above(arcs_of(heads), middles, wrong, faint, colour, labels)
    lines.append(_text_row(words, widths, word_styles, gaps, colour))
    for texts in (tags, glosses or (), notes or ()):
        if any(texts):
            lines.append(_text_row(texts, widths, ["tag"] * len(texts), gaps, colour))
    lines += _rows_below(missed, middles, colour)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _column_widths(words: Sequence[str], tags: Sequence[str], glosses: Sequence[str] | None) -> list[int]:
    rows = zip(words, tags, glosses or [""] * len(words), strict=True)
    return [max(NARROWEST, *map(len, texts)) for texts in rows]


def _gaps(widths: list[int], gap: int, heads: Sequence[int], labels: Sequence[str] | None) -> list[int]:
    """The columns after every word but the last, so many that the name of each arc fits into its line."""
    gaps = [gap] * (len(widths) - 1)
    if labels is None:
        return gaps
    for arc in sorted(arc_levels(arcs_of(heads)), key=lambda arc: arc.right - arc.left):
        columns = sorted((_head_column(arc, middles := _middles(widths, gaps)), middles[arc.child]))
        missing = len(labels[arc.child]) + 1 - (columns[1] - columns[0])  # its corners are no room for it
        if labels[arc.child] and missing > 0:
            gaps[arc.child if arc.child < arc.head else arc.child - 1] += missing
    return gaps


def _middles(widths: list[int], gaps: list[int]) -> list[int]:
    """The middle column of every word."""
    middles, begin = [], 0
    for width, gap in zip(widths, [*gaps, 0], strict=True):
        middles.append(begin + (width - 1) // 2)
        begin += width + gap
    return middles


def _text_row(texts: Sequence[str], widths: list[int], styles: list[str], gaps: list[int], colour: bool) -> str:
    cells = zip(texts, widths, styles, [*gaps, 0], strict=True)
    return "".join(styled(centre(text, width), style, colour) + " " * gap for text, width, style, gap in cells)


def _rows_above(
    arcs: list[Arc],
    middles: list[int],
    wrong: set[int],
    faint: Collection[int],
    colour: bool,
    labels: Sequence[str] | None,
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
            left, right = sorted((head_column, middles[arc.child]))
            canvas.horizontal(top, left, right, style=style)
            label = "" if labels is None else labels[arc.child]
            for place, character in enumerate(label, start=(left + right + 1 - len(label)) // 2):
                canvas.put(top, place, character, style)
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
