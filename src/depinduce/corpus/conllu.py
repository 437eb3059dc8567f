"""CoNLL-U in and out: sentences read one block at a time and written back byte for byte.

A block is the lines up to and including a blank line. Nearly every block of a real file is plain: one
word per line, ten columns, ids 1, 2, 3, … Such a block is cut at its tabs in one go and recognised as
plain by comparing its ids and heads with what they must be, all inside the interpreter's C code. Every
other block goes through `faults.word_rows`, line by line, which finds the words or names the fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from depinduce.corpus import faults
from depinduce.corpus.faults import COLUMNS, HEAD
from depinduce.corpus.small_changes import with_attributes, with_comment, without_attributes
from depinduce.corpus.streams import WHOLE, Part, open_input, read_chunk

FORM, UPOS, XPOS, FEATS, DEPREL, DEPS, MISC = 2, 4, 5, 6, 8, 9, 10  # counted from 1, as the format does

_CHUNK = 1 << 17  # bytes read at a time; larger pieces cost the system fresh pages each time
LONGEST_BLOCK = 1 << 23  # bytes; a sentence longer than this is a file that is not CoNLL-U
_BLANK_LINE = re.compile("\n\r?\n")
_BLANK_LINE_AT_END = re.compile("\n\r?\n\\Z")
_LEAD = re.compile("[\ufeff\r\n]*(?:#[^\n]*(?:\n|\\Z))*")  # what may stand before the first token line
_SENT_ID = re.compile(r"^\ufeff*#[ \t]*sent_id[ \t]*=[ \t]*(\S.*?)\s*$", re.MULTILINE)
_TEXT = re.compile(r"^\ufeff*#[ \t]*text[ \t]*=", re.MULTILINE)
_LANGUAGE = re.compile(r"^\ufeff*#[ \t]*language[ \t]*=[ \t]*(\S*)\s*$", re.MULTILINE)
_ONCE = re.compile(r"^#[ \t]*(?:(?:newdoc|newpar)(?!\S)|global\.)[^\n]*\n", re.MULTILINE)  # never said twice of a block


class Sentence:
    """One block of a CoNLL-U file: its words, and every byte around them.

    `path` and `line` say where its first line stands. A block of comments alone has no words. `language` is what a
    comment `# language = pl` has said last, here or above, or whoever had it read.
    """

    __slots__ = ("path", "line", "language", "_lead", "_fields", "_rows", "_between", "_tail")

    def __init__(self, path: str, line: int, lead: str, fields: list[str], tail: str):
        self.path, self.line = path, line
        self.language: str | None = None
        self._lead = lead  # byte order mark, blank lines and comments before the first token line
        # The token lines cut at every tab and line end, ten to a line. The line end stays with the id it
        # precedes, so that joining with tabs and taking the tab before each line end away restores the text.
        self._fields = fields
        self._tail = tail  # line ends after the last token line
        self._rows: list[int] | None = None  # which token lines are words; None: all of them
        self._between: dict[int, str] | None = None  # comments before token line r > 0: out of place, kept

    def __len__(self) -> int:
        return len(self._fields) // COLUMNS if self._rows is None else len(self._rows)

    def column(self, number: int) -> list[str]:
        """Column `number` of every word, counted from 1 as the format does."""
        values = self._column(number)
        if number == 1 or number == COLUMNS:  # where the line ends are
            return [value.strip("\r\n") for value in values]
        return values

    def _column(self, number: int) -> list[str]:
        if self._rows is None:
            return self._fields[number - 1 :: COLUMNS]
        return [self._fields[COLUMNS * row + number - 1] for row in self._rows]

    @property
    def forms(self) -> list[str]:
        return self.column(FORM)

    @property
    def heads(self) -> list[int]:
        """The head of every word: 0 for a root, -1 where HEAD is `_`."""
        return [int(head) if head != "_" else -1 for head in self.column(HEAD)]

    @property
    def comments(self) -> list[str]:
        """The comment lines above the words."""
        return [line.rstrip("\r") for line in self._lead.lstrip("\ufeff\r\n").split("\n") if line]

    @property
    def sent_id(self) -> str | None:
        found = _SENT_ID.search(self._lead)
        return found[1] if found else None

    @property
    def text(self) -> str:
        """The sentence as people write it: its tokens, and spaces but where MISC says SpaceAfter=No."""
        pieces, last_inside = [], 0  # the last word that a multiword token stands for
        for first in range(0, len(self._fields), COLUMNS):
            identifier, form = self._fields[first].strip("\r\n"), self._fields[first + FORM - 1]
            if "-" in identifier:
                last_inside = int(identifier.partition("-")[2])
            elif "." in identifier or int(identifier) <= last_inside:
                continue
            misc = self._fields[first + MISC - 1].rstrip("\r").split("|")
            pieces.append(form if "SpaceAfter=No" in misc else form + " ")
        return "".join(pieces).rstrip(" ")

    @property
    def has_text(self) -> bool:
        """Whether a comment says what its text is."""
        return _TEXT.search(self._lead) is not None

    def line_of(self, word: int) -> int:
        """The line of the file on which `word` (counted from 1) stands."""
        return self._line_of_row(word - 1 if self._rows is None else self._rows[word - 1])

    def _line_of_row(self, row: int) -> int:
        between = (text for before, text in (self._between or {}).items() if before <= row)
        return self.line + len(self.comments) + row + sum(text.count("\n") + 1 for text in between)

    def again(self) -> Sentence:
        """The block as it can stand below itself: without byte order mark, surplus blank lines, and the comments that
        begin a document, a paragraph or a file."""
        return self._with(_ONCE.sub("", self._lead.lstrip("\ufeff\r\n")), self._fields)

    def without(self, comments: re.Pattern[str], attributes: re.Pattern[str]) -> Sentence:
        """The block without these comment lines, each with its line end, and without these attributes in MISC."""
        lead, fields, misc = comments.sub("", self._lead), self._fields, self._column(MISC)
        kept = [without_attributes(value, attributes) for value in misc]
        if kept != misc:
            self._replace(fields := fields.copy(), MISC, kept)
        return self if lead == self._lead and kept == misc else self._with(lead, fields)

    def with_comments(self, comments: Sequence[str]) -> Sentence:
        """The block with these comments below its own; `key = value` in the place of an older value."""
        return self._with(self._lead_with(comments), self._fields)

    def with_column(self, number: int, values: Sequence[str]) -> Sentence:
        """The block with other values in a column, one per word: 2 to 9, counted from 1."""
        self._replace(fields := self._fields.copy(), number, values)
        return self._with(self._lead, fields)

    def without_enhanced_graph(self) -> Sentence:
        """The block with nothing in the DEPS of words, and so without empty nodes (8.1), which are nothing but that."""
        fields = self._fields.copy()
        self._replace(fields, DEPS, ["_"] * len(self))
        if self._rows is None:
            return self._with(self._lead, fields)
        rows = range(len(fields) // COLUMNS)
        kept = [row for row in rows if "." not in fields[COLUMNS * row]]
        if len(kept) == len(rows):
            return self._with(self._lead, fields)
        changed = self._with(self._lead, [f for row in kept for f in fields[COLUMNS * row : COLUMNS * (row + 1)]])
        changed._fields[0] = changed._fields[0].lstrip("\n")  # the line end before it
        if not fields[-1].endswith("\r"):
            changed._fields[-1] = changed._fields[-1].rstrip("\r")  # that of the last line is in the tail
        place = {row: number for number, row in enumerate(kept)}
        changed._rows = [place[row] for row in self._rows]
        changed._between = _moved(self._between or {}, kept)
        return changed

    def _with(self, lead: str, fields: list[str]) -> Sentence:
        """The same block with other comments and columns."""
        copy = Sentence(self.path, self.line, lead, fields, self._tail)
        copy.language, copy._rows, copy._between = self.language, self._rows, self._between
        return copy

    def render(
        self,
        heads: Sequence[int] | np.ndarray | None = None,
        *,
        deprel: Sequence[str] | None = None,
        misc: Sequence[str] | None = None,
        comments: Sequence[str] = (),
        ended: bool = False,
    ) -> str:
        """The text of the block, changed in what is given and nowhere else.

        `heads` (-1 for `_`) and `deprel` replace their columns, one entry per word. `misc` adds
        `key=value` to MISC, in the place of an older value of that key; an empty entry adds nothing.
        `comments` are added below those of the block; `key = value` in the place of an older value.
        `ended`: with a blank line at the end, which the last block of a file may lack.
        """
        fields = self._fields.copy()
        if heads is not None:
            self._replace(fields, HEAD, [str(head) if head >= 0 else "_" for head in _plain(heads)])
        if deprel is not None:
            self._replace(fields, DEPREL, deprel)
        if misc is not None:
            old = self._column(MISC)
            self._replace(fields, MISC, [with_attributes(*pair) for pair in zip(old, misc, strict=True)])
        body = "\t".join(fields).replace("\t\n", "\n")
        if self._between:
            body = _put_back_between(body, self._between)
        block = (self._lead_with(comments) if comments else self._lead) + body + self._tail
        if ended and not _BLANK_LINE_AT_END.search(block):  # whatever there is of a line end is not one
            block = block.rstrip("\r\n") + 2 * self._line_end
        return block

    def _lead_with(self, comments: Sequence[str]) -> str:
        lead = self._lead
        for text in comments:
            lead = with_comment(lead, text if text.startswith("#") else f"# {text}", self._line_end)
        return lead

    @property
    def _line_end(self) -> str:
        lines = (*self._fields[MISC - 1 :: COLUMNS], *(self._between or {}).values())
        within = any(text.endswith("\r") for text in lines)
        return "\r\n" if within or "\r\n" in self._lead + self._tail else "\n"

    def _replace(self, fields: list[str], number: int, values: Sequence[str]) -> None:
        if len(values) != len(self):
            raise ValueError(f"{len(values)} values for column {number} of {len(self)} words")
        if self._rows is None:
            fields[number - 1 :: COLUMNS] = values
        else:
            for row, value in zip(self._rows, values, strict=True):
                fields[COLUMNS * row + number - 1] = value


def read_sentences(
    path: str | Path, *, trees: bool = False, language: str | None = None, part: Part = WHOLE
) -> Iterator[Sentence]:
    """The sentences of a CoNLL-U file, `.gz` file or `-`; with `trees` every word must be in a tree.

    language: that of all of them, whatever comments say
    part: only these blocks of a plain file, read as they are within the whole
    """
    name = "<stdin>" if str(path) == "-" else str(path)
    blocks = (_parse(name, *block) for block in blocks_of(_chunks(path, name, part), part.line))
    for sentence in _with_languages(blocks, language, part.language):
        if trees:
            faults.require_tree(sentence)
        yield sentence


def read_text(text: str, name: str = "<text>") -> Iterator[Sentence]:
    """The sentences of a text in CoNLL-U that somebody has at hand, under the name that faults give it."""
    return _with_languages(_parse(name, *block) for block in blocks_of([text] if text else []))


def _with_languages(
    sentences: Iterable[Sentence], language: str | None = None, said: str | None = None
) -> Iterator[Sentence]:
    """Sentences that know their language: this one or, if none is given, what the last comment about it said."""
    for sentence in sentences:
        said = language_after(sentence._lead, said)
        sentence.language = language or said
        yield sentence


def language_after(block: str, before: str | None) -> str | None:
    """The language of a block whose comments these are, or which begins with them, by what was said before."""
    if "language" not in block:
        return before
    lead = _LEAD.match(block)
    comments = _LANGUAGE.findall(lead[0]) if lead else []
    return (comments[-1] or None) if comments else before


def _parse(name: str, line: int, block: str) -> Sentence:
    start = 0
    if not block[0].isdigit():
        lead = _LEAD.match(block)
        start = lead.end() if lead else 0
        line += block.count("\n", 0, len(block) - len(block.lstrip("\ufeff\r\n")))
    body = block[start:].rstrip("\r\n")
    fields = body.replace("\n", "\t\n").split("\t") if body else []
    sentence = Sentence(name, line, block[:start], fields, block[start + len(body) :])
    if not body:
        return sentence
    length = body.count("\n") + 1
    ids, possible_heads = faults.plain_block(length)
    # If every line end is followed by an id, no line lacks a column that another has too many.
    plain = len(fields) == COLUMNS * length and fields[::COLUMNS] == ids
    if not (plain and possible_heads.issuperset(fields[HEAD - 1 :: COLUMNS])):
        if "\n#" in body:
            sentence._fields, sentence._between = _without_comments(body)
        sentence._rows = faults.word_rows(name, sentence._fields, sentence._line_of_row)
    return sentence


def _without_comments(body: str) -> tuple[list[str], dict[int, str]]:
    """The fields of the token lines, and the comments before token line r."""
    token_lines: list[str] = []
    between: dict[int, str] = {}
    for text in body.split("\n"):
        row = len(token_lines)
        if text.startswith("#"):
            between[row] = f"{between[row]}\n{text}" if row in between else text
        else:
            token_lines.append(text)
    return "\t\n".join(token_lines).split("\t"), between


def _moved(between: dict[int, str], kept: list[int]) -> dict[int, str] | None:
    """The comments before token lines when only some of these are kept."""
    moved: dict[int, str] = {}
    for row, text in sorted(between.items()):
        place = sum(other < row for other in kept)
        moved[place] = f"{moved[place]}\n{text}" if place in moved else text
    return moved or None


def _put_back_between(body: str, between: dict[int, str]) -> str:
    """Token lines with the comments that stood before token line r."""
    lines = body.split("\n")
    for row in sorted(between, reverse=True):
        lines.insert(row, between[row])
    return "\n".join(lines)


def blocks_of(chunks: Iterable[str], line: int = 1) -> Iterator[tuple[int, str]]:
    """Each block of a file with the number of its first line; surplus blank lines lead the next block."""
    lead = ""
    for text in chunks:
        start = 0
        ends = [found.end() for found in _BLANK_LINE.finditer(text)]
        if not ends or ends[-1] < len(text):
            ends.append(len(text))  # the file's last block, without its blank line
        for end in ends:
            block = lead + text[start:end]
            start = end
            if block[0] in "\ufeff\r\n" and not block.strip("\ufeff\r\n"):
                lead = block
            else:
                yield line, block
                line += block.count("\n")
                lead = ""
    if lead:
        yield line, lead


def _chunks(path: str | Path, name: str, part: Part = WHOLE) -> Iterator[str]:
    """The text of the file, or of a part of it, in pieces of whole blocks, none of them empty."""
    rest, line = b"", part.line
    with open_input(path, part) as read:
        while fresh := read_chunk(read, _CHUNK, name):
            rest += fresh
            if end := _end_of_last_block(rest):
                yield _decode(rest[:end], name, line)
                line += rest.count(b"\n", 0, end)
                rest = rest[end:]
            elif len(rest) > LONGEST_BLOCK:
                faults.refuse_endless_block(name, line, LONGEST_BLOCK)
    if rest:
        yield _decode(rest, name, line)


def _end_of_last_block(data: bytes) -> int:
    """The place after the last blank line of `data`; 0 if there is none."""
    unix = data.rfind(b"\n\n")
    windows = data.rfind(b"\n\r\n") if b"\r" in data else -1
    return max(unix + 2 if unix >= 0 else 0, windows + 3 if windows >= 0 else 0)


def _decode(data: bytes, name: str, line: int) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        faults.refuse_encoding(name, line, data, error.start)


def _plain(values: Sequence[int] | np.ndarray) -> Sequence[int]:
    """Python's own integers, which print faster than those of an array."""
    return values.tolist() if isinstance(values, np.ndarray) else values
