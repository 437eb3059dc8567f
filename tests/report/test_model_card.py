"""The card of a grammar says whence it is and what it was told, in a head that YAML reads and in words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from learning.tagged import random_table

from depinduce import Parser
from depinduce.corpus import Vocabulary
from depinduce.corpus.demo import demo_file
from depinduce.grammar.rules import Order
from depinduce.models.tag_model import GrammarModel
from depinduce.report.model_card import About, card, licence_of

TAGS = Vocabulary(["NOUN", "VERB", "DET"], [5, 3, 1])
DATA = {"sentences": 1200, "words": 9000, "sha256": "ab" * 32}
TREES = {"sentences": 50, "whole": 40, "arcs": 300, "times": 1}


def model(**history) -> GrammarModel:
    return GrammarModel(Order.FIRST, TAGS, random_table(Order.FIRST, 3, 1), ("DET",), history=history)


def head_and_text(made: str) -> tuple[list[str], str]:
    opening, head, text = made.split("---\n", 2)
    assert opening == ""
    return head.splitlines(), text


def test_data_knowledge_and_trees_are_told():
    _, text = head_and_text(card(model(training_data=DATA, settings={"init": ["harmonic"]}), About("tiny")))
    assert "# tiny\n\nA first-order grammar over tags." in text
    assert "1,200 sentences" in text and "9,000 words" in text and "ab" * 32 in text
    assert "trees: none were given" in text
    assert "DET may not have children" in text
    assert "Not measured" in text and "- depinduce 0." in text
    _, text = head_and_text(card(model(training_data=DATA | {"trees": TREES}), About("tiny")))
    assert "trees: trees of 50 sentences, 10 of them in part, 300 known heads" in text
    assert "Supervised in part" in text


@pytest.mark.parametrize(
    ("licence", "lines"),
    [
        ("CC BY-SA 4.0", ["license: cc-by-sa-4.0"]),
        ("MIT", ["license: mit"]),
        ("my own: ask", ["license: other", 'license_name: "my-own:-ask"']),
        (None, ["license: unknown"]),
    ],
)
def test_the_licence_is_that_of_hubs_or_another_by_its_name(licence, lines):
    head, text = head_and_text(card(model(), About("tiny", licence)))
    assert [line for line in head if line.startswith("license")] == lines
    assert (licence or "Not stated") in text


def test_a_grammar_that_carries_its_licence_keeps_it_unless_told_otherwise():
    universal = Parser.load("universal").model
    assert licence_of(universal, About("mine")) == "CC BY-SA 4.0"
    assert licence_of(universal, About("mine", "MIT")) == "MIT"
    head, text = head_and_text(card(universal, About("mine")))
    assert '- "zh"' in head and "| cy | UD Welsh-CCG | CC BY-SA 4.0 |" in text


def test_one_that_began_with_the_grammar_in_the_box_says_so():
    for init, told in ((["universal"], True), (["universal", "mine"], False), (["harmonic"], False)):
        assert (
            "under CC BY-SA 4.0: what is made of it is to be shared alike"
            in card(model(settings={"init": init}), About("tiny", "MIT"))
        ) == told


def test_languages_of_the_head_are_codes_and_quoted_since_no_means_false():
    head, text = head_and_text(card(model(), About("tiny", languages=("no", "Old Norse"))))
    assert [line for line in head if line.startswith('- "')] == ['- "no"']
    assert "languages: no, Old Norse" in text


def test_scores_are_in_the_head_and_in_a_table():
    parser = Parser(model())
    with pytest.warns(UserWarning, match="tags"):
        scores = parser.evaluate(demo_file("test"))
    about = About("tiny", scores=scores, gold="test.conllu")
    head, text = head_and_text(card(parser.model, about))
    assert f"      value: {scores.uas:.1f}" in head
    assert '      name: "test.conllu"' in head
    assert f"| all | 150 | 1190 | {scores.uas:.1f} |" in text
    assert "model-index:" not in card(parser.model, replace(about, scores=None))


def test_signs_that_would_end_a_line_or_a_string_stay_inside():
    head, _ = head_and_text(card(model(), About('a"\nlicense: mit', licence='x"\ny', gold="z")))
    assert [line for line in head if line.startswith("license")] == ["license: other", 'license_name: "x\\"-y"']
