"""Tagged text with a sentence per line: `word/TAG word/TAG`, `word_TAG word_TAG` or `word|TAG word|TAG`.

A word per line, with its tag behind a tab, is a table: see `tables`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from depinduce.corpus.formats.brought import Brought, Opened, Word, name_of, read_lines
from depinduce.corpus.formats.guess import SEPARATORS
from depinduce.corpus.formats.tables import MARKUP, Columns, read_rows
from depinduce.corpus.tagged import split_tagged
from depinduce.errors import DepinduceError, InputError

_LOOKED_AT = 1000  # words, to find out what stands between a word and its tag


def read_tagged(path: str | Path, separator: str | None = None) -> Opened:
    """The sentences of a tagged text, in the format that its first line of words has.

    separator: what stands between a word and its tag; by default, what most words have
    """
    name, lines = name_of(path), read_lines(path)
    words = [line for line in lines if line.strip() and not MARKUP.fullmatch(line.strip())]
    if not words:
        raise InputError(name, None, "not a single word", "Give words with their tags, such as the/DET dog/NOUN.")
    if "\t" in words[0]:
        return read_rows(name, lines, Columns())
    separator = separator or guess_separator(words)
    return Opened([f"a sentence per line, words as word{separator}TAG"], _sentences(name, lines, separator))


def read_plain(path: str | Path) -> Opened:
    """The sentences of a text without tags: one per line, with spaces between words."""
    name, lines = name_of(path), read_lines(path)
    sentences = (Brought([Word(form) for form in line.split()]) for line in lines if line.strip())
    if not any(map(str.strip, lines)):
        raise InputError(name, None, "not a single word", "Give a sentence per line, with spaces between its words.")
    return Opened(["a sentence per line, words with spaces between them and no tags"], sentences)


def guess_separator(lines: Iterable[str]) -> str:
    """What most words have before their tag; among equals, what gives the fewest different tags."""
    tokens = list(islice((token for line in lines for token in line.split()), _LOOKED_AT))

    def fit(separator: str) -> tuple[int, int]:
        tags = [token.rpartition(separator)[2] for token in tokens if token.rfind(separator) > 0]
        return sum(tag != "" for tag in tags), -len(set(tags))

    return max(SEPARATORS, key=fit)


def _sentences(name: str, lines: list[str], separator: str) -> Iterator[Brought]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield Brought([Word(word, tag) for word, tag in split_tagged(line, separator)])
        except DepinduceError as fault:
            raise DepinduceError(f"{name}:{number}: {fault}") from fault
