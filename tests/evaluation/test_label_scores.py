"""Label scores: counted by hand, and by the official scorer."""

from __future__ import annotations

import io
import json

import pytest
from cli.demo_parts import demo_part, depinduce
from corpus.blocks import block, write

from depinduce.corpus import Reading, read_sentences
from depinduce.evaluation.files import align_files
from depinduce.evaluation.label_scores import LabelScores, score_labels
from depinduce.labels import relation_table

WORDS = "the/DET old/ADJ dog/NOUN barks/VERB ./PUNCT"
GOLD = block(WORDS, [3, 3, 4, 0, 4], labels=["det", "amod", "nsubj:pass", "root", "punct"])
FOUND = block(WORDS, [3, 4, 4, 0, 1], labels=["nmod", "amod", "nsubj", "root", "dep"])


def scores(folder, gold: str, found: str, **reading) -> LabelScores | None:
    files = write(folder / "gold.conllu", gold), write(folder / "found.conllu", found)
    return score_labels(align_files(*map(str, files), Reading(**reading)))


def test_hand_counted_scores(tmp_path):
    found = scores(tmp_path, GOLD, FOUND)
    assert found is not None and found.tells_more
    assert (found.overall.words, found.overall.attached) == (4, 3)  # the full stop does not count
    assert (found.overall.named, found.overall.both) == (3, 2)  # not `the`; and `old` hangs on the wrong word
    assert (found.overall.label_accuracy, found.overall.las) == (75, 50)
    assert list(found.by_relation) == ["amod", "det", "nsubj", "root"]
    assert (found.by_relation["amod"].label_accuracy, found.by_relation["amod"].las) == (100, 0)
    with_marks = scores(tmp_path, GOLD, FOUND, punctuation="none")
    assert with_marks is not None and with_marks.overall.words == 5


def test_only_words_with_a_gold_label_count(tmp_path):
    partly = block(WORDS, [3, 3, 4, 0, 4], labels=["det", "_", "_", "root", "_"])
    found = scores(tmp_path, partly, FOUND)
    assert found is not None and (found.overall.words, found.overall.named) == (2, 1)


def test_gold_trees_without_labels_give_no_label_scores(tmp_path):
    plain = block(WORDS, [3, 3, 4, 0, 4], labels=["dep", "dep", "dep", "root", "dep"])
    assert scores(tmp_path, plain, FOUND) is None
    assert scores(tmp_path, block(WORDS, [3, 3, 4, 0, 4]), FOUND) is None
    found = scores(tmp_path, GOLD, plain)
    assert found is not None and not found.tells_more


def test_the_command_tells_them(tmp_path, capsys):
    gold, found = write(tmp_path / "gold.conllu", GOLD), write(tmp_path / "found.conllu", FOUND)
    assert depinduce("evaluate", gold, found) == 0
    shown = capsys.readouterr().out
    assert "by relation in the gold trees\n  relation  words    UAS  label    LAS\n" in shown
    assert "  all           4   75.0   75.0   50.0\n" in shown
    assert depinduce("evaluate", gold, found, "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["uas"], record["label_accuracy"], record["las"]) == (75, 75, 50)
    assert record["by_relation"]["nsubj"] == {"words": 1, "label_accuracy": 100, "las": 100}


def test_trees_without_labels_are_not_blamed_but_in_json(tmp_path, capsys):
    gold = write(tmp_path / "gold.conllu", GOLD)
    plain = write(tmp_path / "plain.conllu", block(WORDS, [3, 3, 4, 0, 4], labels=["dep", "dep", "dep", "root", "dep"]))
    assert depinduce("evaluate", gold, plain) == 0
    assert "LAS" not in capsys.readouterr().out
    assert depinduce("evaluate", gold, plain, "--json") == 0
    assert json.loads(capsys.readouterr().out)["las"] == 25


def test_labelled_attachment_equals_the_official_scorer(tmp_path):
    udeval = pytest.importorskip("udtools.udeval")
    gold = demo_part(tmp_path / "gold.conllu", "test", 100)
    found = ""
    for made in read_sentences(gold):  # the first word is the root, every other hangs on the one before it
        heads = list(range(len(made)))
        found += made.render(heads, deprel=relation_table().labels(made, made.heads, Reading()))
    ours = scores(tmp_path, gold.read_text("utf-8"), found, punctuation="none")
    texts = (gold.read_text("utf-8"), found)
    options = {"multiple_roots_okay": True}
    official = udeval.evaluate(*(udeval.load_conllu(io.StringIO(text), "text", options) for text in texts))
    assert ours is not None and 0 < ours.overall.both < ours.overall.attached
    assert (ours.overall.both, ours.overall.words) == (official["LAS"].correct, official["LAS"].gold_total)
    assert ours.overall.attached == official["UAS"].correct
