"""Errors that say what was found, where, and how to mend it."""

from __future__ import annotations

from pathlib import Path

from depinduce.visible import visible


class DepinduceError(Exception):
    """Something the user can mend. The command line prints it without a traceback and exits with 1."""

    def __str__(self) -> str:
        return visible(super().__str__(), lines=True)


class InputError(DepinduceError):
    """A fault in an input file: `file:line: what was found. How to mend it.`"""

    def __init__(self, path: str | Path, line: int | None, found: str, remedy: str):
        where = f"{path}:{line}" if line is not None else f"{path}"
        super().__init__(f"{where}: {found}. {remedy}")
        self.path, self.line, self.found, self.remedy = str(path), line, found, remedy

    def __reduce__(self):  # so that it can come from another process
        return InputError, (self.path, self.line, self.found, self.remedy)
