"""What `parse --least-sure` prints: where to look first, for people or as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from depinduce.report.display_width import shortened
from depinduce.visible import visible

if TYPE_CHECKING:
    from depinduce.parsing.least_sure import LeastSure, UnsureArc

WIDTH = 80  # columns
LONGEST_WORD = 20


def as_text(found: LeastSure) -> str:
    """Two lists, the least sure first, that fit on a narrow terminal."""
    lines = [f"{found.words} words; {found.mean:.0%} of their heads are probably right", ""]
    lines.append("sentences: the share of heads that are probably right, line, words")
    for one in found.sentences:
        lines.append(shortened(f"  {one.probability:.2f}  {one.line:>7}  {visible(one.text)}", WIDTH))
    lines += ["", "words: how probable it is that the head is right, line, word, head"]
    lines += [shortened(f"  {arc.probability:.2f}  {arc.line:>7}  {_about(arc)}", WIDTH) for arc in found.arcs]
    return "\n".join(lines) + "\n"


def as_json(found: LeastSure) -> str:
    return json.dumps(found.to_json(), indent=2, ensure_ascii=False) + "\n"


def _about(arc: UnsureArc) -> str:
    if arc.distance == 0:
        return f"{_word(arc.word, arc.tag)} is the root"
    places = "1 word" if abs(arc.distance) == 1 else f"{abs(arc.distance)} words"
    side = "to the right" if arc.distance > 0 else "to the left"
    return f"{_word(arc.word, arc.tag)} hangs on {_word(arc.head, arc.head_tag)}, {places} {side}"


def _word(form: str, tag: str) -> str:
    return f"{shortened(visible(form), LONGEST_WORD)}/{visible(tag)}"
