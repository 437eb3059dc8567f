"""Work on a cluster of Dask: tasks for processes here or on other machines, as `jobs` has it for processes here.

Dask decides which worker does what, and gives what a lost worker was doing to another. Workers must see the same files
under the same paths, have the same version of depinduce, and one thread each: what a task changes, such as the folder
in which it works, it changes for its process.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from depinduce import __version__
from depinduce.errors import DepinduceError
from depinduce.jobs import ready
from depinduce.settings import MOST_THREADS, require_within

if TYPE_CHECKING:
    from distributed import Client, Future

    Work = Callable[[Any, Callable[[Any], None]], Any]

LOCAL = re.compile(r"local:(\d{1,9})")
ADDRESS = re.compile(r"[a-z]+://\S+")
PATIENCE = 15  # seconds in which a scheduler answers
HERE = "127.0.0.1"
NEEDS_DASK = (
    "--cluster needs the Python packages dask and distributed, which are not installed here. "
    "Install them: pip install 'depinduce[cluster]'"
)
LOST = (
    "the workers that did one part of the work were lost one after the other, perhaps for want of memory. What was "
    "finished is kept: go on with fewer workers, or with more memory for each."
)
GONE = "--cluster {}: the scheduler has gone. What was finished is kept: start it again, then use the same command."


def require_cluster(cluster: str | None) -> None:
    """Refuse what is no cluster, and one for which there is no library, before anything begins."""
    if cluster is None:
        return
    if found := LOCAL.fullmatch(cluster):
        require_within(1, MOST_THREADS, cluster=int(found[1]))
    elif not ADDRESS.fullmatch(cluster):
        raise DepinduceError(
            f"--cluster {cluster}: write local:N for N processes here, or the address of a Dask scheduler, such as "
            "tcp://scheduler:8786."
        )
    try:
        import distributed  # noqa: F401
    except ModuleNotFoundError as error:
        raise DepinduceError(NEEDS_DASK) from error


def on_cluster(
    work: Work,
    tasks: Sequence[Any],
    cluster: str,
    on_message: Callable[[int, Any], None] = lambda number, message: None,
    needs: Sequence[Collection[int]] = (),
) -> Iterator[tuple[int, Any]]:
    """Run `work(task, send)` for every task; gives (number of the task, result) as they end, as `side_by_side` does.

    cluster: `local:N`, or the address of a scheduler
    An exception in a worker is raised here; nothing more is begun then. What other workers have begun, those of
    `local:N` leave; elsewhere they end it.
    Results come here as soon as they are there, so that none is lost with a worker. Of the tasks that can begin, the
    first does, so that what is made of others is made when they are there, and not after everything else.
    """
    if not tasks:
        return
    require_cluster(cluster)
    from distributed import KilledWorker
    from distributed.client import FutureCancelledError

    name = f"depinduce-{os.urandom(8).hex()}"  # of this work among that of others
    heard: SimpleQueue[tuple[int, Any] | Future] = SimpleQueue()  # messages, and tasks that have ended
    waiting, ended, pending = dict(enumerate(tasks)), set[int](), dict[Any, int]()
    with _client(cluster) as client:
        client.subscribe_topic(name, lambda event: heard.put(tuple(event[1])))
        try:
            while waiting or pending:
                for number in ready(waiting, ended, needs, len(waiting)):
                    arguments = work, number, waiting.pop(number), name, os.getcwd(), __version__
                    future = client.submit(_one, *arguments, key=f"{name}-{number}", pure=False, priority=-number)
                    pending[future.key] = number
                    future.add_done_callback(heard.put)
                assert pending, "tasks need each other"
                found = heard.get()
                if isinstance(found, tuple):
                    on_message(*found)
                    continue
                try:
                    result = found.result()
                except KilledWorker as error:
                    raise DepinduceError(LOST) from error
                except FutureCancelledError as error:
                    raise DepinduceError(GONE.format(cluster)) from error
                except ModuleNotFoundError as error:
                    raise DepinduceError(
                        f"a worker lacks the Python package {error.name}. Install it there."
                    ) from error
                number = pending.pop(found.key)
                found.release()
                ended.add(number)
                yield number, result
        finally:
            client.unsubscribe_topic(name)


@contextmanager
def _client(cluster: str) -> Iterator[Client]:
    """What hands tasks to a cluster. One that was made here ends with it."""
    from distributed import Client, LocalCluster

    if found := LOCAL.fullmatch(cluster):
        options = {"threads_per_worker": 1, "processes": True, "host": HERE, "dashboard_address": f"{HERE}:0"}
        options |= {"silence_logs": logging.ERROR}  # that a worker was stopped, or is begun anew, is no news
        with (
            LocalCluster(n_workers=int(found[1]), **options) as local,
            Client(local, set_as_default=False) as client,
        ):
            yield client
        return
    try:
        asyncio.run(asyncio.wait_for(_call(cluster), PATIENCE))  # where others listen, a client would wait for ever
    except (OSError, ValueError, TimeoutError) as error:
        raise DepinduceError(
            f"--cluster {cluster}: no Dask scheduler answers there within {PATIENCE} s. Check the address, and that it "
            "runs: dask scheduler"
        ) from error
    with Client(cluster, timeout=PATIENCE, set_as_default=False) as client:
        if not client.scheduler_info(n_workers=-1)["workers"]:
            warnings.warn(f"{cluster}: no worker is there yet. The work begins when one comes", stacklevel=2)
        yield client


async def _call(address: str) -> None:
    """Ask a scheduler who it is."""
    from distributed import rpc

    async with rpc(address) as scheduler:
        await scheduler.identity()


# ---------------------------------------------------------------- in a worker


def _one(work: Work, number: int, task: Any, name: str, folder: str, version: str) -> Any:
    """Do one task, in the folder of the process that asked for it."""
    from distributed import get_worker

    worker = get_worker()
    if version != __version__:
        raise DepinduceError(f"the worker {worker.address} has depinduce {__version__}, not {version} as here.")
    if worker.state.nthreads != 1:
        raise DepinduceError(f"the worker {worker.address} has several threads. Start it with --nthreads 1.")
    try:
        if os.getcwd() != folder:
            os.chdir(folder)
    except OSError as error:
        raise DepinduceError(
            f"{folder}: the worker {worker.address} does not see it. All workers must have the same file system under "
            "the same paths."
        ) from error
    return work(task, lambda message: worker.log_event(name, (number, message)))
