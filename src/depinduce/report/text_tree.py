"""A dependency tree in the terminal."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from depinduce.evaluation.trees import find_cycle
from depinduce.report.arc_layout import check_sentence
from depinduce.report.display_width import has_steady_columns, printable
from depinduce.report.text_arcs import arcs_width, draw_arcs
from depinduce.report.text_outline import draw_outline


def draw_tree(
    words: Sequence[str],
    tags: Sequence[str],
    heads: Sequence[int],  # 1-based, 0 = root, -1 = unknown
    gold: Sequence[int] | None = None,
    width: int | None = None,
    colour: bool = False,
) -> str:
    """The tree of one sentence drawn with Unicode lines; the text ends with a line break.

    Arcs above the words where they fit into the width (the terminal's by default), otherwise, and for
    scripts whose characters do not keep to columns, one word per line with the tree beside it. Given a gold
    tree, wrong heads are marked with ✗ and the right ones shown: as arcs below the words, or in words.
    """
    check_sentence(words, tags, heads, gold)
    if not len(words):
        return ""
    if cycle := find_cycle(heads):
        raise ValueError("the heads have a cycle: " + " → ".join(words[word - 1] for word in [*cycle, cycle[0]]))
    words, tags = [printable(word) for word in words], [printable(tag) for tag in tags]
    heads, gold = [int(head) for head in heads], None if gold is None else [int(head) for head in gold]
    if width is None:
        width = shutil.get_terminal_size().columns
    if all(map(has_steady_columns, [*words, *tags])):
        for gap in (2, 1):
            if arcs_width(words, tags, gap) <= width:
                return draw_arcs(words, tags, heads, gold, gap, colour)
    return draw_outline(words, tags, heads, gold, width, colour)
