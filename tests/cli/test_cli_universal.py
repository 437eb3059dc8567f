"""Many languages on the command line: one grammar for all, its languages, and a new one that it adapts to."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cli.demo_parts import demo_part, depinduce

from depinduce.corpus import read_sentences
from depinduce.models.loading import load_model

RECIPE = 'model = "polyglot"\ninit = ["recipe", "wsj-dmv"]\nnon_heads = ["ud"]\niterations = 3\npoolings = 2\n'


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """A folder with a universal grammar, `many`, of two halves of the demo corpus; and `text.conllu`."""
    folder = tmp_path_factory.mktemp("universal")
    whole = demo_part(folder / "whole.conllu", count=90).read_text("utf-8").split("\n\n")
    for name, sentences in (("en", whole[:40]), ("fr", whole[40:])):
        (folder / "texts" / name).mkdir(parents=True)
        (folder / "texts" / name / "train.conllu").write_text("\n\n".join(sentences) + "\n\n", "utf-8")
    (folder / "text.conllu").write_text("\n\n".join(whole[10:60]) + "\n\n", "utf-8")
    (folder / "universal.toml").write_text(RECIPE, "utf-8")
    options = ["--train-dir", folder / "texts", "--recipe", folder / "universal.toml"]
    assert depinduce("train", *options, "--out", folder / "many") == 0
    return folder


def heads(path: Path) -> list[list[int]]:
    return [sentence.heads for sentence in read_sentences(path)]


def parsed(place: Path, out: Path, *options: object, text: str = "text.conllu") -> list[list[int]]:
    assert depinduce("parse", place / "many", place / text, *options, "-o", out) == 0
    return heads(out)


def test_a_language_is_parsed_by_its_own_rules(place, tmp_path):
    text = (place / "text.conllu").read_text("utf-8")
    (place / "named.conllu").write_text("# language = fr\n" + text, "utf-8")
    by_option = parsed(place, tmp_path / "option.conllu", "--language", "fr")
    assert parsed(place, tmp_path / "comment.conllu", text="named.conllu") == by_option
    load_model(place / "many").in_language("fr").save(tmp_path / "fr")
    assert depinduce("parse", tmp_path / "fr", place / "text.conllu", "-o", tmp_path / "fr.conllu") == 0
    assert heads(tmp_path / "fr.conllu") == by_option


def test_a_text_without_a_language_is_learned_from_before_it_is_parsed(place, tmp_path, capsys):
    found = parsed(place, tmp_path / "adapted.conllu")
    said = capsys.readouterr().err
    assert "learned the order of the language from 50 sentences; it is most like " in said
    options = ["--recipe", "adapt", "--init", "universal", place / "many", "--train", place / "text.conllu"]
    assert depinduce("train", *options, "--out", tmp_path / "grammar") == 0
    said = capsys.readouterr().err
    assert "the language is most like " in said
    assert "of the words have another head than in the universal order" in said
    assert depinduce("parse", tmp_path / "grammar", place / "text.conllu", "-o", tmp_path / "kept.conllu") == 0
    assert heads(tmp_path / "kept.conllu") == found


def test_the_universal_order_is_there_for_those_who_want_it(place, tmp_path, capsys):
    found = parsed(place, tmp_path / "universal.conllu", "--no-adapt")
    assert "learned" not in capsys.readouterr().err
    load_model(place / "many").rule_view().save(tmp_path / "mean")
    assert depinduce("parse", tmp_path / "mean", place / "text.conllu", "-o", tmp_path / "mean.conllu") == 0
    assert heads(tmp_path / "mean.conllu") == found


def test_a_universal_grammar_is_a_model_like_any_other(place, tmp_path, capsys):
    assert depinduce("inspect", place / "many") == 0
    shown = capsys.readouterr().out
    assert "in 2 languages: en fr" in shown
    told = r"NOUN heads DET: 0\.\d\d of its children; on the left in 2 languages \(en fr\), on the right in none"
    assert re.search(told, shown)
    assert depinduce("inspect", place / "many", "--language", "fr", "--head", "NOUN") == 0
    assert re.search(r"NOUN heads DET: 0\.\d\d of its children, \d+% on the left", capsys.readouterr().out)
    assert "as polyglot, by 7 iterations of EM, start: recipe wsj-dmv" in shown
    assert depinduce("sample", place / "many", "-n", 2) == 0
    assert depinduce("report", place / "many", "--gold", place / "text.conllu", "-o", tmp_path / "report.html") == 0
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "a universal grammar over tags" in page


@pytest.mark.slow
def test_gold_trees_can_be_watched_and_seeds_compared(place, tmp_path, capsys):
    options = ["--train-dir", place / "texts", "--recipe", place / "universal.toml", "--watch", place / "text.conllu"]
    assert depinduce("train", *options, "--seeds", "0-1", "--out", tmp_path / "seeds") == 0
    assert "watched UAS ≤15" in capsys.readouterr().out


def test_texts_without_languages_and_held_out_ones_are_refused(place, tmp_path, capsys):
    options = ["--recipe", place / "universal.toml", "--out", tmp_path / "refused"]
    assert depinduce("train", "--train", place / "text.conllu", *options) == 1
    assert "must know which is which: --train fr=fr.conllu" in capsys.readouterr().err
    texts = place / "texts"
    assert depinduce("train", "--train-dir", texts, "--dev", f"fr={place / 'text.conllu'}", *options) == 1
    assert "--dev: likelihood does not tell when polyglot should stop" in capsys.readouterr().err


def test_inspect_tells_what_a_language_has_made_of_the_universal_order(place, tmp_path, capsys):
    options = ["--recipe", "adapt", "--init", "universal", place / "many", "--train", place / "text.conllu"]
    assert depinduce("train", *options, "--out", tmp_path / "grammar") == 0
    capsys.readouterr()
    assert depinduce("inspect", tmp_path / "grammar", "-n", 2) == 0
    shown = capsys.readouterr().out
    assert re.search(
        r"ordered most like (en|fr) \(\d+% of the children on the same side\), then (en|fr); \d+% stand", shown
    )
    lines = shown.splitlines()
    start = lines.index("what stands otherwise than in the mean of all languages (in brackets)")
    for line in lines[start + 1 : start + 3]:
        assert re.fullmatch(r"  [A-Z]+ before [A-Z]+: \d+% \(\d+%\)", line)
    assert re.search(
        r"NOUN heads DET: 0\.\d\d of its children, \d+% on the left \(in the mean of all languages: ", shown
    )
    assert depinduce("inspect", tmp_path / "grammar", "--json") == 0
    told = json.loads(capsys.readouterr().out)["word_order"]
    assert all(0 <= pair["mean"] <= 1 and 0 <= pair["left"][""] <= 1 for pair in told)
