"""Which tags head which, and on which side: against a grammar whose languages are known."""

from __future__ import annotations

import pytest
from insight.known_orders import PLAIN, with_sides
from learning.languages import TAGS

from depinduce.corpus import Vocabulary
from depinduce.insight.word_order import order_of_grammar, order_of_languages, word_order


def test_sides_are_those_of_the_rules_and_shares_those_of_the_pool():
    model = with_sides(0.9, 0.2, 0.5)
    pairs = {(pair.head, pair.child): pair for pair in word_order(model)}
    assert len(pairs) == len(TAGS) ** 2
    assert list(pairs["N", "D"].left.values()) == pytest.approx([0.9, 0.2, 0.5], abs=1e-6)
    pool = PLAIN.pool.child.sum(axis=1)[TAGS.id("N")]
    assert pairs["N", "D"].share == pytest.approx(pool[TAGS.id("D")] / pool.sum())
    assert str(pairs["N", "D"]).endswith("; on the left in 1 language (l0), on the right in 1 (l1)")
    shares = [pair.share for pair in word_order(model, ["V"])]
    assert shares == sorted(shares, reverse=True)


def test_of_one_language_it_tells_the_share_on_the_left():
    (first, *_) = word_order(with_sides(0.9, 0.2).in_language("l1"), ["N"])
    assert str(first).endswith(" of its children, 20% on the left")


def test_agreement_is_the_share_of_children_on_the_same_side():
    order = order_of_languages(with_sides(0.9, 0.2, 0.9))
    assert order.weight.sum() == pytest.approx(1)
    assert order.agreement(order.left[0], order.left[2]) == pytest.approx(1)
    assert order.agreement(order.left[0], order.left[1]) == pytest.approx(0.3)  # 0.2 on the left, 0.1 on the right


def test_the_order_of_a_grammar_is_told_among_the_tags_of_another():
    grammar = with_sides(0.9, 0.2).in_language("l0")
    own, others = order_of_grammar(grammar, TAGS), Vocabulary([*reversed(TAGS.symbols), "new"], [1] * 6)
    among = order_of_grammar(grammar, others)
    assert among.left[0, 4, 3] == pytest.approx(own.left[0, 0, 1]) == pytest.approx(0.9, abs=1e-6)
    assert among.weight[:5, :5] == pytest.approx(own.weight[::-1, ::-1])
    assert among.weight[5].sum() == among.weight[:, 5].sum() == 0 and among.left[0, 5, 5] == 0.5


def test_the_most_frequent_pairs_come_first():
    order = order_of_languages(PLAIN)
    frequent = [order.weight[pair] for pair in order.most_frequent(6)]
    assert frequent == sorted(order.weight.ravel().tolist(), reverse=True)[:6]
