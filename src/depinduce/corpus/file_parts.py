"""Large files in parts, each of which can be read alone as it would be within the whole file.

A part is cut off at a blank line, so that it has whole blocks; and it carries what a reader knows when it comes there:
line and sentence numbers, and the language that a comment has named. Parts depend on the file alone, not on who reads
them.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from depinduce.corpus.conllu import LONGEST_BLOCK, blocks_of, language_after
from depinduce.corpus.streams import WHOLE, Part

# The first blank line after others, since more of them lead the next block; so does a lone byte order mark.
_END_OF_BLOCK = re.compile(rb"(?:[^\r\n\xbf]|[^\xbb]\xbf|[^\xef]\xbb\xbf)\r*\n\r?\n")
_SAYS_LANGUAGE = re.compile(rb"#[ \t]*language[ \t]*=")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MORE = 1 << 16  # bytes, among which there will be the end of a block


def parts_of(path: str | Path, size: int) -> list[Part]:
    """The parts of a plain file, none of more bytes than this, unless it is one block; one part of a smaller file.

    A packed file is one part: nobody can begin to unpack it in the middle.
    """
    path = Path(path)
    if path.suffix == ".gz" or path.stat().st_size <= size:
        return [WHOLE]
    parts, next_one = [], WHOLE
    with open(path, "rb") as file:
        while data := _whole_blocks(file, size):
            end = next_one.start + len(data)
            parts.append(replace(next_one, end=end))
            next_one = _after(next_one, data, end)
    return [*parts[:-1], replace(parts[-1], end=None)]


def _whole_blocks(file: BinaryIO, size: int) -> bytes:
    """As many blocks as fit into so many bytes, one at least, after which the file stands then."""
    start, data = file.tell(), file.read(size)
    if len(data) < size:
        return data
    looked_at = max(0, size - _MORE)
    ends = [found.end() for found in _END_OF_BLOCK.finditer(data, looked_at)]
    while not ends and len(data) < size + LONGEST_BLOCK and (more := file.read(_MORE)):
        data += more
        ends = [found.end() for found in _END_OF_BLOCK.finditer(data, looked_at)][:1]
    end = ends[-1] if ends else len(data)  # without an end it is the last block, or one that the reader will refuse
    file.seek(start + end)
    return data[:end]


def _after(part: Part, data: bytes, end: int) -> Part:
    """What is known after a part, whose bytes these are."""
    blocks, language = data.count(b"\n\n"), part.language
    tricky = b"\r" in data or b"\n\n\n" in data or data.startswith((b"\n", _BYTE_ORDER_MARK))
    if tricky or _SAYS_LANGUAGE.search(data):
        blocks = 0
        for _, block in blocks_of([data.decode(errors="replace")]):
            blocks, language = blocks + 1, language_after(block, language)
    at_start = data.removeprefix(_BYTE_ORDER_MARK).startswith(b"1\t")
    within = sum(data.count(b"\n" + mark + b"1\t") for mark in (b"", _BYTE_ORDER_MARK))  # files that were joined
    return Part(
        start=end,
        line=part.line + data.count(b"\n"),
        blocks=part.blocks + blocks,
        sentences=part.sentences + within + at_start,
        language=language,
    )
