"""The example of a model in one file, installed as the package of somebody else: all of the command line knows it."""

from __future__ import annotations

import html
import json
import os
import shlex
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import clause_model
import pytest
from cli.demo_parts import contents, demo_part, depinduce
from serve.demo_models import answer

import depinduce as package
from depinduce import Parser
from depinduce.cli import parser_of
from depinduce.corpus import read_sentences
from depinduce.evaluation.trees import is_projective
from depinduce.grammar.constraints import UD_NON_HEADS
from depinduce.models import table
from depinduce.serve.api import list_models
from depinduce.serve.shelf import Shelf

EXAMPLES = Path(clause_model.__file__).parent
TEXT = "The/DET girls/NOUN answer/VERB the/DET letter/NOUN ./PUNCT"
PAGE = (EXAMPLES.parent / "docs" / "extending.md").read_text("utf-8")
LINES = [line for line in PAGE.splitlines() if line.startswith("$ depinduce ")]
OPTIONS = ["--model", "clause", "--non-heads", "ud", "--iterations", 4, "--set", "start_iterations=3", "strength=20"]


def type_in(line: str) -> int:
    """A command line of the page; gives the exit code."""
    return depinduce(*shlex.split(line)[2:])


def line_of(command: str) -> str:
    (line,) = (line for line in LINES if line.split()[2] == command)
    return line


@pytest.fixture(scope="module", autouse=True)
def installed(tmp_path_factory):
    """What `pip install ./examples` leaves behind: a module, and the entry points that its pyproject.toml has."""
    folder = tmp_path_factory.mktemp("site")
    points = tomllib.loads((EXAMPLES / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    lines = [
        line
        for group, entries in points.items()
        for line in (f"[{group}]", *(f"{name} = {place}" for name, place in entries.items()))
    ]
    about = folder / "clause_model-1.0.dist-info"
    about.mkdir()
    (about / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "clause_model.py").write_bytes((EXAMPLES / "clause_model.py").read_bytes())
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        table._installed.cache_clear()
        yield folder
    table._installed.cache_clear()


@pytest.fixture(scope="module")
def place(installed, tmp_path_factory) -> Iterator[Path]:
    """Where the user of the page stands, with two files."""
    folder = tmp_path_factory.mktemp("demo")
    demo_part(folder / "train.conllu", count=60)
    demo_part(folder / "dev.conllu", "test", 30)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield folder


@pytest.fixture(scope="module")
def grammar(place) -> Path:
    """Two seeds, trained side by side."""
    assert "--seeds 0-1 --jobs 2" in LINES[0]
    assert type_in(LINES[0]) == 0
    return place / "clauses"


def test_nothing_of_it_is_in_the_package():
    assert "clause" in table.models()
    assert "clause" not in table.MODELS
    sources = Path(package.__file__).parent.rglob("*.py")
    assert not [path for path in sources if "clause_model" in path.read_text("utf-8")]


@pytest.mark.slow
def test_several_seeds_are_trained_side_by_side(grammar):
    summary = json.loads((grammar / "seeds.json").read_text("utf-8"))
    first, second = summary["seeds"]
    assert first["finished"] and second["finished"]
    assert first["train"] != second["train"]
    for seed in (0, 1):
        assert (grammar / f"seed-{seed}" / "config.toml").read_text("utf-8").count('model = "clause"') == 1
        lines = (grammar / f"seed-{seed}" / "metrics.jsonl").read_text("utf-8").splitlines()
        assert [json.loads(line)["round"] for line in lines] == [*range(1, 51)]


@pytest.mark.slow
def test_held_out_sentences_stop_it_and_it_can_be_resumed(place):
    begin, resume = LINES[1:3]
    assert resume == f"{begin} --resume"
    assert type_in(begin) == 0
    whole = contents(place / "stopped" / "model")
    assert type_in(resume) == 0
    assert contents(place / "stopped" / "model") == whole
    assert all(line["dev"] < 0 for line in Parser.load(place / "stopped").model.history["rounds"])


@pytest.mark.slow
def test_a_killed_training_is_resumed_to_the_identical_model(place, installed, tmp_path):
    options = ["train", *OPTIONS, "--train", place / "train.conllu"]
    assert depinduce(*options, "--out", tmp_path / "whole") == 0
    program = (  # a process that kills itself when the second iteration is told
        "import os, signal, sys\nfrom depinduce.cli import main\nfrom depinduce.learning import progress_texts\n"
        "def die(step):\n    if step.round.round == 2: os.kill(os.getpid(), signal.SIGKILL)\n    return ''\n"
        "progress_texts.progress_text = die\nmain(sys.argv[1:])\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(installed), *sys.path])}
    command = [sys.executable, "-c", program, *map(str, options), "--out", str(tmp_path / "killed")]
    killed = subprocess.run(command, env=environment, capture_output=True, timeout=300, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert not (tmp_path / "killed" / "model").exists()
    assert depinduce(*options, "--out", tmp_path / "killed", "--resume") == 0
    assert contents(tmp_path / "killed" / "model") == contents(tmp_path / "whole" / "model")


@pytest.mark.slow
def test_it_parses_and_its_trees_are_scored(grammar, place, capsys):
    assert type_in(line_of("parse")) == 0
    assert type_in(line_of("evaluate")) == 0
    assert "UAS" in capsys.readouterr().out
    found, gold = (list(read_sentences(place / name)) for name in ("parsed.conllu", "dev.conllu"))
    assert [one.forms for one in found] == [one.forms for one in gold]
    for one in found:
        tags = one.column(4)
        assert is_projective(one.heads)
        assert not any(tags[head - 1] in UD_NON_HEADS for head in one.heads if head)


def test_it_is_inspected(grammar, capsys):
    assert type_in(line_of("inspect")) == 0
    shown = capsys.readouterr().out
    assert "grandparent" in shown and "NOUN takes" in shown


def test_it_generates_sentences(grammar, capsys):
    assert type_in(line_of("sample")) == 0
    assert capsys.readouterr().out.count("# sent_id") == 3


@pytest.mark.parametrize("options", [["--em", "hard"], ["--rules", "ud"], ["--ladder", "dmv-sibling"]], ids=" ".join)
def test_what_other_count_models_can_do_it_can_do(options, place, tmp_path):
    assert depinduce("train", *OPTIONS, *options, "--train", place / "train.conllu", "--out", tmp_path / "out") == 0
    history = Parser.load(tmp_path / "out").model.history
    assert [line["round"] for line in history["rounds"] if line["model"] == "clause"] == [1, 2, 3, 4]


def test_it_is_reported(grammar, place):
    assert type_in(line_of("report")) == 0
    assert table.entry("clause").about in html.unescape((place / "report.html").read_text("utf-8"))


def test_it_is_served(grammar):
    shelf = Shelf(parser_of("serve").parse_args(line_of("serve").split()[3:]).models)
    (listed,) = list_models(shelf)["models"]
    assert listed["about"] == "a grammar over tags that asks what stands above the head: VERB, others, ROOT"

    def ask(action: str, **request):
        return answer(shelf, action, {"model": listed["name"], **request})

    (sentence,) = ask("parse", text=TEXT)["sentences"]
    block = {"block": sentence["block"], "heads": sentence["heads"]}
    assert len(ask("sentence", **block, trees=3)["trees"]) == 3
    rules = ask("rules", **block)
    assert rules["log_probability"] == pytest.approx(sentence["log_probability"])
    assert len(rules["stories"][0]["words"]) == 6


def test_it_is_another_models_start_and_python_loads_it(grammar, place, tmp_path):
    parser = Parser.load(grammar)
    assert type(parser.model).__name__ == "ClauseModel"
    assert parser.inspect().order == "grandparent"
    start = ["--init", "model", grammar, "--iterations", 2]
    assert (
        depinduce(
            "train", "--model", "dmv-sibling", *start, "--train", place / "train.conllu", "--out", tmp_path / "sibling"
        )
        == 0
    )


def test_faults_of_its_settings_are_told_in_a_line(place, tmp_path, capsys):
    for wrong, said in (
        (["strength=0"], "strength cannot be 0.0"),
        (["groups=XYZ"], "no training sentence has the tag 'XYZ'"),
        (["strenght=3"], "Did you mean strength?"),
        (["prior_strength=5"], "--set strength=X"),
    ):
        assert depinduce("train", *OPTIONS, *wrong, "--train", place / "train.conllu", "--out", tmp_path / "out") == 1
        assert said in capsys.readouterr().err
