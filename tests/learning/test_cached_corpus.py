"""Sentences that are kept in a folder: a training learns from them what it learns from memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from cli.demo_parts import demo_part, depinduce, model_files
from parameters import some_now
from teams import in_processes

from depinduce.corpus import Corpus, Reading
from depinduce.learning import held_out
from depinduce.learning.held_out import cached_corpus, training_corpus
from depinduce.learning.team import Team


@pytest.fixture
def text(tmp_path) -> Path:
    return demo_part(tmp_path / "text.conllu", count=60)


def content(corpus: Corpus) -> tuple[str, str, int]:
    return corpus.fingerprint(), corpus.take(np.arange(len(corpus))).fingerprint(), corpus.too_long


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(["--model", "dmv", "--iterations", 3, "--non-heads", "ud"], id="dmv"),
        pytest.param(
            ["--model", "sibling", "--init", "random", "--epochs", 1, "--set", "size=6", "batch_size=20"],
            marks=pytest.mark.slow,  # a chart is compiled
            id="sibling",
        ),
    ],
)
def test_the_model_is_the_one_from_memory_bit_by_bit(options, text, tmp_path, monkeypatch):
    assert depinduce("train", "--train", text, *options, "--out", tmp_path / "memory") == 0
    kept = "--cache", tmp_path / "cache"
    assert depinduce("train", "--train", text, *options, *kept, "--out", tmp_path / "kept") == 0
    assert model_files(tmp_path / "kept") == model_files(tmp_path / "memory")
    monkeypatch.setattr(held_out, "encode_part", None)  # what is there is not written again
    assert depinduce("train", "--train", text, *options, *kept, "--out", tmp_path / "again") == 0
    assert model_files(tmp_path / "again") == model_files(tmp_path / "memory")


def test_two_trainings_may_fill_the_same_cache_at_once(text, tmp_path, monkeypatch):
    cache, expected = tmp_path / "cache", content(training_corpus([text], Reading(max_length=10)))
    join, found = held_out.join_parts, []

    def join_late(*arguments):  # another one does all of its work meanwhile
        monkeypatch.setattr(held_out, "join_parts", join)
        found.append(content(cached_corpus([text], Reading(max_length=10), cache)))
        join(*arguments)

    monkeypatch.setattr(held_out, "join_parts", join_late)
    found.append(content(cached_corpus([text], Reading(max_length=10), cache)))
    assert found == [expected, expected]
    assert len(list(cache.iterdir())) == 1


def test_nothing_is_left_in_the_cache_by_a_file_with_a_fault(text, tmp_path):
    text.write_text(text.read_text("utf-8") + "1\tonly two columns\n\n", encoding="utf-8")
    assert depinduce("train", "--train", text, "--cache", tmp_path / "cache", "--out", tmp_path / "model") == 1
    assert list((tmp_path / "cache").iterdir()) == []


@some_now("left", [60], later=[0, 200])  # bytes
def test_a_cache_that_was_damaged_is_told_with_a_remedy(left, text, tmp_path, capsys):
    train = "train", "--train", text, "--iterations", 1, "--cache", tmp_path / "cache", "--out"
    assert depinduce(*train, tmp_path / "one") == 0
    (kept,) = (tmp_path / "cache").iterdir()
    (kept / "tags.npy").write_bytes((kept / "tags.npy").read_bytes()[:left])
    assert depinduce(*train, tmp_path / "other") == 1
    assert f"{kept}: is not as it was written" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--recipe", "adapt"], "--cache is for text alone"),
        (["--seeds", "0-1"], "--cache and --seeds: choose one of them"),
        (["--model", "lexical", "--vectors", "fasttext"], "word vectors are learned from text in memory"),
    ],
)
def test_what_cannot_learn_from_a_cache_is_refused(options, message, text, tmp_path, capsys):
    kept = "--cache", tmp_path / "cache", "--out", tmp_path / "model"
    assert depinduce("train", "--train", text, *options, *kept) == 1
    assert message in capsys.readouterr().err


def read_together(team: Team, text: Path, cache: Path) -> tuple[str, str, int]:
    return content(cached_corpus([text], Reading(max_length=10), cache, team))


@pytest.mark.slow
def test_processes_of_a_team_fill_it_together(text, tmp_path):
    expected = content(training_corpus([text], Reading(max_length=10)))
    assert in_processes(3, read_together, text, tmp_path / "cache") == [expected] * 3
    assert len(list((tmp_path / "cache").iterdir())) == 1
