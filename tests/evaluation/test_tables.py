"""Tables on a terminal: every character of a tag is shown, and eighty columns are enough."""

from __future__ import annotations

import io

from rich.console import Console

from depinduce.evaluation.baselines import BASELINES
from depinduce.evaluation.scores import score
from depinduce.evaluation.tables import Table, as_html, as_rich, comparison_table


def drawn(table: Table, width: int = 80) -> list[str]:
    console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)
    console.print(as_rich(table))
    return [line.strip() for line in console.file.getvalue().splitlines()]


def test_what_looks_like_markup_is_text():
    lines = drawn(Table("of [red]tags", ["[b]", ":smile:"], [["[/N]", "1"], ["[bold]", "2"]]))
    assert [line.split() for line in lines if not line.startswith("─")] == [
        ["of", "[red]tags"],
        [],
        ["[b]", ":smile:"],
        ["[/N]", "1"],
        ["[bold]", "2"],
        [],
    ]


def test_a_comparison_fits_into_eighty_columns():
    offsets, heads = [0, 3], [2, 0, 2]
    names = ["depinduce, count DMV", *BASELINES]
    lines = drawn(comparison_table({name: score(heads, heads, offsets) for name in names}))
    for name in names:
        [row] = [line for line in lines if line.startswith(name)]
        assert row.count("100.0") + row.count("–") == 7  # none is on a line of its own


def test_as_html_signs_are_text():
    shown = as_html(Table("<b>", ["tag", "UAS"], [["</td>", "1.0"], ["a\x1b", "2.0"]]))
    assert "<caption>&lt;b&gt;</caption>" in shown
    assert "&lt;/td&gt;" in shown and "\x1b" not in shown
    assert shown.count("<tr>") == 3 and shown.count('<td style="text-align:right">') == 2
