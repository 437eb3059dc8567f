"""`depinduce reproduce wsj`: from the user's treebank to the paper's tables and figures, and nothing done twice."""

from __future__ import annotations

import json
import re
import shutil
import sys
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from cli.demo_parts import contents, depinduce
from experiments.tiny_ud import in_this_process, results_in, shrink, tiny_data
from experiments.tiny_wsj import sample, starts_in, treebank, words

from depinduce.experiments.cells import LOOKS
from depinduce.experiments.experiment import name_of_trees
from depinduce.experiments.results import knowledge, paper_numbers
from depinduce.experiments.suites import EXPERIMENTS
from depinduce.experiments.wsj import NAME, SAMPLE_TRAIN, WSJ, prepare
from depinduce.learning.learners import networks

CONVERTED = {f"data/{NAME}/{split}.conllu" for split in ("train", "dev", "test")}
DATA = {*CONVERTED, "data/.gitignore", "data/source.txt"}
VARIANTS = ("wsj-try", "paper-wsj-separate", "paper-wsj-joint-sibling-", "paper-wsj-joint-grand-")
MOST = [name for name in WSJ if not name.startswith(VARIANTS)]  # all take long, and the others are much like these
TABLES_AND_FIGURES = {"wsj.md", "wsj.json", "figure-2-likelihood.svg", "figure-3-uas.svg"}


@pytest.fixture(scope="module")
def ptb(tmp_path_factory) -> Path:
    return treebank(tmp_path_factory.mktemp("treebank"))


@pytest.fixture
def ran(monkeypatch) -> list[str]:
    shrink(monkeypatch)
    return in_this_process(monkeypatch)


def depinduce_wsj(ptb: Path, out: Path, *options: object) -> int:
    return depinduce("reproduce", "wsj", "--ptb", ptb, "--out", out, *options)


# ---------------------------------------------------------------- everything, once


@dataclass
class WholeRun:
    out: Path
    code: int
    ran: list[str]
    shown: str
    told: str  # on stderr


@pytest.fixture(scope="module")
def whole(ptb, tmp_path_factory) -> WholeRun:
    """Most experiments with one seed."""
    out = tmp_path_factory.mktemp("wsj") / "out"
    with pytest.MonkeyPatch.context() as monkeypatch:
        shrink(monkeypatch)
        done = in_this_process(monkeypatch)
        shown, told = Lines(), Lines()
        monkeypatch.setattr(sys, "stdout", shown)
        monkeypatch.setattr(sys, "stderr", told)
        monkeypatch.setattr("depinduce.experiments.cells.warm_up", lambda cells: print("compiling", file=sys.stderr))
        code = depinduce_wsj(ptb, out, "--seeds", 1, "--experiments", *MOST)
    return WholeRun(out, code, done, shown.text, told.text)


class Lines:
    """A stream that keeps what is written."""

    def __init__(self):
        self.text = ""

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return False


def test_every_experiment_that_is_named_runs_once_in_the_order_of_the_suite(whole):
    assert whole.code == 0
    assert whole.ran == [f"{name} {NAME} 0" for name in MOST]


@pytest.mark.slow
def test_unless_some_are_named_all_experiments_run(ptb, tmp_path, ran):
    assert depinduce_wsj(ptb, tmp_path, "--seeds", 1) == 0
    assert ran == [f"{name} {NAME} 0" for name in WSJ]


def test_cells_tables_figures_and_data_come_out_and_nothing_else(whole):
    found = {file for file in contents(whole.out) if not file.startswith("shared/")}
    assert found == {"cells.jsonl", "dev-cells.jsonl", LOOKS, *DATA, *TABLES_AND_FIGURES}
    for file, split in (("cells.jsonl", "test"), ("dev-cells.jsonl", "dev")):
        scored = {f"{name} {NAME} 0" for name in MOST if WSJ[name].scored_on("test") == split}
        assert set(results_in(whole.out / file)) == scored


def test_what_cells_have_in_common_is_made_once(whole):
    assert len(starts_in(whole.out)) == 1  # the parses of HDP-DEP, for all that start from it
    first_rungs = {"sibling", "grand", "sibling without skip connections", "grand without skip connections"}
    assert len(list((whole.out / "shared").iterdir())) == 1 + len(first_rungs)


def test_nothing_of_the_treebank_is_outside_of_its_directory(whole):
    language = {word.encode() for word in words()}
    assert len(language) > 10
    with_words = {file for file, text in contents(whole.out).items() if any(word in text for word in language)}
    assert with_words == CONVERTED
    assert not any(word.encode() in (whole.shown + whole.told).encode() for word in words())


def test_the_estimate_is_printed_before_anything_is_compiled_or_run(whole):
    told = [line for line in whole.told.splitlines() if not line.startswith("converting")]
    assert told[0].startswith(f"{len(MOST)} cells to run, 2 at a time, about ")
    assert told[0].endswith(f"; 0 are in {whole.out} already")
    assert told[1:3] == ["compiling", "running wsj-dmv wsj 0"]


def test_the_tables_are_shown_and_written_with_what_every_row_knows(whole):
    written = (whole.out / "wsj.md").read_text("utf-8")
    titles = "Table 1, UAS", "Section 5.4, UAS", "Table 4, UAS", "Table 4, log-likelihood", "Table 5, UAS"
    for title in (*titles, "Dropout and numbers, UAS"):
        assert title in whole.shown
        assert f"### {title}" in written
    table_1 = written.split("### ")[1]
    rows = [line.split(" | ") for line in table_1.splitlines() if line.startswith("| ")][2:]
    rows = [row for row in rows if "(quoted)" not in row[0]]
    assert len(rows) == 18 + 5  # as published, where that is another recipe
    assert all(
        cell.strip() for row in rows for cell in (row[0], row[1], row[2], row[4])
    )  # only quoted ones are missing
    known = [row[-1].removesuffix(" |") for row in rows]
    assert known.count("none") == 4
    assert known.count("English rules in training") == 1
    assert known[6:] == ["none"] * 2 + ["universal rules in the start"] * 15


def test_the_summary_has_the_numbers_of_the_cells_and_of_the_paper(whole):
    summary = json.loads((whole.out / "wsj.json").read_text("utf-8"))
    assert set(summary["experiments"]) == {name for name in MOST if not WSJ[name].watched}
    assert summary["paper"] == paper_numbers("wsj")
    cells = results_in(whole.out / "cells.jsonl")
    for name, told in summary["experiments"].items():
        cell = cells[f"{name} {NAME} 0"]
        for decoder in ("viterbi", "mbr"):
            assert {length: told[NAME][decoder][length]["mean"] for length in ("10", "all")} == cell["scores"][decoder]
        assert told["knowledge"] == knowledge(name)
        assert cell["start"] is None
    parts = summary["experiments"]["wsj-separate-sibling"][NAME]
    cell = cells[f"wsj-separate-sibling {NAME} 0"]
    for part in ("words", "tags"):
        assert parts[f"{part} alone, viterbi"]["all"]["mean"] == cell["parts"][part]["viterbi"]["all"]


def test_the_figures_draw_the_curves_of_dmo_and_em(whole):
    for name, lines in (("figure-2-likelihood.svg", 4), ("figure-3-uas.svg", 2)):
        text = (whole.out / name).read_text("utf-8")
        assert "Trainings: 1 of DMO and 1 of EM." in ElementTree.fromstring(text).find("{*}desc").text
        assert text.count('class="curve-line') - text.count("h26") == lines


def test_a_second_call_runs_nothing_and_leaves_every_file_as_it_was(whole, ptb, ran, capsys):
    before = contents(whole.out)
    assert depinduce_wsj(ptb, whole.out, "--seeds", 1, "--experiments", *MOST) == 0
    assert ran == []
    told = capsys.readouterr().err
    assert f"all {len(MOST)} cells are in" in told
    assert "converting" not in told
    assert contents(whole.out) == before


# ---------------------------------------------------------------- again and again


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_finished_and_the_same_command_goes_on(ptb, tmp_path, monkeypatch, capsys):
    shrink(monkeypatch)
    options = ["--experiments", "wsj-dmv", "wsj-hdp-dep", "wsj-ndmv", "wsj-sibling", "--seeds", 1]
    with monkeypatch.context() as once:
        in_this_process(once, stop_before=3)
        assert depinduce_wsj(ptb, tmp_path, *options) == 130
    assert "interrupted; finished cells are kept in" in capsys.readouterr().err
    finished = {"wsj-dmv wsj 0", "wsj-hdp-dep wsj 0", "wsj-ndmv wsj 0"}
    assert set(results_in(tmp_path / "cells.jsonl")) == finished
    start = contents(tmp_path / "shared")
    left = in_this_process(monkeypatch)
    assert depinduce_wsj(ptb, tmp_path, *options) == 0
    assert left == ["wsj-sibling wsj 0"]
    assert "converting" not in capsys.readouterr().err
    assert contents(tmp_path / "shared") == start


@pytest.mark.slow
def test_more_seeds_are_added_to_those_that_are_there(ptb, tmp_path, ran, capsys):
    options = ["--models", "hdp-dep", "dmv", "--experiments", "wsj-dmv", "wsj-hdp-dep", "wsj-ndmv"]
    assert depinduce_wsj(ptb, tmp_path, *options, "--seeds", 1) == 0
    assert depinduce_wsj(ptb, tmp_path, *options, "--seeds", 2) == 0
    assert ran == ["wsj-dmv wsj 0", "wsj-hdp-dep wsj 0", "wsj-dmv wsj 1", "wsj-hdp-dep wsj 1"]
    assert "2 cells to run, 2 at a time, about" in capsys.readouterr().err
    cells = results_in(tmp_path / "cells.jsonl")
    first, second = (cells[f"wsj-hdp-dep wsj {seed}"]["scores"]["mbr"]["10"] for seed in (0, 1))
    told = json.loads((tmp_path / "wsj.json").read_text("utf-8"))["experiments"]["wsj-hdp-dep"][NAME]["mbr"]["10"]
    assert told["seeds"] == [first, second]
    assert told["mean"] == pytest.approx((first + second) / 2, abs=1e-4)


def test_the_sample_takes_the_place_of_the_treebank(tmp_path, ran):
    given, out = sample(tmp_path / "sample"), tmp_path / "out"
    options = ["--sample", given, "--out", out, "--experiments", "wsj-dmv", "wsj-ndmv", "--seeds", 1]
    assert depinduce("reproduce", "wsj", *options) == 0
    assert ran == ["wsj-dmv wsj 0", "wsj-ndmv wsj 0"]
    found = {file for file in contents(out) if not file.startswith("shared/")}
    assert found == {"cells.jsonl", LOOKS, *DATA, "wsj.md", "wsj.json"}
    assert results_in(out / "cells.jsonl")["wsj-dmv wsj 0"]["training_data"]["sentences"] == 30


def test_dev_trees_are_scored_apart(ptb, tmp_path, ran, capsys):
    assert depinduce_wsj(ptb, tmp_path, "--experiments", "wsj-dmv", "--seeds", 1, "--split", "dev") == 0
    assert "Table 1, UAS (%), ≤10 words / all; dev sentences, 1 seed" in capsys.readouterr().out
    assert set(contents(tmp_path)) == {*DATA, "dev-cells.jsonl", "wsj-dev.md", "wsj-dev.json"}


def with_numbers(folder: Path) -> Path:
    """The sample in which one word is another number in every sentence."""
    given = sample(folder)
    text = (given / SAMPLE_TRAIN).read_text("utf-8")
    numbers = (str(number) for number in count(10))
    (given / SAMPLE_TRAIN).write_text(re.sub("kwar", lambda _: next(numbers), text), "utf-8")
    return given


@pytest.mark.slow
def test_results_with_numbers_as_they_are_and_folded_are_of_the_same_sentences(tmp_path, ran, capsys):
    given, out = with_numbers(tmp_path / "sample"), tmp_path / "out"
    options = ["--sample", given, "--out", out, "--seeds", 1, "--experiments", "wsj-dmv", "wsj-try-joint-folded"]
    assert depinduce("reproduce", "wsj", *options) == 0
    plain, folded = (results_in(out / file) for file in ("cells.jsonl", "dev-cells.jsonl"))
    identities = [cell["training_data"] for cell in (*plain.values(), *folded.values())]
    assert identities[0]["sha256"] != identities[1]["sha256"]
    assert depinduce("reproduce", "wsj", *options) == 0
    assert len(ran) == 2
    other = sample(tmp_path / "other")
    shutil.rmtree(out / "data")
    capsys.readouterr()
    assert depinduce("reproduce", "wsj", "--sample", other, *options[2:]) == 1
    assert "has results of other sentences" in capsys.readouterr().err


@pytest.mark.slow
def test_word_vectors_are_learned_once_for_all_experiments_of_a_seed(ptb, tmp_path, ran, monkeypatch):
    taught = []

    def train_vectors(sentences, words, dimension, **how):
        taught.append((how["seed"], max(map(len, sentences))))
        return np.zeros((len(words), dimension), np.float32)

    monkeypatch.setattr(networks, "train_vectors", train_vectors)
    names = ["paper-wsj-lexical", "paper-wsj-joint-sibling"]
    for name in names:
        learned = {**EXPERIMENTS[name].changes, "vectors": ("fasttext",)}
        monkeypatch.setitem(EXPERIMENTS, name, replace(EXPERIMENTS[name], changes=learned))
    monkeypatch.setitem(sys.modules, "gensim", sys)  # it is not asked for anything
    assert depinduce_wsj(ptb, tmp_path, "--experiments", *names, "--seeds", 2) == 0
    assert len(ran) == 4
    assert [seed for seed, _ in taught] == [0, 1]
    assert all(longest > 10 for _, longest in taught)  # also from sentences that no tree is learned from


# ---------------------------------------------------------------- another start


@pytest.mark.slow
def test_trees_of_a_file_take_the_place_of_hdp_dep(ptb, tmp_path, ran, capsys):
    options = ["--experiments", "wsj-ndmv", "--seeds", 1]
    assert depinduce_wsj(ptb, tmp_path / "ours", *options) == 0
    trees = tmp_path / "theirs.conllu"
    trees.write_bytes((tmp_path / "ours" / "data" / NAME / "train.conllu").read_bytes())
    assert "unsupervised" not in capsys.readouterr().err
    assert depinduce_wsj(ptb, tmp_path / "out", *options, "--init", "trees", trees) == 0
    assert "from the trees of a file: if people made them, they are not unsupervised" in capsys.readouterr().err
    ours, theirs = (results_in(tmp_path / out / "cells.jsonl")["wsj-ndmv wsj 0"] for out in ("ours", "out"))
    assert (ours["start"], theirs["start"]) == (None, name_of_trees(str(trees)))
    assert ours["history"] != theirs["history"]
    assert not (tmp_path / "out" / "shared").exists()
    assert depinduce_wsj(ptb, tmp_path / "out", *options, "--init", "trees", trees) == 0
    assert len(ran) == 2


def test_tables_and_summary_name_the_file_of_trees_that_took_the_place_of_hdp_dep(ptb, tmp_path, ran, capsys):
    trees, out = tmp_path / "theirs.conllu", tmp_path / "out"
    trees.write_bytes((prepare(out, str(ptb), None) / NAME / "train.conllu").read_bytes())
    assert depinduce_wsj(ptb, out, "--experiments", "wsj-ndmv", "--seeds", 1, "--init", "trees", trees) == 0
    shown, written = capsys.readouterr().out, (out / "wsj.md").read_text("utf-8")
    table_1 = written.split("### ")[1]
    (row,) = [line for line in table_1.splitlines() if line.startswith("| NDMV |")]
    known = f"whatever made the trees of {name_of_trees(str(trees))}, in the start"
    assert row.endswith(f" | {known} |")
    assert f"start from the trees of {name_of_trees(str(trees))}, " in shown
    assert f"start from the trees of {name_of_trees(str(trees))}, " in written
    summary = json.loads((out / "wsj.json").read_text("utf-8"))
    assert (summary["trees"], summary["experiments"]["wsj-ndmv"]["knowledge"]) == (name_of_trees(str(trees)), known)


@pytest.mark.slow
def test_what_starts_from_the_harmonic_grammar_is_kept_when_other_trees_are_named(ptb, tmp_path, ran):
    assert depinduce_wsj(ptb, tmp_path, "--experiments", "wsj-dmv", "--seeds", 1) == 0
    trees = tmp_path / "theirs.conllu"
    trees.write_bytes((tmp_path / "data" / NAME / "train.conllu").read_bytes())
    options = ["--experiments", "wsj-dmv", "wsj-ndmv", "--seeds", 1, "--init", "trees", trees]
    assert depinduce_wsj(ptb, tmp_path, *options) == 0
    assert ran == ["wsj-dmv wsj 0", "wsj-ndmv wsj 0"]


@pytest.mark.slow
def test_cells_with_different_starts_are_not_mixed(ptb, tmp_path, ran, capsys):
    assert depinduce_wsj(ptb, tmp_path, "--experiments", "wsj-ndmv", "--seeds", 1) == 0
    (tmp_path / "theirs.conllu").write_bytes((tmp_path / "data" / NAME / "train.conllu").read_bytes())
    before = contents(tmp_path)
    again = ["--experiments", "wsj-sibling", "--seeds", 1, "--init", "trees", tmp_path / "theirs.conllu"]
    assert depinduce_wsj(ptb, tmp_path, *again) == 1
    complaint = capsys.readouterr().err
    assert f"{tmp_path}/cells.jsonl, line 1: started from HDP-DEP, which is not what --init says now" in complaint
    assert "Choose another --out, or delete that line to run the cell again." in complaint
    assert ran == ["wsj-ndmv wsj 0"]
    assert contents(tmp_path) == before


# ---------------------------------------------------------------- what cannot be done


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "reproduce wsj needs your copy of the Penn Treebank: --ptb DIR (or --sample DIR)"),
        (["--ptb", "{ptb}", "--sample", "{ptb}"], "--ptb and --sample: choose one of them."),
        (["--ptb", "{ptb}", "--data", "{ptb}"], "--data is for reproduce ud, joint, compared, polyglot,"),
        (["--ptb", "{ptb}", "--languages", "fr"], "--languages is for reproduce ud, joint, compared, polyglot,"),
        (["--ptb", "{ptb}", "--init", "harmonic", "{here}"], "--init harmonic {here}: write --init trees FILE"),
        (["--ptb", "{ptb}", "--init", "trees", "nowhere"], "--init trees nowhere: write --init trees FILE"),
        (["--ptb", "{ptb}", "--seeds", "0"], "--seeds must be at least 1, not 0."),
        (["--ptb", "{ptb}", "--experiments", "ndmv"], "reproduce wsj has no experiment ndmv. It has: wsj-dmv "),
        (["--ptb", "{ptb}", "--experiments", "wsj-dmv", "--models", "grand"], "No experiment of wsj-dmv has the model"),
        (["--ptb", "{ptb}/nowhere"], "nowhere: no such directory. Name the directory of your Penn Treebank."),
        (["--ptb", "{ptb}/parsed/mrg/wsj/22"], "/22: sections 2-21 23 are missing; the paper learns from sections 2-21 "
         "and scores 22 and 23. Name a directory with all of them.\n"),
        (["--sample", "{ptb}"], "conll2000_unlabelled.conllu: no such file. --sample names a directory with it"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_refused_with_a_remedy(options, message, ptb, tmp_path, capsys):
    given = [option.format(ptb=ptb, here=__file__) for option in options]
    assert depinduce("reproduce", "wsj", "--out", tmp_path / "out", *given) == 1
    complaint = capsys.readouterr().err
    assert complaint.startswith("depinduce: ")
    assert message.format(here=__file__) in complaint
    assert not (tmp_path / "out").exists()


def test_without_the_library_for_word_vectors_nothing_runs_that_needs_it(ptb, tmp_path, monkeypatch, capsys):
    ran = in_this_process(monkeypatch)
    monkeypatch.setitem(sys.modules, "gensim", None)
    assert depinduce_wsj(ptb, tmp_path, "--experiments", "wsj-dmv", "paper-wsj-lexical", "--seeds", 1) == 1
    complaint = capsys.readouterr().err
    assert "paper-wsj-lexical and others need the library gensim, for word vectors. Install it with `pip" in complaint
    assert ran == []
    assert depinduce_wsj(ptb, tmp_path, "--experiments", "wsj-dmv", "--seeds", 1) == 0


def test_a_model_that_a_suite_has_not_is_refused_with_a_remedy(tmp_path, capsys):
    assert depinduce("reproduce", "ud", "--data", tmp_path, "--out", tmp_path / "out", "--models", "hdp-dep") == 1
    complaint = "No experiment of reproduce ud has the model hdp-dep. Leave away --models.\n"
    assert capsys.readouterr().err == f"depinduce: {complaint}"


def test_another_treebank_with_the_same_out_is_refused(ptb, tmp_path, ran, capsys):
    given, out = sample(tmp_path / "sample"), tmp_path / "out"
    options = ["--experiments", "wsj-dmv", "--seeds"]
    assert depinduce_wsj(ptb, out, *options, 1) == 0
    before = contents(out)
    assert depinduce("reproduce", "wsj", "--sample", given, "--out", out, *options, 2) == 1
    assert f"made from {ptb}, not from {given}. Choose another --out" in capsys.readouterr().err
    assert ran == ["wsj-dmv wsj 0"]
    assert contents(out) == before
    shutil.rmtree(out / "data")
    assert depinduce("reproduce", "wsj", "--sample", given, "--out", out, *options, 2) == 1
    assert "has results of other sentences" in capsys.readouterr().err
    assert ran == ["wsj-dmv wsj 0"]


@pytest.mark.parametrize("suite", ["ud", "joint"])
@pytest.mark.parametrize(
    ("option", "suites"),
    [(["--ptb", "x"], "wsj, compared"), (["--sample", "x"], "wsj, compared"), (["--init", "trees", "x"], "wsj")],
)
def test_the_options_of_wsj_are_refused_elsewhere(suite, option, suites, tmp_path, capsys):
    data = tiny_data(tmp_path / "data")
    assert depinduce("reproduce", suite, "--data", data, "--out", tmp_path / "out", *option) == 1
    assert f"{option[0]} is for reproduce {suites}. Leave it away." in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_trees_of_other_sentences_are_refused_before_anything_runs(ptb, tmp_path, ran, capsys):
    options = ["--experiments", "wsj-dmv", "wsj-ndmv", "--seeds", 1]
    other = tmp_path / "other.conllu"
    other.write_text("1\tvoxu\t_\tDET\tDT\t_\t0\troot\t_\t_\n\n", encoding="utf-8")
    assert depinduce_wsj(ptb, tmp_path / "out", *options, "--init", "trees", other) == 1
    assert f"--init trees {other}: it must hold the training sentences" in capsys.readouterr().err
    assert ran == []
    assert not (tmp_path / "out" / "cells.jsonl").exists()
