"""Scores of a tagger, counted by hand."""

from __future__ import annotations

from depinduce.tagging.cross_validation import TagScores, cross_validate


def test_scores_are_counted():
    scores = TagScores()
    for tag, guess, known in (
        ("A", "A", True),
        ("A", "B", False),
        ("B", "B", False),
        ("A", "C", True),
        ("A", "C", True),
    ):
        scores.add(tag, guess, known)
    assert (scores.words, scores.right, scores.unknown, scores.unknown_right) == (5, 2, 2, 1)
    assert scores.worst(3) == [("A", 3, 4, "C")]


def test_no_tagger_learns_from_what_it_is_scored_on():
    """Every word is there once, so that none is known; the lexicon knows some."""
    sentences = [([f"{letter}x"], ["N"]) for letter in "abcdefg"]
    assert cross_validate(sentences).unknown == 7
    assert cross_validate(sentences, {"ax": frozenset({"N"})}).unknown == 6


def test_words_without_a_tag_do_not_count():
    scores = cross_validate([(["a", "b"], ["N", None])] * 5)
    assert (scores.words, scores.right) == (5, 5)
