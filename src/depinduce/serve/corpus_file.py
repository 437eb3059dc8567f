"""The file that people work on: any of its sentences at once, however large it is. It is read and never written."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

import numpy as np

from depinduce.corpus import Sentence, read_sentences, read_text
from depinduce.corpus.streams import open_input
from depinduce.errors import InputError

TOLD_EVERY = 10_000  # sentences


class CorpusFile:
    """A CoNLL-U file of which only the places of its sentences are in memory. Blocks without words are none.

    lengths: words of every sentence; digest: SHA-256 of all that its sentences say
    """

    def __init__(self, path: str | Path, report: Callable[[int], None] = lambda sentences: None):
        """report: is told how many sentences have been seen"""
        self.require_file(path)
        self.path = Path(path)
        starts, ends, lines, lengths = array("q"), array("q"), array("q"), array("q")
        self._languages: list[str | None] = []  # of the sentences since the last change
        self._changes = array("q")  # the sentences from which on these are said
        end, digest = 0, sha256()
        for sentence in read_sentences(self.path):
            text = sentence.render().encode()
            digest.update(text)
            start, end = end, end + len(text)
            if not len(sentence):
                continue
            if not self._languages or sentence.language != self._languages[-1]:
                self._languages.append(sentence.language)
                self._changes.append(len(starts))
            starts.append(start)
            ends.append(end)
            lines.append(sentence.line)
            lengths.append(len(sentence))
            if len(starts) % TOLD_EVERY == 0:
                report(len(starts))
        if not starts:
            raise InputError(path, None, "there is no sentence", "Name a CoNLL-U file with sentences.")
        self._starts, self._ends, self._lines = (np.frombuffer(some, np.int64) for some in (starts, ends, lines))
        self.lengths = np.frombuffer(lengths, np.int64)
        self.offsets = np.concatenate([[0], np.cumsum(self.lengths)])  # [sentence + 1] of words
        self.digest = digest.hexdigest()
        self._seen = _state(self.path)

    @staticmethod
    def require_file(path: str | Path) -> None:
        """Refuse what is no file in which sentences can be looked up."""
        if str(path) == "-" or str(path).endswith(".gz"):
            found = "its sentences are looked up in the file itself"
            raise InputError(path, None, found, "Name a file on the disk that is not packed.")
        with open_input(path):
            pass

    def __len__(self) -> int:
        return len(self._starts)

    def sentence(self, number: int) -> Sentence:
        """The sentence of this number, from 0."""
        with self._open() as file:
            return self._read(file, number)

    def sentences(self, first: int, after: int) -> list[Sentence]:
        """Those from the first up to the one before `after`."""
        with self._open() as file:
            return [self._read(file, number) for number in range(first, min(after, len(self)))]

    def texts(self, first: int, after: int) -> Iterator[tuple[int, str]]:
        """The blocks of these sentences, unread, each with its number."""
        with self._open() as file:
            for number in range(first, min(after, len(self))):
                yield number, self._text(file, number)

    def before(self, number: int) -> str:
        """What stands between a sentence, or the end of the file, and the sentence before: blocks of comments alone."""
        start = int(self._ends[number - 1]) if number else 0
        with self._open() as file:
            file.seek(start)
            return (file.read(int(self._starts[number]) - start) if number < len(self) else file.read()).decode()

    def _open(self) -> BinaryIO:
        if _state(self.path) != self._seen:
            found = "the file has changed since the page was opened"
            raise InputError(self.path, None, found, "Put it back as it was, or start `depinduce serve` again.")
        return open(self.path, "rb")

    def _text(self, file: BinaryIO, number: int) -> str:
        start = int(self._starts[number])
        file.seek(start)
        return file.read(int(self._ends[number]) - start).decode()

    def _read(self, file: BinaryIO, number: int) -> Sentence:
        (sentence,) = read_text(self._text(file, number), str(self.path))
        sentence.line = int(self._lines[number])
        sentence.language = self._languages[np.searchsorted(self._changes, number, side="right") - 1]
        return sentence


def _state(path: Path) -> tuple[int, int]:
    """By what one sees that a file is another one by now."""
    try:
        found = os.stat(path)
    except OSError as error:
        raise InputError(path, None, f"the file is gone ({error.strerror})", "Put it back.") from error
    return found.st_size, found.st_mtime_ns
