"""Punctuation is found by mode, taken out of trees, and put back without harm."""

from __future__ import annotations

import pytest
from corpus.blocks import block, write
from hypothesis import given
from hypothesis import strategies as st

from depinduce.corpus import Reading, attach, is_punctuation, read_sentences, remove
from depinduce.corpus.punctuation import marks_of
from depinduce.errors import DepinduceError


@st.composite
def projective_trees(draw, max_length: int = 12) -> list[int]:
    """Heads of a projective tree with one root."""
    heads = [0] * draw(st.integers(1, max_length))

    def grow(first: int, last: int, head: int) -> None:
        root = draw(st.integers(first, last))
        heads[root - 1] = head
        for start, end in ((first, root - 1), (root + 1, last)):
            while start <= end:  # the children on one side, each with a span of its own
                cut = draw(st.integers(start, end))
                grow(start, cut, root)
                start = cut + 1

    grow(1, len(heads), 0)
    return heads


@st.composite
def trees_with_gaps(draw) -> tuple[list[int], list[bool]]:
    """The heads of kept words, and for all words whether they are kept."""
    heads = draw(projective_trees())
    keep = [True] * len(heads)
    for place in draw(st.lists(st.integers(0, len(heads)), max_size=8)):
        keep.insert(place, False)
    return heads, keep


def ancestors(word: int, heads: list[int]) -> list[int]:
    way = []
    while word:
        word = heads[word - 1]
        way.append(word)
    return way


def is_projective(heads: list[int]) -> bool:
    """Whether a head is among the ancestors of all words between it and its child, ROOT being word 0."""
    for child, head in enumerate(heads, start=1):
        between = range(min(child, head) + 1, max(child, head))
        if not all(head in ancestors(word, heads) for word in between):
            return False
    return True


def test_the_judge_of_projectivity_knows_its_trade():
    assert is_projective([2, 0, 2])
    assert not is_projective([3, 0, 2, 1])
    assert not is_projective([2, 4, 0, 3])  # arc 4 -> 2 over the root


@given(trees_with_gaps())
def test_attached_punctuation_keeps_the_tree_projective_and_single_rooted(tree):
    heads, keep = tree
    attached = attach(heads, keep)
    assert attached.count(0) == 1
    assert is_projective(attached)


@given(trees_with_gaps())
def test_punctuation_hangs_on_words_and_the_words_keep_their_tree(tree):
    heads, keep = tree
    attached = attach(heads, keep)
    assert all(keep[head - 1] for head in attached if head)
    assert remove(attached, keep) == heads


@given(projective_trees(), st.data())
def test_removal_gives_each_child_to_its_nearest_kept_ancestor(heads, data):
    keep = data.draw(st.lists(st.booleans(), min_size=len(heads), max_size=len(heads)))
    kept = [word for word, stays in enumerate(keep, start=1) if stays]
    removed = remove(heads, keep)
    for word, head in zip(kept, removed, strict=True):
        expected = next(above for above in ancestors(word, heads) if above == 0 or keep[above - 1])
        assert (kept[head - 1] if head else 0) == expected


def test_comma_hangs_on_the_head_of_its_gap():
    # When it rained , we left .    with rained -> when and left -> rained, we
    assert attach([2, 4, 4, 0], [True, True, False, True, True, False]) == [2, 5, 5, 5, 0, 5]


def test_opening_quote_hangs_on_the_root():
    assert attach([0, 1], [False, False, True, True]) == [3, 3, 0, 3]


def test_sentence_of_punctuation_hangs_on_its_first_mark():
    assert attach([], [False, False, False]) == [0, 1, 1]
    assert attach([], [False]) == [0]
    assert attach([], []) == []


def test_wrong_number_of_heads_is_refused():
    with pytest.raises(ValueError, match="1 heads for 2 kept words"):
        attach([0], [True, False, True])


def test_unknown_heads_stay_unknown():
    assert remove([-1, 0, 4, -1], [True, True, True, False]) == [-1, 0, -1]


def test_circle_of_removed_words_leaves_a_root():
    assert remove([2, 3, 2], [True, False, False]) == [0]


WORDS = "``/PUNCT $/SYM 5/NUM ,/. ''/X (/X"
XPOS = ["``", "$", "CD", ",", "''", "-LRB-"]


@pytest.mark.parametrize(
    ("mode", "tag_column", "expected"),
    [
        ("none", 4, ""),
        ("ud", 5, "`` ,"),
        ("penn", 4, "`` , '' ("),
        ("penn-currency", 4, "`` $ , '' ("),
        ("auto", 4, "`` ,"),
        ("auto", 5, "`` , '' ("),
        ("auto", 3, "`` ,"),
    ],
)
def test_modes(mode, tag_column, expected, tmp_path):
    (sentence,) = read_sentences(write(tmp_path / "a.conllu", block(WORDS, xpos=XPOS)))
    found = is_punctuation(sentence, marks_of(mode, tag_column))
    assert found.dtype == bool
    assert [form for form, mark in zip(sentence.forms, found, strict=True) if mark] == expected.split()


def test_unknown_mode_is_refused_with_the_list_of_modes():
    with pytest.raises(DepinduceError, match="Choose from: auto, ud, penn, penn-currency, none."):
        Reading(punctuation="ptb")
