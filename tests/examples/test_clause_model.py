"""The example of a new context: its batch against the enumeration of all trees, and its program."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from pathlib import Path

import clause_model
import numpy as np
import pytest
from clause_model import ClauseModel, clause_batch, groups_of, spread, train_clause_model
from cli.demo_parts import demo_part, without_heads
from examples.printed import scores
from examples.stories import Choice, Told, random_table

from depinduce import Parser
from depinduce.chart.engine import best_trees, expectations, log_partition
from depinduce.corpus import Reading, build_corpus, load_corpus, read_sentences
from depinduce.corpus.demo import demo_file
from depinduce.corpus.tagged import as_sentence
from depinduce.errors import DepinduceError
from depinduce.evaluation.trees import is_projective
from depinduce.grammar.constraints import UD_NON_HEADS
from depinduce.grammar.multinomials import Multinomials, random_counts
from depinduce.grammar.rules import HAS, NO, Order, RuleCounts, tag_batch
from depinduce.learning.count_training import train_counts
from depinduce.learning.em import LikelihoodFell
from depinduce.learning.settings.counts import CountSettings

GROUPS = np.array([1, 0, 1, 2], dtype=np.int32)  # of four tags; ROOT is 3
AXES = (2, 4, 4, 2)  # direction, head, group or ROOT, valence


def sentences(*tags: str):
    return build_corpus([as_sentence([("w", tag) for tag in line.split()]) for line in tags])


@pytest.fixture
def corpus():
    return sentences("A B C D", "B", "D C", "C A B A D", "A A B")


def row(tags: np.ndarray, choice: Choice) -> tuple[int, ...]:
    """The context of the clause model, by its definition."""
    group = 3 if choice.above is None else GROUPS[tags[choice.above]]
    return choice.direction, tags[choice.head], group, HAS if choice.previous else NO


def test_the_chart_with_the_new_batch_equals_enumeration(corpus):
    table = random_table(np.random.default_rng(1), AXES, tags=4)
    batch = clause_batch(corpus, GROUPS)
    told = [Told(table, AXES, row, tags) for tags in np.split(corpus.tags, corpus.offsets[1:-1])]
    found = expectations(table, batch)
    np.testing.assert_allclose(found.log_z, [one.log_z for one in told])
    expected = sum((one.counts for one in told), RuleCounts.zeros_like(table))
    for part, wanted in zip(found.counts.parts, expected.parts, strict=True):
        np.testing.assert_allclose(part, wanted, atol=1e-12)
    assert best_trees(table, batch).heads[0].tolist() == [head for one in told for head in one.best]


def test_a_group_for_every_tag_is_the_grandparent_model(corpus):
    every_tag = np.arange(4, dtype=np.int32)
    table = random_table(np.random.default_rng(2), Order.GRANDPARENT.shape(4), tags=4)
    plain = tag_batch(Order.GRANDPARENT, corpus.tags, corpus.offsets, 4)
    np.testing.assert_allclose(log_partition(table, clause_batch(corpus, every_tag)), log_partition(table, plain))


def test_a_spread_table_is_the_dmv_again(corpus):
    dmv = Multinomials.smoothed(Order.FIRST, 4, 0.0).estimate(random_counts(Order.FIRST, 4, seed=3))
    plain = tag_batch(Order.FIRST, corpus.tags, corpus.offsets, 4)
    spread_out = log_partition(spread(dmv, GROUPS), clause_batch(corpus, GROUPS))
    np.testing.assert_allclose(spread_out, log_partition(dmv, plain))


def test_groups_are_numbered_as_they_are_named_and_the_rest_is_last():
    tags = sentences("A B C D E").tag_vocabulary
    named = dict(zip(tags.symbols, groups_of(tags, ["C+A", "E"]).tolist(), strict=True))
    assert named == {"A": 0, "C": 0, "E": 1, "B": 2, "D": 2}
    assert set(groups_of(tags, []).tolist()) == {0}
    assert groups_of(tags, list(tags)).tolist() == [0, 1, 2, 3, 4]
    with_plus = sentences("A B A+B").tag_vocabulary
    assert [tag for tag, group in zip(with_plus, groups_of(with_plus, ["A+B"]), strict=True) if group == 0] == ["A+B"]


def test_a_tag_that_training_has_not_seen_never_reaches_the_chart(corpus):
    table = random_table(np.random.default_rng(4), AXES, tags=4)
    parser = Parser(ClauseModel(corpus.tag_vocabulary, GROUPS, table))
    with pytest.raises(DepinduceError, match="do not have: Z"):
        parser.parse([[("w", "A"), ("w", "Z")]])


@pytest.fixture(scope="module")
def trained():
    reading = Reading(max_length=8)
    train = load_corpus(demo_file("train"), reading)
    dmv, _ = train_counts(CountSettings(non_heads=("ud",), iterations=5), reading, train)
    with warnings.catch_warnings():
        warnings.simplefilter("error", LikelihoodFell)
        model = train_clause_model("clauses", dmv, groups_of(dmv.tags, ["VERB"]), train, strength=50.0)
    return dmv, model, train


def test_training_makes_the_sentences_more_probable_and_keeps_every_row_a_distribution(trained):
    dmv, model, train = trained
    assert log_partition(*model.problem(train)).sum() > log_partition(*dmv.problem(train)).sum()
    for part in (model.table.root, model.table.child, model.table.decision):
        np.testing.assert_allclose(np.exp(part).sum(axis=-1), 1.0)


def test_the_whole_package_parses_with_the_model(trained):
    _, model, _ = trained
    sentence = "The/DET girls/NOUN answer/VERB the/DET letter/NOUN ./PUNCT"
    parser = Parser(model)
    (parse,) = parser.parse([sentence])
    assert parse.heads == [2, 3, 0, 5, 3, 3]
    best_first = parser.k_best(sentence, 3)
    assert best_first[0].heads == parse.heads
    assert len({tuple(tree.heads) for tree in best_first}) == 3
    assert sum(tree.probability for tree in best_first) <= 1.0


# ---------------------------------------------------------------- the program


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("demo")
    return demo_part(folder / "train.conllu"), demo_part(folder / "test.conllu", "test", 30)


def test_the_program_trains_parses_and_scores(files, tmp_path, capsys):
    train, test = files
    out = tmp_path / "parsed.conllu"
    assert clause_model.main(["--train", str(train), "--test", str(test), "--out", str(out)]) == 0
    output = capsys.readouterr().out
    found = scores(output)
    assert list(found) == ["dmv", "others | ROOT", "VERB | others | ROOT", "each tag | ROOT"]
    assert all(30 < row[0] <= 100 for row in found.values())
    assert len(re.findall(r"^  [A-Z]+ (?:left|right)(?: +\d+){4}$", output, re.MULTILINE)) == 8
    parsed, gold = list(read_sentences(out)), list(read_sentences(test))
    assert [one.forms for one in parsed] == [one.forms for one in gold]
    for one in parsed:
        tags = one.column(4)
        assert is_projective(one.heads)
        assert not any(tags[head - 1] in UD_NON_HEADS for head in one.heads if head)


def test_gold_trees_of_the_training_file_have_no_influence(files, tmp_path, capsys):
    train, test = files
    blank = tmp_path / "blank.conllu"
    blank.write_text(without_heads(train.read_text(encoding="utf-8")), encoding="utf-8")
    outputs = []
    for file in (train, blank):
        assert clause_model.main(["--train", str(file), "--test", str(test), "--groups"]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    assert "VERB | others" not in outputs[0]  # --groups with nothing after it


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--train", "{train}"], "--train and --test: give both"),
        (["--train", "{train}", "--test", "{test}", "--groups", "XYZ"], "no training sentence has the tag 'XYZ'"),
        (["--train", "{train}", "--test", "{test}", "--groups", "VERB", "NOUN+VERB"], "VERB is named twice"),
        (["--train", "nowhere.conllu", "--test", "{test}"], "nowhere.conllu"),
        (["--strength", "0"], "--strength cannot be 0.0"),
        (["--train", "{train}", "--test", "{test}", "--max-length", "0"], "--max-length must be at least 1"),
        (["--train", "{small}", "--test", "{test}"], "do not have: "),
        (["--train", "{train}", "--test", "{headless}"], "headless.conllu"),
    ],
)
def test_faults_are_told_in_a_line(given, said, files, tmp_path, capsys):
    train, test = files
    small, headless = tmp_path / "small.conllu", tmp_path / "headless.conllu"
    small.write_text("1\tdogs\t_\tNOUN\t_\t_\t_\t_\t_\t_\n\n", encoding="utf-8")
    headless.write_text(without_heads(test.read_text(encoding="utf-8")), encoding="utf-8")
    places = {"train": train, "test": test, "small": small, "headless": headless}
    assert clause_model.main([part.format(**places) for part in given]) == 1
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error


def test_the_program_runs_from_anywhere(tmp_path):
    command = [sys.executable, clause_model.__file__, "--help"]
    shown = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True)
    assert clause_model.EXAMPLE in shown.stdout
