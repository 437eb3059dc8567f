"""`depinduce` with HDP-DEP and with linguistic rules: training, parsing, inspecting, starting from it, and faults."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cli.demo_parts import contents, demo_part, depinduce, model_files, without_heads
from corpus.blocks import block, write

from depinduce.learning import progress_texts
from depinduce.models.loading import load_grammar, load_model
from depinduce.models.state_model import HdpModel

RULES = """share = 0.7
[categories]
Nominal = ["NOUN", "PROPN", "PRON"]
[either]
Root = ["VERB"]
VERB = ["Nominal", "ADV", "AUX", "VERB"]
Nominal = ["ADJ", "ADP"]
[left]
Nominal = ["DET"]
"""
NETWORK = ["--set", "size=8", "child_rank=4", "decision_rank=2", "batch_size=20", "start_epochs=1", "--epochs", 1]


@pytest.fixture
def train(tmp_path) -> Path:
    return demo_part(tmp_path / "train.conllu", count=60)


@pytest.fixture
def rules(tmp_path) -> Path:
    return write(tmp_path / "rules.toml", RULES)


# ---------------------------------------------------------------- HDP-DEP


def test_hdp_dep_is_trained_with_rules_parses_and_can_be_inspected(train, rules, tmp_path, capsys):
    options = ["--model", "hdp-dep", "--rules", rules, "--iterations", 6, "--subsymbols", 2]
    assert depinduce("train", "--train", train, *options, "--out", tmp_path / "hdp", "--json") == 0
    shown = capsys.readouterr()
    history = json.loads(shown.out)
    (line,) = history["rules"]
    assert line["wanted"] == 0.7 and line["found"] > 0.69
    assert f"rules {rules}: {line['found']:.1%} of the dependencies match in expectation, 70% were wanted" in shown.err
    model = load_model(tmp_path / "hdp")
    assert isinstance(model, HdpModel)
    assert model.rules.root.shape == (len(model.tags), 2) and len(model.history["rounds"]) == 6

    assert depinduce("parse", tmp_path / "hdp", train, "-o", tmp_path / "parsed.conllu", "--posteriors") == 0
    parsed = (tmp_path / "parsed.conllu").read_text("utf-8")
    posteriors = [float(value) for value in re.findall(r"Posterior=(\S+)", parsed)]
    assert 0 <= min(posteriors) < max(posteriors) <= 1
    assert without_heads(re.sub(r"\|?Posterior=\S+", "", parsed)).count("\n") == train.read_text("utf-8").count("\n")
    capsys.readouterr()
    assert depinduce("parse", tmp_path / "hdp", train, "-o", tmp_path / "scored.conllu", "--log-likelihood") == 0
    likelihoods = [float(v) for v in re.findall(r"# log_likelihood = (\S+)", (tmp_path / "scored.conllu").read_text())]
    assert len(likelihoods) == 60 and max(likelihoods) < 0
    assert depinduce("parse", tmp_path / "hdp", train, "-o", tmp_path / "never.conllu", "--k-best", 2) == 1
    assert (
        "--k-best: this model has hidden states" in capsys.readouterr().err and not (tmp_path / "never.conllu").exists()
    )
    assert depinduce("evaluate", train, tmp_path / "parsed.conllu") == 0

    capsys.readouterr()
    assert depinduce("inspect", tmp_path / "hdp") == 0
    shown = capsys.readouterr().out
    assert "the root is VERB: " in shown and "on its left" in shown
    assert f"learned from {model.history['training_data']['sentences']} sentences of up to 15 words" in shown
    assert depinduce("inspect", tmp_path / "hdp", "--json") == 0
    assert sorted(json.loads(capsys.readouterr().out)["tags"]) == sorted(model.tags)


def test_categories_can_be_refined_and_words_emitted(train, tmp_path, capsys):
    options = ["--model", "hdp-dep", "--rules", "ud", "--set", "symbols=categories", "emit=words", "--iterations", 3]
    assert depinduce("train", "--train", train, *options, "--out", tmp_path / "hdp") == 0
    model = load_model(tmp_path / "hdp")
    assert {"Verb", "Noun", "Function"} <= set(model.refinement.symbols)
    assert not {"VERB", "NOUN", "AUX"} & set(model.refinement.symbols)
    assert "NOUN" in model.tags
    unseen = block("xyzzy/NOUN grumbles/VERB foo/FOO")
    assert depinduce("parse", tmp_path / "hdp", write(tmp_path / "unseen.conllu", unseen), "-o", tmp_path / "out") == 0
    heads = [line.split("\t")[6] for line in (tmp_path / "out").read_text("utf-8").splitlines() if line]
    assert sorted(heads).count("0") == 1 and len(heads) == 3 and "_" not in heads
    assert "tags that training has not seen, parsed like an average tag: FOO" in capsys.readouterr().err
    assert depinduce("inspect", tmp_path / "hdp") == 0
    assert "the root is " in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("with_rules", [False, True])
def test_an_interrupted_training_can_be_resumed(with_rules, train, rules, tmp_path, monkeypatch, capsys):
    dev = demo_part(tmp_path / "dev.conllu", "dev", 20)
    options = ["--train", train, "--dev", dev, "--model", "hdp-dep", "--iterations", 5]
    options += ["--rules", rules] if with_rules else []
    assert depinduce("train", *options, "--out", tmp_path / "whole") == 0

    def interrupt(step):
        if step.round.round == 3:
            raise KeyboardInterrupt
        return ""

    with monkeypatch.context() as patch:
        patch.setattr(progress_texts, "progress_text", interrupt)
        assert depinduce("train", *options, "--out", tmp_path / "model") == 130
    assert "interrupted; wrote what there is" in capsys.readouterr().err
    assert model_files(tmp_path / "model") != model_files(tmp_path / "whole")
    assert depinduce("train", *options, "--resume", "--out", tmp_path / "model") == 0
    assert model_files(tmp_path / "model") == model_files(tmp_path / "whole")


@pytest.mark.slow
def test_resuming_with_other_options_is_refused_and_changes_nothing(train, tmp_path, capsys):
    options = ["--train", train, "--model", "hdp-dep", "--out", tmp_path / "model"]
    assert depinduce("train", *options, "--iterations", 2) == 0
    before = contents(tmp_path)
    assert depinduce("train", *options, "--iterations", 4, "--subsymbols", 2, "--resume") == 1
    assert "subsymbols was 3, is 2" in capsys.readouterr().err
    assert depinduce("train", "--train", train, "--out", tmp_path / "model", "--resume") == 1
    assert "hdp-dep" in capsys.readouterr().err  # what is there
    assert contents(tmp_path) == before


def test_blanked_heads_give_the_bit_identical_model(train, tmp_path):
    options = ["--train", train, "--model", "hdp-dep", "--rules", "ud", "--iterations", 3]
    assert depinduce("train", *options, "--out", tmp_path / "gold") == 0
    train.write_text(without_heads(train.read_text("utf-8")), "utf-8")
    assert depinduce("train", *options, "--out", tmp_path / "blank") == 0
    assert model_files(tmp_path / "gold") == model_files(tmp_path / "blank")


# ---------------------------------------------------------------- as a start


@pytest.mark.slow
@pytest.mark.parametrize("rules", [["ud"], []], ids=["rules", "no rules"])
def test_a_start_from_hdp_dep_is_a_start_from_its_parses(rules, train, tmp_path, capsys):
    common = ["--train", train, "--non-heads", "ud", "--seed", 3]
    given = ["--rules", *rules] if rules else []
    assert depinduce("train", *common, "--model", "hdp-dep", *given, "--out", tmp_path / "hdp") == 0
    capsys.readouterr()
    starts = {
        "at once": ["--init", "hdp-dep", *rules],
        "in steps": ["--init", "model", tmp_path / "hdp"],
        "another seed": ["--init", "hdp-dep", *rules, "--seed", 4],
        "harmonic": ["--init", "harmonic"],
    }
    for name, start in starts.items():
        assert depinduce("train", *common, "--iterations", 2, *start, "--out", tmp_path / name) == 0
    assert capsys.readouterr().err.count("the start is HDP-DEP, which is trained before") == 2
    tables = {name: (tmp_path / name / "model" / "model.safetensors").read_bytes() for name in starts}
    assert tables["at once"] == tables["in steps"]
    assert len({tables["at once"], tables["another seed"], tables["harmonic"]}) == 3


@pytest.mark.slow
def test_a_network_can_start_from_hdp_dep(train, rules, tmp_path, capsys):
    options = ["--train", train, "--recipe", "paper-ud-ndmv", *NETWORK, "--learning-rate", 0.05]
    for name, start in (("hdp", ["hdp-dep", rules]), ("harmonic", ["harmonic"])):
        assert depinduce("train", *options, "--init", *start, "--out", tmp_path / name) == 0
    assert f'init = ["hdp-dep", "{rules}"]' in (tmp_path / "hdp" / "config.toml").read_text("utf-8")
    assert "the start is HDP-DEP" in capsys.readouterr().err
    one, other = (load_grammar(tmp_path / name).table.child for name in ("hdp", "harmonic"))
    assert abs(one - other).max() > 0.01
    assert depinduce("parse", tmp_path / "hdp", train, "-o", tmp_path / "parsed.conllu") == 0


# ---------------------------------------------------------------- rules


@pytest.mark.slow
def test_rules_come_with_the_package(tmp_path, capsys):
    train = demo_part(tmp_path / "train.conllu")
    for name, given in (
        ("plain", []),
        ("ruled", ["--rules", "ud"]),
        ("stricter", ["--rules", "ud", "--set", "rules_share=0.9"]),
    ):
        assert depinduce("train", "--train", train, "--iterations", 8, *given, "--out", tmp_path / name) == 0
    shown = capsys.readouterr().err
    assert shown.count("of the dependencies match in expectation") == 2
    assert "80% were wanted" in shown and "90% were wanted" in shown
    lines = [load_grammar(tmp_path / name).history["rules"][0] for name in ("ruled", "stricter")]
    assert lines[0]["found"] == pytest.approx(0.8, abs=0.01) and lines[1]["found"] == pytest.approx(0.9, abs=0.01)
    assert 0 < lines[0]["dual"] < lines[1]["dual"]
    assert "rules" not in load_grammar(tmp_path / "plain").history


def test_a_network_with_rules_reports_its_share(train, rules, tmp_path, capsys):
    options = ["--train", train, "--recipe", "paper-ud-ndmv", *NETWORK, "--rules", rules]
    assert depinduce("train", *options, "--out", tmp_path / "run") == 0
    (epoch,) = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text("utf-8").splitlines()]
    (share,) = epoch["matched"]
    assert 0 < share < 1
    assert (
        f"rules {rules}: {share:.1%} of the dependencies match in expectation, 70% were wanted"
        in capsys.readouterr().err
    )


# ---------------------------------------------------------------- faults


@pytest.mark.parametrize("model", ["dmv", "hdp-dep", "ndmv"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--rules", "pen"], "There are no rules 'pen'. Did you mean penn? Rules: english, penn, ud, or the path"),
        (["--rules", "nowhere.toml"], "nowhere.toml: No such file or directory"),
        (["--rules", "penn"], "--rules penn: no rule matches any of the tags "),
        (["--set", "rules_share=0.5"], "rules_share: of which rules? Name them with --rules."),
        (["--rules", "ud", "--set", "rules_share=2"], "rules_share cannot be 2.0: more than 0, less than 1."),
        (["--init", "hdp-dep", "pen"], "There are no rules 'pen'. Did you mean penn?"),
        (["--init", "hdp-dep", "ud", "penn"], "There is no start 'hdp-dep ud penn' for "),
    ],
)
def test_faults_about_rules_are_told_and_nothing_is_written(model, options, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    demo_part(tmp_path / "train.conllu", count=5)
    assert depinduce("train", "--train", "train.conllu", "--out", "run", "--model", model, *options) == 1
    shown = capsys.readouterr().err
    assert message in shown
    assert "Traceback" not in shown
    left = {name for name in contents(tmp_path) if name != "run/config.toml"}  # which a neural training begins with
    assert left == {"train.conllu"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--model", "hdp-dep", "--set", "symbols=categories"],
            "symbols=categories: the categories are those of --rules.",
        ),
        (["--model", "hdp-dep", "--smoothing", "1"], "there is no setting 'smoothing' for the model hdp-dep"),
        (["--model", "hdp-dep", "--subsymbols", "0"], "--subsymbols must be at least 1, not 0."),
        (["--model", "dmv", "--subsymbols", "2"], "there is no setting 'subsymbols' for the model dmv"),
        (["--model", "dmv", "--em", "hard", "--rules", "ud"], "--rules are about expectations: they need --em soft."),
        (["--model", "ndmv", "--method", "hard-em", "--rules", "ud"], "they need --method dmo or em."),
    ],
)
def test_faults_are_told_and_nothing_is_written(options, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    demo_part(tmp_path / "train.conllu", count=5)
    before = contents(tmp_path)
    assert depinduce("train", "--train", "train.conllu", "--out", "run", *options) == 1
    assert message in capsys.readouterr().err
    assert contents(tmp_path) == before
