"""The clause grammar: its batch against the enumeration of all trees, its training, and the program that compares."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import clause_contexts
import numpy as np
import pytest
from clause_model import CLAUSE, ClauseModel, ClauseSettings, clause_batch, groups_of, spread
from cli.demo_parts import demo_part, without_heads
from examples.printed import scores
from examples.stories import Choice, Told, random_table

from depinduce import Parser
from depinduce.chart.engine import best_trees, expectations, log_partition
from depinduce.corpus import Corpus, Reading, build_corpus, load_corpus
from depinduce.corpus.demo import demo_file
from depinduce.corpus.tagged import as_sentence
from depinduce.errors import DepinduceError
from depinduce.grammar.multinomials import Multinomials, random_counts
from depinduce.grammar.rules import HAS, NO, Order, RuleCounts, tag_batch
from depinduce.learning.run import Run
from depinduce.learning.settings.configuration import Configuration
from depinduce.learning.settings.counts import CountSettings
from depinduce.learning.training import LikelihoodFell
from depinduce.models.table import MODELS

GROUPS = np.array([1, 0, 1, 2], dtype=np.int32)  # of four tags; ROOT is 3
AXES = (2, 4, 4, 2)  # direction, head, group or ROOT, valence


def sentences(*tags: str):
    return build_corpus([as_sentence([("w", tag) for tag in line.split()]) for line in tags])


@pytest.fixture(scope="module", autouse=True)
def known():
    """The line of the model in the table, as long as these tests run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(MODELS, "clause", CLAUSE)
        yield


def batch_of(corpus: Corpus, groups: np.ndarray):
    return clause_batch(corpus.tags, corpus.offsets, groups)


@pytest.fixture
def corpus():
    return sentences("A B C D", "B", "D C", "C A B A D", "A A B")


def row(tags: np.ndarray, choice: Choice) -> tuple[int, ...]:
    """The context of the clause model, by its definition."""
    group = 3 if choice.above is None else GROUPS[tags[choice.above]]
    return choice.direction, tags[choice.head], group, HAS if choice.previous else NO


def test_the_chart_with_the_new_batch_equals_enumeration(corpus):
    table = random_table(np.random.default_rng(1), AXES, tags=4)
    batch = clause_batch(corpus.tags, corpus.offsets, GROUPS)
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
    np.testing.assert_allclose(log_partition(table, batch_of(corpus, every_tag)), log_partition(table, plain))


def test_a_spread_table_is_the_dmv_again(corpus):
    dmv = Multinomials.smoothed(Order.FIRST, 4, 0.0).estimate(random_counts(Order.FIRST, 4, seed=3))
    plain = tag_batch(Order.FIRST, corpus.tags, corpus.offsets, 4)
    spread_out = log_partition(spread(dmv, GROUPS), batch_of(corpus, GROUPS))
    np.testing.assert_allclose(spread_out, log_partition(dmv, plain))


def test_groups_are_numbered_as_they_are_named_and_the_rest_is_last():
    tags = sentences("A B C D E").tag_vocabulary
    named = dict(zip(tags.symbols, groups_of(tags, ["C+A", "E"]).tolist(), strict=True))
    assert named == {"A": 0, "C": 0, "E": 1, "B": 2, "D": 2}
    assert set(groups_of(tags, []).tolist()) == {0}
    assert groups_of(tags, list(tags)).tolist() == [0, 1, 2, 3, 4]
    with_plus = sentences("A B A+B").tag_vocabulary
    assert [tag for tag, group in zip(with_plus, groups_of(with_plus, ["A+B"]), strict=True) if group == 0] == ["A+B"]


@pytest.fixture
def model(corpus):
    """Any clause grammar."""
    return ClauseModel(corpus.tag_vocabulary, ("B", "A+C"), random_table(np.random.default_rng(4), AXES, tags=4))


def test_the_rules_that_are_listed_are_those_that_parse(corpus, model):
    listed, (opened,) = model.rule_view(), model.open_rules(corpus)
    for problem in (listed.problem(corpus), opened.problem):
        np.testing.assert_allclose(problem.log_partition(), model.problem(corpus).log_partition())
        np.testing.assert_array_equal(problem.best_trees().heads, model.problem(corpus).best_trees().heads)


@pytest.mark.filterwarnings("ignore:tags that training has not seen")
def test_a_tag_that_training_has_not_seen_never_reaches_the_chart_of_groups(model):
    """The grandparent grammar that says the same knows what to do with it."""
    sentence = [("w", "A"), ("w", "Z"), ("w", "B")]
    (parse,), (listed,) = (Parser(one).parse([sentence]) for one in (model, model.rule_view()))
    assert parse.heads == listed.heads
    assert parse.log_probability == pytest.approx(listed.log_probability)


def test_a_saved_model_comes_back_and_a_damaged_one_is_refused(model, tmp_path):
    model.save(tmp_path / "model")
    back = Parser.load(tmp_path / "model").model
    assert (back.groups, back.about) == (("B", "A+C"), model.about)
    assert all(one.tobytes() == other.tobytes() for one, other in zip(back.table.parts, model.table.parts, strict=True))
    replace(model, groups=("B",)).save(tmp_path / "other")  # which has fewer rows
    with pytest.raises(DepinduceError, match="the tables are not those of these groups"):
        Parser.load(tmp_path / "other")


@pytest.fixture(scope="module")
def trained():
    reading = Reading(max_length=8)
    train = load_corpus(demo_file("train"), reading)
    plain = CountSettings(non_heads=("ud",), iterations=5)
    ours = ClauseSettings(model="clause", non_heads=("ud",), start_iterations=5, strength=50.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", LikelihoodFell)
        (dmv, _), (model, _) = (Run(Configuration(settings, None, reading), train).go() for settings in (plain, ours))
    return dmv, model, train


def test_training_makes_the_sentences_more_probable_and_keeps_every_row_a_distribution(trained):
    dmv, model, train = trained
    assert log_partition(*model.problem(train)).sum() > log_partition(*dmv.problem(train)).sum()
    for part in model.table.parts:
        np.testing.assert_allclose(np.exp(part).sum(axis=-1), 1.0)


def test_it_begins_as_the_dmv_that_it_never_forgets(trained):
    dmv, model, train = trained
    first = model.history["rounds"][0]["train"]
    assert first == pytest.approx(log_partition(*dmv.problem(train)).mean())


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


def test_the_program_trains_parses_and_scores(files, capsys):
    train, test = files
    assert clause_contexts.main(["--train", str(train), "--test", str(test)]) == 0
    output = capsys.readouterr().out
    found = scores(output)
    assert list(found) == ["dmv", "others | ROOT", "VERB | others | ROOT", "each tag | ROOT"]
    assert all(30 < row[0] <= 100 for row in found.values())
    assert len(re.findall(r"^  [A-Z]+ (?:left|right)(?: +\d+){4}$", output, re.MULTILINE)) == 8


def test_gold_trees_of_the_training_file_have_no_influence(files, tmp_path, capsys):
    train, test = files
    blank = tmp_path / "blank.conllu"
    blank.write_text(without_heads(train.read_text(encoding="utf-8")), encoding="utf-8")
    outputs = []
    for file in (train, blank):
        assert clause_contexts.main(["--train", str(file), "--test", str(test), "--groups"]) == 0
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
    assert clause_contexts.main([part.format(**places) for part in given]) == 1
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error


def test_the_program_runs_from_anywhere(tmp_path):
    command = [sys.executable, clause_contexts.__file__, "--help"]
    shown = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True)
    assert clause_contexts.EXAMPLE in shown.stdout
