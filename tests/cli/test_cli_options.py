"""Settings on the command line: options of their own, `--set` for the others, and options that are no more."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
import torch
from cli.demo_parts import contents, demo_part, depinduce
from parameters import some_now

from depinduce import Parser
from depinduce.cli import parser_of
from depinduce.cli.options import read_assignments
from depinduce.cli.train import SETTINGS, read_configuration
from depinduce.errors import DepinduceError
from depinduce.models.loading import load_model
from depinduce.settings import to_toml

torch.set_num_threads(1)

COMMON = {"seed": 1, "max_length": 6}
BASES: dict[str, dict[str, Any]] = {
    "dmv": {"rules": "ud", "non_heads": ["ud"], "iterations": 2, "tags": "upos+Number"},
    "dmv-grand": {"iterations": 2},
    "hdp-dep": {"rules": "ud", "iterations": 2},
    "crfae": {"rules": "ud", "iterations": 1},
    "polyglot": {"init": ["recipe", "wsj-dmv"], "iterations": 2, "poolings": 2},
    "joint-sibling": {"method": "em", "epochs": 1},
}
EXPERT: dict[str, dict[str, Any]] = {  # values of all settings without an option, none of them its default
    "dmv": {
        "child_valence": False, "rules_share": 0.7, "constraint": ["start", "training"], "rare_tags": 9,
        "language_strength": 30.0, "unambiguity_iterations": 1,
    },
    "hdp-dep": {
        "symbols": "categories", "emit": "words", "top_concentration": 2.0, "concentration": 5.0, "child_prior": 0.5,
        "decision_prior": 2.0, "emission_prior": 0.2,
    },
    "dmv-grand": {"sparsity": 5.0, "sparsity_of": "children"},
    "crfae": {
        "encoder_passes": 2, "decoder_passes": 2, "start_passes": 1, "step_sentences": 7, "sparse_weights": 0.5,
        "rules_weight": 3.0,
    },
    "polyglot": {
        "child_strength": 100.0, "decision_strength": 10.0, "root_strength": 20.0, "side_smoothing": 1.0,
        "backoff": 5.0, "tied": 0.25, "most_counted": 7, "votes": 0.25, "voting": 1,
    },
    "joint-sibling": {
        "size": 8, "child_rank": 4, "decision_rank": 2, "encoder": "wsj", "skip_connections": False, "tag_size": 5,
        "word_size": 3, "dropout": 0.25, "dropout_of": "heads", "lexical_child_rank": 4, "lexical_decision_rank": 2,
        "lexical_encoder": "ud", "frequent_words": 4, "classes": 3, "softmax_memory": 16, "m_steps": 2, "batch_size": 5,
        "start_epochs": 1, "start_trees": "best", "generation": "inside-out", "vector_size": 3, "vector_dropout": 0.5,
    },
}  # fmt: skip


def configured(*options: object) -> dict[str, Any]:
    """Every setting that the command would train with."""
    arguments = ["--train", "train.conllu", "--out", "run", *map(str, options)]
    return read_configuration(parser_of("train").parse_args(arguments)).values()


# ---------------------------------------------------------------- settings without an option


def test_every_setting_without_an_option_is_tried_here():
    fields = {field.name: field for part in SETTINGS for field in dataclasses.fields(part)}
    tried = {name: value for values in EXPERT.values() for name, value in values.items()}
    assert tried.keys() == {name for name, field in fields.items() if field.metadata["expert"]}
    assert not [name for name, value in tried.items() if value == fields[name].default]


@some_now("model", [model for model in EXPERT if model != "polyglot"], later=["polyglot"])
def test_a_setting_without_an_option_is_one_of_recipes_of_programs_and_of_set(model, tmp_path):
    train = demo_part(tmp_path / "train.conllu", count=20)
    texts = {"one": train, "two": train} if model == "polyglot" else None
    files = [train] if texts is None else [f"{name}={path}" for name, path in texts.items()]
    base, expert = {"model": model} | COMMON | BASES[model], EXPERT[model]
    (tmp_path / "base.toml").write_text(to_toml(base), "utf-8")
    (tmp_path / "whole.toml").write_text(to_toml(base | expert), "utf-8")
    written = [
        f"{name}={' '.join(value) if isinstance(value, list) else str(value).replace('False', 'false')}"
        for name, value in expert.items()
    ]
    options = ["--train", *files, "--recipe", tmp_path / "base.toml", "--set", *written]
    assert depinduce("train", *options, "--out", tmp_path / "set") == 0
    options = ["--train", *files, "--recipe", tmp_path / "whole.toml"]
    assert depinduce("train", *options, "--out", tmp_path / "recipe") == 0
    made = Parser.train(texts or train, recipe=str(tmp_path / "base.toml"), out=tmp_path / "program", **expert)
    assert made.model.history["settings"].items() >= expert.items()
    by_set, by_recipe, by_program = (contents(tmp_path / way / "model") for way in ("set", "recipe", "program"))
    assert by_set == by_recipe == by_program


# ---------------------------------------------------------------- --set


@pytest.mark.parametrize(
    ("assignment", "value"),
    [
        ("size=50", 50),
        (" size = 50 ", 50),
        ("child-rank=3", 3),
        ("dropout=0.25", 0.25),
        ("dropout=0", 0),
        ("skip_connections=false", False),
        ("skip_connections=true", True),
        ("encoder=wsj", "wsj"),
        ('encoder="wsj"', "wsj"),
        ("tags=8", "8"),
        ("rules=ud", "ud"),
        ("rules=a=b.toml", "a=b.toml"),
        ("init=model some/folder", ["model", "some/folder"]),
        ('init=["model", "a folder"]', ["model", "a folder"]),
        ("non_heads=ud", ["ud"]),
        ("non_heads=2 3", ["2", "3"]),
        ("non_heads=2", ["2"]),
        ("non_heads=", []),
        ("non_heads=[]", []),
    ],
)
def test_values_are_written_as_in_a_recipe_or_without_quotes(assignment, value):
    ((_, read),) = read_assignments([assignment], *SETTINGS).items()
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("size", "--set size: write NAME=VALUE, such as size=50."),
        ("=50", "--set =50: write NAME=VALUE, such as size=50."),
        ("size=", "--set size=: write a whole number."),
        ("size=many", "--set size=many: write a whole number."),
        ("size=4.5", "--set size=4.5: write a whole number."),
        ("size=true", "--set size=true: write a whole number."),
        ("dropout=half", "--set dropout=half: write a number."),
        ("dropout=1.5", "dropout cannot be 1.5"),
        ("skip_connections=no", "--set skip_connections=no: write true or false."),
        ("skip_connections=1", "--set skip_connections=1: write true or false."),
        ("encoder=lstm", "There is no encoder 'lstm'. Choose from: ud, wsj."),
        ("siz=4", "there is no setting 'siz' for the model joint-sibling. Did you mean size? Settings: agreement, "),
        ("smoothing=1", "there is no setting 'smoothing' for the model joint-sibling"),
        ("constraint=start end", "--constraint cannot have 'end'. Choose from: start training parsing."),
    ],
)
def test_what_set_cannot_mean_is_refused_and_nothing_is_written(assignment, message, tmp_path, capsys):
    train = demo_part(tmp_path / "train.conllu", count=5)
    before = contents(tmp_path)
    options = ["--train", train, "--model", "joint-sibling", "--out", tmp_path / "run", "--set", assignment]
    assert depinduce("train", *options) == 1
    assert message in capsys.readouterr().err
    assert contents(tmp_path) == before


def test_set_can_be_repeated_and_has_the_last_word():
    values = configured("--recipe", "ud-sibling", "--set", "size=4", "child_rank=3", "--epochs", 2, "--set", "size=6")
    assert (values["size"], values["child_rank"], values["epochs"], values["members"]) == (6, 3, 2, 6)
    assert configured("--epochs", 2, "--set", "epochs=3", "model=ndmv")["epochs"] == 3


def test_seeds_and_a_seed_that_was_set_are_one_too_many():
    with pytest.raises(DepinduceError, match="--seed and --seeds: choose one of them."):
        configured("--seeds", "0-1", "--set", "seed=3")


# ---------------------------------------------------------------- options that are no more


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--size", 4], "--size is no option: write --set size=4, or put it into a recipe of yours."),
        (["--size=4"], "write --set size=4,"),
        (["--no-skip-connections"], "--no-skip-connections is no option: write --set skip_connections=false,"),
        (["--skip-connections"], "write --set skip_connections=true,"),
        (["--generation", "inside-out"], "--generation is no option: write --set generation=inside-out,"),
        (["--constraint", "start", "parsing"], 'write --set "constraint=start parsing",'),
        (["--lexical-child-rank", 4, "--epochs", 2], "write --set lexical_child_rank=4,"),
    ],
)
def test_a_removed_option_is_refused_with_what_to_write_instead(options, message, tmp_path, capsys):
    train = demo_part(tmp_path / "train.conllu", count=5)
    command = ["--train", train, "--model", "joint-sibling", "--out", tmp_path / "run", *options]
    assert depinduce("train", *command) == 1
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.err.startswith("depinduce: ") and shown.err.count("\n") == 1
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("name", sorted(name for values in EXPERT.values() for name in values))
def test_what_is_told_instead_of_a_removed_option_works(name, capsys):
    model, value = next((model, values[name]) for model, values in EXPERT.items() if name in values)
    option, words = f"--{name.replace('_', '-')}", value if isinstance(value, list) else [value]
    given = [f"--no{option[1:]}"] if value is False else [option, *words]
    with pytest.raises(DepinduceError) as refusal:
        configured("--model", model, *given)
    instead = str(refusal.value).partition("--set ")[2].partition(", or")[0].strip('"')
    base = ["--rules", "ud"] if "rules" in BASES[model] or model == "polyglot" else []
    assert configured("--model", model, *base, "--set", instead)[name] in (value, tuple(words))


@pytest.mark.parametrize("where", ["before", "after"])
def test_parse_says_what_became_of_members(where, tmp_path, capsys):
    sentences: Path = demo_part(tmp_path / "a.conllu", count=2)
    member = ["--member", "first"]
    given = [*member, "--", "model", sentences] if where == "before" else ["model", sentences, *member]
    assert depinduce("parse", *given) == 1
    told = "--member is no option any more: write --part tags (which was second) or --part words (first)."
    assert told in capsys.readouterr().err


def test_the_model_remembers_what_was_set(tmp_path):
    train = demo_part(tmp_path / "train.conllu", count=20)
    options = ["--train", train, "--iterations", 1, "--set", "child_valence=false", "--out", tmp_path / "run"]
    assert depinduce("train", *options) == 0
    assert load_model(tmp_path / "run").history["settings"]["child_valence"] is False
    assert "child_valence = false\n" in (tmp_path / "run" / "config.toml").read_text("utf-8")
