"""Tags of other kinds on the command line: maps, features, and the conjunctions of UD 1 and UD 2."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from cli.demo_parts import contents, demo_part, depinduce, model_files, without_trees
from corpus.blocks import block, write

from depinduce import Parser
from depinduce.corpus import Sentence, read_sentences
from depinduce.corpus.conllu import FEATS, UPOS, XPOS
from depinduce.corpus.tag_maps import load_map
from depinduce.models.loading import load_model
from depinduce.parsing import streams

PENN = {"ADJ": "JJ", "ADP": "IN", "ADV": "RB", "AUX": "MD", "CCONJ": "CC", "DET": "DT", "INTJ": "UH", "NOUN": "NN",
        "NUM": "CD", "PART": "TO", "PRON": "PRP", "PROPN": "NNP", "PUNCT": ".", "SCONJ": "IN",
        "VERB": "VBZ"}  # fmt: skip


def rewritten(source: Path, target: Path, change) -> Path:
    """The file with other columns, `change(upos)`: by their numbers."""
    blocks = []
    for sentence in read_sentences(source):
        lines = sentence.render().rstrip("\n").split("\n")
        words = [line for line in lines if not line.startswith("#")]
        for number, line in enumerate(words):
            columns = line.split("\t")
            for column, value in change(columns[UPOS - 1]).items():
                columns[column - 1] = value
            words[number] = "\t".join(columns)
        blocks.append("\n".join(words) + "\n\n")
    return write(target, *blocks)


@pytest.fixture
def train(tmp_path):
    return demo_part(tmp_path / "train.conllu")


@pytest.fixture
def penn(train, tmp_path):
    """The same with Penn tags, SCONJ among ADP, and nothing in UPOS."""
    return rewritten(train, tmp_path / "penn.conllu", lambda tag: {UPOS: "_", XPOS: PENN[tag]})


def test_a_grammar_of_universal_tags_reads_penn_tags_and_the_file_keeps_them(train, penn, tmp_path):
    assert depinduce("train", "--train", train, "--iterations", 3, "--out", tmp_path / "model") == 0
    as_universal = rewritten(penn, tmp_path / "same.conllu", lambda tag: {})
    assert as_universal.read_bytes() == penn.read_bytes()
    out = tmp_path / "parsed.conllu"
    assert depinduce("parse", tmp_path / "model", penn, "--tags", "xpos", "--map", "penn", "-o", out) == 0
    own = write(tmp_path / "own.toml", "".join(f'"{tag}" = "{meant}"\n' for tag, meant in load_map("penn").items()))
    assert depinduce("parse", tmp_path / "model", penn, "--tags", "xpos", "--map", own, "-o", tmp_path / "own") == 0
    assert out.read_bytes() == (tmp_path / "own").read_bytes()

    def tags(sentence: Sentence) -> list[str]:
        return [load_map("penn")[tag] for tag in sentence.column(XPOS)]

    expected = Parser.load(tmp_path / "model").parse(
        [[*zip(s.forms, tags(s), strict=True)] for s in read_sentences(penn)]
    )
    for before, after, parse in zip(read_sentences(penn), read_sentences(out), expected, strict=True):
        assert without_trees(after.render()) == without_trees(before.render())
        assert after.heads == parse.heads
    python = Parser.load(tmp_path / "model", tags="xpos", map="penn").parse(read_sentences(penn))
    assert [parse.heads for parse in python] == [parse.heads for parse in expected]


def test_a_grammar_remembers_the_map_that_it_learned_with(train, penn, tmp_path):
    universal = rewritten(train, tmp_path / "universal.conllu", lambda tag: {UPOS: load_map("penn")[PENN[tag]]})
    own = write(tmp_path / "own.toml", "".join(f'"{tag}" = "{meant}"\n' for tag, meant in load_map("penn").items()))
    options = ["--non-heads", "ud", "--iterations", 3]
    assert depinduce("train", "--train", universal, *options, "--out", tmp_path / "plain") == 0
    for name in ("penn", own):
        place = tmp_path / f"by-{Path(name).stem}"
        mapped = ["--train", penn, "--tags", "xpos", "--map", name, *options, "--out", place]
        assert depinduce("train", *mapped) == 0
        assert np.array_equal(load_model(place).table.child, load_model(tmp_path / "plain").table.child)
        assert depinduce("train", *mapped, "--resume") == 0
    own.unlink()
    for name, source in (("plain", universal), ("by-penn", penn), ("by-own", penn)):
        assert depinduce("parse", tmp_path / name, source, "-o", tmp_path / f"{name}.conllu") == 0
    heads = [[s.heads for s in read_sentences(tmp_path / f"{name}.conllu")] for name in ("plain", "by-penn", "by-own")]
    assert heads[0] == heads[1] == heads[2]


def test_tags_that_the_map_lacks_are_told_before_anything_is_written(train, tmp_path, capsys):
    few = write(tmp_path / "few.toml", 'NOUN = "N"\nVERB = "V"\n')
    before = contents(tmp_path)
    assert depinduce("train", "--train", train, "--map", few, "--out", tmp_path / "model") == 1
    shown = capsys.readouterr().err
    assert "--map has no line for these tags: ADJ ADP ADV AUX" in shown and "Traceback" not in shown
    assert depinduce("check", train, "--map", few) == 1
    assert "problem: tags for which --map has no line: ADJ ADP ADV AUX" in capsys.readouterr().out
    assert depinduce("evaluate", train, train, "--map", few) == 1
    assert "--map has no line for these tags: ADJ" in capsys.readouterr().err
    assert contents(tmp_path) == before


def test_check_and_evaluate_count_the_tags_that_are_meant(penn, capsys):
    assert depinduce("check", penn, "--tags", "xpos", "--map", "penn", "--json") == 0
    assert set(json.loads(capsys.readouterr().out)["tags"]) <= set(load_map("penn").values())
    assert depinduce("evaluate", penn, penn, "--tags", "xpos", "--map", "penn", "--json") == 0
    assert {"NOUN", "VERB"} < set(json.loads(capsys.readouterr().out)["by_tag"])


# ---------------------------------------------------------------- features


def featured(train: Path, target: Path) -> Path:
    """Every third noun is a genitive, the others are nominatives."""
    nouns = 0

    def change(tag: str) -> dict[int, str]:
        nonlocal nouns
        nouns += tag == "NOUN"
        features = {"NOUN": f"Case={'Nom' if nouns % 3 else 'Gen'}", "DET": "Definite=Def|PronType=Art"}
        return {FEATS: features.get(tag, "_")}

    return rewritten(train, target, change)


@pytest.mark.parametrize("model", ["dmv-sibling", pytest.param("hdp-dep", marks=pytest.mark.slow)])
def test_tags_refined_by_features_are_learned_and_fall_back_to_bare_ones(model, train, tmp_path, capsys):
    source = featured(train, tmp_path / "featured.conllu")
    options = [
        "--train",
        source,
        "--model",
        model,
        "--tags",
        "upos+Case+PronType",
        "--non-heads",
        "ud",
        "--rules",
        "ud",
    ]
    assert depinduce("train", *options, "--iterations", 2, "--out", tmp_path / "model") == 0
    assert "--non-heads" not in capsys.readouterr().err
    known = Parser.load(tmp_path / "model").tags
    assert {"NOUN+Case=Nom", "NOUN+Case=Gen", "DET+PronType=Art"} < set(known) and "DET" not in known
    out = tmp_path / "parsed.conllu"
    assert depinduce("parse", tmp_path / "model", source, "-o", out) == 0
    for sentence in read_sentences(out):
        assert not {sentence.column(UPOS)[head - 1] for head in sentence.heads if head} & {"DET", "ADP"}
    assert depinduce("parse", tmp_path / "model", train, "-o", out) == 0  # which has no features
    assert "tags that training has not seen" not in capsys.readouterr().err


def test_without_a_frequent_combination_the_grammar_is_that_of_bare_tags(train, tmp_path):
    source = featured(train, tmp_path / "featured.conllu")
    for name, options in (("bare", []), ("refined", ["--tags", "upos+Case", "--set", "rare_tags=9999"])):
        assert depinduce("train", "--train", source, *options, "--iterations", 2, "--out", tmp_path / name) == 0
    bare, refined = (load_model(tmp_path / name) for name in ("bare", "refined"))
    assert bare.tags == refined.tags and np.array_equal(bare.table.child, refined.table.child)


@pytest.mark.slow
def test_a_grammar_of_refined_tags_starts_from_one_of_bare_tags(train, tmp_path, capsys):
    source = featured(train, tmp_path / "featured.conllu")
    assert depinduce("train", "--train", train, "--iterations", 2, "--out", tmp_path / "bare") == 0
    options = ["--train", source, "--tags", "upos+Case", "--init", "model", tmp_path / "bare", "--iterations", 1]
    assert depinduce("train", *options, "--out", tmp_path / "refined") == 0
    assert "has not seen the tags" not in capsys.readouterr().err


def test_generated_sentences_have_their_features_in_their_column(train, tmp_path, capsys):
    source = featured(train, tmp_path / "featured.conllu")
    options = ["--train", source, "--tags", "upos+Case", "--iterations", 5]
    assert depinduce("train", *options, "--out", tmp_path / "model") == 0
    capsys.readouterr()
    assert depinduce("sample", tmp_path / "model", "-n", 30) == 0
    made = [*read_sentences(write(tmp_path / "made.conllu", capsys.readouterr().out))]
    pairs = {pair for sentence in made for pair in zip(sentence.column(UPOS), sentence.column(FEATS), strict=True)}
    assert ("NOUN", "Case=Nom") in pairs and not any("+" in tag for tag, _ in pairs)
    assert depinduce("inspect", tmp_path / "model", "--head", "NOUN") == 0
    shown = capsys.readouterr().out
    assert "\nNOUN+Case=Nom, " in shown and "\nNOUN+Case=Gen, " in shown and "\nVERB, " not in shown


# ---------------------------------------------------------------- CONJ and CCONJ


@pytest.mark.slow
def test_ud_1_is_parsed_by_a_grammar_of_ud_2_and_that_is_told_once(train, tmp_path, monkeypatch, capsys):
    old = rewritten(train, tmp_path / "old.conllu", lambda tag: {UPOS: "CONJ" if tag == "CCONJ" else tag})
    assert b"CCONJ" in train.read_bytes() and b"CCONJ" not in old.read_bytes()
    assert depinduce("train", "--train", train, "--iterations", 2, "--out", tmp_path / "new") == 0
    monkeypatch.setattr(streams, "MOST_WORDS", 200)  # several blocks, each of which is a corpus
    capsys.readouterr()
    for name, source in (("train", train), ("old", old)):
        assert depinduce("parse", tmp_path / "new", source, "-o", tmp_path / f"{name}-parsed") == 0
        told = capsys.readouterr().err.count("CONJ is read as CCONJ, which is what the grammar calls it")
        assert told == (name == "old")
    heads = [[s.heads for s in read_sentences(tmp_path / f"{name}-parsed")] for name in ("train", "old")]
    assert heads[0] == heads[1]
    options = ["--model", "dmv-sibling", "--init", "model", tmp_path / "new", "--iterations", 1]
    for name, source in (("from-train", train), ("from-old", old)):
        assert depinduce("train", "--train", source, *options, "--out", tmp_path / name) == 0
    assert ("CONJ is read as CCONJ" in capsys.readouterr().err) and "average tags" not in capsys.readouterr().err
    tables = [model_files(tmp_path / name)["model.safetensors"] for name in ("from-train", "from-old")]
    assert tables[0] == tables[1]


def test_held_out_sentences_of_ud_1_are_understood(tmp_path, capsys):
    train = write(tmp_path / "a.conllu", block("dogs/NOUN and/CCONJ cats/NOUN sleep/VERB"))
    dev = write(tmp_path / "b.conllu", block("dogs/NOUN and/CONJ cats/NOUN sleep/VERB"))
    assert depinduce("train", "--train", train, "--dev", dev, "--iterations", 1, "--out", tmp_path / "model") == 0
    shown = capsys.readouterr().err
    assert "CONJ is read as CCONJ" in shown and "left out" not in shown
