"""What trees are probably worth, and what looks wrong about them: grammars that are good or bad by design."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from learning.tagged import tagged

from depinduce.corpus import Corpus, Reading, Vocabulary, load_corpus
from depinduce.corpus.demo import demo_file
from depinduce.evaluation.scores import score
from depinduce.grammar.rules import Order, RuleTable
from depinduce.learning.health import DOUBTFUL, GOOD, POOR, UNKNOWN, Signs, _verdict, health
from depinduce.learning.run import Run
from depinduce.learning.settings.configuration import configure
from depinduce.learning.trust import Yardstick
from depinduce.models.model import Model
from depinduce.models.tag_model import GrammarModel
from depinduce.parsing.decoding import Parsing, parse_corpus


@pytest.fixture(scope="module")
def text() -> Corpus:
    return load_corpus(demo_file("train"), Reading(max_length=15), with_heads=True)


def trained(text: Corpus, **settings) -> Model:
    return Run(configure({"model": "dmv", "iterations": 15, "max_length": 15} | settings), text).go()[0]


@pytest.fixture(scope="module")
def good(text) -> Model:
    return trained(text, non_heads=("ud",))


def inverted(text: Corpus) -> GrammarModel:
    """A grammar in which determiners head nouns, and nouns verbs."""
    tags = text.tag_vocabulary
    chain = ["DET", "NOUN", "VERB"]
    root, child = np.full(len(tags), 0.001), np.full((*Order.FIRST.shape(len(tags)), len(tags)), 0.001)
    root[tags.id("DET")] = 1
    for head, below in zip(chain, chain[1:], strict=False):
        child[:, tags.id(head), :, tags.id(below)] = 1
    decision = np.full((*Order.FIRST.shape(len(tags)), 2), 0.5)
    rules = RuleTable.of_tags(np.log(root / root.sum()), np.log(child / child.sum(-1, keepdims=True)), np.log(decision))
    return GrammarModel(Order.FIRST, tags, rules, history={"training_data": {"sentences": 1200}})


def test_the_verdict_is_about_the_trees(text, good):
    bad = inverted(text)
    found, warned = health(good, text), health(bad, text)
    assert (found.verdict, warned.verdict) == (GOOD, POOR)
    for model, told in ((good, found), (bad, warned)):
        right = score(text.gold, parse_corpus(model, text, Parsing()), text.offsets).uas / 100
        assert told.expected == pytest.approx(right, abs=0.12)
    assert warned.remedies[0].startswith("--recipe adapt") and "verdict: poor. About" in str(warned)
    assert any("the root is no verb in" in finding for finding in warned.findings)
    assert any("of the words hang on function words" in finding for finding in warned.findings)
    assert any("--non-heads ud" in remedy for remedy in warned.remedies)


@pytest.mark.parametrize(
    ("expected", "neighbours", "is_far", "verdict"),
    [
        (0.56, 0.3, False, GOOD),
        (0.54, 0.3, False, DOUBTFUL),
        (0.56, 0.3, True, DOUBTFUL),  # nobody can tell
        (0.44, 0.3, False, POOR),
        (0.56, 0.5, False, POOR),  # hardly better than the next word
    ],
)
def test_where_one_verdict_ends_and_the_next_begins(expected, neighbours, is_far, verdict):
    assert _verdict(expected, neighbours, is_far) == verdict


def test_signs_are_counted_by_hand():
    tags = Vocabulary(["NOUN", "VERB", "ADJ", "DET"], [40, 20, 10, 10])
    text = tagged(*["DET ADJ NOUN VERB"] * 10, *["NOUN VERB"] * 10, vocabulary=tags)
    heads = np.array([3, 0, 2, 3] * 10 + [0, 1] * 10)  # adjectives are roots and head nouns; nouns are roots
    signs = Signs.of(Yardstick.of(text), heads)
    assert signs.other_roots == 1 and signs.their_tag in ("ADJ", "NOUN")
    assert signs.nouns_on_adjectives == 0.5 and signs.on_function_words == 0
    right = Signs.of(Yardstick.of(text), np.array([3, 3, 4, 0] * 10 + [2, 0] * 10))
    assert (right.other_roots, right.nouns_on_adjectives, right.their_tag) == (0, 0, "")
    assert right.unlikely < signs.unlikely and list(right.told()) == []


def test_few_sentences_an_interruption_and_other_seeds_are_told(text, good):
    history = good.history | {"training_data": {"sentences": 60}, "finished": False}
    told = health(replace(good, history=history), text, others=[good, inverted(text)])
    assert told.findings[:2] == ["it learned from 60 sentences only", "its training was interrupted"]
    assert told.findings[2].startswith("another seed gives the same head to ")
    assert "more text: some thousand short sentences" in told.remedies
    assert not any("another seed" in finding for finding in health(good, text, others=[good]).findings)


def test_of_other_tags_nothing_is_said_but_that():
    strange = tagged(*["X Y Y", "Y X Z"] * 20)
    told = health(trained(strange), strange)
    assert (told.verdict, told.expected) == (UNKNOWN, None)
    assert "--map" in str(told)
