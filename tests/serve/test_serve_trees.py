"""Trees around heads that are decided: they are trees, and have these heads wherever a tree can."""

from __future__ import annotations

import itertools
import random

import pytest
from serve.desks import block

from depinduce import Parser
from depinduce.corpus import read_text
from depinduce.serve import trees
from depinduce.serve.trees import OPEN, is_tree, trees_around, with_head

TEXT = "the old dogs bark ."


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser.train(["the/DET dogs/NOUN bark/VERB", "old/ADJ cats/NOUN sleep/VERB", "dogs/NOUN bark/VERB"],
                        iterations=3)  # fmt: skip


def sentence(text=TEXT):
    (found,) = read_text(block(text))
    return found


def around(parser, decided, text=TEXT):
    (found,) = trees_around(parser.model, [sentence(text)], [decided])
    return found


def has_all(heads, decided) -> bool:
    return all(wanted in (OPEN, head) for wanted, head in zip(decided, heads, strict=True))


def test_of_all_trees_with_the_decided_heads_it_is_the_most_probable(parser):
    text = "the old dogs bark"
    ranked = [tree.heads for tree in parser.k_best(sentence(text), 100)]
    assert len(ranked) == 30  # all projective trees of four words
    for size in range(4):
        for words in itertools.combinations(range(4), size):
            for tree in ranked[::7]:
                decided = [head if word in words else OPEN for word, head in enumerate(tree)]
                best = next(heads for heads in ranked if has_all(heads, decided))
                assert around(parser, decided, text).heads == best


def test_probabilities_are_those_of_arcs_that_the_grammar_chose(parser):
    found = around(parser, [3, OPEN, OPEN, 0, OPEN])
    assert [value is None for value in found.probabilities] == [True, False, False, True, True]
    assert found.certainty == pytest.approx(sum(found.probabilities[1:3]) / 2)
    assert around(parser, [3, 3, 4, 0, 4]).certainty is None


@pytest.mark.parametrize(
    "decided",
    [
        [4, OPEN, 1, OPEN, OPEN],  # which cross
        [3, 4, OPEN, 0, OPEN],
        [OPEN, OPEN, OPEN, 5, 0],  # under punctuation
        [5, OPEN, OPEN, OPEN, OPEN],
        [OPEN, OPEN, OPEN, OPEN, 1],
        [3, 4, 4, 0, 4],  # a whole tree
    ],
)
def test_heads_that_no_chart_has_are_kept_nevertheless(decided, parser):
    found = around(parser, decided)
    assert is_tree(found.heads)
    assert found.lost == ()
    assert has_all(found.heads, decided)


@pytest.mark.parametrize(("decided", "lost"), [([2, 1, OPEN, OPEN, OPEN], 1), ([0, OPEN, 0, OPEN, OPEN], 1)])
def test_what_no_tree_can_have_is_told(decided, lost, parser):
    found = around(parser, decided)
    assert is_tree(found.heads)
    assert len(found.lost) == lost


def test_sentences_together_have_the_trees_that_each_has_alone(parser):
    texts = [TEXT, "old cats sleep", "dogs bark", TEXT]
    decided = [[4, OPEN, 1, OPEN, OPEN], [OPEN] * 3, [2, 0], [OPEN, OPEN, OPEN, 3, OPEN]]
    together = trees_around(parser.model, [sentence(text) for text in texts], decided)
    assert together == [around(parser, *pair) for pair in zip(decided, texts, strict=True)]


def test_a_sentence_that_is_too_long_for_a_chart_keeps_its_heads(parser, monkeypatch):
    monkeypatch.setattr(trees, "MOST_WORDS", 3)
    found = around(parser, [4, OPEN, OPEN, OPEN, OPEN])
    assert is_tree(found.heads)
    assert found.heads[0] == 4


def test_a_new_head_changes_the_others_as_little_as_makes_a_tree():
    draw = random.Random(3)
    for _ in range(2000):
        heads = [1] * 5
        while not is_tree(heads):
            heads = [draw.randint(0, 5) for _ in range(5)]
        word, head = draw.sample(range(6), 2)
        if word == 0:
            continue
        changed = with_head(heads, word, head)
        assert changed is not None
        assert is_tree(changed)
        assert changed[word - 1] == head
        assert sum(one != other for one, other in zip(heads, changed, strict=True)) <= 2


def test_fixed_words_stay_or_nothing_is_done():
    assert with_head([2, 3, 0], 3, 1) == [0, 3, 1]
    assert with_head([2, 3, 0], 3, 1, fixed={1}) == [2, 0, 1]
    assert with_head([2, 3, 0], 3, 1, fixed={1, 2}) is None
    assert with_head([2, 0, 2], 3, 0, fixed={2}) is None
