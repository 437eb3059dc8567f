"""Work done side by side in processes of their own, with messages on the way and a clean end on Ctrl-C.

However the process that asked for the work ends, its workers do not live on. On Ctrl-C, TERM or HUP they are told,
get KeyboardInterrupt, and are waited for; if it is killed, they notice, and end at once.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import Any

from depinduce.errors import DepinduceError
from depinduce.interruption import SIGNALS

DIED = "one of the processes was killed, perhaps for want of memory. What was finished is kept; try fewer --jobs."
_POLL = 0.2  # seconds between two looks at the messages


def side_by_side(
    work: Callable[[Any, Callable[[Any], None]], Any],
    tasks: Sequence[Any],
    jobs: int,
    on_message: Callable[[int, Any], None] = lambda number, message: None,
    needs: Sequence[Collection[int]] = (),
) -> Iterator[tuple[int, Any]]:
    """Run `work(task, send)` for every task, at most `jobs` at a time; gives (number of the task, result) as they end.

    What `work` sends reaches `on_message`. `work` is a function of a module; tasks and results can be pickled.
    An exception in a worker is raised here when the others have ended what they are doing; nothing more is begun.
    needs: for every task, the numbers of those that end before it begins; without, a task needs no other
    """
    if not tasks:
        return
    context = multiprocessing.get_context("spawn")
    messages = context.SimpleQueue()
    threads = str(max(1, (os.cpu_count() or 1) // jobs))
    failure: Exception | None = None
    with ProcessPoolExecutor(min(jobs, len(tasks)), context, _begin, (messages, threads)) as pool:
        try:
            waiting, ended = dict(enumerate(tasks)), set[int]()
            pending = set[Future]()
            while True:
                # no task is handed out before a process is free for it: on Ctrl-C none begins any more
                for number in ready(waiting, ended, needs, jobs - len(pending)) if failure is None else ():
                    pending.add(pool.submit(_one, work, number, waiting.pop(number)))
                if not pending:
                    assert failure is not None or not waiting, "tasks need each other"
                    break
                done, pending = wait(pending, timeout=_POLL, return_when=FIRST_COMPLETED)
                while not messages.empty():
                    on_message(*messages.get())
                for future in done:
                    try:
                        result = future.result()
                    except BrokenProcessPool:
                        failure = failure or DepinduceError(DIED)
                    except Exception as error:
                        failure = failure or error
                    else:
                        ended.add(result[0])
                        yield result
        except (KeyboardInterrupt, GeneratorExit):
            for process in list((pool._processes or {}).values()):  # there is no other way to them before Python 3.14
                process.terminate()
            raise
    if failure is not None:
        raise failure


def ready(waiting: dict[int, Any], ended: set[int], needs: Sequence[Collection[int]], most: int) -> list[int]:
    """The first tasks that can begin, so many at the most."""
    ready = (number for number in waiting if not needs or ended.issuperset(needs[number]))
    return list(islice(ready, most))


# ---------------------------------------------------------------- in a worker

_messages: Any = None  # where its messages go
_working = False  # on a task
_told_to_end = False


def _begin(messages: Any, threads: str) -> None:
    global _messages
    _messages = messages
    os.environ.setdefault("OMP_NUM_THREADS", threads)
    for number in (signal.SIGINT, *SIGNALS):
        if number == signal.SIGINT or signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
            signal.signal(number, _end)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end(number: int, frame: Any) -> None:
    """The first signal ends the task; more of them, as Ctrl-C in a terminal and our own, do not disturb its end."""
    global _told_to_end
    first, _told_to_end = not _told_to_end, True
    if first and _working:
        raise KeyboardInterrupt


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _one(work: Callable, number: int, task: Any) -> tuple[int, Any]:
    global _working
    _working = True
    try:
        if _told_to_end:
            raise KeyboardInterrupt
        return number, work(task, lambda message: _messages.put((number, message)))
    finally:
        _working = False
