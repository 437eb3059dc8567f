"""The command line explains itself, at once and with examples."""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
import sys

import pytest
from cli.demo_parts import depinduce, depinduce_process

from depinduce import __version__
from depinduce.cli import COMMANDS, parser_of
from depinduce.cli.train import SETTINGS
from depinduce.learning.settings.recipes import about_recipe, recipe_names


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


# Asks one command after the other for its help, and says what that has imported in all.
HELP_OF_ALL = """
import contextlib, io, json, sys
from depinduce.cli import COMMANDS, main
texts = {}
for command in COMMANDS:
    with contextlib.redirect_stdout(io.StringIO()) as shown, contextlib.suppress(SystemExit):
        main([command, "--help"])
    texts[command] = shown.getvalue()
print(json.dumps([texts, sorted(sys.modules)]))
"""


def test_the_help_of_every_command_has_an_example_and_does_not_wait_for_torch_or_numba():
    done = subprocess.run([sys.executable, "-c", HELP_OF_ALL], capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr == ""
    texts, modules = json.loads(done.stdout)
    assert not {"torch", "numba"} & set(modules)
    for command in COMMANDS:
        assert "usage: depinduce" in texts[command]
        _, _, example = texts[command].partition("example:\n")
        assert example.startswith(f"  depinduce {command}")


def test_help_is_no_error_in_a_process_of_its_own():
    done = depinduce_process("parse", "--help", text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "usage: depinduce parse" in done.stdout


def help_of(command: str, capsys, monkeypatch, columns: int = 80) -> str:
    monkeypatch.setenv("COLUMNS", str(columns))
    with pytest.raises(SystemExit) as end:
        depinduce(command, "--help")
    assert end.value.code == 0
    return capsys.readouterr().out


def test_every_setting_shows_its_default(capsys, monkeypatch):
    shown = " ".join(help_of("train", capsys, monkeypatch).split())
    assert "which makes them agree, or each on its own likelihood (default: yes)" in shown
    assert "punctuation not counted (default: 15)" in shown


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("columns", [80, 100])
def test_help_fits_the_terminal(command, columns, capsys, monkeypatch):
    text, _, examples = help_of(command, capsys, monkeypatch, columns).partition("\nexample:\n")
    assert max(map(len, text.splitlines())) <= columns
    assert all(line.startswith("  depinduce ") for line in examples.splitlines())  # to be copied: each is one line


def test_the_help_of_train_begins_with_few_options_and_every_recipe(capsys, monkeypatch):
    shown = help_of("train", capsys, monkeypatch)
    _, usual, first, recipes, *others = re.split(r"^(?=\S.*:$)", shown, flags=re.MULTILINE)
    assert usual.startswith("options:\n  -h, --help ") and usual.count("  -") == 1
    assert first.startswith("the ones to begin with:")
    assert re.findall(r"^  (--[a-z-]+)", first, re.MULTILINE) == [
        "--train", "--out", "--recipe", "--model", "--init", "--non-heads", "--rules", "--trees", "--dev", "--resume",
        "--overwrite",
    ]  # fmt: skip
    assert recipes.startswith("recipes:")
    told = re.split(r"^    (?=\S)", recipes, flags=re.MULTILINE)[1:]
    about = {name: " ".join(text.split()) for name, _, text in (line.partition("  ") for line in told)}
    assert about == {name: about_recipe(name) for name in recipe_names()}
    assert len(set(about.values())) == len(about) and all(about.values())
    assert max(map(len, about.values())) <= 80  # a line or two
    assert [group.partition(":")[0] for group in others][:4] == [
        "several languages", "several trainings, and what is told of them", "learning", "count models"]  # fmt: skip


def test_the_help_of_train_shows_no_option_that_would_be_refused(capsys, monkeypatch):
    shown = help_of("train", capsys, monkeypatch)
    fields = [field for part in SETTINGS for field in dataclasses.fields(part)]
    expert = {f"--{field.name.replace('_', '-')}" for field in fields if field.metadata["expert"]}
    assert len(expert) > 20
    assert not expert & set(re.findall(r"--[a-z-]+", shown))


def test_names_with_hyphens_stay_whole(capsys):
    for command in ("train", "reproduce"):
        with pytest.raises(SystemExit):
            depinduce(command, "--help")
        shown = capsys.readouterr().out
        assert not [line for line in shown.splitlines() if line.endswith("-")]
    assert "paper-wsj-joint-sibling-no-skip joint-sibling so, without" in shown
    assert "\n    wsj-dmv                         count DMV" in shown


def test_without_a_command_the_overview_is_shown_and_the_code_is_not_zero(capsys):
    assert depinduce() == 2
    assert "usage: depinduce COMMAND" in capsys.readouterr().out


def test_the_version(capsys):
    assert depinduce("--version") == 0
    assert capsys.readouterr().out == f"depinduce {__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    ["grammar a.conllu --decode mbr -o b", "grammar --decode mbr a.conllu -o b", "--decode mbr -o b grammar a.conllu"],
)
def test_files_and_options_may_come_in_any_order(arguments):
    given = parser_of("parse").parse_args(arguments.split())
    assert (given.model, given.input, given.decode, given.output) == ("grammar", ["a.conllu"], "mbr", "b")


@pytest.mark.parametrize(("typed", "meant"), [("trian", "train"), ("evalute", "evaluate"), ("prase", "parse")])
def test_an_unknown_command_suggests_the_closest(typed, meant, capsys):
    assert depinduce(typed, "x") == 2
    message = capsys.readouterr().err
    assert f"there is no command '{typed}'. Did you mean {meant}?" in message
    assert "Commands: demo, train, parse" in message


def test_torchrun_is_for_training_alone(monkeypatch, capsys):
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "none")
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert depinduce("parse", "grammar", "text.conllu") == 1
    assert "Leave torchrun away" in capsys.readouterr().err


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
