"""The harmonic start against counts worked out by hand."""

import numpy as np
import pytest
from learning.tagged import random_sentences, tagged

from depinduce.grammar.rules import GO, HAS, LEFT, NO, RIGHT, STOP, Order, RuleCounts
from depinduce.learning.harmonic import MOVE, attachment_weights, harmonic_counts, harmonic_table

A, B, C = 0, 1, 2


def named(counts: RuleCounts) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """root [tag], child [direction, head, valence, child], decision [direction, head, valence, decision]"""
    tags = len(counts.root)
    rows = Order.FIRST.shape(tags)
    return counts.root, counts.child.reshape(*rows, tags), counts.decision.reshape(*rows, 2)


def test_two_words_by_hand():
    # Each is the root with 1/2 and the other's child with 1/2. The largest move is 1/2 of a word, and 0.9 of it done.
    root, child, decision = named(harmonic_counts(np.array([A, B]), np.array([0, 2]), 2))
    assert root.tolist() == [0.5, 0.5]
    assert child[RIGHT, A, NO].tolist() == child[RIGHT, A, HAS].tolist() == [0, 0.5]
    assert child[LEFT, B, NO].tolist() == child[LEFT, B, HAS].tolist() == [0.5, 0]
    assert child.sum() == 2
    for direction, head in ((RIGHT, A), (LEFT, B)):
        assert decision[direction, head, NO] == pytest.approx([0.55, 0.45])  # STOP, GO
        assert decision[direction, head, HAS] == pytest.approx([0.45, 0.05])
    for direction, head in ((LEFT, A), (RIGHT, B)):  # there is no word on that side
        assert decision[direction, head].tolist() == [[1, 0], [0, 0]]


def test_three_words_by_hand():
    # Word 1 hangs on 2 and 3 as 1 : 1/2, that is 2/3 and 1/3 of the 2/3 that are not the root's.
    root, child, decision = named(harmonic_counts(np.array([A, B, C]), np.array([0, 3]), 3))
    assert root == pytest.approx([1 / 3] * 3)
    assert child[RIGHT, A, NO] == pytest.approx([0, 1 / 3, 2 / 9])
    assert child[RIGHT, B, NO] == pytest.approx([0, 0, 4 / 9])
    assert child[LEFT, B, NO] == pytest.approx([4 / 9, 0, 0])
    assert child[LEFT, C, NO] == pytest.approx([2 / 9, 1 / 3, 0])
    # B has the fewest children on a side, 4/9; so every word that can goes on with 0.9 · 4/9 = 0.4.
    for direction, head, expected in ((RIGHT, A, 5 / 9), (RIGHT, B, 4 / 9), (LEFT, B, 4 / 9), (LEFT, C, 5 / 9)):
        assert decision[direction, head, NO] == pytest.approx([0.6, 0.4])
        assert decision[direction, head, HAS] == pytest.approx([0.4, expected - 0.4])


def test_a_repeated_sentence_counts_twice_and_the_sentences_add_up():
    abc, ab = (np.array([A, B, C]), np.array([0, 3])), (np.array([A, B]), np.array([0, 2]))
    both = harmonic_counts(np.array([A, B, A, B, C, A, B]), np.array([0, 2, 5, 7]), 3)
    root, child = (2 * getattr(harmonic_counts(*ab, 3), name) for name in ("root", "child"))
    assert both.root == pytest.approx(root + harmonic_counts(*abc, 3).root)
    assert both.child == pytest.approx(child + harmonic_counts(*abc, 3).child)


@pytest.mark.parametrize("length", [1, 2, 3, 7, 15])
def test_a_word_has_a_head_unless_it_is_the_root(length):
    weights = attachment_weights(length)
    assert weights.sum(axis=0) == pytest.approx((length - 1) / length)
    assert not weights.diagonal().any()
    if length > 3:
        assert weights[0, 1] / weights[3, 1] == pytest.approx(2)  # one place away against two


def test_words_alone_are_roots_and_always_stop():
    counts = harmonic_counts(np.array([A, B, B]), np.array([0, 1, 2, 3]), 2)
    assert counts.root.tolist() == [1, 2]
    assert not counts.child.any()
    _, _, decision = named(counts)
    assert decision[..., GO].sum() == 0
    assert decision[LEFT, :, NO, STOP].tolist() == [1, 2]


@pytest.mark.parametrize("seed", range(5))
def test_counts_stay_positive_and_the_move_is_the_largest_but_a_tenth(seed):
    corpus = tagged(*random_sentences(seed))
    _, child, decision = named(harmonic_counts(corpus.tags, corpus.offsets, 4))
    assert decision.min() >= 0
    expected = child[:, :, NO].sum(axis=2)
    assert decision[..., GO].sum(axis=2) == pytest.approx(expected)  # as many children as the arcs say
    assert decision[:, :, NO].sum(axis=2) == pytest.approx(np.tile(np.bincount(corpus.tags), (2, 1)))
    left_over = decision[:, :, HAS, GO][expected > 0] / expected[expected > 0]
    words_left = decision[:, :, NO, STOP] / np.bincount(corpus.tags)
    assert min(left_over.min(), words_left.min()) == pytest.approx(1 - MOVE)


@pytest.mark.parametrize("child_valence", [True, False])
def test_the_harmonic_table_is_normalised(child_valence):
    table = harmonic_table(tagged(*random_sentences(1), "V"), child_valence)
    for part in (table.root, table.child, table.decision):
        assert np.allclose(np.exp(part).sum(axis=-1), 1)
        assert np.isfinite(part).all()


def test_near_words_attach_more_often():
    table = harmonic_table(tagged("A B C", "A B C"))
    vocabulary = tagged("A B C").tag_vocabulary
    child = table.child.reshape(2, 3, 2, 3)[RIGHT, vocabulary.id("A"), NO]
    assert child[vocabulary.id("B")] > child[vocabulary.id("C")] > child[vocabulary.id("A")]
