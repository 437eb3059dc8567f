"""A cell is one training: planned in order, scored without a look at trees in training, kept, and never mixed up."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from chart.enumeration import projective_trees, tree_log_potential
from cli.demo_parts import without_heads
from experiments.tiny_ud import results_in, shrink, tiny_data
from learning.tagged import random_sentences, random_table, tagged
from real_data import REAL_DATA, real_files

import depinduce
from depinduce.corpus import Corpus, load_corpus
from depinduce.errors import DepinduceError
from depinduce.experiments.cells import code_fingerprint, run_cell, scores, tasks_of
from depinduce.experiments.experiment import Cell
from depinduce.experiments.suites import EXPERIMENTS, plan, read_cells
from depinduce.experiments.ud import JOINT, LANGUAGES, UD, require_data, require_development
from depinduce.experiments.wsj import WSJ
from depinduce.grammar.rules import Order
from depinduce.learning.run import Run
from depinduce.learning.settings.recipes import recipe_names
from depinduce.learning.training import Diverged
from depinduce.models.joint_model import JointModel
from depinduce.models.model import Model
from depinduce.models.tag_model import GrammarModel
from depinduce.models.word_model import LexicalModel
from depinduce.networks.lexicon import Lexicon
from depinduce.networks.network_settings import NetworkSettings
from depinduce.networks.word_network import LexicalNetwork
from depinduce.parsing.decoding import Parsing, parse_corpus


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    return tiny_data(tmp_path_factory.mktemp("ud"))


def run_one(cell: Cell, data: Path, out: Path) -> dict:
    return run_cell(*tasks_of([cell], data, out))


# ---------------------------------------------------------------- the plan


def test_after_the_first_fifth_of_the_plan_everything_has_one_seed():
    names = [name for name in UD if not name.startswith("curve")]
    cells = plan(names, LANGUAGES, 5)
    assert len(cells) == len(set(cells)) == 5 * len(names) * len(LANGUAGES)
    first = cells[: len(cells) // 5]
    assert {(cell.experiment, cell.language) for cell in first} == {(n, lang) for n in names for lang in LANGUAGES}


def test_curves_are_french_have_three_seeds_at_most_and_never_look_at_test_trees():
    cells = plan(["curve-dmo", "curve-em"], LANGUAGES, 5, "test")
    assert {cell.language for cell in cells} == {"fr"}
    assert {cell.seed for cell in cells} == {0, 1, 2}
    assert {cell.split for cell in cells} == {"dev"}


@pytest.mark.parametrize("name", UD | JOINT | WSJ)
def test_every_experiment_has_a_recipe_and_settings_that_go_together(name):
    experiment = EXPERIMENTS[name]
    settings = experiment.configuration(seed=3).learning
    assert experiment.recipe in recipe_names()
    assert settings.seed == 3
    model = re.sub("^(paper-)?(ud|wsj)-|-em$|-no-skip$", "", experiment.recipe)
    assert settings.model == model.replace("jiang-e-ndmv", "jiang-ndmv")  # E: a setting of its network
    assert bool(settings.non_heads) is not (name.endswith("-free") or name in WSJ)
    if experiment.watched:
        assert settings.patience == settings.epochs == 40  # never stops early


def test_dev_trees_of_other_languages_are_kept_aside():
    require_development(["eu", "fr", "pl"])
    with pytest.raises(DepinduceError, match="dev trees of de it are kept aside.*fr, pl and eu only"):
        require_development(["de", "fr", "it"])


def test_a_missing_file_is_named(data):
    require_data(data, ["fr", "pl"], "test")
    with pytest.raises(DepinduceError, match=r"eu.train\.conllu: no such file. --data names"):
        require_data(data, ["fr", "eu"], "test")


# ---------------------------------------------------------------- one cell


def test_a_cell_says_all_about_itself_and_is_read_back(data, tmp_path, monkeypatch):
    shrink(monkeypatch)
    cell = Cell("sibling", "pl", 1)
    assert read_cells([cell], tmp_path) == {}
    result = run_one(cell, data, tmp_path)
    assert read_cells([cell], tmp_path) == {cell: json.loads(json.dumps(result))}
    about = {name: result[name] for name in ("experiment", "recipe", "language", "seed", "split")}
    assert about == {"experiment": "sibling", "recipe": "ud-sibling", "language": "pl", "seed": 1, "split": "test"}
    assert result["settings"]["size"] == 8
    assert result["settings"]["seed"] == 1
    assert [set(by_length) for by_length in result["scores"].values()] == [{"15", "40"}, {"15", "40"}]
    assert all(0 < uas < 100 for by_length in result["scores"].values() for uas in by_length.values())
    assert result["epochs"] == len(result["history"])


def test_the_likelihoods_are_those_of_the_model_that_was_kept(data, tmp_path, monkeypatch):
    shrink(monkeypatch)
    result = run_one(Cell("paper-sibling", "fr", 0), data, tmp_path)
    best = max(line["dev"] for line in result["history"])
    assert result["log_likelihood"]["dev"] == pytest.approx(best, rel=1e-9)
    assert result["log_likelihood"]["train"] > min(line["train"] for line in result["history"])


@pytest.mark.parametrize("name", ["ndmv", "paper-grand"])
def test_without_gold_heads_in_train_and_dev_a_cell_is_bit_identical(name, data, tmp_path, monkeypatch):
    shrink(monkeypatch)
    blank = tiny_data(tmp_path / "blank")
    for split in ("train", "dev"):
        path = blank / "fr" / f"{split}.conllu"
        with_heads = path.read_text("utf-8")
        path.write_text(without_heads(with_heads), encoding="utf-8")
        assert path.read_text("utf-8") != with_heads
    gold, no_gold = (run_one(Cell(name, "fr", 0), source, tmp_path / source.name) for source in (data, blank))
    del gold["seconds"], no_gold["seconds"]
    assert gold == no_gold


def test_watching_a_training_changes_nothing_in_it(data, tmp_path, monkeypatch):
    shrink(monkeypatch)
    watched = run_one(Cell("curve-dmo", "fr", 0, "dev"), data, tmp_path)
    unwatched = run_one(Cell("paper-sibling", "fr", 0, "dev"), data, tmp_path)
    before = watched["history"][0].pop("before")
    assert all(0 < line["watched"]["uas_15"] < 100 for line in (before, *watched["history"]))
    assert before["dev"] < watched["history"][0]["dev"]
    assert [line | {"watched": None} for line in unwatched["history"]] == [
        line | {"watched": None} for line in watched["history"]
    ]
    assert watched["scores"] == unwatched["scores"]


def test_trees_that_are_not_there_cannot_be_scored(data, tmp_path, monkeypatch):
    shrink(monkeypatch)
    blank = tiny_data(tmp_path / "blank")
    path = blank / "fr" / "test.conllu"
    path.write_text(without_heads(path.read_text("utf-8")), encoding="utf-8")
    with pytest.raises(DepinduceError, match=r"fr.test\.conllu: it has no trees to score"):
        run_one(Cell("ndmv", "fr", 0), blank, tmp_path)


def test_a_training_that_goes_astray_is_told_and_leaves_nothing(data, tmp_path, monkeypatch):
    shrink(monkeypatch)

    def astray(self):
        raise Diverged.because("The rules are not numbers any more in epoch 2")

    monkeypatch.setattr(Run, "go", astray)
    result = run_one(Cell("ndmv", "fr", 0), data, tmp_path)
    assert result["failed"].startswith("The rules are not numbers any more in epoch 2.")
    assert not (tmp_path / "cells.jsonl").exists()


def test_an_interrupted_training_is_no_result(data, tmp_path, monkeypatch):
    shrink(monkeypatch)
    monkeypatch.setattr(Run, "go", lambda self: (None, False))
    with pytest.raises(KeyboardInterrupt):
        run_one(Cell("ndmv", "fr", 0), data, tmp_path)
    assert not (tmp_path / "cells.jsonl").exists()


# ---------------------------------------------------------------- decoders and parts

SHORT = tagged(*random_sentences(5, count=40, longest=6))


def all_trees(model: GrammarModel) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Every projective tree of every sentence of SHORT, and their log-probabilities. [tree, word] and [tree]"""
    table, batch, factors = model.problem(SHORT)
    for sentence, length in enumerate(SHORT.lengths.tolist()):
        trees = projective_trees(length)
        yield np.array(trees), np.array([tree_log_potential(table, batch, sentence, tree, factors) for tree in trees])


def most_probable(trees: np.ndarray, log_probabilities: np.ndarray) -> np.ndarray:
    return trees[np.argmax(log_probabilities)]


def least_risky(trees: np.ndarray, log_probabilities: np.ndarray) -> np.ndarray:
    """The tree with the most right heads in expectation, counted head by head."""
    shares = np.exp(log_probabilities - np.logaddexp.reduce(log_probabilities))
    return trees[np.argmax([(shares[:, None] * (trees == tree)).sum() for tree in trees])]


def test_viterbi_and_minimum_bayes_risk_are_what_they_are_called():
    """The judge is the enumeration of all trees; each way is right everywhere about trees chosen in its own."""
    model = GrammarModel(Order.SIBLING, SHORT.tag_vocabulary, random_table(Order.SIBLING, 4, seed=2))
    for decoder, choose in (("viterbi", most_probable), ("mbr", least_risky)):
        chosen = np.concatenate([choose(*trees) for trees in all_trees(model)])
        found = scores(model, replace(SHORT, heads=chosen.astype(np.int32)), ("15", "40"))
        (other,) = {"viterbi", "mbr"} - {decoder}
        assert found[decoder] == {"15": 100.0, "40": 100.0}
        assert found[other]["15"] < 98


def test_every_part_of_a_joint_model_is_scored_under_its_own_name(data, tmp_path, monkeypatch):
    shrink(monkeypatch, ladder=(), members=1, grow_from=0)
    made = []

    def made_up(run: Run) -> JointModel:
        made.append(random_joint_model(run.train))
        return made[0]

    monkeypatch.setattr("depinduce.experiments.cells.trained", made_up)
    result = run_one(Cell("joint", "fr", 0), data, tmp_path)
    (model,) = made
    assert isinstance(model.over_words, LexicalModel) and isinstance(model.over_tags, GrammarModel)
    gold = load_corpus(data / "fr" / "test.conllu", tag_vocabulary=model.tags, with_heads=True)

    def right(part: Model, decoder: str) -> float:
        return round(100 * float((parse_corpus(part, gold, Parsing(decoder)) == gold.gold).mean()), 4)

    for decoder in ("viterbi", "mbr"):
        found = [result["scores"][decoder]["40"], *(result["parts"][name][decoder]["40"] for name in ("words", "tags"))]
        assert found == [right(part, decoder) for part in (model, model.over_words, model.over_tags)]
        assert len(set(found)) == 3
    assert set(result["parts"]) == {"words", "tags"}


def random_joint_model(train: Corpus) -> JointModel:
    """Of two grammars that agree on nothing."""
    torch.manual_seed(1)
    settings = NetworkSettings(size=9, child_rank=6, decision_rank=5, encoder="wsj")
    network = LexicalNetwork(Order.FIRST, Lexicon.of(train, 2), settings, 4)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.35)
    tags = train.tag_vocabulary
    over_tags = GrammarModel(Order.SIBLING, tags, random_table(Order.SIBLING, len(tags), seed=4))
    return JointModel(over_tags, LexicalModel(network, settings))


# ---------------------------------------------------------------- the state of the code


def test_the_state_of_the_code_changes_with_all_that_results_depend_on_and_nothing_else(tmp_path, monkeypatch):
    """Rooms that train, parse and score, not the one that makes tables: mending a page asks for no rerun."""
    package = Path(depinduce.__file__).parent
    rooms = sorted(path.name for path in package.iterdir() if (path / "__init__.py").exists())
    for room in rooms:
        for name in ("one.py", "deep/er.py", "recipe.toml", "notes.md"):
            (tmp_path / room / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / room / name).write_text("as it was", encoding="utf-8")
    monkeypatch.setattr(depinduce, "__file__", str(tmp_path / "__init__.py"))
    counting = {"corpus", "grammar", "chart", "evaluation", "networks", "models", "parsing", "learning"}
    assert counting < set(rooms)
    for path in [path for path in tmp_path.rglob("*") if path.is_file()]:
        before = code_fingerprint()
        path.write_text("otherwise", encoding="utf-8")
        counts = path.relative_to(tmp_path).parts[0] in counting and path.suffix != ".md"
        assert (code_fingerprint() != before) is counts, path


# ---------------------------------------------------------------- reading back


@pytest.fixture
def finished(data, tmp_path, monkeypatch) -> tuple[Cell, Path]:
    """A finished cell and the file that it is in."""
    shrink(monkeypatch)
    cell = Cell("paper-ndmv", "fr", 0)
    run_one(cell, data, tmp_path)
    return cell, tmp_path / "cells.jsonl"


def change(path: Path, change_it: Callable[[dict], object]) -> dict:
    """Change the only result of a file; gives what is in it then."""
    (result,) = results_in(path).values()
    change_it(result)
    path.write_text(json.dumps(result) + "\n", encoding="utf-8")
    return result


def test_a_cell_made_with_other_settings_is_refused(finished, tmp_path, monkeypatch):
    cell, path = finished
    shrink(monkeypatch, learning_rate=0.01)
    with pytest.raises(DepinduceError) as refusal:
        read_cells([cell], tmp_path)
    assert "learning_rate was 0.001, is 0.01. Choose another --out, or delete that line" in str(refusal.value)
    assert str(refusal.value).startswith(f"{path}, line 1: made with other settings")


def test_a_setting_that_is_new_since_then_had_its_default(finished, tmp_path):
    cell, path = finished
    older = change(path, lambda result: result["settings"].pop("generation"))
    assert read_cells([cell], tmp_path) == {cell: older}


@pytest.mark.parametrize("lost", ["format", "format_version", "settings"])
def test_a_result_that_lacks_something_is_refused_with_a_remedy(lost, finished, tmp_path):
    cell, path = finished
    change(path, lambda result: result.pop(lost))
    with pytest.raises(DepinduceError, match="line 1: not a result that this version can read.*delete that line"):
        read_cells([cell], tmp_path)


def test_a_cell_of_another_format_is_refused(finished, tmp_path):
    cell, path = finished
    change(path, lambda result: result.update(format_version=99))
    with pytest.raises(DepinduceError, match="another format, depinduce cell 99"):
        read_cells([cell], tmp_path)


# ---------------------------------------------------------------- real treebanks


@pytest.mark.slow
@pytest.mark.skipif(not real_files("ud14/fr/train.conllu"), reason="the real treebanks are not here")
def test_two_epochs_on_french_beat_any_trivial_tree(tmp_path, monkeypatch):
    monkeypatch.setitem(EXPERIMENTS, "paper-ndmv", replace(EXPERIMENTS["paper-ndmv"], changes={"epochs": 2}))
    result = run_one(Cell("paper-ndmv", "fr", 0, "dev"), REAL_DATA / "ud14", tmp_path)
    assert result["scores"]["viterbi"]["15"] > 40  # the next word as the head of every word: 32
    assert result["epochs"] == 2
