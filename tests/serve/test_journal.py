"""The journal: what was confirmed is there again, whatever happened to the process that wrote it."""

from __future__ import annotations

import json
import os

import pytest

from depinduce import DepinduceError
from depinduce.serve.journal import OPEN, Journal, Tree, Work

LENGTHS = [3, 2]
WORK = Work(1, {2: 0, 3: OPEN}, {1: "nsubj:pass"})
CHECKED = Work(2, {2: 0}, {}, Tree([2, 0, 2], ["nsubj", "root", "obj"]))


NO_TREE = b'{"sentence": 0, "version": 1, "heads": {}, "labels": {}, "checked": {"heads": %s, "labels": %s}}'


def journal(place, digest="abc"):
    return Journal(place, digest, LENGTHS)


def test_what_is_saved_is_there_again(tmp_path):
    first = journal(tmp_path)
    first.save(0, WORK)
    first.save(1, Work(1, {1: 2}))
    first.save(0, CHECKED)
    first.use("retrained-1")
    again = journal(tmp_path)
    assert again.works == {0: CHECKED, 1: Work(1, {1: 2})}
    assert again.grammar == "retrained-1"
    assert again[5] == Work()
    assert again.damaged == []


def test_where_nothing_was_done_there_is_no_journal(tmp_path):
    assert journal(tmp_path)[0] == Work()
    assert list(tmp_path.iterdir()) == []


def test_wherever_the_last_line_is_cut_off_all_before_it_is_there(tmp_path):
    first = journal(tmp_path)
    first.save(0, WORK)
    whole = len(first.path.read_bytes())
    first.save(0, CHECKED)
    text = first.path.read_bytes()
    for end in range(whole, len(text)):
        first.path.write_bytes(text[:end])
        again = journal(tmp_path)
        assert again.works == {0: WORK}
    again.save(1, Work(1, {1: 2}))  # and what is saved next does not hang on the rest of that line
    assert journal(tmp_path).works == {0: WORK, 1: Work(1, {1: 2})}


@pytest.mark.parametrize(
    "line",
    [
        b"\xff",
        b"{",
        b"[]",
        b'{"sentence": 2, "version": 1, "heads": {}, "labels": {}, "checked": null}',
        b'{"sentence": 0, "version": true, "heads": {}, "labels": {}, "checked": null}',
        b'{"sentence": 0, "version": 1, "heads": {"4": 1}, "labels": {}, "checked": null}',
        b'{"sentence": 0, "version": 1, "heads": {"1": 4}, "labels": {}, "checked": null}',
        b'{"sentence": 0, "version": 1, "heads": {"1": 1}, "labels": {}, "checked": null}',
        b'{"sentence": 0, "version": 1, "heads": {}, "labels": {"1": "No\\tlabel"}, "checked": null}',
        NO_TREE % (b"[2, 1, 0]", b'["a", "b", "root"]'),
        NO_TREE % (b"[0, 1, 1]", b'["a", "b", "c"]'),
    ],
)
def test_a_damaged_line_is_told_and_the_others_are_read(line, tmp_path):
    first = journal(tmp_path)
    first.save(0, WORK)
    with first.path.open("ab") as file:
        file.write(line + b"\n")
    first.save(1, Work(1, {1: 2}))
    again = journal(tmp_path)
    assert again.works == {0: WORK, 1: Work(1, {1: 2})}
    assert again.damaged == [3]


def test_the_journal_of_another_file_is_refused(tmp_path):
    journal(tmp_path).save(0, WORK)
    with pytest.raises(DepinduceError, match="belongs to the file as it was before"):
        journal(tmp_path, "another")


@pytest.mark.parametrize("text", [b"", b"\n", b"words\n", b"[]\n", json.dumps({"format": "x"}).encode() + b"\n"])
def test_what_is_no_journal_is_refused_and_stays(text, tmp_path):
    (tmp_path / "journal.jsonl").write_bytes(text)
    with pytest.raises(DepinduceError, match="no journal of ours"):
        journal(tmp_path)
    assert (tmp_path / "journal.jsonl").read_bytes() == text


@pytest.mark.parametrize("call", ["write", "fsync"])
def test_what_the_disk_does_not_take_is_not_saved(call, tmp_path, monkeypatch):
    first = journal(tmp_path)
    first.save(0, WORK)

    def full(*given):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, call, full)
        with pytest.raises(OSError, match="No space left"):
            first.save(0, CHECKED)
    assert first.works == journal(tmp_path).works == {0: WORK}
    first.save(0, CHECKED)
    assert journal(tmp_path).works == {0: CHECKED}
