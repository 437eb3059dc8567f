"""Words, tags, comments and file names with control characters: no command lets them reach a terminal or a page."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from cli.demo_parts import depinduce
from corpus.blocks import block, write

HOSTILE = "\x1b]0;own\x07\u202e\x9b"
SHOWN = "␛]0;own␇<U+202E><U+009B>"
HIDDEN = set("\x1b\x07\u202e\x9b")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A file whose words, tags and comments are hostile, as is its name, and a grammar of it."""
    folder = tmp_path_factory.mktemp("hostile")
    sentence = block(f"the{HOSTILE}/DET{HOSTILE} dog/NOUN barks/VERB", [2, 3, 0])
    path = write(folder / f"{HOSTILE}.conllu".replace("/", ""), f"# sent_id = s{HOSTILE}\n" + sentence)
    assert depinduce("train", "--train", path, "--model", "dmv", "--iterations", 2, "--out", folder / HOSTILE) == 0
    return folder


def run(capsys, *arguments: object, code: int = 0) -> str:
    """What a command shows on both of its streams."""
    assert depinduce(*arguments) == code
    shown = capsys.readouterr()
    return shown.out + shown.err


def test_text_for_people_shows_signs(folder, capsys):
    path = folder / f"{HOSTILE}.conllu"
    for command in (
        ["check", path],
        ["draw", path],
        ["inspect", folder / HOSTILE],
        ["draw", path, "--sent-id", HOSTILE],
    ):
        text = run(capsys, *command, code=int("--sent-id" in command))
        assert SHOWN in text, command
        assert not HIDDEN & set(text), command


def test_unknown_tags_and_places_are_warned_of_in_signs(folder, tmp_path, capsys):
    other = write(tmp_path / "other.conllu", block(f"a/X{HOSTILE} b/NOUN"))
    text = run(capsys, "parse", folder / HOSTILE, other, "-o", tmp_path / f"out{HOSTILE}.conllu")
    assert f"X{SHOWN}" in text
    assert not HIDDEN & set(text)
    text = run(capsys, "check", tmp_path / f"nowhere{HOSTILE}.conllu", code=1)
    assert f"nowhere{SHOWN}" in text
    assert not HIDDEN & set(text)


def test_pictures_and_pages_show_signs(folder, tmp_path, capsys):
    path = folder / f"{HOSTILE}.conllu"
    run(capsys, "draw", path, "-o", tmp_path / "tree.svg")
    run(capsys, "draw", path, "-o", tmp_path / "trees.html")
    run(capsys, "report", folder / HOSTILE, "--gold", path, "-o", tmp_path / "report.html")
    for name in ("tree.svg", "trees.html", "report.html"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert SHOWN.replace("<", "&lt;").replace(">", "&gt;") in text, name
        assert not HIDDEN & set(text), name
    ElementTree.parse(tmp_path / "tree.svg")


def test_conllu_keeps_every_byte_but_the_tree(folder, tmp_path, capsys):
    path, out = folder / f"{HOSTILE}.conllu", tmp_path / "out.conllu"
    run(capsys, "parse", folder / HOSTILE, path, "-o", out)
    columns = [line.split("\t") for line in out.read_text(encoding="utf-8").split("\n")]
    given = [line.split("\t") for line in path.read_text(encoding="utf-8").split("\n")]
    assert [line[:6] + line[9:] for line in columns] == [line[:6] + line[9:] for line in given]
