"""Sentences that somebody wrote down in a program: `the/DET dog/NOUN barks/VERB`, or pairs of words and tags."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from depinduce.corpus.conllu import FORM, UPOS, Sentence
from depinduce.corpus.faults import COLUMNS, shortened
from depinduce.errors import DepinduceError

SentenceLike = str | Sentence | Iterable[tuple[str, str]]
SOURCE = "<sentence>"  # where such a sentence stands, for errors
_BREAKS = "\t\n\r"  # what the columns of a file cannot hold
_EXAMPLE = "such as 'the/DET dog/NOUN', or [('the', 'DET'), ('dog', 'NOUN')]"


def as_sentence(given: SentenceLike, tag_column: int = UPOS) -> Sentence:
    """A sentence of a file as it is, or one made of words and tags, the tags in this column.

    In a string the last slash of a word stands before its tag: `1/2/NUM` is the word `1/2`, and no slash needs an
    escape. Words with spaces and tags with slashes can be given as pairs.
    """
    if isinstance(given, Sentence):
        return given
    pairs = split_tagged(given) if isinstance(given, str) else _pairs(given)
    if not pairs:
        raise DepinduceError(f"a sentence without words. Give words with their tags, {_EXAMPLE}.")
    return sentence_of(({FORM: word, tag_column: tag} for word, tag in pairs), SOURCE)


def sentence_of(words: Iterable[Mapping[int, str]], source: str) -> Sentence:
    """A sentence as from a file, of words that are given by their columns, counted from 1; the others are `_`."""
    fields: list[str] = []
    for number, columns in enumerate(words, start=1):
        fields.append("\n" * (number > 1) + str(number))
        fields += [columns.get(column, "_") for column in range(2, COLUMNS + 1)]
    return Sentence(source, 1, "", fields, "\n\n")


def split_tagged(text: str, separator: str = "/") -> list[tuple[str, str]]:
    """The words of `the/DET dog/NOUN` with their tags."""
    pairs = []
    for number, token in enumerate(text.split(), start=1):
        word, found, tag = token.rpartition(separator)
        if not found or not tag:
            word, behind = shortened(word or token), {"/": "a slash"}.get(separator, f"`{separator}`")
            raise DepinduceError(
                f"word {number} {word!r} has no tag. Write its tag behind {behind}: {word}{separator}NOUN."
            )
        pairs.append(_checked(number, word, tag))
    return pairs


def _pairs(given: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    if not isinstance(given, Iterable):
        raise DepinduceError(f"{given!r} is not a sentence. Give words with their tags, {_EXAMPLE}.")
    pairs = []
    for number, pair in enumerate(given, start=1):
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise DepinduceError(
                f"word {number} is {pair!r}, not a pair of a word and its tag. Give every sentence as words with their "
                f"tags, {_EXAMPLE}."
            )
        pairs.append(_checked(number, *pair))
    return pairs


def _checked(number: int, word: str, tag: str) -> tuple[str, str]:
    if not isinstance(word, str) or not word or any(mark in word for mark in _BREAKS):
        raise DepinduceError(f"word {number} is {word!r}. A word is a text without tabs and line breaks.")
    if not isinstance(tag, str) or tag.strip() in ("", "_") or any(mark in tag for mark in _BREAKS):
        raise DepinduceError(f"word {number} {word!r} has the tag {tag!r}. Give it one, such as NOUN.")
    return word, tag
