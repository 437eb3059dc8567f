"""Long sentences: what they cost is told before, and in pieces they cost no more than others."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from corpus.blocks import block, write
from learning.tagged import random_table

from depinduce.corpus import Vocabulary, read_sentences, read_text
from depinduce.evaluation.trees import is_projective
from depinduce.grammar.rules import Order
from depinduce.models.tag_model import GrammarModel
from depinduce.parsing import long_sentences, streams
from depinduce.parsing.decoding import Parsing
from depinduce.parsing.long_sentences import cost_of
from depinduce.parsing.streams import about_long_sentence, parse_file, parse_sentences

TAGS = Vocabulary(["N", "V", "D"], [1, 1, 1])
WAYS = [{}, {"decode": "mbr"}, {"k_best": 3}, {"samples": 2}, {"posteriors": True}]


@pytest.fixture(scope="module")
def model() -> GrammarModel:
    return GrammarModel(Order.FIRST, TAGS, random_table(Order.FIRST, 3, seed=1))


def random_block(words: int, seed: int = 0) -> str:
    tags = np.random.default_rng(seed).choice(["N", "V", "D", "PUNCT"], size=words, p=[0.3, 0.3, 0.3, 0.1])
    return block(" ".join(f"w/{tag}" for tag in tags))


def heads_of(model: GrammarModel, text: str, **options) -> list[list[int]]:
    trees, _ = parse_sentences(model, list(read_text(text)), Parsing(**options))
    return [tree.heads for several in trees for tree in several]


def test_pieces_are_parsed_alone_and_their_roots_joined(model):
    words = [f"w/{tag}" for tag in ["N", "V", "D", "N", "V", "N", "D", "V", "N", "N"]]
    (heads,) = heads_of(model, block(" ".join(words)), max_words=4)  # pieces of 3, 3 and 4 words
    expected, root = [], 0
    for start, end in ((0, 3), (3, 6), (6, 10)):
        (alone,) = heads_of(model, block(" ".join(words[start:end])))
        expected += [head + start if head else root for head in alone]
        root = start + alone.index(0) + 1
    assert heads == expected


@pytest.mark.parametrize("options", WAYS, ids=str)
@pytest.mark.parametrize("longest", [1, 2, 7, 40])
def test_trees_of_pieces_are_projective_with_one_root(model, longest, options):
    text = "".join(random_block(words, seed=words) for words in (60, 3, 41, 1, 90))
    for heads in heads_of(model, text, max_words=longest, **options):
        assert heads.count(0) == 1 and is_projective(heads)


def test_shorter_sentences_are_parsed_as_without_a_limit(model):
    short, long = random_block(12, seed=1), random_block(50, seed=2)
    several = {"k_best": 2, "log_likelihood": True}
    with_long, _ = parse_sentences(model, list(read_text(short + long + short)), Parsing(max_words=20, **several))
    (alone,), _ = parse_sentences(model, list(read_text(short)), Parsing(**several))
    for trees in (with_long[0], with_long[2]):
        assert [tree.heads for tree in trees] == [tree.heads for tree in alone]
        assert [tree.log_probability for tree in trees] == pytest.approx([tree.log_probability for tree in alone])


def test_a_sentence_in_pieces_says_so_and_claims_no_probability(model, tmp_path):
    path = write(tmp_path / "a.conllu", "# sent_id = s\n" + random_block(30), random_block(5))
    parsing = Parsing(k_best=2, posteriors=True, log_likelihood=True, max_words=10)
    totals = parse_file(model, path, tmp_path / "b.conllu", parsing)
    first, *others = read_sentences(tmp_path / "b.conllu", trees=True)
    assert first.comments == ["# sent_id = s", "# parsed_in_pieces = 3", "# tree = 1 of 1"]
    assert "Posterior" not in first.render() and len(others) == 2
    assert (totals.sentences, totals.cut) == (2, 1)


def test_the_cost_grows_with_the_cube_and_with_the_order(model):
    quick, slow = cost_of(model, Parsing(), 100, 3), cost_of(model, Parsing(), 2000, 3)
    assert slow.seconds == pytest.approx(8000 * quick.seconds) and slow.bytes == pytest.approx(400 * quick.bytes)
    assert not quick.is_high and slow.is_high
    assert not cost_of(model, Parsing(max_words=200), 2000, 3).is_high
    assert cost_of(model, Parsing(posteriors=True), 100, 3).seconds > 10 * quick.seconds
    grand = GrammarModel(Order.GRANDPARENT, TAGS, random_table(Order.GRANDPARENT, 3, seed=1))
    assert cost_of(grand, Parsing(), 100, 3).seconds == pytest.approx(4 * quick.seconds)


def test_the_first_long_sentence_is_warned_of_and_every_one_reported(model, tmp_path, monkeypatch):
    monkeypatch.setattr(long_sentences, "LONG_TIME", long_sentences.BEST_TREE * 120**3)
    monkeypatch.setattr(streams, "MOST_WORK", 120**3)
    path = write(tmp_path / "a.conllu", *(random_block(words) for words in (9, 120, 9, 130)))
    seen, out = [], tmp_path / "b.conllu"
    with pytest.warns(UserWarning) as warned:
        parse_file(model, path, out, Parsing(), lambda t: seen.append((t.sentences, t.ahead and t.ahead.words)))
    assert len(warned) == 1 and f"{path}:11: a sentence of 120 words" in str(warned[0].message)
    assert seen == [(1, None), (1, 120), (2, None), (3, None), (3, 130), (4, None)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parse_file(model, path, out, Parsing(max_words=20))


def test_what_is_said_of_a_long_sentence(model):
    (sentence,) = read_text(random_block(3), "a.conllu")
    told = about_long_sentence(sentence, cost_of(model, Parsing(), 2000, 3))
    assert told == (
        "a.conllu:1: a sentence of 2,000 words, which takes about 40 s and 1.4 GB of memory. With --max-words 200 such "
        "sentences are parsed in pieces"
    )
    assert "about 11 min and" in about_long_sentence(sentence, cost_of(model, Parsing(decode="mbr"), 2000, 3))
