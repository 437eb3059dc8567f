"""`depinduce pack`: a grammar with its card, which the other commands read again."""

from __future__ import annotations

import pytest
from cli.demo_parts import demo_part, depinduce

from depinduce import Parser
from depinduce.corpus.demo import demo_file
from depinduce.serve.shelf import Shelf


@pytest.fixture(scope="module")
def grammar(tmp_path_factory):
    place = tmp_path_factory.mktemp("grammar") / "grammar"
    Parser.train(demo_file("train"), model="dmv", iterations=2, out=place)
    return place


@pytest.mark.parametrize("name", ["packed.zip", "packed"])
def test_what_was_packed_gives_the_same_parses(name, grammar, tmp_path, capsys):
    out, text = tmp_path / name, demo_part(tmp_path / "text.conllu", count=12)
    assert depinduce("pack", grammar, out, "--licence", "MIT", "--language", "en") == 0
    assert f"wrote {out}; now try: depinduce inspect {out}" in capsys.readouterr().err
    for place, parsed in ((grammar, "one"), (out, "two")):
        assert depinduce("parse", place, text, "-o", tmp_path / parsed) == 0
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_other_commands_read_a_packed_file(grammar, tmp_path, capsys):
    out, text = tmp_path / "packed.zip", demo_part(tmp_path / "text.conllu", count=12)
    Parser.load(grammar).pack(out, licence="MIT")
    assert [(one.name, one.about) for one in Shelf([out]).models.values()] == [
        ("packed.zip", "a first-order grammar over tags")
    ]
    assert depinduce("models", out) == 0
    assert "packed.zip" in capsys.readouterr().out
    assert depinduce("inspect", out) == 0
    assert depinduce("sample", out, "-n", 1) == 0
    assert depinduce("report", out, "-o", tmp_path / "report.html") == 0
    start = ("--model", "dmv", "--init", "model", out, "--iterations", 1)
    assert depinduce("train", *start, "--train", text, "--out", tmp_path / "run") == 0


def test_the_card_has_what_the_options_say(grammar, tmp_path, capsys):
    gold = demo_part(tmp_path / "gold.conllu", "test", count=12)
    options = ("--licence", "MIT", "--name", "Tiny", "--data", "sentences that a program made", "--gold", gold)
    assert depinduce("pack", grammar, tmp_path / "out", *options) == 0
    told = (tmp_path / "out" / "README.md").read_text("utf-8")
    assert "# Tiny\n" in told and "sentences that a program made" in told and "license: mit" in told
    assert "On gold.conllu, with the tags of that file (%):" in told


def test_a_grammar_without_a_licence_is_packed_with_a_warning(grammar, tmp_path, capsys):
    assert depinduce("pack", grammar, tmp_path / "out.zip") == 0
    assert "the card says no licence" in capsys.readouterr().err
    assert depinduce("pack", grammar, tmp_path / "out.zip") == 1
    assert "is there already" in capsys.readouterr().err
    assert depinduce("pack", grammar, tmp_path / "out.zip", "--overwrite") == 0
