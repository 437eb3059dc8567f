"""CoNLL-U text made in sight of the tests that use it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def block(
    words: str,
    heads: Sequence[int | str] | None = None,
    xpos: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
) -> str:
    """A sentence from `form/UPOS form/UPOS …`; heads, XPOS and labels are `_` unless given."""
    lines = []
    for number, word in enumerate(words.split()):
        form, _, upos = word.rpartition("/")
        head = "_" if heads is None else heads[number]
        tag = "_" if xpos is None else xpos[number]
        label = "_" if labels is None else labels[number]
        lines.append(f"{number + 1}\t{form}\t_\t{upos}\t{tag}\t_\t{head}\t{label}\t_\t_\n")
    return "".join(lines) + "\n"


def write(path: Path, *blocks: str) -> Path:
    path.write_text("".join(blocks), encoding="utf-8", newline="")
    return path
