"""Interlinear texts of FLEx become sentences with tags, glosses and translations."""

from __future__ import annotations

from pathlib import Path

import pytest

from depinduce.corpus.formats.flextext import read_flextext
from depinduce.errors import InputError

STORY = Path(__file__).parent.parent / "brought" / "story.flextext"


def test_words_tags_glosses_and_translations():
    (story,) = read_flextext(STORY).sentences
    assert [word.form for word in story.words] == ["Izinja", "zibona", "inyanga", "."]
    assert [word.tag for word in story.words] == ["n", "v trans", "_", "PUNCT"]
    assert story.words[0].misc == {"Gloss": "dogs", "Gloss_fr": "chiens", "MSeg": "izin-ja", "MGloss": "CL10-dog"}
    assert story.words[1].misc == {"MSeg": "zi=bona", "MGloss": "CL10=see|look"}
    assert story.comments == [
        "segnum = 1",
        "text_en = The dogs see the moon.",
        "text_fr = Les chiens voient la lune.",
        "note_en = told by the river",
    ]


def test_it_is_told_where_the_tags_are_from():
    taken = read_flextext(STORY).taken
    assert taken[0] == "interlinear text of FLEx: The dog and the moon"
    assert "(pos) of 1 words, the grammatical information of the stem (msa) of 1 without one" in taken[1]


def test_older_files_have_words_for_phrases(tmp_path):
    path = tmp_path / "old.flextext"
    path.write_text(STORY.read_text().replace("<phrase>", "<word>").replace("</phrase>", "</word>"))
    (story,) = read_flextext(path).sentences
    assert len(story.words) == 4


BOMB = '<?xml version="1.0"?>\n<!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>\n<document>&b;</document>'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOMB, "x.flextext:2: a document type (<!DOCTYPE …>), which could hide anything and is not read. Take it"),
        (
            "<document>\n<a></document>",
            "x.flextext:2: this is not whole XML (mismatched tag). Export the file once more.",
        ),
        ("", "x.flextext:1: this is not whole XML (no element found)"),
        ("<html/>", "x.flextext:1: <html> where a text of FLEx has <document>. Export the text from FLEx"),
        (
            "<ANNOTATION_DOCUMENT/>",
            "x.flextext:1: <ANNOTATION_DOCUMENT> where a text of FLEx has <document>. This is a",
        ),
        ("<document/>", "x.flextext: no phrase has words. Let FLEx divide"),
        ("<document>" + "<a>" * 200, "x.flextext:1: more than 100 elements inside one another"),
    ],
)
def test_what_is_no_text_of_flex_is_refused(text, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("x.flextext").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as refusal:
        read_flextext("x.flextext")
    assert str(refusal.value).startswith(message)
