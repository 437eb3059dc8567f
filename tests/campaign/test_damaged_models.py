"""Models, trainings and settings that are damaged: a clear refusal, or the same as before; never anything else."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from campaign.mutations import damaged
from campaign.trainings_to_kill import TRAININGS, make_corpus
from cli.demo_parts import contents, depinduce
from experiments.tiny_ud import made_up_cell

from depinduce import Parser
from depinduce.corpus import read_sentences
from depinduce.errors import DepinduceError
from depinduce.experiments.experiment import Cell
from depinduce.experiments.kept_cells import keep, kept
from depinduce.learning.lesson import Lesson
from depinduce.learning.settings.configuration import configure
from depinduce.learning.settings.recipes import configure_with_recipe
from depinduce.report.run_report.place import open_place
from depinduce.settings import read_toml

pytestmark = [pytest.mark.campaign, pytest.mark.filterwarnings("ignore")]

BEFORE = Path(__file__).parents[1] / "models" / "version-0.1.0"
REFUSED = "refused"


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> Path:
    """Trainings of several kinds, with their corpus."""
    folder = tmp_path_factory.mktemp("damaged")
    trainings = make_corpus(folder)
    for name in TRAININGS:
        assert depinduce(*trainings.options(name, folder / name)) == 0
    return folder


def outcome(work: Callable[[], object]) -> object:
    """What comes out, or that it was refused; every other exception is a failure of the test."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return work()
    except DepinduceError:
        return REFUSED


def damage_one_file(folder: Path, random, kinds: tuple[str, ...] = ("",)) -> str:
    """Damage a file, or take it away, or put one of the others in its place; gives its name."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name.endswith(kinds))
    path = random.choice(files)
    how = random.random()
    if how < 0.05:
        path.unlink()
    elif how < 0.1:
        path.write_bytes(random.choice(files).read_bytes())
    else:
        path.write_bytes(damaged(path.read_bytes(), random))
    return str(path.relative_to(folder))


def test_a_damaged_model_is_refused_or_gives_the_same_trees(campaign, runs, tmp_path):
    sentences = list(read_sentences(runs / "train.conllu"))[:8]

    def trees(place: Path) -> object:
        return [(parse.heads, round(parse.log_likelihood, 9)) for parse in Parser.load(place).parse(sentences)]

    expected = {name: trees(runs / name) for name in TRAININGS}
    for random in campaign:
        name = random.choice(list(TRAININGS))
        place = shutil.copytree(runs / name / "model", tmp_path / f"{campaign.tries}")
        print(f"try {campaign.tries}: {name}, {damage_one_file(place, random)}")
        found = outcome(lambda place=place: trees(place))
        assert found in (REFUSED, expected[name])
        campaign.counts["refused" if found == REFUSED else "the same"] += 1
        shutil.rmtree(place)


def test_a_damaged_model_of_version_0_1_is_refused_or_gives_trees(campaign, tmp_path):
    """It has no digests, so that other trees may go unnoticed; but these are trees."""
    sentences, names = (
        list(read_sentences(BEFORE / "dev.conllu"))[:8],
        ("dmv", "hdp-dep", "hdp-words", "lexical", "joint"),
    )

    def roots(place: Path) -> object:
        return [parse.heads.count(0) for parse in Parser.load(place).parse(sentences)]

    for random in campaign:
        name = random.choice(names)
        place = shutil.copytree(BEFORE / name, tmp_path / f"{campaign.tries}")
        print(f"try {campaign.tries}: {name}, {damage_one_file(place, random, ('.json', 'model.safetensors'))}")
        found = outcome(lambda place=place: roots(place))
        assert found in (REFUSED, [1] * len(sentences))
        campaign.counts["refused" if found == REFUSED else "read"] += 1
        shutil.rmtree(place)


def test_a_damaged_training_is_refused_or_goes_on_to_the_same_model(campaign, runs, tmp_path):
    def resumed(name: str, place: Path) -> object:
        configuration = configure(read_toml(runs / name / "config.toml"))
        lesson = Lesson.of(configuration, [runs / "train.conllu"], quiet=True)
        lesson.run(place, resume=True).go()
        return contents(place / "model")

    expected = {name: contents(runs / name / "model") for name in TRAININGS}
    for random in campaign:
        name = random.choice(list(TRAININGS))
        place = shutil.copytree(runs / name, tmp_path / f"{campaign.tries}")
        what = damage_one_file(place, random, ("checkpoint.safetensors", "config.toml", "metrics.jsonl"))
        print(f"try {campaign.tries}: {name}, {what}")
        found = outcome(lambda name=name, place=place: resumed(name, place))
        assert found in (REFUSED, expected[name])
        campaign.counts["refused" if found == REFUSED else "the same"] += 1
        shutil.rmtree(place)


def test_damaged_settings_are_refused_or_are_settings(campaign, runs, tmp_path):
    for random in campaign:
        text = (runs / random.choice(list(TRAININGS)) / "config.toml").read_bytes()
        (tmp_path / "recipe.toml").write_bytes(damaged(text, random))
        found = outcome(lambda: configure_with_recipe(str(tmp_path / "recipe.toml"), {}))
        campaign.counts["refused" if found == REFUSED else "read"] += 1


def test_damaged_summaries_and_results_are_refused_or_read(campaign, tmp_path):
    cell = Cell("ndmv", "fr", 0)
    keep(cell, made_up_cell("ndmv", "fr", 0, 60.0), tmp_path / "results")
    seeds, results = BEFORE / "seeds", (tmp_path / "results" / "cells.jsonl").read_bytes()
    for random in campaign:
        place = shutil.copytree(seeds, tmp_path / f"{campaign.tries}")
        damage_one_file(place, random, ("seeds.json", "metrics.jsonl"))
        (tmp_path / "results" / "cells.jsonl").write_bytes(damaged(results, random))
        found = [outcome(lambda place=place: open_place(place)), outcome(lambda: kept([cell], tmp_path / "results"))]
        campaign.counts["refused"] += found.count(REFUSED)
        shutil.rmtree(place)
