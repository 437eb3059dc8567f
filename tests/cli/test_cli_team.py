"""Training in several processes as a user sees it: what is told, what is left when one is killed, and going on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from learning.tagged import random_sentences
from teams import commands, places

from depinduce.cli import main
from depinduce.models.loading import load_model
from depinduce.models.places import METRICS

pytestmark = pytest.mark.slow


@pytest.fixture
def text(tmp_path) -> Path:
    """A CoNLL-U file of tagged sentences."""
    path = tmp_path / "text.conllu"
    with path.open("w") as file:
        for sentence in random_sentences(3, count=60):
            for number, tag in enumerate(sentence.split(), start=1):
                print(number, tag.lower(), "_", tag, *"______", sep="\t", file=file)
            print(file=file)
    return path


def train(text: Path, out: Path, *options: str) -> list[str | Path]:
    return ["train", "--model", "dmv", "--train", text, "--out", out, *options]


def rounds(out: Path) -> int:
    return (out / METRICS).read_bytes().count(b"\n")


def assert_same_model(one: Path, other: Path) -> None:
    for found, expected in zip(load_model(one).table.parts, load_model(other).table.parts, strict=True):
        assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("lost", [0, 1])
def test_a_training_that_lost_a_process_says_so_and_goes_on_with_any_number(lost, text, tmp_path, monkeypatch):
    out, alone = tmp_path / "out", tmp_path / "alone"
    processes = commands(2, *train(text, out, "--iterations", "100000"))
    told = processes[0].stderr
    assert told.readline() == "2 processes\n"
    while not told.readline().startswith("training: "):
        pass
    processes[lost].kill()
    _, message = processes[1 - lost].communicate()
    processes[lost].communicate()
    assert processes[1 - lost].returncode == 1
    assert "Another process of this training has ended" in message and "--resume" in message
    assert "Traceback" not in message

    more = ["--iterations", str(rounds(out) + 4), "--resume"]
    three = commands(3, *train(text, out, *more))  # one more than before
    assert [(process.communicate(), process.returncode)[1] for process in three] == [0, 0, 0]
    more = ["--iterations", str(rounds(out) + 4), "--resume"]
    assert main([str(part) for part in train(text, out, *more)]) == 0
    assert main([str(part) for part in train(text, alone, *more[:2])]) == 0
    assert rounds(out) == rounds(alone)
    assert_same_model(out, alone)


def test_a_network_goes_on_with_another_number_of_processes(text, tmp_path):
    small = "--set", "members=1", "grow_from=0", "size=6", "start_epochs=0", "batch_size=20"
    command = ["train", "--model", "ndmv", "--init", "random", "--ladder", "--train", text, *small]
    for size, epochs in ((2, 2), (1, 4), (3, 6)):
        processes = commands(size, *command, "--epochs", str(epochs), "--resume", "--out", tmp_path / "out")
        assert [(process.communicate(), process.returncode)[1] for process in processes] == [0] * size
    assert main([str(part) for part in (*command, "--epochs", "6", "--out", tmp_path / "alone")]) == 0
    found, alone = (
        [json.loads(line)["train"] for line in (tmp_path / place / METRICS).read_text().splitlines()]
        for place in ("out", "alone")
    )
    assert len(found) == 6
    assert found == pytest.approx(alone, abs=0.01)


def test_torchrun_trains_what_one_process_trains(text, tmp_path):
    out, alone = tmp_path / "out", tmp_path / "alone"
    port = places(2)[0]["MASTER_PORT"]
    torchrun = ["torch.distributed.run", "--nproc-per-node", "2", "--master-addr", "127.0.0.1", "--master-port", port]
    command = [sys.executable, "-m", *torchrun, "-m", "depinduce", *map(str, train(text, out))]
    done = subprocess.run(command, env=os.environ | {"OMP_NUM_THREADS": "1"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    assert lines.count("2 processes") == 1
    assert sum(line.startswith("wrote ") for line in lines) == 1  # one process tells everything
    assert main([str(part) for part in train(text, alone)]) == 0
    assert_same_model(out, alone)


def test_the_first_line_tells_how_many_processes_there_are_and_nothing_is_told_twice(text, tmp_path):
    small = "--set", "members=1", "grow_from=0", "size=6", "start_epochs=0"
    command = "train", "--model", "ndmv", "--train", text, "--epochs", "1", *small, "--out", tmp_path / "out"
    processes = commands(2, *command)
    (first, second) = [(process.communicate()[1], process.returncode) for process in processes]
    assert first[0].splitlines()[:2] == [
        "2 processes", "settings of the recipe ud-ndmv, without its --non-heads; another: --recipe NAME"
    ]  # fmt: skip
    assert second == ("", 0) and first[1] == 0


def test_several_seeds_are_not_for_several_processes(text, tmp_path):
    processes = commands(2, *train(text, tmp_path / "out", "--seeds", "0-1"))
    assert all("all processes train one model" in process.communicate()[1] for process in processes)


def test_stdin_is_not_for_several_processes(tmp_path):
    processes = commands(2, "train", "--model", "dmv", "--train", "-", "--out", tmp_path / "out")
    told = [process.communicate()[1] for process in processes]
    assert all("under torchrun every process reads the files" in text for text in told)
    assert not (tmp_path / "out").exists()
