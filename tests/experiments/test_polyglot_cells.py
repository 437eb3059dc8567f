"""A cell scores the grammar that it names, which knows what it may: of trees nothing, and not what was left out."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cli.demo_parts import without_heads
from experiments.tiny_worlds import run_all, shrink_worlds, tiny_worlds, write_part

from depinduce.corpus import read_sentences
from depinduce.errors import DepinduceError
from depinduce.experiments import polyglot_cells
from depinduce.experiments.cells import log_look_at_test
from depinduce.experiments.experiment import Cell
from depinduce.experiments.parts import PartTask
from depinduce.experiments.polyglot import CEILINGS, POLYGLOT, VECTORS
from depinduce.experiments.polyglot_cells import require_same_texts, scorable
from depinduce.experiments.suites import EXPERIMENTS, plan, read_cells
from depinduce.experiments.ud import LANGUAGES
from depinduce.experiments.worlds import read_worlds
from depinduce.learning.lesson import Lesson
from depinduce.learning.training import Diverged
from depinduce.models.loading import load_model
from depinduce.models.model import Model
from depinduce.parser import Parser

GRAMMARS = ("own", "order-free", "adapt", "out-universal", "out-order-free", "out-adapt")


@pytest.fixture
def folders(tmp_path, monkeypatch) -> list[str]:
    shrink_worlds(monkeypatch, tmp_path)
    return tiny_worlds(tmp_path / "data")


def score_of(parser: Parser, trees: str, decode: str) -> float:
    return parser.evaluate(trees, decode=decode).by_length["40"].uas


# ---------------------------------------------------------------- what is scored


@pytest.mark.filterwarnings("ignore:tags that training has not seen")
def test_every_cell_scores_what_its_name_says(folders, tmp_path):
    """Scored once more by other code: that of `evaluate`, on the models that were kept or on new ones."""
    out, text, trees = tmp_path / "out", f"{folders[0]}/fr/train.conllu", f"{folders[0]}/fr/test.conllu"
    results = run_all([Cell(name, "fr", 0) for name in (*GRAMMARS, *VECTORS)], folders, out)
    places = {path.name.rpartition("-")[0]: path for path in (out / "shared").iterdir()}
    whole, others = (load_model(places[f"universal-grammar-of-{number}-0"]) for number in (4, 3))
    assert set(whole.languages) - set(others.languages) == {"fr"}

    def learned(experiment: str, place: str) -> Parser:
        configuration = EXPERIMENTS[experiment].configuration().replace(init=("universal", str(places[place])))
        return Parser(Lesson.of(configuration, [text], quiet=True).run().go()[0])

    def of_all(experiment: str) -> Model:
        start = ("model", str(places["universal-grammar-of-4-0"]))
        configuration = EXPERIMENTS[experiment].configuration().replace(init=start)
        return Lesson.of(configuration, read_worlds(folders)["ud1"].texts, quiet=True).run().go()[0]

    vectors = of_all("vectors").in_language("fr")
    assert not np.allclose(vectors.table.child, of_all("vectors").in_language("pl").table.child)
    expected = {
        "own": Parser.load(places["own-grammar-fr-0"]),
        "order-free": Parser(whole.in_language("fr")),
        "adapt": learned("adapt", "universal-grammar-of-4-0"),
        "out-universal": Parser(others.rule_view()),
        "out-order-free": learned("out-order-free", "universal-grammar-of-3-0"),
        "out-adapt": learned("out-adapt", "universal-grammar-of-3-0"),
        "vectors": Parser(vectors),
        "together": Parser(of_all("together")),
    }
    for cell, result in results.items():
        for decode in ("viterbi", "mbr"):
            scored = result["scores"][decode]["40"]
            assert scored == pytest.approx(score_of(expected[cell.experiment], trees, decode), abs=1e-3), cell


def test_a_cell_is_kept_with_all_about_it_and_is_read_back(folders, tmp_path):
    cell = Cell("more-out-adapt", "ru", 1, "dev")
    result = run_all([cell], folders, tmp_path / "out")[cell]
    found = read_cells([cell], tmp_path / "out")[cell]
    assert found == json.loads(json.dumps(result)) | {"seconds": found["seconds"]}
    assert (found["experiment"], found["language"], found["seed"], found["split"]) == ("more-out-adapt", "ru", 1, "dev")
    assert found["learning"] >= 0
    assert list(found["learning_before"]) == ["universal", "own"]
    assert found["committee"]["members"] == list(found["parts"]) == ["order-free", "own", "student"]
    assert "ru" not in found["committee"]["languages"]
    assert (tmp_path / "out" / "dev-cells.jsonl").exists()
    assert not (tmp_path / "out" / "cells.jsonl").exists()


def test_a_few_sentences_are_drawn_by_the_seed_from_those_that_are_short(folders, tmp_path, monkeypatch):
    name = "ud2-out-adapt-10"
    fewer = replace(EXPERIMENTS[name], sentences=5, changes={**EXPERIMENTS[name].changes, "max_length": 8})
    monkeypatch.setitem(EXPERIMENTS, name, fewer)
    texts = []
    monkeypatch.setattr(polyglot_cells, "trained", lambda run: texts.append(run.train) or run.go()[0])
    for seed, out in ((0, "one"), (0, "again"), (1, "one")):
        run_all([Cell(name, "ja", seed, "dev")], folders, tmp_path / out)
    assert [len(text) for text in texts] == [5, 5, 5]
    assert texts[0].fingerprint() == texts[1].fingerprint() != texts[2].fingerprint()
    longest = max(map(len, read_sentences(f"{folders[1]}/ja/text.conllu")))
    assert max(text.lengths.max() for text in texts) <= 8 < longest


def test_members_of_a_committee_are_scored_as_the_cells_of_their_kind_are(folders, tmp_path, monkeypatch):
    cells, runs = {name: Cell(name, "fr", 0) for name in ("out-adapt", "out-order-free", "own")}, []
    monkeypatch.setattr(polyglot_cells, "trained", lambda run: runs.append(run) or run.go()[0])
    results = run_all(list(cells.values()), folders, tmp_path / "out")
    assert {line["part"] for line in runs[0].history} == {"order-free", "student"}  # the own one was there
    members = results[cells["out-adapt"]]["parts"]
    assert members["own"] == results[cells["own"]]["scores"]
    assert members["order-free"] == results[cells["out-order-free"]]["scores"]
    assert members["student"] not in (members["own"], members["order-free"])


# ---------------------------------------------------------------- what has no influence


def test_without_gold_heads_in_the_texts_everything_is_bit_identical(folders, tmp_path):
    blank = tiny_worlds(tmp_path / "blank")
    for text in [*Path(blank[0]).glob("*/train.conllu"), *Path(blank[1]).glob("*/text.conllu")]:
        with_heads = text.read_text("utf-8")
        text.write_text(without_heads(with_heads), encoding="utf-8")
        assert text.read_text("utf-8") != with_heads
    cells = [Cell(name, "fr", 0) for name in GRAMMARS]
    gold, no_gold = (run_all(cells, data, tmp_path / out) for data, out in ((folders, "gold"), (blank, "blank_out")))
    for cell in cells:
        assert gold[cell]["scores"] == no_gold[cell]["scores"]
    models = [(tmp_path / out).rglob("model.safetensors") for out in ("gold", "blank_out")]
    numbers = [sorted(model.read_bytes() for model in of_run) for of_run in models]
    assert len(numbers[0]) == 6
    assert numbers[0] == numbers[1]


def test_the_text_of_a_language_that_is_left_out_has_no_influence(folders, tmp_path):
    cells = [Cell("out-universal", "fr", 0), Cell("order-free", "fr", 0)]
    before = run_all(cells, folders, tmp_path / "before")
    other = tiny_worlds(tmp_path / "other")
    write_part(Path(other[0]) / "fr" / "train.conllu", "train", 60, 14)
    after = run_all(cells, other, tmp_path / "after")
    assert after[cells[0]]["scores"] == before[cells[0]]["scores"]
    assert after[cells[1]]["scores"] != before[cells[1]]["scores"]


# ---------------------------------------------------------------- which cells there are


def test_only_languages_with_trees_in_worlds_that_are_there_are_scored(folders):
    cells = plan(POLYGLOT, [*LANGUAGES, "ru", "ar", "ja"], 1)
    scored = {(cell.experiment, cell.language, cell.split) for cell in scorable(cells, read_worlds(folders))}
    assert {language for name, language, _ in scored if name in (*GRAMMARS, *CEILINGS)} == {"fr", "pl"}
    assert {split for name, _, split in scored if name in GRAMMARS} == {"test"}
    assert {(language, split) for name, language, split in scored if name.startswith("more-")} == {("ru", "dev")}
    assert {(language, split) for name, language, split in scored if name.startswith("ud2-")} == {("ja", "dev")}
    assert all(not cell.experiment.startswith("ud2-") for cell in scorable(cells, read_worlds(folders[:1])))


def test_test_trees_are_those_of_the_eight_languages_alone():
    for name, experiment in POLYGLOT.items():
        assert (experiment.scored_on("test") == "test") is set(experiment.languages).issubset(LANGUAGES), name
        assert experiment.scored_on("dev") == "dev"


def test_left_out_and_on_ud2_there_are_two_seeds():
    seeds = {name: len(experiment.seeds(5)) for name, experiment in POLYGLOT.items()}
    assert {name for name, number in seeds.items() if number == 5} == {
        *("own", "order-free", "adapt"), *("more-own", "more-order-free", "more-adapt"),
    }  # fmt: skip
    assert {name for name, number in seeds.items() if number == 1} == {*VECTORS, *CEILINGS}
    assert set(seeds.values()) == {1, 2, 5}


# ---------------------------------------------------------------- what goes wrong


def test_a_grammar_that_goes_astray_fails_those_that_need_it_and_no_others(folders, tmp_path, monkeypatch):
    make = PartTask.run

    def astray(self):
        if str(self) == "own grammar pl 0":
            raise Diverged.because("The rules are not numbers any more")
        return make(self)

    monkeypatch.setattr(PartTask, "run", astray)
    cells = [Cell(name, language, 0) for name in ("own", "out-universal") for language in ("fr", "pl")]
    results = run_all(cells, folders, tmp_path / "out")
    failed = {str(cell): result["failed"] for cell, result in results.items() if "failed" in result}
    assert set(failed) == {"own pl 0", "out-universal fr 0"}
    assert failed["own pl 0"] == "a grammar that it needs could not be made: own"
    assert set(read_cells(cells, tmp_path / "out")) == {cells[0], cells[3]}


def test_cells_of_other_texts_are_refused(folders, tmp_path):
    cells = [Cell("own", "fr", 0), Cell("out-universal", "fr", 0)]
    results = run_all(cells, folders, tmp_path / "out").values()
    require_same_texts(results, read_worlds(folders), tmp_path)
    require_same_texts(results, read_worlds(folders[1:]), tmp_path)  # that world is not there at all
    other = tiny_worlds(tmp_path / "other")
    write_part(Path(other[0]) / "xx" / "train.conllu", "train", 60, 14)
    with pytest.raises(DepinduceError, match="out-universal fr 0 comes from other texts than those of --data"):
        require_same_texts(results, read_worlds(other), tmp_path)


def test_a_look_at_test_trees_is_written_down(tmp_path):
    log_look_at_test([Cell("own", "fr", 0, "dev")], tmp_path)
    assert not list(tmp_path.iterdir())
    log_look_at_test([Cell("own", "fr", 0), Cell("more-own", "ru", 0, "dev")], tmp_path)
    look = json.loads((tmp_path / "looks-at-test.jsonl").read_text("utf-8"))
    assert look["cells"] == ["own fr 0"]
    assert set(look) == {"date", "depinduce", "code", "cells"}
