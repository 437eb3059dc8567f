"""Models on disk: they come back as they were, whole or not at all, and damage is told plainly."""

from __future__ import annotations

import hashlib
import json
import pickle
import re
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from learning.tagged import random_sentences, random_table, tagged
from safetensors.numpy import load_file, save_file

from depinduce import Parser
from depinduce.corpus import Reading, Vocabulary
from depinduce.errors import DepinduceError
from depinduce.grammar.rules import Order
from depinduce.learning.run import Run
from depinduce.learning.settings.configuration import configure
from depinduce.models.loading import load_grammar, load_model
from depinduce.models.model_files import digest_of
from depinduce.models.tag_model import GrammarModel


def example(order: Order = Order.SIBLING, seed: int = 1, **changes) -> GrammarModel:
    table = random_table(order, 3, seed)
    table.child[0] = [0, -np.inf, -np.inf]  # an impossible rule, too
    tags = Vocabulary(["NOUN", "VERB", "Ä/ß"], [5, 3, 1])
    reading = Reading("xpos", lowercase=True, punctuation="penn", max_length=12)
    return GrammarModel(order, tags, table, ("VERB",), reading, changes.get("history", {"seed": 7, "rounds": []}))


@pytest.mark.parametrize("order", list(Order))
def test_a_saved_model_comes_back_bit_by_bit(order, tmp_path):
    model = example(order)
    model.save(tmp_path / "model")
    again = load_grammar(tmp_path / "model")
    for name in ("root", "child", "decision"):
        one, other = getattr(model.table, name), getattr(again.table, name)
        assert (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())
    assert (again.order, again.tags, again.non_heads) == (model.order, model.tags, model.non_heads)
    assert (again.reading, again.history) == (model.reading, model.history)


def test_a_model_is_json_and_safetensors_and_nothing_else(tmp_path, monkeypatch):
    example().save(tmp_path / "model")
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == ["model.json", "model.safetensors"]
    data = (tmp_path / "model" / "model.safetensors").read_bytes()
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    assert {"root", "child", "decision"} <= header.keys()
    description = json.loads((tmp_path / "model" / "model.json").read_text("utf-8"))
    assert description["format_version"] == 2
    assert description["tags"]["symbols"] == ["NOUN", "VERB", "Ä/ß"]

    def refuse(*arguments, **options):
        raise AssertionError("a model is read without pickle")

    for name in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(pickle, name, refuse)
    load_grammar(tmp_path / "model")


def test_the_description_tells_what_it_is_and_the_hash_of_its_files(tmp_path):
    example(history={"finished": False}).save(tmp_path / "model")
    description = json.loads((tmp_path / "model" / "model.json").read_text("utf-8"))
    assert (description["kind"], description["about"]) == ("tags", "a sibling grammar over tags")
    assert description["finished"] is False
    data = (tmp_path / "model" / "model.safetensors").read_bytes()
    assert description["sha256"] == {
        "model.safetensors": hashlib.sha256(data).hexdigest(),
        "model.json": digest_of(description),
    }


def test_a_model_that_needs_what_is_not_installed_says_so_and_is_not_damaged(tmp_path, monkeypatch):
    example().save(tmp_path / "model")
    path = tmp_path / "model" / "model.json"
    description = json.loads(path.read_text("utf-8")) | {"kind": "words", "about": "a sibling grammar over words"}
    description["sha256"]["model.json"] = digest_of(description)
    path.write_text(json.dumps(description), "utf-8")
    monkeypatch.delitem(sys.modules, "depinduce.models.word_model", raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    told = "a sibling grammar over words needs the Python package torch, which is not installed here. Install it"
    with pytest.raises(DepinduceError, match=told):
        load_model(tmp_path / "model")


def test_both_files_may_be_read_by_the_same_people(tmp_path):
    example().save(tmp_path / "model")
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "model").iterdir()}
    assert len(modes) == 1


def test_saving_replaces_an_older_model(tmp_path):
    example(seed=1).save(tmp_path / "model")
    example(seed=2).save(tmp_path / "model")
    again = load_grammar(tmp_path / "model")
    assert np.array_equal(again.table.decision, example(seed=2).table.decision)
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_a_failing_save_leaves_the_old_model_and_nothing_else(tmp_path):
    example(seed=1).save(tmp_path / "model")
    before = contents(tmp_path)
    with pytest.raises(TypeError):
        example(seed=2, history={"not": object()}).save(tmp_path / "model")  # JSON cannot hold this
    assert contents(tmp_path) == before


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_directory_of_other_things_is_not_replaced(tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter1.tex").write_text("ten years of work")
    with pytest.raises(DepinduceError, match="thesis: .*not a model"):
        example().save(tmp_path / "thesis")
    assert contents(tmp_path) == {"thesis/chapter1.tex": b"ten years of work"}


def test_a_file_is_not_replaced_by_a_model(tmp_path):
    (tmp_path / "thesis.tex").write_text("ten years of work")
    with pytest.raises(DepinduceError, match="thesis.tex: .*not a model"):
        example().save(tmp_path / "thesis.tex")
    assert contents(tmp_path) == {"thesis.tex": b"ten years of work"}


def test_a_model_has_no_place_inside_a_file(tmp_path):
    (tmp_path / "file").write_text("text")
    with pytest.raises(DepinduceError, match="model: nothing can be written in .*file. Choose another place"):
        example().save(tmp_path / "file" / "folder" / "model")


def test_an_empty_directory_can_take_a_model(tmp_path):
    example().save(tmp_path)
    load_grammar(tmp_path)


# ---------------------------------------------------------------- networks

CORPUS = tagged(*random_sentences(3))
NEURAL = {"model": "sibling", "size": 4, "child_rank": 3, "decision_rank": 2, "epochs": 1, "start_epochs": 0}


@pytest.fixture(scope="module")
def neural(tmp_path_factory) -> Path:
    """A grammar that a network made, in the directory of its training."""
    directory = tmp_path_factory.mktemp("neural") / "run"
    Run(configure(NEURAL), CORPUS, None, directory).go()
    return directory


def test_the_network_that_made_a_grammar_is_kept_beside_it(neural, tmp_path):
    from depinduce.networks.network_settings import NetworkSettings
    from depinduce.networks.tag_network import RuleNetwork

    names = sorted(path.name for path in (neural / "model").iterdir())
    assert names == ["model.json", "model.safetensors", "network.safetensors"]
    model = load_grammar(neural)
    network = RuleNetwork(Order.SIBLING, len(model.tags), NetworkSettings(size=4, child_rank=3, decision_rank=2))
    network.load_state_dict({name: torch.from_numpy(array) for name, array in model.network.items()})
    for part, made in zip(model.table.parts, network.table().parts, strict=True):
        np.testing.assert_allclose(part, made, rtol=1e-5)
    replace(model, network=None).save(tmp_path / "model")
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == ["model.json", "model.safetensors"]


WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None  # whoever imports it fails
from depinduce import Parser
for place in sys.argv[1:]:
    (parse,) = Parser.load(place).parse(["a/N b/V c/D d/N"])
    print(*parse.heads)
"""


@pytest.mark.slow
def test_grammars_over_tags_parse_without_torch(neural, tmp_path):
    Run(configure({"model": "hdp-dep", "iterations": 1}), CORPUS, None, tmp_path / "hidden").go()
    places = [str(neural), str(tmp_path / "hidden")]
    found = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, *places], capture_output=True, text=True, check=True
    ).stdout
    expected = [Parser.load(place).parse(["a/N b/V c/D d/N"])[0].heads for place in places]
    assert found.splitlines() == [" ".join(map(str, heads)) for heads in expected]


# ---------------------------------------------------------------- damage


@pytest.mark.parametrize("name", ["model.safetensors", "network.safetensors"])
def test_a_file_of_another_model_is_refused(name, neural, tmp_path):
    Run(configure(NEURAL | {"seed": 1}), CORPUS, None, tmp_path / "other").go()
    (tmp_path / "other" / "model" / name).write_bytes((neural / "model" / name).read_bytes())
    with pytest.raises(DepinduceError) as refusal:
        load_model(tmp_path / "other")
    assert f"{name} is not the file that was written: its SHA-256 is another" in str(refusal.value)
    assert str(tmp_path / "other") in str(refusal.value)
    assert "copy it again" in str(refusal.value)


def test_one_number_that_changed_is_noticed(tmp_path):
    example().save(tmp_path / "model")
    path = tmp_path / "model" / "model.safetensors"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(DepinduceError, match="model.safetensors is not the file that was written"):
        load_grammar(tmp_path / "model")


@pytest.mark.parametrize("spot", [0.1, 0.5, 0.9])
def test_one_bit_that_changed_in_the_description_is_noticed(spot, tmp_path):
    example(history={"rounds": [{"round": number, "train": -number / 7} for number in range(40)]}).save(tmp_path)
    path = tmp_path / "model.json"
    data, value = bytearray(path.read_bytes()), re.compile(rb'(?<="round": [1-9])\d')
    place = value.search(data, int(spot * len(data))).start()
    data[place] ^= 1  # another digit
    path.write_bytes(data)
    with pytest.raises(DepinduceError, match="model.json is not the file that was written"):
        load_grammar(tmp_path)


def test_white_space_in_the_description_does_not_matter(tmp_path):
    example().save(tmp_path)
    path = tmp_path / "model.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")), sort_keys=True), "utf-8")
    load_grammar(tmp_path)


def test_a_model_of_format_1_has_no_digests_and_is_read_with_a_note(tmp_path):
    example().save(tmp_path)
    description = json.loads((tmp_path / "model.json").read_text("utf-8"))
    del description["sha256"]
    (tmp_path / "model.json").write_text(json.dumps(description), "utf-8")
    with pytest.raises(DepinduceError, match=r"cannot be read .*sha256"):  # it had some
        load_grammar(tmp_path)
    (tmp_path / "model.json").write_text(json.dumps(description | {"format_version": 1}), "utf-8")
    with pytest.warns(UserWarning, match="does not say how its files should be: damage may go unnoticed"):
        load_grammar(tmp_path)


def describe(folder: Path, **changes) -> None:
    """Change a description, as if it had been written so; None takes something out."""
    path = folder / "model.json"
    description = json.loads(path.read_text("utf-8")) | changes
    description = {name: value for name, value in description.items() if value is not None}
    description["sha256"]["model.json"] = digest_of(description)
    path.write_text(json.dumps(description), "utf-8")


def changed_description(**changes):
    return lambda folder: describe(folder, **changes)


def changed_numbers(**changes):
    """Numbers that are damaged in a way that the digest, written afterwards, does not tell."""

    def change(folder: Path) -> None:
        path = folder / "model.safetensors"
        save_file(load_file(path) | changes, path)
        describe(folder, sha256={"model.safetensors": hashlib.sha256(path.read_bytes()).hexdigest()})

    return change


def cut(name: str, size: int):
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:size])


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        pytest.param(cut("model.json", 100), "model.json: damaged", id="json cut short"),
        pytest.param(cut("model.json", 0), "model.json: damaged", id="json empty"),
        pytest.param(
            lambda folder: (folder / "model.json").write_bytes(b'{"format": "\xff"}'),
            "model.json: damaged",
            id="json not UTF-8",
        ),
        pytest.param(
            lambda folder: (folder / "model.json").write_text("[1, 2]"), "not a model of depinduce", id="json of a list"
        ),
        pytest.param(changed_description(format="something"), "not a model of depinduce", id="another format"),
        pytest.param(
            changed_description(format_version=99, depinduce="9.0"),
            "written in format 99 by depinduce 9.0; this version reads formats 1 and 2",
            id="format of the future",
        ),
        pytest.param(changed_description(tags=None), "cannot be read (KeyError", id="no tags"),
        pytest.param(
            changed_description(kind="songs"), "there is no kind of model 'songs'", id="a kind that nobody knows"
        ),
        pytest.param(changed_description(order="fourth"), "cannot be read", id="unknown order"),
        pytest.param(changed_description(order="grandparent"), "cannot be read", id="another order"),
        pytest.param(
            changed_description(tags={"symbols": ["A", "B", "C", "D"], "counts": [1, 1, 1, 1]}),
            "cannot be read",
            id="more tags than rules",
        ),
        pytest.param(
            changed_description(reading={"map": "/dev/zero"}),
            "the map of tags /dev/zero is a file, and a model opens none but its own",
            id="a map that is elsewhere",
        ),
        pytest.param(
            lambda folder: (folder / "model.json").write_text("[" * 100_000), "model.json: damaged", id="json nested"
        ),
        pytest.param(
            changed_description(sha256={"model.safetensors": 5}), "is not the file that was", id="digests that are none"
        ),
        pytest.param(changed_description(order="first", inside_out=True), "cannot be read", id="first from the inside"),
        pytest.param(changed_description(history=[]), "about its training cannot be", id="history of a list"),
        pytest.param(changed_description(non_heads=[1]), "about its training cannot be", id="non-heads of numbers"),
        pytest.param(changed_description(reading={"tags": "xpos", "page": 1}), "cannot be read", id="unknown reading"),
        pytest.param(
            changed_numbers(root=np.log(np.ones(3, dtype=np.float32) / 3)),
            "root holds float32 numbers, not float64",
            id="another kind of numbers",
        ),
        pytest.param(changed_numbers(root=np.full(3, -np.inf)), "root holds rows that are no", id="nothing possible"),
        pytest.param(changed_numbers(root=np.array([0, np.nan, -np.inf])), "root holds rows that", id="not a number"),
        pytest.param(changed_numbers(root=np.zeros(3)), "root holds rows that are no", id="probabilities above one"),
        pytest.param(changed_numbers(root=np.full(3, 1e300)), "root holds rows that are no", id="huge numbers"),
        pytest.param(cut("model.safetensors", 200), "cannot be read", id="tables cut short"),
        pytest.param(cut("model.safetensors", 0), "cannot be read", id="tables empty"),
        pytest.param(lambda folder: (folder / "model.safetensors").unlink(), "cannot be read", id="no tables"),
        pytest.param(lambda folder: (folder / "model.json").unlink(), "no model here", id="no description"),
    ],
)
def test_damage_is_told_with_its_place_and_a_remedy(damage, message, tmp_path):
    example().save(tmp_path / "model")
    damage(tmp_path / "model")
    with pytest.raises(DepinduceError) as refusal:
        load_grammar(tmp_path / "model")
    assert message in str(refusal.value)
    assert str(tmp_path / "model") in str(refusal.value)
    assert any(remedy in str(refusal.value).lower() for remedy in ("train", "copy it again", "name the directory"))


def test_a_missing_directory(tmp_path):
    with pytest.raises(DepinduceError, match="nowhere: no model here .* Name the directory"):
        load_grammar(tmp_path / "nowhere")
