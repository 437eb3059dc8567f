"""A grammar laid open: what is said about it is what it is, most important first."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from learning.tagged import random_table

from depinduce.corpus import Vocabulary
from depinduce.errors import DepinduceError
from depinduce.grammar.between_orders import raise_order
from depinduce.grammar.rules import GO, HAS, LEFT, NO, RIGHT, Order, RuleTable
from depinduce.insight.generation import expected_uses
from depinduce.insight.inspection import ContextRule, Head, first_order_view, inspect_grammar
from depinduce.insight.texts import about_head
from depinduce.models.tag_model import GrammarModel

TAGS = Vocabulary(["NOUN", "VERB", "DET"], [3, 2, 1])
NOUN, VERB, DET = range(3)
NULL = GRANDPARENT_ROOT = 3
second_orders = pytest.mark.parametrize("order", [Order.SIBLING, Order.GRANDPARENT])
every_order = pytest.mark.parametrize("order", list(Order))


def planted(order: Order, rules: dict, **options) -> GrammarModel:
    """A grammar of VERB roots that stop at once, except where told otherwise.

    rules: (direction, head, *context) -> (probability to go on, probabilities of NOUN, VERB, DET)
    """
    child, decision = np.full((*order.shape(3), 3), 1 / 3), np.full((*order.shape(3), 2), [1.0, 0.0])
    for row, (go, children) in rules.items():
        child[row], decision[row] = children, [1 - go, go]
    with np.errstate(divide="ignore"):
        table = RuleTable.of_tags(np.log([0, 1, 0]), np.log(child), np.log(decision))
    return GrammarModel(order, TAGS, table, **options)


def first_order(**options) -> GrammarModel:
    """A verb with nouns around it, a noun with determiners and verbs on its left."""
    return planted(
        Order.FIRST,
        {
            (LEFT, VERB, NO): (0.9, (1, 0, 0)),
            (RIGHT, VERB, NO): (0.6, (1, 0, 0)),
            (LEFT, NOUN, NO): (0.8, (0, 0.1, 0.9)),
            (LEFT, NOUN, HAS): (0.5, (0, 0.7, 0.3)),
        },
        **options,
    )


def of(model: GrammarModel, tag: str) -> Head:
    return next(head for head in inspect_grammar(model).heads if head.tag == tag)


# ---------------------------------------------------------------- the first-order view


@second_orders
def test_the_view_of_a_raised_grammar_is_the_grammar(order):
    first = random_table(Order.FIRST, 3, seed=1)
    raised = raise_order(first, order)
    view = first_order_view(raised, order, expected_uses(GrammarModel(order, TAGS, raised)))
    for name in ("root", "child", "decision"):
        np.testing.assert_allclose(getattr(view, name), getattr(first, name), rtol=1e-9)


def test_contexts_weigh_in_the_view_as_often_as_sentences_come_by_them():
    # After a NOUN (3 of 4 first children) VERB goes on with 0.4, after a DET with 0.8.
    model = planted(
        Order.SIBLING,
        {
            (LEFT, VERB, NULL): (1, (0.75, 0, 0.25)),
            (LEFT, VERB, NOUN): (0.4, (0, 0, 1)),
            (LEFT, VERB, DET): (0.8, (0, 0, 1)),
        },
    )
    nouns = 0.75
    dets = (0.25 + 0.75 * 0.4) / (1 - 0.8)  # the first ones, those after nouns, and those after each other
    view = first_order_view(model.table, Order.SIBLING, expected_uses(model))
    another = np.exp(view.decision).reshape(2, 3, 2, 2)[LEFT, VERB, HAS, GO]
    assert another == pytest.approx((nouns * 0.4 + dets * 0.8) / (nouns + dets))


@every_order
def test_rows_that_no_sentence_comes_by_are_seen_all_alike(order):
    table = random_table(order, 3, seed=2)
    table.root[:] = [-np.inf, 0, -np.inf]
    table.decision[:] = [0, -np.inf]  # the sentence is a verb and nothing else
    view = first_order_view(table, order, expected_uses(GrammarModel(order, TAGS, table)))
    assert np.allclose(np.exp(view.child).sum(axis=1), 1)
    children = np.exp(table.child).reshape(*order.shape(3), 3)[LEFT, NOUN]
    expected = {
        Order.FIRST: lambda: children[HAS],
        Order.SIBLING: lambda: children[:3].mean(axis=0),
        Order.GRANDPARENT: lambda: children[:, HAS].mean(axis=0),
    }[order]()
    np.testing.assert_allclose(np.exp(view.child).reshape(2, 3, 2, 3)[LEFT, NOUN, HAS], expected)


# ---------------------------------------------------------------- what is told


def test_heads_come_in_the_order_of_their_children():
    inspection = inspect_grammar(first_order())
    assert [head.tag for head in inspection.heads] == ["NOUN", "VERB", "DET"]
    assert [root.tag for root in inspection.roots][0] == "VERB"
    noun, verb, det = inspection.heads
    assert verb.children * verb.uses == pytest.approx(noun.uses)  # in this grammar only verbs have nouns
    assert det.children == 0
    assert inspection.words == pytest.approx(noun.uses + verb.uses + det.uses)


def test_a_side_tells_of_a_first_child_of_another_and_of_them_all():
    left, right = of(first_order(), "NOUN").sides
    assert (left.direction, right.direction) == ("left", "right")
    assert left.any_child == pytest.approx(0.8)
    assert left.another == pytest.approx(0.5)
    assert right.any_child == 0
    # Of each noun there are 0.8 first children and 0.8 · (0.5 + 0.25 + …) = 0.8 further ones.
    shares = {rule.tag: rule.probability for rule in left.children}
    assert shares == pytest.approx({"DET": (0.9 + 0.3) / 2, "VERB": (0.1 + 0.7) / 2, "NOUN": 0})
    assert [rule.tag for rule in left.children] == ["DET", "VERB", "NOUN"]


def test_uses_are_per_sentence():
    noun = of(first_order(), "NOUN")
    assert sum(rule.uses for side in noun.sides for rule in side.children) == pytest.approx(noun.uses * 1.6)
    assert noun.children == pytest.approx(1.6)


def test_tags_that_head_nothing_are_named_and_left_out():
    inspection = inspect_grammar(first_order(non_heads=("DET", "ADP")))
    assert inspection.non_heads == ["DET"]
    assert [head.tag for head in inspection.heads] == ["NOUN", "VERB"]


def test_only_the_heads_that_are_asked_for():
    inspection = inspect_grammar(first_order(), ["DET", "VERB", "DET"])
    assert [head.tag for head in inspection.heads] == ["VERB", "DET"]
    with pytest.raises(DepinduceError, match="no tag 'NOUNS'. Its tags are: NOUN VERB DET."):
        inspect_grammar(first_order(), ["NOUNS"])


@every_order
def test_everything_is_json(order):
    inspection = inspect_grammar(GrammarModel(order, TAGS, random_table(order, 3, seed=3), history={"seed": 1}))
    again = json.loads(json.dumps(inspection.to_json(), allow_nan=False))
    assert again["order"] == order.value
    assert again["heads"][0]["sides"][0]["children"][0].keys() == {"tag", "probability", "uses"}
    assert again["history"] == {"seed": 1}


# ---------------------------------------------------------------- contexts


@second_orders
def test_a_raised_grammar_has_no_context_worth_telling(order):
    raised = raise_order(random_table(Order.FIRST, 3, seed=4), order)
    assert all(head.contexts == [] for head in inspect_grammar(GrammarModel(order, TAGS, raised)).heads)


def test_the_sibling_that_makes_the_greatest_difference_comes_first():
    model = planted(
        Order.SIBLING,
        {
            (LEFT, VERB, NULL): (1, (0.5, 0, 0.5)),
            (LEFT, VERB, NOUN): (0.5, (0.1, 0, 0.9)),
            (LEFT, VERB, DET): (0.5, (0.7, 0, 0.3)),
            (RIGHT, VERB, NULL): (0.5, (0.5, 0, 0.5)),
            (RIGHT, VERB, NOUN): (0.5, (0, 0, 1)),
            (RIGHT, VERB, DET): (0.55, (0, 0, 1)),
        },
    )
    rules = of(model, "VERB").contexts
    assert [(rule.direction, rule.context, rule.child) for rule in rules[:2]] == [
        ("left", "NOUN", "DET"),
        ("left", "DET", "NOUN"),
    ]
    assert rules[0].probability == pytest.approx(0.9)
    assert rules[0].after_a_child
    assert 0.1 < rules[0].in_general < 0.9
    assert {(rule.direction, rule.context, rule.child) for rule in rules[2:]} == {
        ("right", "NOUN", None),
        ("right", "DET", None),
    }  # the other rules are the same after every sibling


def test_the_siblings_difference_in_bits():
    model = planted(
        Order.SIBLING,
        {
            (LEFT, VERB, NULL): (1, (0.5, 0, 0.5)),
            (LEFT, VERB, NOUN): (0.5, (0, 0.6, 0.4)),
            (LEFT, VERB, DET): (0.5, (0, 1, 0)),
        },
    )
    # On its left a verb has 0.5 nouns, 0.5 + 0.25 · 0.4 = 0.6 determiners, and 0.25 · 0.6 + 0.3 = 0.45 verbs.
    verbs = 1 / (1 - 0.45)
    found = {(rule.context, rule.child): rule for rule in of(model, "VERB").contexts}
    general = 0.25 * 0.4 / 0.55  # of the 0.25 children after nouns and 0.3 after determiners
    bits = verbs * 0.25 * (0.4 * np.log2(0.4 / general) + 0.6 * np.log2(0.6 / (1 - general)))
    after_noun = ContextRule("left", "NOUN", "DET", True, *map(pytest.approx, (0.4, general, bits, verbs * 0.25)))
    assert found["NOUN", "DET"] == after_noun  # VERB is more probable there, but less so than in general
    going_on = 0.55 / (0.5 + 0.6 + 0.45)
    bits = verbs * 0.45 * np.log2(1 / (1 - going_on))
    numbers = map(pytest.approx, (0.0, going_on, bits, verbs * 0.45))
    assert found["VERB", None] == ContextRule("left", "VERB", None, True, *numbers)


def under_a_verb_and_as_the_root() -> GrammarModel:
    """VERB has a child on its left under ROOT only, and one on its right always: a NOUN under VERB, else a VERB."""
    top, below = GRANDPARENT_ROOT, VERB
    return planted(
        Order.GRANDPARENT,
        {
            (LEFT, VERB, top, NO): (0.8, (1, 0, 0)),
            (RIGHT, VERB, top, NO): (1, (0, 1, 0)),
            (RIGHT, VERB, below, NO): (1, (1, 0, 0)),
        },
    )


def test_the_grandparents_difference_in_bits():
    rules = of(under_a_verb_and_as_the_root(), "VERB").contexts
    found = {(rule.direction, rule.context, rule.child): rule for rule in rules}
    # There are two verbs in a sentence, one as the root and one below it, each with one child on its right.
    child = found["right", "ROOT", "VERB"]
    assert child == ContextRule("right", "ROOT", "VERB", False, *map(pytest.approx, (1.0, 0.5, 1.0, 1.0)))
    decision = found["left", "VERB", None]
    numbers = map(pytest.approx, (0.0, 0.4, np.log2(1 / 0.6), 1.0))
    assert decision == ContextRule("left", "VERB", None, False, *numbers)
    assert found.keys() == {
        ("right", "ROOT", "VERB"),
        ("right", "VERB", "NOUN"),
        ("left", "ROOT", None),
        ("left", "VERB", None),
    }
    assert [rule.difference for rule in rules] == sorted((rule.difference for rule in rules), reverse=True)


def test_a_grammar_that_generates_no_sentence_can_be_inspected():
    endless = planted(Order.FIRST, {(LEFT, VERB, NO): (1, (0, 1, 0))})
    inspection = inspect_grammar(endless)
    assert inspection.kept == 0
    assert of(endless, "VERB").sides[LEFT].any_child == pytest.approx(1)
    assert of(endless, "VERB").sides[RIGHT].any_child == 0


@pytest.mark.parametrize(("sentences", "told"), [(9, False), (10, True), (None, True)])
def test_contexts_that_came_fewer_than_ten_times_are_not_told(sentences, told):
    data = {} if sentences is None else {"training_data": {"sentences": sentences, "words": 20}}
    inspection = inspect_grammar(replace(under_a_verb_and_as_the_root(), history=data), ["VERB"])
    (verb,) = inspection.heads  # once in a sentence as the root, and once under VERB
    words = [statement.words for statement in about_head(verb, inspection, 5)]
    assert ("VERB as the root takes VERB on its right" in words) == told
    assert len(verb.contexts) > 2
