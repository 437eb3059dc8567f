"""One headedness, any order: against the formulas written as loops, and in their limits."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from depinduce.corpus import Vocabulary
from depinduce.grammar.headedness import RARE, SENTENCES, FirstOrder, Headedness, OrderFree, Strengths
from depinduce.grammar.multinomials import random_counts, shares
from depinduce.grammar.rules import LEFT, RIGHT, Order
from depinduce.grammar.stacked import stacked

LANGUAGES, TAGS = 3, 4
STRENGTHS = Strengths(child=7.0, decision=3.0, root=5.0, side=0.5, backoff=2.0, tied=0.25, most=4.0)


def random_rules(seed: int, languages: int = LANGUAGES) -> FirstOrder:
    draw = np.random.default_rng(seed).exponential
    return FirstOrder(
        draw(size=(languages, TAGS)),
        draw(size=(languages, 2, TAGS, 2, TAGS)),
        draw(size=(languages, 2, TAGS, 2, 2)),
    )


def random_headedness(seed: int, languages: int = LANGUAGES) -> Headedness:
    root, child, decision = random_rules(seed, languages)
    return Headedness(root, child.sum(axis=1), decision.sum(axis=1))


def probabilities(table: FirstOrder) -> FirstOrder:
    return FirstOrder(*map(np.exp, table))


def mirrored(rules: FirstOrder) -> FirstOrder:
    return FirstOrder(rules.root, rules.child[:, ::-1], rules.decision[:, ::-1])


# ---------------------------------------------------------------- against the formulas


def slowly(headedness: Headedness, counts: FirstOrder, strengths: Strengths, at_first: bool) -> FirstOrder:
    """What `OrderFree.estimate` gives, by the formulas of the module, number by number."""
    result = FirstOrder(*map(np.zeros_like, counts))
    both, tags = range(2), range(TAGS)
    for language in range(len(counts.root)):
        scale = min(1.0, strengths.most / counts.root[language].sum())
        counts = FirstOrder(*(np.array(part) for part in counts))
        for part in counts:
            part[language] *= scale
        n, expected = headedness.child[language], counts.child[language]
        for h, s, v in product(tags, both, both):
            weights = []
            for c in tags:
                general = (n[h, :, c].sum() + RARE) / sum(n[h, :, other].sum() + RARE for other in tags)
                q = n[h, v, c] + strengths.backoff * general  # up to a factor of the row
                left, right = (expected[side, h, :, c].sum() + strengths.side for side in (LEFT, RIGHT))
                share = (left if s == LEFT else right) / (left + right)
                if at_first:
                    left, right = (expected[side, h].sum() + strengths.side for side in (LEFT, RIGHT))
                    share = 0.75 * share + 0.25 * (left if s == LEFT else right) / (left + right)
                weights.append(q * share)
            row = [expected[s, h, v, c] + strengths.child * weights[c] / sum(weights) for c in tags]
            result.child[language, s, h, v] = np.array(row) / sum(row)
            stops = headedness.decision[language, h, v] + RARE
            row = counts.decision[language, s, h, v] + strengths.decision * stops / stops.sum()
            result.decision[language, s, h, v] = row / row.sum()
        roots = headedness.root[language] + RARE
        row = counts.root[language] + strengths.root * roots / roots.sum()
        result.root[language] = row / row.sum()
    return result


@pytest.mark.parametrize(("strengths", "at_first"), [(STRENGTHS, False), (Strengths(), False), (STRENGTHS, True)])
def test_estimates_are_those_of_the_formulas(strengths, at_first):
    headedness, counts = random_headedness(1), random_rules(2)
    found = probabilities(OrderFree(headedness, strengths).estimate(counts, at_first))
    for part, wanted in zip(found, slowly(headedness, counts, strengths, at_first), strict=True):
        assert part == pytest.approx(wanted, rel=1e-9)


def test_the_last_bits_do_not_depend_on_how_the_numbers_lie_in_memory():
    """A training that goes on reads them in their order; those of other tags lie as they were picked."""
    rng, tags = np.random.default_rng(10), 17
    parts = [rng.exponential(size=(1, tags, *shape)) for shape in ((), (2, tags), (2, 2))]
    one = OrderFree(Headedness(*parts))
    other = OrderFree(Headedness(*(np.asfortranarray(part) for part in parts)))
    for first, second in zip(one.start(), other.start(), strict=True):
        assert np.array_equal(first, second)


def test_the_start_has_no_order():
    headedness = random_headedness(3)
    start = probabilities(OrderFree(headedness, STRENGTHS).start())
    for part in (start.child, start.decision):
        assert np.array_equal(part[:, LEFT], part[:, RIGHT])
        assert part.sum(axis=-1) == pytest.approx(1)
    assert start.root == pytest.approx(shares(headedness.root + RARE))


# ---------------------------------------------------------------- in the limits


def test_without_strength_only_the_text_counts():
    nothing = Strengths(child=0.0, decision=0.0, root=0.0, side=0.0, backoff=0.0)
    counts = random_rules(4)
    found = probabilities(OrderFree(random_headedness(5), nothing).estimate(counts))
    for part, count in zip(found, counts, strict=True):
        assert part == pytest.approx(shares(count))


def test_with_all_strength_only_the_order_is_learned():
    endless = replace(STRENGTHS, child=1e15, decision=1e15, root=1e15, most=1e15)
    headedness, counts = random_headedness(6), random_rules(7)
    grammar = OrderFree(headedness, endless)
    found = probabilities(grammar.estimate(counts))
    assert found.root == pytest.approx(shares(headedness.root + RARE))
    assert found.decision[:, LEFT] == pytest.approx(shares(headedness.decision + RARE))
    assert found.child == pytest.approx(grammar.ordered(counts))
    unordered = OrderFree(headedness, replace(endless, side=1e15)).estimate(counts)
    assert np.exp(unordered.child) == pytest.approx(np.exp(grammar.start().child))


def test_the_mirror_image_of_a_text_gives_the_mirror_image_of_the_order():
    grammar, counts = OrderFree(random_headedness(8), STRENGTHS), random_rules(9)
    there, back = grammar.estimate(mirrored(counts)), mirrored(grammar.estimate(counts))
    for one, other in zip(there, back, strict=True):
        assert np.array_equal(one, other)


# ---------------------------------------------------------------- several languages


def test_the_grammars_of_one_table_are_told_apart_and_put_together_again():
    counts = [random_counts(Order.FIRST, TAGS, seed) for seed in (10, 11, 12)]
    rules = FirstOrder.of(stacked(counts))
    assert rules.child.shape == (LANGUAGES, 2, TAGS, 2, TAGS)
    for language, own in enumerate(counts):
        assert np.array_equal(rules.child[language].reshape(-1, TAGS), own.child)
        assert np.array_equal(rules.root[language], own.root)
    for part, again in zip(stacked(counts).parts, rules.table.parts, strict=True):
        assert np.array_equal(part, again)


def test_languages_weigh_alike_and_each_hears_only_the_others():
    counts = stacked([100.0 * random_counts(Order.FIRST, TAGS, seed) for seed in (13, 14, 15)])
    sizes = np.array([10, 200, 3000])
    pool = Headedness.by_language(counts, sizes)
    by_hand = FirstOrder.of(counts)
    for language, size in enumerate(sizes):
        assert pool.child[language] == pytest.approx(by_hand.child[language].sum(axis=0) * SENTENCES / size)
        assert pool.decision[language] == pytest.approx(by_hand.decision[language].sum(axis=0) * SENTENCES / size)
        assert pool.root[language] == pytest.approx(by_hand.root[language] * SENTENCES / size)
    others = pool.of_the_others()
    assert others.child[1] == pytest.approx(pool.child[0] + pool.child[2])
    assert pool.pooled().root == pytest.approx(pool.root.sum(axis=0))


def test_a_tag_that_no_language_has_is_an_average_one():
    root, child, decision = (part[0] for part in random_headedness(14, languages=1).parts)
    known, tags = Vocabulary("ABCD", [1] * 4), Vocabulary("CXA", [1] * 3)
    found = Headedness(root, child, decision).among(known, tags)
    assert found.root == pytest.approx([root[2], root.mean(), root[0]])
    assert found.decision[0] == pytest.approx(decision[2])
    assert found.decision[1] == pytest.approx(decision.mean(axis=0))
    assert found.child[0, :, 2] == pytest.approx(child[2, :, 0])
    assert found.child[0, :, 1] == pytest.approx(child[2].mean(axis=1))
    assert found.child[1, :, 0] == pytest.approx(child[:, :, 2].mean(axis=0))


def test_refinements_of_a_tag_share_its_counts_by_how_often_they_were_seen():
    root, child, decision = (part[0] for part in random_headedness(15, languages=1).parts)
    known = Vocabulary(("NOUN", "VERB", "DET", "CCONJ"), [1] * 4)
    tags = Vocabulary(("NOUN+Case=Nom", "NOUN+Case=Acc", "VERB", "CONJ"), [30, 10, 5, 1])
    with pytest.warns(UserWarning, match="CONJ is read as CCONJ"):
        found = Headedness(root, child, decision).among(known, tags)
    assert found.root == pytest.approx([0.75 * root[0], 0.25 * root[0], root[1], root[3]], rel=1e-3)
    assert found.decision[0] == pytest.approx(decision[0]) and found.decision[1] == pytest.approx(decision[0])
    assert found.child[2, :, :2].sum(axis=1) == pytest.approx(child[1, :, 0])
