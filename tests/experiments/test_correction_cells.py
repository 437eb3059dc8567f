"""Cells that learn from some trees: which are drawn, which are scored, and what stands beside them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from cli.demo_parts import demo_part, depinduce, without_heads

from depinduce.corpus import read_sentences
from depinduce.errors import DepinduceError
from depinduce.experiments import correction_cells, corrections
from depinduce.experiments.cells import run_cell
from depinduce.experiments.correction_cells import drawn_trees, possible, texts_of, work_of
from depinduce.experiments.correction_tables import correction_figure, correction_tables
from depinduce.experiments.corrections import CORRECTIONS, DRAWS, RUNS, TREES, name_of
from depinduce.experiments.experiment import Cell
from depinduce.experiments.results import Results, knowledge
from depinduce.experiments.suites import EXPERIMENTS, plan


@pytest.fixture
def folders(tmp_path, monkeypatch) -> list[str]:
    """French has trees in its training file, Russian in dev only; a recipe that takes no time."""
    for name, split, count in (("a/fr", "train", 60), ("b/ru", "train", 60)):
        (tmp_path / name).mkdir(parents=True)
        text = demo_part(tmp_path / name / "train.conllu", split, count).read_text("utf-8")
        demo_part(tmp_path / name / "dev.conllu", "test", 40)
        if name == "b/ru":
            (tmp_path / name / "train.conllu").write_text(without_heads(text), "utf-8")
    monkeypatch.setattr(correction_cells, "POOL", 30)
    for name, experiment in CORRECTIONS.items():
        small = replace(experiment, recipe=None, changes={"model": "dmv", "iterations": 2, "non_heads": ("ud",)})
        monkeypatch.setitem(EXPERIMENTS, name, small)
    return [str(tmp_path / "a"), str(tmp_path / "b")]


def run_all(cells: list[Cell], folders: list[str], out: Path) -> list[dict]:
    work = work_of(cells, texts_of(folders), out)
    return [run_cell(task) for task in work.tasks]


def test_scored_sentences_are_never_drawn(folders):
    texts = texts_of(folders)
    pool, scored = texts["fr"].parted()
    assert (len(pool), len(scored)) == (60, 40)
    pool, scored = texts["ru"].parted()
    assert (len(pool), len(scored)) == (30, 10)
    everything = [sentence.render() for sentence in read_sentences(texts["ru"].dev)]
    assert sorted(one.render() for one in (*pool, *scored)) == sorted(everything)
    assert pool[0].heads == drawn_trees(pool, 30, 0)[0].heads


def test_draws_differ_and_a_smaller_one_is_part_of_a_larger(folders):
    pool, _ = texts_of(folders)["fr"].parted()
    small, large, other = (drawn_trees(pool, number, draw) for number, draw in ((5, 0), (20, 0), (5, 1)))
    assert {id(one) for one in small} < {id(one) for one in large} and len(large) == 20
    assert {id(one) for one in small} != {id(one) for one in other}


def test_three_seeds_of_three_draws_and_of_the_whole_pool_one():
    cells = plan(CORRECTIONS, ["fr", "ru"], RUNS)
    texts = {"fr": None, "ru": None}
    count = {
        (name, language): sum((cell.experiment, cell.language) == (name, language) for cell in possible(cells, texts))
        for name in ("ud-sibling-0", "adapt-100", "adapt-300", "adapt-300-alone")
        for language in texts
    }
    assert count == {
        ("ud-sibling-0", "fr"): 3, ("ud-sibling-0", "ru"): 3, ("adapt-100", "fr"): 9, ("adapt-100", "ru"): 9,
        ("adapt-300", "fr"): 9, ("adapt-300", "ru"): 3, ("adapt-300-alone", "fr"): 9, ("adapt-300-alone", "ru"): 3,
    }  # fmt: skip
    experiment = CORRECTIONS["adapt-100"]
    assert {(experiment.configuration(n).learning.seed, experiment.draw(n)) for n in range(RUNS)} == {
        (seed, draw) for seed in range(3) for draw in range(DRAWS)
    }
    assert {cell.split for cell in cells} == {"dev"}


def test_cells_say_what_they_were_shown_and_tables_set_them_side_by_side(folders, tmp_path):
    names = [name_of("adapt", trees, text) for trees, text in ((0, True), (10, True), (10, False))]
    cells = [Cell(name, language, 0, "dev") for name in names for language in ("fr", "ru")]
    found = run_all(cells, folders, tmp_path / "out")
    shown = [
        (one["training_data"]["sentences"], one["training_data"].get("trees", {}).get("sentences")) for one in found
    ]
    assert shown == [(60, None), (60, None), (60, 10), (70, 10), (10, 10), (10, 10)]
    assert "10 gold trees and no other text" in knowledge("adapt-10-alone")
    results = Results.read(tmp_path / "out", ["fr", "ru"], RUNS, "dev", "corrections")
    rows = {row[0]: row[1:] for row in correction_tables(results)[0].table.rows}
    mean = [result["scores"]["mbr"]["15"] for result in found[2:4]]
    assert rows["10 trees"][-1].startswith(f"{sum(mean) / 2:.1f}") and f"{TREES[-1]} trees" not in rows
    gains = {row[0]: row[1:] for row in correction_tables(results)[-1].table.rows}
    short = [one["scores"]["mbr"]["15"] for one in found]
    over = [short[2] - short[0], short[3] - short[1]]
    assert gains["10 trees and text, over text alone"] == [
        *(f"{gain:+.1f} ± 0.0" for gain in over),
        f"{sum(over) / 2:+.1f}",
    ]
    assert set(gains) == {f"10 trees and text, over {what} alone" for what in ("text", "trees")}
    (picture,) = correction_figure(results).values()
    assert picture.count("<circle") == 1 and "adapt, trees alone" in picture and ">300<" in picture


def test_a_cell_that_needs_the_own_grammar_of_another_comes_after_it(folders, tmp_path):
    names = ["adapt-10", "adapt-10-alone", "ud-sibling-10-alone", "ud-sibling-10", "ud-sibling-30"]
    cells = [Cell(name, "fr", 4, "dev") for name in names]
    for cell in cells:
        recipe = CORRECTIONS[cell.experiment].recipe
        EXPERIMENTS[cell.experiment] = replace(EXPERIMENTS[cell.experiment], recipe=recipe, changes={})
    work = work_of(cells, texts_of(folders), tmp_path / "out")
    assert work.needs == [[3], [], [], [], []]
    assert work.tasks[0].own == work.tasks[3].own != work.tasks[4].own and work.tasks[1].own is None


@pytest.mark.slow
def test_the_command(folders, tmp_path, capsys):
    command = [
        "reproduce",
        "corrections",
        "--languages",
        "fr",
        "--data",
        *folders,
        "--out",
        tmp_path / "out",
        "--seeds",
        "1",
    ]
    assert depinduce(*command, "--experiments", "adapt-0", "adapt-10", "--jobs", "1") == 0
    assert (tmp_path / "out" / "corrections.svg").exists()
    with pytest.raises(DepinduceError, match="none of fr pl eu ru ar ja"):
        texts_of([str(tmp_path)])
    assert corrections.LANGUAGES == ("fr", "pl", "eu", "ru", "ar", "ja")
