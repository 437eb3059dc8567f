"""Word vectors: read from a text file of word2vec or fastText, or trained on sentences.

A line of the file is `word v1 … vD`, separated by single spaces; the first line may be `N D`. Such files
have millions of lines, of which a corpus needs some thousands. Therefore a line is first asked for its word,
and only the line of a wanted word is cut and its numbers parsed. What is wrong with the other lines is not
noticed, but for the first vector, which shows whether the file is of this format at all, and for bytes that
are not UTF-8.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import NoReturn

import numpy as np

from depinduce.corpus.faults import quoted
from depinduce.corpus.streams import open_input, read_chunk
from depinduce.errors import DepinduceError, InputError

_CHUNK = 1 << 17  # bytes read at a time
_LONGEST_LINE = 1 << 23  # bytes; a longer line is a file that is not of this format
_LONGEST_NUMBER = 20  # digits of how many vectors or numbers there are
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_LARGEST = float(np.finfo(np.float32).max)
_FORMAT = "A line is a word and its numbers, separated by single spaces, as in the text files of word2vec and fastText."


def read_vectors(path: str | Path, words: Sequence[str], dimension: int) -> np.ndarray:
    """The vectors of `words` in a file, `.gz` file or `-`: float32 [word, dimension], NaN where a word has none.

    Words are compared as they are. Of several vectors of a word the first counts.
    """
    name = "<stdin>" if str(path) == "-" else str(path)
    rows: dict[bytes, list[int]] = {}  # of every word still wanted; a word may be asked for twice
    for row, word in enumerate(words):
        rows.setdefault(word.encode(), []).append(row)
    beginnings = {word.split(b" ", 1)[0] for word in rows}  # up to the first space that is inside a word
    vectors = np.full((len(words), dimension), np.nan, dtype=np.float32)
    with closing(_lines(path, name)) as lines:
        first = _first_vector(lines, name, dimension)
        for line, text in chain([first], lines):
            if text.split(b" ", 1)[0] in beginnings:
                word, numbers = _cut(text, dimension)
                if word in rows:
                    vectors[rows.pop(word)] = _parse(name, line, word, numbers, dimension)
            if not rows:
                break
    return vectors


def train_vectors(
    sentences: Iterable[list[str]],
    words: Sequence[str],
    dimension: int = 100,
    window: int = 3,
    epochs: int = 100,
    seed: int = 0,
    threads: int = 1,
) -> np.ndarray:
    """fastText vectors of `words`, trained on sentences: float32 [word, dimension].

    Skip-gram with subwords of 3 to 6 letters; every word of the sentences takes part, however rare. A word that
    is not among them has the mean of its subwords. One thread gives the same vectors for the same seed, several
    are faster and differ a little each time. The subwords take 8 MB of memory for each dimension.
    """
    if threads < 1:
        raise ValueError(f"{threads} threads would leave the vectors as random as they start")
    fasttext = _import_fasttext()
    sentences = list(sentences)  # read once to count the words, then once in every epoch
    if not any(sentences):
        raise DepinduceError("There are no words to train word vectors on. Give a file with sentences.")
    model = fasttext(
        sentences,
        vector_size=dimension,
        window=window,
        epochs=epochs,
        seed=seed,
        workers=threads,
        # From here on what fastText itself does by default, which gensim does not.
        sg=1,
        min_count=1,
        alpha=0.05,
        min_alpha=0.0,
        sample=1e-4,
        ns_exponent=0.5,
        # The same in both.
        negative=5,
        min_n=3,
        max_n=6,
        bucket=2_000_000,
    )
    vectors = np.empty((len(words), dimension), dtype=np.float32)
    for row, word in enumerate(words):
        vectors[row] = model.wv[word]
    return vectors


def _import_fasttext() -> type:
    try:
        from gensim.models import FastText  # pyright: ignore[reportMissingImports]  # few need it; it takes seconds
    except ImportError as error:
        raise DepinduceError(
            f"Training word vectors needs the library gensim, which cannot be loaded ({error}). "
            "Install it with `pip install 'depinduce[vectors]'`; "
            "or take vectors from a file with `--vectors file FILE.vec`, or random ones with `--vectors random`."
        ) from error
    return FastText


def _first_vector(lines: Iterator[tuple[int, bytes]], name: str, dimension: int) -> tuple[int, bytes]:
    """The first line with a vector, examined whether wanted or not; the line `N D` before it is examined too."""
    for line, text in lines:
        fields = text.split()
        if line == 1 and len(fields) == 2 and all(field.isdigit() and len(field) < _LONGEST_NUMBER for field in fields):
            found = int(fields[1])
            if found != dimension:
                remedy = f"Say `--set word_size={found}`, or give a file whose vectors have {dimension}."
                raise InputError(name, line, f"the vectors have {found} numbers where {dimension} are wanted", remedy)
        elif fields:
            _parse(name, line, *_cut(text, dimension), dimension)
            return line, text
    raise InputError(name, None, "the file holds no vectors", _FORMAT)


def _cut(text: bytes, dimension: int) -> tuple[bytes, list[bytes]]:
    """The word of a line and its numbers.

    What is too much for the vector belongs to the word: `New York 0.1 0.2`. But if it all is numbers and the word
    is none, the vector is too long: `the 0.1 0.2 0.3`. In `1 000 0.1 0.2` the word is `1 000`.
    """
    word, *numbers = fields = text.rstrip(b" \r").split(b" ")
    surplus = len(numbers) - dimension
    if surplus > 0 and b"" not in fields and (_is_number(word) or not all(map(_is_number, numbers[:surplus]))):
        return b" ".join(fields[: surplus + 1]), numbers[surplus:]
    return word, numbers


def _parse(name: str, line: int, word: bytes, numbers: list[bytes], dimension: int) -> np.ndarray:
    """The vector of a word, float64 [dimension]."""
    if not numbers or b"\t" in word:
        raise InputError(name, line, f"no space parts the word from its numbers in {_quoted(word)}", _FORMAT)
    vector = np.array([_number(number) for number in numbers])
    wrong = ~(np.abs(vector) <= _LARGEST)
    if wrong.any():
        position = int(wrong.argmax())
        number = _quoted(numbers[position])
        found = f"number {position + 1} of the vector of {_quoted(word)} is {number}, not a finite number"
        raise InputError(name, line, found, f"Correct the line or remove it. {_FORMAT}")
    if len(numbers) != dimension:
        found = f"the vector of {_quoted(word)} has {len(numbers)} numbers where {dimension} are wanted"
        remedy = (
            f"Say `--set word_size={len(numbers)}` if all vectors of the file are so; if not, mend or remove the line."
        )
        raise InputError(name, line, found, remedy)
    return vector


def _number(field: bytes) -> float:
    """The number that a field holds, NaN if it holds none."""
    try:
        return float(field)
    except ValueError:
        return math.nan


def _is_number(field: bytes) -> bool:
    return not math.isnan(_number(field))


def _lines(path: str | Path, name: str) -> Generator[tuple[int, bytes], None, None]:
    """Each line of the file with its number, without its line end."""
    line, rest = 1, b""
    with open_input(path) as read:
        while fresh := read_chunk(read, _CHUNK, name):
            if line == 1 and not rest:
                if b"\0" in fresh and not fresh.startswith(_UTF16_MARKS):
                    _refuse_binary(name)
                fresh = fresh.removeprefix(_BYTE_ORDER_MARK)
            whole, line_end, beginning = fresh.rpartition(b"\n")
            if not line_end:
                rest += fresh
                if len(rest) > _LONGEST_LINE:
                    raise InputError(name, line, f"no line end within {_LONGEST_LINE >> 20} MB from here on", _FORMAT)
                continue
            whole, rest = rest + whole, beginning
            _require_utf8(name, line, whole)
            lines = whole.split(b"\n")
            yield from enumerate(lines, line)
            line += len(lines)
    if rest:
        _require_utf8(name, line, rest)
        yield line, rest


def _require_utf8(name: str, line: int, data: bytes) -> None:
    """A fault unless `data`, which starts on line `line`, is UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        if name.endswith((".bin", ".bin.gz")):
            _refuse_binary(name)
        found = f"this is not UTF-8 (byte 0x{data[error.start]:02x})"
        encoding = "utf-16" if line == 1 and data.startswith(_UTF16_MARKS) else "latin1"
        remedy = (
            f"Convert the file, for instance with `iconv -f {encoding} -t utf-8`; "
            "if only some words are damaged, drop such bytes with `iconv -c -f utf-8 -t utf-8`."
        )
        raise InputError(name, line + data.count(b"\n", 0, error.start), found, remedy) from error


def _refuse_binary(name: str) -> NoReturn:
    remedy = (
        "Give the vectors as text, the `.vec` file, unpacked or as `.gz`; "
        "gensim writes one with `save_word2vec_format`."
    )
    raise InputError(name, None, "this is a binary file", remedy)


def _quoted(data: bytes) -> str:
    return quoted(data.decode())
