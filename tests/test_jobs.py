"""Work side by side: every result, every message, and what goes wrong, come to the process that asked."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from other_processes import another_process

from depinduce.errors import DepinduceError
from depinduce.jobs import side_by_side

Send = Callable[[object], None]


def square(task: int, send: Send) -> tuple[int, int]:
    """Sends its steps; gives the square, and the process that made it."""
    for step in range(task):
        send({"task": task, "step": step})
    return task * task, os.getpid()


def fail_on_three(task: int, send: Send) -> int:
    send("begun")
    if task == 3:
        raise ValueError("three is too much")
    return task


def wait_for_another(task: tuple[str, str], send: Send) -> float:
    """Leave a file and wait for that of another task, which must then be running too."""
    mine, other = map(Path, task)
    mine.touch()
    end = time.monotonic() + 60
    while not other.exists():
        assert time.monotonic() < end, "the other one does not come"
        time.sleep(0.01)
    return 1.0


@pytest.mark.parametrize("jobs", [1, 2, 7])
def test_every_task_has_its_result_and_its_messages(jobs):
    tasks, heard = [3, 1, 0, 4], []
    results = dict(side_by_side(square, tasks, jobs, lambda number, message: heard.append((number, message))))
    assert {number: result for number, (result, _) in results.items()} == {0: 9, 1: 1, 2: 0, 3: 16}
    for number, task in enumerate(tasks):
        expected = [{"task": task, "step": step} for step in range(task)]
        assert [message for sender, message in heard if sender == number] == expected
    processes = {process for _, process in results.values()}
    assert os.getpid() not in processes
    assert len(processes) <= jobs


def test_an_exception_in_a_worker_is_raised_here_and_the_rest_is_not_waited_for():
    results = []
    with pytest.raises(ValueError, match="three is too much"):
        for number, result in side_by_side(fail_on_three, [1, 2, 3, 4, 5], 1):
            results.append((number, result))
    assert results == [(0, 1), (1, 2)]


def test_two_jobs_run_at_the_same_time(tmp_path):
    one, other = str(tmp_path / "one"), str(tmp_path / "other")
    assert len(list(side_by_side(wait_for_another, [(one, other), (other, one)], 2))) == 2


def test_no_tasks_have_no_results():
    assert list(side_by_side(square, [], 2)) == []


def find_what_it_needs(task: tuple[str, list[str]], send: Send) -> bool:
    """Leave a file; gives whether those of the tasks that it needs are there."""
    mine, needed = task
    there = all(Path(file).exists() for file in needed)
    Path(mine).touch()
    return there


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_task_begins_when_those_that_it_needs_have_ended(jobs, tmp_path):
    last, first, second = (str(tmp_path / name) for name in ("last", "first", "second"))
    tasks = [(last, [first, second]), (first, []), (second, [first])]
    results = list(side_by_side(find_what_it_needs, tasks, jobs, needs=[[1, 2], [], [1]]))
    assert results == [(1, True), (2, True), (0, True)]


# ---------------------------------------------------------------- how it ends


def wait_to_be_ended(task: str, send: Send) -> str:
    """Say that it is here, wait, and leave a file when it is interrupted; a second signal does not disturb that."""
    try:
        send("here")
        signal.pause()
    except KeyboardInterrupt:
        os.kill(os.getpid(), signal.SIGTERM)
        Path(task).write_text("kept")
        raise
    return "not interrupted"


def die(task: int, send: Send) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


WITH_WORKERS = """
from depinduce.interruption import like_ctrl_c
from depinduce.jobs import side_by_side
from test_jobs import wait_to_be_ended

if __name__ == "__main__":
    here = []
    def hear(number, message):
        here.append(number)
        if len(here) == 2:
            print("ready", flush=True)
    with like_ctrl_c():
        try:
            list(side_by_side(wait_to_be_ended, sys.argv[1:], 2, hear))
        except KeyboardInterrupt:
            print("interrupted", flush=True)
"""


def test_workers_end_when_the_process_that_started_them_is_killed(tmp_path):
    with another_process(WITH_WORKERS, tmp_path / "one", tmp_path / "two") as process:
        process.kill()
        output, _ = process.communicate(timeout=60)  # ends when nobody holds the pipes any more
    assert (output, list(tmp_path.iterdir())) == ("", [])


def test_term_ends_the_workers_and_what_they_have_is_kept(tmp_path):
    with another_process(WITH_WORKERS, tmp_path / "one", tmp_path / "two") as process:
        process.terminate()
        output, errors = process.communicate(timeout=60)
    assert (process.returncode, output, errors) == (0, "interrupted\n", "")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"one": "kept", "two": "kept"}


def test_a_worker_that_is_killed_is_told_with_a_remedy():
    with pytest.raises(DepinduceError, match="one of the processes was killed.* fewer --jobs"):
        list(side_by_side(die, [1], 1))
