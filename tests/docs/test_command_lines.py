"""Every command line that the pages and the help texts show is one that depinduce understands."""

from __future__ import annotations

import re
import shlex
from importlib import import_module
from pathlib import Path

import pytest

from depinduce.cli import COMMANDS, parser_of

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md")), *sorted(ROOT.glob("examples/*.md"))]
FENCED = re.compile(r"^```bash\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(depinduce [a-z]+ [^`]+)`")


def typed_on(page: Path) -> list[str]:
    """The command lines of its bash blocks."""
    lines = "".join(FENCED.findall(page.read_text(encoding="utf-8"))).splitlines()
    return [line for line in lines if line.startswith("depinduce ")]


def told_on(page: Path) -> list[str]:
    """The command lines between backquotes, which may leave out what is not spoken of."""
    prose = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return [" ".join(line.split()) for line in INLINE.findall(prose) if "--help" not in line]


def understood(line: str, whole: bool = True) -> None:
    """Read the options of a line, and of what it is piped to; one that is not whole may lack required ones."""
    for part in line.split(" | "):
        program, command, *arguments = shlex.split(part, comments=True)
        assert program == "depinduce", line
        parser = parser_of(command)
        for action in parser._actions:
            action.required = action.required and whole
        try:
            parser.parse_args(arguments)
        except SystemExit:
            pytest.fail(f"not understood: {line}")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_command_lines_of_a_page_are_understood(page):
    for line in typed_on(page):
        understood(line)
    for line in told_on(page):
        understood(line, whole=False)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_examples_of_a_command_are_understood(command):
    for line in import_module(f"depinduce.cli.{command}").EXAMPLE.splitlines():
        understood(line.strip())


def test_the_lines_are_found():
    assert sum(len(typed_on(page)) for page in PAGES) > 20
    assert sum(len(told_on(page)) for page in PAGES) > 20
