"""Grammars go to a model hub as they were packed, and only if somebody says so. The hub here is a folder."""

from __future__ import annotations

import inspect
import shutil
import sys
from pathlib import Path

import pytest
from cli.demo_parts import depinduce

from depinduce import Parser
from depinduce.bridges.hub import upload
from depinduce.corpus.demo import demo_file
from depinduce.errors import DepinduceError


class Hub:
    """A stand-in for the library: its repositories are folders. Calls are those that the real one takes."""

    def __init__(self, place: Path, fault: Exception | None = None):
        self.place, self.fault, self.private = place, fault, {}

    def HfApi(self, library_name: str) -> Hub:  # noqa: N802
        return self

    def create_repo(self, repo_id: str, *, private: bool | None = None, exist_ok: bool = False) -> str:
        if self.fault is not None:
            raise self.fault
        assert exist_ok or not (self.place / repo_id).exists()
        self.private.setdefault(repo_id, private)
        (self.place / repo_id).mkdir(parents=True, exist_ok=True)
        return f"https://hub.example/{repo_id}"

    def upload_folder(self, *, repo_id: str, folder_path: str | Path, commit_message: str | None = None) -> None:
        shutil.copytree(folder_path, self.place / repo_id, dirs_exist_ok=True)


@pytest.fixture(scope="module")
def grammar(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("grammar") / "grammar"
    Parser.train(demo_file("train"), model="dmv", iterations=1, out=place)
    return place


@pytest.fixture
def hub(tmp_path, monkeypatch) -> Hub:
    hub = Hub(tmp_path / "hub")
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    return hub


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_was_uploaded_is_what_was_packed_and_can_be_loaded_again(grammar, hub, tmp_path, capsys):
    out = tmp_path / "packed"
    assert depinduce("pack", grammar, out, "--licence", "MIT", "--upload", "user/tiny") == 0
    assert "uploaded to https://hub.example/user/tiny" in capsys.readouterr().err
    assert files(hub.place / "user" / "tiny") == files(out)
    assert {"README.md", "config.json", "model.json", "model.safetensors"} <= set(files(out))
    sentence = ["the/DET dog/NOUN barks/VERB"]
    again = Parser.load(hub.place / "user" / "tiny").parse(sentence)
    assert again[0].heads == Parser.load(grammar).parse(sentence)[0].heads
    assert not hub.private["user/tiny"]


def test_it_can_be_uploaded_again_and_only_for_oneself(grammar, hub, tmp_path, capsys):
    options = ("--licence", "MIT", "--upload", "user/tiny", "--private")
    assert depinduce("pack", grammar, tmp_path / "packed", *options) == 0
    assert depinduce("pack", grammar, tmp_path / "packed", *options, "--name", "Tiny", "--overwrite") == 0
    assert b"# Tiny" in (hub.place / "user" / "tiny" / "README.md").read_bytes()
    assert hub.private["user/tiny"]


def test_without_upload_nothing_leaves(grammar, hub, tmp_path, capsys):
    assert depinduce("pack", grammar, tmp_path / "packed", "--licence", "MIT") == 0
    assert not hub.place.exists()
    assert depinduce("pack", grammar, tmp_path / "other", "--private") == 1
    assert "Name it with --upload" in capsys.readouterr().err


def test_without_the_library_it_is_said_how_to_install_it_before_anything_is_written(
    grammar, tmp_path, monkeypatch, capsys
):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    assert depinduce("pack", grammar, tmp_path / "packed", "--upload", "user/tiny") == 1
    assert "huggingface_hub, which is not installed here. Install it: pip install 'depinduce[hub]'" in (
        capsys.readouterr().err
    )
    assert not (tmp_path / "packed").exists()


def test_a_zip_file_is_not_uploaded(grammar, hub, tmp_path, capsys):
    assert depinduce("pack", grammar, tmp_path / "packed.zip", "--upload", "user/tiny") == 1
    assert "a hub shows the files of a folder" in capsys.readouterr().err
    assert not (tmp_path / "packed.zip").exists() and not hub.place.exists()


@pytest.mark.parametrize("fault", [OSError("nobody is logged in"), ValueError("no such name")])
def test_what_the_hub_refuses_stays_packed_and_it_is_said_how_to_try_again(fault, hub, tmp_path):
    hub.fault = fault
    with pytest.raises(DepinduceError) as refusal:
        upload(tmp_path, "user/tiny")
    assert f"{fault}). Log in with `hf auth login`" in str(refusal.value)
    assert f"hf upload user/tiny {tmp_path}" in str(refusal.value)


def test_the_library_takes_the_calls_of_the_stand_in():
    library = pytest.importorskip("huggingface_hub", reason="needs depinduce[hub]")
    for name in ("create_repo", "upload_folder"):
        ours, theirs = (inspect.signature(getattr(hub, name)).parameters for hub in (Hub, library.HfApi))
        assert {each: ours[each].kind for each in ours} == {each: theirs[each].kind for each in ours}, name
    library.HfApi(library_name="depinduce")
