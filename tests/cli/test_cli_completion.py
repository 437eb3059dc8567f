"""`depinduce completion`: bash itself completes with what it prints."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from cli.demo_parts import depinduce

from depinduce.cli import COMMANDS, parser_of
from depinduce.cli.completion import script

needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
ASK = 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _depinduce; echo "${COMPREPLY[@]}"'


def completed(*words: str) -> list[str]:
    """What bash offers for the last word."""
    command = ["bash", "-c", f"{script()}\n{ASK}", "bash", "depinduce", *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


@needs_bash
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("pa",), ["parse", "pack"]),
        (("parse", "--deco"), ["--decode"]),
        (("parse", "--decode", ""), ["viterbi", "mbr"]),
        (("parse", "grammar", "--keep-"), ["--keep-heads", "--keep-labels"]),
        (("convert", "tag"), ["tagged"]),
        (("parse", "--output", "x"), []),  # then bash completes files
        (("nothing", "x"), []),
    ],
)
def test_bash_completes(words, offered):
    assert completed(*words) == offered


@needs_bash
def test_every_command_and_option_is_offered():
    assert completed("") == [*COMMANDS]
    for command in ("train", "draw"):
        options = {one for action in parser_of(command)._actions for one in action.option_strings}
        assert set(completed(command, "--")) >= {"--help"}
        assert set(completed(command, "--")) <= options


def test_zsh_reads_the_same(capsys):
    assert depinduce("completion", "zsh") == 0
    assert capsys.readouterr().out.partition("\n")[2] == script()
