"""A corpus that memory need not hold: read once, kept as arrays in files, and mapped where somebody looks at it.

    KEY/about.json      vocabularies, what was left out, and the fingerprint
    KEY/tags.npy        the numbers of the tags, and so on: the arrays of `Corpus`

KEY tells the content of the files and how they were read, so that what is kept is never old. Several processes may
read parts of the files side by side; the first one then joins what they found. A folder appears complete or not at all.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from depinduce.corpus.conllu import Sentence, read_sentences
from depinduce.corpus.corpus import Corpus, Reading, build_corpus
from depinduce.corpus.streams import is_splittable, part_between
from depinduce.corpus.tags import RARE, count_tags, find_tags
from depinduce.corpus.vocabulary import Vocabulary
from depinduce.errors import DepinduceError
from depinduce.files import atomic_directory, parse_json, remove, write_file

FORMAT = 1
ABOUT = "about.json"
LEFT_OUT = ("empty", "too_short", "too_long")
_AT_ONCE = 20_000  # sentences that are read before they are written
_COPIED = 1 << 20  # numbers that are copied at a time

Files = Sequence[tuple[str | None, str | Path]]  # each with its language, if somebody named it


def key_of(files: Files, reading: Reading) -> str:
    """What tells the content of files, in their order, and how they are read."""
    digest = hashlib.sha256(json.dumps([FORMAT, asdict(reading)], sort_keys=True).encode())
    for language, path in files:
        if str(path) == "-":
            raise DepinduceError("--cache: standard input cannot be read twice. Name files.")
        with open(path, "rb") as file:
            digest.update(f"{language} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return digest.hexdigest()[:32]


def part_of_files(files: Files, part: int, parts: int) -> Iterator[Sentence]:
    """The sentences in one of several parts of about the same size; together they are all, in their order."""
    sizes = [Path(path).stat().st_size for _, path in files]
    begin, end = (sum(sizes) * number // parts for number in (part, part + 1))
    before = 0  # bytes in the files before
    for (language, path), size in zip(files, sizes, strict=True):
        first, last = (min(max(place - before, 0), size) for place in (begin, end))
        if not is_splittable(path):  # it belongs to whom its first byte does
            if begin <= before < end:
                yield from read_sentences(path, language=language)
        elif first < last:
            yield from read_sentences(path, language=language, part=part_between(path, first, last))
        before += size


# ---------------------------------------------------------------- writing


def encode_part(sentences: Iterable[Sentence], reading: Reading, languages: tuple[str, ...], place: Path) -> None:
    """Write the numbers of some sentences, by vocabularies of their own, to a folder."""
    raw = replace(reading, rare_tags=1) if reading.features else reading
    tag_counts, word_counts, left_out = Counter[str](), Counter[str](), Counter[str]()
    numbers: list[dict[str, int]] = [{}, {}]
    sentences, read = iter(sentences), 0
    with atomic_directory(place) as folder:
        with ExitStack() as stack:
            names = ("tags", "words", "lengths", "index", "language")
            streams = {name: stack.enter_context(open(folder / name, "wb")) for name in names}
            while some := list(islice(sentences, _AT_ONCE)):
                own = build_corpus(some, raw, languages=languages)
                for counts, vocabulary in ((tag_counts, own.tag_vocabulary), (word_counts, own.word_vocabulary)):
                    counts.update(dict(zip(vocabulary.symbols, vocabulary.counts, strict=True)))
                streams["tags"].write(_renumbered(own.tags, own.tag_vocabulary, numbers[0]).tobytes())
                streams["words"].write(_renumbered(own.words, own.word_vocabulary, numbers[1]).tobytes())
                streams["lengths"].write(own.lengths.astype(np.int32).tobytes())
                streams["index"].write((own.index + read).tobytes())
                if own.language is not None:
                    streams["language"].write(own.language.tobytes())
                left_out.update({name: getattr(own, name) for name in LEFT_OUT})
                read += len(some)
        about = {
            "read": read,
            "tags": {tag: tag_counts[tag] for tag in numbers[0]},
            "words": {word: word_counts[word] for word in numbers[1]},
            **{name: left_out[name] for name in LEFT_OUT},
        }
        write_file(folder / ABOUT, json.dumps(about))


def _renumbered(own: np.ndarray, vocabulary: Vocabulary, numbers: dict[str, int]) -> np.ndarray:
    """Numbers in the order in which symbols appeared. numbers: of those so far, to which new ones are added"""
    translation = [numbers.setdefault(symbol, len(numbers)) for symbol in vocabulary]
    return np.array([*translation, -1], dtype=np.int32)[own]


def join_parts(parts: Sequence[Path], reading: Reading, languages: tuple[str, ...], place: Path) -> None:
    """Write the corpus whose parts were written before, in their order, and remove these."""
    about = [parse_json((part / ABOUT).read_bytes()) for part in parts]
    tag_counts, word_counts = (_added(own[name] for own in about) for name in ("tags", "words"))
    tags = count_tags(tag_counts, (reading.rare_tags or RARE) if reading.features else 1)
    words = Vocabulary.from_counts(word_counts)
    told: dict[str, Any] = {"format": FORMAT, "languages": languages, "tags": tags.to_json(), "words": words.to_json()}
    told |= {name: sum(own[name] for own in about) for name in LEFT_OUT}
    first = np.cumsum([0, *(own["read"] for own in about)])  # sentence of each part
    with atomic_directory(place) as folder:
        of_tags = [np.append(find_tags(own["tags"], tags), -1) for own in about]
        _copy(parts, "tags", folder, of_tags, np.int16 if len(tags) < 1 << 15 else np.int32)
        _copy(parts, "words", folder, [np.append(words.ids(own["words"]), -1) for own in about], np.int32)
        lengths = np.concatenate([np.fromfile(part / "lengths", np.int32) for part in parts])
        _save(folder, "offsets", np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]))
        index = [np.fromfile(part / "index", np.int64) + begin for part, begin in zip(parts, first, strict=False)]
        _save(folder, "index", np.concatenate(index))
        if languages:
            _save(folder, "language", np.concatenate([np.fromfile(part / "language", np.int32) for part in parts]))
        told["sha256"] = _mapped(folder, told).fingerprint()
        write_file(folder / ABOUT, json.dumps(told))
    for part in parts:
        remove(part, quietly=True)


def _added(counts: Iterable[Mapping[str, int]]) -> Counter[str]:
    total = Counter[str]()
    for own in counts:
        total.update(own)
    return total


def _copy(parts: Sequence[Path], name: str, folder: Path, numbers: Sequence[np.ndarray], kind: type) -> None:
    """Write the symbols of all parts, each part by its own list of their new numbers, as one array."""
    size = sum((part / name).stat().st_size for part in parts) // np.dtype(np.int32).itemsize
    header = {"descr": np.lib.format.dtype_to_descr(np.dtype(kind)), "fortran_order": False, "shape": (size,)}
    with open(folder / f"{name}.npy", "wb") as stream:
        np.lib.format.write_array_header_1_0(stream, header)
        for part, new in zip(parts, numbers, strict=True):
            with open(part / name, "rb") as raw:
                while len(some := np.fromfile(raw, np.int32, _COPIED)):
                    stream.write(new[some].astype(kind).tobytes())
        stream.flush()
        os.fsync(stream.fileno())


def _save(folder: Path, name: str, numbers: np.ndarray) -> None:
    with open(folder / f"{name}.npy", "wb") as stream:
        np.save(stream, numbers)
        stream.flush()
        os.fsync(stream.fileno())


# ---------------------------------------------------------------- reading


def open_encoded(place: Path) -> Corpus:
    """The corpus in a folder."""
    try:
        told = parse_json((place / ABOUT).read_bytes())
        corpus = _mapped(place, told)
    except (OSError, EOFError, ValueError, KeyError) as error:
        raise DepinduceError(f"{place}: is not as it was written ({error}). Delete it.") from error
    corpus.remember_fingerprint(told["sha256"])
    return corpus


def _mapped(place: Path, told: Mapping[str, Any]) -> Corpus:
    names = ("offsets", "tags", "words", "index", *(("language",) if told["languages"] else ()))
    arrays = {name: np.asarray(np.load(place / f"{name}.npy", mmap_mode="r")) for name in names}
    vocabularies = {f"{name}_vocabulary": Vocabulary.from_json(told[f"{name}s"]) for name in ("tag", "word")}
    left_out = {name: told[name] for name in LEFT_OUT}
    return Corpus(heads=None, languages=tuple(told["languages"]), **arrays, **vocabularies, **left_out)
