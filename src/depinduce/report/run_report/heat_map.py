"""A table whose cells are the darker the larger their number: heads in rows, children in columns."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from depinduce.report.html_page import text

LEAST = 0.005  # what is smaller has an empty cell


def heat_map(
    heads: Sequence[str],
    children: Sequence[str],
    shares: np.ndarray,  # [head, child], from 0 to 1; differences from -1 to 1
    caption: str,
    differences: bool = False,
) -> str:
    """The shares in percent, and differences with a sign, so that no colour is needed to read them."""
    names = "".join(f'<th scope="col"><span>{text(child)}</span></th>' for child in children)
    rows = []
    for head, row in zip(heads, shares.tolist(), strict=True):
        cells = "".join(
            _cell(share, f"{child} on {head}", differences) for child, share in zip(children, row, strict=True)
        )
        rows.append(f'<tr><th scope="row">{text(head)}</th>{cells}</tr>')
    body = "\n".join(rows)
    return (
        f'<div class="scroll"><table class="heat"><caption>{text(caption)}</caption>\n'
        f'<thead><tr><td class="corner">head ↓<br>child →</td>{names}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def _cell(share: float, about: str, differences: bool) -> str:
    if abs(share) < LEAST:
        return "<td></td>"
    shown = f"{100 * share:+.0f}" if differences else f"{100 * share:.0f}"
    shown = shown.replace("-", "\N{MINUS SIGN}")
    kind = ' class="less"' if share < 0 else ""
    return f'<td{kind} style="--heat:{math.sqrt(abs(share)):.2f}" title="{text(about)}: {shown} %">{shown}</td>'


def shares_of_children(counts: np.ndarray) -> np.ndarray:
    """Counts [head, child] as shares of the heads of each child; all zero for one that does not occur."""
    of_child = counts.sum(axis=0, keepdims=True)
    return np.divide(counts, of_child, out=np.zeros(counts.shape), where=of_child > 0)
