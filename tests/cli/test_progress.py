"""What is shown while a command works fits into its terminal."""

from __future__ import annotations

import io
import re
import sys

import pytest

from depinduce.cli.console import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("task", "total", "unit", "text"),
    [
        ("EM", 500, "iterations", "log-likelihood -13.994, held-out -14.2"),
        ("parsing", None, "sentences", "1,234,567 words/s"),
    ],
)
def test_the_bar_is_whole_in_eighty_columns(task, total, unit, text, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    with progress(task, total, unit) as update:
        update(500, text)
    last = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", terminal.getvalue()).replace("\r", "\n").rstrip().splitlines()[-1]
    assert len(last) <= 80
    assert last.startswith(f"{task} ")
    assert text in last
    assert "0:00:00" in last
    assert "…" not in last


def test_nothing_is_shown_where_nothing_is_to_be_shown(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress("parsing", shown=False) as update:
        update(500, "text")
    assert terminal.getvalue() == ""
