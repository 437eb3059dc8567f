"""Work on a cluster of Dask: a real one, of processes on this machine, some of which are killed."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from bulk.test_bulk_parse import written
from cli.demo_parts import demo_part, depinduce, depinduce_process, model_files
from experiments.tiny_ud import results_in, shrink, tiny_data
from test_jobs import Send, fail_on_three, find_what_it_needs, square, wait_for_another

from depinduce import cluster as module
from depinduce.bulk import parse as bulk
from depinduce.bulk.ledger import Ledger
from depinduce.cluster import on_cluster, require_cluster
from depinduce.errors import DepinduceError, InputError
from depinduce.learning import seeds

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster() -> Iterator:
    """Two workers, as people start them for themselves."""
    options = {"threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": None}
    with distributed.LocalCluster(n_workers=2, **options) as workers:
        yield workers


@pytest.fixture
def address(cluster) -> str:
    return cluster.scheduler_address


# ---------------------------------------------------------------- as `side_by_side` does


def test_every_task_has_its_result_and_its_messages(address):
    tasks, heard = [3, 1, 0, 4], []
    results = dict(on_cluster(square, tasks, address, lambda number, message: heard.append((number, message))))
    assert {number: result for number, (result, _) in results.items()} == {0: 9, 1: 1, 2: 0, 3: 16}
    for number, task in enumerate(tasks):
        expected = [{"task": task, "step": step} for step in range(task)]
        assert [message for sender, message in heard if sender == number] == expected
    assert os.getpid() not in {process for _, process in results.values()}


def test_workers_work_at_the_same_time(address, tmp_path):
    one, other = str(tmp_path / "one"), str(tmp_path / "other")
    assert len(list(on_cluster(wait_for_another, [(one, other), (other, one)], address))) == 2


def test_a_task_begins_when_those_that_it_needs_have_ended(address, tmp_path):
    last, first, second = (str(tmp_path / name) for name in ("last", "first", "second"))
    tasks = [(last, [first, second]), (first, []), (second, [first])]
    results = list(on_cluster(find_what_it_needs, tasks, address, needs=[[1, 2], [], [1]]))
    assert results == [(1, True), (2, True), (0, True)]


def count_up(most: int, send: Send) -> int:
    return sum(1 for _ in range(most))


def test_what_can_begin_does_so_before_later_tasks(address):
    tasks = [200_000] * 60  # all but the second need nothing, so that they are there before it
    ended = [number for number, _ in on_cluster(count_up, tasks, address, needs=[[], [0], *([] for _ in tasks[2:])])]
    assert sorted(ended) == [*range(60)]
    assert ended.index(1) < 30


def test_an_exception_in_a_worker_is_raised_here(address):
    with pytest.raises(ValueError, match="three is too much"):
        list(on_cluster(fail_on_three, [3], address))


def refuse_input(task: str, send: Send) -> None:
    raise InputError(task, 3, "a fault", "Mend it.")


def test_a_fault_of_a_file_comes_here_as_it_is(address):
    with pytest.raises(InputError, match=r"text:3: a fault\. Mend it\."):
        list(on_cluster(refuse_input, ["text"], address))


def where_it_is(task: object, send: Send) -> str:
    return os.getcwd()


def test_a_task_works_in_the_folder_of_who_asked_for_it(address, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert dict(on_cluster(where_it_is, [0, 1], address)) == {0: str(tmp_path), 1: str(tmp_path)}


def die_once(task: str, send: Send) -> int:
    """Kill the worker, but for the second time."""
    if not Path(task).exists():
        Path(task).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return 1


def die(task: int, send: Send) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_what_a_lost_worker_was_doing_is_done_by_another(address, tmp_path):
    assert list(on_cluster(die_once, [str(tmp_path / "died")], address)) == [(0, 1)]


@pytest.mark.slow
def test_a_task_that_loses_every_worker_is_told_with_a_remedy(address):
    with pytest.raises(DepinduceError, match=r"workers .* were lost one after the other.* more memory"):
        list(on_cluster(die, [1], address))


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize("cluster", ["local", "local:two", "scheduler:8786", "tcp://", "local:0"])
def test_what_is_no_cluster_is_refused(cluster):
    with pytest.raises(DepinduceError, match="--cluster"):
        require_cluster(cluster)


def test_a_cluster_without_its_library_is_refused_with_a_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    require_cluster(None)
    with pytest.raises(DepinduceError, match=r"dask and distributed.* pip install 'depinduce\[cluster\]'"):
        require_cluster("local:2")


def test_a_scheduler_that_does_not_answer_is_told(monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:  # which takes calls, and says nothing
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(DepinduceError, match=f"{address}: no Dask scheduler answers there within 0.1 s"):
            list(on_cluster(square, [1], address))


def test_a_worker_of_another_version_is_refused(address, monkeypatch):
    monkeypatch.setattr(module, "__version__", "0.0.1")
    with pytest.raises(DepinduceError, match=r"has depinduce .*, not 0\.0\.1 as here"):
        list(on_cluster(square, [1], address))


# ---------------------------------------------------------------- parsing


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("trained")
    train = demo_part(folder / "train.conllu", count=200)
    assert depinduce("train", "--train", train, "--non-heads", "ud", "--iterations", 4, "--out", folder / "model") == 0
    return folder / "model"


def kill_a_busy_worker(cluster) -> bool:
    busy = [worker for worker in cluster.scheduler.workers.values() if worker.processing]
    if busy:
        os.kill(cluster.workers[busy[0].name].pid, signal.SIGKILL)
    return bool(busy)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["conllu", "jsonl", "parquet"])
def test_a_worker_is_killed_in_the_middle_and_every_byte_is_the_same(form, cluster, model, tmp_path, monkeypatch):
    monkeypatch.setattr(bulk, "PART", 20_000)
    for name, split in (("large", "train"), ("small", "dev")):
        demo_part(tmp_path / f"{name}.conllu", split, 1200)
    command = "parse", model, f"{tmp_path}/*.conllu", "--posteriors", "--add-metadata", "--format", form, "-o"
    assert depinduce(*command, f"{tmp_path}/here/") == 0
    add, finished, killed = Ledger.add, [], []

    def kill_on_the_way(self, name, *others):
        add(self, name, *others)
        finished.append(name)
        if len(finished) >= 5 and not killed and kill_a_busy_worker(cluster):
            killed.append(name)

    monkeypatch.setattr(Ledger, "add", kill_on_the_way)
    assert depinduce(*command, f"{tmp_path}/there/", "--cluster", cluster.scheduler_address) == 0
    assert killed and len(finished) > 20
    assert len(set(finished)) == len(finished)  # what had been finished is not done again
    assert written(tmp_path / "there") == written(tmp_path / "here")


@pytest.mark.slow
def test_a_cluster_of_our_own_gives_the_same_and_is_gone_afterwards(model, tmp_path):
    demo_part(tmp_path / "text.conllu", "dev")
    for place, options in (("here", ()), ("there", ("--cluster", "local:2"))):
        done = depinduce_process("parse", model, tmp_path / "text.conllu", "-o", f"{tmp_path}/{place}/", *options)
        assert done.returncode == 0, done.stderr
    assert written(tmp_path / "there") == written(tmp_path / "here")


# ---------------------------------------------------------------- trainings


@pytest.mark.slow
def test_seeds_on_a_cluster_give_the_same_models(address, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    demo_part(tmp_path / "train.conllu", count=40)
    options = ["--train", "train.conllu", "--model", "dmv", "--init", "random", "--iterations", 2]  # a relative path
    assert depinduce("train", *options, "--seeds", "0-1", "--cluster", address, "--out", "seeds") == 0
    for seed in range(2):
        assert depinduce("train", *options, "--seed", seed, "--out", f"alone-{seed}") == 0
        assert model_files(tmp_path / "seeds" / f"seed-{seed}") == model_files(tmp_path / f"alone-{seed}")
    assert depinduce("train", *options, "--cluster", address, "--out", "one") == 1
    assert "--cluster is for --seeds" in capsys.readouterr().err


@pytest.mark.slow
def test_seeds_whose_worker_is_killed_end_in_the_same_models(cluster, tmp_path, monkeypatch):
    train, killed = demo_part(tmp_path / "train.conllu", count=40), []
    options = ["--train", train, "--model", "dmv", "--init", "random", "--iterations", 50, "--seeds", "0-3"]

    def and_kill(work, tasks, cluster_of, on_message):
        def told(number, message):
            if message[0] > 5 and not killed and kill_a_busy_worker(cluster):  # after so many rounds
                killed.append(number)
            on_message(number, message)

        return on_cluster(work, tasks, cluster_of, told)

    monkeypatch.setattr(seeds, "on_cluster", and_kill)
    assert depinduce("train", *options, "--cluster", cluster.scheduler_address, "--out", tmp_path / "there") == 0
    assert killed
    assert depinduce("train", *options, "--out", tmp_path / "here") == 0
    for seed in range(4):
        there, here = (tmp_path / place / f"seed-{seed}" for place in ("there", "here"))
        assert model_files(there) == model_files(here)


@pytest.mark.slow  # charts are compiled
def test_cells_on_a_cluster_give_the_same_results(address, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tiny_data(tmp_path / "ud", ("fr", "pl"))
    shrink(monkeypatch)
    options = ["--data", "ud", "--languages", "fr", "pl", "--experiments", "paper-ndmv", "--seeds", 1]
    found = []
    for out, where in (("there", ["--cluster", address]), ("here", ["--jobs", 1])):
        assert depinduce("reproduce", "ud", *options, *where, "--out", out) == 0
        cells = results_in(tmp_path / out / "cells.jsonl")
        found.append({name: (cell["scores"], cell["training_data"]) for name, cell in cells.items()})
    assert found[0] == found[1] and set(found[0]) == {"paper-ndmv fr 0", "paper-ndmv pl 0"}
