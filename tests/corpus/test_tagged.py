"""Sentences written down in a program."""

from __future__ import annotations

import pytest
from corpus.blocks import block, write

from depinduce.corpus import read_sentences
from depinduce.corpus.conllu import UPOS, XPOS
from depinduce.corpus.tagged import as_sentence
from depinduce.errors import DepinduceError


def pairs_of(sentence, column: int = UPOS) -> list[tuple[str, str]]:
    return list(zip(sentence.forms, sentence.column(column), strict=True))


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("the/DET dog/NOUN", [("the", "DET"), ("dog", "NOUN")]),
        ("  the/DET\n dog/NOUN ", [("the", "DET"), ("dog", "NOUN")]),
        ("1/2/NUM", [("1/2", "NUM")]),  # the last slash counts
        (r"1\/2/CD", [(r"1\/2", "CD")]),  # a backslash is a backslash
        ("//SYM", [("/", "SYM")]),
        ("_/X", [("_", "X")]),
    ],
)
def test_the_last_slash_of_a_word_stands_before_its_tag(text, pairs):
    assert pairs_of(as_sentence(text)) == pairs


def test_pairs_may_have_spaces_in_words_and_slashes_in_tags():
    pairs = [("New York", "PROPN"), ["and/or", "A/B"]]
    sentence = as_sentence(iter(pairs), XPOS)
    assert pairs_of(sentence, XPOS) == [tuple(pair) for pair in pairs]
    assert sentence.column(UPOS) == ["_", "_"]


def test_what_was_made_reads_back_from_its_text(tmp_path):
    text = as_sentence("the/DET dog/NOUN").render()
    assert text == block("the/DET dog/NOUN")
    (again,) = read_sentences(write(tmp_path / "a.conllu", text))
    assert again.render() == text


def test_a_sentence_of_a_file_stays_itself(tmp_path):
    (sentence,) = read_sentences(write(tmp_path / "a.conllu", "# c\n", block("a/X")))
    assert as_sentence(sentence) is sentence


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("the/DET dog barks/VERB", "word 2 'dog' has no tag. Write its tag behind a slash: dog/NOUN."),
        ("dog/", "word 1 'dog' has no tag. Write its tag behind a slash: dog/NOUN."),
        ("/", "word 1 '/' has no tag."),
        ("/NOUN", "word 1 is ''. A word is a text without tabs and line breaks."),
        ("dog/_", "word 1 'dog' has the tag '_'. Give it one, such as NOUN."),
        ("", "a sentence without words. Give words with their tags, such as 'the/DET dog/NOUN', or [('the', 'DET')"),
        ([], "a sentence without words."),
        (["the/DET"], "word 1 is 'the/DET', not a pair of a word and its tag."),
        (("the", "DET"), "word 1 is 'the', not a pair of a word and its tag."),
        ([("the", "DET", "x")], "word 1 is ('the', 'DET', 'x'), not a pair of a word and its tag."),
        ([("dog", None)], "word 1 'dog' has the tag None."),
        ([("a\tb", "X")], r"word 1 is 'a\tb'. A word is a text without tabs"),
        ([("a", "X\n1")], r"word 1 'a' has the tag 'X\n1'."),
        (7, "7 is not a sentence. Give words with their tags"),
    ],
)
def test_faults_are_told_with_their_remedy(given, message):
    with pytest.raises(DepinduceError) as fault:
        as_sentence(given)
    assert message in str(fault.value)


def test_a_word_that_fills_the_screen_is_shortened_in_faults():
    with pytest.raises(DepinduceError) as refusal:
        as_sentence("the/DET " + 5000 * "x")
    shown = 40 * "x" + "…"
    assert str(refusal.value) == f"word 2 '{shown}' has no tag. Write its tag behind a slash: {shown}/NOUN."
