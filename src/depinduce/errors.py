"""Errors that say what was found, where, and how to mend it."""

from __future__ import annotations

from pathlib import Path

from depinduce.visible import visible

# the extras of depinduce that bring a Python package which only some need
EXTRAS = {
    "torch": "neural",
    "gensim": "vectors",
    "pandas": "pandas",
    "nltk": "nltk",
    "spacy": "spacy",
    "huggingface_hub": "hub",
}


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


class MissingPackageError(DepinduceError):
    """A Python package that only some need, and that is not installed: `who needs it. How to install it.`"""

    def __init__(self, who: str, package: str):
        source = f"'depinduce[{EXTRAS[package]}]'" if package in EXTRAS else package
        super().__init__(
            f"{who} needs the Python package {package}, which is not installed here. Install it: pip install {source}"
        )
        self.who, self.package = who, package

    def __reduce__(self):
        return MissingPackageError, (self.who, self.package)
