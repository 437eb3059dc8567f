"""Grammars to hand on: every kind comes back with the same trees, and no file that is damaged or forged is read."""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from pathlib import Path

import pytest
from cli.demo_parts import contents
from learning.autoencoded import Random
from learning.languages import universal_of
from models.test_committee_model import MODEL as COMMITTEE
from serve.small_models import CORPUS, joint, over_tags, over_words, seeing_sentences

from depinduce import Parser
from depinduce.errors import DepinduceError
from depinduce.files import parse_json
from depinduce.grammar.rules import Order
from depinduce.learning.run import Run
from depinduce.learning.settings.configuration import configure
from depinduce.models import packing
from depinduce.models.loading import load_model
from depinduce.models.packing import pack
from depinduce.models.table import kinds

CARD = "---\nlicense: mit\n---\n\n# tiny\n"
TEXTS = ["a/N b/V c/D d/N", "b/V a/N", "d/D c/N b/V a/N d/D"]
MODELS = {
    "tags": over_tags(Order.FIRST, "D"),
    "tags, sibling": over_tags(Order.SIBLING, inside_out=True),
    "tags, grandparent": over_tags(Order.GRANDPARENT),
    "words": over_words(Order.FIRST, "D"),
    "words, sibling": over_words(Order.SIBLING),
    "joint": joint(Order.GRANDPARENT),
    "committee": COMMITTEE,
    "polyglot": universal_of(("final", "initial")),
    "sentences": seeing_sentences(),
    "crf": Random(seed=1).model(),
}


def refined():
    return Run(configure({"model": "hdp-dep", "iterations": 1}), CORPUS, None, None).go()[0]


def model_of(name: str):
    return refined() if name == "hdp-dep" else MODELS[name]


def test_every_kind_of_model_is_packed_here():
    assert {name.partition(",")[0] for name in (*MODELS, "hdp-dep")} == set(kinds())


@pytest.mark.parametrize("place", ["grammar.zip", "for-the-hub"])
@pytest.mark.parametrize("name", [*MODELS, "hdp-dep"])
def test_a_packed_grammar_gives_the_same_trees(name, place, tmp_path):
    model = model_of(name)
    pack(model, tmp_path / place, CARD)
    again = load_model(tmp_path / place)
    assert (again.kind, again.about, again.history) == (model.kind, model.about, parse_json(json.dumps(model.history)))
    for one, other in zip(*(Parser(some).parse(TEXTS, adapt=False) for some in (model, again)), strict=True):
        assert (one.heads, one.probabilities, one.log_likelihood) == (
            other.heads,
            other.probabilities,
            other.log_likelihood,
        )


def test_a_folder_has_the_layout_of_hubs_and_a_file_has_the_same_at_its_top(tmp_path):
    pack(MODELS["joint"], tmp_path / "folder", CARD)
    pack(MODELS["joint"], tmp_path / "file.zip", CARD)
    files = contents(tmp_path / "folder")
    assert {"README.md", "config.json", "model.json", "tags/model.safetensors", "words/lexicon.json"} <= set(files)
    assert files["README.md"] == CARD.encode()
    told = json.loads(files["config.json"])
    assert (told["library_name"], told["kind"]) == ("depinduce", "joint")
    with zipfile.ZipFile(tmp_path / "file.zip") as packed:
        assert {name: packed.read(name) for name in packed.namelist()} == files


def test_the_same_grammar_gives_the_same_file(tmp_path):
    for name in ("one.zip", "two.zip"):
        pack(MODELS["tags"], tmp_path / name, CARD)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


def test_a_card_that_was_changed_by_hand_does_not_matter(tmp_path):
    pack(MODELS["tags"], tmp_path / "folder", CARD)
    (tmp_path / "folder" / "README.md").write_text("mine", "utf-8")
    (tmp_path / "folder" / ".gitattributes").write_text("", "utf-8")
    load_model(tmp_path / "folder")


def test_reading_a_packed_grammar_unpickles_nothing(tmp_path, monkeypatch):
    pack(MODELS["words"], tmp_path / "file.zip", CARD)

    def refuse(*arguments, **options):
        raise AssertionError("a model is read without pickle")

    for name in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(pickle, name, refuse)
    load_model(tmp_path / "file.zip")


# ---------------------------------------------------------------- what is there already


@pytest.mark.parametrize("name", ["grammar.zip", "grammar"])
def test_a_packed_grammar_is_replaced_only_if_that_is_wanted(name, tmp_path):
    pack(MODELS["tags"], tmp_path / name, CARD)
    before = contents(tmp_path)
    with pytest.raises(DepinduceError, match="is there already. Choose another place, or add --overwrite"):
        pack(MODELS["polyglot"], tmp_path / name, CARD)
    assert contents(tmp_path) == before
    pack(MODELS["polyglot"], tmp_path / name, CARD, overwrite=True)
    assert load_model(tmp_path / name).kind == "polyglot"
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_nothing_else_is_ever_replaced(tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "README.md").write_text("ten years of work")
    pack(MODELS["tags"], tmp_path / "mine", CARD)
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    before = contents(tmp_path)
    for name in ("thesis", "mine", "file"):
        with pytest.raises(DepinduceError, match=f"{name}: this is not a packed grammar and is not replaced"):
            pack(MODELS["tags"], tmp_path / name, CARD, overwrite=True)
    assert contents(tmp_path) == before


def test_a_failing_disk_leaves_the_old_one_and_nothing_else(tmp_path, monkeypatch):
    pack(MODELS["tags"], tmp_path / "grammar", CARD)
    before = contents(tmp_path)
    real = packing.write_file

    def fails(path, content):
        if path.name == "model.safetensors":
            raise OSError("no room")
        real(path, content)

    monkeypatch.setattr(packing, "write_file", fails)
    with pytest.raises(OSError, match="no room"):
        pack(MODELS["polyglot"], tmp_path / "grammar", CARD, overwrite=True)
    assert contents(tmp_path) == before


# ---------------------------------------------------------------- damaged and forged files


@pytest.fixture
def packed(tmp_path) -> Path:
    pack(MODELS["tags"], tmp_path / "grammar.zip", CARD)
    return tmp_path / "grammar.zip"


def with_files(path: Path, *more: tuple[str, bytes], without: str = "") -> None:
    """Write a zip file anew, with other files beside its own."""
    with zipfile.ZipFile(path) as old:
        files = [(name, old.read(name)) for name in old.namelist() if name != without]
    with zipfile.ZipFile(path, "w") as new:
        for name, data in (*files, *more):
            entry = zipfile.ZipInfo("x")
            entry.filename = name  # as it is, however unsound
            new.writestr(entry, data, zipfile.ZIP_DEFLATED)


def refused(path: Path) -> str:
    with pytest.raises(DepinduceError) as refusal:
        load_model(path)
    assert str(refusal.value).startswith(str(path))
    return str(refusal.value)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.95])
def test_a_file_that_was_cut_short_is_told_as_damaged(share, packed):
    data = packed.read_bytes()
    packed.write_bytes(data[: int(share * len(data))])
    assert "damaged, or not a packed grammar" in refused(packed)
    assert "Copy it again" in refused(packed)


def test_a_changed_byte_anywhere_in_the_files_is_noticed(packed):
    data = packed.read_bytes()
    with zipfile.ZipFile(packed) as archive:
        spots = [entry.header_offset + 30 + len(entry.filename) + entry.compress_size // 2
                 for entry in archive.infolist() if entry.filename.startswith("model.")]  # fmt: skip
    for spot in spots:
        packed.write_bytes(data[:spot] + bytes([data[spot] ^ 4]) + data[spot + 1 :])
        assert "damaged" in refused(packed)


def test_a_sound_zip_of_another_grammars_numbers_is_noticed(packed, tmp_path):
    other = tmp_path / "other.zip"
    pack(MODELS["tags, sibling"], other, CARD)
    with zipfile.ZipFile(other) as archive:
        numbers = archive.read("model.safetensors")
    with_files(packed, ("model.safetensors", numbers), without="model.safetensors")
    assert "model.safetensors is not the file that was written: its SHA-256 is another" in refused(packed)


@pytest.mark.parametrize("name", ["/etc/passwd", "../evil", "tags/../../evil", "..\\evil", "C:evil", "C:/evil"])
def test_files_that_would_lie_elsewhere_are_refused(name, packed, tmp_path):
    with_files(packed, (name, b"evil"))
    assert f"names a file outside of it, {name!r}, and is not read" in refused(packed)
    assert not [*tmp_path.parent.rglob("evil")]


@pytest.mark.parametrize("name", ["model.json", "MODEL.json"])
def test_two_files_of_one_name_are_refused(name, packed):
    with pytest.warns(UserWarning) if name == "model.json" else io.StringIO():
        with_files(packed, (name, b"{}"))
    assert "has two files of one name" in refused(packed)


def test_a_zip_of_something_else_is_refused(packed):
    with_files(packed, without="model.json")
    assert "no packed grammar (there is no model.json at its top)" in refused(packed)


def test_what_would_swell_beyond_measure_is_refused_before_it_does(packed, monkeypatch):
    monkeypatch.setattr(packing, "MOST_BYTES", 100_000)
    with_files(packed, ("bomb", bytes(200_000)))
    assert packed.stat().st_size < 10_000
    assert "more than a grammar can be" in refused(packed)


def test_a_file_that_is_no_zip_is_no_model_as_before(tmp_path):
    (tmp_path / "corpus.conllu").write_text("1\tdogs\n", "utf-8")
    assert "no model here" in refused(tmp_path / "corpus.conllu")
