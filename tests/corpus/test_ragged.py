"""Pieces of arrays of which every sentence has one."""

from __future__ import annotations

import numpy as np

from depinduce.corpus.ragged import pairs, pieces


def test_pieces_come_in_the_order_asked_for_and_as_often():
    offsets = np.array([0, 2, 2, 5])
    places, new = pieces(offsets, np.array([2, 0, 1, 2]))
    assert places.tolist() == [2, 3, 4, 0, 1, 2, 3, 4]
    assert new.tolist() == [0, 3, 5, 5, 8]


def test_of_nothing_there_are_none():
    places, new = pieces(np.array([0, 2]), np.array([], dtype=np.int64))
    assert places.tolist() == [] and new.tolist() == [0]


def test_pairs_of_heads_and_children_sentence_by_sentence():
    sentence, head, child = pairs(np.array([0, 2, 2, 3]))
    assert sentence.tolist() == [0, 0, 0, 0, 2]
    assert head.tolist() == [0, 0, 1, 1, 0] and child.tolist() == [0, 1, 0, 1, 0]
