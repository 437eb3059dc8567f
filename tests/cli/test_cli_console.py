"""What is shown while a command works: it fits into its terminal, and its promises are sober."""

from __future__ import annotations

import io
import re
import sys
import time

import pytest

from depinduce.cli.console import as_duration, progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("task", "total", "unit", "text"),
    [
        ("EM", 500, "iterations", "log-likelihood -13.994, held-out -14.2"),
        ("parsing", None, "sentences", "1,234,567 words/s"),
        ("cells", 19999, "s of work", "120/345 ud2-out-adapt-50 fr 0: 71.0"),
    ],
)
def test_the_bar_is_whole_in_eighty_columns(task, total, unit, text, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    with progress(task, total, unit) as update:
        update(total or 500, text)
    last = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", terminal.getvalue()).replace("\r", "\n").rstrip().splitlines()[-1]
    assert len(last) <= 80
    assert last.startswith(f"{task} ")
    assert text in last
    assert "0:00:00" in last
    assert "…" not in last


def test_a_long_text_is_cut_and_stays_on_its_line(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    text = "sibling, ≤15 words: log-likelihood -17.123, held-out -18.456, watched UAS 71.0/68.2, 1,234 sentences/s"
    with progress("training", 20, "epochs") as update:
        update(20, text)
    lines = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", terminal.getvalue()).replace("\r", "\n").split("\n")
    last = [line for line in lines if line.strip()][-1]
    assert re.fullmatch(r"training 20/20 sibling, ≤15 words: log-likelihood -17.*… left 0:00:00", last)
    assert len(last) <= 80


def test_nothing_is_shown_where_nothing_is_to_be_shown(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress("parsing", shown=False) as update:
        update(500, "text")
    assert terminal.getvalue() == ""


def test_the_time_left_is_told_by_the_steps_themselves_not_by_what_was_compiled_or_done_before(monkeypatch, capsys):
    clock = iter([0.0, 100.0, 106.0, 112.0, 118.0])  # the first step took 100 seconds, most of them to compile
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    with progress("training", 1000, "epochs") as update:
        for done in (900, 902, 904, 1000):
            update(done, "text")
    assert capsys.readouterr().err.splitlines() == [
        "training: 900/1000 epochs text",
        "training: 902/1000 epochs text, about 5 min left",
        "training: 904/1000 epochs text, about 5 min left",
        "training: 1000/1000 epochs text",
    ]


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0 s"), (89, "89 s"), (90, "2 min"), (3570, "1 h 00 min"), (3900, "1 h 05 min")]
)
def test_durations_are_short(seconds, text):
    assert as_duration(seconds) == text
