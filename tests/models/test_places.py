"""Which directories are ours: those of models and trainings, also half-written ones, and nothing that users made."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from learning.tagged import random_sentences, tagged

from depinduce.errors import DepinduceError
from depinduce.files import write_file
from depinduce.learning.run import Run
from depinduce.learning.settings.configuration import configure
from depinduce.models.loading import load_model
from depinduce.models.places import clear_left_behind, kept_rounds, require_place_for_model

LEFT = {  # by kills of this version and, after the bar, of 0.1.0
    ".lock": b"", ".checkpoint.safetensors.0f1e2d3c.depinduce": b"half", ".config.toml.0f1e2d3c.depinduce": b"half",
    ".model.0f1e2d3c.depinduce/model.json": b"half", ".model.0f1e2d3c.displaced/model.json": b"old",
    ".tmpaB3dE9": b"half", ".checkpoint.safetensors.x1y2z3a4": b"half", ".model.x1y2z3a4/model.json": b"half",
    ".model.old.x1y2z3a4/model/model.json": b"old",
}  # fmt: skip


def put(folder: Path, contents: dict[str, bytes]) -> None:
    for name, content in contents.items():
        write_file(folder / name, content)


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    """The directory of a training."""
    directory = tmp_path_factory.mktemp("places") / "run"
    Run(configure({"iterations": 1}), tagged(*random_sentences(3)), None, directory).go()
    return directory


@pytest.mark.parametrize("only", [None, "config.toml", "checkpoint.safetensors", "model", "nothing"])
def test_what_a_killed_training_left_is_ours_and_is_cleared(only, run, tmp_path):
    place = shutil.copytree(run, tmp_path / "run")
    for path in place.iterdir():
        if only is not None and path.name != only:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    put(place, LEFT)
    require_place_for_model(place)
    clear_left_behind(place)
    own = {path.name for path in run.iterdir()} if only is None else {only} - {"nothing"}
    if only not in (None, "model"):
        own.add("model")  # it was displaced when the process was killed
    assert {path.name for path in place.iterdir()} == {".lock"} | own


@pytest.mark.parametrize("seed", ["seed-0", "seed-17"])
def test_a_training_of_seeds_is_ours(seed, run, tmp_path):
    shutil.copytree(run, tmp_path / seed)
    (tmp_path / "seed-3").mkdir()
    put(tmp_path, LEFT)
    require_place_for_model(tmp_path)


@pytest.mark.parametrize(
    "own",
    [
        {"config.toml": b'title = "my page"\n'},
        {"config.toml": b'model = "resnet"\n', "metrics.jsonl": b"{}\n"},
        {"config.toml": b"\xff"},
        {"config.toml": b"model = [[1]]"},
        {"model.safetensors": b"of another library"},
        {"model/model.json": b'{"layers": 3}'},
        {"checkpoint.safetensors": b"of another library"},
        {"lexicon.json": b"[]"},
        {"seed-0/metrics.jsonl": b"{}\n"},
        {".tmpaB3dE9x": b"not that library's"},
        {".model.0f1e2d3c.depinduce": b"ours", "notes.txt": b"not ours"},
    ],
    ids=lambda own: " ".join(own),
)
def test_what_a_user_made_is_not_ours_though_its_name_could_be(own, tmp_path):
    put(tmp_path, own)
    with pytest.raises(DepinduceError, match="this is not a model and is not replaced"):
        require_place_for_model(tmp_path)


def test_a_model_that_made_room_for_one_that_never_came_is_read(run, tmp_path):
    place = shutil.copytree(run, tmp_path / "run")
    (place / "model").rename(place / ".model.0f1e2d3c.displaced")
    assert load_model(place).history == load_model(run).history
    assert {path.name for path in place.iterdir()} == {path.name for path in run.iterdir()}


def test_a_name_that_is_too_long_has_kept_no_rounds(tmp_path):
    assert kept_rounds(tmp_path / ("seed-" + "1" * 300)) == []
