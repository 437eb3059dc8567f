"""Trees that somebody has made, on the command line: learned from, kept, and told of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.demo_parts import demo_part, depinduce, without_heads

from depinduce.corpus import read_sentences


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    """`text.conllu` without heads, and `trees.conllu`: twenty of its sentences with gold trees, one in part."""
    place = tmp_path_factory.mktemp("trees")
    whole = demo_part(place / "gold.conllu", count=120).read_text("utf-8")
    (place / "text.conllu").write_text(without_heads(whole), "utf-8")
    blocks = whole.split("\n\n")[:20]
    blocks[0] = without_heads(blocks[0] + "\n\n").rstrip("\n")
    first = next(line for line in blocks[0].split("\n") if line.startswith("1\t"))
    blocks[0] = blocks[0].replace(first, "\t".join([*first.split("\t")[:9], "NotHead=0"]))
    (place / "trees.conllu").write_text("\n\n".join(blocks) + "\n\n", "utf-8")
    return place


TRAIN = ("train", "--model", "dmv", "--iterations", "5", "--non-heads", "ud")


def heads(path: Path) -> list[list[int]]:
    return [sentence.heads for sentence in read_sentences(path)]


def test_trees_are_learned_from_and_the_model_says_so(files, tmp_path, capsys):
    out = tmp_path / "grammar"
    train = [*TRAIN, "--train", files / "text.conllu", "--trees", files / "trees.conllu"]
    assert depinduce(*train, "--out", out, "--json") == 0
    shown = capsys.readouterr()
    assert "120 sentences" in shown.err and "trees of 20 sentences, 1 of them in part" in shown.err
    assert "not unsupervised" in shown.err
    data = json.loads(shown.out)["training_data"]
    assert (data["sentences"], data["trees"]["sentences"], data["trees"]["whole"]) == (120, 20, 19)
    assert json.loads((out / "model" / "model.json").read_text("utf-8"))["history"]["training_data"] == data
    assert depinduce("inspect", out) == 0 and "trees of 20 sentences" in capsys.readouterr().out
    assert depinduce("report", out, "-o", tmp_path / "report.html") == 0
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "it was shown the trees of 20 of them" in page and "Supervised in part" in page
    assert depinduce(*train, "--out", out, "--resume") == 0
    assert depinduce(*TRAIN, "--train", files / "text.conllu", "--out", out, "--resume") == 1
    assert "training sentences differ" in capsys.readouterr().err


@pytest.mark.slow
def test_trees_alone_and_with_another_weight(files, tmp_path, capsys):
    trees = ["--trees", files / "trees.conllu"]
    assert depinduce(*TRAIN, *trees, "--trees-weight", "2", "--out", tmp_path / "alone") == 0
    assert "each counts as 2 sentences" in capsys.readouterr().err
    assert depinduce(*TRAIN, *trees, "--trees-weight", "0", "--out", tmp_path / "none") == 1
    assert depinduce(*TRAIN, *trees, "--seeds", "0-1", "--out", tmp_path / "seeds") == 0
    assert (tmp_path / "seeds" / "seed-1" / "model" / "model.json").exists()


@pytest.mark.parametrize(("model", "weight"), [("dmv", 3), pytest.param("polyglot", 50, marks=pytest.mark.slow)])
def test_of_several_languages_one_learns_from_its_trees(files, tmp_path, capsys, model, weight):
    """The trees are chains, which the other language has not."""
    text = files / "text.conllu"
    chains = [sentence.render(range(len(sentence))) for sentence in list(read_sentences(text))[:30]]
    (tmp_path / "chains.conllu").write_text("".join(chains), "utf-8")
    train = ["train", "--model", model, "--iterations", 5, "--train", f"en={text}", f"fr={text}"]
    train += ["--trees-weight", weight]
    assert depinduce(*train, "--trees", f"fr={tmp_path / 'chains.conllu'}", "--out", tmp_path / "both") == 0
    shown = capsys.readouterr().err
    assert "en 120, fr 120" in shown and "trees of 30 sentences" in shown
    in_chains = []
    for language in ("en", "fr"):
        parse = ["parse", tmp_path / "both", text, "--language", language]
        assert depinduce(*parse, "-o", tmp_path / f"{language}.conllu") == 0
        found = [head == word for tree in heads(tmp_path / f"{language}.conllu") for word, head in enumerate(tree)]
        in_chains.append(sum(found) / len(found))
    assert in_chains[1] > in_chains[0] + 0.1, in_chains
    assert depinduce(*train, "--trees", f"it={tmp_path / 'chains.conllu'}", "--out", tmp_path / "none") == 1
    assert "it" in capsys.readouterr().err


def test_heads_in_the_file_stay_and_the_best_tree_grows_around_them(files, tmp_path, capsys):
    assert depinduce(*TRAIN, "--train", files / "text.conllu", "--out", tmp_path / "grammar") == 0
    parse = ["parse", tmp_path / "grammar"]
    some = files / "gold.conllu"
    lines = some.read_text("utf-8").split("\n")
    kept = [without_heads(line) if number % 3 else line for number, line in enumerate(lines)]
    (tmp_path / "partly.conllu").write_text("\n".join(kept), "utf-8")
    assert depinduce(*parse, tmp_path / "partly.conllu", "--keep-heads", "-o", tmp_path / "out.conllu") == 0
    wanted, found = heads(tmp_path / "partly.conllu"), heads(tmp_path / "out.conllu")
    for given, tree in zip(wanted, found, strict=True):
        assert all(own in (-1, head) for own, head in zip(given, tree, strict=True)) and tree.count(0) == 1
    assert depinduce(*parse, tmp_path / "partly.conllu", "-o", tmp_path / "free.conllu") == 0
    assert heads(tmp_path / "free.conllu") != found
    assert depinduce(*parse, some, "--keep-heads", "--posteriors", "-o", tmp_path / "same.conllu") == 0
    assert heads(tmp_path / "same.conllu") == heads(some)
    assert depinduce(*parse, some, "--keep-heads", "--max-words", "5", "-o", tmp_path / "no.conllu") == 1
    assert not (tmp_path / "no.conllu").exists() and "choose" not in capsys.readouterr().out


def test_a_contradiction_is_told_with_its_line_and_nothing_is_written(files, tmp_path, capsys):
    assert depinduce(*TRAIN, "--train", files / "text.conllu", "--out", tmp_path / "grammar") == 0
    rows = [("a", "DET", "3"), ("b", "NOUN", "4"), ("c", "VERB", "_"), ("d", "NOUN", "_")]
    text = "".join(f"{i}\t{w}\t_\t{t}\t_\t_\t{h}\t_\t_\t_\n" for i, (w, t, h) in enumerate(rows, start=1)) + "\n"
    (tmp_path / "crossed.conllu").write_text(text, "utf-8")
    command = ["parse", tmp_path / "grammar", tmp_path / "crossed.conllu", "--keep-heads", "-o", tmp_path / "x.conllu"]
    assert depinduce(*command) == 1
    assert f"{tmp_path / 'crossed.conllu'}:1: the head of word 1 'a' cannot stay" in capsys.readouterr().err
    assert not (tmp_path / "x.conllu").exists()
