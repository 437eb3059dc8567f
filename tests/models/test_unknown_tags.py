"""Tags that training has not seen are parsed with the average of the known ones."""

from __future__ import annotations

import numpy as np
import pytest
from chart.enumeration import projective_trees
from learning.tagged import random_table, tagged

from depinduce.corpus import Vocabulary
from depinduce.grammar.between_orders import add_average_tag
from depinduce.grammar.rules import Order, tag_batch
from depinduce.grammar.trees import tree_log_potentials
from depinduce.models.tag_model import GrammarModel
from depinduce.parsing.decoding import Parsing, parse_corpus

every_order = pytest.mark.parametrize("order", list(Order))
TAGS = Vocabulary(["N", "V", "D"], [3, 2, 1])


def model_of(order: Order, *non_heads: str) -> GrammarModel:
    return GrammarModel(order, TAGS, random_table(order, 3, seed=4), non_heads)


@every_order
def test_an_unknown_tag_is_parsed_as_the_average_tag(order):
    model = model_of(order)
    heads = parse_corpus(model, tagged("N ? V", "? ? D V", vocabulary=TAGS), Parsing())
    table = add_average_tag(model.table, order)
    for tags, found in (([0, 3, 1], heads[:3]), ([3, 3, 2, 1], heads[3:])):
        batch = tag_batch(order, np.array(tags), np.array([0, len(tags)]), 4)
        best = max(projective_trees(len(tags)), key=lambda tree: tree_log_potentials(table, batch, np.array(tree))[0])
        assert tuple(found) == best


@every_order
@pytest.mark.parametrize("decode", ["viterbi", "mbr"])
def test_a_sentence_of_unknown_tags_gets_a_tree(order, decode):
    heads = parse_corpus(model_of(order), tagged("? ?? ???", "?", vocabulary=TAGS), Parsing(decode=decode))
    assert tuple(heads[:3]) in projective_trees(3)
    assert heads[3] == 0


@every_order
def test_unknown_tags_elsewhere_do_not_change_the_trees_of_known_ones(order):
    model, known = model_of(order), ["D N V D N", "N V", "V N D N"]
    alone = parse_corpus(model, tagged(*known, vocabulary=TAGS), Parsing())
    together = parse_corpus(model, tagged(*known, "? N", vocabulary=TAGS), Parsing())
    assert np.array_equal(alone, together[:-2])


def test_an_unknown_tag_may_head_where_all_known_ones_may_not():
    heads = parse_corpus(model_of(Order.FIRST, "N", "D"), tagged("N ? D", vocabulary=TAGS), Parsing())
    assert heads.tolist() == [2, 0, 2]
