"""Characters that cannot be seen are shown as signs; all others stay as they are."""

from __future__ import annotations

import unicodedata

import pytest

from depinduce.errors import DepinduceError, InputError
from depinduce.visible import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31m", "␛[31m"),
        ("a\0b\tc\r\n", "a␀b␉c␍␊"),
        ("\x7f\x85\x9b", "␡<U+0085><U+009B>"),
        ("user\u202egpj.exe", "user<U+202E>gpj.exe"),
        ("\u2066x\u2069", "<U+2066>x<U+2069>"),
        ("\u2028\ufeff\udce9\uffff", "<U+2028><U+FEFF><U+DCE9><U+FFFF>"),
    ],
)
def test_what_cannot_be_seen_gets_a_sign(text, shown):
    assert visible(text) == shown


def test_lines_stay_where_there_may_be_several():
    assert visible("one\ntwo\r\n", lines=True) == "one\ntwo␍\n"


@pytest.mark.parametrize(
    "word", ["dog", "Straße", "می\u200cخواهم", "क्\u200dष", "שָׁלוֹם\u200f", "co\xadop", "👩\u200d🚀", "犬"]
)
def test_words_of_any_script_stay_as_they_are(word):
    assert visible(word) == word


def test_no_control_and_no_direction_is_left():
    every = visible("".join(map(chr, range(0x110000))))
    assert not [char for char in every if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")]
    turning = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    assert not [char for char in every if unicodedata.bidirectional(char) in turning]


def test_errors_are_shown_and_their_parts_kept():
    fault = InputError("a\x1b]0;b", 3, "the tag \u202e", "Mend it.")
    assert str(fault) == "a␛]0;b:3: the tag <U+202E>. Mend it."
    assert (fault.path, fault.found) == ("a\x1b]0;b", "the tag \u202e")
    assert str(DepinduceError("two\nlines")) == "two\nlines"
