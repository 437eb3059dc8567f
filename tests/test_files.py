"""Files and directories appear whole or not at all, and what a dead process left behind is cleared away."""

from __future__ import annotations

import errno
import gzip
import os
import stat
from pathlib import Path

import pytest
from other_processes import ONLY_WRITER, WAIT, another_process

from depinduce import files
from depinduce.errors import DepinduceError
from depinduce.files import (
    append_line,
    atomic_directory,
    atomic_file,
    is_left_behind,
    only_writer,
    parse_json,
    recover,
    remove_in_order,
    write_file,
)


class Failure(Exception):
    pass


def tree(folder: Path) -> dict[str, str | None]:
    """All that is in a folder: the text of files, None for folders."""
    return {str(path.relative_to(folder)): None if path.is_dir() else path.read_text() for path in folder.rglob("*")}


# ---------------------------------------------------------------- whole or not at all


def test_a_file_appears_when_it_is_complete(tmp_path):
    with atomic_file(tmp_path / "new" / "a.txt") as stream:
        stream.write(b"half")
        assert not (tmp_path / "new" / "a.txt").exists()
        stream.write(b" and half")
    assert tree(tmp_path) == {"new": None, "new/a.txt": "half and half"}


@pytest.mark.parametrize("error", [Failure, KeyboardInterrupt, SystemExit])
def test_a_failure_leaves_the_old_file(error, tmp_path):
    write_file(tmp_path / "a.txt", "old")
    with pytest.raises(error), atomic_file(tmp_path / "a.txt") as stream:
        stream.write(b"half")
        raise error
    assert tree(tmp_path) == {"a.txt": "old"}


def test_a_file_cannot_take_the_place_of_a_directory(tmp_path):
    (tmp_path / "a").mkdir()
    with pytest.raises(OSError) as refusal:
        write_file(tmp_path / "a", "whole")
    assert refusal.value.filename == str(tmp_path / "a")
    assert tree(tmp_path) == {"a": None}


def test_a_file_with_the_longest_name_that_there_is(tmp_path):
    name = "ä" * 127
    write_file(tmp_path / name, "whole")
    assert tree(tmp_path) == {name: "whole"}


def test_a_directory_appears_when_it_is_complete(tmp_path):
    with atomic_directory(tmp_path / "new" / "model") as temporary:
        (temporary / "a.txt").write_text("whole")
        assert not (tmp_path / "new" / "model").exists()
    assert tree(tmp_path) == {"new": None, "new/model": None, "new/model/a.txt": "whole"}


@pytest.fixture(params=["at once", "one after the other"])
def either_way(request, monkeypatch):
    """Whether the system can exchange two directories."""
    if request.param == "one after the other":
        monkeypatch.setattr(files, "_exchange", lambda one, other: False)


def old_model(folder: Path) -> Path:
    (folder / "model" / "part").mkdir(parents=True)
    (folder / "model" / "part" / "a.txt").write_text("old")
    return folder / "model"


OLD = {"model": None, "model/part": None, "model/part/a.txt": "old"}


def test_a_directory_takes_the_place_of_the_old_one(either_way, tmp_path):
    with atomic_directory(old_model(tmp_path)) as temporary:
        (temporary / "b.txt").write_text("new")
        assert (tmp_path / "model" / "part").exists()
    assert tree(tmp_path) == {"model": None, "model/b.txt": "new"}


@pytest.mark.parametrize("error", [Failure, KeyboardInterrupt, SystemExit])
def test_a_failure_leaves_the_old_directory(error, tmp_path):
    with pytest.raises(error), atomic_directory(old_model(tmp_path)) as temporary:
        (temporary / "a.txt").write_text("half")
        raise error
    assert tree(tmp_path) == OLD


@pytest.mark.parametrize("failing", [1, 2])
def test_a_failure_of_either_renaming_leaves_the_old_directory(failing, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_exchange", lambda one, other: False)
    calls, replace = [], os.replace

    def fail_once(source, target):
        calls.append(target)
        if len(calls) == failing:
            raise OSError(errno.ENOSPC, "no space left on device")
        replace(source, target)

    monkeypatch.setattr(os, "replace", fail_once)
    with pytest.raises(OSError, match="no space"), atomic_directory(old_model(tmp_path)) as temporary:
        (temporary / "a.txt").write_text("new")
    assert tree(tmp_path) == OLD


def test_the_last_of_what_is_removed_is_there_as_long_as_any_is(tmp_path, monkeypatch):
    model = old_model(tmp_path)
    write_file(tmp_path / "b.txt", "last")
    unlink, seen = os.unlink, []

    def look_and_unlink(path):
        seen.append(sorted(name for name in tree(tmp_path) if not name.startswith(".")))
        unlink(path)

    monkeypatch.setattr(os, "unlink", look_and_unlink)
    remove_in_order([model, tmp_path / "b.txt"])
    assert seen == [["b.txt"], []]
    assert tree(tmp_path) == {}


def test_what_is_written_has_the_usual_permissions(tmp_path):
    (tmp_path / "usual").mkdir()
    (tmp_path / "usual" / "a.txt").write_text("usual")
    with atomic_directory(tmp_path / "model") as temporary:
        write_file(temporary / "a.txt", "ours")
    for name in ("", "a.txt"):
        usual, ours = ((tmp_path / folder / name).stat().st_mode for folder in ("usual", "model"))
        assert stat.S_IMODE(usual) == stat.S_IMODE(ours)


@pytest.mark.parametrize("pack", [False, True])
def test_a_full_disk_is_told_with_the_place_of_the_file(pack, tmp_path, monkeypatch):
    write_file(tmp_path / "a.txt", "old")

    def full(handle, data):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch, pytest.raises(OSError) as refusal:
        patch.setattr(os, "write", full)
        with atomic_file(tmp_path / "a.txt") as stream:
            if pack:
                stream = gzip.GzipFile("", "wb", fileobj=stream)
            stream.write(os.urandom(1 << 18))
    assert (refusal.value.filename, refusal.value.errno) == (str(tmp_path / "a.txt"), errno.ENOSPC)
    assert tree(tmp_path) == {"a.txt": "old"}


def test_a_file_reaches_the_disk_before_it_has_its_name_and_the_name_afterwards(tmp_path, monkeypatch):
    calls = []
    for name in ("fsync", "replace"):
        call = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *given, call=call, name=name: (calls.append(name), call(*given)))
    write_file(tmp_path / "a.txt", "whole")
    assert calls == ["fsync", "replace", "fsync"]
    calls.clear()
    write_file(tmp_path / "a.txt", "a checkpoint", lasting=False)
    assert calls == ["fsync", "replace"]


# ---------------------------------------------------------------- lines


def test_lines_are_added_to_a_file_and_one_that_was_cut_off_gives_way(tmp_path):
    path = tmp_path / "new" / "lines"
    for line in ("one", "zwei ü"):
        append_line(path, line)
    path.write_bytes(path.read_bytes() + b"thr")
    append_line(path, "four", lasting=False)
    assert path.read_bytes() == "one\nzwei ü\nfour\n".encode()


def test_a_line_that_does_not_fit_on_the_disk_is_taken_back(tmp_path, monkeypatch):
    append_line(tmp_path / "lines", "one")
    write = os.write

    def almost_full(handle, data):
        if len(data) < 4:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(handle, data[:2])

    with monkeypatch.context() as patch, pytest.raises(OSError) as refusal:
        patch.setattr(os, "write", almost_full)
        append_line(tmp_path / "lines", "seven")
    assert refusal.value.filename == str(tmp_path / "lines")
    assert tree(tmp_path) == {"lines": "one\n"}


# ---------------------------------------------------------------- what the dead leave behind

HALF_WRITTEN = (
    """
from depinduce.files import atomic_directory, atomic_file
file, folder = atomic_file(sys.argv[1] + "/a.txt"), atomic_directory(sys.argv[1] + "/model")
file.__enter__().write(b"half")
(folder.__enter__() / "a.txt").write_text("half")
"""
    + WAIT
)


def test_what_a_dead_process_left_is_cleared_away_and_what_a_live_one_writes_is_not(tmp_path):
    def write_both():
        write_file(tmp_path / "a.txt", "whole")
        with atomic_directory(tmp_path / "model"):
            pass
        return {path for path in tree(tmp_path) if path.startswith(".")}

    (tmp_path / ".a.txt.0123456.depinduce").write_text("not a name of ours")
    own = {".a.txt.0123456.depinduce"}
    with another_process(HALF_WRITTEN, tmp_path):
        left = write_both() - own
        assert len(left) == 3  # the file, and the folder with what is in it
        assert all(is_left_behind(Path(path).parts[0]) for path in left)
    assert write_both() == own


BETWEEN_TWO_RENAMES = """
from depinduce import files
replace = files.os.replace
def replace_and_wait(source, target):
    replace(source, target)
    WAIT
files._exchange = lambda one, other: False
with files.atomic_directory(sys.argv[1]) as folder:
    (folder / "b.txt").write_text("new")
    files.os.replace = replace_and_wait
""".replace("WAIT", WAIT.strip())


def test_a_directory_comes_back_if_its_successor_did_not_live_to_take_its_place(tmp_path):
    model = old_model(tmp_path)
    with another_process(BETWEEN_TWO_RENAMES, model):
        assert not model.exists()
        recover(model)  # somebody is about to write it
        assert not model.exists()
    recover(model)
    assert {path: text for path, text in tree(tmp_path).items() if not path.startswith(".")} == OLD
    with atomic_directory(model):
        pass
    assert tree(tmp_path) == {"model": None}


def test_a_directory_that_is_there_is_not_replaced_by_the_displaced_one(tmp_path):
    model = old_model(tmp_path)
    (tmp_path / ".model.01234567.displaced").mkdir()
    recover(model)
    assert tree(model) == {"part": None, "part/a.txt": "old"}
    with atomic_directory(model):
        pass
    assert tree(tmp_path) == {"model": None}


# ---------------------------------------------------------------- locks


def test_a_folder_has_one_writer_and_a_dead_one_does_not_count(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "PATIENCE", 0)
    with another_process(ONLY_WRITER, tmp_path / "run") as process:
        refused = pytest.raises(DepinduceError, match="run: another training is writing there. Wait .* another --out")
        with refused, only_writer(tmp_path / "run"):
            raise AssertionError("two writers")
        process.kill()
        process.wait()
        assert tree(tmp_path / "run") == {".lock": ""}
        with only_writer(tmp_path / "run"):
            (tmp_path / "run" / "a.txt").write_text("ours")
    assert tree(tmp_path) == {"run": None, "run/a.txt": "ours"}


def test_a_folder_that_was_not_needed_after_all_is_gone(tmp_path):
    with pytest.raises(Failure), only_writer(tmp_path / "a" / "b"):
        raise Failure
    assert tree(tmp_path) == {}


# ---------------------------------------------------------------- JSON


@pytest.mark.parametrize("text", [b"", b"{", b"\xff", b"[" * 100_000, b"9" * 5_000, b'{"a": tru}', b'"\xed\xa0\x80"'])
def test_odd_json_is_a_value_error(text):
    with pytest.raises(ValueError):
        parse_json(text)
