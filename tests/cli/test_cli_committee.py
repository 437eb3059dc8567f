"""`--recipe adapt` with enough text, on the command line: a committee that is a model like any other."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cli.demo_parts import demo_part, depinduce, model_files
from serve.demo_models import SENTENCE, answer

from depinduce import Parser
from depinduce.corpus import read_sentences
from depinduce.serve.shelf import Shelf, warm_up_log_space

# The recipe `adapt`, with fewer sentences, models that count in the place of networks, and another universal grammar.
RECIPES = {
    "many": 'model = "polyglot"\ninit = ["recipe", "wsj-dmv"]\nnon_heads = ["ud"]\niterations = 3\npoolings = 2\n',
    "adapt": 'model = "committee"\ninit = ["universal", "many"]\nnon_heads = ["ud"]\niterations = 5\n'
    'fewest_sentences = 100\nleast_agreement = 0.5\nown_recipe = "own.toml"\nstudent_recipe = "student.toml"\n',
    "own": 'model = "dmv-sibling"\nladder = ["dmv"]\niterations = 4\n',
    "student": 'model = "dmv-sibling"\nladder = ["dmv-grand"]\niterations = 2\n',
    "networks": 'model = "sibling"\nladder = ["grand"]\nepochs = 1\nsize = 6\nchild_rank = 4\ndecision_rank = 3\n',
}

MEMBERS = ("order-free", "own", "student")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Here are `text.conllu` with gold trees, a universal grammar `many`, and `grammar`, the committee."""
    place = tmp_path_factory.mktemp("committee")
    for name, text in RECIPES.items():
        (place / f"{name}.toml").write_text(text, "utf-8")
    blocks = demo_part(place / "text.conllu", count=120).read_text("utf-8").split("\n\n")
    for name, some in (("en", blocks[:60]), ("fr", blocks[60:])):
        (place / f"{name}.conllu").write_text("\n\n".join(some).rstrip("\n") + "\n\n", "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        languages = ["--train", "en=en.conllu", "fr=fr.conllu"]
        assert depinduce("train", "--recipe", "many.toml", *languages, "--out", "many") == 0
        assert depinduce("train", "--recipe", "adapt.toml", "--train", "text.conllu", "--out", "grammar") == 0
    return place


@pytest.fixture
def here(folder, monkeypatch) -> Path:
    monkeypatch.chdir(folder)
    return folder


def heads(path: Path) -> list[list[int]]:
    return [sentence.heads for sentence in read_sentences(path)]


def test_training_says_who_joined_and_what_the_language_is_like(here, tmp_path, capsys):
    train = ["train", "--recipe", "adapt.toml", "--train", "text.conllu", "--out"]
    assert depinduce(*train, tmp_path / "one", "--json") == 0
    shown = capsys.readouterr()
    told = re.search(r"the language is most like (?:en|fr) .*; its own grammar agrees .* in (.*)% of the words and jo",
                     shown.err)  # fmt: skip
    history = json.loads(shown.out)
    assert told and history["committee"]["agreement"] == pytest.approx(float(told[1]) / 100, abs=0.001)
    assert (history["model"], history["committee"]["languages"]) == ("committee", ["en", "fr"])
    assert depinduce(*train, tmp_path / "two", "--set", "least_agreement=1") == 0
    assert "of the words and was left out" in capsys.readouterr().err
    assert list(Parser.load(tmp_path / "two").model.parts) == ["order-free", "student"]
    assert depinduce(*train, tmp_path / "three", "--set", "fewest_sentences=121") == 0
    assert "its own grammar" not in capsys.readouterr().err
    assert (tmp_path / "three" / "model" / "model.safetensors").read_bytes() == (
        here / "grammar" / "model" / "order-free" / "model.safetensors"
    ).read_bytes()


def test_a_committee_parses_and_so_does_each_member(here, tmp_path, capsys):
    for name, *options in (["one"], ["two", "--decode", "mbr", "--posteriors"], ["own", "--part", "own"]):
        assert depinduce("parse", "grammar", "text.conllu", *options, "-o", tmp_path / name) == 0
    assert heads(tmp_path / "one") == heads(tmp_path / "two") != heads(tmp_path / "own")
    assert "Posterior=0." in (tmp_path / "two").read_text("utf-8")
    assert depinduce("parse", "grammar/model/own", "text.conllu", "-o", tmp_path / "alone") == 0
    assert heads(tmp_path / "own") == heads(tmp_path / "alone")
    for option in ("--k-best", "--samples"):
        assert depinduce("parse", "grammar", "text.conllu", option, 2, "-o", tmp_path / "never") == 1
        refused = f"{option}: this model is a committee, .* --part order-free or own or student"
        assert re.search(refused, capsys.readouterr().err)
    assert depinduce("parse", "grammar", "text.conllu", "--part", "own", "--k-best", 2, "-o", tmp_path / "best") == 0
    assert depinduce("parse", "grammar", "text.conllu", "--part", "words", "-o", tmp_path / "never") == 1
    assert "--part cannot be 'words'. Choose from: order-free, own, student." in capsys.readouterr().err


def test_a_committee_can_be_looked_at(here, tmp_path, capsys):
    assert depinduce("inspect", "grammar", "--head", "NOUN") == 0
    shown = capsys.readouterr().out
    assert "These are the rules of one member of the committee, student" in shown
    assert re.search(r"NOUN heads DET: 0\.\d\d of its children, \d+% on the left", shown)
    assert depinduce("models", "grammar") == 0
    assert "a committee of 3 grammars over tags: order-free, own, student" in capsys.readouterr().out
    assert depinduce("report", "grammar", "--gold", "text.conllu", "-o", tmp_path / "report.html") == 0
    page = (tmp_path / "report.html").read_text("utf-8")
    for told in ("own, dmv-sibling", "(order-free, own, student), the last from the trees", "by the recipe own.toml"):
        assert told in page


def test_a_committee_is_served(here):
    shelf = Shelf([here / "grammar"])
    (found,) = answer(shelf, "parse", {"model": "grammar", "text": SENTENCE})["sentences"]
    look = answer(shelf, "sentence", {"model": "grammar", "block": found["block"]})
    assert len(look["trees"]) == 1 and "this model is a committee" in look["note"]
    rules = answer(shelf, "rules", {"model": "grammar", "block": found["block"], "heads": found["heads"]})
    assert [story["title"] for story in rules["stories"]] == [f"the grammar {name}" for name in MEMBERS]
    assert rules["log_probability"] is None and "this model is a committee" in rules["note"]
    warm_up_log_space(shelf["grammar"].parser())


def test_other_models_can_start_from_its_trees(here, tmp_path):
    options = ["--init", "model", "grammar", "--train", "text.conllu", "--set", "iterations=2"]
    assert depinduce("train", "--model", "dmv", *options, "--out", tmp_path / "run") == 0


def test_what_is_interrupted_goes_on_and_what_is_watched_decides_nothing(here, tmp_path, capsys, monkeypatch):
    from depinduce.learning.run import Run

    remember, rounds = Run._remember, []

    def interrupt(self, *arguments):
        remember(self, *arguments)
        rounds.append(1)
        if len(rounds) == 12:
            raise KeyboardInterrupt

    options = ["--recipe", "adapt.toml", "--train", "text.conllu", "--watch", "text.conllu", "--out", tmp_path / "run"]
    monkeypatch.setattr(Run, "_remember", interrupt)
    assert depinduce("train", *options) == 130
    monkeypatch.undo()
    monkeypatch.chdir(here)
    assert "interrupted; wrote what there is" in capsys.readouterr().err
    assert depinduce("train", *options, "--resume") == 0
    lines = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text("utf-8").splitlines()]
    assert all(line["watched"] for line in lines) and {line["part"] for line in lines} == set(MEMBERS)
    numbers = {name: data for name, data in model_files(tmp_path / "run").items() if name.endswith(".safetensors")}
    assert numbers == {name: data for name, data in model_files(here / "grammar").items() if name in numbers}
    assert len(numbers) == 3


@pytest.mark.slow
def test_a_committee_of_networks_from_several_seeds(here, tmp_path, capsys):
    recipe = RECIPES["adapt"].replace("own.toml", "networks.toml").replace("student.toml", "networks.toml")
    (tmp_path / "neural.toml").write_text(recipe, "utf-8")
    options = ["--recipe", tmp_path / "neural.toml", "--train", "text.conllu", "--seeds", "0-1", "--out"]
    assert depinduce("train", *options, tmp_path / "run", "--set", "least_agreement=0") == 0
    assert "the model of" in capsys.readouterr().err
    assert depinduce("parse", tmp_path / "run", "text.conllu", "-o", tmp_path / "parsed") == 0
    assert list(Parser.load(tmp_path / "run").model.parts) == list(MEMBERS)
