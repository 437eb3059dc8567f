"""Grammars that cells share: each is made once, before whoever needs it, and is what one training would give."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from cli.demo_parts import contents
from experiments.tiny_worlds import run_all, shrink_worlds, tiny_worlds, write_part

from depinduce.experiments.cells import code_fingerprint
from depinduce.experiments.experiment import Cell
from depinduce.experiments.parts import OWN, UNIVERSAL, Part, Shelf, parts_of, settings_of
from depinduce.experiments.polyglot import OF_WORLD
from depinduce.experiments.polyglot_cells import run_task, work_of
from depinduce.experiments.suites import EXPERIMENTS
from depinduce.experiments.worlds import read_worlds
from depinduce.learning.ladder import by_recipe
from depinduce.learning.lesson import Lesson
from depinduce.models.loading import load_model


@pytest.fixture
def folders(tmp_path, monkeypatch) -> list[str]:
    shrink_worlds(monkeypatch, tmp_path)
    return tiny_worlds(tmp_path / "data")


ALL = ("fr", "pl", "ru", "xx")


def test_a_cell_needs_its_own_grammar_or_the_universal_one_of_its_pool(folders):
    worlds = read_worlds(folders)
    assert parts_of(Cell("own", "fr", 3), worlds) == (Part("ud1", OWN, ("fr",), 3),)
    assert parts_of(Cell("order-free", "fr", 0), worlds) == (Part("ud1", UNIVERSAL, ALL, 0),)
    assert parts_of(Cell("more-order-free", "ru", 0, "dev"), worlds) == parts_of(Cell("order-free", "fr", 0), worlds)
    others, polish = Part("ud1", UNIVERSAL, ("fr", "ru", "xx"), 1), Part("ud1", OWN, ("pl",), 1)
    for name in ("out-universal", "out-order-free"):
        assert parts_of(Cell(name, "pl", 1), worlds) == (others,)
    assert parts_of(Cell("out-adapt", "pl", 1), worlds) == (others, polish)
    assert parts_of(Cell("adapt", "pl", 1), worlds) == (Part("ud1", UNIVERSAL, ALL, 1), polish)
    assert parts_of(Cell("ud2-out-adapt-10", "ja", 0, "dev"), worlds) == (Part("ud2", UNIVERSAL, ("xx",), 0),)


def test_every_grammar_comes_once_and_after_those_that_it_is_made_of(folders, tmp_path):
    shelf = Shelf(read_worlds(folders), tmp_path / "out", "this code")
    pool, smaller = Part("ud1", UNIVERSAL, ALL, 0), Part("ud1", UNIVERSAL, ALL[1:], 0)
    own = [Part("ud1", OWN, (language,), 0) for language in ALL]
    assert shelf.missing([own[1], smaller, pool, pool]) == [own[1], own[2], own[3], smaller, own[0], pool]


def test_what_is_made_is_not_made_again_unless_something_has_changed(folders, tmp_path, monkeypatch):
    out = tmp_path / "out"
    run_all([Cell("own", "fr", 0)], folders, out)
    other = tiny_worlds(tmp_path / "other")
    write_part(Path(other[0]) / "fr" / "train.conllu", "train", 40, 12)
    worlds, code = read_worlds(folders), code_fingerprint()
    french, polish, another_seed = (Part("ud1", OWN, (name,), seed) for name, seed in (("fr", 0), ("pl", 0), ("fr", 1)))
    assert Shelf(worlds, out, code).missing([french, polish, another_seed]) == [polish, another_seed]
    assert Shelf(worlds, out, "another state").missing([french]) == [french]
    assert Shelf(read_worlds(other), out, code).missing([french]) == [french]
    monkeypatch.setitem(EXPERIMENTS, "own", replace(EXPERIMENTS["own"], changes={"epochs": 3}))
    assert Shelf(worlds, out, code).missing([french]) == [french]


def test_what_another_command_has_made_in_the_meantime_is_not_made_again(folders, tmp_path):
    work = work_of([Cell("own", "fr", 0)], read_worlds(folders), tmp_path / "out")
    run_task(work.tasks[0])
    before = contents(tmp_path / "out")
    run_task(work.tasks[0])
    assert contents(tmp_path / "out") == before  # the seconds that it took, too


def test_a_universal_grammar_from_shared_ones_is_that_of_one_training(folders, tmp_path):
    run_all([Cell("order-free", "fr", 1)], folders, tmp_path / "out")
    (place,) = (tmp_path / "out" / "shared").glob("universal-grammar-*")
    made = load_model(place)
    configuration = EXPERIMENTS["order-free"].configuration(1)
    at_once, _ = Lesson.of(configuration, read_worlds(folders)["ud1"].texts, quiet=True).run().go()
    made.save(tmp_path / "made")
    at_once.save(tmp_path / "at_once")
    numbers = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("made", "at_once")]
    assert numbers[0] == numbers[1]
    assert made.history["settings"] == at_once.history["settings"]
    assert made.history["seconds"] > 0


@pytest.mark.parametrize("world", ["ud1", "ud2"])
def test_own_grammars_have_the_settings_that_the_other_recipes_give_them(world):
    own = settings_of(Part(world, OWN, ("fr",), 4))
    for name, option in (("order-free", "init"), ("adapt", "own_recipe")):
        configuration = EXPERIMENTS[OF_WORLD[world] + name].configuration(4)
        named = getattr(configuration.learning, option)
        recipe = named if isinstance(named, str) else named[-1]
        assert by_recipe(recipe, option, configuration).values() == own
