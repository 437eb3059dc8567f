"""Sentences with the same tags are found, however long they are and however many tags there are."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from learning.tagged import random_sentences, tagged

from depinduce.corpus.alike import distinct_sentences, in_pieces
from depinduce.corpus.known_heads import KnownHeads


@pytest.mark.parametrize("longest", [3, 40])  # 40 of many tags are more than one number
@pytest.mark.parametrize("tags", ["NV", "NVDA", [f"T{number}" for number in range(1000)]])
def test_equal_sentences_are_found_and_counted(longest, tags):
    some = random_sentences(4, count=60, tags=tags, longest=longest)[1:]
    again = np.random.default_rng(5).choice(some, size=150)
    near = [" ".join([*sentence.split()[:-1], tags[0]]) for sentence in some]  # differ in the last tag, if at all
    sentences = [*some, *again, *near]
    numbers, times = distinct_sentences(tagged(*sentences))
    assert dict(zip([sentences[number] for number in numbers], times, strict=True)) == Counter(sentences)
    assert numbers.tolist() == [sentences.index(sentences[number]) for number in numbers] == sorted(numbers)


def test_sentences_of_two_languages_are_not_alike_where_these_are_told_apart():
    corpus = replace(tagged("N V", "N V", "N V"), languages=("fr", "pl"), language=np.array([0, 1, 0], np.int32))
    together, times = distinct_sentences(corpus)
    assert (together.tolist(), times.tolist()) == ([0], [3])
    numbers, times = distinct_sentences(corpus, apart=True)
    assert (numbers.tolist(), times.tolist()) == ([0, 1], [2, 1])


def test_sentences_with_known_heads_are_like_no_other():
    known = KnownHeads.of([-1, -1, 2, -1, -1, -1, 2, -1], [()] * 8)
    numbers, times = distinct_sentences(replace(tagged("N V", "N V", "N V", "N V"), known=known))
    assert (numbers.tolist(), times.tolist()) == ([0, 1, 3], [2, 1, 1])


def test_pieces_hold_all_sentences_in_order_and_no_more_words_than_wanted():
    lengths = np.array([3, 4, 9, 1, 1, 1, 20, 2])
    cuts = list(in_pieces(np.arange(8), lengths, 9))
    assert [lengths[cut].tolist() for cut in cuts] == [[3, 4], [9], [1, 1, 1], [20], [2]]
