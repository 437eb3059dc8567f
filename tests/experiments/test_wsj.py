"""The experiments on WSJ: files made from the user's treebank, starts that are shared, trees that train nothing."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from cli.demo_parts import contents, without_heads
from experiments.numbered import both_lengths_of, numbered_cells, told
from experiments.paper import needs_paper, numbers_in, sums, table_of, text_of_paper
from experiments.tiny_ud import shrink
from experiments.tiny_wsj import made_up_cell, sample, starts_in, tree, treebank, trees
from learning.tagged import random_table

from depinduce.corpus import read_sentences
from depinduce.errors import DepinduceError
from depinduce.experiments.cells import SHARED, run_cell, tasks_of
from depinduce.experiments.experiment import Cell, name_of_trees
from depinduce.experiments.figures import figures_of
from depinduce.experiments.pace import seconds_per_thousand
from depinduce.experiments.results import Results, knowledge, paper_numbers
from depinduce.experiments.suites import EXPERIMENTS, plan, read_cells
from depinduce.experiments.ud_tables import as_markdown
from depinduce.experiments.wsj import LENGTHS, NAME, SAMPLE_TRAIN, TRIED, WSJ, prepare
from depinduce.experiments.wsj_tables import (
    STARTS,
    TABLE_1,
    TABLE_4,
    TABLE_5,
    harmonic_table,
    table_1,
    table_4,
    table_4_likelihood,
    table_5,
    trial_table,
    wsj_tables,
)
from depinduce.grammar.rules import Order
from depinduce.learning.held_out import training_corpus
from depinduce.learning.run import Run
from depinduce.learning.settings.recipes import recipe_names
from depinduce.models.tag_model import GrammarModel
from depinduce.networks.network_settings import JiangNetworkSettings
from depinduce.parsing.decoding import Parsing, parse_corpus

FROM_HDP_DEP = [name for name, experiment in WSJ.items() if experiment.configuration().learning.init[0] == "hdp-dep"]
OF_JIANG = {  # with child valence?
    "wsj-jiang-ndmv": False,
    "wsj-jiang-e-ndmv": True,
    "wsj-jiang-ndmv-hdp": False,
    "wsj-jiang-e-ndmv-hdp": True,
}
LADDERS = {"joint-sibling": ("sibling",), "joint-grand": ("grand",)}


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    """The converted treebank."""
    folder = tmp_path_factory.mktemp("wsj")
    return prepare(folder / "out", str(treebank(folder / "treebank")), None)


def run_one(name: str, data: Path, out: Path, seed: int = 0, start: Path | None = None) -> dict:
    (cell,) = [cell for cell in plan([name], [NAME], seed + 1) if cell.seed == seed]
    return run_cell(*tasks_of([cell], data, out, None if start is None else str(start)))


def rewritten(data: Path, folder: Path, splits: tuple[str, ...], rewrite) -> Path:
    """A copy of the data in which the text of some files is another."""
    for path in (data / NAME).iterdir():
        text = path.read_text("utf-8")
        new = folder / NAME / path.name
        new.parent.mkdir(parents=True, exist_ok=True)
        new.write_text(rewrite(text) if path.stem in splits else text, encoding="utf-8")
        assert (new.read_text("utf-8") != text) is (path.stem in splits)
    return folder


def chains(text: str) -> str:
    """The file with other trees: every word hangs on the one before."""
    return re.sub(r"^((\d+)(?:\t[^\t]*){5}\t)\d+", lambda row: f"{row[1]}{int(row[2]) - 1}", text, flags=re.MULTILINE)


# ---------------------------------------------------------------- the files


def sent_ids(path: Path) -> list[str]:
    return [sentence.sent_id for sentence in read_sentences(path, trees=True)]


def test_a_treebank_becomes_train_dev_and_test(tmp_path):
    seen = []
    data = prepare(
        tmp_path / "out", str(treebank(tmp_path / "ptb")), None, lambda path, done, total: seen.append((done, total))
    )
    assert data == tmp_path / "out" / "data"
    assert sent_ids(data / NAME / "train.conllu") == [
        f"wsj_{section:02}00.{number}" for section in range(2, 22) for number in (1, 2)
    ]
    assert sent_ids(data / NAME / "dev.conllu") == [f"wsj_2200.{number}" for number in range(1, 13)]
    assert sent_ids(data / NAME / "test.conllu") == [f"wsj_2300.{number}" for number in range(1, 13)]
    assert seen == [(done, 22) for done in range(1, 23)]


def test_of_the_sample_one_section_is_dev_one_is_test_and_the_sentences_to_learn_from_are_copied(tmp_path):
    source = sample(tmp_path / "sample")
    data = prepare(tmp_path / "out", None, str(source))
    assert sent_ids(data / NAME / "dev.conllu") == [f"wsj_0001.{number}" for number in range(1, 13)]
    assert sent_ids(data / NAME / "test.conllu") == [f"wsj_0101.{number}" for number in range(1, 13)]
    assert (data / NAME / "train.conllu").read_bytes() == (source / SAMPLE_TRAIN).read_bytes()


@pytest.mark.parametrize("kind", ["treebank", "sample"])
def test_the_files_stay_out_of_version_control_and_are_all_that_is_written(kind, tmp_path):
    given = (str(treebank(tmp_path / "ptb")), None) if kind == "treebank" else (None, str(sample(tmp_path / "sample")))
    prepare(tmp_path / "out", *given)
    files = contents(tmp_path / "out")
    converted = {f"data/{NAME}/{split}.conllu" for split in ("train", "dev", "test")}
    assert set(files) == {"data/.gitignore", "data/source.txt", *converted}
    assert b"*" in files["data/.gitignore"].splitlines()  # everything, this file too


@pytest.mark.parametrize("kind", ["treebank", "sample"])
def test_the_files_are_made_once(kind, tmp_path):
    given = (str(treebank(tmp_path / "ptb")), None) if kind == "treebank" else (None, str(sample(tmp_path / "sample")))
    prepare(tmp_path / "out", *given)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*.conllu")}
    seen = []
    prepare(tmp_path / "out", *given, lambda path, done, total: seen.append(path))
    assert seen == []
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*.conllu")} == before
    (tmp_path / "out" / "data" / NAME / "test.conllu").unlink()
    prepare(tmp_path / "out", *given, lambda path, done, total: seen.append(path))
    assert seen
    assert set((tmp_path / "out").rglob("*.conllu")) == set(before)


def test_files_that_were_made_from_something_else_are_refused_and_left_as_they_are(tmp_path):
    ptb, given = treebank(tmp_path / "ptb"), sample(tmp_path / "sample")
    data = prepare(tmp_path / "out", str(ptb), None)
    before = contents(data)
    with pytest.raises(DepinduceError) as refusal:
        prepare(tmp_path / "out", None, str(given))
    assert str(refusal.value).startswith(f"{data}: made from {ptb}, not from {given}. Choose another --out, or delete")
    assert contents(data) == before
    assert prepare(tmp_path / "out", str(ptb / "parsed" / ".."), None) == data  # the same, written in another way


def test_a_sample_without_sentences_to_learn_from_is_refused_before_anything_is_written(tmp_path):
    source = sample(tmp_path / "sample")
    (source / SAMPLE_TRAIN).unlink()
    with pytest.raises(DepinduceError) as refusal:
        prepare(tmp_path / "out", None, str(source))
    assert str(refusal.value).startswith(f"{source / SAMPLE_TRAIN}: no such file. --sample names a directory with it")
    assert not (tmp_path / "out").exists()


def test_an_interrupted_conversion_leaves_nothing_and_is_done_again(tmp_path):
    def interrupt(path, done, total):
        if done == total:
            raise KeyboardInterrupt

    ptb = str(treebank(tmp_path / "ptb"))
    with pytest.raises(KeyboardInterrupt):
        prepare(tmp_path / "out", ptb, None, interrupt)
    assert not list(tmp_path.rglob("*.conllu"))
    assert len(sent_ids(prepare(tmp_path / "out", ptb, None) / NAME / "train.conllu")) == 40


def test_a_copy_that_was_cut_short_is_not_taken_for_whole(tmp_path, monkeypatch):
    given, data = sample(tmp_path / "sample"), tmp_path / "out" / "data"

    def cut_short(source, target):
        target.write(source.read(100))
        raise KeyboardInterrupt

    with monkeypatch.context() as once:
        once.setattr(shutil, "copyfileobj", cut_short)
        with pytest.raises(KeyboardInterrupt):
            prepare(tmp_path / "out", None, str(given))
    assert (data / ".gitignore").exists()  # before there is anything to keep to oneself
    assert not (data / NAME / "train.conllu").exists()
    prepare(tmp_path / "out", None, str(given))
    assert (data / NAME / "train.conllu").read_bytes() == (given / SAMPLE_TRAIN).read_bytes()


# ---------------------------------------------------------------- the plan


def test_five_seeds_of_everything_but_curves_and_trials_which_have_three_and_never_see_test_trees():
    planned = plan(WSJ, [NAME], 5)
    on_dev = [cell for cell in planned if cell.experiment.startswith(("wsj-curve", "wsj-try"))]
    assert len(planned) == 5 * (len(WSJ) - 10) + 10 * 3
    assert {(cell.seed, cell.split) for cell in on_dev} == {(seed, "dev") for seed in range(3)}
    assert {cell.split for cell in planned if cell not in on_dev} == {"test"}


@pytest.mark.parametrize("name", WSJ)
def test_every_experiment_learns_from_ten_words_of_penn_tags_without_punctuation_or_currency(name):
    reading = WSJ[name].configuration().reading
    assert (reading.max_length, reading.tags, reading.punctuation) == (10, "xpos", "penn-currency")
    assert WSJ[name].lengths == ("10", "all")


@pytest.mark.parametrize("name", [name for name in FROM_HDP_DEP if name not in OF_JIANG])
def test_networks_have_the_size_and_the_training_of_the_paper(name):
    configuration = WSJ[name].configuration()
    learning, network, lexical = configuration.learning, configuration.network, configuration.lexical
    assert (learning.batch_size, learning.learning_rate, network.encoder) == (64, 0.001, "wsj")
    assert (network.size, network.child_rank, network.decision_rank) == (100, 30, 10)
    assert network.skip_connections is not ("no-skip" in name)
    assert learning.method == ("em" if name.endswith("-em") else "dmo")
    if lexical:
        assert (lexical.tag_size, lexical.word_size, lexical.dropout, lexical.lexical_encoder) == (100, 100, 0.5, "wsj")
        assert (lexical.lexical_child_rank, lexical.lexical_decision_rank) == (150, 50)


@pytest.mark.parametrize(("name", "child_valence"), OF_JIANG.items())
def test_the_networks_of_jiang_are_small_and_learn_by_hard_em_from_all_sentences_at_once(name, child_valence):
    configuration = WSJ[name].configuration()
    assert configuration.network == JiangNetworkSettings(tag_size=10, valence_size=5, child_valence=child_valence)
    assert (configuration.learning.method, configuration.learning.batch_size) == ("hard-em", 0)


def test_what_is_of_jiang_is_named_so():
    assert [name for name in WSJ if WSJ[name].configuration().learning.model == "jiang-ndmv"] == list(OF_JIANG)


@pytest.mark.parametrize("name", FROM_HDP_DEP)
def test_only_joint_models_climb_from_their_part_over_tags_and_not_those_of_the_curves(name):
    learning = WSJ[name].configuration().learning
    at_once = WSJ[name].watched or name.startswith("paper-")
    assert learning.ladder == (() if at_once else LADDERS.get(learning.model, ()))


# What the paper prints in its section on settings and in its appendix, and where a training of ours says so. Penn's
# currency signs go with its punctuation (PROTOCOL); the supervised start has "several" epochs.
PRINTED = {
    "WSJ10": {"max_length": 10, "tags": "xpos", "punctuation": "penn-currency"},
    "HDP-DEP to initialize": {"init": ("hdp-dep", "penn"), "ladder": (), "word_init": (), "start_epochs": 3},
    "DMO": {"method": "dmo", "anchor": 0.0, "grow_from": 0, "rules": None, "non_heads": ()},
    "Adam with learning rate 0.001": {"learning_rate": 0.001},
    "batch size 64": {"batch_size": 64},
    "early stopping": {"patience": 5, "epochs": 100},
    "POS embedding 100": {"size": 100, "tag_size": 100},
    "30 for child and root rules and 10 for decision rules": {"child_rank": 30, "decision_rank": 10},
    "word embedding 100": {"word_size": 100},
    "150 for child and root rules and 50 for decision rules": {"lexical_child_rank": 150, "lexical_decision_rank": 50},
    "the encoder of the appendix": {"encoder": "wsj", "lexical_encoder": "wsj", "skip_connections": True},
    "dropout 0.5 after the embedding layer": {"dropout": 0.5, "dropout_of": "everything"},
    "word/POS pairs that appear at least two times": {"min_count": 2},
    "FastText on the whole WSJ dataset": {"vectors": ("fasttext",)},
    "words as they are": {"fold_numbers": False, "lowercase": False},
    "children from the outside in": {"generation": "outside-in"},
    "trained to agree": {"agreement": True},
}
VARIED = {"-em": {"method": "em"}, "-no-skip": {"skip_connections": False}, "separate": {"agreement": False}}


@pytest.mark.parametrize("name", [name for name in WSJ if name.startswith("paper-")])
def test_as_published_every_setting_is_what_the_paper_prints(name):
    values = WSJ[name].configuration().values()
    printed = {setting: value for settings in PRINTED.values() for setting, value in settings.items()}
    varied = {setting: value for part, change in VARIED.items() if part in name for setting, value in change.items()}
    assert {setting: values[setting] for setting in printed} == printed | varied
    model = name.removeprefix("paper-wsj-").removesuffix("-em").removesuffix("-no-skip").replace("separate", "joint")
    assert values["model"] == model


def test_the_papers_recipes_over_words_stand_beside_ours():
    published = {name.removeprefix("paper-") for name in WSJ if name.startswith("paper-")}
    ours = [name for name in WSJ if name.startswith("wsj-") and WSJ[name].scored_on("test") == "test"]
    over_words = {name for name in ours if WSJ[name].configuration().lexical}
    assert published == over_words - {"wsj-lexical-harmonic"}
    assert published & set(recipe_names()) == {
        name.removeprefix("paper-") for name in recipe_names() if name.startswith("paper-wsj")
    }


def test_the_trials_change_what_the_released_program_does_and_nothing_else():
    ours = WSJ["wsj-joint-sibling"].configuration().values()
    changed = []
    for name in WSJ:
        if name.startswith("wsj-try"):
            values = WSJ[name].configuration().values()
            changed.append({setting: values[setting] for setting in ours if values[setting] != ours[setting]})
    heads, folded = {"dropout_of": "heads"}, {"fold_numbers": True}
    four = [{}, heads, folded, heads | folded]
    assert changed == four + [change | {"agreement": False} for change in four]


def test_the_guess_of_the_time_knows_what_is_slow():
    guess = {name: seconds_per_thousand(experiment.configuration().learning) for name, experiment in WSJ.items()}
    assert all(seconds > 0 for seconds in guess.values())
    assert guess["wsj-ndmv"] < guess["wsj-lexical"] < guess["wsj-lexical-sibling"] < guess["wsj-lexical-grand"]
    assert all(guess[name] < guess["wsj-ndmv"] for name in OF_JIANG)
    assert guess["wsj-joint-sibling"] < guess["wsj-curve-dmo"] < guess["wsj-curve-em"]


# ---------------------------------------------------------------- cells


def test_short_sentences_are_learned_from_and_all_are_scored(data, tmp_path, monkeypatch):
    shrink(monkeypatch)
    result = run_one("wsj-dmv", data, tmp_path)
    assert result["training_data"]["sentences"] == 20  # the second of each section is long
    for scores in result["scores"].values():
        assert tuple(scores) == LENGTHS
        assert scores["10"] != scores["all"]


def test_hdp_dep_has_one_way_to_choose_the_tree_and_no_likelihood(data, tmp_path, monkeypatch):
    shrink(monkeypatch)
    result = run_one("wsj-hdp-dep", data, tmp_path)
    assert result["scores"]["viterbi"] == result["scores"]["mbr"]
    assert result["log_likelihood"] == {"train": None, "dev": None}
    assert result["epochs"] == len(result["history"]) == 2
    cell = Cell("wsj-hdp-dep", NAME, 0)
    assert read_cells([cell], tmp_path) == {cell: json.loads(json.dumps(result))}


@pytest.fixture
def hdp_deps(monkeypatch) -> list[int]:
    """The seeds of the HDP-DEPs that were trained for a start."""
    seeds, go = [], Run.go

    def counted(self, *arguments):
        if self.settings.model == "hdp-dep":
            seeds.append(self.settings.seed)
        return go(self, *arguments)

    monkeypatch.setattr(Run, "go", counted)
    return seeds


@pytest.mark.slow
def test_all_networks_of_a_seed_share_one_start(data, tmp_path, monkeypatch, hdp_deps):
    shrink(monkeypatch)
    for seed in (0, 1):
        for name in ("wsj-ndmv", "wsj-sibling-em", "wsj-joint-grand"):
            run_one(name, data, tmp_path, seed)
    assert hdp_deps == [0, 1]
    assert len(starts_in(tmp_path)) == 2


@pytest.mark.slow
def test_every_seed_has_a_start_of_its_own_and_all_its_networks_have_it(data, tmp_path, monkeypatch):
    shrink(monkeypatch)
    made = []

    def chain_trees(run: Run, init: tuple[str, ...]) -> np.ndarray:
        made.append((run.settings.seed, init))
        return np.concatenate([np.arange(length) for length in run.train.lengths]).astype(np.int32)

    monkeypatch.setattr(Run, "start_trees", chain_trees)
    for name, seed in (("wsj-ndmv", 0), ("wsj-ndmv", 1), ("wsj-sibling", 0)):
        run_one(name, data, tmp_path, seed)
    assert made == [(0, ("hdp-dep", "penn")), (1, ("hdp-dep", "penn"))]


def some_grammar(run: Run) -> GrammarModel:
    """In the place of a training."""
    tags = run.train.tag_vocabulary
    return GrammarModel(Order.FIRST, tags, random_table(Order.FIRST, len(tags), seed=1))


def other_long_sentences(text: str) -> str:
    """The file with other words in the sentences that are too long to learn trees from."""
    blocks = text.split("\n\n")
    return "\n\n".join(block.replace("uxxo", "plonk") if block.count("uxxo") > 2 else block for block in blocks)


def test_vectors_and_starts_are_shared_unless_seed_text_or_code_is_another(data, tmp_path, monkeypatch):
    shrink(monkeypatch, vectors=("fasttext",), epochs=1)
    made = []

    def counted(name: str, give):
        def make(run: Run, *arguments):
            made.append((name, run.settings.seed))
            return give(run)

        return make

    monkeypatch.setattr(Run, "start_trees", counted("start", lambda run: np.zeros(len(run.train.tags), np.int32)))
    monkeypatch.setattr(Run, "word_vectors", counted("vectors", lambda run: np.zeros((1, 1))))
    monkeypatch.setattr("depinduce.experiments.cells.trained", some_grammar)
    other = rewritten(data, tmp_path / "other", ("train",), other_long_sentences)

    def made_by(name: str, source: Path = data, seed: int = 0, code: str = "now") -> list[tuple[str, int]]:
        made.clear()
        (task,) = tasks_of([Cell(name, NAME, seed)], source, tmp_path / "out")
        run_cell(replace(task, code=code))
        return list(made)

    assert made_by("paper-wsj-lexical") == [("start", 0), ("vectors", 0)]
    assert made_by("paper-wsj-lexical-sibling") == []
    assert made_by("paper-wsj-lexical", source=other) == [("vectors", 0)]  # they are learned from long sentences, too
    assert made_by("paper-wsj-lexical", seed=1) == [("start", 1), ("vectors", 1)]
    assert made_by("paper-wsj-lexical", code="another") == [("start", 0), ("vectors", 0)]


def test_the_start_is_the_parse_by_the_hdp_dep_of_table_1_with_the_same_seed(data, tmp_path, monkeypatch):
    hdp_dep = EXPERIMENTS["wsj-hdp-dep"].configuration(seed=1)
    shrink(monkeypatch)
    run_one("wsj-ndmv", data, tmp_path, seed=1)
    (start,) = starts_in(tmp_path)
    train = training_corpus([str(data / NAME / "train.conllu")], hdp_dep.reading)
    model, _ = Run(hdp_dep, train).go()
    parses = parse_corpus(model, train, Parsing())
    np.testing.assert_array_equal(start, parses)


@pytest.mark.parametrize("name", ["wsj-dmv", "wsj-hdp-dep-no-rules", "wsj-ndmv-harmonic"])
def test_what_does_not_start_from_hdp_dep_does_not_make_its_trees(name, data, tmp_path, monkeypatch):
    shrink(monkeypatch)
    run_one(name, data, tmp_path)
    assert not starts_in(tmp_path)
    assert not (tmp_path / SHARED).exists()


@pytest.mark.parametrize("name", ["wsj-ndmv", "wsj-hdp-dep"])
def test_an_interrupted_hdp_dep_is_no_start_and_no_result(name, data, tmp_path, monkeypatch):
    shrink(monkeypatch)
    go = Run.go

    def interrupted(self, *more):
        return (None, False) if self.settings.model == "hdp-dep" else go(self, *more)

    monkeypatch.setattr(Run, "go", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_one(name, data, tmp_path)
    assert contents(tmp_path) == {}


# ---------------------------------------------------------------- no tree trains anything


@pytest.mark.slow
@pytest.mark.parametrize("name", ["wsj-dmv-rules", "wsj-hdp-dep", "wsj-ndmv", "wsj-joint-sibling"])
def test_without_gold_heads_in_train_and_dev_a_cell_is_bit_identical(name, data, tmp_path, monkeypatch):
    shrink(monkeypatch)
    blank = rewritten(data, tmp_path / "blank", ("train", "dev"), without_heads)
    gold, no_gold = (run_one(name, source, tmp_path / f"{source.name}-out") for source in (data, blank))
    for result in (gold, no_gold):
        del result["seconds"]
    assert gold == no_gold


@pytest.mark.slow
def test_other_gold_trees_change_the_curve_of_scores_and_nothing_in_the_training(data, tmp_path, monkeypatch):
    shrink(monkeypatch, ladder=())  # the curves have none
    other = rewritten(data, tmp_path / "other", ("train", "dev", "test"), chains)
    gold, not_gold = (run_one("wsj-curve-dmo", source, tmp_path / f"{source.name}-out") for source in (data, other))
    before = [result["history"][0].pop("before") for result in (gold, not_gold)]
    lines = [[one, *result["history"]] for one, result in zip(before, (gold, not_gold), strict=True)]
    watched = [[line.pop("watched")["uas_10"] for line in of_one] for of_one in lines]
    assert all(ours != theirs for ours, theirs in zip(*watched, strict=True))
    assert before[0] == before[1]
    unwatched = run_one("wsj-joint-sibling", data, tmp_path / f"{data.name}-out")
    for name in ("history", "log_likelihood", "training_data"):
        assert gold[name] == not_gold[name] == unwatched[name]
    assert gold["scores"] != not_gold["scores"]


# ---------------------------------------------------------------- trees of a file, in the place of HDP-DEP


def test_the_trees_of_a_file_are_learned_from_in_the_place_of_hdp_dep(data, tmp_path, monkeypatch, hdp_deps):
    shrink(monkeypatch, learning_rate=0.03, start_epochs=20, epochs=1)
    gold, chained = tmp_path / "gold.conllu", tmp_path / "chained.conllu"
    gold.write_text((data / NAME / "train.conllu").read_text("utf-8"), encoding="utf-8")
    chained.write_text(chains(gold.read_text("utf-8")), encoding="utf-8")
    taught, misled = (run_one("wsj-ndmv", data, tmp_path / file.stem, start=file) for file in (gold, chained))
    assert re.fullmatch(r"gold\.conllu \([0-9a-f]{12}\)", taught["start"])
    assert misled["start"] == name_of_trees(str(chained))
    assert taught["scores"]["viterbi"]["10"] > 60
    assert misled["scores"]["viterbi"]["10"] < 20
    assert hdp_deps == []
    assert run_one("wsj-ndmv", data, tmp_path / "hdp-dep")["start"] is None


@pytest.mark.slow
def test_the_trees_of_a_file_reach_a_ladder_that_others_climbed_before(data, tmp_path, monkeypatch):
    shrink(monkeypatch, learning_rate=0.03, start_epochs=20, epochs=1)
    gold, chained = tmp_path / "gold.conllu", tmp_path / "chained.conllu"
    gold.write_text((data / NAME / "train.conllu").read_text("utf-8"), encoding="utf-8")
    chained.write_text(chains(gold.read_text("utf-8")), encoding="utf-8")
    taught = run_one("wsj-joint-sibling", data, tmp_path / "out", start=gold)
    misled = run_one("wsj-joint-sibling", data, tmp_path / "out", start=chained)
    afresh = run_one("wsj-joint-sibling", data, tmp_path / "fresh", start=chained)
    assert (misled["scores"], misled["history"]) == (afresh["scores"], afresh["history"])
    assert taught["scores"] != misled["scores"]


@pytest.mark.slow
def test_cells_with_different_starts_are_not_mixed(data, tmp_path, monkeypatch):
    shrink(monkeypatch)
    start, other = data / NAME / "train.conllu", tmp_path / "elsewhere" / "train.conllu"
    other.parent.mkdir()
    other.write_text(chains(start.read_text("utf-8")), encoding="utf-8")  # other trees in a file of the same name
    run_one("wsj-ndmv", data, tmp_path, start=start)
    cell = Cell("wsj-ndmv", NAME, 0)
    assert read_cells([cell], tmp_path, str(start))[cell]["start"] == name_of_trees(str(start))
    complaint = re.escape(
        f"cells.jsonl, line 1: started from the trees of {name_of_trees(str(start))}, which is not what"
    )
    for now in (None, str(other)):
        with pytest.raises(DepinduceError, match=complaint):
            read_cells([cell], tmp_path, now)
    (tmp_path / "cells.jsonl").unlink()
    run_one("wsj-ndmv", data, tmp_path)
    with pytest.raises(DepinduceError, match="started from HDP-DEP, which is not what --init says now. Choose another"):
        read_cells([cell], tmp_path, str(other))


@pytest.mark.parametrize("name", ["wsj-dmv", "wsj-hdp-dep", "wsj-ndmv-harmonic"])
def test_what_does_not_start_from_hdp_dep_is_the_same_with_other_trees(name, data, tmp_path, monkeypatch):
    shrink(monkeypatch)
    start, cell = data / NAME / "train.conllu", Cell(name, NAME, 0)
    assert run_one(name, data, tmp_path, start=start)["start"] is None
    assert read_cells([cell], tmp_path, str(start)) == read_cells([cell], tmp_path)


def test_trees_of_other_sentences_are_refused(data, tmp_path, monkeypatch):
    shrink(monkeypatch)
    with pytest.raises(DepinduceError, match="it must hold the training sentences, with the same tags"):
        run_one("wsj-ndmv", data, tmp_path, start=data / NAME / "dev.conllu")
    assert contents(tmp_path) == {}


# ---------------------------------------------------------------- the paper's numbers


IN_TABLE_1 = {  # how the paper writes the names, where it does so in another way
    "variational D-NDMV": "Variational variant D-NDMV",
    "deterministic D-NDMV": "Deterministic variant D-NDMV",
    "lexicalised grand-NDMV": "Lexicalized grand-NDMV",
    "lexicalised sibling-NDMV": "Lexicalized sibling-NDMV",
    "joint grand-NDMV + L-NDMV": "Joint training: grand-NDMV + L-NDMV",
    "joint sibling-NDMV + L-NDMV": "Joint training: sibling-NDMV + L-NDMV",
}
FROM_HDP_DEP_IN_TABLE_1 = [  # what has a star there
    "variational D-NDMV", "deterministic D-NDMV", "L-NDMV", "grand-NDMV", "sibling-NDMV", "lexicalised grand-NDMV",
    "lexicalised sibling-NDMV", "joint grand-NDMV + L-NDMV", "joint sibling-NDMV + L-NDMV", "L-NDMV",
]  # fmt: skip


@needs_paper
def test_table_1_is_quoted_row_by_row():
    paper, rows = paper_numbers("wsj"), [row for row in table_of("wsjresult") if numbers_in(row)]
    names = [re.search(r"\{2\}\{c[|]\}\{(.*?) *([*]?) *(?:\\cite\{.*?\} *)?\}", row) for row in rows]
    found = [(name[1], name[2], numbers_in(row)) for name, row in zip(names, rows, strict=True)]
    quoted = [*paper["table1"].items(), *paper["table1_more_data"].items()]
    assert [(name, numbers) for name, _, numbers in found] == [
        (IN_TABLE_1.get(name, name), numbers) for name, numbers in quoted
    ]
    starred = [name for (_, star, _), (name, _) in zip(found, quoted, strict=True) if star]
    assert starred == FROM_HDP_DEP_IN_TABLE_1


@needs_paper
def test_the_other_quoted_numbers_are_those_of_the_paper():
    paper = paper_numbers("wsj")
    for name, printed in paper["table4"].items():
        (row,) = [row for row in table_of("WSJ: SC and EM") if row.startswith(f"{name} &")]
        *likelihoods, a, b, c, d, e, f = numbers_in(row)
        assert printed == [[likelihoods[0], a, b], [likelihoods[1], c, d], [likelihoods[2], e, f]]
    for way, printed in paper["table5"].items():
        (row,) = [row for row in table_of("joint-decoding") if row.startswith(f"{way} training &")]
        assert sum(printed, []) == numbers_in(row)
    sibling, first_order = numbers_in(text_of_paper().partition(r"\subsection{Limitations}")[2])[:2]
    assert paper["harmonic"] == {"NDMV": [first_order], "sibling-NDMV": [sibling]}


def test_quoted_numbers_add_up_to_what_those_of_the_paper_do():
    """Also where the paper is not at hand."""
    paper = paper_numbers("wsj")
    rows = [[number for way in zip(*paper["table4"][name], strict=True) for number in way] for name in paper["table4"]]
    by_row, (*likelihoods, a, b, c, d, e, f) = sums(rows)
    assert by_row == [370.4, 335.4, 273.9, 249.7]
    assert likelihoods == [-141.2, -147.9, -142.0]
    assert [a, d, b, e, c, f] == [304.8, 253.6, 295.7, 243.6, 304.7, 258.1]
    rows = [*paper["table1"].values(), *paper["table1_more_data"].values()]
    assert len(rows) == 25
    assert [round(sum(row[place] for row in rows if place < len(row)), 1) for place in (0, 1)] == [1736.8, 1231.7]
    assert sums([sum(row, []) for row in paper["table5"].values()]) == (
        [425.8, 436.3],
        [155.8, 128.1, 156.2, 130.4, 158.3, 133.3],
    )
    assert paper["harmonic"] == {"NDMV": [69.7], "sibling-NDMV": [58.5]}


def test_the_tables_of_the_paper_agree_where_they_print_the_same_model():
    paper = paper_numbers("wsj")
    for name in ("sibling-NDMV", "grand-NDMV"):
        assert paper["table4"][name][0][1:] == paper["table1"][name]
        assert paper["table4"][f"{name} + L-NDMV"][0][1:] == paper["table1"][f"joint {name} + L-NDMV"]
    assert paper["table5"]["joint"][2] == paper["table1"]["joint sibling-NDMV + L-NDMV"]


def test_every_number_of_the_paper_is_in_a_table():
    paper = paper_numbers("wsj")
    quoted = {tuple(numbers_in(row[3])) for row in table_1(results()).table.rows if row[3]}
    assert quoted == {*map(tuple, paper["table1"].values()), *map(tuple, paper["table1_more_data"].values())}
    assert {quoted for _, quoted in TABLE_1.values() if quoted is not None} < set(paper["table1"])
    assert {quoted for *_, quoted in STARTS.values()} - {None} == set(paper["harmonic"])
    quoted = {tuple(numbers_in(row[3])) for row in harmonic_table(results()).table.rows if row[3]}
    assert quoted == {*map(tuple, paper["harmonic"].values())}
    assert set(TABLE_4) == set(paper["table4"])
    assert set(TABLE_5) == set(paper["table5"])


def test_every_experiment_is_in_a_table_or_a_figure():
    shown = {name for name, _ in TABLE_1.values()} | {name for *pair, _ in STARTS.values() for name in pair}
    shown |= {name for names in TABLE_4.values() for name in names} | {name for _, name in TABLE_5.values()}
    shown |= {f"paper-{name}" for name in shown if f"paper-{name}" in WSJ}
    shown |= {f"wsj-try-{way}{name}" for way in ("joint", "separate") for name in TRIED}
    assert shown | {"wsj-curve-dmo", "wsj-curve-em"} == set(WSJ)


# ---------------------------------------------------------------- tables


def row_of(table, name: str) -> dict[str, str]:
    return next(dict(zip(table.columns, row, strict=True)) for row in table.rows if row[0] == name)


def results(*found: dict, seeds: int = 1) -> Results:
    return Results(found, [NAME], seeds, suite="wsj")


QUOTED_AND_KNOWN = {
    "DMV": ("58.3 / 39.4", "none"),
    "DMV with rules": ("", "universal rules in training"),
    "HDP-DEP without rules": ("", "none"),
    "HDP-DEP, one subsymbol": ("", "universal rules in training"),
    "HDP-DEP": ("73.8 / –", "universal rules in training"),
    "HDP-DEP, English rules": ("", "English rules in training"),
    "NDMV of Jiang et al., harmonic start": ("", "none"),
    "E-DMV of Jiang et al., harmonic start": ("", "none"),
    "NDMV of Jiang et al.": ("", "universal rules in the start"),
    "E-DMV of Jiang et al.": ("72.5 / 57.6", "universal rules in the start"),
    "NDMV": ("", "universal rules in the start"),
    "L-NDMV": ("75.1 / 59.5", "universal rules in the start"),
    "L-NDMV, as published": ("75.1 / 59.5", "universal rules in the start"),
    "grand-NDMV": ("71.4 / 57.3", "universal rules in the start"),
    "sibling-NDMV": ("77.5 / 64.5", "universal rules in the start"),
    "lexicalised grand-NDMV": ("63.0 / 52.6", "universal rules in the start"),
    "lexicalised grand-NDMV, as published": ("63.0 / 52.6", "universal rules in the start"),
    "lexicalised sibling-NDMV": ("78.3 / 66.4", "universal rules in the start"),
    "lexicalised sibling-NDMV, as published": ("78.3 / 66.4", "universal rules in the start"),
    "joint grand-NDMV + L-NDMV": ("76.0 / 64.3", "universal rules in the start"),
    "joint grand-NDMV + L-NDMV, as published": ("76.0 / 64.3", "universal rules in the start"),
    "joint sibling-NDMV + L-NDMV": ("79.9 / 67.5", "universal rules in the start"),
    "joint sibling-NDMV + L-NDMV, as published": ("79.9 / 67.5", "universal rules in the start"),
}


QUOTED_ALONE = {
    "LN": "59.4 / 40.5",
    "Convex-MST": "60.8 / 48.6",
    "Shared LN": "61.3 / 41.4",
    "Feature DMV": "63.0 / –",
    "PR-S": "64.3 / 53.3",
    "E-DMV": "65.0 / –",
    "TSG-DMV": "65.9 / 53.1",
    "UR-A E-DMV": "71.4 / 57.0",
    "CRFAE": "71.7 / 55.7",
    "NVTP": "54.7 / 37.8",
    "variational D-NDMV": "75.5 / 60.4",
    "deterministic D-NDMV": "75.6 / 61.4",
    "CS, additional data": "72.0 / 64.4",
    "MaxEnc, additional data": "73.2 / 65.8",
    "L-NDMV, additional data": "77.2 / 63.2",
}


def rows_of_ours(table) -> list[list[str]]:
    return [row for row in table.rows if not row[0].endswith(" (quoted)")]


def test_table_1_quotes_the_paper_and_says_what_every_row_knows():
    rows = rows_of_ours(table_1(results()).table)
    assert {row[0]: (row[-2], row[-1]) for row in rows} == QUOTED_AND_KNOWN
    assert [row[0] for row in rows] == list(QUOTED_AND_KNOWN)


def test_table_1_quotes_what_we_have_nothing_to_set_beside():
    captioned = table_1(results(*(made_up_cell(name, 0, 60) for name in WSJ)))
    alone = [row for row in captioned.table.rows if row not in rows_of_ours(captioned.table)]
    assert [(row[0], *row[1:4]) for row in alone] == [
        (f"{name} (quoted)", "", "", numbers) for name, numbers in QUOTED_ALONE.items()
    ]
    assert any("quoted alone are not run here" in note for note in captioned.notes)


@pytest.mark.parametrize("name", WSJ)
def test_what_an_experiment_knows_follows_from_its_settings(name):
    settings = WSJ[name].configuration().learning
    rules = {None: [], "penn": ["universal rules in training"], "english": ["English rules in training"]}
    start = ["universal rules in the start"] if settings.init == ("hdp-dep", "penn") else []
    assert knowledge(name) == (" and ".join(rules[settings.rules] + start) or "none")
    assert settings.init in (("harmonic",), ("hdp-dep", "penn"))


def test_table_1_has_means_over_seeds_of_both_lengths_and_both_decoders():
    found = [made_up_cell("wsj-sibling", seed, uas) for seed, uas in enumerate((60, 62, 64))]
    found.append(made_up_cell("wsj-grand", 1, 50))
    table = table_1(results(*found, seeds=3)).table
    sibling = row_of(table, "sibling-NDMV")
    assert sibling["Viterbi"] == "62.0 ± 2.0 / 52.0 ± 2.0"
    assert sibling["minimum Bayes risk"] == "63.0 ± 2.0 / 53.0 ± 2.0"
    assert row_of(table, "grand-NDMV")["Viterbi"] == "50.0 (1) / 40.0 (1)"
    assert row_of(table, "NDMV")["Viterbi"] == ""
    assert table.title == "Table 1, UAS (%), ≤10 words / all; test sentences, mean ± sd of 3 seeds"


def test_the_two_starts_are_side_by_side():
    uas = {"wsj-ndmv": 70, "wsj-ndmv-harmonic": 50, "wsj-jiang-e-ndmv-hdp": 71, "wsj-jiang-e-ndmv": 51}
    uas |= {"wsj-jiang-ndmv-hdp": 72, "wsj-jiang-ndmv": 52}
    table = harmonic_table(results(*(made_up_cell(name, 0, value) for name, value in uas.items()))).table
    assert table.rows == [
        ["NDMV of Jiang et al.", "72.0 / 62.0", "52.0 / 42.0", ""],
        ["E-DMV of Jiang et al.", "71.0 / 61.0", "51.0 / 41.0", "69.7 / –"],
        ["NDMV", "70.0 / 60.0", "50.0 / 40.0", ""],
        ["L-NDMV", "", "", ""],
        ["sibling-NDMV", "", "", "58.5 / –"],
    ]


def test_table_4_shows_scores_and_likelihoods_beside_the_printed_ones():
    found = [made_up_cell("wsj-grand-em", seed, 60 + seed) for seed in (0, 1)]
    found.append(made_up_cell("wsj-joint-sibling-no-skip", 0, 70))
    found.append(made_up_cell("paper-wsj-joint-sibling-no-skip", 0, 75))
    shown = results(*found, seeds=3)
    scores, likelihoods = table_4(shown).table, table_4_likelihood(shown).table
    grand, joint = row_of(scores, "grand-NDMV"), row_of(scores, "sibling-NDMV + L-NDMV")
    assert grand["EM"] == "60.5 ± 0.7 (2) / 50.5 ± 0.7 (2)"
    assert (grand["DMO"], grand["EM, quoted"], grand["DMO, quoted"]) == ("", "72.7 / 61.8", "71.4 / 57.3")
    assert joint["DMO, no skip connections"] == "70.0 (1) / 60.0 (1)"
    assert joint["DMO, no skip connections, quoted"] == "78.2 / 64.7"
    published = row_of(scores, "sibling-NDMV + L-NDMV, as published")
    assert published["DMO, no skip connections"] == "75.0 (1) / 65.0 (1)"
    assert published["DMO, no skip connections, quoted"] == "78.2 / 64.7"
    assert [row[0] for row in scores.rows] == [row[0] for row in likelihoods.rows]
    assert len(scores.rows) == 6  # over tags the paper's recipe is ours
    grand, joint = row_of(likelihoods, "grand-NDMV"), row_of(likelihoods, "sibling-NDMV + L-NDMV")
    assert (grand["EM"], grand["EM, quoted"], grand["DMO"]) == ("-20.50 / -21.00 (2)", "-17.0", "")
    assert joint["DMO, no skip connections, quoted"] == "-55.3"


def test_table_5_tells_training_and_parsing_apart():
    uas = {
        "wsj-separate-sibling": 60,
        "wsj-joint-sibling": 80,
        "paper-wsj-separate-sibling": 61,
        "paper-wsj-joint-sibling": 81,
    }
    table = table_5(results(*(made_up_cell(name, 0, value) for name, value in uas.items()))).table
    separate, joint = ["76.6 / 62.7", "77.5 / 64.8", "78.4 / 65.8"], ["79.2 / 65.4", "78.7 / 65.6", "79.9 / 67.5"]
    assert table.rows == [
        ["separately", "40.0 / 30.0", "55.0 / 45.0", "60.0 / 50.0", *separate],
        ["separately, as published", "41.0 / 31.0", "56.0 / 46.0", "61.0 / 51.0", *separate],
        ["jointly", "60.0 / 50.0", "75.0 / 65.0", "80.0 / 70.0", *joint],
        ["jointly, as published", "61.0 / 51.0", "76.0 / 66.0", "81.0 / 71.0", *joint],
    ]
    assert table.columns[1:4] == ["by L-NDMV", "by sibling-NDMV", "by both"]


def test_the_trials_are_shown_as_those_of_dev_sentences_whatever_is_asked_for():
    found = [made_up_cell("wsj-try-joint-heads", seed, 60 + seed) for seed in range(3)]
    table = trial_table(results(*found, made_up_cell("wsj-try-separate-folded", 0, 70), seeds=5)).table
    assert table.title == "Dropout and numbers, UAS (%), ≤10 words / all; dev sentences, mean ± sd of 3 seeds"
    assert row_of(table, "dropout of heads")["jointly, by both"] == "61.0 ± 1.0 / 51.0 ± 1.0"
    assert row_of(table, "dropout of heads")["jointly, by L-NDMV"] == "41.0 ± 1.0 / 31.0 ± 1.0"
    assert row_of(table, "numbers folded")["separately, by both"] == "70.0 (1) / 60.0 (1)"
    assert [row[0] for row in table.rows] == [about for about, _ in TRIED.values()]


ROWS_1 = {  # the model, its rules in training, and its start
    "DMV": ("dmv", None, ("harmonic",)),
    "DMV with rules": ("dmv", "penn", ("harmonic",)),
    "HDP-DEP without rules": ("hdp-dep", None, ("harmonic",)),
    "HDP-DEP, one subsymbol": ("hdp-dep", "penn", ("harmonic",)),
    "HDP-DEP": ("hdp-dep", "penn", ("harmonic",)),
    "HDP-DEP, English rules": ("hdp-dep", "english", ("harmonic",)),
    "NDMV of Jiang et al., harmonic start": ("jiang-ndmv", None, ("harmonic",)),
    "E-DMV of Jiang et al., harmonic start": ("jiang-ndmv", None, ("harmonic",)),
    "NDMV of Jiang et al.": ("jiang-ndmv", None, ("hdp-dep", "penn")),
    "E-DMV of Jiang et al.": ("jiang-ndmv", None, ("hdp-dep", "penn")),
    "NDMV": ("ndmv", None, ("hdp-dep", "penn")),
    "L-NDMV": ("lexical", None, ("hdp-dep", "penn")),
    "grand-NDMV": ("grand", None, ("hdp-dep", "penn")),
    "sibling-NDMV": ("sibling", None, ("hdp-dep", "penn")),
    "lexicalised grand-NDMV": ("lexical-grand", None, ("hdp-dep", "penn")),
    "lexicalised sibling-NDMV": ("lexical-sibling", None, ("hdp-dep", "penn")),
    "joint grand-NDMV + L-NDMV": ("joint-grand", None, ("hdp-dep", "penn")),
    "joint sibling-NDMV + L-NDMV": ("joint-sibling", None, ("hdp-dep", "penn")),
}
ROWS_4 = {
    "sibling-NDMV": "sibling",
    "grand-NDMV": "grand",
    "sibling-NDMV + L-NDMV": "joint-sibling",
    "grand-NDMV + L-NDMV": "joint-grand",
}
WAYS_OF_4 = {"DMO": ("dmo", True), "DMO, no skip connections": ("dmo", False), "EM": ("em", True)}
PARTS_OF_5 = {"by L-NDMV": "words", "by sibling-NDMV": "tags", "by both": "both"}
NAMES = list(WSJ)
NUMBERED = results(*numbered_cells(NAMES, NAME, LENGTHS))


@pytest.mark.parametrize("name", ROWS_1)
def test_every_row_of_table_1_shows_what_its_name_says(name):
    row = row_of(table_1(NUMBERED).table, name)
    experiment = both_lengths_of(row["Viterbi"], NAMES)
    assert both_lengths_of(row["minimum Bayes risk"], NAMES, decoder="mbr") == experiment
    configuration = WSJ[experiment].configuration()
    settings = configuration.learning
    assert (settings.model, settings.rules, settings.init) == ROWS_1[name]
    if isinstance(configuration.network, JiangNetworkSettings):
        assert configuration.network.child_valence is name.startswith("E-DMV")
    if settings.model == "hdp-dep":
        assert (settings.subsymbols == 1) is ("one subsymbol" in name)


def test_every_column_of_the_starts_shows_what_its_name_says():
    table = harmonic_table(NUMBERED).table
    models = {"NDMV of Jiang et al.": "jiang-ndmv", "E-DMV of Jiang et al.": "jiang-ndmv", "NDMV": "ndmv"}
    models |= {"L-NDMV": "lexical", "sibling-NDMV": "sibling"}
    assert [row[0] for row in table.rows] == list(models)
    for name, model in models.items():
        row = row_of(table, name)
        for column, start in (("the parses of HDP-DEP", "hdp-dep"), ("the harmonic grammar", "harmonic")):
            configuration = WSJ[both_lengths_of(row[f"from {column}"], NAMES)].configuration()
            settings, network = configuration.learning, configuration.network
            assert (settings.model, settings.init[0]) == (model, start)
            assert not isinstance(network, JiangNetworkSettings) or network.child_valence is name.startswith("E-DMV")
            assert start != "harmonic" or settings.start_trees == "best"  # through parses, as on UD


@pytest.mark.parametrize("name", ROWS_4)
@pytest.mark.parametrize("way", WAYS_OF_4)
def test_every_cell_of_table_4_shows_what_its_row_and_column_say(name, way):
    experiment = both_lengths_of(row_of(table_4(NUMBERED).table, name)[way], NAMES)
    likelihoods = row_of(table_4_likelihood(NUMBERED).table, name)[way]
    assert told(likelihoods, NAMES) == [(experiment, "both", "train"), (experiment, "both", "dev")]
    configuration = WSJ[experiment].configuration()
    assert configuration.learning.model == ROWS_4[name]
    assert (configuration.learning.method, configuration.network.skip_connections) == WAYS_OF_4[way]
    assert configuration.learning.agreement
    assert configuration.learning.gradient_steps == (5 if way == "EM" else 1)  # on the counts of a batch, as on UD


@pytest.mark.parametrize(("way", "agreement"), [("separately", False), ("jointly", True)])
def test_every_cell_of_table_5_shows_what_its_row_and_column_say(way, agreement):
    row = row_of(table_5(NUMBERED).table, way)
    for column, part in PARTS_OF_5.items():
        settings = WSJ[both_lengths_of(row[column], NAMES, part)].configuration().learning
        assert (settings.model, settings.agreement) == ("joint-sibling", agreement)


def test_every_table_says_what_is_known_and_what_is_quoted():
    *tables, trials = wsj_tables(results())
    assert any("Not in the paper." in note for note in trials.notes)
    for captioned in tables:
        known = "knowledge used" in captioned.table.columns or any(
            "universal rules in the start" in note for note in captioned.notes if note.startswith("Knowledge used: ")
        )
        assert known
        assert any("Quoted: as the paper prints it" in note for note in captioned.notes)
    (note,) = [note for note in harmonic_table(results()).notes if "Knowledge" in note]
    assert note.endswith("NDMV, from the harmonic grammar; sibling-NDMV, from the harmonic grammar: none.")


def test_with_trees_of_a_file_no_table_says_that_it_starts_from_hdp_dep(tmp_path):
    trees = tmp_path / "theirs.conllu"
    trees.write_text("", encoding="utf-8")
    shown = Results([], [NAME], 1, suite="wsj", start=str(trees))
    name, known = name_of_trees(str(trees)), f"whatever made the trees of {name_of_trees(str(trees))}, in the start"
    table, starts = table_1(shown), harmonic_table(shown)
    assert [row[-1] for row in rows_of_ours(table.table)] == [
        known if "in the start" in ours else ours for _, ours in QUOTED_AND_KNOWN.values()
    ]
    assert any(f"the two just above it, start from the trees of {name}, " in note for note in table.notes)
    assert starts.table.columns[1] == f"from the trees of {name}"
    written = as_markdown(wsj_tables(shown))
    assert "rules in the start" not in written
    assert "the parses of HDP-DEP" not in written
    assert all(known in " ".join(captioned.notes) for captioned in wsj_tables(shown)[1:])
    assert shown.to_json()["trees"] == name


def test_the_markdown_is_a_table_that_every_row_fits():
    blocks = as_markdown(wsj_tables(results(made_up_cell("wsj-ndmv", 0, 60)))).split("### ")[1:]
    titles = ["Table 1, UAS", "Section 5.4, UAS", "Table 4, UAS", "Table 4, log-likelihood", "Table 5, UAS"]
    titles.append("Dropout and numbers, UAS")
    assert [block.partition(" (%)")[0].partition(", train")[0] for block in blocks] == titles
    for block in blocks:
        rows = [line for line in block.splitlines() if line.startswith("|")]
        assert len(rows) > 3
        assert len({row.count("|") for row in rows}) == 1


def test_the_json_has_the_parts_of_joint_models_and_the_numbers_of_the_paper():
    curve = made_up_cell("wsj-curve-em", 0, 1)
    report = results(made_up_cell("wsj-joint-grand", 0, 60), made_up_cell("wsj-hdp-dep", 0, 50), curve).to_json()
    assert set(report["experiments"]) == {"wsj-joint-grand", "wsj-hdp-dep"}  # curves are for the figures
    joint = report["experiments"]["wsj-joint-grand"]
    assert set(joint) == {"recipe", "knowledge", NAME}  # of one language there is no mean
    assert joint["knowledge"] == "universal rules in the start"
    assert joint[NAME]["words alone, mbr"]["all"] == {"mean": 31, "sd": None, "seeds": [31]}
    assert "words alone, mbr" not in report["experiments"]["wsj-hdp-dep"][NAME]
    assert report["paper"] == paper_numbers("wsj")
    assert report["trees"] is None


def test_the_json_says_which_scores_are_those_of_dev_sentences():
    report = results(made_up_cell("wsj-try-joint", 0, 60), made_up_cell("wsj-ndmv", 0, 60)).to_json()
    assert report["split"] == "test"
    assert report["experiments"]["wsj-try-joint"]["split"] == "dev"
    assert "split" not in report["experiments"]["wsj-ndmv"]


def test_a_bound_is_not_shown_as_a_likelihood():
    unknown = {"train": None, "dev": None}
    report = results(made_up_cell("wsj-hdp-dep", 0, 50, log_likelihood=unknown)).to_json()
    means = report["experiments"]["wsj-hdp-dep"][NAME]["log_likelihood"]
    assert means == {part: {"mean": None, "sd": None, "seeds": []} for part in ("train", "dev")}


# ---------------------------------------------------------------- figures


def curve(name: str, seed: int, heights: list[float]) -> dict:
    lines = [{"train": height - 100, "dev": height - 101, "watched": {"uas_10": height}} for height in heights]
    return made_up_cell(name, seed, 60, history=lines)


def test_the_figures_are_those_of_the_paper_on_wsj():
    found = curve("wsj-curve-dmo", 0, [60, 61]), curve("wsj-curve-dmo", 1, [60, 63]), curve("wsj-curve-em", 0, [50, 51])
    figures = figures_of(results(*found, seeds=3))
    assert set(figures) == {"figure-2-likelihood.svg", "figure-3-uas.svg"}
    assert figures["figure-3-uas.svg"].count("<polygon") == 1  # EM has one seed
    for text in figures.values():
        about = ElementTree.fromstring(text).find("{*}desc").text
        assert "Joint sibling-NDMV and L-NDMV by our recipe, without its ladder on WSJ, sentences of up to 10" in about
        assert "Trainings: 2 of DMO and 1 of EM." in about
    assert figures_of(results(made_up_cell("wsj-ndmv", 0, 60))) == {}


def test_the_figures_leave_out_what_a_ladder_has_below_the_model():
    def line(model: str, rung: int, height: float) -> dict:
        return {"rung": rung, "model": model, "train": height, "dev": height, "watched": {"uas_10": 50 + height}}

    below = [line("sibling", 0, -17), line("sibling", 0, -16.5)]
    joint = [line("joint-sibling", 1, -43), line("joint-sibling", 1, -42)]
    with_ladder, without = (
        figures_of(results(made_up_cell("wsj-curve-dmo", 0, 60, history=history))) for history in (below + joint, joint)
    )
    assert with_ladder == without != {}


# ---------------------------------------------------------------- the data of these tests


def test_the_sentences_to_learn_from_differ_from_those_that_are_scored():
    learned = {tree(2 * section) for section in range(2, 22)}
    scored = set(trees(205, 12).splitlines(keepends=True))
    assert len(learned) > 15
    assert len(scored) == 12
    assert len(scored - learned) > 6
