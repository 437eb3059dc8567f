"""Trees as SVG: well-formed, complete, safe with any text, without needless crossings."""

import re
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest

from depinduce.evaluation.baselines import random_tree
from depinduce.report.svg_tree import tree_svg

SVG = "{http://www.w3.org/2000/svg}"
WORDS, TAGS, HEADS = ["The", "cat", "sat", "down"], ["DET", "NOUN", "VERB", "ADV"], [2, 3, 0, 3]


def parse(svg):
    return ElementTree.fromstring(svg)


def texts(root, kind):
    return [t.text for t in root.iter(f"{SVG}text") if kind in t.get("class").split()]


def arcs(root, kind):
    """(head, child) of the arcs of a kind; 0 is the root."""
    return {
        (int(g.get("data-head")), int(g.get("data-child")))
        for g in root.iter(f"{SVG}g")
        if g.get("data-head") and kind in g.get("class").split()
    }


def test_words_tags_and_arcs_are_all_there():
    root = parse(tree_svg(WORDS, TAGS, HEADS))
    assert texts(root, "dep-word") == WORDS
    assert texts(root, "dep-tag") == TAGS
    assert arcs(root, "dep-arc") == {(2, 1), (3, 2), (0, 3), (3, 4)}
    assert len(list(root.iter(f"{SVG}polygon"))) == len(WORDS)
    assert len(list(root.iter(f"{SVG}circle"))) == 1


@pytest.mark.parametrize("width", [None, 0])
def test_words_and_tags_tell_their_number(width):
    root = parse(tree_svg(WORDS, TAGS, HEADS, width=width))
    numbers = {t.text: t.get("data-word") for t in root.iter(f"{SVG}text")}
    assert numbers == {text: str(number) for texts in (WORDS, TAGS) for number, text in enumerate(texts, start=1)}


def test_the_picture_needs_nothing_from_outside():
    svg = tree_svg(WORDS, TAGS, HEADS, gold=HEADS)
    assert "prefers-color-scheme:dark" in svg
    assert not re.search(r"href|url\(|@import|<script", svg)
    assert ' id="' not in svg  # so that one page can hold many


def test_a_picture_that_stands_alone_tells_its_tree_in_words():
    told = parse(tree_svg(WORDS, TAGS, HEADS)).findtext(f"{SVG}desc")
    assert told == "The root has the child sat. cat has the child The. sat has the children cat, down."
    assert parse(tree_svg(["a", "b"], ["", ""], [-1, 1])).findtext(f"{SVG}desc") == "a has the child b."
    assert parse(tree_svg(["a"], [""], [-1])).find(f"{SVG}desc") is None
    assert parse(tree_svg(WORDS, TAGS, HEADS, alone=False)).find(f"{SVG}desc") is None


def test_text_is_escaped():
    nasty = ["<b>&amp;\"'", "]]>", "a\x00\x1bb", "\ufffe"]
    root = parse(tree_svg(nasty, ["<", "&", '"', ">"], [2, 3, 0, 3], title='5 < 6 & "x"'))
    assert texts(root, "dep-word") == ["<b>&amp;\"'", "]]>", "a␀␛b", "<U+FFFE>"]
    assert texts(root, "dep-tag") == ["<", "&", '"', ">"]
    assert root.find(f"{SVG}title").text == root.get("aria-label") == '5 < 6 & "x"'


def test_the_sentence_is_the_default_title():
    assert parse(tree_svg(WORDS, TAGS, HEADS)).find(f"{SVG}title").text == "The cat sat down"


def test_errors_and_gold_arcs_are_told_apart():
    root = parse(tree_svg(WORDS, TAGS, [2, 3, 0, 2], gold=HEADS))
    assert arcs(root, "dep-wrong") == {(2, 4)}
    assert arcs(root, "dep-gold") == {(3, 4)}
    assert texts(root, "dep-wrong") == ["down"]
    assert texts(root, "dep-legend") == ["right head", "wrong head", "gold head"]
    right = parse(tree_svg(WORDS, TAGS, HEADS, gold=HEADS))
    assert not arcs(right, "dep-wrong") | arcs(right, "dep-gold")
    assert float(root.get("height")) > float(right.get("height"))


def test_opacity_follows_the_posterior():
    root = parse(tree_svg(WORDS, TAGS, HEADS, posteriors=[0.0, 0.5, 1.0, 0.9]))
    groups = [g for g in root.iter(f"{SVG}g") if g.get("data-child")]
    opacity = {int(g.get("data-child")): float(g.get("opacity")) for g in groups}
    assert 0 < opacity[1] < opacity[2] < opacity[4] < opacity[3] == 1
    remarks = [g.find(f"{SVG}title").text for g in groups]
    assert texts(root, "dep-legend") == ["improbable"]
    assert "sat → cat, probability 0.50" in remarks


def test_words_stand_in_reading_order():
    def places(words):
        root = parse(tree_svg(words, ["X"] * 3, [0, 1, 1]))
        return [float(t.get("x")) for t in root.iter(f"{SVG}text") if "dep-word" in t.get("class")]

    assert places(["one", "two", "three"]) == sorted(places(["one", "two", "three"]))
    assert places(["שלום", "לך", "עולם"]) == sorted(places(["שלום", "לך", "עולם"]), reverse=True)


@pytest.mark.parametrize("words", [0, 1, 2, 40, 120])
def test_everything_lies_inside_the_picture(words):
    rng = np.random.default_rng(words)
    heads, gold = ([0] if words == 1 else random_tree(words, rng) if words else [] for _ in range(2))
    root = parse(tree_svg(["word"] * words, ["NOUN"] * words, heads, gold))
    width, height = float(root.get("width")), float(root.get("height"))
    assert root.get("viewBox") == f"0 0 {width:g} {height:g}"
    for group in root.iter(f"{SVG}g"):
        if group.get("data-head"):
            xs, ys = curve(group)
            assert xs.min() > 0 and xs.max() < width
            assert ys.min() > 0 and ys.max() < height


def curve(group):
    """Points along the line of an arc: M x y A rx ry … x y H x A rx ry … x y, or M x y V y for the root."""
    path = group.find(f"{SVG}path").get("d")
    numbers = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", path)]
    if "V" in path:
        x, top, bottom = numbers
        return np.full(2, x), np.array([top, bottom])
    x0, y0, _, _, _, _, _, x1, peak, x2, _, _, _, _, _, x3, y3 = numbers
    angle = np.linspace(0, np.pi / 2, 200)
    up = x1 + (x0 - x1) * np.cos(angle), y0 + (peak - y0) * np.sin(angle)
    down = x2 + (x3 - x2) * np.sin(angle), y3 + (peak - y3) * np.cos(angle)
    return np.concatenate([up[0], down[0]]), np.concatenate([up[1], down[1]])


@pytest.mark.parametrize("seed", range(20))
def test_arcs_of_projective_trees_never_cross(seed):
    rng = np.random.default_rng(seed)
    words = int(rng.integers(2, 25))
    forms = ["x" * int(rng.integers(1, 12)) for _ in range(words)]
    root = parse(tree_svg(forms, ["X"] * words, random_tree(words, rng)))
    curves = [curve(g) for g in root.iter(f"{SVG}g") if g.get("data-head") != "0"]
    sorted_curves = [(xs[order := np.argsort(xs)], ys[order]) for xs, ys in curves]
    for one, other in combinations(sorted_curves, 2):
        shared = np.linspace(max(one[0][0], other[0][0]), min(one[0][-1], other[0][-1]), 400)
        if shared[0] < shared[-1]:
            difference = np.interp(shared, *one) - np.interp(shared, *other)
            assert difference.min() > -0.5 or difference.max() < 0.5  # less than a line's width


@pytest.mark.parametrize(
    ("tags", "heads", "posteriors", "message"),
    [
        (["X"], [2, 0], None, "2 words but 1 tags"),
        (["X", "Y"], [2, 0, 1], None, "2 words but 3 heads"),
        (["X", "Y"], [2, 0], [1.0], "2 words but 1 posteriors"),
    ],
)
def test_parts_that_do_not_fit_are_refused(tags, heads, posteriors, message):
    with pytest.raises(ValueError, match=message):
        tree_svg(["a", "b"], tags, heads, posteriors=posteriors)
