"""Several grammars in one table: to a sentence it makes no difference that there are others."""

from __future__ import annotations

import numpy as np
import pytest
from learning.tagged import random_sentences, random_table, tagged

from depinduce.chart.engine import best_trees, expectations
from depinduce.grammar.rules import Order, RuleTable, tag_batch
from depinduce.grammar.stacked import chosen, parted, stacked, stacked_batch
from depinduce.grammar.trees import tree_counts, tree_log_potentials

CORPUS = tagged(*random_sentences(5, count=8))
TAGS, GRAMMARS = len(CORPUS.tag_vocabulary), 3
GRAMMAR = np.array([2, 0, 2, 1, 0, 1, 1, 2, 0])

every_order = pytest.mark.parametrize("order", list(Order))


def tables(order: Order) -> list[RuleTable]:
    return [random_table(order, TAGS, seed) for seed in range(GRAMMARS)]


@every_order
def test_every_sentence_has_the_trees_and_the_counts_that_it_has_in_its_grammar(order):
    each = tables(order)
    table, batch = stacked(each), stacked_batch(order, CORPUS.tags, CORPUS.offsets, TAGS, GRAMMAR)
    found, trees = expectations(table, batch, positions=True), best_trees(table, batch)
    of_trees, log_potentials = (
        tree_counts(table, batch, trees.heads[0]),
        tree_log_potentials(table, batch, trees.heads[0]),
    )
    for number, own in enumerate(each):
        mask = number == GRAMMAR
        words, text = np.repeat(mask, CORPUS.lengths), CORPUS.select(mask)
        alone = tag_batch(order, text.tags, text.offsets, TAGS)
        expected, best = expectations(own, alone, positions=True), best_trees(own, alone)
        assert found.log_z[mask] == pytest.approx(expected.log_z)
        assert found.root[words] == pytest.approx(expected.root)
        assert np.array_equal(trees.heads[:, words], best.heads)
        assert log_potentials[mask] == pytest.approx(best.log_potential[0])
        for part, wanted in zip(parted(found.counts)[number].parts, expected.counts.parts, strict=True):
            assert part == pytest.approx(wanted)
        counted = tree_counts(own, alone, best.heads[0])
        for part, wanted in zip(parted(of_trees)[number].parts, counted.parts, strict=True):
            assert np.array_equal(part, wanted)


@every_order
def test_grammars_are_chosen_in_the_wanted_order(order):
    each = tables(order)
    for numbers in ([2, 0], [1], [0, 1, 2]):
        found = parted(chosen(stacked(each), numbers))
        for number, table in zip(numbers, found, strict=True):
            assert all(np.array_equal(a, b) for a, b in zip(table.parts, each[number].parts, strict=True))
