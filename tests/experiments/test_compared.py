"""The systems that the paper compares with: which cells there are, what they start from, and what the tables say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from cli.demo_parts import depinduce
from experiments.numbered import both_lengths_of, numbered_cells
from experiments.tiny_ud import in_this_process, results_in, shrink, tiny_data
from experiments.tiny_wsj import sample

from depinduce.experiments import cells
from depinduce.experiments.cells import LOOKS, run_cell, tasks_of
from depinduce.experiments.compared import COMPARED, NO_CHANCE, OWN_START, STARTS, SYSTEMS, StartExperiment, start_name
from depinduce.experiments.compared_tables import by_language, compared_tables, overview, start_table
from depinduce.experiments.experiment import Cell
from depinduce.experiments.results import Results, paper_numbers
from depinduce.experiments.suites import EXPERIMENTS, plan
from depinduce.experiments.ud import DEVELOPMENT, LANGUAGES
from depinduce.experiments.wsj import NAME
from depinduce.learning.run import Run
from depinduce.learning.settings.configuration import configure
from depinduce.learning.settings.recipes import load_recipe
from depinduce.parsing.decoding import Parsing, parse_corpus

ON_UD = [system.experiment("ud") for system in SYSTEMS]
ON_WSJ = [system.experiment("wsj") for system in SYSTEMS]
NAMES = list(COMPARED)
SEEDS = {  # those of chance have several: random starts, batches, networks
    "DMV": 1, "LN": 1, "Shared LN": 1, "Feature DMV": 1, "PR-S": 1, "E-DMV": 5, "UR-A E-DMV": 1, "CRFAE": 5,
    "CRFAE, universal rules": 5, "variational D-NDMV": 5, "deterministic D-NDMV": 5,
}  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    return tiny_data(tmp_path_factory.mktemp("ud"))


# ---------------------------------------------------------------- which cells there are


@pytest.mark.parametrize("system", [system for system in SYSTEMS if system.quoted], ids=lambda system: system.name)
def test_every_system_is_a_row_of_the_papers_table_1(system):
    assert system.row in paper_numbers("wsj")["table1"]


def test_what_was_published_with_rules_is_quoted_beside_the_one_with_rules():
    quoted = {row[0]: row[1] for row in overview(made_up()).table.rows}
    assert quoted["CRFAE, universal rules (Cai, Jiang & Tu 2017)"] == "71.7 / 55.7"
    assert quoted["CRFAE (Cai, Jiang & Tu 2017)"] == ""


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_the_recipes_of_a_system_differ_in_data_and_constraint_but_not_in_the_model(system):
    ud, free, on_wsj = (COMPARED[name].configuration() for name in (system.experiment("ud"), system.free,
                                                                    system.experiment("wsj")))  # fmt: skip
    assert ud.learning.model == free.learning.model == on_wsj.learning.model
    assert ud.learning.non_heads == ("ud",)
    assert free.learning.non_heads == on_wsj.learning.non_heads == ()
    assert (on_wsj.reading.max_length, on_wsj.reading.tags) == (10, "xpos")
    assert (ud.reading.max_length, ud.reading.tags) == (15, "upos")


def test_no_two_systems_are_trained_alike():
    trained = [COMPARED[name].configuration().values() for name in ON_UD]
    assert all(one != other for number, one in enumerate(trained) for other in trained[:number])


def test_without_the_constraint_and_without_chance_there_is_one_seed_and_otherwise_all():
    cells = plan(NAMES, [*LANGUAGES, NAME], 5)
    seeds = {name: {cell.seed for cell in cells if cell.experiment == name} for name in NAMES}
    for system in SYSTEMS:
        assert len(seeds[system.free]) == 1
        assert len(seeds[system.experiment("ud")]) == SEEDS[system.name]
        on_wsj = 5 if system.name == "DMV" else SEEDS[system.name]  # a row of `reproduce wsj`, which has five
        assert len(seeds[system.experiment("wsj")]) == on_wsj


def test_what_is_tried_as_a_start_never_sees_test_trees_nor_languages_that_are_kept_aside():
    tried = [OWN_START, *(start_name(f"ud-{recipe}") for recipe in STARTS)]
    cells = [cell for cell in plan(NAMES, [*LANGUAGES, NAME], 5) if cell.experiment in tried]
    assert {cell.experiment for cell in cells} == set(tried)
    assert {cell.split for cell in cells} == {"dev"}
    assert {cell.language for cell in cells} == set(DEVELOPMENT)


@pytest.mark.slow
@pytest.mark.parametrize("name", [system.experiment("ud") for system in SYSTEMS if system.seeds == NO_CHANCE])
def test_another_seed_changes_nothing_where_there_is_one_seed(name, data, tmp_path, monkeypatch):
    shrink(monkeypatch)
    one, other = (run_cell(tasks_of([Cell(name, "fr", seed)], data, tmp_path)[0]) for seed in (0, 1))
    assert one["log_likelihood"] == other["log_likelihood"]


# ---------------------------------------------------------------- running them


def test_a_training_starts_from_the_trees_that_the_other_recipe_finds(data, tmp_path, monkeypatch):
    shrink(monkeypatch)
    given = []
    go = Run.go

    def remembered(run, *arguments):
        given.append(run)
        return go(run, *arguments)

    monkeypatch.setattr(Run, "go", remembered)
    name = start_name(f"ud-{STARTS[0]}")
    experiment = EXPERIMENTS[name]
    assert isinstance(experiment, StartExperiment)
    first = []
    climb = Run.climb
    monkeypatch.setattr(Run, "climb", lambda run, *rest: (first.append((run, run.heads)), climb(run, *rest)))
    run_cell(tasks_of([Cell(name, "fr", 0, "dev")], data, tmp_path)[0])
    before = next(run for run in given if run.settings.model != experiment.configuration().learning.model)
    assert before.settings == configure(load_recipe(experiment.before)).learning
    after, heads = next((run, heads) for run, heads in first if run.settings.model == "sibling")
    assert np.array_equal(heads, parse_corpus(before.model(), after.train, Parsing()))


def test_starts_from_different_trees_share_no_rung(data, tmp_path, monkeypatch):
    shrink(monkeypatch)

    def chain(recipe: str, run: Run) -> np.ndarray:
        """Every word hangs on its neighbour, to the left or to the right."""
        place = np.concatenate([np.arange(1, length + 1) for length in run.train.lengths])
        last = np.repeat(run.train.lengths, run.train.lengths)
        return np.where(place < last, place + 1, 0) if recipe.endswith(STARTS[0]) else place - 1

    monkeypatch.setattr(cells, "_trees_by", chain)
    climb, started = Run.climb, []

    def remembered(run: Run, *rest) -> None:
        if run.rung == 0 and run.heads is not None:  # others make what scores are compared with
            started.append(int(run.heads[0]))
        climb(run, *rest)

    monkeypatch.setattr(Run, "climb", remembered)
    for recipe in (*STARTS[:2], STARTS[1]):
        run_cell(tasks_of([Cell(start_name(f"ud-{recipe}"), "fr", 0, "dev")], data, tmp_path)[0])
    assert started == [2, 0]  # the third had been made


@pytest.mark.slow
def test_ud_and_wsj_are_run_from_one_command_and_every_look_at_test_trees_is_written_down(
    data, tmp_path, monkeypatch, capsys
):
    shrink(monkeypatch)
    ran = in_this_process(monkeypatch)
    names = ["ud-dmv", "wsj-dmv", OWN_START]
    options = ["--languages", "fr", "--experiments", *names, "--seeds", 1, "--out", tmp_path / "out"]
    given = ["--data", data, "--sample", sample(tmp_path / "sample")]
    assert depinduce("reproduce", "compared", *given, *options) == 0
    assert sorted(ran) == ["start-harmonic fr 0", "ud-dmv fr 0", "wsj-dmv wsj 0"]
    assert set(results_in(tmp_path / "out" / "cells.jsonl")) == {"ud-dmv fr 0", "wsj-dmv wsj 0"}
    (look,) = (tmp_path / "out" / LOOKS).read_text("utf-8").splitlines()
    assert "ud-dmv fr 0" in look and "start-harmonic" not in look
    assert "Compared systems, UAS (%)" in capsys.readouterr().out
    assert depinduce("reproduce", "compared", *given, *options) == 0
    assert len(ran) == 3


@pytest.mark.parametrize("option", ["--data", "--sample"])
def test_one_kind_of_files_is_enough(option, data, tmp_path, monkeypatch):
    shrink(monkeypatch)
    ran = in_this_process(monkeypatch)
    files = data if option == "--data" else sample(tmp_path / "sample")
    only = "ud-dmv" if option == "--data" else "wsj-dmv"
    options = ["--experiments", "ud-dmv", "wsj-dmv", "--seeds", 1, "--out", tmp_path / "out"]
    languages = ["--languages", "pl"] if option == "--data" else []
    assert depinduce("reproduce", "compared", option, files, *options, *languages) == 0
    assert [cell.split()[0] for cell in ran] == [only]


def test_without_any_files_the_command_says_what_it_needs(tmp_path, capsys):
    assert depinduce("reproduce", "compared", "--out", tmp_path) == 1
    assert "reproduce compared needs --data DIR" in capsys.readouterr().err


# ---------------------------------------------------------------- the tables


def results_of(*cells: dict) -> Results:
    return Results(list(cells), [*LANGUAGES, NAME], 1, suite="compared")


def made_up() -> Results:
    """A number that tells what it is in every cell of UD, WSJ and dev."""
    cells = []
    for language, lengths in [*((language, ("15", "40")) for language in LANGUAGES), (NAME, ("10", "all"))]:
        for cell in numbered_cells(NAMES, language, lengths):
            if language in COMPARED[cell["experiment"]].languages:
                cells.append(cell)
    return results_of(*cells)


@pytest.mark.parametrize("number", range(len(SYSTEMS)), ids=[system.name for system in SYSTEMS])
def test_every_row_shows_what_its_columns_say(number):
    system, table = SYSTEMS[number], overview(made_up()).table
    name, quoted, wsj, wsj_mbr, ud, ud_mbr, free, _ = table.rows[number]
    assert name == f"{system.name} ({system.whose})"
    assert both_lengths_of(wsj, NAMES) == both_lengths_of(wsj_mbr, NAMES, decoder="mbr") == system.experiment("wsj")
    assert both_lengths_of(ud, NAMES) == both_lengths_of(ud_mbr, NAMES, decoder="mbr") == system.experiment("ud")
    assert both_lengths_of(free, NAMES) == system.free
    printed = None if system.row is None else paper_numbers("wsj")["table1"][system.row]
    assert quoted == ("" if printed is None else " / ".join(map(str, printed)) + " / –" * (len(printed) == 1))


def test_the_seconds_are_those_of_a_training_with_the_constraint_on_one_language_of_ud():
    taken = {name: 10.0 * number for number, name in enumerate(NAMES)}
    results = made_up()
    for (experiment, language, _), cell in results.cells.items():
        cell["seconds"] = taken[experiment] + (8.0 if language == "fr" else 0.0)  # one more, in the mean of eight
    shown = [row[-1] for row in overview(results).table.rows]
    assert shown == [f"{taken[system.experiment('ud')] + 1:.0f}" for system in SYSTEMS]


@pytest.mark.parametrize("decoder", ["viterbi", "mbr"])
def test_every_language_has_a_row_and_every_system_a_column(decoder):
    table = by_language(made_up(), decoder).table
    assert [row[0] for row in table.rows] == list(LANGUAGES.values())
    for row in table.rows:
        assert [both_lengths_of(cell, NAMES, decoder=decoder) for cell in row[1:]] == ON_UD


def test_the_starts_stand_below_our_own():
    table = start_table(made_up()).table
    first, *others = [[both_lengths_of(cell, NAMES, decoder="mbr") for cell in row[1:]] for row in table.rows]
    assert first == [OWN_START] * len(DEVELOPMENT)
    assert sorted(row[0] for row in others) == sorted(start_name(f"ud-{recipe}") for recipe in STARTS)


def test_every_table_says_what_is_known():
    for captioned in compared_tables(made_up()):
        assert any("Knowledge used" in note for note in captioned.notes), captioned.table.title
    assert "trees of ud-" in " ".join(start_table(made_up()).notes)
