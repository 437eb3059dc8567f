"""Lists of words with their tags."""

from __future__ import annotations

import pytest

from depinduce.errors import InputError
from depinduce.tagging.lexicon import read_lexicon


def test_words_and_their_tags(tmp_path):
    path = tmp_path / "words.tsv"
    path.write_text("# mine\ndog\tNOUN\nwalk\tNOUN, VERB\n\ndog\tVERB\nNew York\tPROPN\n")
    assert read_lexicon(path) == {"dog": {"NOUN", "VERB"}, "walk": {"NOUN", "VERB"}, "New York": {"PROPN"}}


@pytest.mark.parametrize("line", ["dog", "dog\t", "\tNOUN", "dog\tNOUN,", "dog\t_", "dog\tNOUN VERB"])
def test_other_lines_are_refused(line, tmp_path):
    (tmp_path / "words.tsv").write_text(f"cat\tNOUN\n{line}\n")
    with pytest.raises(InputError, match=r"words.tsv:2: .* is not a word and its tags. Write a word, a tab"):
        read_lexicon(tmp_path / "words.tsv")


def test_an_empty_list_is_refused(tmp_path):
    (tmp_path / "words.tsv").write_text("\n")
    with pytest.raises(InputError, match="not a single word"):
        read_lexicon(tmp_path / "words.tsv")
