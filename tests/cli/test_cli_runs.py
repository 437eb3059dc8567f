"""`depinduce train` treats every model alike: directories, seeds, watching, ladders, resuming, and models of before."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from cli.demo_parts import contents, demo_part, depinduce, model_files
from parameters import some_now

from depinduce.learning import progress_texts
from depinduce.models.loading import load_model

BEFORE = Path(__file__).parents[1] / "models" / "version-0.1.0"
FILES = {"config.toml", "metrics.jsonl", "checkpoint.safetensors", "model"}
OPTIONS = {
    "dmv": ["--model", "dmv", "--init", "random", "--iterations", 5],
    "hdp-dep": ["--model", "hdp-dep", "--rules", "ud", "--subsymbols", 2, "--iterations", 5],
}
both = pytest.mark.parametrize("model", OPTIONS)
one_now = some_now("model", ["dmv"], later=["hdp-dep"])


@pytest.fixture
def train(tmp_path) -> Path:
    return demo_part(tmp_path / "train.conllu", count=40)


@pytest.fixture
def dev(tmp_path) -> Path:
    return demo_part(tmp_path / "dev.conllu", "dev", 20)


def metrics(run: Path) -> list[dict]:
    return [json.loads(line) for line in (run / "metrics.jsonl").read_text("utf-8").splitlines()]


def one_after_the_other(work, tasks, jobs, on_message):
    """Trainings in this process, which is faster than processes that must start."""
    return [(number, work(task, lambda message: None)) for number, task in enumerate(tasks)]


@both
def test_a_training_is_kept_as_a_directory_with_its_settings_and_its_course(model, train, tmp_path, capsys):
    run = tmp_path / "run"
    assert depinduce("train", "--train", train, *OPTIONS[model], "--out", run, "--json") == 0
    assert {path.name for path in run.iterdir()} == FILES
    told, history = json.loads(capsys.readouterr().out), load_model(run).history
    assert told == {"out": str(run)} | json.loads(json.dumps(history))
    assert history["finished"] and history["round_name"] == "iteration"
    lines = metrics(run)
    assert [line["round"] for line in lines] == [1, 2, 3, 4, 5]
    assert [(line["rung"], line["model"], line["member"]) for line in lines] == [(0, model, 0)] * 5
    assert [line["train"] for line in lines] == [line["train"] for line in history["rounds"]]
    assert f'model = "{model}"\n' in (run / "config.toml").read_text("utf-8")
    assert depinduce("parse", run, train, "-o", tmp_path / "parsed.conllu") == 0


@pytest.mark.slow
@both
def test_several_seeds_are_trained_side_by_side_and_the_likeliest_is_kept(model, train, dev, tmp_path, capsys):
    options = ["--train", train, "--dev", dev, *OPTIONS[model]]
    place = ["--out", tmp_path / "seeds"]
    assert depinduce("train", *options, "--seeds", "0-1", "--jobs", 2, "--json", *place) == 0
    shown = capsys.readouterr()
    summary = json.loads(shown.out)
    values = [line["dev"] for line in summary["seeds"]]
    assert [line["seed"] for line in summary["seeds"]] == [0, 1] and values[0] != values[1]
    assert summary["mean"]["dev"] == pytest.approx(np.mean(values))
    assert summary["sd"]["dev"] == pytest.approx(np.std(values, ddof=1))
    assert summary["best_seed"] == int(np.argmax(values))
    assert f"is that of seed {summary['best_seed']}: it has the highest held-out log-likelihood" in shown.err
    best = tmp_path / "seeds" / f"seed-{summary['best_seed']}"
    assert {path.name for path in best.iterdir()} == FILES
    assert load_model(tmp_path / "seeds").history == load_model(best).history
    assert depinduce("train", *options, "--seed", 1, "--out", tmp_path / "alone") == 0
    assert model_files(tmp_path / "seeds" / "seed-1") == model_files(tmp_path / "alone")


@pytest.mark.slow
def test_seeds_of_a_training_without_chance_are_told_to_be_the_same(train, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("depinduce.learning.seeds.side_by_side", one_after_the_other)
    for start, told in (("harmonic", True), ("random", False)):
        options = ["--train", train, "--init", start, "--iterations", 2, "--seeds", "0-1"]
        assert depinduce("train", *options, "--out", tmp_path / start) == 0
        assert ("all seeds gave the same: nothing in this training is random" in capsys.readouterr().err) == told


@one_now
def test_watched_scores_are_recorded_and_marked_and_change_nothing(model, train, dev, tmp_path):
    for name, watch in (("watched", ["--watch", dev]), ("blind", [])):
        assert depinduce("train", "--train", train, *OPTIONS[model], *watch, "--out", tmp_path / name) == 0
    assert all(0 < line["watched"]["uas_15"] <= 100 for line in metrics(tmp_path / "watched"))
    assert not any("watched" in line for line in metrics(tmp_path / "blind"))
    assert [load_model(tmp_path / name).history["watched"] for name in ("watched", "blind")] == [True, False]
    numbers = [(tmp_path / name / "model" / "model.safetensors").read_bytes() for name in ("watched", "blind")]
    assert numbers[0] == numbers[1]


@pytest.mark.parametrize("model", ["dmv-sibling", "dmv-grand", "hdp-dep"])
def test_a_model_can_stand_on_a_ladder_of_count_models(model, train, tmp_path):
    options = ["--train", train, "--model", model, "--ladder", "dmv", "--iterations", 3]
    assert depinduce("train", *options, "--out", tmp_path / "run") == 0
    assert [(line["rung"], line["model"]) for line in metrics(tmp_path / "run")] == [(0, "dmv")] * 3 + [(1, model)] * 3
    assert load_model(tmp_path / "run").history["model"] == model


def test_a_ladder_is_its_rungs_one_by_one(train, tmp_path):
    common, trees = ["--train", train, "--non-heads", "ud", "--iterations", 3], tmp_path / "trees.conllu"
    second = [*common, "--model", "dmv-sibling"]
    assert depinduce("train", *second, "--ladder", "dmv", "--out", tmp_path / "at once") == 0
    assert depinduce("train", *common, "--model", "dmv", "--out", tmp_path / "first") == 0
    assert depinduce("parse", tmp_path / "first", train, "--decode", "mbr", "-o", trees) == 0
    assert depinduce("train", *second, "--init", "trees", trees, "--out", tmp_path / "in steps") == 0
    numbers = [(tmp_path / name / "model" / "model.safetensors").read_bytes() for name in ("at once", "in steps")]
    assert numbers[0] == numbers[1]


def test_the_first_rung_of_count_models_can_have_members(train, tmp_path):
    options = ["--init", "random", "--iterations", 2, "--ladder", "dmv", "--members", 3]
    run = tmp_path / "run"
    assert depinduce("train", "--train", train, "--model", "dmv-grand", *options, "--out", run) == 0
    assert [(line["rung"], line["member"]) for line in metrics(run)[::2]] == [(0, 0), (0, 1), (0, 2), (1, 0)]
    firsts = {line["train"] for line in metrics(run) if line["rung"] == 0 and line["round"] == 2}
    assert len(firsts) == 3


# ---------------------------------------------------------------- going on


@one_now
@some_now("ladder", [["--ladder", "ndmv"]], later=[[], ["--ladder", "dmv"]])
def test_an_interrupted_training_goes_on_to_the_identical_model(model, ladder, train, dev, tmp_path, monkeypatch):
    options = ["--train", train, "--dev", dev, *OPTIONS[model], *ladder]
    assert depinduce("train", *options, "--out", tmp_path / "whole") == 0

    def interrupt(step):
        if step.done == 3:
            raise KeyboardInterrupt
        return ""

    with monkeypatch.context() as patch:
        patch.setattr(progress_texts, "progress_text", interrupt)
        assert depinduce("train", *options, "--out", tmp_path / "parts") == 130
    assert {path.name for path in (tmp_path / "parts").iterdir()} == FILES
    assert not load_model(tmp_path / "parts").history["finished"]
    assert depinduce("train", *options, "--resume", "--out", tmp_path / "parts") == 0
    assert model_files(tmp_path / "parts") == model_files(tmp_path / "whole")
    assert len(metrics(tmp_path / "parts")) == len(metrics(tmp_path / "whole"))


@one_now
def test_a_finished_training_goes_on_with_more_iterations(model, train, tmp_path):
    options = ["--train", train, *OPTIONS[model]]
    assert depinduce("train", *options, "--iterations", 2, "--out", tmp_path / "parts") == 0
    assert depinduce("train", *options, "--resume", "--out", tmp_path / "parts") == 0
    assert depinduce("train", *options, "--out", tmp_path / "whole") == 0
    assert model_files(tmp_path / "parts") == model_files(tmp_path / "whole")


@pytest.mark.slow
@both
def test_seeds_go_on_where_they_were(model, train, tmp_path, monkeypatch):
    monkeypatch.setattr("depinduce.learning.seeds.side_by_side", one_after_the_other)
    options = ["--train", train, *OPTIONS[model]]
    assert depinduce("train", *options, "--iterations", 2, "--seeds", "0-1", "--out", tmp_path / "parts") == 0
    assert depinduce("train", *options, "--seeds", "0-2", "--resume", "--out", tmp_path / "parts") == 0
    assert depinduce("train", *options, "--seeds", "0-2", "--out", tmp_path / "whole") == 0
    for seed in range(3):
        assert model_files(tmp_path / "parts" / f"seed-{seed}") == model_files(tmp_path / "whole" / f"seed-{seed}")


@one_now
@pytest.mark.parametrize("seeds", [[], ["--seeds", "0-1"]], ids=["one", "seeds"])
def test_a_count_model_of_version_0_1_cannot_be_gone_on_with_and_the_user_is_told_what_to_do(
    model, seeds, tmp_path, capsys
):
    old = shutil.copytree(BEFORE / model, tmp_path / "old")
    before = contents(tmp_path)
    options = ["--train", BEFORE / "train.conllu", "--model", model, "--iterations", 2]
    assert depinduce("train", *options, *seeds, "--resume", "--out", old) == 1
    shown = capsys.readouterr().err
    assert f"{old}: a model without its training, as count models were kept up to version 0.1." in shown
    assert f"--init model {old} --out ANOTHER, or begin anew with --overwrite" in shown
    assert contents(tmp_path) == before
    if not seeds:  # what it tells works
        assert depinduce("train", *options, "--init", "model", old, "--out", tmp_path / "another") == 0
        assert depinduce("train", *options, "--overwrite", "--out", old) == 0
        assert {path.name for path in old.iterdir()} == FILES


@pytest.mark.slow
def test_a_directory_of_seeds_is_not_gone_on_with_as_one_training(train, tmp_path, capsys):
    options = ["--train", train, *OPTIONS["dmv"], "--out", tmp_path / "seeds"]
    assert depinduce("train", *options, "--seeds", "0") == 0
    assert depinduce("train", *options, "--resume") == 1
    assert "no training of one model to go on with; add --seeds." in capsys.readouterr().err
    assert depinduce("train", "--train", train, *OPTIONS["dmv"], "--out", tmp_path / "one") == 0
    assert (
        depinduce("train", "--train", train, *OPTIONS["dmv"], "--seeds", "0", "--resume", "--out", tmp_path / "one")
        == 1
    )
    assert "holds the training of one seed. Choose another --out for --seeds." in capsys.readouterr().err


@pytest.mark.slow
def test_rounds_are_kept_gone_on_with_and_replaced_as_all_else(train, tmp_path, capsys):
    options = ("--train", train, "--model", "dmv", "--out", tmp_path / "run")
    rounds = tmp_path / "run" / "rounds"
    assert depinduce("train", *options, "--iterations", 1, "--keep-rounds") == 0
    assert depinduce("train", *options, "--iterations", 2, "--resume") == 0
    assert {path.name for path in rounds.iterdir()} == {"00-0000", "00-0001", "00-0002"}
    assert depinduce("inspect", rounds / "00-0001") == 0
    assert depinduce("train", *options, "--keep-rounds", "--seeds", "0-1", "--overwrite") == 1
    assert "--keep-rounds and --seeds: choose one of them" in capsys.readouterr().err
    assert depinduce("train", *options, "--keep-rounds", "--model", "lexical", "--overwrite") == 1
    assert "--keep-rounds: not of lexical" in capsys.readouterr().err
    assert rounds.exists()
    assert depinduce("train", *options, "--iterations", 1, "--overwrite") == 0
    assert not rounds.exists()
