"""Parsed files: only HEAD changes, every tree is a tree, and blocks make no difference."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from chart.enumeration import projective_trees
from corpus.blocks import block, write
from learning.tagged import random_table, tagged

from depinduce.corpus import Reading, Vocabulary, load_corpus, read_sentences
from depinduce.corpus.demo import demo_file
from depinduce.evaluation.trees import find_cycle, is_projective
from depinduce.grammar.rules import Order, RuleTable
from depinduce.grammar.trees import tree_log_potentials
from depinduce.learning.count_settings import CountSettings
from depinduce.learning.count_training import train_counts
from depinduce.models.grammar_model import GrammarModel
from depinduce.models.parsing import Parsing, parse_corpus, parse_stream

TRICKY = sorted((Path(__file__).parents[1] / "corpus" / "tricky").glob("*.conllu"))
every_decoder = pytest.mark.parametrize("decode", ["viterbi", "mbr"])


@pytest.fixture(scope="module")
def model() -> GrammarModel:
    reading = Reading()
    return train_counts(CountSettings(iterations=5, non_heads=("ud",)), reading, load_corpus(demo_file("train")))[0]


def parsed(model: GrammarModel, path: Path, parsing: Parsing | None = None, block: int = 2000) -> str:
    blocks = parse_stream(model, read_sentences(path), parsing or Parsing(), block)
    return "".join(text for block in blocks for text in block.rendered)


def without_heads(text: str) -> list[str]:
    """The lines of a file, the HEAD of every word (not of 1-2 or 8.1) taken out."""
    return [re.sub(r"^(\ufeff?\d+(?:\t[^\t]*){5}\t)[^\t]*", r"\1", line) for line in text.split("\n")]


def words_of(text: str) -> list[list[list[str]]]:
    """The word lines of each sentence, cut into columns."""
    sentences = re.split(r"\n\r?\n", text)
    words = [[line.split("\t") for line in re.findall(r"^\d+\t.*", sentence, re.M)] for sentence in sentences]
    return [sentence for sentence in words if sentence]


@every_decoder
@pytest.mark.parametrize("path", TRICKY, ids=lambda path: path.stem)
def test_nothing_but_heads_changes_in_tricky_files(model, path, decode):
    before = path.read_bytes().decode()
    after = parsed(model, path, Parsing(decode=decode))
    assert without_heads(after) == without_heads(before)


def test_nothing_but_heads_changes_in_the_demo_corpus(model):
    before = demo_file("test").read_text("utf-8")
    after = parsed(model, demo_file("test"))
    assert without_heads(after) == without_heads(before)
    assert after != before  # the trees of depinduce are not all right


@every_decoder
def test_every_sentence_gets_one_projective_tree_punctuation_included(model, decode, tmp_path):
    path = write(
        tmp_path / "a.conllu",
        block('"/PUNCT The/DET dog/NOUN ,/PUNCT it/PRON barks/VERB ./PUNCT "/PUNCT'),
        block("./PUNCT"),
        block("!/PUNCT ?/PUNCT !/PUNCT"),
        block("(/PUNCT Yes/INTJ )/PUNCT"),
        block("the/DET of/ADP and/CCONJ"),
        demo_file("dev").read_text("utf-8"),
    )
    sentences = words_of(parsed(model, path, Parsing(decode=decode)))
    assert len(sentences) == 5 + 150
    for sentence in sentences:
        heads = [int(columns[6]) for columns in sentence]
        assert heads.count(0) == 1
        assert find_cycle(heads) is None
        assert is_projective(heads)


def test_gold_heads_in_the_input_are_not_looked_at(model, tmp_path):
    text = demo_file("dev").read_text("utf-8")
    blank = re.sub(r"^(\d+(?:\t[^\t]*){5}\t)\d+", r"\1_", text, flags=re.M)
    assert "\t_\tdet\t" in blank
    assert parsed(model, write(tmp_path / "blank.conllu", blank)) == parsed(model, demo_file("dev"))


def test_words_without_punctuation_keep_the_trees_of_the_model(model):
    corpus = load_corpus(demo_file("dev"), tag_vocabulary=model.tags)
    heads = parse_corpus(model, corpus, Parsing())
    text = parsed(model, demo_file("dev"))
    again = [[int(columns[6]) for columns in sentence if columns[3] != "PUNCT"] for sentence in words_of(text)]
    marks = [[i for i, columns in enumerate(s, start=1) if columns[3] == "PUNCT"] for s in words_of(text)]
    renumbered = [head - sum(m < head for m in ms) for s, ms in zip(again, marks, strict=True) for head in s]
    assert renumbered == heads.tolist()


@pytest.mark.parametrize("size", [1, 7, 149, 150, 151])
def test_the_size_of_the_blocks_does_not_matter(model, size):
    whole = parsed(model, demo_file("test"), Parsing(posteriors=True))
    assert parsed(model, demo_file("test"), Parsing(posteriors=True), block=size) == whole


def test_the_number_of_threads_does_not_matter(model):
    assert parsed(model, demo_file("test"), Parsing(threads=3)) == parsed(model, demo_file("test"))


def test_blocks_count_what_is_in_them(model, tmp_path):
    path = write(tmp_path / "a.conllu", "# only this\n\n", block("It/PRON ?/FOO !/PUNCT"), block("a/BAR"), block("b/X"))
    first, second = parse_stream(model, read_sentences(path), Parsing(), block=3)
    assert (first.sentences, first.words, first.unknown_tags) == (2, 4, {"FOO", "BAR"})
    assert (second.sentences, second.words, second.unknown_tags) == (1, 1, {"X"})


def test_an_empty_file_stays_empty(model, tmp_path):
    assert list(parse_stream(model, read_sentences(write(tmp_path / "a.conllu", "")), Parsing())) == []


def test_the_tags_are_taken_from_where_the_model_learnt_them(tmp_path):
    table = random_table(Order.FIRST, 2, seed=1)
    sentence = block("a/X b/X c/X", xpos=["N", "V", "."])
    path = write(tmp_path / "a.conllu", sentence)
    model = GrammarModel(Order.FIRST, Vocabulary(["N", "V"], [1, 1]), table, reading=Reading("xpos", max_length=1))
    (found,) = parse_stream(model, read_sentences(path), Parsing())
    assert found.unknown_tags == set()  # "." is Penn punctuation; the length limit was one of training
    heads = parse_corpus(model, tagged("N V", vocabulary=model.tags), Parsing())
    assert [int(columns[6]) for columns in words_of(found.rendered[0])[0]][:2] == heads.tolist()


# ---------------------------------------------------------------- posteriors and minimum risk


def tree_probabilities(model: GrammarModel, tags: str) -> dict[tuple[int, ...], float]:
    """p(tree | sentence) of every projective tree, one by one."""
    corpus = tagged(tags, vocabulary=model.tags)
    table, batch, factors = model.problem(corpus)
    trees = projective_trees(len(corpus.tags))
    scores = np.array([tree_log_potentials(table, batch, np.array(tree), factors)[0] for tree in trees])
    weights = np.exp(scores - scores.max())
    return dict(zip(trees, weights / weights.sum(), strict=True))


def chance_of(head: int, word: int, probabilities: dict[tuple[int, ...], float]) -> float:
    return sum(chance for tree, chance in probabilities.items() if tree[word] == head)


SENTENCES = ["N V", "D N V D N", "V", "N N D V", "D D"]
TAGS = Vocabulary(["N", "V", "D"], [1, 1, 1])


@every_decoder
@pytest.mark.parametrize("order", list(Order))
def test_posteriors_are_the_probabilities_of_the_written_arcs(order, decode, tmp_path):
    model = GrammarModel(order, TAGS, random_table(order, 3, seed=2), non_heads=("D",))
    path = write(tmp_path / "a.conllu", *(block(re.sub(r"(\S)", r"x/\1", s) + " ./PUNCT") for s in SENTENCES))
    text = parsed(model, path, Parsing(decode=decode, posteriors=True))
    for tags, sentence in zip(SENTENCES, words_of(text), strict=True):
        probabilities = tree_probabilities(model, tags)
        *words, mark = sentence
        assert mark[9] == "_"
        for word, columns in enumerate(words):
            (written,) = re.fullmatch(r"Posterior=(\d\.\d{4})", columns[9]).groups()
            assert 0 <= float(written) <= 1
            assert float(written) == pytest.approx(chance_of(int(columns[6]), word, probabilities), abs=6e-5)


@pytest.mark.parametrize("order", list(Order))
def test_minimum_risk_trees_have_the_most_right_heads_in_expectation(order):
    model = GrammarModel(order, TAGS, random_table(order, 3, seed=3), non_heads=("D",))
    for tags in SENTENCES:
        heads = parse_corpus(model, tagged(tags, vocabulary=TAGS), Parsing(decode="mbr"))
        probabilities = tree_probabilities(model, tags)

        def expected(tree, probabilities=probabilities):
            return sum(chance_of(head, word, probabilities) for word, head in enumerate(tree))

        assert expected(heads) == pytest.approx(max(map(expected, probabilities)), rel=1e-9)


def test_posteriors_join_what_misc_holds_already(model, tmp_path):
    sentence = block("It/PRON rains/VERB").replace("_\n", "SpaceAfter=No|Posterior=9\n", 1)
    text = parsed(model, write(tmp_path / "a.conllu", sentence), Parsing(posteriors=True))
    first, second = words_of(text)[0]
    assert re.fullmatch(r"SpaceAfter=No\|Posterior=[01]\.\d{4}", first[9])
    assert re.fullmatch(r"Posterior=[01]\.\d{4}", second[9])


def test_a_sentence_without_any_possible_tree_becomes_a_chain(tmp_path):
    impossible = RuleTable(np.zeros(1), np.full((4, 1), -np.inf), np.zeros((4, 2)))
    model = GrammarModel(Order.FIRST, Vocabulary(["N"], [1]), impossible)
    path = write(tmp_path / "a.conllu", block("a/N"), block("a/N b/N c/N"))
    alone, chain = words_of(parsed(model, path, Parsing(posteriors=True)))
    assert [columns[6] for columns in alone] == ["0"]
    assert [columns[6] for columns in chain] == ["0", "1", "2"]
    assert [columns[9] for columns in chain] == ["Posterior=0.0000"] * 3
