"""`depinduce evaluate`: scores as tables and as JSON."""

from __future__ import annotations

import io
import json
import sys

import pytest
from cli.demo_parts import demo_part, depinduce
from corpus.blocks import block, write

GOLD = block("the/DET dog/NOUN barks/VERB ./PUNCT", [2, 3, 0, 3]), block("go/VERB home/ADV", [0, 1])
WRONG = block("the/DET dog/NOUN barks/VERB ./PUNCT", [3, 3, 0, 1]), block("go/VERB home/ADV", [2, 0])


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "gold.conllu", *GOLD)
    write(tmp_path / "wrong.conllu", *WRONG)


def scores(capsys, *arguments) -> dict:
    assert depinduce("evaluate", *arguments, "--json") == 0
    return json.loads(capsys.readouterr().out)


def test_hand_counted_scores(files, capsys):
    record = scores(capsys, "gold.conllu", "wrong.conllu")
    assert (record["sentences"], record["words"]) == (2, 5)
    assert (record["uas"], record["uuas"]) == (40, 60)  # dog and barks; home-go the other way round
    assert record["root_accuracy"] == 50
    assert record["by_tag"]["DET"] == {"words": 1, "uas": 0, "uuas": 0}
    assert record["punctuation"] == "auto"
    assert scores(capsys, "gold.conllu", "wrong.conllu", "--punctuation", "none")["words"] == 6
    assert scores(capsys, "gold.conllu", "wrong.conllu", "--max-length", 2)["words"] == 2


def test_gold_against_itself_is_perfect_and_the_baselines_are_not(tmp_path, capsys):
    gold = demo_part(tmp_path / "gold.conllu", "test", 50)
    record = scores(capsys, gold, gold, "--baselines")
    assert (record["uas"], record["exact_match"]) == (100, 100)
    assert record["baselines"].keys() == {"next word", "previous word", "random projective tree"}
    assert all(baseline["uas"] < 60 for baseline in record["baselines"].values())


def test_tables(files, capsys):
    assert depinduce("evaluate", "gold.conllu", "wrong.conllu", "--baselines") == 0
    shown = capsys.readouterr().out
    for title in ("by sentence length", "by tag of the word", "by length of the gold arc", "beside the baselines"):
        assert title in shown
    assert "several roots" not in shown


def test_several_gold_roots_are_mentioned(files, tmp_path, capsys):
    write(tmp_path / "two.conllu", GOLD[0], block("go/VERB home/ADV", [0, 0]))
    assert depinduce("evaluate", "two.conllu", "wrong.conllu") == 0
    assert "1 gold sentences have several roots" in capsys.readouterr().out


def test_one_of_the_two_may_come_through_a_pipe(files, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("".join(WRONG).encode())))
    assert scores(capsys, "gold.conllu", "-")["uas"] == 40


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [
        ("gold.conllu", "nowhere.conllu", "nowhere.conllu: no such file"),
        ("gold.conllu", "short.conllu", "gold.conllu:6: sentence 2 is not in short.conllu. Compare files"),
        ("gold.conllu", "other.conllu", "other.conllu:2: word 2 is 'cat', but 'dog' in gold.conllu:2. Compare"),
        ("gold.conllu", "blank.conllu", "blank.conllu:1: word 1 'the' has no head"),
        ("marks.conllu", "marks.conllu", "marks.conllu: no words to score with these options."),
        ("-", "-", "GOLD and PRED cannot both be standard input."),
    ],
)
def test_files_that_cannot_be_compared_are_refused(gold, predicted, message, files, tmp_path, capsys):
    write(tmp_path / "short.conllu", GOLD[0])
    write(tmp_path / "other.conllu", GOLD[0].replace("dog", "cat"), GOLD[1])
    write(tmp_path / "blank.conllu", block("the/DET dog/NOUN barks/VERB ./PUNCT"), GOLD[1])
    write(tmp_path / "marks.conllu", block("./PUNCT", [0]))
    assert depinduce("evaluate", gold, predicted, "--json") == 1
    shown = capsys.readouterr()
    assert f"depinduce: {message}" in shown.err
    assert shown.out == ""
