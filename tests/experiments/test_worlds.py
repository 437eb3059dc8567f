"""Folders of texts make worlds that never mix, and a language is left out under all its names."""

from __future__ import annotations

from pathlib import Path

import pytest
from experiments.tiny_worlds import tiny_worlds

from depinduce.errors import DepinduceError
from depinduce.experiments.worlds import read_worlds


@pytest.fixture
def folders(tmp_path) -> list[str]:
    return tiny_worlds(tmp_path)


def text_of(folder: Path, language: str, name: str = "train.conllu") -> Path:
    path = folder / language / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("1\ta\t_\tNOUN\t_\t_\t_\t_\t_\t_\n\n", encoding="utf-8")
    return path


def test_folders_are_told_apart_by_the_names_of_their_texts(folders):
    worlds = read_worlds(folders)
    assert {name: world.languages for name, world in worlds.items()} == {
        "ud1": ("fr", "pl", "ru", "xx"),
        "ud2": ("ja", "xx"),
    }
    assert list(read_worlds(folders[1:])) == ["ud2"]


def test_folders_of_one_world_are_one_pool_in_which_a_language_is_there_once(folders, tmp_path):
    again, new = text_of(tmp_path / "more", "fr"), text_of(tmp_path / "more", "ar")
    world = read_worlds([*folders, str(tmp_path / "more")])["ud1"]
    assert world.languages == ("fr", "pl", "ru", "xx", "ar")
    assert world.texts["fr"] == [f"{folders[0]}/fr/train.conllu", str(again)]
    assert world.texts["ar"] == [str(new)]


def test_a_folder_of_both_worlds_is_refused(tmp_path):
    text_of(tmp_path, "fr")
    text_of(tmp_path, "pl", "text.conllu")
    with pytest.raises(DepinduceError, match="never pooled: put them into two folders"):
        read_worlds([str(tmp_path)])


def test_one_language_is_no_pool(tmp_path):
    text_of(tmp_path, "fr")
    with pytest.raises(DepinduceError, match="UD 1.4 has one language only, fr. Name two"):
        read_worlds([str(tmp_path)])


def test_a_folder_that_is_not_there_is_told_with_the_option(tmp_path):
    with pytest.raises(DepinduceError, match="--data .*nowhere: there is no such folder"):
        read_worlds([str(tmp_path / "nowhere")])


def test_a_language_is_left_out_under_all_its_names(tmp_path):
    for name in ("ja", "ja_ktc", "jav", "fr"):
        text_of(tmp_path, name)
    world = read_worlds([str(tmp_path)])["ud1"]
    assert world.without("ja") == world.without("ja_ktc") == ("fr", "jav")
    assert world.without("fr") == ("ja", "ja_ktc", "jav")


def test_trees_are_found_where_there_are_any(folders):
    world = read_worlds(folders)["ud1"]
    assert world.trees("fr", "test") == Path(folders[0]) / "fr" / "test.conllu"
    assert world.trees("ru", "test") is None
    assert world.trees("nobody", "dev") is None


def test_a_digest_tells_texts_and_languages_apart(folders, tmp_path):
    worlds = [read_worlds(folders)["ud1"], read_worlds(tiny_worlds(tmp_path / "again"))["ud1"]]
    assert len({world.digest(["fr", "pl"]) for world in worlds}) == 1
    other = tiny_worlds(tmp_path / "other")
    text_of(Path(other[0]), "pl")
    changed = read_worlds(other)["ud1"]
    assert changed.digest(["fr"]) == worlds[0].digest(["fr"])
    assert len({changed.digest(["fr", "pl"]), worlds[0].digest(["fr", "pl"]), worlds[0].digest(["fr"])}) == 3
