"""Real processes that train together, on the loopback, as `torchrun` would start them."""

from __future__ import annotations

import multiprocessing
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from depinduce.learning.team import VARIABLES, Team, team_of_this_process


def places(size: int) -> list[dict[str, str]]:
    """What the environment of every process says about where it stands."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    return [dict(zip(VARIABLES, map(str, (rank, size, "127.0.0.1", port)), strict=True)) for rank in range(size)]


def in_processes(size: int, work: Callable[..., Any], *arguments: Any) -> list[Any]:
    """What a function of a module gives in each of so many processes; it takes their team and these arguments."""
    context = multiprocessing.get_context("spawn")
    answers = [context.Pipe(duplex=False) for _ in range(size)]
    processes = [
        context.Process(target=_work, args=(place, sender, work, arguments))
        for place, (_, sender) in zip(places(size), answers, strict=True)
    ]
    for process in processes:
        process.start()
    for _, sender in answers:
        sender.close()  # here: so that the end of a process is noticed
    found = [receiver.recv() for receiver, _ in answers]
    for process in processes:
        process.join()
    return found


def _work(place: dict[str, str], sender: Any, work: Callable[..., Any], arguments: Sequence[Any]) -> None:
    os.environ.update(place)
    with team_of_this_process() as team:
        assert type(team) is not Team and str(team.rank) == place["RANK"]
        sender.send(work(team, *arguments))


def commands(size: int, *arguments: str | Path) -> list[subprocess.Popen[str]]:
    """A command of depinduce in each of so many processes; whoever starts them waits for them."""
    command = [sys.executable, "-m", "depinduce", *map(str, arguments)]
    return [
        subprocess.Popen(command, env=os.environ | place, text=True, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
        for place in places(size)
    ]
