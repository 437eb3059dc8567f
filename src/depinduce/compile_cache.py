"""Where compiled code is kept between runs: never stale, safe to read, and no reason for a command to fail.

Numba's own cache looks only at the file of a function, not at the functions it calls, and lies inside the package. Ours
lies in the user's cache directory, in a folder named after the text of every compiled module, so that any change begins
a new one and a read-only package does no harm.

What is kept is a pickle of machine code: whoever can write it can run anything as its reader. So nothing is kept where
others can write, and every file begins with a digest, by which a damaged one is known before it is unpickled. Any fault
is told once, and the function is compiled as if it had not been kept.
"""

from __future__ import annotations

import errno
import hashlib
import os
import pickle
import stat
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

import numba
import numpy as np
from numba.core import caching, serialize
from numba.core.compiler import CompileResult

DIGEST_SIZE = hashlib.sha256().digest_size


@cache
def cache_directory() -> Path | None:
    """Where compiled code is kept, or None (with a message) where no place can be written by us, and by us alone."""
    try:
        root = _root()
        own = root / "depinduce"
        directory = own / _digest_of_sources()
        for place in (root, own, directory):
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            _refuse_what_others_write(place, sticky_will_do=place == root)
        tempfile.TemporaryFile(dir=directory).close()
        return directory
    except OSError as error:
        _say_that_nothing_is_kept(error.filename, error)
        return None


def _root() -> Path:
    """The directory that the user has named, or the one for caches in general."""
    named = os.environ.get("DEPINDUCE_CACHE")
    general = os.environ.get("XDG_CACHE_HOME", "")
    root = Path(named or (general if os.path.isabs(general) else "~/.cache"))
    with suppress(RuntimeError):  # without a home Python leaves `~` as it is, the name of a directory here
        root = root.expanduser()
        if named or root.is_absolute():
            return root
    raise FileNotFoundError(errno.ENOENT, "there is no home directory", str(root))


def _digest_of_sources() -> str:
    package = Path(__file__).parent
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__} {sys.version}".encode())
    sources = [*package.glob("compile*.py"), *package.glob("chart/**/*.py"), *package.glob("grammar/*.py")]
    for source in sorted(sources):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _refuse_what_others_write(place: Path, sticky_will_do: bool) -> None:
    """sticky_will_do: others may add files, as in /tmp, for none of them can take the place of ours"""
    if sys.platform == "win32":  # which has other rights, and private profiles
        return
    status = place.stat()
    if not {status.st_uid, place.lstat().st_uid} <= {os.getuid(), 0}:  # the second is that of a link to it
        raise PermissionError(errno.EPERM, "it belongs to somebody else", str(place))
    writable = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if writable and not (sticky_will_do and status.st_mode & stat.S_ISVTX):
        raise PermissionError(errno.EPERM, "others can write there, unless you `chmod go-w` it", str(place))


class KeptCode(caching.NullCache):
    """The compiled versions of one function on disk, by the types of its arguments: what Numba calls its cache."""

    def __init__(self, directory: Path, function: Callable):
        self._directory = directory
        self._name = f"{function.__module__}.{function.__qualname__}"
        self._bytecode = function.__code__.co_code

    def load_overload(self, sig, target_context):
        """The compiled function, or None where it must be compiled."""
        target_context.refresh()  # knows all that kept code may call
        file = self._file(sig, target_context.codegen())
        try:
            return CompileResult._rebuild(target_context, *_opened(file.read_bytes()))
        except FileNotFoundError:
            return None
        except Exception as error:  # damaged in ways that nobody can list
            why = _reason(error) if isinstance(error, OSError) else "it is damaged"
            say_once(f"depinduce: compiled code in {self._directory} cannot be read ({why}) and is compiled again.")
            with suppress(OSError):
                file.unlink()
            return None

    def save_overload(self, sig, data):
        """Into its file at once or not at all."""
        temporary = None
        try:
            code = serialize.dumps(data._reduce())
            with tempfile.NamedTemporaryFile(dir=self._directory, delete=False) as file:
                temporary = file.name
                file.write(hashlib.sha256(code).digest() + code)
            os.replace(temporary, self._file(sig, data.codegen))
        except Exception as error:  # above all, no space left
            _say_that_nothing_is_kept(self._directory, error)
            if temporary is not None:
                with suppress(OSError):
                    os.unlink(temporary)

    def _file(self, sig, codegen) -> Path:
        key = f"{sig} {codegen.magic_tuple()}".encode() + self._bytecode
        return self._directory / f"{self._name}.{hashlib.sha256(key).hexdigest()[:16]}.code"


def _opened(kept: bytes) -> tuple:
    """What was pickled, once its digest says that it is what was written."""
    digest, code = kept[:DIGEST_SIZE], kept[DIGEST_SIZE:]
    if hashlib.sha256(code).digest() != digest:
        raise ValueError("other bytes than were written")
    return pickle.loads(code)


def _say_that_nothing_is_kept(place: object, error: Exception) -> None:
    say_once(
        f"depinduce: compiled charts cannot be kept in {place} ({_reason(error)}); every run will compile them again. "
        "Set DEPINDUCE_CACHE to a directory that you, and you alone, can write."
    )


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


@cache
def say_once(message: str) -> None:
    """On standard error, however often it happens."""
    print(message, file=sys.stderr, flush=True)
