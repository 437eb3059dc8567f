"""Texts of several languages: which files are of which, by names that people gave them on the command line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from os.path import exists
from pathlib import Path

from depinduce.errors import DepinduceError

TEXTS = ("train.conllu", "text.conllu")  # of a language, in a folder of its name; the first that is there
Files = dict[str, list[str]] | list[str]  # of every language by its name; or files of which nobody said it
_NAME = re.compile(r"\w[\w-]*")


def require_language_name(name: object) -> str:
    """A name that a language can have."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise DepinduceError(
            f"{name!r} cannot be the name of a language: it is made of letters, digits, - and _. Write for example fr."
        )
    return name


def named_files(given: Iterable[str], option: str) -> Files:
    """What `NAME=FILE …` names; plain files stay a list. option: where it was given, for errors"""
    files: dict[str | None, list[str]] = {}
    for text in given:
        name, equals, path = text.partition("=")
        if not equals or exists(text):
            files.setdefault(None, []).append(text)
            continue
        try:
            files.setdefault(require_language_name(name), []).append(path)
        except DepinduceError as error:
            raise DepinduceError(f"{option} {text}: there is no such file, and {error}") from None
    plain = files.pop(None, [])
    if plain and files:
        raise DepinduceError(
            f"{option}: some files have the name of their language, {plain[0]} has none. "
            f"Name the language of every file, NAME={plain[0]}, or of none."
        )
    return plain or {name: paths for name, paths in files.items() if name is not None}


def files_below(folders: Iterable[str], option: str = "--train-dir") -> tuple[dict[str, list[str]], list[str]]:
    """The texts of all languages, `LANGUAGE/train.conllu` or `LANGUAGE/text.conllu`; and what lacks one.

    The same language in two folders is one language with both texts. option: where they were given, for errors
    """
    files: dict[str, list[str]] = {}
    without: list[str] = []
    for folder in map(Path, folders):
        if not folder.is_dir():
            raise DepinduceError(f"{option} {folder}: there is no such folder. Name one that holds a folder for "
                                 f"every language, with {' or '.join(TEXTS)} in it.")  # fmt: skip
        places = sorted(place for place in folder.iterdir() if place.is_dir() and not place.name.startswith("."))
        texts = {place: next((place / name for name in TEXTS if (place / name).is_file()), None) for place in places}
        if not any(texts.values()):
            raise DepinduceError(f"{option} {folder}: no text of any language. Each belongs into a folder of its "
                                 f"own: {folder / 'fr' / TEXTS[0]}, or {TEXTS[1]}.")  # fmt: skip
        for place, text in texts.items():
            if text is None:
                without.append(str(place))
                continue
            try:
                files.setdefault(require_language_name(place.name), []).append(str(text))
            except DepinduceError as error:
                raise DepinduceError(f"{option} {folder}: {error} Give the folder another name.") from None
    return files, without


def paths_of(files: Files) -> list[str]:
    """All of them, whatever their language."""
    return [path for paths in files.values() for path in paths] if isinstance(files, dict) else files
