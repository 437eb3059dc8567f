"""Compiled code is kept between runs, is never stale, and does without a place to be kept in."""

import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import numba
import numpy as np
import pytest

import depinduce
from depinduce.chart import grandparent
from depinduce.chart.engine import best_trees
from depinduce.chart.kernels import kernels
from depinduce.chart.semirings import MAX
from depinduce.compiled import _one_at_a_time, compiled, compiled_entry, specialise
from depinduce.grammar.rules import Order, RuleTable, tag_batch

PACKAGE = Path(depinduce.__file__).parent

# Two words have two trees; the rules all weigh one.
RULES_OF_A_TREE = """
import numpy as np
from depinduce.grammar.rules import Order, tag_batch
from depinduce.grammar.trees import tree_rules
batch = tag_batch(Order.FIRST, np.array([0, 0]), np.array([0, 2]), 1)
print(tree_rules(batch, np.array([0, 1])).child_row.tolist())
"""
NUMBER_OF_TREES = """
import numpy as np
from depinduce.chart.engine import log_partition
from depinduce.grammar.rules import Order, RuleTable, tag_batch
batch = tag_batch(Order.FIRST, np.array([0, 0]), np.array([0, 2]), 1)
table = RuleTable(np.zeros(1), np.zeros((4, 1)), np.zeros((4, 2)))
print(np.exp(log_partition(table, batch)).round(6).tolist())
"""
programs = pytest.mark.parametrize(
    ("program", "answer"),
    [
        pytest.param(RULES_OF_A_TREE, "[-1, 2]\n", id="rules of a tree"),
        pytest.param(NUMBER_OF_TREES, "[2.0]\n", id="chart", marks=pytest.mark.slow),
    ],
)


def run(program: str, cache: Path, **environment: str) -> subprocess.CompletedProcess:
    """A program in a Python of its own that keeps compiled code in `cache`."""
    return subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"DEPINDUCE_CACHE": str(cache)} | environment,
        capture_output=True,
        text=True,
        check=True,
    )


@programs
def test_compilation_is_announced_once_and_then_kept(program, answer, tmp_path):
    first, second = run(program, tmp_path), run(program, tmp_path)
    assert first.stdout == second.stdout == answer
    assert first.stderr.count("compiling charts") == 1
    assert len(first.stderr.splitlines()) == 1
    assert second.stderr == ""


@programs
def test_without_a_place_to_keep_it_one_message_says_so_and_all_works(program, answer, tmp_path):
    (tmp_path / "file").write_text("not a directory")
    done = run(program, tmp_path / "file" / "cache")
    assert done.stdout == answer
    assert done.stderr.count("cannot be kept in") == 1
    assert done.stderr.count("Set DEPINDUCE_CACHE") == 1
    assert done.stderr.count("compiling charts") == 1
    assert len(done.stderr.splitlines()) == 2


@pytest.mark.slow
def test_every_change_of_the_sources_begins_a_new_cache(tmp_path):
    copy = tmp_path / "depinduce"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "*.conllu"))
    ask = "from depinduce.compiled import cache_directory; print(cache_directory())"

    def directory():
        return run(ask, tmp_path / "cache", PYTHONPATH=str(tmp_path)).stdout

    before, again = directory(), directory()
    recurrences = copy / "chart" / "sibling" / "inside.py"
    recurrences.write_text(recurrences.read_text("utf-8") + "\n# changed\n", "utf-8")
    assert before == again != directory()


def test_any_number_of_threads_uses_the_same_compiled_kernels():
    batch = tag_batch(Order.FIRST, np.zeros(40, dtype=int), np.arange(21) * 2, 1)
    table = RuleTable(np.zeros(1), np.zeros((4, 1)), np.zeros((4, 2)))
    for threads in (1, 2, 3):
        best_trees(table, batch, threads=threads)
    assert len(kernels(grandparent.CHART, MAX).tree_pass.signatures) == 1


def test_numba_finds_its_own_cache_setting_as_it_was():
    kept = numba.config.CACHE_DIR
    compiled_entry(lambda x: x)
    assert kept == numba.config.CACHE_DIR


COMPILATIONS = """
from depinduce.grammar.trees import _walk
print(sum(_walk.stats.cache_misses.values()))
"""


@pytest.mark.slow
def test_of_two_processes_that_want_the_same_function_one_compiles_it(tmp_path):
    pytest.importorskip("fcntl")
    both = [
        subprocess.Popen(
            [sys.executable, "-c", RULES_OF_A_TREE + COMPILATIONS],
            env=os.environ | {"DEPINDUCE_CACHE": str(tmp_path)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    assert sorted(process.communicate()[0].split()[-1] for process in both) == ["0", "1"]


def test_one_compilation_waits_for_the_other(tmp_path):
    pytest.importorskip("fcntl")
    at_work, seen = [], []

    def compile_slowly(signature):
        at_work.append(signature)
        seen.append(len(at_work))
        time.sleep(0.05)
        at_work.remove(signature)

    threads = [threading.Thread(target=_one_at_a_time(compile_slowly, tmp_path / "lock"), args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [1, 1, 1]


def test_a_process_that_died_or_an_error_while_compiling_keeps_nobody_waiting(tmp_path):
    pytest.importorskip("fcntl")
    dies = f"""
import os, pathlib
from depinduce.compiled import _one_at_a_time
_one_at_a_time(lambda signature: os._exit(1), pathlib.Path({str(tmp_path / "lock")!r}))(None)
"""
    assert subprocess.run([sys.executable, "-c", dies], check=False).returncode == 1
    with pytest.raises(ZeroDivisionError):
        _one_at_a_time(lambda signature: 1 / signature, tmp_path / "lock")(0)
    assert _one_at_a_time(lambda signature: 1 / signature, tmp_path / "lock")(2) == 0.5


@compiled
def _halve(x):
    return x / 2


@compiled
def _double(x):
    return x * 2


def _halve_twice(x):
    return _halve(_halve(x))


def test_one_template_is_compiled_with_different_meanings():
    quarter = numba.njit(_halve_twice)
    fourfold = numba.njit(specialise(_halve_twice, "up", _halve=_double))
    assert (quarter(8.0), fourfold(8.0)) == (2, 32)
