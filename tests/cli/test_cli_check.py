"""`depinduce check`: what is in a file, and what is wrong with it."""

from __future__ import annotations

import io
import json
import sys

import pytest
from cli.demo_parts import depinduce, depinduce_process
from corpus.blocks import block, write

from depinduce.corpus.demo import demo_file


def test_the_demo_corpus_has_no_problems(capsys):
    assert depinduce("check", demo_file("dev"), "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["sentences"], record["with_trees"], record["several_roots"]) == (150, 150, 0)
    assert record["problems"] == {}
    assert record["tags"]["NOUN"] > record["tags"]["INTJ"]
    assert sum(record["lengths"].values()) == 150


def test_the_tables_tell_the_same(capsys):
    assert depinduce("check", demo_file("dev")) == 0
    shown = capsys.readouterr().out
    assert "dev.conllu: 150 sentences" in shown
    assert "150 sentences with trees: 0 not projective (0.0 %), 0 with several roots" in shown
    assert "by length, punctuation not counted" in shown


def test_problems_are_listed_with_their_lines_and_the_code_is_not_zero(tmp_path, capsys):
    circle, good = block("a/X b/X", [2, 1]), block("a/X b/X", [0, 1])
    path = write(tmp_path / "a.conllu", "# so\n\n", good, *[circle] * 7, block("a/X b/X", [0, 0]))
    assert depinduce("check", path) == 1
    shown = capsys.readouterr().out
    assert "problem: heads that lead in a circle: 7 sentences, at line 6, 9, 12, 15, 18, …" in shown
    assert "1 with several roots" in shown
    assert "1 block without words" in shown
    assert depinduce("check", path, "--json") == 1
    assert json.loads(capsys.readouterr().out)["problems"] == {
        "heads that lead in a circle": [6, 9, 12, 15, 18, 21, 24]
    }


def test_a_file_without_trees_is_fit_for_training(tmp_path, capsys):
    assert depinduce("check", write(tmp_path / "a.conllu", block("a/X b/X"))) == 0
    assert "no trees (HEAD is `_`): fit for training, not for scoring" in capsys.readouterr().out


HALF = "some words have a head and others have none: 1 sentence, at line 1"


@pytest.mark.parametrize(
    ("blocks", "said"),
    [
        ([""], ["a.conllu: 0 sentences, 0 words", "problem: not a single sentence\n"]),
        ([block("a/X b/X", [0, "_"])], ["no whole tree: fit for training, not for scoring", HALF]),
        ([block("a/X b/_")], ["no trees (HEAD is `_`): fit neither for training (tags are missing) nor for scoring"]),
        (
            [block("a/X b/X", [0, "_"]), block("a/X", [0])],
            ["1 sentence with trees: 0 not", "1 sentence without a whole tree: fit for training", HALF],
        ),
    ],
    ids=["no sentence", "half the heads", "no tag", "one tree of two"],
)
def test_what_a_file_lacks_is_told_apart(blocks, said, tmp_path, capsys):
    assert depinduce("check", write(tmp_path / "a.conllu", *blocks)) == 1
    shown = capsys.readouterr().out
    for part in said:
        assert part in shown
    assert ("fit for training" in shown) == any("fit for training" in part for part in said)


def test_tags_that_stand_in_the_other_column_are_pointed_to(tmp_path, capsys):
    path = write(tmp_path / "a.conllu", block("a/_ b/_ ./_", xpos=["NN", "VB", "."]))
    assert depinduce("check", path) == 1
    assert "problem: words without a tag: 1 sentence, at line 1. Every word has a tag in XPOS: try --tags xpos" in (
        capsys.readouterr().out
    )
    assert depinduce("check", path, "--tags", "xpos") == 0
    path = write(tmp_path / "b.conllu", block("a/_ b/_", xpos=["NN", "_"]))
    assert depinduce("check", path) == 1
    told = "problem: words without a tag: 1 sentence, at line 1. Fill them in: depinduce tag FILE -o tagged.conllu"
    assert told in capsys.readouterr().out


def test_standard_input(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(block("a/X b/X").encode())))
    assert depinduce("check", "-", "--json") == 0
    assert json.loads(capsys.readouterr().out)["words"] == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (block("a/X b/X").replace("\t", " "), "a.conllu:1: the columns are separated by spaces"),
        (block("a/X") + block("a/X", [2]), "a.conllu:3: the head 2 is not in the sentence, which has 1 word. Write"),
    ],
)
def test_a_broken_file_is_refused_with_place_and_remedy(text, message, tmp_path, capsys):
    assert depinduce("check", write(tmp_path / "a.conllu", text)) == 1
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.out == ""


def test_a_broken_file_is_json_too_where_json_is_asked_for(tmp_path, capsys):
    path = write(tmp_path / "a.conllu", block("a/X") + block("a/X", [2]))
    assert depinduce("check", path, "--json") == 1
    shown = capsys.readouterr()
    record = json.loads(shown.out)
    assert shown.err == ""
    assert record["path"] == str(path)
    [(message, lines)] = record["problems"].items()
    assert message.startswith("the head 2 is not in the sentence, which has 1 word. Write")
    assert lines == [3]
    assert depinduce("check", tmp_path / "nowhere.conllu", "--json") == 1
    assert list(json.loads(capsys.readouterr().out)["problems"].values()) == [[]]  # no line to name


def test_exit_codes_reach_the_shell(tmp_path):
    assert depinduce_process("check", demo_file("dev")).returncode == 0
    broken = depinduce_process("check", tmp_path / "nowhere.conllu")
    assert broken.returncode == 1
    assert broken.stderr.decode() == (
        f"depinduce: {tmp_path}/nowhere.conllu: no such file. Check the path; `-` is standard input.\n"
    )


def test_a_grammar_and_a_file_get_a_verdict(tmp_path, capsys):
    train = ["--train", demo_file("train"), "--model", "dmv", "--iterations", 8]
    assert depinduce("train", *train, "--non-heads", "ud", "--out", tmp_path / "good") == 0
    verdict = "verdict: good. About "
    assert verdict in capsys.readouterr().err
    assert depinduce("check", tmp_path / "good", demo_file("train")) == 0
    assert capsys.readouterr().out.startswith(verdict)
    assert depinduce("train", *train, "--out", tmp_path / "bad") == 0
    assert "verdict: poor. About " in capsys.readouterr().err
    assert depinduce("check", tmp_path / "bad", demo_file("train"), "--json") == 1
    record = json.loads(capsys.readouterr().out)
    assert (record["verdict"], record["model"]) == ("poor", str(tmp_path / "bad"))
    assert record["remedies"][0].startswith("--recipe adapt") and record["expected"] < 0.45


def test_a_grammar_reads_files_as_it_learned_to(tmp_path, capsys):
    assert depinduce("check", tmp_path / "any", demo_file("train"), "--tags", "xpos") == 1
    assert "--tags: the grammar knows how it reads files" in capsys.readouterr().err


@pytest.mark.slow
def test_the_seeds_of_a_training_are_compared(tmp_path, capsys):
    options = ["--model", "dmv", "--init", "random", "--iterations", 3, "--seeds", "0-1", "--out", tmp_path / "run"]
    assert depinduce("train", "--train", demo_file("dev"), *options) == 0
    told = "another seed gives the same head to "
    assert told in capsys.readouterr().err
    depinduce("check", tmp_path / "run", demo_file("dev"))
    assert told in capsys.readouterr().out
