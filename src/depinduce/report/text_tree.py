"""A dependency tree in the terminal."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Sequence

from depinduce.evaluation.trees import find_cycle
from depinduce.report.arc_layout import check_sentence
from depinduce.report.display_width import display_width, has_steady_columns, pad, printable, shortened
from depinduce.report.text_arcs import arcs_width, draw_arcs
from depinduce.report.text_outline import draw_outline

LONGEST_WORD, SHORTEST_LIMIT = 32, 12  # columns; a longer word is cut, on narrow terminals sooner


def draw_tree(
    words: Sequence[str],
    tags: Sequence[str],
    heads: Sequence[int],  # 1-based, 0 = root, -1 = unknown
    gold: Sequence[int] | None = None,
    width: int | None = None,
    colour: bool = False,
    posteriors: Sequence[float | None] | None = None,  # [n] probability of each word's head, where known
    punctuation: Collection[int] = (),  # words 0..n-1
    labels: Sequence[str] | None = None,  # [n] what each word is to its head; nothing where it is empty
    glosses: Sequence[str] | None = None,  # [n] what each word means; nothing where it is empty
) -> str:
    """The tree of one sentence drawn with Unicode lines; the text ends with a line break.

    Arcs above the words where they fit into the width (the terminal's by default), otherwise, and for
    scripts whose characters do not keep to columns, one word per line with the tree beside it. Given a gold
    tree, wrong heads are marked with ✗ and the right ones shown: as arcs below the words, or in words.
    Given posteriors, they stand at the words; in colour, arcs below one half are faint, and so are those of
    punctuation. Labels stand in the arcs or, with one word per line, behind the tags. Glosses stand below the tags, or
    behind them.
    """
    check_sentence(words, tags, heads, gold, posteriors=posteriors, labels=labels, glosses=glosses)
    if not len(words):
        return ""
    if cycle := find_cycle(heads):
        raise ValueError("the heads have a cycle: " + " → ".join(words[word - 1] for word in [*cycle, cycle[0]]))
    if width is None:
        width = shutil.get_terminal_size().columns
    limit = max(SHORTEST_LIMIT, min(LONGEST_WORD, width // 3))
    words, tags = ([shortened(printable(text), limit) for text in texts] for texts in (words, tags))
    if labels is not None:
        labels = [shortened(printable(label), limit) for label in labels]
    if glosses is not None:
        glosses = [shortened(printable(gloss), limit) for gloss in glosses]
    heads, gold = [int(head) for head in heads], None if gold is None else [int(head) for head in gold]
    notes = None if posteriors is None else [probability(posterior) for posterior in posteriors]
    faint = {word for word, posterior in enumerate(posteriors or ()) if posterior is not None and posterior < 0.5}
    faint |= set(punctuation)
    if all(map(has_steady_columns, [*words, *tags, *(labels or ()), *(glosses or ())])):
        for gap in (2, 1):
            if arcs_width(words, tags, gap, heads, labels, glosses) <= width:
                return draw_arcs(words, tags, heads, gold, gap, colour, notes, faint, labels, glosses)
    for texts in (labels, glosses):
        if texts is not None:
            beside = notes or [""] * len(words)
            widest = max(map(display_width, texts))
            notes = [f"{pad(text, widest)}  {note}".rstrip() for text, note in zip(texts, beside, strict=True)]
    return draw_outline(words, tags, heads, gold, width, colour, notes, faint)


def probability(value: float | None) -> str:
    """A probability in three columns: .00 to .99 and 1.0; nothing where it is not known."""
    if value is None:
        return ""
    text = f"{value:.2f}"
    return text.removeprefix("0") if text.startswith("0.") else text[:3]
