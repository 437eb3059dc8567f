"""The trees on which the likelier half of some grammars agrees have, of all trees, the arcs they believe in most."""

from __future__ import annotations

import numpy as np
import pytest
from chart.enumeration import Enumerated, projective_trees, random_problem
from learning.tagged import random_table
from parsing.agreement import agreed_trees

from depinduce.chart.engine import minimum_risk_trees
from depinduce.grammar.constraints import forbid_heads
from depinduce.grammar.rules import Factors, Order

TAGS = 3
LENGTHS = [5, 1, 4, 2, 3, 5, 4]

every_order = pytest.mark.parametrize("order", list(Order))
with_and_without_factors = pytest.mark.parametrize("with_factors", [False, True])


def grammars(order: Order, count: int, with_factors: bool = False):
    """Several random grammars and the sentences they are asked about."""
    table, batch, factors = random_problem(order, LENGTHS, TAGS, seed=4, scale=2.0, factors=with_factors)
    return [table, *(random_table(order, TAGS, seed) for seed in range(1, count))], batch, factors


def by_sentence(batch, heads: np.ndarray) -> list[tuple[int, ...]]:
    return [tuple(tree) for tree in np.split(heads, batch.offsets[1:-1])]


@every_order
@with_and_without_factors
def test_one_grammar_agrees_with_itself_on_its_minimum_risk_trees(order, with_factors):
    (table,), batch, factors = grammars(order, 1, with_factors)
    expected = minimum_risk_trees(table, batch, factors).heads[0]
    assert np.array_equal(agreed_trees([table], batch, factors), expected)
    assert np.array_equal(agreed_trees([table, table], batch, factors), expected)


@every_order
@with_and_without_factors
@pytest.mark.parametrize(("count", "asked"), [(2, 1), (3, 2), (4, 2), (5, 3)])
def test_the_agreed_tree_has_the_largest_sum_of_posteriors_of_the_likelier_half(order, with_factors, count, asked):
    tables, batch, factors = grammars(order, count, with_factors)
    exact = [[Enumerated(table, batch, s, factors) for s in range(len(batch))] for table in tables]
    exact.sort(key=lambda sentences: sum(sentence.log_z for sentence in sentences), reverse=True)
    for s, agreed in enumerate(by_sentence(batch, agreed_trees(tables, batch, factors))):
        roots = sum(opinion[s].roots for opinion in exact[:asked])
        arcs = sum(opinion[s].arcs for opinion in exact[:asked])

        def belief(heads, roots=roots, arcs=arcs) -> float:
            return sum(roots[child] if head == 0 else arcs[head - 1, child] for child, head in enumerate(heads))

        assert agreed == max(projective_trees(LENGTHS[s]), key=belief)


@every_order
def test_agreement_is_more_than_the_opinion_of_one(order):
    tables, batch, _ = grammars(order, 3)
    agreed = agreed_trees(tables, batch)
    for table in tables:
        assert not np.array_equal(agreed, minimum_risk_trees(table, batch).heads[0])


@every_order
def test_the_order_of_the_grammars_does_not_matter(order):
    one, two, three = grammars(order, 3)[0]
    batch = grammars(order, 3)[1]
    agreed = agreed_trees([one, two, three], batch)
    for tables in ([three, one, two], [two, one, three], [three, two, one]):
        assert np.array_equal(agreed_trees(tables, batch), agreed)


@every_order
def test_agreed_trees_obey_the_constraint(order):
    tables, batch, _ = grammars(order, 2)
    allowed = np.ones(len(batch.column), dtype=bool)
    allowed[[0, 2, 6, 7, 8]] = False
    position = np.concatenate([np.arange(n) for n in LENGTHS])
    start = np.arange(len(position)) - position

    def forbidden_heads(factors: Factors | None) -> int:
        heads = agreed_trees(tables, batch, factors)
        return int(np.sum(~allowed[(start + heads - 1)[heads > 0]]))

    assert forbidden_heads(None) > 0
    assert forbidden_heads(forbid_heads(batch, allowed)) == 0


def test_a_grammar_that_allows_no_tree_leaves_the_choice_to_the_others():
    (one, two), batch, _ = grammars(Order.SIBLING, 2)
    two.root[:] = -np.inf
    for tables in ([two, one], [two, one, two]):
        assert np.array_equal(agreed_trees(tables, batch), minimum_risk_trees(one, batch).heads[0])


def test_two_threads_agree_with_one():
    tables, batch, _ = grammars(Order.GRANDPARENT, 2)
    assert np.array_equal(agreed_trees(tables, batch, threads=2), agreed_trees(tables, batch))
