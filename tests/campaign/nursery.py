"""Commands in processes that may die: forked from one that has loaded and compiled everything, a few milliseconds each.

The nursery is a process of its own. It runs one command at a time, in a child with a session of its own, and tells how
that ended. A child dies by itself, of a timer (SIGALRM, which nobody handles, so that it ends as by `kill -9`) or of a
call of the file layer that kills it; no signal is ever sent to another process.
"""

from __future__ import annotations

import errno
import multiprocessing
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

LONGEST = 120.0  # seconds of a command; one that takes longer hangs
CALLS = ("open", "write", "fsync", "replace", "mkdir", "makedirs", "unlink", "rmdir", "ftruncate")
ERRORS = {"no space": errno.ENOSPC, "input/output error": errno.EIO}


@dataclass(frozen=True)
class Fault:
    """What happens at a call of the file layer to the system: an error, or a kill."""

    call: int  # counted from 0
    kind: str  # one of ERRORS, or "kill"


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int  # negative: killed by that signal
    shown: str  # on stdout and stderr
    calls: int  # of the file layer to the system; -1 if it was killed
    seconds: float
    alone: bool  # no process of its own lives on

    @property
    def killed(self) -> bool:
        return self.code in (-signal.SIGKILL, -signal.SIGALRM)


class Nursery:
    """Runs commands; see `nursery`."""

    def __init__(self, connection: Any):
        self._connection = connection

    def run(self, *arguments: object, dies_after: float | None = None, fault: Fault | None = None) -> Ended:
        """The end of `depinduce ARGUMENTS`, or of its process: after so many seconds, or by a fault."""
        self._connection.send(([str(argument) for argument in arguments], dies_after, fault))
        ended = self._connection.recv()
        assert ended.code != -signal.SIGALRM or dies_after is not None, f"hangs: {arguments} {fault}\n{ended.shown}"
        if not ended.killed:  # Python itself complains in a worker whose parent dies before it has said what to do
            assert "Traceback" not in ended.shown, f"{arguments} {fault}\n{ended.shown}"
        assert ended.alone, f"{arguments}: some of its processes live on"
        return ended


@contextmanager
def nursery(prepare: Callable[[], None]) -> Iterator[Nursery]:
    """prepare: a function of a module that loads what the commands need"""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, prepare), daemon=False)
    process.start()
    theirs.close()
    try:
        assert ours.recv() == "ready"
        yield Nursery(ours)
    finally:
        ours.close()
        process.join()


def _serve(connection: Any, prepare: Callable[[], None]) -> None:
    import torch

    torch.set_num_threads(1)  # threads do not survive a fork
    prepare()
    connection.send("ready")
    while True:
        try:
            request = connection.recv()
        except EOFError:
            return
        connection.send(_run_in_child(*request))


def _run_in_child(arguments: list[str], dies_after: float | None, fault: Fault | None) -> Ended:
    shown, write_shown = os.pipe()
    calls, write_calls = os.pipe()
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            signal.signal(signal.SIGINT, signal.default_int_handler)
            for stream in (1, 2):
                os.dup2(write_shown, stream)
            _live_and_die(arguments, dies_after, fault, write_calls)
        finally:
            os._exit(99)
    os.close(write_shown)
    os.close(write_calls)
    text, alone = _read_to_end(shown, began + LONGEST + 30)
    _, status = os.waitpid(child, 0)
    code, seconds = os.waitstatus_to_exitcode(status), time.monotonic() - began
    counted = os.read(calls, 100)
    os.close(calls)
    return Ended(code, text, int(counted or b"-1"), seconds, alone)


def _read_to_end(pipe: int, until: float) -> tuple[str, bool]:
    """What is written to a pipe, and whether all its writers have ended in time."""
    pieces = []
    try:
        while select.select([pipe], [], [], max(0, until - time.monotonic()))[0]:
            piece = os.read(pipe, 1 << 16)
            if not piece:
                return b"".join(pieces).decode(errors="replace"), True
            pieces.append(piece)
        return b"".join(pieces).decode(errors="replace"), False
    finally:
        os.close(pipe)


def _live_and_die(arguments: list[str], dies_after: float | None, fault: Fault | None, calls: int) -> None:
    from depinduce import files
    from depinduce.cli import main

    sys.stdout, sys.stderr = (os.fdopen(stream, "w") for stream in (1, 2))
    signal.setitimer(signal.ITIMER_REAL, LONGEST if dies_after is None else max(dies_after, 1e-4))
    failing = FailingOs(fault)
    files.os = failing
    exchange = files._exchange
    files._exchange = lambda one, other: failing.called("exchange", exchange, one, other)
    code = main(arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    os.write(calls, str(failing.count).encode())
    os._exit(code)


class FailingOs:
    """`os` for the file layer. One of the calls that change something fails, or the process dies in it."""

    def __init__(self, fault: Fault | None):
        self.fault, self.count = fault, 0

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        return (lambda *given, **more: self.called(name, real, *given, **more)) if name in CALLS else real

    def called(self, name: str, real: Callable, *given: Any, **more: Any) -> Any:
        number, self.count = self.count, self.count + 1
        if self.fault is None or number != self.fault.call:
            return real(*given, **more)
        if name == "write":
            real(given[0], given[1][: len(given[1]) // 2])  # half of it gets there
        if self.fault.kind == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        number = ERRORS[self.fault.kind]
        raise OSError(number, os.strerror(number))
