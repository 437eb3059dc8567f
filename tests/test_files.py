"""Files and directories appear whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from depinduce.files import atomic_directory, atomic_file


class Failure(Exception):
    pass


def tree(folder: Path) -> dict[str, str | None]:
    """All that is in a folder: the text of files, None for folders."""
    return {str(path.relative_to(folder)): None if path.is_dir() else path.read_text() for path in folder.rglob("*")}


def test_a_file_appears_when_it_is_complete(tmp_path):
    with atomic_file(tmp_path / "new" / "a.txt") as temporary:
        temporary.write_text("half")
        assert not (tmp_path / "new" / "a.txt").exists()
        temporary.write_text("whole")
    assert tree(tmp_path) == {"new": None, "new/a.txt": "whole"}


@pytest.mark.parametrize("error", [Failure, KeyboardInterrupt, SystemExit])
def test_a_failure_leaves_the_old_file(error, tmp_path):
    (tmp_path / "a.txt").write_text("old")
    with pytest.raises(error), atomic_file(tmp_path / "a.txt") as temporary:
        temporary.write_text("half")
        raise error
    assert tree(tmp_path) == {"a.txt": "old"}


def test_a_file_cannot_take_the_place_of_a_directory(tmp_path):
    (tmp_path / "a").mkdir()
    with pytest.raises(OSError), atomic_file(tmp_path / "a") as temporary:
        temporary.write_text("whole")
    assert tree(tmp_path) == {"a": None}


def test_a_directory_appears_when_it_is_complete(tmp_path):
    with atomic_directory(tmp_path / "new" / "model") as temporary:
        (temporary / "a.txt").write_text("whole")
        assert not (tmp_path / "new" / "model").exists()
    assert tree(tmp_path) == {"new": None, "new/model": None, "new/model/a.txt": "whole"}


def test_a_directory_takes_the_place_of_the_old_one(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "old.txt").write_text("old")
    with atomic_directory(tmp_path / "model") as temporary:
        (temporary / "a.txt").write_text("new")
    assert tree(tmp_path) == {"model": None, "model/a.txt": "new"}


@pytest.mark.parametrize("error", [Failure, KeyboardInterrupt, SystemExit])
def test_a_failure_leaves_the_old_directory(error, tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "a.txt").write_text("old")
    with pytest.raises(error), atomic_directory(tmp_path / "model") as temporary:
        (temporary / "a.txt").write_text("half")
        raise error
    assert tree(tmp_path) == {"model": None, "model/a.txt": "old"}


@pytest.mark.parametrize("failing", [1, 2])
def test_a_failure_of_either_renaming_leaves_the_old_directory(failing, tmp_path, monkeypatch):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "a.txt").write_text("old")
    calls, replace = [], os.replace

    def fail_once(source, target):
        calls.append(target)
        if len(calls) == failing:
            raise OSError("no space left on device")
        replace(source, target)

    monkeypatch.setattr(os, "replace", fail_once)
    with pytest.raises(OSError, match="no space"), atomic_directory(tmp_path / "model") as temporary:
        (temporary / "a.txt").write_text("new")
    assert tree(tmp_path) == {"model": None, "model/a.txt": "old"}


def test_what_is_written_has_the_usual_permissions(tmp_path):
    (tmp_path / "usual").mkdir()
    (tmp_path / "usual" / "a.txt").write_text("usual")
    with atomic_directory(tmp_path / "model") as temporary, atomic_file(temporary / "a.txt") as file:
        file.write_text("ours")
    for name in ("", "a.txt"):
        usual, ours = ((tmp_path / folder / name).stat().st_mode for folder in ("usual", "model"))
        assert stat.S_IMODE(usual) == stat.S_IMODE(ours)
