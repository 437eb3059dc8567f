"""Scores as tables: plain text for files and pipes, rich for the terminal, HTML for notebooks, Markdown for pages."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from depinduce.evaluation.scores import LENGTH_CUTS, Attachment, Scores
from depinduce.visible import visible

if TYPE_CHECKING:
    from rich.table import Table as RichTable

    from depinduce.evaluation.label_scores import LabelScores


@dataclass(frozen=True)
class Table:
    """A title, column names and rows of text; the first column is a name, the others are numbers."""

    title: str
    columns: list[str]
    rows: list[list[str]]


def score_tables(scores: Scores) -> list[Table]:
    """The scores of one set of trees: by sentence length, by tag (where known), by arc length, and of labels."""
    tables = [length_table(scores)]
    if scores.by_tag:
        tables.append(_attachment_table("by tag of the word", "tag", scores.by_tag))
    tables.append(_attachment_table("by length of the gold arc", "arc", scores.by_arc_length))
    if scores.labels is not None and scores.labels.tells_more:
        tables.append(label_table(scores.labels))
    return tables


def label_table(scores: LabelScores) -> Table:
    """The label scores of one set of trees: of all words, and by what the gold trees call them."""
    rows = []
    for name, group in {"all": scores.overall, **scores.by_relation}.items():
        shares = (group.uas, group.label_accuracy, group.las)
        rows.append([name, str(group.words), *map(share_text, shares)])
    return Table("by relation in the gold trees", ["relation", "words", "UAS", "label", "LAS"], rows)


def length_table(scores: Scores) -> Table:
    """The scores of one set of trees, one row per length cut."""
    columns = ["length", "sentences", "words", "UAS", "UUAS", "root", "exact"]
    rows = []
    for name, cut in scores.by_length.items():
        shares = (cut.uas, cut.uuas, cut.root_accuracy, cut.exact_match)
        rows.append([cut_label(name), str(cut.sentences), str(cut.words), *map(share_text, shares)])
    return Table("by sentence length", columns, rows)


def comparison_table(systems: Mapping[str, Scores], title: str = "attachment scores") -> Table:
    """Several sets of trees for the same sentences, one row each: a model beside its baselines."""
    columns = ["", *(f"UAS {cut_label(name)}" for name in LENGTH_CUTS), "UUAS", "root", "exact"]
    rows = []
    for system, scores in systems.items():
        overall = scores.overall
        shares = [scores.by_length[name].uas for name in LENGTH_CUTS]
        shares += [overall.uuas, overall.root_accuracy, overall.exact_match]
        rows.append([system, *map(share_text, shares)])
    return Table(title, columns, rows)


def as_text(table: Table) -> str:
    """The table in aligned plain text, without colour or box lines."""
    grid = [table.columns, *table.rows]
    widths = [max(len(row[column]) for row in grid) for column in range(len(table.columns))]
    lines = [table.title] if table.title else []
    for name, *numbers in grid:
        cells = [name.ljust(widths[0])] + [
            number.rjust(width) for number, width in zip(numbers, widths[1:], strict=True)
        ]
        lines.append("  " + "  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"


def as_html(table: Table) -> str:
    """The table as HTML, which a notebook puts into its own style."""

    def row(cells: list[str], kind: str) -> str:
        name, *numbers = (f"<{kind}>{escape(visible(cell))}</{kind}>" for cell in cells)
        aligned = [cell.replace(">", ' style="text-align:right">', 1) for cell in numbers]
        return "<tr>" + "".join([name.replace(">", ' style="text-align:left">', 1), *aligned]) + "</tr>"

    title = f"<caption>{escape(visible(table.title))}</caption>" if table.title else ""
    body = "".join(row(cells, "td") for cells in table.rows)
    return f"<table>{title}<thead>{row(table.columns, 'th')}</thead><tbody>{body}</tbody></table>"


def markdown_lines(table: Table, numbers: str = "---:") -> list[str]:
    """The table without its title in Markdown. numbers: the rule below the columns after the first"""
    rule = ["---", *[numbers] * (len(table.columns) - 1)]
    return ["| " + " | ".join(row) + " |" for row in (table.columns, rule, *table.rows)]


def as_rich(table: Table) -> RichTable:
    """The table for a rich console. A tag such as `[/N]` is text, not rich's markup."""
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    title = Text(table.title, style="table.title") if table.title else None
    # Two spaces between columns and none around them: the widest table just fits into eighty columns.
    drawn = RichTable(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for number, name in enumerate(table.columns):
        drawn.add_column(Text(name), justify="right" if number else "left", no_wrap=number == 0)
    for row in table.rows:
        drawn.add_row(*map(Text, row))
    return drawn


def _attachment_table(title: str, first: str, groups: Mapping[str, Attachment]) -> Table:
    rows = [[name, str(g.words), share_text(g.uas), share_text(g.uuas)] for name, g in groups.items()]
    return Table(title, [first, "words", "UAS", "UUAS"], rows)


def cut_label(name: str) -> str:
    """A cut of sentence length as a heading."""
    return "all" if LENGTH_CUTS[name] is None else f"≤{name}"


def share_text(value: float) -> str:
    """A share in percent; a dash where there is nothing to have a share of."""
    return "–" if math.isnan(value) else f"{value:.1f}"
