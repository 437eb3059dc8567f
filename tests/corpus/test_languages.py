"""Texts of several languages: told by names on the command line, by folders, and by comments in a file."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from corpus.blocks import block, write

from depinduce.corpus import build_corpus, read_sentences, read_text
from depinduce.corpus.languages import files_below, named_files, require_language_name
from depinduce.errors import DepinduceError

DOG, CHIEN, PIES = block("dogs/NOUN bark/VERB"), block("chiens/NOUN aboient/VERB"), block("psy/NOUN szczekają/VERB")


# ---------------------------------------------------------------- names


def test_files_with_names_are_gathered_by_language():
    assert named_files(["fr=a.conllu", "pl=b.conllu", "fr=c=d.conllu"], "--train") == {
        "fr": ["a.conllu", "c=d.conllu"],
        "pl": ["b.conllu"],
    }
    assert named_files(["a.conllu", "b.conllu", "-"], "--train") == ["a.conllu", "b.conllu", "-"]
    assert named_files([], "--train") == {}


def test_a_file_of_the_whole_name_is_a_file(tmp_path):
    odd = write(tmp_path / "fr=a.conllu", DOG)
    assert named_files([str(odd)], "--train") == [str(odd)]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["fr=a.conllu", "b.conllu"], "--train: some files have the name of their language, b.conllu has none."),
        (["./fr=a.conllu"], "--train ./fr=a.conllu: there is no such file, and './fr' cannot be the name"),
        (["=a.conllu"], "--train =a.conllu: there is no such file, and '' cannot be the name of a language"),
    ],
)
def test_names_that_cannot_be_are_refused(given, message):
    with pytest.raises(DepinduceError, match=re.escape(message)):
        named_files(given, "--train")


@pytest.mark.parametrize("name", ["fr", "ja_ktc", "zh-Hant", "日本語", "2"])
def test_a_name_has_letters_digits_and_two_marks(name):
    assert require_language_name(name) == name


@pytest.mark.parametrize("name", ["", "a b", "fr/be", "-fr", "fr\n", 3, None])
def test_other_names_are_refused(name):
    with pytest.raises(DepinduceError, match="cannot be the name of a language: it is made of letters"):
        require_language_name(name)


def test_folders_are_languages_and_the_same_name_is_one(tmp_path):
    for place in ("a/fr/train", "a/fr/text", "a/pl/text", "b/fr/text", "b/.git/train"):
        path = tmp_path / f"{place}.conllu"
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, DOG)
    (tmp_path / "a/de").mkdir()
    a, b = str(tmp_path / "a"), str(tmp_path / "b")
    files, without = files_below([a, b])
    assert files == {"fr": [f"{a}/fr/train.conllu", f"{b}/fr/text.conllu"], "pl": [f"{a}/pl/text.conllu"]}
    assert without == [f"{a}/de"]


def test_folders_without_languages_are_refused(tmp_path):
    with pytest.raises(DepinduceError, match="no text of any language. Each belongs into a folder of its own"):
        files_below([str(tmp_path)])
    with pytest.raises(DepinduceError, match="there is no such folder"):
        files_below([str(tmp_path / "nowhere")])
    (tmp_path / "old french").mkdir()
    write(tmp_path / "old french" / "text.conllu", CHIEN)
    with pytest.raises(DepinduceError, match="'old french' cannot be .* Give the folder another name."):
        files_below([str(tmp_path)])


# ---------------------------------------------------------------- comments


def test_a_comment_holds_until_the_next(tmp_path):
    told = [
        DOG,
        "# sent_id = 1\n# language = fr\n",
        CHIEN,
        CHIEN,
        "#language=pl\n\n",  # a block of its own, without words
        PIES,
        "# language = de\n# language = pl \r\n",
        PIES,
        "# the language = fr of it\n",
        PIES,
        "# language =\n",
        DOG,
    ]
    expected = [None, "fr", "fr", "pl", "pl", "pl", "pl", None]
    path = write(tmp_path / "mixed.conllu", *told)
    assert [sentence.language for sentence in read_sentences(path)] == expected
    assert [sentence.language for sentence in read_text("".join(told))] == expected
    assert {sentence.language for sentence in read_sentences(path, language="cs")} == {"cs"}
    assert "".join(sentence.render() for sentence in read_sentences(path)) == "".join(told)


# ---------------------------------------------------------------- a corpus


def corpus_of(*languages: str):
    text = f"{DOG}# language = fr\n{CHIEN}# language = pl\n{PIES}{PIES}# language = xx\n{DOG}"
    return build_corpus(read_text(text), languages=languages)


def test_sentences_have_the_numbers_of_their_languages():
    corpus = corpus_of("pl", "fr")
    assert (corpus.languages, corpus.language.tolist()) == (("pl", "fr"), [-1, 1, 0, 0, -1])
    assert corpus.language.dtype == np.int32
    assert corpus.sentences_by_language() == {"pl": 2, "fr": 1}
    some = corpus.select(np.array([False, True, False, True, True]))
    assert (some.languages, some.language.tolist()) == (("pl", "fr"), [1, 0, -1])


def test_without_languages_a_corpus_is_what_it_always_was():
    corpus = corpus_of()
    assert (corpus.languages, corpus.language, corpus.sentences_by_language()) == ((), None, {})
    plain = build_corpus(read_text(DOG + CHIEN + PIES + PIES + DOG))
    assert corpus.identity() == plain.identity()
    # as 0.1.0 had it: runs of that version can be resumed
    assert corpus.fingerprint() == "db99b30ebcea14150e48886c58004448d0925bbb8b71a573d3e0f10919b89149"
    assert corpus.select(np.array([True] * 5)).language is None


def test_languages_are_part_of_the_fingerprint():
    both, other, none = corpus_of("fr", "pl"), corpus_of("pl", "fr"), corpus_of()
    assert len({corpus.fingerprint() for corpus in (both, other, none, corpus_of("fr"))}) == 4
    assert replace(both, languages=("fr", "cs")).fingerprint() != both.fingerprint()  # the same numbers
    assert both.identity()["languages"] == {"fr": 1, "pl": 2}
