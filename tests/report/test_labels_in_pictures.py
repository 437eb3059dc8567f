"""Labels of arcs in trees: in the terminal, in SVG pictures, and from files."""

from __future__ import annotations

import random
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from corpus.blocks import block

from depinduce.corpus import Reading, read_text
from depinduce.evaluation.baselines import random_tree
from depinduce.report.arc_layout import arc_levels, arcs_of
from depinduce.report.svg_style import label_width
from depinduce.report.svg_tree import tree_svg
from depinduce.report.text_tree import draw_tree
from depinduce.report.tree_picture import shown_labels, tree_picture

SVG = "{http://www.w3.org/2000/svg}"
WORDS, TAGS, HEADS = ["She", "was", "not", "asked", "."], ["PRON", "AUX", "PART", "VERB", "PUNCT"], [4, 4, 4, 0, 4]
LABELS = ["nsubj:pass", "aux:pass", "advmod", "", ""]


def label_elements(svg: str) -> dict[str, ElementTree.Element]:
    found = (text for text in ElementTree.fromstring(svg).iter(f"{SVG}text") if "dep-label" in text.get("class", ""))
    return {str(text.get("data-label")): text for text in found}


def test_labels_stand_in_their_arcs_and_words_make_room():
    assert draw_tree(WORDS, TAGS, HEADS, width=80, labels=LABELS) == (
        " ╭───nsubj:pass────╮╷\n"
        " │     ╭─aux:pass──┤│\n"
        " │     │    ╭advmod┤│╭─────╮\n"
        " ▼     ▼    ▼      │▼│     ▼\n"
        "She   was  not    asked    .\n"
        "PRON  AUX  PART   VERB   PUNCT\n"
    )


@pytest.mark.parametrize("words", [2, 5, 12])
def test_every_label_is_read_in_the_line_of_its_arc(words):
    rng = np.random.default_rng(words)
    for seed in range(20):
        heads = random_tree(words, rng)
        labels = ["" if head == 0 else f"r{number}" + "x" * (seed % 7) for number, head in enumerate(heads, 1)]
        names = [f"w{number}" for number in range(words)]
        lines = draw_tree(names, ["T"] * words, heads, width=10_000, labels=labels).splitlines()
        levels = arc_levels(arcs_of(heads))
        arrows = next(row for row, line in enumerate(lines) if "▼" in line)
        forms = lines[arrows + 1]
        for arc, level in levels.items():
            line = lines[arrows - level]
            label = labels[arc.child]
            assert line.count(label) >= 1, (heads, label)
            child, head = (forms.index(f"w{word}") for word in (arc.child, arc.head))
            assert min(child, head) < line.index(label) + len(label) / 2 < max(child, head) + 4


def test_without_labels_a_tree_is_drawn_as_before():
    assert draw_tree(WORDS, TAGS, HEADS, width=80, labels=[""] * 5) == draw_tree(WORDS, TAGS, HEADS, width=80)
    assert tree_svg(WORDS, TAGS, HEADS, labels=[""] * 5) == tree_svg(WORDS, TAGS, HEADS)


def test_where_arcs_do_not_fit_labels_stand_behind_the_tags():
    lines = draw_tree(WORDS, TAGS, HEADS, width=25, labels=LABELS, posteriors=[0.5, 0.25, None, 1.0, None]).splitlines()
    assert [line.split()[1:] for line in lines] == [
        ["She", "PRON", "nsubj:pass", ".50"],
        ["was", "AUX", "aux:pass", ".25"],
        ["not", "PART", "advmod"],
        ["asked", "VERB", "1.0"],
        [".", "PUNCT"],
    ]
    assert lines[0].index("nsubj") == lines[1].index("aux:pass")


def test_labels_lie_on_their_arcs_side_by_side():
    chance = random.Random(3)
    rng = np.random.default_rng(3)
    for _ in range(30):
        heads = random_tree(9, rng)
        labels = ["" if head == 0 else "x" * chance.randrange(1, 14) for head in heads]
        svg = tree_svg(["a"] * 9, ["X"] * 9, heads, labels=labels)
        found = label_elements(svg)
        assert {int(number) for number in found} == {number for number, head in enumerate(heads, 1) if head}
        word_at = {t.get("data-word"): float(t.get("x")) for t in ElementTree.fromstring(svg).iter(f"{SVG}text")
                   if "dep-word" in t.get("class")}  # fmt: skip
        by_line: dict[str, list[tuple[float, float]]] = {}
        for number, text in found.items():
            left, right = sorted((word_at[number], word_at[str(heads[int(number) - 1])]))
            reach = label_width(text.text) / 2
            assert left < float(text.get("x")) - reach and float(text.get("x")) + reach < right
            by_line.setdefault(text.get("y"), []).append((float(text.get("x")) - reach, float(text.get("x")) + reach))
        for places in by_line.values():
            assert all(one[1] < other[0] for one, other in pairwise(sorted(places)))


def test_where_words_run_down_the_page_labels_stand_behind_the_tags():
    found = label_elements(tree_svg(WORDS, TAGS, HEADS, width=0, labels=LABELS))
    assert {number: text.text for number, text in found.items()} == {"1": "nsubj:pass", "2": "aux:pass", "3": "advmod"}
    assert len({text.get("x") for text in found.values()}) == 1


def test_labels_that_say_nothing_are_not_shown():
    assert shown_labels(["dep", "root", "_"]) is None
    assert shown_labels(["dep", "root", "punct"], [True, True, False]) is None
    assert shown_labels(["dep", "root", "nsubj", "_"]) == ["dep", "", "nsubj", ""]
    assert shown_labels(None) is None


def test_labels_must_be_as_many_as_words():
    with pytest.raises(ValueError, match="5 words but 1 labels"):
        draw_tree(WORDS, TAGS, HEADS, labels=["x"])


def test_labels_of_a_file_are_drawn():
    text = block("so/ADV ,/PUNCT dogs/NOUN bark/VERB", [4, 1, 4, 0], labels=["advmod", "punct", "nsubj", "root"])
    (sentence,) = read_text(text)
    drawn = tree_picture(1, sentence, None, Reading())
    assert drawn.labels == ["advmod", "", "nsubj", ""]
    assert "nsubj" in drawn.text(80) and "punct" not in drawn.text(80)
    assert ">advmod<" in drawn.svg()
    assert tree_picture(1, sentence, sentence, Reading(), skip_punctuation=True).labels == ["advmod", "nsubj", ""]
    (plain,) = read_text(block("dogs/NOUN bark/VERB", [2, 0], labels=["dep", "root"]))
    assert tree_picture(1, plain, None, Reading()).labels is None
