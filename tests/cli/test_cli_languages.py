"""Several languages on the command line and from Python: one corpus, and a model that remembers them."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from cli.demo_parts import demo_part, depinduce
from corpus.blocks import block, write

from depinduce import DepinduceError, Parser
from depinduce.corpus import read_sentences, read_text
from depinduce.corpus.demo import demo_file
from depinduce.learning import progress_texts
from depinduce.learning import seeds as seeds_module


@pytest.fixture
def texts(tmp_path):
    """Two halves of the demo corpus as if they were languages, in folders."""
    whole = demo_part(tmp_path / "whole.conllu").read_text("utf-8").split("\n\n")
    for name, sentences in (("en", whole[:50]), ("fr", whole[50:])):
        (tmp_path / "all" / name).mkdir(parents=True)
        write(tmp_path / "all" / name / "train.conllu", "\n\n".join(sentences) + "\n\n")
    (tmp_path / "all" / "empty").mkdir()
    return tmp_path / "all"


def named(texts) -> list[str]:
    return [f"{name}={texts / name / 'train.conllu'}" for name in ("en", "fr")]


def table(place):
    return Parser.load(place).model.table.child


@pytest.mark.slow
def test_thrown_together_languages_are_learned_as_if_nobody_had_named_them(texts, tmp_path, capsys):
    sources = {
        "plain": ["--train", tmp_path / "whole.conllu"],
        "named": ["--train", *named(texts)],
        "folder": ["--train-dir", texts],
        "both": ["--train", named(texts)[0], "--train-dir", texts],
    }
    for name, source in sources.items():
        options = ["--languages", "together", "--iterations", 2]
        assert depinduce("train", *source, *options, "--out", tmp_path / name) == 0
        shown = capsys.readouterr().err
        assert ("2 languages thrown together, in sentences: en " in shown) == (name != "plain")
        assert (f"left out, for want of train.conllu and text.conllu: {texts / 'empty'}" in shown) == (
            name in ("folder", "both")
        )
    plain, by_name, folder, both = (table(tmp_path / name) for name in sources)
    assert np.array_equal(plain, by_name) and np.array_equal(plain, folder)
    assert not np.array_equal(plain, both)  # which has the first file twice
    description = json.loads((tmp_path / "named/model/model.json").read_text("utf-8"))
    sentences = description["history"]["training_data"]["sentences"]
    assert list(description["languages"]) == ["en", "fr"] and sum(description["languages"].values()) == sentences
    assert "languages" not in json.loads((tmp_path / "plain/model/model.json").read_text("utf-8"))


def test_python_takes_languages_by_their_names(texts, tmp_path):
    paths = {name: [texts / name / "train.conllu"] for name in ("en", "fr")}
    told: list[str] = []
    ours = Parser.train(paths, iterations=2, languages="together", report=told.append)
    assert told[0].startswith("2 languages thrown together")
    sentences = {name: [*read_sentences(files[0])] for name, files in paths.items()}
    others = Parser.train(sentences, dev={"fr": paths["fr"]}, iterations=2, languages="together")
    apart = Parser.train(paths, iterations=2, report=told.append)
    assert "2 languages, in sentences: en 50, fr 70" in told and apart.model.languages == ("en", "fr")
    assert np.array_equal(ours.model.table.child, others.model.table.child)
    assert list(ours.model.history["training_data"]["languages"]) == ["en", "fr"]
    assert {sentence.language for some in sentences.values() for sentence in some} == {None}
    with pytest.raises(DepinduceError, match="'old french' cannot be the name of a language"):
        Parser.train({"old french": paths["fr"]}, iterations=2)


def test_an_interrupted_training_of_languages_goes_on_with_the_same_ones(texts, tmp_path, monkeypatch, capsys):
    options = ["--train", *named(texts), "--dev", named(texts)[1], "--iterations", 4]
    assert depinduce("train", *options, "--out", tmp_path / "whole") == 0

    def interrupt(step):
        if step.round.round == 2:
            raise KeyboardInterrupt
        return ""

    with monkeypatch.context() as patch:
        patch.setattr(progress_texts, "progress_text", interrupt)
        assert depinduce("train", *options, "--out", tmp_path / "model") == 130
    options[2] = options[2].replace("fr=", "pl=")
    options[4] = options[4].replace("fr=", "pl=")
    assert depinduce("train", *options, "--resume", "--out", tmp_path / "model") == 1
    assert "the training sentences differ from those of the run" in capsys.readouterr().err
    options[2] = options[2].replace("pl=", "fr=")
    options[4] = options[4].replace("pl=", "fr=")
    assert depinduce("train", *options, "--resume", "--out", tmp_path / "model") == 0
    assert np.array_equal(table(tmp_path / "model"), table(tmp_path / "whole"))


def test_seeds_learn_from_languages(texts, tmp_path, monkeypatch):
    def one_after_the_other(work, tasks, jobs, on_message):
        return [(number, work(task, lambda message: None)) for number, task in enumerate(tasks)]

    monkeypatch.setattr(seeds_module, "side_by_side", one_after_the_other)
    options = ["--train", *named(texts), "--init", "random", "--iterations", 2, "--seeds", "0-1"]
    assert depinduce("train", *options, "--out", tmp_path / "seeds") == 0
    for seed in ("seed-0", "seed-1"):
        assert list(Parser.load(tmp_path / "seeds" / seed).model.history["training_data"]["languages"]) == ["en", "fr"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "Name what to learn from: --train FILE, or --train-dir DIR."),
        (["--train", "en=en.conllu", "fr.conllu"], "fr.conllu has none. Name the language of every file, NAME=fr"),
        (["--train", "en.conllu", "--train-dir", "."], "en.conllu: of which language? Write NAME=FILE."),
        (["--train", "en=en.conllu", "pl=nowhere.conllu"], "nowhere.conllu: no such file"),
        (["--train", "en=en.conllu", "long=long.conllu"], "long: no sentences to learn from. Leave the language away"),
        (["--train", "en=en.conllu", "--dev", "pl=en.conllu"], "--dev: training has no language pl; it has en."),
        (["--train", "en.conllu", "--dev", "pl=en.conllu"], "no language pl; name those of --train, too."),
        (["--train", "en=-", "--seeds", "0-1"], "--seeds: every training reads the files anew"),
    ],
)
def test_faults_are_told_and_nothing_is_written(options, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pl").mkdir()
    for path in ("en.conllu", "pl/text.conllu"):
        write(tmp_path / path, block("the/DET dog/NOUN barks/VERB"))
    write(tmp_path / "long.conllu", block("a/NOUN " * 16))
    assert depinduce("train", *options, "--out", "model") == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "model").exists()


def test_a_grammar_without_languages_parses_every_one_alike(texts, tmp_path, capsys):
    train = texts / "en" / "train.conllu"
    assert depinduce("train", "--train", train, "--iterations", 2, "--out", tmp_path / "model") == 0
    mixed = write(tmp_path / "mixed.conllu", "# language = fr\n", train.read_text("utf-8"))
    capsys.readouterr()
    for name, options in (("plain", []), ("asked", ["--language", "fr"])):
        assert depinduce("parse", tmp_path / "model", mixed, "-o", tmp_path / name, *options) == 0
        told = "--language fr: the grammar tells no languages apart, so that this is ignored"
        assert (told in capsys.readouterr().err) == (name == "asked")
    assert (tmp_path / "plain").read_bytes() == (tmp_path / "asked").read_bytes()


# ---------------------------------------------------------------- told apart


def words_of(sentence) -> list[str]:
    return [f"{form}/{tag}" for form, tag in zip(sentence.forms, sentence.column(4), strict=True)]


DEMO = [words_of(sentence) for sentence, _ in zip(read_sentences(demo_file("train")), range(110), strict=False)]
SENTENCES = [block(" ".join(words)) for words in DEMO]
SMALL = ["--set", "size=6", "child_rank=4", "decision_rank=3", "vector_size=2", "batch_size=20"]
APART = {
    "dmv-sibling": ["--model", "dmv-sibling", "--iterations", 2],
    "grand": ["--model", "grand", "--ladder", "ndmv", "--members", 1, "--grow-from", 0, "--epochs", 1, *SMALL],
}


@pytest.fixture(scope="module")
def apart(tmp_path_factory):
    """Grammars that tell two languages apart: halves of the demo corpus, one of them with its words in reverse."""
    place = tmp_path_factory.mktemp("apart")
    write(place / "en.conllu", *SENTENCES[:50])
    write(place / "ne.conllu", *(block(" ".join(words[::-1])) for words in DEMO[50:]))
    for name, options in APART.items():
        files = [f"{language}={place / language}.conllu" for language in ("en", "ne")]
        assert depinduce("train", *options, "--train", *files, "--out", place / name) == 0
    return place


@pytest.mark.parametrize("name", APART)
def test_languages_are_parsed_by_their_names(name, apart, tmp_path, capsys):
    text = (apart / "ne.conllu").read_text("utf-8")
    named = write(tmp_path / "named.conllu", "# language = ne\n", text, *["# language = xx\n", text] * 2)
    assert depinduce("parse", apart / name, named, "-o", tmp_path / "named") == 0
    told = capsys.readouterr().err
    assert told.count("# language = xx: the grammar does not know this language") == 1
    assert "It knows en ne" in told
    for language, option in (("ne", ["--language", "ne"]), ("universal", [])):
        assert depinduce("parse", apart / name, apart / "ne.conllu", *option, "-o", tmp_path / language) == 0
    found = [sentence.heads for sentence in read_sentences(tmp_path / "named")]
    parts = [[sentence.heads for sentence in read_sentences(tmp_path / part)] for part in ("ne", "universal")]
    assert parts[0] != parts[1]
    assert found == parts[0] + parts[1] + parts[1]


@pytest.mark.parametrize("name", APART)
def test_grammars_of_languages_are_models_like_any_other(name, apart, tmp_path, capsys):
    assert depinduce("inspect", apart / name) == 0
    shown = capsys.readouterr().out
    assert "in 2 languages: en ne" in shown
    assert re.search(r"NOUN heads \w+: 0\.\d\d of its children; on the left in .*, on the right in ", shown)
    assert depinduce("inspect", apart / name, "--language", "ne", "--head", "NOUN") == 0
    assert depinduce("sample", apart / name, "-n", 2) == 0
    assert depinduce("report", apart / name, "--sentences", apart / "ne.conllu", "-o", tmp_path / "report.html") == 0
    assert depinduce("models", apart) == 0
    assert "grammar over tags, of 2 languages" in capsys.readouterr().out
    parser = Parser.load(apart / name)
    with pytest.warns(UserWarning, match=r"^# language = xx: .* It knows en ne$"):
        parser.parse(read_text("# language = xx\n" + SENTENCES[0]))


def test_gold_trees_of_a_language_are_watched_by_its_grammar(apart, tmp_path, capsys):
    gold = write(tmp_path / "gold.conllu", *SENTENCES[:9])
    assert depinduce("parse", apart / "dmv-sibling", gold, "--language", "en", "-o", tmp_path / "trees.conllu") == 0
    files = [f"{language}={apart / language}.conllu" for language in ("en", "ne")]
    options = [*APART["dmv-sibling"], "--train", *files, "--out", tmp_path / "watched"]
    assert depinduce("train", *options, "--watch", f"fr={tmp_path / 'trees.conllu'}") == 1
    assert "--watch: training has no language fr; it has en ne." in capsys.readouterr().err
    assert depinduce("train", *options, "--watch", f"en={tmp_path / 'trees.conllu'}", "--overwrite") == 0
    rounds = Parser.load(tmp_path / "watched").model.history["rounds"]
    assert rounds[-1]["watched"]["uas_15"] == 100.0
