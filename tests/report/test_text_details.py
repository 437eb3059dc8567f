"""Trees in the terminal: probabilities, punctuation, long words, and little room."""

from __future__ import annotations

import re

import numpy as np
import pytest

from depinduce.evaluation.baselines import random_tree
from depinduce.report.display_width import display_width, shortened
from depinduce.report.text_tree import draw_tree, probability

CAT, TAGS, HEADS = ["The", "cat", "sat", "."], ["DET", "NOUN", "VERB", "PUNCT"], [2, 3, 0, 3]


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, ".00"), (0.004, ".00"), (0.654, ".65"), (0.999, "1.0"), (1.0, "1.0"), (None, "")]
)
def test_probabilities_take_three_columns(value, text):
    assert probability(value) == text


def test_probabilities_stand_below_the_tags_or_beside_them():
    posteriors = [0.25, 1.0, 0.5, None]
    above = draw_tree(CAT, TAGS, HEADS, width=80, posteriors=posteriors).splitlines()
    assert above[-1] == ".25  1.0   .50"
    beside = draw_tree(CAT, TAGS, HEADS, width=10, posteriors=posteriors).splitlines()
    assert [line.split()[-1] for line in beside] == [".25", "1.0", ".50", "PUNCT"]


def faint(drawing: str) -> list[str]:
    return re.findall(r"\x1b\[2m(.*?)\x1b\[0m", drawing)


def test_arcs_of_punctuation_and_improbable_arcs_are_faint_in_colour():
    plain = draw_tree(CAT, TAGS, HEADS, width=80, colour=True)
    assert "▼" not in faint(plain)
    mark = draw_tree(CAT, TAGS, HEADS, width=80, colour=True, punctuation={3})
    assert "▼" in faint(mark)
    doubtful = draw_tree(CAT, TAGS, HEADS, width=80, colour=True, posteriors=[0.4, 0.5, 0.6, None])
    assert faint(doubtful).count("▼") == 1
    wrong = draw_tree(CAT, TAGS, HEADS, gold=[3, 3, 0, 3], width=80, colour=True, posteriors=[0.4, 0.5, 0.6, None])
    assert "\x1b[2;31m✗" in wrong
    beside = draw_tree(CAT, TAGS, HEADS, width=10, colour=True, punctuation={3})
    assert any("╰" in text for text in faint(beside))
    assert not any("╭" in text for text in faint(beside))


def test_words_without_tags_have_no_empty_line():
    assert draw_tree(["a", "b"], ["", ""], [2, 0], width=80) == " ╭───╮╷\n ▼   │▼\n a    b\n"


@pytest.mark.parametrize(
    ("text", "width", "short"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdefg", 6, "abcde…"),
        ("我喜欢猫", 7, "我喜欢…"),
        ("我喜欢猫", 6, "我喜…"),
        ("ae\u0301e\u0301e\u0301", 3, "ae\u0301…"),  # a letter keeps its accent
    ],
)
def test_long_texts_are_cut_by_their_width(text, width, short):
    assert shortened(text, width) == short
    assert display_width(short) <= width


def test_long_words_do_not_break_the_picture():
    words = ["see", "https://example.org/" + "x" * 300, "now"]
    for width in (20, 50, 80):
        lines = draw_tree(words, ["VERB", "X", "ADV"], [0, 1, 1], width=width).splitlines()
        assert max(map(len, lines)) <= max(width, 30)
        assert "https://" in "".join(lines)


def test_forty_words_in_a_chain_fit_a_terminal():
    words = [f"word{number}" for number in range(40)]
    lines = draw_tree(words, ["NOUN"] * 40, list(range(40)), width=80).splitlines()
    assert len(lines) == 40
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("width", [50, 60, 80, 120])
def test_trees_of_forty_words_keep_to_the_width(width):
    for seed in range(5):
        heads, gold = (random_tree(40, np.random.default_rng(seed + shift)) for shift in (0, 100))
        drawing = draw_tree(["mot"] * 40, ["NOUN"] * 40, heads, gold=gold, width=width)
        assert max(map(len, drawing.splitlines())) <= width


def test_parts_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="4 words but 1 posteriors"):
        draw_tree(CAT, TAGS, HEADS, posteriors=[0.5])
