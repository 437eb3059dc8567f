"""Trees as tables: what CoNLL-U says, in columns."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from depinduce.corpus import read_text
from depinduce.errors import DepinduceError
from depinduce.parsing import written_forms
from depinduce.parsing.decoding import Parsing
from depinduce.parsing.parsed_sentences import ParsedSentence
from depinduce.parsing.written_forms import COLUMNS, CONLLU, JSONL, PARQUET, Form, form_for, require_library, rows_of

BLOCK = """\
# sent_id = s1
# log_likelihood = -99.0
1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_
1\tde\tde\tADP\tP\t_\t_\t_\t_\tPosterior=0.1234|Gloss=of
2\tle\tle\tDET\t_\tPronType=Art\t_\t_\t_\t_
2.1\tx\tx\tX\t_\t_\t_\t_\t1:dep\t_
3\t_\t_\tPUNCT\t_\t_\t_\t_\t1:punct\t_

"""
TREE = ParsedSentence(*read_text(BLOCK), [2, 0, -1], [0.25004, 1.0, None], -3.14159265, -4.0)


def test_a_row_has_the_fields_of_a_word_and_what_is_said_of_its_tree():
    first, second, third = rows_of(TREE, 7, Parsing(posteriors=True, log_likelihood=True))
    assert list(first) == list(COLUMNS)
    assert first == {
        "sentence": 7, "sent_id": "s1", "tree": None, "id": 1, "form": "de", "lemma": "de", "upos": "ADP", "xpos": "P",
        "feats": None, "head": 2, "deprel": "dep", "deps": None, "misc": "Gloss=of", "posterior": 0.25,
        "log_likelihood": -3.141593, "log_probability": -4.0,
    }  # fmt: skip
    assert (second["head"], second["deprel"], second["feats"], second["id"]) == (0, "root", "PronType=Art", 2)
    assert (third["head"], third["form"], third["lemma"], third["posterior"], third["deps"]) == (
        None, "_", "_", None, None)  # fmt: skip


def test_what_was_not_asked_for_is_empty():
    for row in rows_of(TREE, 1, Parsing()):
        assert row["posterior"] is row["log_likelihood"] is row["log_probability"] is None


def test_a_block_of_comments_has_no_rows():
    (comments,) = read_text("# newdoc\n\n")
    assert rows_of(ParsedSentence(comments, []), 1, Parsing()) == []


def test_json_lines_are_the_rows(tmp_path):
    with JSONL.open(tmp_path / "trees.jsonl") as write:
        for line in JSONL.render(TREE, 1, Parsing()):
            write(line)
    lines = (tmp_path / "trees.jsonl").read_text("utf-8").splitlines()
    assert list(map(json.loads, lines)) == rows_of(TREE, 1, Parsing())


def parquet_of(path: Path, numbers: range) -> Path:
    with PARQUET.open(path) as write:
        for number in numbers:
            for row in PARQUET.render(TREE, number, Parsing(posteriors=True)):
                write(row)
    return path


def test_parquet_has_the_rows_in_groups_and_joins_to_the_same(tmp_path, monkeypatch):
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(written_forms, "ROWS", 4)
    rows = [row for number in range(6) for row in rows_of(TREE, number, Parsing(posteriors=True))]
    whole = parquet_of(tmp_path / "whole.parquet", range(6))
    assert parquet.read_table(whole).to_pylist() == rows
    assert parquet.read_metadata(whole).num_row_groups == 5  # of four rows, and of two
    parts = [parquet_of(tmp_path / "1", range(4)), parquet_of(tmp_path / "2", range(4, 6))]
    PARQUET.join(parts, tmp_path / "joined.parquet")
    assert parquet.read_table(tmp_path / "joined.parquet").to_pylist() == rows


def test_a_parquet_file_that_fails_is_not_there(tmp_path):
    pytest.importorskip("pyarrow")
    with pytest.raises(ZeroDivisionError), PARQUET.open(tmp_path / "trees.parquet") as write:
        write(rows_of(TREE, 1, Parsing())[0])
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_several_trees_of_a_sentence_are_told_apart():
    trees = [replace(TREE, number=number, trees=2) for number in (1, 2)]
    assert [row["tree"] for tree in trees for row in rows_of(tree, 1, Parsing())] == [1, 1, 1, 2, 2, 2]


@pytest.mark.parametrize(
    ("form", "source", "target"),
    [
        (CONLLU, "x/a.conllu", "a.conllu"),
        (CONLLU, "a.conllu.gz", "a.conllu.gz"),
        (CONLLU, "a.txt", "a.txt"),
        (JSONL, "a.conllu", "a.jsonl"),
        (JSONL, "a.conllu.gz", "a.jsonl.gz"),
        (PARQUET, "a.conllu.gz", "a.parquet"),
        (PARQUET, "a.txt", "a.txt.parquet"),
    ],
)
def test_files_keep_their_base_names(form: Form, source, target):
    assert form.name_for(source) == target


@pytest.mark.parametrize(
    ("path", "form"), [("a.jsonl.gz", JSONL), ("a.parquet", PARQUET), ("a.conllu", CONLLU), ("-", CONLLU)]
)
def test_the_ending_of_a_name_asks_for_a_form(path, form):
    assert form_for(path) is form


def test_parquet_without_its_library_is_refused_with_a_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    require_library(JSONL)
    with pytest.raises(DepinduceError, match=r"pyarrow.* pip install 'depinduce\[parquet\]'"):
        require_library(PARQUET)
