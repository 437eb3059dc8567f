"""Tagged text with slashes, underscores or bars, and text without tags."""

from __future__ import annotations

from pathlib import Path

from depinduce.corpus.formats.tagged_text import guess_separator, read_plain, read_tagged

BROUGHT = Path(__file__).parent.parent / "brought"


def words(reading) -> list[list[tuple[str, str]]]:
    return [[(word.form, word.tag) for word in brought.words] for brought in reading.sentences]


def test_underscores_and_bars_before_tags():
    first, second = words(read_tagged(BROUGHT / "underscores.txt"))
    assert first[-1] == (".", ".")
    assert second[0] == ("snake_case", "NN")
    assert words(read_tagged(BROUGHT / "bars.txt"))[1] == [("1/2", "CARD"), ("Kilo", "NN")]


def test_the_separator_is_what_most_words_have_with_the_fewest_tags():
    assert guess_separator(["a_b/X c_d/X", "e_f/X"]) == "/"
    assert guess_separator(["1/2_X 3/4_X 5/6_Y"]) == "_"
    assert guess_separator(["no tags"]) == "/"


def test_the_user_knows_the_separator(tmp_path):
    (tmp_path / "a.txt").write_text("a_b/X\n")
    assert words(read_tagged(tmp_path / "a.txt", "_")) == [[("a", "b/X")]]


def test_plain_text_has_no_tags(tmp_path):
    (tmp_path / "a.txt").write_text("The dog\n\nbarks .\n")
    assert words(read_plain(tmp_path / "a.txt")) == [[("The", "_"), ("dog", "_")], [("barks", "_"), (".", "_")]]
