"""Files that are either complete or absent: written beside their place, then renamed into it."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_UMASK = os.umask(0)  # the only portable way to read it is to set it
os.umask(_UMASK)


@contextmanager
def atomic_file(path: str | Path) -> Iterator[Path]:
    """A temporary path beside `path`; renamed to `path` on success, removed on any exception."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    temporary.chmod(0o666 & ~_UMASK)  # mkstemp is private, an output file is not
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def atomic_directory(path: str | Path) -> Iterator[Path]:
    """A temporary directory that takes the place of `path` on success; the old one is then removed."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    temporary.chmod(0o777 & ~_UMASK)
    try:
        yield temporary
        if path.exists():
            _take_the_place(temporary, path)
        else:
            os.replace(temporary, path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _take_the_place(new: Path, path: Path) -> None:
    """A directory cannot be renamed over a full one: move that one aside, and back if something goes wrong."""
    aside = Path(tempfile.mkdtemp(prefix=f".{path.name}.old.", dir=path.parent))
    try:
        os.replace(path, aside / path.name)
        os.replace(new, path)
    except BaseException:
        if not path.exists():
            os.replace(aside / path.name, path)
        aside.rmdir()
        raise
    shutil.rmtree(aside, ignore_errors=True)
