"""A file whose sentences are looked up: the same ones that are read from its beginning to its end."""

from __future__ import annotations

import pytest
from serve.desks import FILE, block

from depinduce import DepinduceError
from depinduce.corpus import read_sentences
from depinduce.corpus.demo import demo_file
from depinduce.serve.corpus_file import CorpusFile

TRICKY = (
    "\ufeff\r\n# language = fr\n" + block("dogs bark").replace("\n", "\r\n") + "\n\n# only a comment\n\n"
    "1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n1\tdé\t_\tADP\t_\t_\t_\t_\t_\t_\n2\tle\t_\tDET\t_\t_\t_\t_\t_\t_\n\n"
    "# language = pl\n" + block("the dogs bark .").rstrip("\n")
)


def words_of(path):
    return [sentence for sentence in read_sentences(path) if len(sentence)]


@pytest.mark.parametrize("text", [FILE, TRICKY, demo_file("test").read_text("utf-8")], ids=["plain", "tricky", "demo"])
def test_a_sentence_that_is_looked_up_is_the_one_that_is_read(text, tmp_path):
    path = tmp_path / "corpus.conllu"
    path.write_bytes(text.encode())
    file, read = CorpusFile(path), words_of(path)
    assert len(file) == len(read)
    for number in reversed(range(len(read))):
        found, other = file.sentence(number), read[number]
        assert (found.render(), found.line, found.language) == (other.render(), other.line, other.language)
        assert file.lengths[number] == len(other)


@pytest.mark.parametrize("text", [FILE, TRICKY])
def test_nothing_of_the_file_is_lost_between_its_sentences(text, tmp_path):
    path = tmp_path / "corpus.conllu"
    path.write_bytes(text.encode())
    file = CorpusFile(path)
    pieces = [file.before(number) + file.sentence(number).render() for number in range(len(file))]
    assert "".join(pieces) + file.before(len(file)) == text


def test_a_file_that_changes_meanwhile_is_not_read_on(tmp_path):
    path = tmp_path / "corpus.conllu"
    path.write_text(FILE)
    file = CorpusFile(path)
    path.write_text(block("dogs sleep") + FILE)
    with pytest.raises(DepinduceError, match="has changed since the page was opened"):
        file.sentence(1)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("-", "", "not packed"),
        ("corpus.conllu.gz", FILE, "not packed"),
        ("nowhere.conllu", None, "no such file"),
        ("comments.conllu", "# nothing\n\n", "there is no sentence"),
        ("broken.conllu", "1\tdogs\n", "corpus|broken.conllu:1"),
    ],
)
def test_what_cannot_be_worked_on_is_refused_at_once(name, text, message, tmp_path):
    path = tmp_path / name
    if text is not None:
        path.write_text(text)
    with pytest.raises(DepinduceError, match=message):
        CorpusFile("-" if name == "-" else path)
