"""Compiled code is kept between runs, is never stale, and does without a place to be kept in."""

import errno
import os
import shutil
import subprocess
import sys
import threading
import time
from hashlib import sha256
from pathlib import Path

import numba
import numpy as np
import pytest

import depinduce
from depinduce.chart import grandparent
from depinduce.chart.engine import best_trees
from depinduce.chart.kernels import kernels
from depinduce.chart.semirings import MAX
from depinduce.compile_cache import cache_directory, say_once
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
from depinduce.compile_cache import cache_directory, say_once
from depinduce.compiled import _one_at_a_time
_one_at_a_time(lambda signature: os._exit(1), pathlib.Path({str(tmp_path / "lock")!r}))(None)
"""
    assert subprocess.run([sys.executable, "-c", dies], check=False).returncode == 1
    with pytest.raises(ZeroDivisionError):
        _one_at_a_time(lambda signature: 1 / signature, tmp_path / "lock")(0)
    assert _one_at_a_time(lambda signature: 1 / signature, tmp_path / "lock")(2) == 0.5


# ---------------------------------------------------------------- a cache that has faults, or cannot be trusted


def twice(x):
    return 2 * x


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A directory in which functions that are made from now on are kept."""
    monkeypatch.setattr("depinduce.compiled.cache_directory", lambda: tmp_path)
    return tmp_path


def ask_anew() -> str:
    """Where the answer of a function came from, which knows nothing of the functions before it."""
    made = compiled_entry(twice)
    assert made(3) == 6
    return "read" if made.stats.cache_hits else "compiled"


def kept_in(cache: Path) -> list[str]:
    return [path.suffix for path in cache.iterdir()]


def test_what_was_compiled_is_read_the_next_time(cache, capsys):
    assert (ask_anew(), ask_anew()) == ("compiled", "read")
    assert sorted(kept_in(cache)) == [".code", ".lock"]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "damaged",
    [
        pytest.param(lambda kept: b"", id="emptied"),
        pytest.param(lambda kept: kept[:-100], id="cut off"),
        pytest.param(lambda kept: kept[:2000] + bytes([kept[2000] ^ 1]) + kept[2001:], id="one bit"),
        pytest.param(lambda kept: sha256(kept[32:-9]).digest() + kept[32:-9], id="written by mistake"),
    ],
)
def test_a_damaged_entry_is_told_of_and_compiled_again(cache, capsys, damaged):
    ask_anew()
    (file,) = cache.glob("*.code")
    file.write_bytes(damaged(file.read_bytes()))
    assert (ask_anew(), ask_anew()) == ("compiled", "read")
    said = capsys.readouterr().err
    assert said.count("it is damaged") == len(said.splitlines()) == 1


def test_an_entry_that_cannot_be_read_is_compiled_every_time_and_told_of_once(cache, capsys):
    ask_anew()
    (file,) = cache.glob("*.code")
    file.unlink()
    file.mkdir()
    assert (ask_anew(), ask_anew()) == ("compiled", "compiled")
    said = capsys.readouterr().err.splitlines()
    assert [line.partition("(")[2].partition(")")[0] for line in said] == ["Is a directory"] * 2  # to read, to write


@pytest.mark.parametrize("step", ["tempfile.NamedTemporaryFile", "os.replace"])
def test_a_full_disk_is_told_of_once_and_leaves_nothing_behind(cache, capsys, monkeypatch, step):
    def full(*arguments, **options):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(step, full)
    assert (ask_anew(), ask_anew()) == ("compiled", "compiled")
    said = capsys.readouterr().err
    assert said.count("(No space left on device)") == said.count("cannot be kept in") == len(said.splitlines()) == 1
    assert kept_in(cache) == [".lock"]


def test_without_locks_every_process_compiles_for_itself(tmp_path):
    (tmp_path / "lock").mkdir()  # cannot be opened as a file
    assert _one_at_a_time(lambda signature: signature, tmp_path / "lock")("compiled") == "compiled"


find_directory = cache_directory.__wrapped__  # which it does once in a process


def test_directories_of_the_cache_are_made_for_us_alone(tmp_path, monkeypatch):
    pytest.importorskip("fcntl")
    monkeypatch.setenv("DEPINDUCE_CACHE", str(tmp_path / "new" / "cache"))
    directory = find_directory()
    assert directory.parents[1] == tmp_path / "new" / "cache"
    assert {path.stat().st_mode & 0o777 for path in (directory, *directory.parents[:2])} == {0o700}


@pytest.mark.parametrize("level", range(3))
def test_nothing_is_read_where_others_can_write(tmp_path, monkeypatch, capsys, level):
    pytest.importorskip("fcntl")
    monkeypatch.setenv("DEPINDUCE_CACHE", str(tmp_path))
    place = (tmp_path, tmp_path / "depinduce", find_directory())[level]
    place.chmod(0o770)
    assert find_directory() is None
    assert f"cannot be kept in {place} (others can write there" in capsys.readouterr().err
    place.chmod(0o1777)  # like /tmp: others may add files, but take none away
    assert (find_directory() is None) == (level > 0)


def test_nothing_is_read_that_belongs_to_somebody_else(tmp_path, monkeypatch, capsys):
    pytest.importorskip("fcntl")
    monkeypatch.setenv("DEPINDUCE_CACHE", str(tmp_path))
    if os.getuid() == 0:
        os.chown(tmp_path, 12345, -1)  # for what is root's is trusted by everybody
    else:
        monkeypatch.setattr(os, "getuid", lambda: 12345)
    assert find_directory() is None
    assert f"cannot be kept in {tmp_path} (it belongs to somebody else)" in capsys.readouterr().err


@pytest.mark.parametrize("home", [None, "relative"])
def test_without_a_home_directory_nothing_is_made(home, tmp_path, monkeypatch, capsys):
    pwd = pytest.importorskip("pwd")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DEPINDUCE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # which its standard says to ignore
    if home is None:
        monkeypatch.delenv("HOME")
        monkeypatch.setattr(pwd, "getpwuid", {}.__getitem__)
    else:
        monkeypatch.setenv("HOME", home)
    say_once.cache_clear()
    assert find_directory() is None
    assert "there is no home directory" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_charts_that_must_not_be_compiled_say_so_in_a_sentence():
    program = "import sys; from depinduce.cli import main; sys.exit(main(['demo']))"
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("depinduce: NUMBA_DISABLE_JIT is set")


# ---------------------------------------------------------------- templates


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
