"""Projectivity and cycles, against definitions written out slowly."""

import itertools
from time import process_time

import numpy as np
import pytest

from depinduce.evaluation.baselines import random_projective
from depinduce.evaluation.trees import find_cycle, is_projective, non_projective_share, projective_sentences


def reaches(heads, word, goal):
    """Whether `goal` is among the ancestors of `word`, or the word itself."""
    for _ in heads:
        if word == goal:
            return True
        word = heads[word - 1] if word else 0
    return word == goal


def projective_by_definition(heads):
    """Every word between a head and its child descends from the head."""
    return all(
        reaches(heads, between, head)
        for child, head in enumerate(heads, 1)
        for between in range(min(head, child) + 1, max(head, child))
    )


@pytest.mark.parametrize(
    ("heads", "expected"),
    [
        ([0], True),
        ([], True),
        ([2, 0, 2], True),
        ([3, 0, 2], False),  # 3 -> 1 passes over the root word
        ([2, 0, 5, 2, 2], False),
        ([0, 4, 1, 1], False),
        ([0, 0, 0], True),
        ([2, 3, 0, -1, -1], True),
    ],
)
def test_is_projective(heads, expected):
    assert is_projective(heads) is expected


@pytest.mark.parametrize(("words", "single_rooted"), [(1, 1), (2, 2), (3, 7), (4, 30), (5, 143)])
def test_all_trees_judged_as_by_the_definition(words, single_rooted):
    trees = [h for h in itertools.product(range(words + 1), repeat=words) if find_cycle(h) is None]
    assert len(trees) == (words + 1) ** (words - 1)  # Cayley: rooted forests of labelled words
    offsets = np.arange(len(trees) + 1) * words
    projective = projective_sentences(np.ravel(trees), offsets)
    assert projective.tolist() == [projective_by_definition(tree) for tree in trees]
    assert sum(p and tree.count(0) == 1 for p, tree in zip(projective, trees, strict=True)) == single_rooted


def test_share_over_several_sentences():
    assert non_projective_share([3, 0, 2, 0, 2, 0], [0, 3, 4, 4, 6]) == 0.25
    assert np.isnan(non_projective_share([], [0]))


def test_find_cycle_names_its_words():
    assert find_cycle([2, 0, 2]) is None
    assert find_cycle([-1, 1]) is None
    assert find_cycle([1]) == [1]
    assert find_cycle([0, 3, 4, 2, 2]) == [2, 3, 4]  # from the first of them
    assert find_cycle([4, 0, 2, 5, 4]) == [4, 5]
    cycle = find_cycle([2, 4, 0, 5, 2])
    assert all([2, 4, 0, 5, 2][word - 1] == head for word, head in itertools.pairwise([*cycle, cycle[0]]))


def test_a_hundred_thousand_words_take_less_than_a_second():
    offsets = np.arange(0, 100_001, 20)
    heads = random_projective(offsets, 0)
    began = process_time()
    assert non_projective_share(heads, offsets) == 0
    assert process_time() - began < 1
