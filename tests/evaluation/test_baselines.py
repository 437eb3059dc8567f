"""Baselines: trees of the promised shape, and random ones that are truly uniform."""

from collections import Counter
from math import comb

import numpy as np
import pytest

from depinduce.evaluation.baselines import BASELINES, next_word, previous_word, random_projective, random_tree
from depinduce.evaluation.trees import find_cycle, projective_sentences

OFFSETS = np.array([0, 3, 4, 4, 6])  # one of the sentences is empty


def test_next_and_previous_word():
    assert next_word(OFFSETS).tolist() == [2, 3, 0, 0, 2, 0]
    assert previous_word(OFFSETS).tolist() == [0, 1, 2, 0, 0, 1]


@pytest.mark.parametrize("name", BASELINES)
def test_baselines_are_projective_trees_with_one_root(name):
    lengths = np.array([1, 2, 3, 5, 8, 13, 40, 200])
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    heads = BASELINES[name](offsets, 1)
    assert heads.shape == (offsets[-1],)
    assert np.add.reduceat(heads == 0, offsets[:-1]).tolist() == [1] * len(lengths)
    assert all(find_cycle(tree) is None for tree in np.split(heads, offsets[1:-1]))
    assert projective_sentences(heads, offsets).all()
    assert len(BASELINES[name](np.array([0]), 1)) == 0


def test_random_trees_follow_their_seed():
    offsets = np.arange(0, 300, 15)
    assert (random_projective(offsets, 1) == random_projective(offsets, 1)).all()
    assert (random_projective(offsets, 1) != random_projective(offsets, 2)).any()


@pytest.mark.slow
@pytest.mark.parametrize(("words", "trees"), [(1, 1), (2, 2), (3, 7), (4, 30), (5, 143)])
def test_random_trees_are_uniform_over_all_projective_trees(words, trees):
    """All trees occur, no others do, and Pearson's statistic stays near its mean, the number of trees - 1."""
    assert trees == comb(3 * words - 2, words - 1) // words
    rng = np.random.default_rng(words)
    draws = 100 * trees
    seen = Counter(tuple(random_tree(words, rng)) for _ in range(draws))
    assert len(seen) == trees
    statistic = sum((count - 100) ** 2 / 100 for count in seen.values())
    freedom = trees - 1
    assert abs(statistic - freedom) <= 4 * np.sqrt(2 * freedom)
