"""Glosses stand under the words and translations under the tree, in text and in pictures."""

from __future__ import annotations

import re

import pytest
from corpus.blocks import block, write

from depinduce.cli import main
from depinduce.corpus import read_text
from depinduce.report.glosses import glosses_of, translations_of
from depinduce.report.svg_tree import tree_svg
from depinduce.report.text_tree import draw_tree

GLOSSED = "# text = Izinja zibona .\n# text_en = The dogs see (it) & bark.\n" + block(
    "Izinja/n zibona/v ./PUNCT", [2, 0, 2]
).replace("_\t_\n", "_\tGloss=dogs.and.others\n", 1).replace("_\t_\n", "_\tX=1|MGloss=CL10=see\\plook\n", 1)


def test_glosses_and_translations_are_found():
    (sentence,) = read_text(GLOSSED)
    assert glosses_of(sentence) == ["dogs.and.others", "CL10=see|look", ""]
    assert translations_of(sentence) == ["The dogs see (it) & bark."]
    (bare,) = read_text(block("a/X"))
    assert glosses_of(bare) is None
    assert translations_of(bare) == []


def test_draw_shows_them_in_text(tmp_path, capsys):
    path = str(write(tmp_path / "a.conllu", GLOSSED))
    assert main(["draw", path, "--width", "80"]) == 0
    *_, words, tags, glosses, translation, empty = capsys.readouterr().out.split("\n")[:-1]
    assert (words.split(), tags.split()) == (["Izinja", "zibona", "."], ["n", "v", "PUNCT"])
    assert glosses.split() == ["dogs.and.others", "CL10=see|look"]
    assert (translation, empty) == ("‘The dogs see (it) & bark.’", "")
    assert main(["draw", path, "--width", "0"]) == 0
    assert re.search(r"Izinja +n +dogs\.a", capsys.readouterr().out)
    assert main(["draw", path, "--width", "80", "--skip-punctuation"]) == 0
    assert "dogs.and.others" in capsys.readouterr().out


@pytest.mark.parametrize("width", [None, 10])
def test_pictures_have_room_for_them(width):
    picture = tree_svg(
        ["a", "b"], ["X", "Y"], [2, 0], width=width, glosses=["long gloss " * 3, ""], translations=["so & so"]
    )
    assert picture.count('class="dep-text dep-gloss') == 1
    assert "‘so &amp; so’</text>" in picture
    bare = tree_svg(["a", "b"], ["X", "Y"], [2, 0], width=width)

    def size(text: str) -> tuple[float, float]:
        found = re.search(r'width="([0-9.]+)" height="([0-9.]+)"', text)
        assert found is not None
        return float(found[1]), float(found[2])

    assert size(picture)[0] > size(bare)[0] + 100
    assert size(picture)[1] > size(bare)[1]


def test_a_long_translation_has_several_lines():
    picture = tree_svg(["a", "b"], ["X", "Y"], [2, 0], translations=["word " * 20])
    assert picture.count("dep-text dep-translation") > 5


def test_as_many_glosses_as_words():
    with pytest.raises(ValueError, match="2 words but 1 glosses"):
        draw_tree(["a", "b"], ["X", "Y"], [2, 0], glosses=["x"])
