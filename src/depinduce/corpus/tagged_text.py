"""Tagged text that is not CoNLL-U: `word/TAG word/TAG` with a sentence per line, or a word per line with its tag.

The second is what taggers such as TreeTagger write: word, tab, tag, and perhaps another tab and the lemma. A blank line
or one of markup alone (`<s>`, `</s>`) ends a sentence there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from depinduce.corpus import faults
from depinduce.corpus.conllu import FORM, UPOS, XPOS
from depinduce.corpus.streams import open_input, read_chunk
from depinduce.corpus.tagged import split_tagged
from depinduce.errors import DepinduceError, InputError

Word = tuple[str, str, str]  # form, tag and lemma; `_` where the lemma is not known
_LEMMA = 3
_MARKUP = re.compile(r"</?\w[^\t]*>")
_CHUNK = 1 << 20


def read_tagged(path: str | Path) -> Iterator[list[Word]]:
    """The sentences of a tagged text, in the format that its first line of words has."""
    name = "<stdin>" if str(path) == "-" else str(path)
    lines = list(enumerate((line.rstrip("\r") for line in _text(path, name).split("\n")), start=1))
    first = next((line for _, line in lines if line.strip() and not _MARKUP.fullmatch(line.strip())), None)
    if first is None:
        raise InputError(name, None, "not a single word", "Give words with their tags, such as the/DET dog/NOUN.")
    return _words_per_line(name, lines) if "\t" in first else _sentences_per_line(name, lines)


def as_columns(words: Iterable[Word], tag_column: int, punctuation: Collection[str]) -> Iterator[dict[int, str]]:
    """The columns of each word, with PUNCT as the universal tag of punctuation."""
    for form, tag, lemma in words:
        columns = {FORM: form, _LEMMA: lemma, tag_column: tag}
        if tag in punctuation:
            columns |= {XPOS: tag, UPOS: "PUNCT"}
        yield columns


def _text(path: str | Path, name: str) -> str:
    with open_input(path) as read:
        data = b"".join(iter(lambda: read_chunk(read, _CHUNK, name), b""))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        faults.refuse_encoding(name, 1, data, error.start)


def _sentences_per_line(name: str, lines: Iterable[tuple[int, str]]) -> Iterator[list[Word]]:
    for number, line in lines:
        if not line.strip():
            continue
        try:
            yield [(word, tag, "_") for word, tag in split_tagged(line)]
        except DepinduceError as fault:
            raise DepinduceError(f"{name}:{number}: {fault}") from fault


def _words_per_line(name: str, lines: Iterable[tuple[int, str]]) -> Iterator[list[Word]]:
    words: list[Word] = []
    for number, line in (*lines, (0, "")):  # the file may end without a blank line
        if not line.strip() or _MARKUP.fullmatch(line.strip()):
            if words:
                yield words
            words = []
            continue
        fields = [field.strip() for field in line.split("\t")]
        if len(fields) not in (2, 3) or not fields[0] or fields[1] in ("", "_"):
            found = f"{faults.quoted(line)} is not a word, its tag and perhaps its lemma, with tabs between"
            raise InputError(name, number, found, "Mend the line, or take other columns away.")
        words.append((fields[0], fields[1], fields[2] or "_" if len(fields) == 3 else "_"))
