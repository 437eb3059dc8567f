"""Which grammars there are: those in the box, called by their names, and those of a folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.demo_parts import demo_part, depinduce
from learning.languages import universal_of

from depinduce import Parser
from depinduce.models import places
from depinduce.models.loading import load_model, load_universal
from depinduce.models.places import BOX, models_below, names_in_box

UNIVERSAL = universal_of(("final", "initial"))
SMALL = 4_000_000  # bytes of a grammar in the box
FREE = ("CC BY-SA 4.0", "CC BY-SA 3.0", "CC BY 4.0")


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A folder with a grammar as it is saved and one as a training leaves it, and another below."""
    for name in ("one", "run/model", "more/inner"):
        UNIVERSAL.save(tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def listed(capsys, *arguments: object) -> dict[str, dict]:
    assert depinduce("models", *arguments, "--json") == 0
    return {line["place"]: line for line in json.loads(capsys.readouterr().out)}


def test_the_grammars_of_a_folder_are_listed_behind_those_in_the_box(folder, capsys):
    found = listed(capsys)
    assert [place for place in found if place != "in the box"] == ["more/inner", "one", "run"]
    assert found["one"]["about"] == "a universal grammar over tags, of 2 languages"
    assert depinduce("models", "more") == 0
    shown = capsys.readouterr().out
    assert "inner" in shown and "one" not in shown


def test_a_damaged_grammar_is_listed_as_such(folder, capsys):
    (folder / "one" / "model.json").write_text("{", "utf-8")
    assert listed(capsys)["one"]["about"] == "a damaged model"


def test_a_folder_that_is_not_there_is_refused(capsys):
    assert depinduce("models", "nowhere") == 1
    assert "nowhere: no such directory" in capsys.readouterr().err


def test_a_name_is_a_folder_before_it_is_in_the_box(tmp_path, monkeypatch):
    UNIVERSAL.save(tmp_path / "box" / "universal")
    monkeypatch.setattr(places, "BOX", tmp_path / "box")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert load_universal().languages == ("final", "initial")
    assert [*models_below(Path("universal"))] == [tmp_path / "box" / "universal"]
    universal_of(("mixed",)).save("universal")
    assert load_model("universal").languages == ("mixed",)
    assert load_model(Path("universal").resolve()).languages == ("mixed",)


# ---------------------------------------------------------------- what is in the box


def test_the_box_holds_the_universal_grammar_and_says_whence_it_is():
    assert names_in_box() == ["universal"]
    place = BOX / "universal"
    assert sum(path.stat().st_size for path in place.iterdir()) < SMALL
    model, card = load_universal(), (place / "CARD.md").read_text("utf-8")
    told = model.history["card"]
    assert told["licence"] == "CC BY-SA 4.0" and tuple(told["sources"]) == model.languages
    assert not {"eu", "it", "ta", "pl"} & set(model.languages)  # not under a free licence
    for name, source in told["sources"].items():
        assert source["licence"] in FREE
        assert f"| {name} | {source['treebank']} |" in card


def test_the_grammar_in_the_box_parses_at_once(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = demo_part(tmp_path / "text.conllu", count=20)
    assert depinduce("parse", "universal", text, "-o", tmp_path / "parsed.conllu") == 0
    assert "learned the order of the language from 20 sentences" in capsys.readouterr().err
    (parse,) = Parser.load("universal").parse(["the/DET dog/NOUN barks/VERB"])
    assert parse.heads == [2, 3, 0]
