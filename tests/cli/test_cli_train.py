"""`depinduce train`: what it writes, what it may not use, and how it goes on."""

from __future__ import annotations

import gzip
import io
import sys

import pytest
from cli.demo_parts import contents, demo_part, depinduce, model_files, without_heads
from corpus.blocks import block, write
from other_processes import ONLY_WRITER, another_process
from parameters import some_now

from depinduce import Parser
from depinduce.corpus import read_sentences
from depinduce.learning import progress_texts
from depinduce.models.loading import load_grammar

LATER = [("dmv", True), ("dmv-sibling", False), ("dmv-grand", False), ("dmv-grand", True)]  # held out or not


@some_now("model, held_out", [("dmv", False), ("dmv-sibling", True)], later=LATER)
def test_blanked_heads_give_the_bit_identical_model(model, held_out, tmp_path):
    files = {"train": demo_part(tmp_path / "train.conllu"), "dev": demo_part(tmp_path / "dev.conllu", "dev", 40)}
    results = []
    for name in ("gold", "blank"):
        options = ["--train", files["train"], "--model", model, "--non-heads", "ud", "--iterations", 6]
        options += ["--dev", files["dev"]] if held_out else []
        assert depinduce("train", *options, "--out", tmp_path / name) == 0
        results.append(model_files(tmp_path / name))
        for path in files.values():
            path.write_text(without_heads(path.read_text("utf-8")), "utf-8")
    assert "\t2\tdet\t" not in files["train"].read_text("utf-8")
    assert results[0] == results[1]


def test_the_model_knows_how_it_was_made(tmp_path):
    train = demo_part(tmp_path / "train.conllu")
    options = ["--iterations", 3, "--max-length", 8, "--non-heads", "DET", "ADP", "--punctuation", "ud"]
    assert depinduce("train", "--train", train, *options, "--out", tmp_path / "model") == 0
    model = load_grammar(tmp_path / "model")
    assert model.non_heads == ("DET", "ADP")
    assert (model.reading.max_length, model.reading.punctuation) == (8, "ud")
    assert model.history["settings"]["iterations"] == 3
    assert len(model.history["rounds"]) == 3
    assert "PUNCT" not in model.tags
    assert 0 < model.history["training_data"]["sentences"] < 120


def test_several_files_are_one_corpus(tmp_path):
    whole = demo_part(tmp_path / "whole.conllu")
    sentences = whole.read_text("utf-8").split("\n\n")
    one = write(tmp_path / "one.conllu", "\n\n".join(sentences[:50]) + "\n\n")
    two = write(tmp_path / "two.conllu", "\n\n".join(sentences[50:]))
    for name, files in (("a", [whole]), ("b", [one, two])):
        assert depinduce("train", "--train", *files, "--iterations", 2, "--out", tmp_path / name) == 0
    assert model_files(tmp_path / "a") == model_files(tmp_path / "b")


def test_a_corpus_can_be_packed_or_come_through_a_pipe(tmp_path, monkeypatch):
    plain = demo_part(tmp_path / "a.conllu")
    (tmp_path / "a.conllu.gz").write_bytes(gzip.compress(plain.read_bytes()))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(plain.read_bytes())))
    for name, source in (("plain", plain), ("packed", tmp_path / "a.conllu.gz"), ("pipe", "-")):
        assert depinduce("train", "--train", source, "--iterations", 2, "--out", tmp_path / name) == 0
    assert model_files(tmp_path / "plain") == model_files(tmp_path / "packed") == model_files(tmp_path / "pipe")


def test_early_stopping_keeps_the_best_iteration(tmp_path, capsys):
    train, dev = demo_part(tmp_path / "train.conllu", count=40), demo_part(tmp_path / "dev.conllu", "dev")
    options = ["--train", train, "--dev", dev, "--patience", 1, "--smoothing", 0.001, "--max-length", 40]
    assert depinduce("train", *options, "--out", tmp_path / "model") == 0
    parser = Parser.load(tmp_path / "model")
    likelihoods = [line["dev"] for line in parser.model.history["rounds"]]
    assert likelihoods[:-1] == sorted(likelihoods[:-1]) and likelihoods[-1] <= likelihoods[-2]
    assert len(likelihoods) < 50
    kept = [parse.log_likelihood for parse in parser.parse(read_sentences(dev))]
    assert sum(kept) / len(kept) == pytest.approx(likelihoods[-2])
    assert "held-out" in capsys.readouterr().err


def test_one_model_starts_from_another(tmp_path):
    train = demo_part(tmp_path / "train.conllu")
    assert depinduce("train", "--train", train, "--iterations", 9, "--out", tmp_path / "first") == 0
    second = ["--train", train, "--model", "dmv-sibling", "--iterations", 2]
    assert depinduce("train", *second, "--init", "model", tmp_path / "first", "--out", tmp_path / "second") == 0
    assert depinduce("train", *second, "--out", tmp_path / "harmonic") == 0
    tables = [load_grammar(tmp_path / name).table for name in ("second", "harmonic")]
    assert tables[0].child.tobytes() != tables[1].child.tobytes()


# ---------------------------------------------------------------- interruption


@some_now("held_out", [True], later=[False])
def test_an_interrupted_training_can_be_resumed(held_out, tmp_path, monkeypatch, capsys):
    train, dev = demo_part(tmp_path / "train.conllu"), demo_part(tmp_path / "dev.conllu", "dev", 40)
    options = ["--train", train, "--iterations", 7, *(["--dev", dev] if held_out else [])]
    assert depinduce("train", *options, "--out", tmp_path / "whole") == 0

    def interrupt(step):
        if step.round.round == 4:
            raise KeyboardInterrupt
        return ""

    with monkeypatch.context() as patch:
        patch.setattr(progress_texts, "progress_text", interrupt)
        assert depinduce("train", *options, "--out", tmp_path / "model") == 130
    assert "interrupted; wrote what there is" in capsys.readouterr().err
    assert model_files(tmp_path / "model") != model_files(tmp_path / "whole")
    assert depinduce("train", *options, "--resume", "--out", tmp_path / "model") == 0
    assert model_files(tmp_path / "model") == model_files(tmp_path / "whole")


def test_resuming_where_nothing_is_begins(tmp_path):
    train = demo_part(tmp_path / "train.conllu")
    assert depinduce("train", "--train", train, "--iterations", 2, "--resume", "--out", tmp_path / "model") == 0


def test_resuming_with_other_options_is_refused_and_changes_nothing(tmp_path, capsys):
    train = demo_part(tmp_path / "train.conllu")
    assert depinduce("train", "--train", train, "--iterations", 2, "--out", tmp_path / "model") == 0
    before = contents(tmp_path)
    other = ["--train", train, "--iterations", 4, "--smoothing", 1, "--resume", "--out", tmp_path / "model"]
    assert depinduce("train", *other) == 1
    assert "smoothing was 0.1, is 1.0" in capsys.readouterr().err
    assert contents(tmp_path) == before


# ---------------------------------------------------------------- refusals and warnings


def test_an_existing_model_is_replaced_only_when_asked(tmp_path, capsys):
    train = demo_part(tmp_path / "train.conllu")
    options = ["--train", train, "--iterations", 2, "--out", tmp_path / "model"]
    assert depinduce("train", *options) == 0
    before = contents(tmp_path)
    assert depinduce("train", *options, "--smoothing", 1) == 1
    assert "model: is there already. Choose another --out, or add --overwrite or --resume." in capsys.readouterr().err
    assert contents(tmp_path) == before
    assert depinduce("train", *options, "--smoothing", 1, "--overwrite") == 0
    assert contents(tmp_path) != before
    assert contents(tmp_path).keys() == before.keys()


def test_what_a_user_made_is_not_overwritten(tmp_path, capsys):
    train = demo_part(tmp_path / "train.conllu")
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "config.toml").write_text('title = "my page"\n')
    assert depinduce("train", "--train", train, "--overwrite", "--out", tmp_path / "site") == 1
    assert "site: this is not a model and is not replaced" in capsys.readouterr().err
    assert (tmp_path / "site" / "config.toml").read_text() == 'title = "my page"\n'


@pytest.mark.parametrize("how", ["", "--resume", "--overwrite"])
def test_two_trainings_in_one_place_are_refused(how, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("depinduce.files.PATIENCE", 0)
    train = demo_part(tmp_path / "train.conllu")
    with another_process(ONLY_WRITER, tmp_path / "run"):
        assert depinduce("train", "--train", train, "--out", tmp_path / "run", *how.split()) == 1
    assert "run: another training is writing there. Wait for it, or choose another --out." in capsys.readouterr().err


def test_overwriting_replaces_models_only(tmp_path, capsys):
    train = demo_part(tmp_path / "train.conllu")
    before = contents(tmp_path)
    assert depinduce("train", "--train", train, "--overwrite", "--out", tmp_path) == 1
    shown = capsys.readouterr().err
    assert "this is not a model and is not replaced" in shown
    assert "EM" not in shown  # said before the work, not after it
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--init", "harmony"],
            "There is no start 'harmony'. Choose from: harmonic, uniform, random, model DIR, trees FILE, hdp-dep",
        ),
        (["--init", "model"], "--init model needs a directory: --init model DIR."),
        (["--init", "model", "nowhere"], "nowhere: no model here"),
        (["--init", "random", "--seed", "-1"], "--seed must be at least 0, not -1."),
        (["--out", "train.conllu/model"], "train.conllu/model: nothing can be written in "),
        (["--iterations", "0"], "--iterations must be at least 1, not 0."),
        (["--smoothing", "-1"], "--smoothing must be at least 0, not -1.0."),
        (["--tags", "upoz"], "There is no tag column 'upoz'. Choose upos, xpos or a column: 2, 3"),
        (["--tags", "xpos"], "has no tag in column 5"),
        (["--max-length", "1"], "no sentences to learn from; 5 are too long: raise --max-length."),
        (["--dev", "nowhere.conllu"], "nowhere.conllu: no such file"),
        (["--dev", "long.conllu"], "long.conllu: no sentence to hold out. Raise --max-length"),
    ],
)
def test_faults_are_told_and_nothing_is_written(options, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    demo_part(tmp_path / "train.conllu", count=5)
    write(tmp_path / "long.conllu", block("a/NOUN " * 16))
    before = contents(tmp_path)
    assert depinduce("train", "--train", "train.conllu", "--out", "model", *options) == 1
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.err.count("depinduce: ") == 1
    assert "Traceback" not in shown.err
    assert contents(tmp_path) == before


def test_held_out_sentences_with_unknown_tags_are_left_out_with_a_warning(tmp_path, capsys):
    train = demo_part(tmp_path / "train.conllu")
    known, unknown = block("the/DET dog/NOUN barks/VERB"), block("the/DET dog/FOO barks/BAR")
    write(tmp_path / "known.conllu", known)
    write(tmp_path / "both.conllu", unknown, known, unknown)
    for name in ("known", "both"):
        options = ["--train", train, "--dev", tmp_path / f"{name}.conllu", "--iterations", 2]
        assert depinduce("train", *options, "--out", tmp_path / name) == 0
    assert "tags that training has not seen are left out: BAR FOO" in capsys.readouterr().err
    assert model_files(tmp_path / "known") == model_files(tmp_path / "both")


@pytest.mark.parametrize(
    ("non_heads", "message"),
    [
        (["DT", "DET"], "--non-heads names tags that do not occur: DT. The tags are: "),
        (["ud", "FOO"], "--non-heads names tags that do not occur: FOO."),
        (["ud"], None),
    ],
)
def test_non_heads_that_do_not_occur_are_warned_about(non_heads, message, tmp_path, capsys):
    train = demo_part(tmp_path / "train.conllu")
    options = ["--train", train, "--iterations", 1, "--non-heads", *non_heads]
    assert depinduce("train", *options, "--out", tmp_path / "model") == 0
    warnings = [line for line in capsys.readouterr().err.splitlines() if "warning" in line]
    assert len(warnings) == (message is not None)
    assert message is None or message in warnings[0]


def test_whoever_has_trained_is_told_what_to_do_next(tmp_path, capsys):
    text = demo_part(tmp_path / "text.conllu", count=12)
    out = tmp_path / "grammar"
    assert depinduce("train", "--model", "dmv", "--iterations", 1, "--train", text, "--out", out) == 0
    assert f"wrote {out}; now try: depinduce parse {out} FILE.conllu -o parsed.conllu" in capsys.readouterr().err
