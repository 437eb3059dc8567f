"""What can be wrong with a CoNLL-U file, each fault named with its place and its remedy.

The reader comes here only with blocks that are not plain: those with multiword tokens, empty nodes or
comments out of place, which are examined and accepted, and those with a fault, which are refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, NoReturn

from depinduce.corpus.cycles import find_cycle
from depinduce.corpus.formats.guess import guess_by_bytes, guess_by_lines, guess_by_name
from depinduce.errors import InputError

if TYPE_CHECKING:
    from depinduce.corpus.conllu import Sentence

COLUMNS = 10
HEAD = 7  # counted from 1, as the format does

_NUMBER = "[1-9][0-9]{0,8}"  # nobody has a billion words in a sentence
_WORD = re.compile(_NUMBER)
_RANGE = re.compile(f"({_NUMBER})-({_NUMBER})")
_EMPTY_NODE = re.compile(f"(0|{_NUMBER})[.]({_NUMBER})")


def plain_block(length: int) -> tuple[list[str], frozenset[str]]:
    """The ids of so many words, each but the first behind its line end, and all that may be their heads."""
    return _remembered_block(length) if length <= 256 else _remembered_block.__wrapped__(length)


@lru_cache(maxsize=256)
def _remembered_block(length: int) -> tuple[list[str], frozenset[str]]:
    numbers = [str(number) for number in range(length + 1)]
    return ["1", *("\n" + number for number in numbers[2:])], frozenset(["_", *numbers])


def word_rows(path: str, fields: list[str], line_of: Callable[[int], int]) -> list[int]:
    """Which token lines of a block are words, after a check of every line.

    `fields` are the token lines as a `Sentence` holds them; `line_of(row)` says where in the file a row is.
    """
    ids = "".join(fields[::COLUMNS]).split("\n")  # one for every row, if every row has its columns
    if len(fields) != COLUMNS * len(ids) or "".join(fields).count("\n") != len(ids) - 1:
        _refuse_columns(path, fields, line_of)
    rows, others, due = [], _OtherIds(path, line_of), "1"
    for row, identifier in enumerate(ids):
        if identifier == due:
            rows.append(row)
            due = str(len(rows) + 1)
        else:
            others.take(identifier, len(rows), row)
    others.finish(len(rows))
    _, possible_heads = plain_block(len(rows))
    for row in rows:
        head = fields[COLUMNS * row + HEAD - 1]
        if head not in possible_heads:
            _refuse_head(path, line_of(row), head, len(rows))
    return rows


class _OtherIds:
    """The ids of a block that are not the next word: multiword tokens, empty nodes, and mistakes."""

    def __init__(self, path: str, line_of: Callable[[int], int]):
        self.path, self.line_of = path, line_of
        self.empty_node = (0, 0)  # the last one: (8, 1) for 8.1
        self.covered = self.covering_row = 0  # the last word of the last multiword token, and its row

    def take(self, identifier: str, words: int, row: int) -> None:
        """An id after so many words; a fault if it may not stand there."""
        if found := _RANGE.fullmatch(identifier):
            self._take_range(int(found[1]), int(found[2]), words, row)
        elif found := _EMPTY_NODE.fullmatch(identifier):
            self._take_empty_node((int(found[1]), int(found[2])), words, row)
        else:
            self._refuse_id(identifier, words, row)

    def finish(self, words: int) -> None:
        """A fault if there are no words, or fewer than the multiword tokens speak of."""
        if not words:
            found = "this sentence has token lines but not a single word"
            self._refuse(0, found, "Add the lines of its words, with ids 1, 2, 3, …")
        if self.covered > words:
            found = f"the multiword token goes up to word {self.covered}, the sentence to {words}"
            self._refuse(self.covering_row, found, "Correct its range or add the missing words.")

    def _take_range(self, first: int, last: int, words: int, row: int) -> None:
        if first > last:
            found = f"the multiword token {first}-{last} ends before it starts"
            self._refuse(row, found, "Write its first word, a hyphen and its last word.")
        if first != words + 1:
            found = f"the multiword token {first}-{last} stands before word {words + 1}"
            self._refuse(row, found, f"Put it right before word {first}.")
        if first <= self.covered:
            found = f"the multiword token {first}-{last} overlaps the one before it"
            self._refuse(row, found, "Let every word belong to one multiword token at most.")
        self.covered, self.covering_row = last, row

    def _take_empty_node(self, node: tuple[int, int], words: int, row: int) -> None:
        if node[0] != words or node <= self.empty_node:
            after = "{}.{}".format(*self.empty_node) if node[0] == words else f"word {words}"
            found = "the empty node {}.{} comes after {}".format(*node, after)
            self._refuse(row, found, "Put the ids in order: 8, 8.1, 8.2, 9.")
        self.empty_node = node

    def _refuse_id(self, identifier: str, words: int, row: int) -> NoReturn:
        if not _WORD.fullmatch(identifier):
            remedy = "An id is a number (3), a range (3-4) or the number of an empty node (3.1)."
            self._refuse(row, f"the id {quoted(identifier)} is malformed", remedy)
        if identifier == "1":
            self._refuse(row, f"the id 1 comes after word {words}", "Put an empty line between two sentences.")
        if int(identifier) <= words:
            found = f"the id {identifier} is there twice in one sentence"
        else:
            found = f"the id {identifier} is there where {words + 1} is due"
        self._refuse(row, found, "Number the words of a sentence 1, 2, 3, … in order.")

    def _refuse(self, row: int, found: str, remedy: str) -> NoReturn:
        raise InputError(self.path, self.line_of(row), found, remedy)


def _refuse_columns(path: str, fields: list[str], line_of: Callable[[int], int]) -> NoReturn:
    lines = "\t".join(fields).replace("\t\n", "\n").split("\n")
    row = next(row for row, text in enumerate(lines) if text.count("\t") != COLUMNS - 1)
    line, text = line_of(row), lines[row]
    if not text.strip():
        remedy = "Empty it: an empty line ends a sentence."
        raise InputError(path, line, "this line holds nothing but white space", remedy)
    tabs = text.count("\t")
    if other := guess_by_name(path) or guess_by_lines(lines, row):
        raise InputError(path, line, *other)
    if len(re.split("\t+| +", text.strip())) == COLUMNS or (not tabs and len(text.split()) > COLUMNS):
        found = f"the columns are separated by spaces ({tabs} tabs where {COLUMNS - 1} are needed)"
        raise InputError(path, line, found, "Put a single tab between two columns.")
    found = f"{tabs + 1} column{'s' if tabs else ''} where {COLUMNS} are needed"
    remedy = f"Give every word {COLUMNS} columns separated by tabs, `_` where there is nothing to say."
    raise InputError(path, line, found, remedy)


def _refuse_head(path: str, line: int, head: str, words: int) -> NoReturn:
    if not re.fullmatch("[1-9][0-9]*", head):
        remedy = "Write the id of the head, 0 for the root, `_` for an unknown head."
        raise InputError(path, line, f"the head {quoted(head)} is not a number", remedy)
    found = f"the head {shortened(head)} is not in the sentence, which has {words} word{'s' if words > 1 else ''}"
    raise InputError(path, line, found, "Write the id of a word, 0 for the root, `_` for an unknown head.")


def require_tree(sentence: Sentence) -> None:
    """A fault unless every word has a head and no heads go in a circle. Several roots are no fault."""
    heads = sentence.heads
    if -1 in heads:
        word = heads.index(-1) + 1
        found = f"word {word} {quoted(sentence.forms[word - 1])} has no head, and trees are needed here"
        raise InputError(sentence.path, sentence.line_of(word), found, "Give it a head, 0 for the root.")
    require_no_circle(sentence)


def require_no_circle(sentence: Sentence) -> None:
    """A fault if heads go in a circle; unknown heads lead nowhere and are none."""
    if cycle := find_cycle(sentence.heads):
        word = cycle[0]
        found = f"the heads go in a circle, {' -> '.join(map(str, [*cycle, word]))}"
        remedy = "Give one of these words a head outside the circle, 0 for the root."
        if len(cycle) == 1:
            found = f"word {word} {quoted(sentence.forms[word - 1])} is its own head"
            remedy = "Give it another head, 0 for the root."
        raise InputError(sentence.path, sentence.line_of(word), found, remedy)


def refuse_encoding(path: str, line: int, data: bytes, place: int) -> NoReturn:
    """The fault of text that is not UTF-8 at `data[place]`, where `data` starts on line `line`."""
    line += data.count(b"\n", 0, place)
    if line == 1 and (other := guess_by_name(path) or guess_by_bytes(data)):
        raise InputError(path, None, *other)
    column = place - data.rfind(b"\n", 0, place)
    found = f"this is not UTF-8 (byte 0x{data[place]:02x}, number {column} of the line)"
    encoding = "utf-16" if line == column == 1 and data[place] >= 0xFE else "latin1"  # its byte order mark
    remedy = f"Convert the file, for instance with `iconv -f {encoding} -t utf-8`."
    raise InputError(path, line, found, remedy)


def refuse_endless_block(path: str, line: int, size: int) -> NoReturn:
    """The fault of a sentence that has gone on for `size` bytes since line `line`."""
    if line == 1 and (other := guess_by_name(path)):
        raise InputError(path, None, *other)
    found = f"no empty line within {size >> 20} MB from here on"
    raise InputError(path, line, found, "Put an empty line after every sentence; or is this not CoNLL-U?")


def quoted(text: str) -> str:
    """A piece of a file as a fault shows it."""
    return repr(shortened(text))


def shortened(text: str) -> str:
    """The text, or the beginning of one that would fill the screen."""
    return text if len(text) <= 40 else text[:40] + "…"
