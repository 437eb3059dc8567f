"""Compiled functions: Numba, with code that is kept between runs and a word before the first compilation."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FunctionType
from typing import IO, Any

import numba
from numba.core import config, event

from depinduce.compile_cache import KeptCode, cache_directory, say_once
from depinduce.errors import DepinduceError

if sys.platform != "win32":  # where every process compiles for itself
    import fcntl

_settings = config.__dict__  # of Numba
if _settings["DISABLE_JIT"]:
    raise DepinduceError(
        "NUMBA_DISABLE_JIT is set, but charts are written for the compiler and cannot run without it. "
        "Unset it and start again."
    )
if "NUMBA_OPT" not in os.environ:  # level 3 compiles a seventh longer, and charts are no faster for it
    _settings["OPT"] = type(_settings["OPT"])(2)


def compiled(function: Callable) -> Callable:
    """A function that compiled functions call. It cannot be called from Python, which makes it cheap."""
    return _jit(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def compiled_part(function: Callable) -> Callable:
    """A large function that several entries call: kept, so that a run that needs one of them compiles only the rest."""
    return _kept(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def compiled_entry(function: Callable) -> Callable:
    """`function` compiled on its first call, without the interpreter lock, kept for later runs."""
    return _kept(function, nogil=True)


def _kept(function: Callable, **options: bool) -> Callable:
    made, directory = _jit(function, **options), cache_directory()
    if directory is not None:
        made._cache = KeptCode(directory, function)  # as Numba does for cache=True, with its own
        lock = directory / f"{function.__module__}.{function.__qualname__}.lock"
        made.compile = _one_at_a_time(made.compile, lock)  # which looks into the cache first
    return made


def _jit(function: Callable, **options: Any) -> Any:
    return numba.njit(function, error_model="numpy", **options)


def _one_at_a_time(compile_or_load: Callable, lock: Path) -> Callable:
    """The same, by one process after the other: what the first has compiled, those that waited find in the cache."""

    def locked(signature):
        with _turn(lock):
            return compile_or_load(signature)

    return locked


@contextmanager
def _turn(lock: Path) -> Iterator[None]:
    """While nobody else has the lock; at once where there are no locks, and everybody compiles."""
    file = _locked(lock)
    try:
        yield
    finally:
        if file is not None and sys.platform != "win32":
            fcntl.flock(file, fcntl.LOCK_UN)  # and not when a forked process closes the file, too
            file.close()


def _locked(lock: Path) -> IO | None:
    if sys.platform == "win32":
        return None
    try:
        file = lock.open("w")
    except OSError:  # a full disk, or a file of somebody else
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        message = threading.Timer(1.0, _announcer.tell)  # not where somebody only reads the cache
        message.start()
        fcntl.flock(file, fcntl.LOCK_EX)  # given back by the system, too, should its owner die
        message.cancel()
    except OSError:  # a file system without locks
        file.close()
        return None
    return file


def specialise(template: FunctionType, suffix: str, **names: object) -> FunctionType:
    """A copy of `template` in which the given global names have other meanings.

    One recurrence is written once and compiled for several semirings; see `chart.semirings`.
    """
    copy = FunctionType(template.__code__, template.__globals__ | names, template.__name__, template.__defaults__)
    copy.__qualname__ = f"{template.__qualname__}_{suffix}"  # the cache tells functions apart by this
    copy.__module__ = template.__module__
    return copy


class _Announcer(event.Listener):
    """Tells the user, once per run, when one of our functions is really being compiled, or waited for."""

    def on_start(self, event):
        if event.data["dispatcher"].py_func.__module__.startswith("depinduce."):
            self.tell()

    def on_end(self, event):
        pass

    def tell(self):
        kept = "; kept for later runs" if cache_directory() is not None else ""
        say_once(f"depinduce: compiling charts, which takes ten to twenty seconds{kept}")


_announcer = _Announcer()
event.register("numba:compile", _announcer)
