"""The scripts that measure much text run with little of it: what they print, and what they write as JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from cli.demo_parts import demo_part

TOOLS = Path(__file__).parent.parent.parent / "tools"

pytestmark = pytest.mark.slow


def run(script: str, *arguments: object) -> list[str]:
    """The lines that a script prints, each fit for a terminal of eighty columns."""
    command = [sys.executable, str(TOOLS / script), *map(str, arguments)]
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    assert max(map(len, lines)) <= 80
    return lines


@pytest.mark.parametrize("in_memory", [None, 200, 0])
def test_training_from_a_cache_is_measured_beside_training_from_memory(in_memory, tmp_path):
    text, out = demo_part(tmp_path / "text.conllu", count=60), tmp_path / "training.json"
    options = [] if in_memory is None else ["--in-memory", in_memory]
    lines = run("measure_training.py", text, "--place", tmp_path / "place", "--json", out, *options)
    found = json.loads(out.read_text())
    same = lines.count("the same model, bit by bit")
    assert (found["same_models_from_words"], same) == {None: (found["words"], 2), 200: (200, 2), 0: (0, 0)}[in_memory]
    assert len(found["runs"]) == 2 + same
    assert all(run["words_per_second"] > 0 and run["megabytes"] > 50 for run in found["runs"])
    assert (found["runs"][-1]["words"] < found["words"]) == (in_memory == 200)


def test_equal_sentences_are_measured(tmp_path):
    text = demo_part(tmp_path / "text.conllu", count=60)
    text.write_text(3 * text.read_text("utf-8"), encoding="utf-8")
    kept = "--cache", tmp_path / "cache"
    for options in ((), kept):
        lines = run("measure_alike.py", text, "--json", tmp_path / "alike.json", *options)
        (found,) = json.loads((tmp_path / "alike.json").read_text()).values()
        assert found["sentences"] % 3 == 0 and found["different"] <= found["sentences"] / 3
        assert found["words_left"] <= 1 / 3 and found["chart_work_left"] <= 1 / 3
        assert len(lines) == 2


def test_parsing_is_measured_on_workers_one_of_which_is_lost(tmp_path):
    pytest.importorskip("distributed")
    out, few = tmp_path / "parsing.json", ["--words", 30000, "--of-file", 4000]
    lines = run("measure_parsing.py", *few, "--place", tmp_path / "place", "--json", out)
    found = json.loads(out.read_text())
    assert list(found["runs"]) == ["alone", "one", "two", "lost"]
    assert len({run["digest"] for run in found["runs"].values()}) == 1
    names = ["two workers are so many times as fast as one", "seconds that a lost worker costs",
             "words per second and core", "core hours for 1,000 million words", "megabytes of a worker"]  # fmt: skip
    assert all(name in found for name in names) and lines[-1].startswith(names[-1])
