"""Trees as SVG with one word below the other: the form for long sentences."""

from __future__ import annotations

import re
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest

from depinduce.evaluation.baselines import random_tree
from depinduce.report.svg_tree import tree_svg

SVG = "{http://www.w3.org/2000/svg}"
WORDS, TAGS, HEADS = ["The", "cat", "sat", "down"], ["DET", "NOUN", "VERB", "ADV"], [2, 3, 0, 3]


def rows(words=WORDS, tags=TAGS, heads=HEADS, **options) -> ElementTree.Element:
    return ElementTree.fromstring(tree_svg(words, tags, heads, width=0, **options))


def places(root: ElementTree.Element, kind: str) -> list[tuple[float, float]]:
    found = [text for text in root.iter(f"{SVG}text") if kind in text.get("class").split()]
    return [(float(text.get("x")), float(text.get("y"))) for text in found]


def curve(group: ElementTree.Element) -> tuple[np.ndarray, np.ndarray]:
    """Points along the line of an arc: M x y A rx ry … x y V y A rx ry … x y, or M x y H x for the root."""
    path = group.find(f"{SVG}path").get("d")
    numbers = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", path)]
    if "H" in path:
        start, y, end = numbers
        return np.array([start, end]), np.full(2, y)
    x0, y0, _, _, _, _, _, peak, y1, y2, _, _, _, _, _, x3, y3 = numbers
    angle = np.linspace(0, np.pi / 2, 200)
    xs = [x0 + (peak - x0) * np.sin(angle), x3 + (peak - x3) * np.cos(angle)]
    ys = [y1 + (y0 - y1) * np.cos(angle), y2 + (y3 - y2) * np.sin(angle)]
    return np.concatenate(xs), np.concatenate(ys)


def arcs(root: ElementTree.Element, kind: str = "dep-arc") -> list[ElementTree.Element]:
    return [g for g in root.iter(f"{SVG}g") if g.get("data-head") and kind in g.get("class").split()]


def test_words_stand_below_each_other_with_their_tags_beside_them():
    root = rows()
    words, tags = places(root, "dep-word"), places(root, "dep-tag")
    assert len({x for x, _ in words}) == len({x for x, _ in tags}) == 1
    assert words[0][0] < tags[0][0]
    steps = np.diff([y for _, y in words])
    assert (steps > 20).all() and len(set(steps)) == 1
    assert all(abs(word[1] - tag[1]) < 4 for word, tag in zip(words, tags, strict=True))


def test_the_tree_is_left_of_the_words_and_missed_gold_arcs_are_right_of_the_tags():
    root = rows(heads=[2, 3, 0, 2], gold=HEADS)
    tree, (gold,) = [arc for arc in arcs(root) if "dep-gold" not in arc.get("class")], arcs(root, "dep-gold")
    assert all(curve(arc)[0].max() < places(root, "dep-word")[0][0] for arc in tree)
    assert curve(gold)[0].min() > places(root, "dep-tag")[0][0]
    assert (gold.get("data-head"), gold.get("data-child")) == ("3", "4")


def test_every_arc_goes_from_the_row_of_its_head_to_the_row_of_its_child():
    root = rows(["w"] * 30, ["T"] * 30, heads := random_tree(30, np.random.default_rng(0)))
    rows_at = [y - 6 for _, y in places(root, "dep-word")]
    for arc in arcs(root):
        head, child = int(arc.get("data-head")), int(arc.get("data-child"))
        assert heads[child - 1] == head
        _, ys = curve(arc)
        assert ys[-1] == pytest.approx(rows_at[child - 1])
        assert head == 0 or abs(ys[0] - rows_at[head - 1]) < 13  # half a row


@pytest.mark.parametrize("width", [None, 0])
def test_both_shoulders_of_an_arc_are_round_outside(width):
    """The flag of an elliptic arc says on which side its centre is: it must be at the foot of the shoulder's end."""
    options = {"gold": [2, 0, 2, 5, 2, 3], "width": width}
    root = ElementTree.fromstring(tree_svg(["w"] * 6, ["T"] * 6, [3, 1, 5, 3, 0, 5], **options))
    shoulders = 0
    for arc in arcs(root):
        path = arc.find(f"{SVG}path").get("d")
        if "A" not in path:
            continue
        numbers = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", path)]
        x0, y0, _, _, _, _, first, x1, y1, straight, _, _, _, _, second, x3, y3 = numbers
        x2, y2 = (x1, straight) if width == 0 else (straight, y1)
        centres = [(x0, y1), (x3, y2)] if width == 0 else [(x1, y0), (x2, y3)]
        ends = [((x0, y0), (x1, y1), first), ((x2, y2), (x3, y3), second)]
        for (cx, cy), ((ax, ay), (bx, by), flag) in zip(centres, ends, strict=True):
            turn = (ax - cx) * (by - cy) - (ay - cy) * (bx - cx)  # positive: clockwise on the screen
            assert (turn > 0) == bool(flag)
            shoulders += 1
    assert shoulders >= 16


@pytest.mark.parametrize("seed", range(15))
def test_arcs_of_projective_trees_never_cross(seed):
    rng = np.random.default_rng(seed)
    words = int(rng.integers(2, 30))
    root = rows(["x"] * words, ["X"] * words, random_tree(words, rng))
    curves = [curve(arc) for arc in arcs(root) if arc.get("data-head") != "0"]
    by_row = [(ys[order := np.argsort(ys)], xs[order]) for xs, ys in curves]
    for one, other in combinations(by_row, 2):
        shared = np.linspace(max(one[0][0], other[0][0]), min(one[0][-1], other[0][-1]), 400)
        if shared[0] < shared[-1]:
            difference = np.interp(shared, *one) - np.interp(shared, *other)
            assert difference.min() > -0.8 or difference.max() < 0.8  # less than a line's width


@pytest.mark.parametrize("words", [0, 1, 2, 40, 80])
def test_everything_lies_inside_a_picture_that_is_no_wider_than_a_page(words):
    rng = np.random.default_rng(words)
    heads, gold = ([0] if words == 1 else random_tree(words, rng) if words else [] for _ in range(2))
    root = rows(["word"] * words, ["NOUN"] * words, heads, gold=gold, posteriors=[0.5] * words)
    width, height = float(root.get("width")), float(root.get("height"))
    assert width < 800
    for arc in arcs(root):
        xs, ys = curve(arc)
        assert xs.min() > 0 and xs.max() < width
        assert ys.min() > 0 and ys.max() < height
    for x, y in places(root, "dep-legend") + places(root, "dep-word"):
        assert 0 < x < width and 0 < y < height


def test_the_form_depends_on_the_room():
    across = ElementTree.fromstring(tree_svg(WORDS, TAGS, HEADS))
    needed = float(across.get("width"))
    assert tree_svg(WORDS, TAGS, HEADS, width=needed) == tree_svg(WORDS, TAGS, HEADS)
    assert tree_svg(WORDS, TAGS, HEADS, width=needed - 1) == tree_svg(WORDS, TAGS, HEADS, width=0)
    assert tree_svg(WORDS, TAGS, HEADS, width=0) != tree_svg(WORDS, TAGS, HEADS)


def test_long_words_are_cut_and_the_whole_sentence_is_the_title():
    word = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
    root = rows([word, "x"], ["X", "Y"], [0, 1])
    shown = [text.text for text in root.iter(f"{SVG}text") if "dep-word" in text.get("class")]
    assert shown[0] == word[:39] + "…"
    assert root.find(f"{SVG}title").text == f"{word} x"


def test_arcs_of_punctuation_step_back_whatever_their_probability():
    root = rows(heads=[2, 3, 0, 3], posteriors=[0.5, 0.5, 0.5, 0.5], punctuation={3})
    (mark,) = arcs(root, "dep-mark")
    assert mark.get("data-child") == "4" and mark.get("opacity") is None
    assert arcs(root).index(mark) == 0  # below the others


def test_words_without_tags_have_no_empty_texts():
    for width in (None, 0):
        root = ElementTree.fromstring(tree_svg(["a", "b"], ["", ""], [0, 1], width=width))
        assert places(root, "dep-tag") == []
        assert len(places(root, "dep-word")) == 2


def test_a_picture_for_a_page_leaves_style_and_legend_to_the_page():
    root = rows(gold=[2, 3, 0, 2], alone=False)
    assert root.find(f"{SVG}style") is None
    assert places(root, "dep-legend") == []
