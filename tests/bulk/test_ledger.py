"""What is finished counts only if it is still what it was made from, by the same grammar with the same options."""

from __future__ import annotations

from pathlib import Path

import pytest
from other_processes import ONLY_WRITER, another_process

from depinduce.bulk.ledger import FINISHED, PARTS, identity_of, open_ledger
from depinduce.errors import DepinduceError

ABOUT = {"grammar": "abc", "set_of_options": {"decode": None}}


@pytest.fixture
def files(tmp_path) -> tuple[Path, Path]:
    """A source and what was made of it."""
    source, written = tmp_path / "source", tmp_path / "out" / "written"
    written.parent.mkdir()
    source.write_text("source")
    return source, written


@pytest.fixture
def finished(files) -> tuple[Path, Path]:
    """The same, after a run."""
    source, written = files
    with open_ledger(written.parent, ABOUT, {str(source): written}, overwrite=False) as ledger:
        written.write_text("written")
        ledger.add("part", source, identity_of(source), written, {"words": 3})
    return files


def is_finished(source: Path, written: Path, about: dict = ABOUT, overwrite: bool = False) -> bool:
    with open_ledger(written.parent, about, {str(source): written}, overwrite) as ledger:
        return ledger.finished("part", source, written) is not None


def test_a_finished_part_is_known_again(finished):
    assert is_finished(*finished)


def test_a_part_of_a_file_that_has_changed_is_not(finished):
    finished[0].write_text("another")
    assert not is_finished(*finished)


@pytest.mark.parametrize("change", [Path.unlink, lambda path: path.write_text("changed")])
def test_a_part_that_is_gone_or_was_changed_is_not(finished, change):
    change(finished[1])
    assert not is_finished(*finished)


@pytest.mark.parametrize(
    ("other", "what"),
    [({"grammar": "abd"}, "grammar"), ({"set_of_options": {"decode": "mbr"}}, "set of options")],
)
def test_what_others_have_made_is_refused_or_forgotten(finished, other, what):
    with pytest.raises(DepinduceError, match=f"parsed with another {what}. Choose another -o.* --overwrite"):
        is_finished(*finished, about=ABOUT | other)
    assert not is_finished(*finished, about=ABOUT | other, overwrite=True)


def test_a_file_that_nobody_knows_is_not_replaced(files):
    files[1].write_text("precious")
    with pytest.raises(DepinduceError, match="written: is there, and was not written by such a parse"):
        is_finished(*files)
    assert not is_finished(*files, overwrite=True)


def test_damaged_lines_and_one_that_was_cut_off_do_not_count(finished):
    path = finished[1].parent / PARTS / FINISHED
    whole = path.read_bytes()
    path.write_bytes(b"\xff\n[1]\n{}\n" + whole[:-1])
    assert not is_finished(*finished)
    path.write_bytes(b"\xff\n[1]\n{}\n" + whole)
    assert is_finished(*finished)


def test_two_parses_into_one_directory_are_refused(files, monkeypatch):
    monkeypatch.setattr("depinduce.files.PATIENCE", 0.0)
    place = files[1].parent / PARTS
    place.mkdir()
    with another_process(ONLY_WRITER, place), pytest.raises(DepinduceError, match="another parse is writing there"):
        is_finished(*files)


def test_the_parse_of_another_file_of_that_name_is_not_replaced(files, tmp_path):
    source, written = files
    with open_ledger(written.parent, ABOUT, {str(source): written}, overwrite=False) as ledger:
        written.write_text("written")
        ledger.add(written.name, source, identity_of(source), written, {})
    other = tmp_path / "elsewhere"
    with (
        pytest.raises(DepinduceError, match=f"is the parse of {source}, and would be that of {other}"),
        open_ledger(written.parent, ABOUT, {str(other): written}, overwrite=False),
    ):
        pass
    with open_ledger(written.parent, ABOUT, {str(other): written}, overwrite=True):
        pass
    with open_ledger(written.parent, ABOUT, {str(source): written}, overwrite=False):
        pass
