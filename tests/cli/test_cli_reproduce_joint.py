"""`depinduce reproduce joint`: the paper's table 5 on Universal Dependencies, every part of a model scored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.demo_parts import depinduce
from experiments.numbered import both_lengths_of, numbered_cells, told
from experiments.tiny_ud import in_this_process, made_up_cell, results_in, shrink, tiny_data

from depinduce.experiments.joint_tables import joint_tables
from depinduce.experiments.results import Results
from depinduce.experiments.ud import JOINT, UD


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    return tiny_data(tmp_path_factory.mktemp("ud"))


@pytest.mark.slow
def test_every_experiment_runs_and_both_parts_are_scored(data, tmp_path, monkeypatch, capsys):
    shrink(monkeypatch, ladder=["ndmv"], members=1, grow_from=0)
    in_this_process(monkeypatch)
    options = ["--data", data, "--out", tmp_path, "--languages", "fr", "--seeds", 1]
    assert depinduce("reproduce", "joint", *options) == 0
    shown = capsys.readouterr()
    assert f"{len(JOINT)} cells to run" in shown.err
    assert "Table 5 on UD" in shown.out
    cells = results_in(tmp_path / "cells.jsonl")
    assert set(cells) == {f"{name} fr 0" for name in JOINT}
    for cell in cells.values():
        assert set(cell["parts"]) == {"tags", "words"}
        assert all(set(scores) == {"viterbi", "mbr"} for scores in (cell["scores"], *cell["parts"].values()))
    summary = json.loads((tmp_path / "joint.json").read_text("utf-8"))
    cell = cells["separate fr 0"]
    means = summary["experiments"]["separate"]["fr"]
    assert means["words alone, viterbi"]["15"]["mean"] == cell["parts"]["words"]["viterbi"]["15"]
    assert cell["settings"]["agreement"] is False
    capsys.readouterr()
    assert depinduce("reproduce", "joint", *options) == 0
    assert f"all {len(JOINT)} cells are in" in capsys.readouterr().err


def test_the_experiments_of_another_command_are_refused(data, tmp_path, capsys):
    for what, other in (("joint", next(iter(UD))), ("ud", next(iter(JOINT)))):
        assert depinduce("reproduce", what, "--data", data, "--out", tmp_path, "--experiments", other) == 1
        assert f"reproduce {what} has no experiment {other}" in capsys.readouterr().err


def test_the_table_tells_training_and_parsing_apart():
    def cell(experiment: str, language: str, uas: float) -> dict:
        def scores(value: float) -> dict:
            return {"viterbi": {"15": value, "40": value - 1}, "mbr": {"15": value + 1, "40": value}}

        parts = {"words": scores(uas - 10), "tags": scores(uas - 5)}
        return made_up_cell(experiment, language, 0, uas, parts=parts)

    cells = [cell("separate", "fr", 50.0), cell("joint", "fr", 60.0), cell("separate", "pl", 70.0)]
    table = joint_tables(Results(cells, ["fr", "pl"], 1, suite="joint"))[0].table
    french, polish, average = (dict(zip(table.columns, row, strict=True)) for row in table.rows)
    assert french["separately, by L-NDMV"] == "40.0 / 39.0"
    assert french["separately, by second-order"] == "45.0 / 44.0"
    assert french["separately, by both"] == "50.0 / 49.0"
    assert french["jointly, by both"] == "60.0 / 59.0"
    assert polish["jointly, by both"] == ""
    assert average["separately, by both"] == "60.0 / 59.0"
    assert average["jointly, by both"] == ""


# ---------------------------------------------------------------- every number in its place

NAMES = list(JOINT)
NUMBERED = Results(
    numbered_cells(NAMES, "fr", ("15", "40")) + numbered_cells(NAMES, "pl", ("15", "40")),
    ["fr", "pl"],
    1,
    suite="joint",
)
PARTS = {"L-NDMV": "words", "second-order": "tags", "both": "both"}
VARIANTS = {  # the model, whether its parts are trained to agree, how, and whether they have skip connections
    "sibling + L, jointly": ("joint-sibling", True, "dmo", True),
    "sibling + L, separately": ("joint-sibling", False, "dmo", True),
    "sibling + L, product EM": ("joint-sibling", True, "em", True),
    "sibling + L, no skip connections": ("joint-sibling", True, "dmo", False),
    "grand + L, jointly": ("joint-grand", True, "dmo", True),
    "grand + L, separately": ("joint-grand", False, "dmo", True),
}


@pytest.mark.parametrize(
    ("number", "decoder", "written"), [(0, "viterbi", "Viterbi"), (1, "mbr", "minimum Bayes risk")]
)
def test_every_column_of_table_5_shows_the_training_the_part_and_the_decoder_of_its_name(number, decoder, written):
    table = joint_tables(NUMBERED)[number].table
    assert f", {written}, UAS" in table.title
    french = dict(zip(table.columns, table.rows[0], strict=True))
    for way, agreement in (("separately", False), ("jointly", True)):
        for column, part in PARTS.items():
            settings = (
                JOINT[both_lengths_of(french[f"{way}, by {column}"], NAMES, part, decoder)].configuration().learning
            )
            assert (settings.model, settings.agreement) == ("joint-sibling", agreement)


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_is_what_its_name_says(name):
    table = joint_tables(NUMBERED)[2].table
    row = next(dict(zip(table.columns, row, strict=True)) for row in table.rows if row[0] == name)
    experiments = {both_lengths_of(row[f"{language}, by {column}"], NAMES, part)
                   for language in ("French", "Polish") for column, part in PARTS.items()}  # fmt: skip
    (experiment,) = experiments
    configuration = JOINT[experiment].configuration()
    learning = configuration.learning
    assert VARIANTS[name] == (
        learning.model,
        learning.agreement,
        learning.method,
        configuration.network.skip_connections,
    )
    assert learning.gradient_steps == (5 if "EM" in name else 1)
    assert told(row[table.columns[-1]], NAMES) == [(experiment, "both", "dev")] * 2
