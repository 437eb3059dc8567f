"""Byte streams in and out: plain files, `.gz` files, and `-` for standard input and output."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from depinduce.errors import DepinduceError, InputError
from depinduce.files import atomic_file


class Writer:
    """The open end of an output: takes text (written as UTF-8) or bytes."""

    def __init__(self, stream: BinaryIO | gzip.GzipFile):
        self._write = stream.write

    def write(self, block: str | bytes) -> None:
        self._write(block.encode() if isinstance(block, str) else block)


@contextmanager
def open_input(path: str | Path) -> Iterator[Callable[[int], bytes]]:
    """A function that reads up to so many bytes of `path`, and `b""` at its end."""
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
        yield stream.read


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
