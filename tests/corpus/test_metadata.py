"""Names and texts for sentences that have none."""

from __future__ import annotations

import pytest
from corpus.blocks import block, write

from depinduce.corpus import read_sentences
from depinduce.corpus.metadata import with_metadata

DOGS = block("dogs/NOUN bark/VERB")


def comments(path) -> list[list[str]]:
    return [sentence.comments for sentence in with_metadata(read_sentences(path))]


def test_what_is_missing_is_added_and_what_is_there_stays(tmp_path):
    path = write(tmp_path / "my corpus.conllu", DOGS, "# nothing\n\n", "# sent_id = x\n# text_en = y\n" + DOGS,
                 "#text=as it was\n" + DOGS)  # fmt: skip
    assert comments(path) == [
        ["# sent_id = my-corpus-1", "# text = dogs bark"],
        ["# nothing"],
        ["# sent_id = x", "# text_en = y", "# text = dogs bark"],
        ["#text=as it was", "# sent_id = my-corpus-3"],
    ]


def test_a_file_that_has_all_of_it_stays_byte_for_byte(tmp_path):
    path = write(tmp_path / "a.conllu", "\ufeff# sent_id = x\r\n# text = y\r\n" + DOGS.replace("\n", "\r\n"))
    (sentence,) = with_metadata(read_sentences(path))
    assert sentence.render() == path.read_bytes().decode()


def test_line_ends_are_those_of_the_file(tmp_path):
    (sentence,) = with_metadata(read_sentences(write(tmp_path / "a.conllu", DOGS.replace("\n", "\r\n"))))
    assert sentence.render() == "# sent_id = a-1\r\n# text = dogs bark\r\n" + DOGS.replace("\n", "\r\n")


@pytest.mark.parametrize(("name", "called"), [("-.conllu", "sentence-1"), ("b c/d", "d-1"), ("é(1).conllu", "é-1-1")])
def test_names_of_files_become_names_of_sentences(name, called, tmp_path):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    assert comments(write(tmp_path / name, DOGS))[0][0] == f"# sent_id = {called}"
