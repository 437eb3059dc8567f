"""A corpus that is kept in files is the one that is read, whoever has written which part of it."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from learning.tagged import random_sentences

from depinduce.corpus import Corpus, Reading, build_corpus, read_sentences
from depinduce.corpus.encoded import encode_part, join_parts, key_of, open_encoded, part_of_files
from depinduce.errors import DepinduceError, InputError


def conllu(sentences: list[str], feature: str = "_", end: str = "\n") -> str:
    """Sentences given by their tags, with words that differ."""
    blocks = []
    for place, sentence in enumerate(sentences):
        rows = [
            "\t".join([str(number), f"{tag}{place % 7}", "_", tag, "_", feature, "_", "_", "_", "_"])
            for number, tag in enumerate(sentence.split(), start=1)
        ]
        blocks.append(end.join([f"# sent_id = {place}", *rows, "", ""]))
    return "".join(blocks)


@pytest.fixture
def files(tmp_path) -> list[tuple[str | None, Path]]:
    """Plain files, one of them from Windows and with surplus blank lines, and a packed one."""
    texts = {
        "a.conllu": conllu(random_sentences(1, 30)),
        "b.conllu": "\r\n\r\n" + conllu(random_sentences(2, 25, tags="NVX"), end="\r\n"),
        "c.conllu": conllu(random_sentences(4, 9))[:-1],  # without its last blank line
    }
    for name, text in texts.items():
        (tmp_path / name).write_bytes(text.encode())
    (tmp_path / "d.conllu.gz").write_bytes(gzip.compress(conllu(random_sentences(3, 9)).encode()))
    return [(None, tmp_path / name) for name in ("a.conllu", "d.conllu.gz", "b.conllu", "c.conllu")]


def encoded(files, reading: Reading, parts: int, place: Path, languages: tuple[str, ...] = ()) -> Corpus:
    folders = [place / f"part-{part}" for part in range(parts)]
    for part, folder in enumerate(folders):
        encode_part(part_of_files(files, part, parts), reading, languages, folder)
    join_parts(folders, reading, languages, place / "whole")
    return open_encoded(place / "whole")


def assert_same(found: Corpus, expected: Corpus) -> None:
    for name in ("offsets", "tags", "words", "index", "language"):
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name
    assert found.tag_vocabulary == expected.tag_vocabulary and found.word_vocabulary == expected.word_vocabulary
    assert (found.empty, found.too_short, found.too_long) == (expected.empty, expected.too_short, expected.too_long)
    assert found.fingerprint() == expected.fingerprint()
    assert found.take(np.arange(len(found))).fingerprint() == expected.fingerprint()  # found anew


@pytest.mark.parametrize("parts", [1, 2, 3, 40])
def test_parts_of_files_are_joined_to_what_one_process_reads(files, parts, tmp_path):
    reading = Reading(max_length=6, lowercase=True)
    expected = build_corpus((one for _, path in files for one in read_sentences(path)), reading)
    assert expected.too_long > 0
    assert_same(encoded(files, reading, parts, tmp_path / "kept"), expected)


def test_languages_and_refined_tags_are_kept(tmp_path):
    texts = {"fr": conllu(random_sentences(1, 30), "Case=Nom"), "pl": conllu(random_sentences(2, 9), "Case=Gen")}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    files, reading = [(name, tmp_path / name) for name in texts], Reading(tags="upos+Case", rare_tags=12)
    sentences = (one for name, path in files for one in read_sentences(path, language=name))
    expected = build_corpus(sentences, reading, languages=("fr", "pl"))
    assert {"N", "N+Case=Nom"} < {*expected.tag_vocabulary}  # those of pl are rare, and go without their features
    assert_same(encoded(files, reading, 2, tmp_path / "kept", ("fr", "pl")), expected)


def test_the_key_tells_content_and_reading(files, tmp_path):
    key = key_of(files, Reading())
    assert key_of(files, Reading()) == key
    others = [
        key_of(files, Reading(max_length=5)),
        key_of(files[::-1], Reading()),
        key_of([("fr", files[0][1])], Reading()),
    ]
    files[0][1].write_bytes(files[0][1].read_bytes().replace(b"N", b"M", 1))
    assert len({key, *others, key_of(files, Reading())}) == 5
    with pytest.raises(DepinduceError, match="standard input cannot be read twice"):
        key_of([(None, "-")], Reading())


def test_it_takes_less_than_16_bytes_a_word(files, tmp_path):
    corpus = encoded(files * 40, Reading(), 1, tmp_path)
    arrays = sum(path.stat().st_size - 128 for path in (tmp_path / "whole").glob("*.npy"))
    assert arrays < 16 * len(corpus.tags)


def test_a_fault_in_a_later_part_names_its_line(tmp_path):
    text = conllu(random_sentences(1, 30))
    path = tmp_path / "a.conllu"
    path.write_text(text + "1\tword\tno tabs\n\n")
    with pytest.raises(InputError) as fault:
        list(part_of_files([(None, path)], 2, 3))
    assert fault.value.line == text.count("\n") + 1
