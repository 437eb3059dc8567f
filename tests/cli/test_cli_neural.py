"""`depinduce train` with neural models: recipes, run directories, seeds, interruption, and models that parse."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli.demo_parts import demo_part, depinduce, without_heads

from depinduce.models.loading import load_grammar

SMALL = ["--set", "size=8", "child_rank=4", "decision_rank=2", "batch_size=20", "start_epochs=1", "--epochs", 2]
PLAIN = ["--recipe", "paper-ud-sibling", *SMALL]
every_model = pytest.mark.parametrize("model", ["ndmv", "sibling", "grand"])


def model_files(folder: Path) -> list[bytes]:
    return [(folder / "model" / name).read_bytes() for name in ("model.json", "model.safetensors")]


def metrics(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text("utf-8").splitlines()]


@every_model
def test_a_neural_model_is_trained_and_parses(model, tmp_path, capsys):
    train = demo_part(tmp_path / "train.conllu", count=40)
    options = ["--model", model, *SMALL, "--members", 2, "--grow-from", 13, "--non-heads", "ud"]
    assert depinduce("train", "--train", train, *options, "--out", tmp_path / "run") == 0
    assert f"settings of the recipe ud-{model}" in capsys.readouterr().err
    assert depinduce("parse", tmp_path / "run", train, "-o", tmp_path / "parsed.conllu", "--posteriors") == 0
    assert depinduce("evaluate", train, tmp_path / "parsed.conllu") == 0
    assert "Posterior=" in (tmp_path / "parsed.conllu").read_text("utf-8")
    names = {path.name for path in (tmp_path / "run").iterdir()}
    assert names == {"config.toml", "metrics.jsonl", "checkpoint.safetensors", "model"}


JIANG = ["--model", "jiang-ndmv", "--epochs", 3, "--set", "tag_size=5", "valence_size=2", "m_steps=5"]


def test_the_networks_of_jiang_are_trained_by_em_and_are_a_model_like_any_other(tmp_path, capsys):
    train = demo_part(tmp_path / "train.conllu", count=40)
    options = ["train", "--train", train, *JIANG, "--non-heads", "ud"]
    assert depinduce(*options, "--out", tmp_path / "run") == 0
    assert "settings of the recipe ud-jiang-ndmv" in capsys.readouterr().err
    beside = ["--method", "em", "--init", "model", tmp_path / "run"]
    assert depinduce(*options, *beside, "--set", "child_valence=false", "--out", tmp_path / "again") == 0
    assert depinduce("inspect", tmp_path / "again", "--head", "NOUN") == 0
    assert "as jiang-ndmv, by 3 epochs of em, start: model " in capsys.readouterr().out
    assert depinduce("parse", tmp_path / "again", train, "-o", tmp_path / "parsed.conllu") == 0
    assert depinduce("report", tmp_path / "again", "-o", tmp_path / "report.html") == 0
    assert "that of Jiang et al. (2016)" in (tmp_path / "report.html").read_text("utf-8")
    children = [load_grammar(tmp_path / name).table.child.reshape(-1, 2, 14) for name in ("run", "again")]
    assert [(rows[:, 0] == rows[:, 1]).all() for rows in children] == [False, True]  # by valence


def test_the_networks_of_jiang_learn_from_languages_thrown_together(tmp_path, capsys):
    train = demo_part(tmp_path / "train.conllu", count=12)
    files = [f"one={train}", f"two={demo_part(tmp_path / 'dev.conllu', 'dev', 8)}"]
    assert depinduce("train", "--train", *files, *JIANG, "--out", tmp_path / "run") == 0
    assert "2 languages thrown together, in sentences: one 12, two 8" in capsys.readouterr().err


SEES_SENTENCES = ["--model", "d-ndmv", "--epochs", 2, "--members", 1, "--grow-from", 0, "--set", "sentence_size=4"]


@pytest.mark.slow
@pytest.mark.parametrize("variational", ["false", "true"])
def test_rules_that_see_the_sentence_are_a_model_like_any_other(tmp_path, capsys, variational):
    train, dev = demo_part(tmp_path / "train.conllu", count=40), demo_part(tmp_path / "dev.conllu", "dev", 10)
    options = ["train", "--train", train, "--dev", dev, *SEES_SENTENCES, f"variational={variational}"]
    assert depinduce(*options, "--non-heads", "ud", "--seeds", "0-1", "--out", tmp_path / "seeds") == 0
    assert "settings of the recipe ud-d-ndmv" in capsys.readouterr().err
    run = tmp_path / "seeds" / "seed-1"
    assert depinduce("inspect", run, "--head", "NOUN") == 0
    assert "mean vector of the sentences" in " ".join(capsys.readouterr().out.split())
    for more in (["--posteriors"], ["--k-best", 2], ["--samples", 2]):
        assert depinduce("parse", run, dev, "-o", tmp_path / "parsed.conllu", *more) == 0
    assert depinduce("parse", run, dev, "-o", tmp_path / "parsed.conllu") == 0
    assert depinduce("evaluate", dev, tmp_path / "parsed.conllu") == 0
    assert depinduce("report", run, "-o", tmp_path / "report.html") == 0
    assert "Han et al. (2019)" in (tmp_path / "report.html").read_text("utf-8")
    assert depinduce("train", "--train", train, "--init", "model", run, "--out", tmp_path / "dmv") == 0


def test_blanked_heads_give_the_bit_identical_model(tmp_path):
    files = [demo_part(tmp_path / "train.conllu", count=40), demo_part(tmp_path / "dev.conllu", "dev", 20)]
    for name in ("gold", "blank"):
        assert depinduce("train", "--train", files[0], "--dev", files[1], *PLAIN, "--out", tmp_path / name) == 0
        for path in files:
            path.write_text(without_heads(path.read_text("utf-8")), "utf-8")
    assert model_files(tmp_path / "gold") == model_files(tmp_path / "blank")


def test_options_have_the_last_word_over_the_recipe(tmp_path):
    train = demo_part(tmp_path / "train.conllu", count=20)
    beside = ["--method", "em", "--set", "m_steps=2"]
    assert depinduce("train", "--train", train, *PLAIN, *beside, "--out", tmp_path / "run") == 0
    configuration = (tmp_path / "run" / "config.toml").read_text("utf-8")
    assert 'method = "em"' in configuration and "m_steps = 2" in configuration and "patience = 5" in configuration


def test_watched_scores_are_recorded_and_marked_and_change_nothing(tmp_path):
    train = demo_part(tmp_path / "train.conllu", count=40)
    for name, watch in (("watched", ["--watch", train]), ("blind", [])):
        assert depinduce("train", "--train", train, *PLAIN, *watch, "--out", tmp_path / name) == 0
    assert all(line["watched"]["uas_15"] > 0 for line in metrics(tmp_path / "watched"))
    assert not any("watched" in line for line in metrics(tmp_path / "blind"))
    models = [load_grammar(tmp_path / name) for name in ("watched", "blind")]
    assert [model.history["watched"] for model in models] == [True, False]
    assert models[0].table.child.tobytes() == models[1].table.child.tobytes()


@pytest.mark.slow
def test_a_killed_training_is_resumed_to_the_identical_model(tmp_path):
    train = demo_part(tmp_path / "train.conllu", count=40)
    options = [str(part) for part in ("train", "--train", train, *PLAIN, "--epochs", 4)]
    assert depinduce(*options, "--out", tmp_path / "whole") == 0
    # a process that kills itself when the second epoch is reported
    program = (
        "import os, signal, sys\nfrom depinduce.cli import main\nfrom depinduce.learning import progress_texts\n"
        "def die(step):\n    if step.round.round == 2: os.kill(os.getpid(), signal.SIGKILL)\n    return ''\n"
        "progress_texts.progress_text = die\nmain(sys.argv[1:])\n"
    )
    killed = subprocess.run(
        [sys.executable, "-c", program, *options, "--out", tmp_path / "killed"], env=os.environ, capture_output=True
    )
    assert killed.returncode == -signal.SIGKILL
    assert not (tmp_path / "killed" / "model").exists()
    assert depinduce(*options, "--out", tmp_path / "killed") == 1  # it is there already
    assert depinduce(*options, "--out", tmp_path / "killed", "--resume") == 0
    assert model_files(tmp_path / "killed") == model_files(tmp_path / "whole")
    assert [line["round"] for line in metrics(tmp_path / "killed")] == [1, 2, 3, 4]


@pytest.mark.slow
def test_several_seeds_are_trained_side_by_side_and_averaged(tmp_path, capsys):
    train, dev = demo_part(tmp_path / "train.conllu", count=30), demo_part(tmp_path / "dev.conllu", "dev", 20)
    options = ["--train", train, "--dev", dev, *PLAIN, "--watch", dev]
    assert depinduce("train", *options, "--seeds", "0-2", "--jobs", 2, "--out", tmp_path / "seeds", "--json") == 0
    summary = json.loads(capsys.readouterr().out)
    values = [line["dev"] for line in summary["seeds"]]
    assert [line["seed"] for line in summary["seeds"]] == [0, 1, 2] and len(set(values)) == 3
    assert summary["mean"]["dev"] == pytest.approx(sum(values) / 3)
    assert summary["best_seed"] == values.index(max(values))
    assert depinduce("train", *options, "--seed", 1, "--out", tmp_path / "alone") == 0
    assert model_files(tmp_path / "seeds" / "seed-1") == model_files(tmp_path / "alone")
    assert depinduce("parse", tmp_path / "seeds", dev, "-o", tmp_path / "parsed.conllu") == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--recipe", "ud-sibbling"], "Did you mean ud-sibling? Recipes: "),
        (["--model", "sibling", "--smoothing", "1"], "there is no setting 'smoothing' for the model sibling"),
        (["--model", "dmv", "--epochs", "1"], "there is no setting 'epochs' for the model dmv"),
        (["--model", "sibling", "--seeds", "0-9999999999"], "--seeds 0-9999999999: not seeds."),
        (["--model", "sibling", "--seeds", "0-99999999"], "--seeds 0-99999999: more than 1000 seeds."),
        (["--model", "sibling", "--seeds", 5000 * "1"], ": not seeds. Write for example 0-4 or 0,2,5."),
        (["--model", "sibling", "--set", "size=" + 5000 * "["], ": write a whole number."),
        (["--model", "sibling", "--seeds", "4-0"], "--seeds 4-0: not seeds. Write for example 0-4 or 0,2,5."),
        (["--model", "ndmv", "--init", "uniform"], "Use --init random"),
        (["--model", "jiang-ndmv", "--set", "size=4"], "there is no setting 'size' for the model jiang-ndmv."),
        (["--model", "jiang-ndmv", "--valence-size", "4"], "is no option: write --set valence_size=4"),
        (["--model", "jiang-ndmv", "--set", "tag_size=0"], "--tag-size must be at least 1, not 0."),
        (["--model", "grand", "--set", "generation=inside-out"], "generation=inside-out is for --model sibling"),
        (["--model", "ndmv", "--learning-rate", "2"], "--learning-rate cannot be 2.0"),
        (
            ["--model", "sibling", "--ladder", "hdp-dep"],
            "--ladder cannot have 'hdp-dep'. Choose from: dmv ",
        ),
        (["--model", "ndmv", "--init", "trees", "nowhere.conllu"], "nowhere.conllu"),
    ],
)
def test_faults_are_told_and_nothing_is_written(options, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    demo_part(tmp_path / "train.conllu", count=5)
    assert depinduce("train", "--train", "train.conllu", "--out", "run", *options) == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "run" / "model").exists()


def test_a_recipe_with_an_unknown_key_is_refused_with_the_known_ones(tmp_path, capsys):
    train = demo_part(tmp_path / "train.conllu", count=5)
    (tmp_path / "mine.toml").write_text('model = "sibling"\nepoch = 3\n', "utf-8")
    assert depinduce("train", "--train", train, "--recipe", tmp_path / "mine.toml", "--out", tmp_path / "run") == 1
    error = capsys.readouterr().err
    assert (
        "mine.toml: there is no setting 'epoch'" in error and "Did you mean epochs?" in error and "grow_from" in error
    )
