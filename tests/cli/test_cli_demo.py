"""The demo: parsed at once, adapted, trained, scored, drawn."""

from __future__ import annotations

import os
import re
import xml.etree.ElementTree as ElementTree

import pytest
from cli.demo_parts import contents, demo_part, depinduce, depinduce_process

from depinduce.corpus import read_sentences
from depinduce.corpus.conllu import DEPREL
from depinduce.corpus.demo import demo_file


def test_the_demo_scores_its_trees_beside_the_baselines_and_draws_some(capsys):
    assert depinduce("demo") == 0
    shown = capsys.readouterr()
    table = re.findall(r"^  (\S.*?)  +(\d+\.\d)(?:  +\d+\.\d){6}$", shown.out, re.MULTILINE)
    uas = {name: float(first) for name, first in table}
    ours = {"universal, at once", "universal, adapted", "count DMV, alone"}
    assert uas.keys() == {*ours, "next word", "previous word", "random projective tree"}
    assert min(uas[name] for name in ours) > max(value for name, value in uas.items() if name not in ours) + 10
    assert len(re.findall(r"^  [A-Z]+ before [A-Z]+: \d+% \(\d+%\)$", shown.out, re.MULTILINE)) == 5
    assert "learned the order of the language from 150 sentences" in shown.err
    drawings = re.findall(r"^[ A-Z]*\bNOUN\b[ A-Z]*$", shown.out, re.MULTILINE)  # the lines of tags
    assert 2 <= len(drawings) <= 3
    assert "✗ marks a wrong head" in shown.out
    assert "synthetic" in shown.err
    assert "log-likelihood" in shown.err


def test_the_demo_keeps_its_model_and_draws_into_a_file(tmp_path, capsys):
    assert depinduce("demo", "--out", tmp_path / "model", "--svg", tmp_path / "tree.svg") == 0
    assert ElementTree.parse(tmp_path / "tree.svg").getroot().tag.endswith("svg")
    text = demo_part(tmp_path / "a.conllu", "dev", 20)
    assert depinduce("parse", tmp_path / "model", text, "-o", tmp_path / "b.conllu") == 0
    assert depinduce("evaluate", text, tmp_path / "b.conllu") == 0


def test_the_demo_replaces_nothing(tmp_path, capsys):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter1.tex").write_text("ten years of work")
    assert depinduce("demo", "--out", tmp_path / "thesis") == 1
    shown = capsys.readouterr()
    assert "thesis: is there already. Choose another --out." in shown.err
    assert shown.out == ""  # said before the work, not after it
    assert contents(tmp_path) == {"thesis/chapter1.tex": b"ten years of work"}


def test_the_corpus_of_the_demo_can_be_had_as_files(tmp_path, capsys):
    assert depinduce("demo", "--corpus", tmp_path / "practice") == 0
    assert sorted(contents(tmp_path)) == ["practice/gold.conllu", "practice/tagged.conllu"]
    tagged, gold = (tmp_path / "practice" / name for name in ("tagged.conllu", "gold.conllu"))
    assert gold.read_bytes() == demo_file("test").read_bytes()
    shown, original = list(read_sentences(tagged)), list(read_sentences(demo_file("train")))
    for ours, theirs in zip(shown, original, strict=True):
        assert ours.render(theirs.heads, deprel=theirs.column(DEPREL)) == theirs.render()  # nothing else is changed
        assert set(ours.heads) == {-1}
        assert set(ours.column(DEPREL)) == {"_"}
    assert depinduce("check", tagged) == 0


def test_the_corpus_of_the_demo_replaces_nothing_and_trains_nothing(tmp_path, capsys):
    (tmp_path / "practice").mkdir()
    assert depinduce("demo", "--corpus", tmp_path / "practice") == 1
    assert "practice: is there already. Choose another --corpus." in capsys.readouterr().err
    assert depinduce("demo", "--corpus", tmp_path / "new", "--out", tmp_path / "model") == 1
    assert "trains nothing. Leave --out and --svg away." in capsys.readouterr().err
    assert contents(tmp_path) == {}


@pytest.mark.slow
def test_the_demo_runs_in_a_process_of_its_own():
    done = depinduce_process("demo")
    assert done.returncode == 0
    assert "universal, at once" in done.stdout.decode()


@pytest.mark.slow
def test_the_demo_runs_where_output_is_not_unicode():
    done = depinduce_process("demo", env=os.environ | {"PYTHONIOENCODING": "latin-1"})
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert "universal, at once" in done.stdout.decode("latin-1")
