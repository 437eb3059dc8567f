"""Harmonic initialisation of a first-order grammar (Klein & Manning 2004): near words attach more often.

Every word is the root with probability 1/n and otherwise hangs on another word with a probability that falls
with their distance: p(head h of c) ∝ 1 / |h - c|. That gives counts of roots and children, and for every word
an expected number e of children on each side. Of decisions it gives no direct account. At first let no word
have a *first* child: NO stops always, HAS goes on e times. Then move a share x of every word that has an e:

    NO:   stop 1 - x, go x        HAS:   stop x, go e - x

x is the same for all words: `MOVE` times the largest that leaves every tag's counts positive.
"""

from __future__ import annotations

import numpy as np

from depinduce.corpus import Corpus
from depinduce.grammar.multinomials import Multinomials
from depinduce.grammar.rules import GO, HAS, LEFT, NO, RIGHT, STOP, Order, RuleCounts, RuleTable

MOVE = 0.9
SMOOTHING = 0.001
AT_ONCE = 100_000  # sentences


def harmonic_table(train: Corpus, child_valence: bool = True) -> RuleTable:
    """The first-order grammar of the harmonic counts."""
    tags = len(train.tag_vocabulary)
    counts = harmonic_counts(train.tags, train.offsets, tags)
    return Multinomials.smoothed(Order.FIRST, tags, SMOOTHING, child_valence).estimate(counts)


def harmonic_counts(tags: np.ndarray, offsets: np.ndarray, tag_count: int) -> RuleCounts:
    """First-order rule counts of tagged sentences. tags: [token], offsets: [sentence + 1]"""
    root = np.zeros(tag_count)
    child = np.zeros((2, tag_count, tag_count))  # [direction, head, child]
    words = np.zeros(tag_count)
    with_children = np.zeros((2, tag_count))  # words that can have a child on that side
    lengths = np.diff(offsets)
    for length in np.unique(lengths):  # sentences of one length share their weights
        starts = offsets[:-1][lengths == length]
        weight = attachment_weights(length)  # [head, child]
        for some in range(0, len(starts), AT_ONCE):
            block = tags[starts[some : some + AT_ONCE, None] + np.arange(length)]  # [sentence, position]
            words += np.bincount(block.ravel(), minlength=tag_count)
            np.add.at(root, block, 1.0 / length)
            for head in range(length):
                for position in range(length):
                    if head != position:
                        direction = LEFT if position < head else RIGHT
                        pair = (direction, block[:, head], block[:, position])
                        np.add.at(child, pair, weight[head, position])  # pyright: ignore[reportArgumentType]
            for direction, able in ((LEFT, block[:, 1:]), (RIGHT, block[:, :-1])):
                np.add.at(with_children[direction], able, 1.0)
    decision = _decision_counts(child.sum(axis=2), words, with_children)
    both_valences = np.repeat(child[:, :, None], 2, axis=2)  # [direction, head, valence, child]
    return RuleCounts(root, both_valences.reshape(-1, tag_count), decision.reshape(-1, 2))


def attachment_weights(length: int) -> np.ndarray:
    """p(head of child) in a sentence of so many words: ∝ 1 / distance, (n - 1) / n in all. [head, child]"""
    position = np.arange(length)
    distance = np.abs(position[:, None] - position[None, :])
    closeness = np.divide(1.0, distance, where=distance > 0, out=np.zeros((length, length)))
    return closeness / np.maximum(closeness.sum(axis=0), 1e-300) * (length - 1) / length


def _decision_counts(expected: np.ndarray, words: np.ndarray, with_children: np.ndarray) -> np.ndarray:
    """Decisions from expected numbers of children. expected, with_children: [direction, head], words: [head]"""
    tag_count = len(words)
    counts = np.zeros((*Order.FIRST.shape(tag_count), 2))  # [direction, head, valence, decision]
    counts[:, :, NO, STOP] = words
    counts[:, :, HAS, GO] = expected
    able = with_children > 0
    per_word = np.minimum(words, expected)[able] / with_children[able]
    largest = min(1.0, per_word.min(initial=1.0))
    moved = MOVE * largest * with_children
    counts[:, :, NO, STOP] -= moved
    counts[:, :, NO, GO] += moved
    counts[:, :, HAS, STOP] += moved
    counts[:, :, HAS, GO] -= moved
    return counts
