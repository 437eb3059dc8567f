"""Compiled functions: Numba, with a cache that is never stale and a word before the first compilation.

Numba's own cache looks only at the file of a function, not at the functions it calls, and lies inside
the package. Ours lies in the user's cache directory, in a folder named after the text of every
compiled module, so that any change begins a new one and a read-only package does no harm.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
import numpy as np
from numba.core import config, event

if sys.platform != "win32":  # where every process compiles for itself
    import fcntl


@cache
def cache_directory() -> Path | None:
    """Where compiled code is kept, or None (with a message) where nothing can be written."""
    package = Path(__file__).parent
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__} {sys.version}".encode())
    for source in sorted([Path(__file__), *package.glob("chart/**/*.py"), *package.glob("grammar/*.py")]):
        digest.update(source.read_bytes())
    home = os.environ.get("DEPINDUCE_CACHE") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    directory = Path(os.path.expanduser(home)) / "depinduce" / digest.hexdigest()[:16]
    try:
        directory.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=directory).close()
        return directory
    except OSError as error:
        _say(
            f"depinduce: compiled charts cannot be kept in {directory} ({error.strerror}); every run will "
            "compile them again. Set DEPINDUCE_CACHE to a directory that can be written."
        )
        return None


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
    directory = cache_directory()
    settings = config.__dict__
    before = settings["CACHE_DIR"]
    settings["CACHE_DIR"] = str(directory or "")  # read by the decorator, then given back
    try:
        made = _jit(function, cache=directory is not None, **options)
    finally:
        settings["CACHE_DIR"] = before
    if directory is not None and sys.platform != "win32":
        lock = directory / f"{function.__module__}.{function.__qualname__}.lock"
        made.compile = _one_at_a_time(made.compile, lock)  # which looks into the cache first
    return made


def _jit(function: Callable, **options: Any) -> Any:
    return numba.njit(function, error_model="numpy", **options)


def _one_at_a_time(compile_or_load: Callable, lock: Path) -> Callable:
    """The same, by one process after the other: what the first has compiled, those that waited find in the cache."""

    def locked(signature):
        assert sys.platform != "win32"
        with lock.open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                message = threading.Timer(1.0, _announcer.tell)  # not where somebody only reads the cache
                message.start()
                fcntl.flock(file, fcntl.LOCK_EX)  # given back by the system, too, should its owner die
                message.cancel()
            try:
                return compile_or_load(signature)
            finally:
                fcntl.flock(file, fcntl.LOCK_UN)  # and not when a forked process closes the file, too

    return locked


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

    told = False

    def on_start(self, event):
        if event.data["dispatcher"].py_func.__module__.startswith("depinduce."):
            self.tell()

    def on_end(self, event):
        pass

    def tell(self):
        if not self.told:
            self.told = True
            kept = "; kept for later runs" if cache_directory() is not None else ""
            _say(f"depinduce: compiling charts, which takes ten to twenty seconds{kept}")


_announcer = _Announcer()
event.register("numba:compile", _announcer)


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)
