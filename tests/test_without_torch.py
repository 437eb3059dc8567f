"""Most of depinduce works where torch is not installed, and what does not says in a line what to install."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest
from cli.demo_parts import demo_part

from depinduce.errors import EXTRAS, MissingPackageError
from depinduce.learning.ladder import wants_torch
from depinduce.learning.settings.configuration import configure
from depinduce.models.table import MODELS

PATIENCE = 900  # seconds, should charts have to be compiled on a busy machine
RUN_ALL = """
import contextlib, io, json, sys
from depinduce.cli import main
for line in json.loads(sys.argv[1]):
    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2)]
    with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
        code = main(line.split())
    print(json.dumps([line, code, *(stream.buffer.getvalue().decode() for stream in streams)]))
"""
WORK = [
    "check train.conllu",
    "train --train train.conllu --model dmv --iterations 2 --out counts",
    "train --train train.conllu --recipe adapt --out adapted",
    "train --train train.conllu --recipe adapt --set fewest_sentences=10 --out alone",
    "train --train train.conllu --model dmv-sibling --iterations 2 --seeds 0-1 --jobs 2 --out seeds",
    "parse universal dev.conllu -o parsed.conllu",
    "parse counts dev.conllu -o counts.conllu --posteriors",
    "check counts dev.conllu",
    "evaluate dev.conllu parsed.conllu --baselines",
    "draw parsed.conllu -n 1",
    "draw parsed.conllu -o trees.html",
    "inspect counts",
    "inspect universal",
    "report counts --gold dev.conllu -o report.html",
    "sample counts -n 2",
    "pack counts counts.zip",
    "parse counts.zip dev.conllu -o packed.conllu",
    "models",
    "tag train.conllu -o tagged.conllu",
    "completion bash",
]
NEED_IT = [
    "train --train train.conllu --recipe ud-sibling --out network",
    "train --train train.conllu --recipe ud-sibling --out counts --overwrite",
    "train --train train.conllu --model dmv --init hdp-dep ud --out started",
    "train --train train.conllu --model lexical --out words",
    "train --train train.conllu --model ndmv --seeds 0-1 --jobs 2 --out networks",
    "bench charts",
]


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    complaint: str


def without_torch(folder: Path) -> dict:
    """How to start processes in a folder for which, and for whose own ones, there is no torch."""
    blocked = folder / "blocked"
    blocked.mkdir(exist_ok=True)
    (blocked / "sitecustomize.py").write_text('import sys\nsys.modules["torch"] = None  # whoever imports it fails\n')
    path = os.pathsep.join([str(blocked), *filter(None, [os.environ.get("PYTHONPATH")])])
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return {"cwd": folder, "env": os.environ | {"PYTHONPATH": path}, **streams}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("without torch")
    demo_part(folder / "train.conllu", count=40)
    demo_part(folder / "dev.conllu", "dev", 20)
    return folder


@pytest.fixture(scope="module")
def done(folder) -> dict[str, Done]:
    """What came out of every line, one after the other."""
    command = [sys.executable, "-c", RUN_ALL, json.dumps(WORK + NEED_IT)]
    ran = subprocess.run(command, timeout=PATIENCE, **without_torch(folder))
    assert ran.returncode == 0, ran.stderr
    return {line: Done(*found) for line, *found in map(json.loads, ran.stdout.splitlines())}


@pytest.mark.slow
@pytest.mark.parametrize("line", WORK)
def test_it_works_without_torch(done, line):
    expected = 1 if line == "check counts dev.conllu" else 0  # so short a training is poor
    assert done[line].code == expected, done[line].complaint
    assert ("torch" in done[line].complaint) == ("fewest_sentences" in line)


@pytest.mark.slow
def test_adapt_without_torch_says_what_is_missing_and_what_brings_it(done):
    complaint = done["train --train train.conllu --recipe adapt --set fewest_sentences=10 --out alone"].complaint
    assert "torch is not installed: only the order-free grammar is learned" in complaint
    assert "pip install 'depinduce[neural]'" in complaint


@pytest.mark.slow
@pytest.mark.parametrize("line", NEED_IT)
def test_what_needs_torch_says_so_in_one_line(done, line):
    assert done[line].code == 1
    *before, last = done[line].complaint.splitlines()
    assert re.fullmatch(
        r"depinduce: (Training [\w-]+|depinduce bench) needs the Python package torch, which is not installed here\. "
        r"Install it: pip install 'depinduce\[neural\]'",
        last,
    )
    assert "Traceback" not in done[line].complaint


@pytest.mark.slow
def test_a_training_that_needs_torch_writes_nothing_and_overwrites_nothing(done, folder):
    for out in ("network", "started", "words", "networks"):
        assert not (folder / out).exists(), out
    assert (folder / "counts" / "model" / "model.json").exists()


@pytest.mark.slow
def test_the_page_is_there_without_torch(done, folder):
    command = [sys.executable, "-m", "depinduce", "serve", "counts", "universal", "--port", "0"]

    def heed_interrupts() -> None:  # which a process started in the background ignores
        signal.signal(signal.SIGINT, signal.default_int_handler)

    options = without_torch(folder) | {"start_new_session": True, "preexec_fn": heed_interrupts}
    with subprocess.Popen(command, **options) as process:
        try:
            assert "2 models at http://127.0.0.1:" in process.stdout.readline()
            os.kill(process.pid, signal.SIGINT)
            _, complaint = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    assert "Traceback" not in complaint


# ---------------------------------------------------------------- who needs it


LEARNED_BY = """
import json
from depinduce.models.table import MODELS, find
there = {}
for entry in MODELS.values():
    try:
        there[entry.learners] = bool(find(entry.learners))
    except ModuleNotFoundError as error:
        there[entry.learners] = error.name != "torch"
print(json.dumps(there))
"""


def test_the_table_of_models_says_truly_which_ones_torch_trains(folder):
    ran = subprocess.run([sys.executable, "-c", LEARNED_BY], **without_torch(folder))
    there = json.loads(ran.stdout)
    told = {name: not there[entry.learners] for name, entry in MODELS.items()}
    assert told == {name: entry.trained_by_torch for name, entry in MODELS.items()}
    assert set(told.values()) == {True, False}


def test_with_torch_no_model_wants_it():
    assert [name for name in MODELS if wants_torch(configure({"model": name}).learning)] == []


def test_the_extras_of_the_error_are_those_of_the_project():
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    offered = project["project"]["optional-dependencies"]
    for package, extra in EXTRAS.items():
        assert any(line.startswith(package) for line in offered[extra]), package
    assert "pip install strange" in str(MissingPackageError("a model", "strange"))
