"""`check`, and whatever reads CoNLL-U, names the command for a file that is something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from depinduce.corpus import read_sentences
from depinduce.errors import InputError

BROUGHT = Path(__file__).parent.parent / "brought"
COMMANDS = {
    "underscores.txt": "tagged",
    "bars.txt": "tagged",
    "no-boundaries.tsv": "tagged",
    "numbered.tsv": "table",
    "spreadsheet.csv": "table",
    "story.flextext": "flextext",
    "recording.eaf": "elan",
}


def refused(path) -> str:
    with pytest.raises(InputError) as refusal:
        list(read_sentences(path))
    return str(refusal.value)


@pytest.mark.parametrize(("name", "command"), COMMANDS.items())
@pytest.mark.parametrize("renamed", [False, True])
def test_the_command_for_every_format(name, command, renamed, tmp_path):
    path = BROUGHT / name
    if renamed:
        path = tmp_path / "words"
        path.write_bytes((BROUGHT / name).read_bytes())
    assert f"Make a CoNLL-U file of it: depinduce convert {command} FILE -o corpus.conllu." in refused(path)


def test_every_file_has_its_command():
    assert sorted(COMMANDS) == sorted(path.name for path in BROUGHT.iterdir())


def test_files_that_are_no_text(tmp_path):
    (tmp_path / "a").write_bytes(b"x\x9c\xff\xff")
    assert "depinduce convert spacy" in refused(tmp_path / "a")
    (tmp_path / "a").write_bytes(b"PK\x03\x04\xff\xff")
    assert "Save its table of words as CSV" in refused(tmp_path / "a")
