"""`depinduce train --cache` learns from files what it learns from memory."""

from __future__ import annotations

import pytest
from cli.demo_parts import contents, demo_part, depinduce

from depinduce.corpus import encoded
from depinduce.models.places import INNER


@pytest.mark.parametrize(
    "options",
    [
        ("--model", "dmv", "--iterations", 3, "--non-heads", "ud"),
        pytest.param(
            ("--model", "sibling", "--epochs", 1, "--set", "size=10", "start_epochs=1"), marks=pytest.mark.slow
        ),
    ],
)
def test_what_is_kept_in_files_is_learned_from_like_what_is_in_memory(options, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(encoded, "_AT_ONCE", 7)
    train, cache = demo_part(tmp_path / "train.conllu", count=40), tmp_path / "cache"
    for out, more in (("memory", ()), ("files", ("--cache", cache)), ("again", ("--cache", cache))):
        if out == "again":
            monkeypatch.setattr(encoded, "encode_part", None)  # nothing is read any more
        assert depinduce("train", "--train", train, *options, "--out", tmp_path / out, *more) == 0
    one, two, three = (contents(tmp_path / out / INNER) for out in ("memory", "files", "again"))
    assert one == two == three
    (kept,) = cache.iterdir()
    assert {path.suffix for path in kept.iterdir()} == {".npy", ".json"}


@pytest.mark.parametrize(
    ("options", "message"),
    [(("--seeds", "0-1"), "--cache and --seeds"), (("--recipe", "adapt"), "--cache is for text alone")],
)
def test_what_cannot_be_kept_is_refused(options, message, tmp_path, capsys):
    train = demo_part(tmp_path / "train.conllu", count=40)
    place = ("--out", tmp_path / "out", "--cache", tmp_path / "cache")
    assert depinduce("train", "--train", train, *options, *place) == 1
    assert message in capsys.readouterr().err
