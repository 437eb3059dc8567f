"""The tutorials can be typed as they stand: their commands work one after the other, and print what the page shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent.parent / "docs"
FENCED = re.compile(r"^```(bash|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: str) -> list[tuple[list[str], list[str]]]:
    """The commands of every bash block, and the lines of the text block that comes next, if one does."""
    found: list[tuple[list[str], list[str]]] = []
    for kind, body in FENCED.findall((DOCS / page).read_text(encoding="utf-8")):
        if kind == "bash":
            found.append((body.splitlines(), []))
        else:
            found[-1][1].extend(line for line in body.splitlines() if line.strip())
    return found


def ends(command: str) -> bool:
    return not command.startswith("depinduce serve ") or "--export" in command


def printed_by(command: str, folder: Path) -> str:
    """What a command prints on stdout; it must succeed."""
    typed = re.sub(r"^depinduce\b", lambda _: f'"{sys.executable}" -m depinduce', command)
    done = subprocess.run(
        typed, shell=True, cwd=folder, capture_output=True, encoding="utf-8", env={**os.environ, "PYTHONUTF8": "1"}
    )
    assert done.returncode == 0, f"{command}\n{done.stderr}"
    return done.stdout


def masked(line: str) -> str:
    """A line without its numbers, whose last digits may be others on another machine, and without its spacing."""
    return " ".join(re.sub(r"\d*\.?\d+", "#", line).split())


TEN_MINUTES = {"practice", "grammar", "alone", "grammar-with-rules", "parsed.conllu", "trees.html", "report.html"}
AFTERNOON = {"practice", "grammar", "treebank.conllu", "checked.conllu"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "least_shown", "made"), [("ten-minutes.md", 30, TEN_MINUTES), ("afternoon.md", 1, AFTERNOON)]
)
def test_the_commands_of_a_tutorial_work_in_order_and_print_what_it_shows(page, least_shown, made, tmp_path):
    shown_by_the_page = 0
    for commands, shown in blocks(page):
        printed = "".join(printed_by(command, tmp_path) for command in commands if ends(command))
        lines = iter([masked(line) for line in printed.splitlines()])
        for line in shown:
            assert masked(line) in lines, f"{commands}: {line!r} is not there, or not in this place, in\n{printed}"
        shown_by_the_page += len(shown)
    assert shown_by_the_page >= least_shown
    assert made <= {path.name for path in tmp_path.iterdir()}
