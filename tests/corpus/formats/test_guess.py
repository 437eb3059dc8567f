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


@pytest.mark.parametrize(
    "text",
    [
        "The dog barks .\n",
        "It is late , and the dogs of the neighbours bark at the moon as they always do .\nGo home .\n",
        "1. The dog barks , which nobody\ncan hear .\n",
        "\ufeff(So they say .)\n",
    ],
)
def test_text_without_tags(text, tmp_path):
    (tmp_path / "a").write_text(text, encoding="utf-8")
    told = refused(tmp_path / "a")
    assert "depinduce convert plain FILE -o corpus.conllu" in told
    assert "depinduce tag" in told


@pytest.mark.parametrize("text", ["( (S \n    (NP-SBJ (DT The) (NN dog) )\n", "(S (NP (DT The) (NN dog)))\n"])
def test_trees_in_brackets(text, tmp_path):
    (tmp_path / "a").write_text(text)
    assert "depinduce convert ptb" in refused(tmp_path / "a")


@pytest.mark.parametrize("text", ["1 dogs dog NOUN\n", '{"word": "dogs"}\n', "dogs\n", "text = Dogs\n1\tdogs\n"])
def test_what_could_be_anything_is_no_text_without_tags(text, tmp_path):
    (tmp_path / "a").write_text(text)
    assert "convert" not in refused(tmp_path / "a")


def test_files_that_are_no_text(tmp_path):
    (tmp_path / "a").write_bytes(b"x\x9c\xff\xff")
    assert "depinduce convert spacy" in refused(tmp_path / "a")
    (tmp_path / "a").write_bytes(b"PK\x03\x04\xff\xff")
    assert "Save its table of words as CSV" in refused(tmp_path / "a")
