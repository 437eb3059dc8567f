"""`depinduce train` and `parse` with models that see words, alone and in pairs."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from cli.demo_parts import contents, demo_part, depinduce, without_heads, without_trees
from learning.killed import require_the_same_after_a_stop

from depinduce.corpus import load_corpus, read_sentences
from depinduce.learning.learners import networks
from depinduce.learning.lesson import Lesson
from depinduce.learning.run import Run
from depinduce.learning.settings.configuration import configure
from depinduce.models.loading import load_model

torch.set_num_threads(1)

SMALL = [
    "--set", "size=8", "child_rank=4", "decision_rank=2", "tag_size=5", "word_size=3", "lexical_child_rank=4",
    "lexical_decision_rank=2", "batch_size=20", "start_epochs=1",
    "--max-length", 8, "--epochs", 1, "--members", 1, "--ladder", "ndmv", "--grow-from", 0,
]  # fmt: skip
MODELS = ("lexical", "lexical-sibling", "lexical-grand", "joint-sibling", "joint-grand")
JOINT = ("joint-sibling", "joint-grand")


def train(model: str, folder: Path, *options: object) -> int:
    return depinduce("train", "--train", folder / "train.conllu", "--model", model, *SMALL, *options)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Sentences to train on and to parse, and the models that were asked for."""
    folder = tmp_path_factory.mktemp("words")
    demo_part(folder / "train.conllu", count=80)
    demo_part(folder / "test.conllu", "test", count=30)
    return folder


@pytest.fixture(scope="module")
def trained(folder):
    """The directory of a model; it is trained when it is first asked for."""

    def directory(model: str) -> Path:
        if not (folder / model).exists():
            options = ["--dev", folder / "test.conllu", "--non-heads", "ud", "--out", folder / model]
            assert train(model, folder, *options) == 0
        return folder / model

    return directory


def heads(path: Path) -> np.ndarray:
    return load_corpus(path, trees=True, with_heads=True).heads


# ---------------------------------------------------------------- training and parsing


@pytest.mark.parametrize("model", MODELS)
def test_a_model_that_sees_words_is_trained_and_parses(model, folder, trained, tmp_path, capsys):
    run = trained(model)
    assert {path.name for path in run.iterdir()} == {"config.toml", "metrics.jsonl", "checkpoint.safetensors", "model"}
    assert [json.loads(line)["model"] for line in (run / "metrics.jsonl").read_text("utf-8").splitlines()] == [
        "ndmv",
        model,
    ]
    parsed = tmp_path / "parsed.conllu"
    assert depinduce("parse", run, folder / "test.conllu", "-o", parsed, "--decode", "mbr", "--posteriors") == 0
    assert "Posterior=" in parsed.read_text("utf-8")
    assert depinduce("parse", run, folder / "test.conllu", "-o", parsed) == 0
    assert "parsed 30 sentences" in capsys.readouterr().err
    before = (folder / "test.conllu").read_text("utf-8")
    assert without_trees(parsed.read_text("utf-8")) == without_trees(before)
    assert depinduce("evaluate", folder / "test.conllu", parsed) == 0
    assert np.sum(heads(parsed) == 0) == 30


@pytest.mark.parametrize("model", JOINT)
def test_each_part_of_a_joint_model_can_parse(model, folder, trained, tmp_path):
    run = trained(model)
    for name, place, options in [
        ("both", run, []),
        ("words", run, ["--part", "words"]),
        ("the words", run / "model" / "words", []),
        ("tags", run, ["--part", "tags"]),
        ("the tags", run / "model" / "tags", []),
    ]:
        options = [*options, "--posteriors", "-o", tmp_path / name]
        assert depinduce("parse", place, folder / "test.conllu", *options) == 0
    both, words, tags = ((tmp_path / name).read_bytes() for name in ("both", "words", "tags"))
    assert words == (tmp_path / "the words").read_bytes()
    assert tags == (tmp_path / "the tags").read_bytes()
    assert len({both, words, tags}) == 3


@pytest.mark.parametrize("model", ["dmv", "lexical"])
@pytest.mark.parametrize("part", ["words", "tags"])
def test_other_models_have_no_parts(model, part, folder, trained, capsys):
    if model == "dmv" and not (folder / "dmv").exists():
        assert depinduce("train", "--train", folder / "train.conllu", "--iterations", 1, "--out", folder / "dmv") == 0
    run = folder / "dmv" if model == "dmv" else trained(model)
    before = contents(folder)
    assert depinduce("parse", run, folder / "test.conllu", "-o", folder / "parsed", "--part", part) == 1
    assert f"--part {part}: only joint models have parts" in capsys.readouterr().err
    assert contents(folder) == before


def test_words_and_tags_that_training_has_not_seen_are_parsed(trained, tmp_path, capsys):
    text = "".join(
        f"{n}\t{form}\t_\t{tag}\t_\t_\t_\t_\t_\t_\n" for n, form, tag in [(1, "qq", "FOO"), (2, "zz", "NOUN")]
    )
    (tmp_path / "in.conllu").write_text(text + "\n", "utf-8")
    for model in ("lexical", "joint-sibling"):
        assert depinduce("parse", trained(model), tmp_path / "in.conllu", "-o", tmp_path / "out.conllu") == 0
        assert "tags that training has not seen, parsed like an average tag: FOO" in capsys.readouterr().err
        assert sorted(heads(tmp_path / "out.conllu")) in ([0, 1], [0, 2])


@pytest.mark.parametrize("model", ["lexical", "joint-sibling"])
def test_blanked_heads_give_the_bit_identical_model(model, folder, trained, tmp_path):
    for name in ("train.conllu", "test.conllu"):
        (tmp_path / name).write_text(without_heads((folder / name).read_text("utf-8")), "utf-8")
    options = ["--dev", tmp_path / "test.conllu", "--non-heads", "ud", "--out", tmp_path / "blank"]
    assert train(model, tmp_path, *options) == 0
    assert contents(tmp_path / "blank" / "model") == contents(trained(model) / "model")


@pytest.mark.slow
def test_a_training_can_be_resumed_watched_and_told_as_json(folder, tmp_path, capsys):
    options = ["--watch", folder / "test.conllu", "--json", "--out", tmp_path / "run"]
    assert train("joint-grand", folder, *options) == 0
    assert train("joint-grand", folder, *options) == 1  # it is there already
    assert train("joint-grand", folder, *options, "--epochs", 2, "--resume") == 0
    first, second = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert [len(told["rounds"]) for told in (first, second)] == [2, 3]
    assert all(line["watched"]["uas_15"] > 0 for line in second["rounds"])
    assert second["model"] == "joint-grand"


def test_a_training_whose_classes_come_from_vectors_can_be_resumed(folder, tmp_path):
    words = load_corpus(folder / "train.conllu").word_vocabulary
    (tmp_path / "some.vec").write_text("".join(f"{word} {n % 5} {n % 3} 1\n" for n, word in enumerate(words)), "utf-8")
    vectors = {"vectors": ("file", str(tmp_path / "some.vec")), "softmax": "vectors", "word_size": 3, "tag_size": 5}
    vectors |= {"frequent_words": 5}
    configuration = configure({"model": "lexical", "epochs": 3, "size": 8, "ladder": (), **vectors})
    lesson = Lesson.of(configuration, [str(folder / "train.conllu")], quiet=True)
    require_the_same_after_a_stop(tmp_path, lambda place: Run(configuration, lesson.train, directory=place), 1)


def test_vectors_that_are_learned_go_with_no_cache(folder, tmp_path, capsys):
    options = ["--vectors", "fasttext", "--cache", tmp_path / "cache", "--out", tmp_path / "run"]
    assert train("lexical", folder, *options) == 1
    assert "word vectors are learned from text in memory" in capsys.readouterr().err


def test_vectors_of_a_file_are_used(folder, tmp_path):
    word = load_corpus(folder / "train.conllu").word_vocabulary[0]  # the most frequent one
    (tmp_path / "some.vec").write_text(f"{word} 1 2 3\n", "utf-8")
    options = ["--vectors", "file", tmp_path / "some.vec", "--learning-rate", 1e-6, "--out", tmp_path / "run"]
    assert train("lexical", folder, *options) == 0
    model = load_model(tmp_path / "run")
    assert word in model.words
    vectors = model.network.word_embedding.detach().numpy()[len(model.tags) :]
    np.testing.assert_allclose(vectors[model.words.id(word)], [1, 2, 3], atol=1e-3)


@pytest.mark.parametrize("given", ["file", "stdin", "language"])
def test_vectors_are_learned_from_all_sentences_of_the_text_whatever_their_length(given, folder, tmp_path, monkeypatch):
    text, taught = folder / "train.conllu", []

    def train_vectors(sentences, words, dimension, **how):
        taught.append(list(sentences))
        return np.tile(np.arange(dimension, dtype=np.float32), (len(words), 1))

    monkeypatch.setattr(networks, "train_vectors", train_vectors)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.read_bytes())))
    source = {"file": text, "stdin": "-", "language": f"xx={text}"}[given]
    options = ["--vectors", "fasttext", "--lowercase", "--learning-rate", 1e-6, "--out", tmp_path / "run"]
    assert depinduce("train", "--train", source, "--model", "lexical", *SMALL, *options) == 0
    (sentences,) = taught
    assert sentences == [[form.lower() for form in sentence.forms] for sentence in read_sentences(text)]
    assert max(map(len, sentences)) > 8  # longer than what trees are learned from
    assert {".", "?"} & {word for words in sentences for word in words}
    model = load_model(tmp_path / "run")
    vectors = model.network.word_embedding.detach().numpy()[len(model.tags) :]
    np.testing.assert_allclose(vectors, np.tile([0, 1, 2], (len(vectors), 1)), atol=1e-3)


def test_without_the_library_the_training_ends_before_it_begins_and_tells_how_to_get_it(
    folder, tmp_path, monkeypatch, capsys
):
    for name in ("gensim", "gensim.models"):  # the second, too, may be there from another test
        monkeypatch.setitem(sys.modules, name, None)
    assert train("joint-sibling", folder, "--vectors", "fasttext", "--out", tmp_path / "run") == 1
    assert "Install it with `pip install 'depinduce[vectors]'`; or take vectors from a file" in capsys.readouterr().err
    assert not (tmp_path / "run" / "metrics.jsonl").exists()


# ---------------------------------------------------------------- other commands


@pytest.mark.parametrize("command", [["inspect"], ["inspect", "--json"], ["sample"]])
def test_a_grammar_over_words_is_not_listed(command, trained, capsys):
    assert depinduce(*command, trained("lexical")) == 1
    shown = capsys.readouterr()
    assert "a grammar over words" in shown.err and "Name a grammar over tags" in shown.err
    assert shown.out == ""


@pytest.mark.parametrize("model", JOINT)
def test_inspect_and_sample_show_the_part_over_tags(model, trained, capsys):
    for command in (["inspect"], ["inspect", "--json"], ["sample", "-n", 3]):
        shown = []
        for place in (trained(model), trained(model) / "model" / "tags"):
            assert depinduce(*command, place) == 0
            shown.append(capsys.readouterr().out.replace(f"{place}: ", ""))
        whole, part = shown
        if command == ["inspect"]:
            first, _, whole = whole.partition("\n  ")
            assert "These are the rules of the part over tags" in first
        assert whole == part
        assert "NOUN" in shown[0]


# ---------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--model", "lexical", "--word-init", "harmonic"], "--word-init is for joint models; lexical has one start"),
        (["--model", "sibling", "--word-init", "harmonic"], "--word-init is for joint models; sibling has one start"),
        (["--model", "joint-grand", "--word-init", "random"], "There is no start 'random'. Choose from: harmonic, "),
        (["--model", "lexical", "--vectors", "glove"], "There are no word vectors 'glove'. Choose from: random, file"),
        (["--model", "lexical", "--vectors", "file"], "There are no word vectors 'file'. Choose from: random, file"),
        (["--model", "sibling", "--min-count", 3], "there is no setting 'min_count' for the model sibling"),
        (["--model", "dmv", "--vectors", "random"], "there is no setting 'vectors' for the model dmv"),
        (["--model", "lexical", "--set", "dropout=1"], "dropout cannot be 1.0: 0 or more, less than 1."),
        (["--model", "joint-grand", "--ladder", "lexical"], "--ladder cannot have 'lexical'. Choose from: dmv "),
    ],
)
def test_faults_are_told_and_nothing_is_written(options, message, folder, tmp_path, capsys):
    assert depinduce("train", "--train", folder / "train.conllu", "--out", tmp_path / "run", *options) == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "options",
    [
        ["--vectors", "file", "nowhere"],
        ["--word-init", "model", "nowhere"],
        ["--word-init", "trees", "nowhere"],
    ],
    ids=" ".join,
)
def test_what_is_missing_is_told_before_the_ladder_is_climbed(options, folder, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert train("joint-sibling", folder, *options, "--out", "run") == 1
    assert "nowhere" in capsys.readouterr().err
    assert not (tmp_path / "run" / "model").exists()
    assert not (tmp_path / "run" / "metrics.jsonl").exists()  # an epoch would be lost


def test_the_start_of_the_part_over_words_is_not_overwritten(folder, tmp_path, capsys):
    assert train("joint-sibling", folder, "--out", tmp_path / "run") == 0
    before = contents(tmp_path)
    options = ["--word-init", "model", tmp_path / "run", "--out", tmp_path / "run", "--overwrite"]
    assert train("joint-sibling", folder, *options) == 1
    assert "--overwrite would delete" in capsys.readouterr().err
    assert contents(tmp_path) == before


@pytest.mark.slow
def test_trees_of_a_file_are_told_whichever_part_learns_from_them(folder, tmp_path, capsys):
    trees = demo_part(tmp_path / "train.conllu", count=20)
    for option in ("--init", "--word-init"):
        options = [option, "trees", trees, "--out", tmp_path / option]
        assert train("joint-sibling", tmp_path, *options) == 0
        assert "the training is not unsupervised" in capsys.readouterr().err
