"""The file layer: whatever a command writes is complete or absent, though the process, the disk or the power fails.

A file or folder grows beside its place, reaches the disk, and is then renamed into its place, all at once:

    .NAME.XXXXXXXX.depinduce    on its way; the process that writes it holds a lock on it
    .NAME.XXXXXXXX.displaced    an old folder that makes room for a new one, where the system cannot exchange the two
    .lock                       a folder is in use; locked, likewise

A process that was killed holds no lock any more: that is how others know what it left behind, and clear it away.
Whoever writes files uses this module, and no other way, so that a test can make each of its calls to `os` fail.
"""

from __future__ import annotations

import errno
import io
import json
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

from depinduce.errors import DepinduceError

try:
    import fcntl
except ImportError:  # Windows, where nothing that was left behind is told from what is being written
    fcntl = None

ON_ITS_WAY, DISPLACED, LOCK = "depinduce", "displaced", ".lock"
LONGEST_NAME = 200  # of a file, in bytes, that can be part of the name beside it
IN_USE = "another training is writing there. Wait for it, or choose another --out."
PATIENCE, _POLL = 3.0, 0.02  # seconds in which a process that was killed lets go of its lock, and between two looks
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2  # of Linux

# ---------------------------------------------------------------- files


@contextmanager
def atomic_file(path: str | Path, *, lasting: bool = True) -> Iterator[BinaryIO]:
    """A stream to what becomes the file `path` when the block ends; if it fails, an old one stays as it was.

    lasting: a power cut right afterwards does not bring the old one back. That one is whole, too, and may do.
    """
    path = Path(path).absolute()
    with _on_its_way(path, _create) as temporary:
        raw = _Named(os.open(temporary, os.O_WRONLY), path)
        with io.BufferedWriter(raw, 1 << 16) as stream:
            yield stream
            stream.flush()
            with faults_of(path):
                os.fsync(raw.fileno())
        with faults_of(path):
            os.replace(temporary, path)
            if lasting:
                _sync(path.parent)


def write_file(path: str | Path, content: str | bytes, *, lasting: bool = True) -> None:
    """Make `path` a file with this content, see `atomic_file`."""
    with atomic_file(path, lasting=lasting) as stream:
        stream.write(content.encode() if isinstance(content, str) else content)


def append_line(path: str | Path, line: str, *, lasting: bool = True) -> None:
    """Add a line to a file, also while others do: whole, or not at all.

    A line counts once its line break is there. One that a kill has cut off gives way to the next.
    """
    path = Path(path)
    os.makedirs(path.parent, exist_ok=True)
    with faults_of(path), open(os.open(path, os.O_RDWR | os.O_CREAT, 0o666), "r+b", buffering=0) as file:
        if fcntl is not None:
            with suppress(OSError):  # a file system without locks
                fcntl.flock(file, fcntl.LOCK_EX)  # until it is closed
        end = _end_of_lines(file)
        os.ftruncate(file.fileno(), end)
        file.seek(end)
        try:
            left = memoryview(f"{line}\n".encode())
            while left:
                left = left[os.write(file.fileno(), left) :]
            if lasting:
                os.fsync(file.fileno())
        except OSError:
            os.ftruncate(file.fileno(), end)
            raise


def _end_of_lines(file: io.FileIO) -> int:
    """Where the last whole line ends."""
    end = file.seek(0, os.SEEK_END)
    if end:
        file.seek(end - 1)
        if file.read(1) != b"\n":
            file.seek(0)
            return file.read().rfind(b"\n") + 1
    return end


class _Named(io.FileIO):
    """A file on its way, whose faults name the place where it should go."""

    def __init__(self, handle: int, place: Path):
        super().__init__(handle, "wb")
        self.place = place

    def write(self, data: Any) -> int:
        with faults_of(self.place):
            return os.write(self.fileno(), data)


@contextmanager
def faults_of(path: Path) -> Iterator[None]:
    """What the system refuses here is told with this path."""
    try:
        yield
    except OSError as error:
        error.filename, error.filename2 = str(path), None
        raise


# ---------------------------------------------------------------- folders


@contextmanager
def atomic_directory(path: str | Path) -> Iterator[Path]:
    """A folder that becomes `path` when the block ends; if it fails, an old one stays as it was."""
    path = Path(path).absolute()
    with _on_its_way(path, os.mkdir) as temporary:
        yield temporary
        with faults_of(path):
            _sync(temporary)
            if not path.exists():
                os.replace(temporary, path)
            elif not _exchange(temporary, path):
                _displace(temporary, path)
            _sync(path.parent)


@contextmanager
def workshop(path: str | Path) -> Iterator[Path]:
    """A folder of this process's own, beside `path`, for what is needed to make that; gone when the block ends."""
    with _on_its_way(Path(path).absolute(), os.mkdir) as temporary:
        yield temporary


def _exchange(one: Path, other: Path) -> bool:
    """Let two folders change places at once; False where the system or the file system cannot."""
    import ctypes  # late, so that `depinduce --help` need not wait for it

    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None) if os.name == "posix" else None
    if rename is None:
        return False
    if rename(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EPERM):
        return False
    raise OSError(number, os.strerror(number))


def _displace(new: Path, path: Path) -> None:
    """Move an old folder aside, and a new one into its place; `recover` helps if the process is killed in between."""
    aside = _beside(path, DISPLACED)
    lock = _lock(path, wait=True)
    try:
        os.replace(path, aside)
        os.replace(new, path)
    except BaseException:
        if not path.exists():
            os.replace(aside, path)
        raise
    finally:
        _unlock(lock)
    remove(aside, quietly=True)


def recover(path: str | Path) -> None:
    """Bring back a folder that was moved aside by a process that was killed before its successor was in its place."""
    path = Path(path).absolute()
    if path.exists():
        return
    for aside in _left_beside(path, DISPLACED):
        with suppress(OSError):  # it is in use, or not ours to move
            lock = _lock(aside)
            try:
                if lock is not None or fcntl is None:
                    os.replace(aside, path)
                    return
            finally:
                _unlock(lock)


def remove(path: Path, *, quietly: bool = False) -> None:
    """Delete a file, a link, or a folder with all that is in it; nothing happens if it is not there."""
    try:
        if path.is_dir() and not path.is_symlink():
            for entry in list(os.scandir(path)):
                remove(Path(entry.path), quietly=quietly)
            os.rmdir(path)
        else:
            os.unlink(path)
    except FileNotFoundError:
        pass
    except OSError:
        if not quietly:
            raise


def remove_in_order(paths: Iterable[Path]) -> None:
    """Delete entries of a folder, each at once, so that the last ones are there as long as any is."""
    for path in paths:
        with _on_its_way(path, os.mkdir) as basket, faults_of(path):
            os.replace(path, basket / path.name)


# ---------------------------------------------------------------- on their way


@contextmanager
def _on_its_way(path: Path, make: Callable[[Path], None]) -> Iterator[Path]:
    """A new file or folder beside `path`, locked, and gone at the end unless it was renamed."""
    recover(path)
    with faults_of(path):
        os.makedirs(path.parent, exist_ok=True)
    sweep(path)
    temporary, lock = _beside(path, ON_ITS_WAY), None
    try:
        with faults_of(path):
            while True:
                make(temporary)
                with suppress(FileNotFoundError):  # another process has swept it away before it was locked
                    lock = _lock(temporary, wait=True)
                    break
        yield temporary
    finally:
        remove(temporary, quietly=True)
        _unlock(lock)


def _create(path: Path) -> None:
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))


def _beside(path: Path, state: str) -> Path:
    return path.parent / f".{_short(path.name)}.{os.urandom(4).hex()}.{state}"


def _short(name: str) -> str:
    encoded = os.fsencode(name)
    return name if len(encoded) <= LONGEST_NAME else sha256(encoded).hexdigest()


def _left_beside(path: Path, state: str) -> list[Path]:
    """What was, or is, on its way to `path`."""
    pattern = re.compile(re.escape(f".{_short(path.name)}.") + rf"[0-9a-f]{{8}}\.{state}")
    try:
        return [path.parent / name for name in os.listdir(path.parent) if pattern.fullmatch(name)]
    except OSError:  # not there, or not ours to read
        return []


def is_left_behind(name: str) -> bool:
    """Whether a name is one that only this module gives, to what should not stay."""
    return name == LOCK or re.fullmatch(rf"\..+\.[0-9a-f]{{8}}\.({ON_ITS_WAY}|{DISPLACED})", name) is not None


def sweep(path: Path) -> None:
    """Clear away what was on its way to `path` in processes that are dead."""
    for state in (ON_ITS_WAY, DISPLACED):
        for left in _left_beside(path, state):
            with suppress(OSError):
                if (lock := _lock(left)) is not None:
                    remove(left, quietly=True)
                    _unlock(lock)


def _sync(folder: Path) -> None:
    """Let the names in a folder reach the disk."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except PermissionError:  # Windows, or a folder that we may write to but not read
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # a file system that has nothing to do
            raise
    finally:
        os.close(handle)


# ---------------------------------------------------------------- locks


def _lock(path: Path, *, wait: bool = False) -> int | None:
    """A handle that locks a file or folder until it is closed; None where the file system has no locks.

    BlockingIOError: another process holds the lock; FileNotFoundError: somebody has removed it before it was locked
    """
    if fcntl is None:
        return None
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        if not os.path.samestat(os.fstat(handle), os.stat(path)):
            raise FileNotFoundError(errno.ENOENT, "another one has taken its place", str(path))
        return handle
    except (BlockingIOError, FileNotFoundError):
        os.close(handle)
        raise
    except OSError:
        os.close(handle)
        return None


def _unlock(handle: int | None) -> None:
    if handle is not None:
        os.close(handle)


@contextmanager
def only_writer(directory: str | Path, refusal: str = IN_USE) -> Iterator[None]:
    """Refuse to write to a folder, made if need be, while another process does; that process can be killed any time.

    refusal: what to say then, if it is no training
    """
    directory = Path(directory).absolute()
    new = [folder for folder in (directory, *directory.parents) if not folder.exists()]
    handle = _lock_of(directory, refusal)
    try:
        yield
    finally:
        remove(directory / LOCK, quietly=True)
        _unlock(handle)
        for folder in new:  # that nobody needed after all
            with suppress(OSError):
                os.rmdir(folder)


def _lock_of(directory: Path, refusal: str) -> int | None:
    until = time.monotonic() + PATIENCE
    while True:
        with faults_of(directory):
            os.makedirs(directory, exist_ok=True)
            os.close(os.open(directory / LOCK, os.O_CREAT | os.O_RDWR, 0o666))
        try:
            return _lock(directory / LOCK)
        except FileNotFoundError:  # the other one has just ended
            pass
        except BlockingIOError as error:
            if time.monotonic() > until:
                raise DepinduceError(f"{directory}: {refusal}") from error
            time.sleep(_POLL)


# ---------------------------------------------------------------- JSON


def parse_json(text: str | bytes) -> Any:
    """What JSON says; ValueError for everything that is wrong with it, bytes that are not UTF-8 among it."""
    try:
        return json.loads(text if isinstance(text, str) else text.decode())  # json itself lets half characters pass
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
