"""The command line explains itself, at once and with examples."""

from __future__ import annotations

import subprocess
import sys

import pytest
from cli.demo_parts import depinduce, depinduce_process

from depinduce import __version__
from depinduce.cli import COMMANDS


def imported(*arguments: str) -> set[str]:
    """The packages that a command imports before it answers."""
    command = [sys.executable, "-X", "importtime", "-m", "depinduce", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    assert len(lines) > 50
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}


def test_the_overview_names_every_command_and_imports_nothing_heavy(capsys):
    assert depinduce("--help") == 0
    overview = capsys.readouterr().out
    for name, help in COMMANDS.items():
        assert f"  {name} " in overview
        assert help in overview
    assert not imported("--help") & {"numpy", "torch", "numba", "rich", "safetensors"}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_has_an_example_and_does_not_wait_for_torch_or_numba(command):
    done = depinduce_process(command, "--help", text=True)
    assert done.returncode == 0
    assert done.stderr == ""
    assert "usage: depinduce" in done.stdout
    _, _, example = done.stdout.partition("example:\n")
    assert example.startswith(f"  depinduce {command}")
    assert not imported(command, "--help") & {"torch", "numba"}


def test_every_setting_shows_its_default(capsys):
    with pytest.raises(SystemExit):
        depinduce("train", "--help")
    shown = " ".join(capsys.readouterr().out.split())
    assert "whether it is the first (default: yes)" in shown
    assert "punctuation not counted (default: 15)" in shown


def test_names_with_hyphens_stay_whole(capsys):
    for command in ("train", "reproduce"):
        with pytest.raises(SystemExit):
            depinduce(command, "--help")
        shown = capsys.readouterr().out
        assert not [line for line in shown.splitlines() if line.endswith("-")]
    assert "wsj-joint-sibling-no-skip joint-sibling without" in shown
    assert "\n    wsj-dmv                   count DMV" in shown


def test_without_a_command_the_overview_is_shown_and_the_code_is_not_zero(capsys):
    assert depinduce() == 2
    assert "usage: depinduce COMMAND" in capsys.readouterr().out


def test_the_version(capsys):
    assert depinduce("--version") == 0
    assert capsys.readouterr().out == f"depinduce {__version__}\n"


@pytest.mark.parametrize(("typed", "meant"), [("trian", "train"), ("evalute", "evaluate"), ("prase", "parse")])
def test_an_unknown_command_suggests_the_closest(typed, meant, capsys):
    assert depinduce(typed, "x") == 2
    message = capsys.readouterr().err
    assert f"there is no command '{typed}'. Did you mean {meant}?" in message
    assert "Commands: demo, train, parse" in message


def test_a_command_like_no_other_suggests_nothing(capsys):
    assert depinduce("zzz") == 2
    message = capsys.readouterr().err
    assert "Did you mean" not in message
    assert "Commands: demo" in message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "--train", "a.conllu"], "the following arguments are required: --out"),
        (["train", "--train", "a", "--out", "b", "--modle", "dmv"], "unrecognized arguments: --modle dmv"),
        (["train", "--train", "a", "--out", "b", "--model", "dmw"], "choose from 'dmv', 'dmv-sibling', 'dmv-grand'"),
        (["train", "--train", "a", "--out", "b", "--iterations", "many"], "invalid int value: 'many'"),
        (["check", "a", "--max-length", "3"], "unrecognized arguments: --max-length 3"),
        (["parse"], "the following arguments are required: MODEL"),
        (["evaluate", "gold"], "the following arguments are required: PRED"),
        (["parse", "model", "--decode", "best"], "choose from 'viterbi', 'mbr'"),
    ],
)
def test_wrong_options_are_refused_with_the_right_ones(arguments, message, capsys):
    with pytest.raises(SystemExit) as refusal:
        depinduce(*arguments)
    assert refusal.value.code == 2
    complaint = capsys.readouterr().err
    assert message in complaint
    assert f"usage: depinduce {arguments[0]}" in complaint
