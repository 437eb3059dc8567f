"""The example of a model in one file, installed as the package of somebody else: all of the command line knows it."""

from __future__ import annotations

import html
import json
import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import clause_model
import pytest
from cli.demo_parts import contents, demo_part, depinduce

import depinduce as package
from depinduce import Parser
from depinduce.corpus import read_sentences
from depinduce.evaluation.trees import is_projective
from depinduce.grammar.constraints import UD_NON_HEADS
from depinduce.models import table
from depinduce.serve.api import ACTIONS, list_models
from depinduce.serve.shelf import Shelf

EXAMPLES = Path(clause_model.__file__).parent
TEXT = "The/DET girls/NOUN answer/VERB the/DET letter/NOUN ./PUNCT"
OPTIONS = ["--model", "clause", "--non-heads", "ud", "--iterations", 4, "--set", "start_iterations=3", "strength=20"]


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
def files(tmp_path_factory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("demo")
    return demo_part(folder / "train.conllu", count=60), demo_part(folder / "test.conllu", "test", 30)


@pytest.fixture(scope="module")
def grammar(files, tmp_path_factory) -> Path:
    """Two seeds, trained side by side."""
    out = tmp_path_factory.mktemp("trained") / "clauses"
    seeds = ["--init", "random", "--seeds", "0-1", "--jobs", 2]
    assert depinduce("train", *OPTIONS, *seeds, "--train", files[0], "--watch", files[1], "--out", out) == 0
    return out


def test_nothing_of_it_is_in_the_package():
    assert "clause" in table.models()
    assert "clause" not in table.MODELS
    sources = Path(package.__file__).parent.rglob("*.py")
    assert not [path for path in sources if "clause_model" in path.read_text("utf-8")]


def test_several_seeds_are_trained_side_by_side(grammar):
    summary = json.loads((grammar / "seeds.json").read_text("utf-8"))
    first, second = summary["seeds"]
    assert first["finished"] and second["finished"]
    assert first["train"] != second["train"]
    for seed in (0, 1):
        assert (grammar / f"seed-{seed}" / "config.toml").read_text("utf-8").count('model = "clause"') == 1
        lines = (grammar / f"seed-{seed}" / "metrics.jsonl").read_text("utf-8").splitlines()
        assert [json.loads(line)["round"] for line in lines] == [1, 2, 3, 4]


def test_a_killed_training_is_resumed_to_the_identical_model(files, installed, tmp_path):
    options = ["train", *OPTIONS, "--train", files[0]]
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


def test_it_parses_and_its_trees_are_scored(grammar, files, tmp_path, capsys):
    parsed = tmp_path / "parsed.conllu"
    assert depinduce("parse", grammar, files[1], "--out", parsed) == 0
    assert depinduce("evaluate", files[1], parsed, "--json") == 0
    found, gold = list(read_sentences(parsed)), list(read_sentences(files[1]))
    assert [one.forms for one in found] == [one.forms for one in gold]
    for one in found:
        tags = one.column(4)
        assert is_projective(one.heads)
        assert not any(tags[head - 1] in UD_NON_HEADS for head in one.heads if head)


def test_it_is_inspected(grammar, capsys):
    assert depinduce("inspect", grammar) == 0
    shown = capsys.readouterr().out
    assert "grandparent" in shown and "NOUN takes" in shown


def test_it_is_reported(grammar, files, tmp_path):
    page = tmp_path / "report.html"
    assert depinduce("report", grammar / "seed-0", "--gold", files[1], "-o", page) == 0
    assert table.entry("clause").about in html.unescape(page.read_text("utf-8"))


def test_it_is_served(grammar):
    shelf = Shelf([grammar])
    (listed,) = list_models(shelf)["models"]
    assert listed["about"] == "a grammar over tags that asks what stands above the head: VERB, others, ROOT"

    def ask(action: str, **request):
        return ACTIONS[action](shelf, {"model": listed["name"], **request})

    (sentence,) = ask("parse", text=TEXT)["sentences"]
    block = {"block": sentence["block"], "heads": sentence["heads"]}
    assert len(ask("sentence", **block, trees=3)["trees"]) == 3
    rules = ask("rules", **block)
    assert rules["log_probability"] == pytest.approx(sentence["log_probability"])
    assert len(rules["stories"][0]["words"]) == 6


def test_it_is_another_models_start_and_python_loads_it(grammar, files, tmp_path):
    parser = Parser.load(grammar)
    assert type(parser.model).__name__ == "ClauseModel"
    assert parser.inspect().order == "grandparent"
    start = ["--init", "model", grammar, "--iterations", 2]
    assert depinduce("train", "--model", "dmv-sibling", *start, "--train", files[0], "--out", tmp_path / "sibling") == 0


def test_faults_of_its_settings_are_told_in_a_line(files, tmp_path, capsys):
    for wrong, said in (
        (["strength=0"], "strength cannot be 0.0"),
        (["groups=XYZ"], "no training sentence has the tag 'XYZ'"),
        (["strenght=3"], "Did you mean strength?"),
    ):
        assert depinduce("train", *OPTIONS, *wrong, "--train", files[0], "--out", tmp_path / "out") == 1
        assert said in capsys.readouterr().err
