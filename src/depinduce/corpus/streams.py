"""Byte streams in and out: plain files, `.gz` files, and `-` for standard input and output."""

from __future__ import annotations

import gzip
import io
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from depinduce.errors import DepinduceError, InputError
from depinduce.files import atomic_file

_LOOKED_AT = 1 << 16  # bytes at a time
_BLANK_LINE = re.compile(rb"\n\r?\n")


@dataclass(frozen=True)
class Part:
    """A run of whole blocks of a plain CoNLL-U file, and what must be known of the blocks before it."""

    start: int = 0  # where it begins, in bytes
    end: int | None = None  # where the next one does; None: it goes to the end of the file
    line: int = 1  # the number of its first line
    blocks: int = 0  # before it, those of comments alone included
    sentences: int = 0  # before it: blocks with words
    language: str | None = None  # what the last comment about it before has said


WHOLE = Part()


class Writer:
    """The open end of an output: takes text (written as UTF-8) or bytes."""

    def __init__(self, stream: BinaryIO | gzip.GzipFile):
        self._write = stream.write

    def write(self, block: str | bytes) -> None:
        self._write(block.encode() if isinstance(block, str) else block)


@contextmanager
def open_input(path: str | Path, part: Part = WHOLE) -> Iterator[Callable[[int], bytes]]:
    """A function that reads up to so many bytes of `path`, or of a part of it, and `b""` at its end."""
    if str(path) == "-":
        stdin = gzip.GzipFile(fileobj=sys.stdin.buffer) if _holds_gzip(sys.stdin.buffer) else sys.stdin.buffer
        yield getattr(stdin, "read1", stdin.read)  # read1 hands over what a pipe holds without waiting for more
        return
    opener = gzip.open if _is_gzip(path) else open
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(opener(path, "rb"))
        except FileNotFoundError as error:
            raise InputError(path, None, "no such file", "Check the path; `-` is standard input.") from error
        except IsADirectoryError as error:
            raise InputError(path, None, "this is a directory", "Name a file inside it.") from error
        except OSError as error:
            found = f"the file cannot be opened ({error.strerror})"
            raise InputError(path, None, found, "Check that it may be read.") from error
        yield stream.read if part == WHOLE else _reader_of(stream, part)


def _reader_of(stream: BinaryIO | gzip.GzipFile, part: Part) -> Callable[[int], bytes]:
    """What reads a part of an open file, and no more."""
    stream.seek(part.start)
    end = part.end
    return stream.read if end is None else lambda size: stream.read(min(size, end - stream.tell()))


def is_splittable(path: str | Path) -> bool:
    """Whether a part of a file can be read without what is before it."""
    return not _is_gzip(path)


def block_from(path: str | Path, place: int) -> int:
    """Where the first block of a plain CoNLL-U file begins that does not begin before this byte; or its end."""
    if place == 0:
        return 0
    with open(path, "rb") as file:
        file.seek(max(0, place - 3))
        before, rest = file.tell(), b""
        while fresh := file.read(_LOOKED_AT):
            rest += fresh
            for found in _BLANK_LINE.finditer(rest):
                if before + found.end() >= place:
                    return before + found.end()
        return before + len(rest)


def lines_before(path: str | Path, place: int) -> int:
    """How many lines of a plain file are before this byte."""
    lines = 0
    with open(path, "rb") as file:
        while place > 0 and (fresh := file.read(min(place, _LOOKED_AT))):
            lines, place = lines + fresh.count(b"\n"), place - len(fresh)
    return lines


def part_between(path: str | Path, first: int, last: int) -> Part:
    """The blocks of a plain file that begin from this byte on, and before that one."""
    start = block_from(path, first)
    return Part(start, block_from(path, last), 1 + lines_before(path, start))


def count_sentences(path: str | Path) -> int | None:
    """How many sentences a CoNLL-U file has, at a glance; None for a pipe, which can be read only once."""
    if str(path) == "-" or not Path(path).is_file():
        return None
    number, inside = 0, False
    with (gzip.open if _is_gzip(path) else open)(path, "rb") as file:
        try:
            for line in file:
                is_word = line[:1].isdigit()
                number += is_word and not inside
                inside = is_word or (inside and bool(line.strip()))
        except (OSError, EOFError, zlib.error):  # whoever reads it next tells what is wrong
            return None
    return number


def read_chunk(read: Callable[[int], bytes], size: int, name: str) -> bytes:
    """Up to so many bytes of an open input; damaged gzip data is a fault of the file."""
    try:
        return read(size)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        found = f"the gzip data is damaged or cut short ({error})"
        raise InputError(name, None, found, "Copy the file again or make it again.") from error


@contextmanager
def open_output(path: str | Path) -> Iterator[Writer]:
    """A writer to `path`, which appears complete when the block ends and not at all if it fails."""
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(_destination(path))
        except OSError as error:
            message = f"{path}: the output cannot be written ({error.strerror}). Choose another place for it."
            raise DepinduceError(message) from error
        yield Writer(stream)


@contextmanager
def _destination(path: str | Path) -> Iterator[BinaryIO | gzip.GzipFile]:
    place = Path(os.path.realpath(path))  # a link stays a link: what it points to is replaced
    if str(path) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    elif place.exists() and not place.is_file():  # a device or a pipe; a directory is refused by open
        with open(place, "wb") as stream:
            yield stream
    else:
        with atomic_file(place) as stream:
            if _is_gzip(path):
                # Neither name nor time inside, so that the same text gives the same file.
                with gzip.GzipFile("", "wb", compresslevel=6, fileobj=stream, mtime=0) as packed:
                    yield packed
            else:
                yield stream


def _holds_gzip(stream: BinaryIO) -> bool:
    """Whether gzip's first bytes are the next to be read; standard input has no name that would tell."""
    start = stream.peek(2)[:2] if isinstance(stream, io.BufferedReader) else b""
    return start != b"" and b"\x1f\x8b".startswith(start)


def _is_gzip(path: str | Path) -> bool:
    return str(path).endswith(".gz")
