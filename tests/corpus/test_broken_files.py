"""Every fault of an input is refused with its place, what was found and how to mend it."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from corpus.blocks import block, write

from depinduce.corpus import Reading, conllu, open_output, read_sentences
from depinduce.errors import DepinduceError, InputError

FOLDER = Path(__file__).parent / "broken"
BROKEN = sorted(path.name for path in FOLDER.glob("*.conllu"))
MAPS = sorted(path.name for path in FOLDER.glob("map-*.toml"))
NEEDS_TREES = [name for name in BROKEN if name.startswith("gold-")]


def message_for(path, **options) -> str:
    with pytest.raises(InputError) as refusal:
        list(read_sentences(path, **options))
    return str(refusal.value)


@pytest.mark.parametrize("name", BROKEN)
def test_broken_file_is_refused_with_its_message(name, monkeypatch):
    monkeypatch.chdir(FOLDER)
    expected = Path(name).with_suffix(".expected").read_text(encoding="utf-8").rstrip("\n")
    assert message_for(name, trees=True) == expected
    if name not in NEEDS_TREES:
        assert message_for(name) == expected


@pytest.mark.parametrize("name", NEEDS_TREES)
def test_faults_of_trees_matter_only_where_trees_are_needed(name):
    data = "".join(sentence.render() for sentence in read_sentences(FOLDER / name))
    assert data.encode() == (FOLDER / name).read_bytes()


@pytest.mark.parametrize("name", MAPS)
def test_a_broken_map_of_tags_is_refused_with_its_message(name, monkeypatch):
    monkeypatch.chdir(FOLDER)
    expected = Path(name).with_suffix(".expected").read_text(encoding="utf-8").rstrip("\n")
    with pytest.raises(DepinduceError) as refusal:
        Reading(map=name)
    assert str(refusal.value) == expected


def test_every_expected_message_has_its_file():
    assert {path.stem for path in FOLDER.glob("*.expected")} == {Path(name).stem for name in (*BROKEN, *MAPS)}


def test_line_is_right_far_into_a_file(tmp_path):
    good = block("the/DET dog/NOUN barks/VERB", [2, 3, 0])  # 4 lines, 79 bytes: some 5 pieces of reading
    path = write(tmp_path / "a.conllu", good * 10_000, good.replace("\t3\t", "\t4\t"))
    assert message_for(path).startswith(f"{path}:40002: the head 4 is not in the sentence")
    path.write_bytes(good.encode() * 10_000 + b"# caf\xe9\n" + good.encode())
    assert message_for(path).startswith(f"{path}:40001: this is not UTF-8 (byte 0xe9, number 6 of the line)")


MANY_DIGITS = 5000 * "1"  # more than Python makes a number of


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("2\tb", f"{MANY_DIGITS}\tb", "the id '1111111111111111111111111111111111111111…' is malformed"),
        ("2\tb", f"2-{MANY_DIGITS}\tb", "the id '2-11111111111111111111111111111111111111…' is malformed"),
        ("2\tb", f"1.{MANY_DIGITS}\tb", "the id '1.11111111111111111111111111111111111111…' is malformed"),
        ("\t0\t", f"\t{MANY_DIGITS}\t", "the head 1111111111111111111111111111111111111111… is not in the sentence"),
    ],
    ids=["word", "range", "empty node", "head"],
)
def test_numbers_of_thousands_of_digits(old, new, found, tmp_path):
    path = write(tmp_path / "a.conllu", block("a/X b/X", [2, 0]).replace(old, new))
    assert found in message_for(path)


def test_missing_file(tmp_path):
    path = tmp_path / "nowhere.conllu"
    assert message_for(path) == f"{path}: no such file. Check the path; `-` is standard input."


def test_directory(tmp_path):
    assert message_for(tmp_path) == f"{tmp_path}: this is a directory. Name a file inside it."


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file(tmp_path):
    path = write(tmp_path / "a.conllu", block("a/X"))
    path.chmod(0)
    assert "cannot be opened (Permission denied)" in message_for(path)


@pytest.mark.parametrize("damage", [lambda data: data[:-12], lambda data: b"plain " + data, lambda data: data[:40]])
def test_damaged_gzip(damage, tmp_path):
    path = tmp_path / "a.conllu.gz"
    path.write_bytes(damage(gzip.compress(block("a/X b/X").encode() * 100)))
    assert message_for(path).startswith(f"{path}: the gzip data is damaged or cut short (")


def test_garbage_inside_gzip(tmp_path):
    path = tmp_path / "a.conllu.gz"
    data = bytearray(gzip.compress(os.urandom(5000)))
    data[100:200] = bytes(100)
    path.write_bytes(bytes(data))
    assert "gzip data is damaged" in message_for(path)


def test_endless_block(tmp_path, monkeypatch):
    monkeypatch.setattr(conllu, "LONGEST_BLOCK", 1 << 20)
    path = write(tmp_path / "a.conllu", block("a/X"), "# a comment\n" * 200_000)
    assert message_for(path).startswith(f"{path}:3: no empty line within 1 MB from here on. ")


def test_output_is_absent_after_a_failure(tmp_path):
    with pytest.raises(RuntimeError), open_output(tmp_path / "out.conllu") as output:
        output.write("half")
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_output_may_replace_its_own_input(tmp_path):
    path = write(tmp_path / "a.conllu", block("a/X b/X") * 10_000)
    with open_output(path) as output:
        for sentence in read_sentences(path):
            output.write(sentence.render([0, 1]))
    assert path.read_text() == block("a/X b/X", [0, 1]) * 10_000


def test_link_stays_a_link(tmp_path):
    target = write(tmp_path / "target.conllu", "old")
    (tmp_path / "link.conllu").symlink_to(target)
    with open_output(tmp_path / "link.conllu") as output:
        output.write(b"new")
    assert (tmp_path / "link.conllu").is_symlink()
    assert target.read_text() == "new"


def test_device_is_written_to_and_not_replaced():
    with open_output(os.devnull) as output:
        output.write("gone")
    assert not Path(os.devnull).is_file()


def test_output_that_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(DepinduceError, match="the output cannot be written"), open_output(tmp_path):
        pytest.fail("a directory was opened")
    write(tmp_path / "file", "")
    with (
        pytest.raises(DepinduceError, match="the output cannot be written"),
        open_output(tmp_path / "file" / "out"),
    ):
        pytest.fail("a file was taken for a directory")
