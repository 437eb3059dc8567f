"""Pieces of HTML: tables with bars in their cells, columns that stand side by side, figures, things to unfold.

What comes in as `str` is plain text and gets escaped; functions give HTML.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from depinduce.report.html_page import text


@dataclass(frozen=True)
class Bar:
    """A number in a table, with a bar that is as long as its share of the whole."""

    shown: str
    share: float  # from 0 to 1
    kind: str = ""  # "": ours; "gold"; "pale": to compare with

    def html(self) -> str:
        length = 0.0 if math.isnan(self.share) else 100 * min(max(self.share, 0.0), 1.0)
        return (
            f'<td class="bar {self.kind}"><span>{text(self.shown)}</span>'
            f'<i aria-hidden="true"><b style="width:{length:.1f}%"></b></i></td>'
        )


Cell = str | Bar


@dataclass(frozen=True)
class Section:
    """A part of the page with a heading."""

    name: str  # its id
    title: str
    short: str  # in the table of contents
    content: list[str]

    def html(self) -> str:
        body = "\n".join(filter(None, self.content))
        return (
            f'<section id="{self.name}" aria-labelledby="{self.name}-title">\n'
            f'<h2 id="{self.name}-title">{text(self.title)}</h2>\n{body}\n</section>\n'
        )


def paragraph(words: str, kind: str = "") -> str:
    return f"<p{_class(kind)}>{text(words)}</p>"


def bullets(lines: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{text(line)}</li>" for line in lines) + "</ul>"


def subtitle(words: str) -> str:
    return f"<h3>{text(words)}</h3>"


def table(columns: Sequence[str], rows: Iterable[Sequence[Cell]], caption: str, kind: str = "") -> str:
    """The first cell of a row is its heading; a caption says what the table shows."""
    head = "".join(f'<th scope="col">{text(column)}</th>' for column in columns)
    body = "\n".join(
        f'<tr><th scope="row">{text(first)}</th>{"".join(map(_cell, cells))}</tr>' for first, *cells in rows
    )
    return (
        f'<div class="scroll"><table{_class(kind)}><caption>{text(caption)}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )


def _cell(cell: Cell) -> str:
    return cell.html() if isinstance(cell, Bar) else f"<td>{text(cell)}</td>"


def unfold(summary: str, content: str) -> str:
    """A line that unfolds into more. content: HTML"""
    return f"<details><summary>{text(summary)}</summary>\n{content}\n</details>"


def figure(picture: str, caption: str = "", name: str = "") -> str:
    """A picture with its caption above it. picture: HTML"""
    named = f' id="{name}"' if name else ""
    told = f"<figcaption>{text(caption)}</figcaption>" if caption else ""
    return f'<figure{named}>{told}<div class="scroll">{picture}</div></figure>'


def grid(pieces: Iterable[str]) -> str:
    """Pieces of the same width, two in a row where there is room."""
    return '<div class="grid">' + "\n".join(pieces) + "</div>"


def side_by_side(pieces: Iterable[str]) -> str:
    """Pieces as wide as they need, as many in a row as there is room for."""
    return '<div class="row">' + "\n".join(pieces) + "</div>"


def columns_side_by_side(columns: Sequence[tuple[str, str, float]], description: str) -> str:
    """Upright bars. columns: the name below, what is told of it, and its height; of many names, some are shown"""
    highest = max((height for _, _, height in columns), default=0) or 1
    step = max(1, math.ceil(len(columns) / 20))
    bars = "".join(
        f'<span title="{text(told)}"><b style="height:{100 * height / highest:.1f}%"></b>'
        f"<small>{text(name) if number % step == 0 else '&nbsp;'}</small></span>"
        for number, (name, told, height) in enumerate(columns)
    )
    return f'<div class="columns" role="img" aria-label="{text(description)}">{bars}</div>'


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
