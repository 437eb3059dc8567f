"""The rules that are shown of a tree are the model's own, and their product is its probability."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from chart.enumeration import projective_trees
from cli.demo_parts import demo_part
from models.worded import worded
from serve.small_models import joint, known, over_tags, over_words, row, sentence

from depinduce import Parser
from depinduce.chart.engine import log_partition
from depinduce.grammar.rules import GO, HAS, NO, STOP, Order
from depinduce.grammar.trees import tree_log_potentials
from depinduce.insight.stories import stories

MODELS = {
    "first": partial(over_tags, Order.FIRST),
    "sibling": partial(over_tags, Order.SIBLING),
    "grandparent": partial(over_tags, Order.GRANDPARENT),
    "inside out": partial(over_tags, Order.SIBLING, inside_out=True),
    "words": partial(over_words, Order.FIRST),
    "words, sibling": partial(over_words, Order.SIBLING),
    "words, grandparent": partial(over_words, Order.GRANDPARENT),
    "joint, sibling": partial(joint, Order.SIBLING),
    "joint, grandparent": partial(joint, Order.GRANDPARENT),
    "joint, inside out": partial(joint, Order.SIBLING, inside_out=True),
}
every_model = pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
NOUN, VERB = 0, 1
NULL = ROOT = 2  # as a context


def log_probability(model, corpus, heads) -> float:
    return sum(story.log_probability for story in stories(model, corpus, heads))


# ---------------------------------------------------------------- the product


@every_model
@pytest.mark.parametrize("text", ["a/N", "a/V b/N a/N b/D", "a/N ?/X b/V zzz/N"], ids=["one", "known", "unknown"])
def test_the_product_of_all_rules_is_the_probability_of_the_tree(make, text):
    model, corpus = make(), sentence(text)
    problem = model.problem(corpus)
    trees = projective_trees(len(corpus.tags))
    found = np.array([log_probability(model, corpus, heads) for heads in trees])
    table, batch, factors = problem
    expected = [tree_log_potentials(table, batch, np.array(heads), factors)[0] for heads in trees]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    assert np.logaddexp.reduce(found) == pytest.approx(log_partition(*problem)[0], abs=1e-9)


@every_model
def test_the_rules_of_the_best_tree_are_as_probable_as_the_parser_says(make):
    parser = Parser(make())
    (parse,) = parser.parse(["a/N b/V a/D b/N a/N d/V"])
    assert log_probability(parser.model, sentence("a/N b/V a/D b/N a/N d/V"), parse.heads) == pytest.approx(
        parse.log_probability, abs=1e-9
    )


@every_model
def test_a_child_of_a_non_head_is_told_to_be_forbidden(make):
    model, corpus = make("D"), sentence("a/N b/D")
    for heads, allowed in (([0, 1], True), ([2, 0], False)):
        forbidden = [
            rule.text
            for story in stories(model, corpus, heads)
            for word in story.words
            for rule in word.arc
            if rule.log_probability == -math.inf
        ]
        assert bool(forbidden) != allowed
        assert all("may not have children" in text for text in forbidden)
        assert math.isfinite(log_probability(model, corpus, heads)) == allowed


def test_a_sentence_of_non_heads_alone_is_exempt():
    assert math.isfinite(log_probability(over_tags(Order.FIRST, "D"), sentence("a/D b/D"), [0, 1]))


# ---------------------------------------------------------------- the words


def told(model, heads, word):
    """Text and number of every rule of a word of NOUN NOUN VERB NOUN, rounded as `known` makes them."""
    corpus = worded("a/NOUN b/NOUN c/VERB d/NOUN", tags=model.tags)
    (story,) = stories(model, corpus, heads)
    assert story.title == ""
    rules = story.words[word - 1]
    return [(rule.text, round(-rule.log_probability, 6)) for rule in (*rules.arc, *rules.stops)]


def decision(place: int, kind: int) -> float:
    return round(2 + place / 100 + kind / 1000, 6)


def child(place: int, tag: int) -> float:
    return round(1 + place / 100 + tag / 1000, 6)


BOTH_LEFT = [3, 3, 0, 3]  # the verb has two nouns on its left, one on its right


def test_first_order_rules_in_words():
    at = partial(row, Order.FIRST)
    grammar = known(Order.FIRST)
    assert told(grammar, BOTH_LEFT, 3) == [
        ("the root is VERB", 3.001),
        ("VERB takes no more children further in on its left", decision(at("left", VERB, HAS), STOP)),
        ("VERB takes no more children further in on its right", decision(at("right", VERB, HAS), STOP)),
    ]
    assert told(grammar, BOTH_LEFT, 1) == [
        ("VERB has a child on its left", decision(at("left", VERB, NO), GO)),
        ("VERB takes NOUN as the farthest child on its left", child(at("left", VERB, NO), NOUN)),
        ("NOUN has no child on its left", decision(at("left", NOUN, NO), STOP)),
        ("NOUN has no child on its right", decision(at("right", NOUN, NO), STOP)),
    ]
    assert told(grammar, BOTH_LEFT, 2)[:2] == [
        ("VERB takes one more child further in on its left", decision(at("left", VERB, HAS), GO)),
        ("VERB takes NOUN further in on its left", child(at("left", VERB, HAS), NOUN)),
    ]


def test_sibling_rules_in_words():
    at = partial(row, Order.SIBLING)
    grammar = known(Order.SIBLING)
    assert told(grammar, BOTH_LEFT, 1)[:2] == [
        ("VERB has a child on its left", decision(at("left", VERB, NULL), GO)),
        ("VERB takes NOUN as the farthest child on its left", child(at("left", VERB, NULL), NOUN)),
    ]
    assert told(grammar, BOTH_LEFT, 2)[:2] == [
        ("after NOUN, VERB takes one more child further in on its left", decision(at("left", VERB, NOUN), GO)),
        ("after NOUN, VERB takes NOUN further in on its left", child(at("left", VERB, NOUN), NOUN)),
    ]
    assert told(grammar, BOTH_LEFT, 3)[1] == (
        "after NOUN, VERB takes no more children further in on its left",
        decision(at("left", VERB, NOUN), STOP),
    )


def test_inside_out_rules_begin_with_the_nearest_child():
    at = partial(row, Order.SIBLING)
    grammar = known(Order.SIBLING, inside_out=True)
    assert told(grammar, BOTH_LEFT, 2)[:2] == [
        ("VERB has a child on its left", decision(at("left", VERB, NULL), GO)),
        ("VERB takes NOUN as the nearest child on its left", child(at("left", VERB, NULL), NOUN)),
    ]
    assert told(grammar, BOTH_LEFT, 1)[:2] == [
        ("after NOUN, VERB takes one more child further out on its left", decision(at("left", VERB, NOUN), GO)),
        ("after NOUN, VERB takes NOUN further out on its left", child(at("left", VERB, NOUN), NOUN)),
    ]


def test_grandparent_rules_in_words():
    at = partial(row, Order.GRANDPARENT)
    grammar = known(Order.GRANDPARENT)
    assert told(grammar, [2, 3, 0, 3], 1)[:2] == [
        ("NOUN under VERB has a child on its left", decision(at("left", NOUN, VERB, NO), GO)),
        ("NOUN under VERB takes NOUN as the farthest child on its left", child(at("left", NOUN, VERB, NO), NOUN)),
    ]
    assert told(grammar, [2, 3, 0, 3], 4)[:2] == [
        ("VERB as the root has a child on its right", decision(at("right", VERB, ROOT, NO), GO)),
        ("VERB as the root takes NOUN as the farthest child on its right", child(at("right", VERB, ROOT, NO), NOUN)),
    ]


def test_rules_over_words_name_words_that_are_known_and_tags_of_others():
    (story,) = stories(over_words(Order.FIRST), sentence("a/N zzz/V"), [2, 0])
    assert story.words[0].arc[1].text == "V takes a/N as the farthest child on its left"


def test_a_joint_model_tells_both_of_its_parts():
    tags, words = stories(joint(Order.SIBLING), sentence("a/N a/V"), [2, 0])
    assert (tags.title, words.title) == ("the grammar over tags", "the grammar over words")
    assert tags.words[0].arc[1].text == "V takes N as the farthest child on its left"
    assert words.words[0].arc[1].text == "a/V takes a/N as the farthest child on its left"


def test_an_unknown_tag_is_said_to_be_one():
    (story,) = stories(over_tags(Order.FIRST), sentence("?/X a/V"), [2, 0])
    assert story.words[0].arc[1].text == "V takes a tag that it does not know as the farthest child on its left"


@pytest.fixture(scope="module")
def hidden(tmp_path_factory) -> Parser:
    train = demo_part(tmp_path_factory.mktemp("hidden") / "train.conllu", count=60)
    return Parser.train(train, model="hdp-dep", rules="ud", iterations=2, subsymbols=2, non_heads="ud")


def test_of_hidden_states_the_summed_grammar_is_told(hidden):
    tags = hidden.tags
    corpus = worded("a/NOUN b/VERB", tags=hidden.model.tags)
    (story,) = stories(hidden.model, corpus, [2, 0])
    assert story.title == "the grammar without its hidden states"
    table = hidden.model.rule_view().table
    assert story.words[1].arc[0].text == "the root is VERB"
    assert story.words[1].arc[0].log_probability == pytest.approx(table.root[tags.index("VERB")])
    assert story.words[0].arc[1].text == "VERB takes NOUN as the farthest child on its left"
    (forbidden,) = stories(hidden.model, worded("a/DET b/NOUN", tags=hidden.model.tags), [0, 1])
    assert forbidden.words[1].arc[-1].text.startswith("DET may not have children")
