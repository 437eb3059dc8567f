"""Annotations of ELAN become sentences, by what hangs on what."""

from __future__ import annotations

from pathlib import Path

import pytest

from depinduce.corpus.formats.elan import Tiers, read_elan
from depinduce.errors import DepinduceError

RECORDING = Path(__file__).parent.parent / "brought" / "recording.eaf"


def test_sentences_of_all_speakers_in_the_order_of_time():
    first, second = read_elan(RECORDING, Tiers()).sentences
    assert [(word.form, word.tag) for word in first.words] == [("niin", "Interj")]
    assert first.comments == ["speaker = B"]
    # the words say which is before which, and the tags hang on lemmas, which hang on words
    assert [(word.form, word.tag) for word in second.words] == [("kuusi", "N"), ("on", "V"), ("vihreä", "_")]
    assert second.words[1].misc == {"Gloss": "be.3SG"}
    assert second.comments == ["speaker = Ann", "text_en = The spruce is green."]


def test_it_is_told_which_tiers_are_used():
    taken = read_elan(RECORDING, Tiers()).taken
    assert "  tiers: tag 'pos@A', word 'word@A', gloss 'gloss@A', translation 'ft@A'" in taken
    assert "  not used: 'ref@A', 'orth@A', 'lemma@A', 'ref@B'" in taken


def test_tiers_that_the_user_names():
    words = [
        word.form for one in read_elan(RECORDING, Tiers(tag="pos@A", word="lemma")).sentences for word in one.words
    ]
    assert words == ["kuusi", "olla", "vihreä"]
    (one,) = read_elan(RECORDING, Tiers(tag="gloss", translation="orth")).sentences
    assert [word.tag for word in one.words] == ["spruce", "be.3SG", "_"]
    assert "text_translation = kuusi on vihreä" in one.comments


def test_words_by_time_alone(tmp_path):
    """Unaligned slots lie between their neighbours, as ELAN draws them."""
    text = RECORDING.read_text(encoding="utf-8")
    words = "".join(
        f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="c{number}" TIME_SLOT_REF1="{begin}" TIME_SLOT_REF2="{end}">'
        f"<ANNOTATION_VALUE>{word}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>"
        for number, (word, begin, end) in enumerate([("on", "ts2", "ts3"), ("se", "ts1", "ts2")])
    )
    tags = "".join(
        f'<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="d{number}" ANNOTATION_REF="c{number}"><ANNOTATION_VALUE>{tag}'
        "</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>"
        for number, tag in enumerate("VP")
    )
    more = f'<TIER PARENT_REF="ref@A" TIER_ID="tok">{words}</TIER><TIER PARENT_REF="tok" TIER_ID="xx">{tags}</TIER>'
    (tmp_path / "a.eaf").write_text(text.replace("</ANNOTATION_DOCUMENT>", more + "</ANNOTATION_DOCUMENT>"))
    (one,) = read_elan(tmp_path / "a.eaf", Tiers(tag="xx")).sentences
    assert [(word.form, word.tag) for word in one.words] == [("se", "P"), ("on", "V")]


@pytest.mark.parametrize(
    ("old", "new", "tiers", "message"),
    [
        (
            "pos@",
            "cat@",
            Tiers(),
            "no tier that looks like one of tags. Name it with --tag-tier. Tiers and their annot",
        ),
        (
            "",
            "",
            Tiers(tag="mot"),
            "no tier 'mot' with annotations. Name it with --tag-tier. Tiers and their annotations: 'ref",
        ),
        (
            "",
            "",
            Tiers(word="ft"),
            "--word-tier ft: the tags on 'pos@A' do not hang on it, but on 'lemma@A' -> 'word@A' ->",
        ),
        (
            "",
            "",
            Tiers(tag="orth"),
            "the tier of words 'ref@A' hangs on no other, so that nothing says where sentences end",
        ),
        (
            "",
            "",
            Tiers(tag="ref"),
            "the tier 'ref@A' hangs on no other. Name a tier of tags that hangs on one of words.",
        ),
        ('REF="a6"', 'REF="zz"', Tiers(), "the annotation a9 of the tier 'pos@A' hangs on 'zz', which is not there"),
        (
            "ANNOTATION_DOCUMENT",
            "document",
            Tiers(),
            "<document> where a file of ELAN has <ANNOTATION_DOCUMENT>. This is",
        ),
    ],
)
def test_what_cannot_be_read_is_told(old, new, tiers, message, tmp_path):
    path = tmp_path / "a.eaf"
    path.write_text(RECORDING.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(DepinduceError) as refusal:
        read_elan(path, tiers)
    assert message in str(refusal.value)


def test_annotations_that_hang_on_each_other_end(tmp_path):
    text = RECORDING.read_text(encoding="utf-8").replace(
        'ANNOTATION_ID="a2" ANNOTATION_REF="a1"', 'ANNOTATION_ID="a2" ANNOTATION_REF="a3"'
    )
    (tmp_path / "a.eaf").write_text(text, encoding="utf-8")
    assert len(list(read_elan(tmp_path / "a.eaf", Tiers()).sentences)) == 2
