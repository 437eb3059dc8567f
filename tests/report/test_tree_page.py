"""Sentences of a file as pictures, and many of them on one page."""

from __future__ import annotations

import re
from itertools import islice

import pytest
from corpus.blocks import block, write
from report.pages import Page

from depinduce.corpus import Reading, read_sentences
from depinduce.report.tree_page import overall, tree_page
from depinduce.report.tree_picture import TreePicture, lifted, posteriors_of, tree_picture

GOLD = block("so/ADV ,/PUNCT dogs/NOUN bark/VERB ./PUNCT", [4, 1, 4, 0, 4])
WRONG = block("so/ADV ,/PUNCT dogs/NOUN bark/VERB ./PUNCT", [3, 4, 4, 0, 3])


def only(tmp_path, text: str):
    (sentence,) = islice(read_sentences(write(tmp_path / "a.conllu", text)), 1)
    return sentence


def picture(tmp_path, predicted: str = WRONG, gold: str | None = GOLD, number: int = 7, **options) -> TreePicture:
    gold = None if gold is None else only(tmp_path, gold)
    return tree_picture(number, only(tmp_path, predicted), gold, Reading(), **options)


def test_punctuation_is_drawn_but_never_wrong(tmp_path):
    drawn = picture(tmp_path)
    assert drawn.words == ["so", ",", "dogs", "bark", "."]
    assert drawn.punctuation == {1, 4}
    assert drawn.gold == [4, -1, 4, 0, -1]
    assert (drawn.right, drawn.scored) == (2, 3)
    assert drawn.caption == "sentence 7: 2 of 3 heads right"


def test_punctuation_can_be_left_out(tmp_path):
    drawn = picture(tmp_path, skip_punctuation=True)
    assert drawn.words == ["so", "dogs", "bark"]
    assert (drawn.heads, drawn.gold, drawn.tags) == ([2, 3, 0], [3, 3, 0], ["ADV", "NOUN", "VERB"])
    assert (drawn.right, drawn.scored) == (2, 3)


def test_without_gold_there_is_nothing_to_score(tmp_path):
    drawn = picture(tmp_path, gold=None)
    assert drawn.heads == [3, 4, 4, 0, 3]
    assert drawn.caption == "sentence 7"
    assert "✗" not in drawn.text(80)


def test_one_of_several_trees_says_which(tmp_path):
    text = "# sent_id = s1-tree2\n# tree = 2 of 3\n# log_probability = -9.5\n# probability = 0.125\n" + WRONG
    assert picture(tmp_path, text, gold=None).caption == "sentence 7, s1-tree2, tree 2 of 3, probability 0.125"
    assert picture(tmp_path, "# tree = 1 of 1\n" + WRONG, gold=None).caption == "sentence 7, tree 1 of 1"


def test_what_hangs_on_punctuation_hangs_on_the_word_above_it():
    assert lifted([2, 4, 4, 0, -1], [True, False, True, True, False]) == [4, 4, 4, 0, -1]
    assert lifted([2, 0, -1], [True, False, True]) == [0, 0, -1]  # nothing is above the mark


@pytest.mark.parametrize(
    ("misc", "posterior"),
    [
        ("Posterior=0.65", 0.65),
        ("SpaceAfter=No|Posterior=1.0000", 1.0),
        ("Posterior=0.5|Gloss=x", 0.5),
        ("Posterior=nan", None),
        ("Posterior=2", None),
        ("Posterior=.", None),
        ("MyPosterior=0.5", None),
        ("_", None),
    ],
)
def test_posteriors_are_read_from_misc(misc, posterior, tmp_path):
    text = f"1\ta\t_\tX\t_\t_\t0\t_\t_\tPosterior=0.25\n2\tb\t_\tX\t_\t_\t1\t_\t_\t{misc}\n\n"
    assert posteriors_of(only(tmp_path, text)) == [0.25, posterior]
    assert posteriors_of(only(tmp_path, block("a/X", [0]))) is None


def test_a_page_holds_every_tree_and_says_how_good_they_are(tmp_path):
    pictures = [picture(tmp_path), picture(tmp_path, GOLD, number=8)]
    page = Page("".join(tree_page(pictures, "a.conllu")))
    assert page.captions == ["sentence 7: 2 of 3 heads right", "sentence 8: 3 of 3 heads right"]
    legend, *trees = page.pictures
    assert legend.get("aria-label") == "right head, wrong head, gold head"
    assert [tree.get("aria-label") for tree in trees] == ["so , dogs bark ."] * 2
    assert overall(pictures) == "2 trees: 5 of 6 heads right (83.3%)"


def test_a_page_without_gold_and_posteriors_needs_no_legend(tmp_path):
    pictures = [picture(tmp_path, gold=None)]
    assert len(Page("".join(tree_page(pictures, "a.conllu"))).pictures) == 1
    assert overall(pictures) == "1 tree"


def test_a_page_needs_nothing_from_outside_and_its_style_once(tmp_path):
    text = "".join(tree_page([picture(tmp_path)] * 3, "a.conllu"))
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|url\(|@import|<script|<link", text)
    assert text.count("<style>") == 1
    assert text.count("prefers-color-scheme:dark") == 2  # of the page and of its pictures
    assert '<meta charset="utf-8">' in text


def test_names_are_text_and_not_markup(tmp_path):
    nasty = "# sent_id = <b>&\n" + block("<script>/X", [0])
    page = Page("".join(tree_page([picture(tmp_path, nasty, gold=None)], "<title> & co")))
    assert page.captions == ["sentence 7, <b>&"]
    assert page.pictures[0].get("aria-label") == "<script>"


def test_the_width_of_pictures_on_a_page(tmp_path):
    wide, tall = (Page("".join(tree_page([picture(tmp_path)], "a", width))).pictures[1] for width in (None, 0))
    assert float(wide.get("width")) > float(wide.get("height"))
    assert float(tall.get("width")) < float(wide.get("width"))


def test_every_sentence_is_text_that_a_browser_finds(tmp_path):
    page = "".join(tree_page([picture(tmp_path)], "a"))
    assert '<p class="sentence" dir="ltr">so , dogs bark .</p><div dir="ltr"><svg' in page


def test_a_right_to_left_tree_scrolls_from_its_right_end(tmp_path):
    arabic = block("نبح/VERB الكلب/NOUN ./PUNCT", [0, 1, 1])
    page = "".join(tree_page([picture(tmp_path, arabic, gold=None)], "a"))
    assert '<p class="sentence" dir="rtl">نبح الكلب .</p><div dir="rtl"><svg' in page


def test_trees_are_printed_whole(tmp_path):
    page = "".join(tree_page([picture(tmp_path)], "a"))
    (printed,) = re.findall(r"@media print\{\.legend.*", page, re.DOTALL)
    assert "content-visibility:visible" in printed and "overflow:visible" in printed and "max-width:100%" in printed
