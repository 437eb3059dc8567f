"""The paper's algorithms, mended, equal the enumeration of all trees."""

import numpy as np
import pytest
import torch
from chart.enumeration import Enumerated, random_problem

from depinduce.bench.yardstick import GROWING, PUBLISHED, best_trees, log_partition, log_partition_and_gradient
from depinduce.chart import batched
from depinduce.grammar.rules import Order

second_orders = pytest.mark.parametrize("order", [Order.SIBLING, Order.GRANDPARENT])
forms = pytest.mark.parametrize(
    ("order", "form"), [(Order.SIBLING, PUBLISHED), (Order.SIBLING, GROWING), (Order.GRANDPARENT, GROWING)]
)
lengths = pytest.mark.parametrize("length", [1, 2, 3, 4, 5])


def draw(order, length, seed):
    table, batch, _ = random_problem(order, [length] * 3, tags=4, seed=seed, scale=2.0)
    rules = [torch.tensor(part) for part in (table.root, table.child, table.decision)]
    tags = torch.tensor(batch.column, dtype=torch.long).view(3, length)
    return rules, tags, [Enumerated(table, batch, sentence) for sentence in range(3)]


@forms
@lengths
def test_log_likelihood_and_expected_counts_equal_enumeration(order, form, length):
    rules, tags, exact = draw(order, length, seed=1)
    log_z, counts = log_partition_and_gradient(order, *rules, tags, form=form)
    np.testing.assert_allclose(log_z, [sentence.log_z for sentence in exact], rtol=1e-12)
    for name, found in zip(("root", "child", "decision"), counts, strict=True):
        expected = sum(getattr(sentence.counts, name) for sentence in exact)
        np.testing.assert_allclose(found, expected, atol=1e-12)


@forms
@lengths
def test_best_trees_equal_enumeration(order, form, length):
    rules, tags, exact = draw(order, length, seed=2)
    heads, scores = best_trees(order, *rules, tags, form=form)
    assert heads.tolist() == [list(sentence.trees[0]) for sentence in exact]
    np.testing.assert_allclose(scores, [sentence.scores[0] for sentence in exact], rtol=1e-12)


@second_orders
def test_sentences_do_not_influence_each_other(order):
    rules, tags, _ = draw(order, 5, seed=3)
    together = log_partition(order, *rules, tags)
    alone = torch.cat([log_partition(order, *rules, tags[[sentence]]) for sentence in range(3)])
    torch.testing.assert_close(together, alone)


@second_orders
def test_longer_sentences_agree_with_the_batched_charts(order):
    table, batch, _ = random_problem(order, [12, 12], tags=5, seed=4)
    rules = [torch.tensor(part) for part in (table.root, table.child, table.decision)]
    tags = torch.tensor(batch.column, dtype=torch.long).view(2, 12)
    torch.testing.assert_close(log_partition(order, *rules, tags), batched.log_partition(*rules, batch))
    heads, scores = best_trees(order, *rules, tags)
    theirs, their_scores = batched.best_trees(*rules, batch)
    assert heads.flatten().tolist() == theirs.tolist()
    torch.testing.assert_close(scores, their_scores)
