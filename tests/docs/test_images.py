"""The pictures of the documentation: sound, self-contained, in use, and true to the code that they are about."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import make_images
import pytest
from drawing import toy_corpus
from drawing.sheet import MONO, WIDTH, text_width
from drawing.style import SIZES, WORD

from depinduce.chart import grandparent, sibling
from depinduce.grammar.rules import Order
from depinduce.report.scatter import NAME_SIZE
from depinduce.report.svg_style import WORD_SIZE, word_width

ROOT = Path(__file__).parent.parent.parent
IMAGES = sorted((ROOT / "docs" / "images").iterdir())
PICTURES = [path for path in IMAGES if path.suffix == ".svg"]
TITLE_SIZE = 16  # of curves and planes
SVG = "{http://www.w3.org/2000/svg}"


def named(path):
    return path.name


@pytest.mark.parametrize("path", PICTURES, ids=named)
def test_a_picture_is_sound_told_in_words_and_needs_nothing_from_outside(path):
    text = path.read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    assert len(root.findtext(f"{SVG}title")) > 10
    assert len(root.findtext(f"{SVG}desc")) > 40
    assert "prefers-color-scheme:dark" in text
    assert not re.search(r"href|url\(|@import|<script|<image|http(?!://www.w3.org/2000/svg\")", text)


@pytest.mark.parametrize("path", PICTURES, ids=named)
def test_a_picture_has_the_width_of_a_column_and_its_texts_stay_inside(path):
    root = ElementTree.parse(path).getroot()
    width, height = (float(root.get(side)) for side in ("width", "height"))
    assert width <= WIDTH
    for text in root.iter(f"{SVG}text"):
        words, classes = "".join(text.itertext()), text.get("class").split()
        if text.get("transform"):  # it runs upwards
            assert width_of(words, classes) <= height, words
            continue
        centred = text.get("text-anchor") == "middle" or "dep-word" in classes or "dep-tag" in classes
        before = {"end": 1.0}.get(text.get("text-anchor"), 0.5 if centred else 0.0) * width_of(words, classes)
        begin = float(text.get("x")) - before
        assert begin >= 0, words
        assert begin + width_of(words, classes) <= width, words
        assert 0 <= float(text.get("y")) <= height, words


def width_of(text, classes):
    """About how wide a text is, as it is set."""
    if "draw-piece" in classes:
        return MONO * SIZES["draw-piece"] * len(text)
    if "curve-text" in classes:
        return word_width(text) * (TITLE_SIZE if "curve-title" in classes else NAME_SIZE) / WORD_SIZE
    kind = next((name for name in classes if name in SIZES), None)
    if kind is None:
        return word_width(text) * (WORD if "draw-word" in classes else WORD_SIZE) / WORD_SIZE
    return text_width(text, kind)


def test_every_image_is_made_by_the_script_and_shown_by_a_page():
    pages = [ROOT / "README.md", *ROOT.glob("docs/**/*.md")]
    shown = set()
    for page in pages:
        targets = re.findall(r"!\[[^\]]+\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
        shown |= {(page.parent / target).resolve() for target in targets}
    assert set(IMAGES) - shown == set()
    assert {path.name for path in IMAGES} == {*make_images.DRAWINGS, *make_images.SHOWN}


def test_the_script_makes_the_pictures_that_are_named(tmp_path):
    first, *others = make_images.DRAWINGS
    assert make_images.main([Path(first).stem, *others, "--out", str(tmp_path / "new")]) == 0
    assert {path.name for path in (tmp_path / "new").iterdir()} == {first, *others}


def test_the_script_refuses_a_picture_that_it_does_not_know(tmp_path, capsys):
    with pytest.raises(SystemExit):
        make_images.main(["contexst", "--out", str(tmp_path / "none")])
    assert "there is no picture 'contexst'. Pictures: generation, all-trees," in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(("name", "chart"), [("chart.svg", grandparent), ("chart-sibling.svg", sibling)])
def test_the_recurrences_in_the_drawings_are_those_of_the_code(name, chart):
    told = squeezed(re.sub(r"_\{[^}]*\}|_h\b", "", chart.__doc__))
    drawn = ElementTree.parse(ROOT / "docs" / "images" / name).iter(f"{SVG}text")
    equations = [text.text.partition(" = ")[2] for text in drawn if " = " in (text.text or "")]
    assert len(equations) > 5
    for equation in equations:
        assert squeezed(equation) in told, equation


def squeezed(text):
    return re.sub(r"\s+", "", text)


def nouns_below_articles(words):
    verb = words.index("read") + 1
    before = [None, *words]
    return [0 if word == "read" else at - 1 if before[at - 1] == "the" else verb for at, word in enumerate(words, 1)]


def test_the_probabilities_in_the_text_are_those_that_the_code_computes():
    page = (ROOT / "docs" / "method.md").read_text(encoding="utf-8")
    explanations = {
        "articles hang on nouns": toy_corpus.articles_below_nouns,
        "nouns hang on articles": nouns_below_articles,
        "every word hangs on the verb": toy_corpus.all_below_the_verb,
    }
    for explanation, tree_of in explanations.items():
        found = [toy_corpus.probabilities_with(order, tree_of).prod() for order in Order]
        assert f"| {explanation} | {' | '.join(f'1/{1 / one:,.0f}' for one in found)} |" in page
    assert len(toy_corpus.all_trees(3)) == 7
