"""Work done side by side in processes of their own, with messages on the way and a clean end on Ctrl-C."""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from itertools import islice
from typing import Any

_POLL = 0.2  # seconds between two looks at the messages
_messages: Any = None  # in a worker: where its messages go


def side_by_side(
    work: Callable[[Any, Callable[[Any], None]], Any],
    tasks: Sequence[Any],
    jobs: int,
    on_message: Callable[[int, Any], None] = lambda number, message: None,
) -> Iterator[tuple[int, Any]]:
    """Run `work(task, send)` for every task, at most `jobs` at a time; gives (number of the task, result) as they end.

    What `work` sends reaches `on_message`. `work` is a function of a module; tasks and results can be pickled.
    An exception in a worker is raised here. On Ctrl-C workers get KeyboardInterrupt too and are waited for.
    """
    if not tasks:
        return
    context = multiprocessing.get_context("spawn")
    with context.Manager() as manager:
        messages = manager.Queue()
        threads = str(max(1, (os.cpu_count() or 1) // jobs))
        with ProcessPoolExecutor(min(jobs, len(tasks)), context, _begin, (messages, threads)) as pool:
            waiting = iter(enumerate(tasks))
            pending = {pool.submit(_one, work, *task) for task in islice(waiting, jobs)}
            while pending:
                done, pending = wait(pending, timeout=_POLL, return_when=FIRST_COMPLETED)
                # no task is handed out before a process is free for it: on Ctrl-C none begins any more
                pending |= {pool.submit(_one, work, *task) for task in islice(waiting, len(done))}
                _deliver(messages, on_message)
                for future in done:
                    yield future.result()


def _begin(messages: Any, threads: str) -> None:
    global _messages
    _messages = messages
    os.environ.setdefault("OMP_NUM_THREADS", threads)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _one(work: Callable, number: int, task: Any) -> tuple[int, Any]:
    return number, work(task, lambda message: _messages.put((number, message)))


def _deliver(messages: Any, on_message: Callable[[int, Any], None]) -> None:
    while True:
        try:
            on_message(*messages.get_nowait())
        except queue.Empty:
            return
