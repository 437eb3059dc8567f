"""The sections of the Wall Street Journal, wherever they are in the user's copy of the Penn Treebank."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from depinduce.errors import DepinduceError, InputError

_CHOICE = re.compile("([0-9]{1,2})(?:-([0-9]{1,2}))?")
_SECTION = re.compile("([0-9]{2})")
_FILE = re.compile("wsj_([0-9]{2})[0-9]{2}[.]mrg", re.IGNORECASE)


def find_sections(directory: str | Path) -> dict[int, list[Path]]:
    """The `.mrg` files of every section below a directory, sections and files in order.

    The section is the first two digits of wsj_0001.mrg, so that the files may also be in one directory, as NLTK has
    them; files with other names belong to the section that their directory is called by.
    """
    directory = Path(directory)
    if not directory.is_dir():
        found = "this is not a directory" if directory.exists() else "no such directory"
        raise InputError(directory, None, found, "Name the directory of your Penn Treebank.")
    sections: dict[int, dict[str, Path]] = {}
    for folder, _, names in os.walk(directory, followlinks=True):
        for name in names:
            path = Path(folder, name)
            section = _section_of(path)
            if section is None:
                continue
            files = sections.setdefault(section, {})
            other = files.setdefault(path.stem.lower(), path)
            if other != path:
                found = f"this file is also there as {other}"
                raise InputError(path, None, found, "Name a directory that has each file once.")
    if not sections:
        found = "no sections of the Penn Treebank, such as 00/wsj_0001.mrg, are here or in directories below"
        raise InputError(directory, None, found, "Name the directory that holds them, often parsed/mrg/wsj.")
    return {section: [files[stem] for stem in sorted(files)] for section, files in sorted(sections.items())}


def _section_of(path: Path) -> int | None:
    """The section of a file; None if it is not of the Wall Street Journal."""
    if path.suffix.lower() != ".mrg":
        return None
    folder = path.absolute().parent.name
    number = _FILE.fullmatch(path.name) or _SECTION.fullmatch(folder)
    return int(number[1]) if number else None


def parse_sections(split: str, choices: Sequence[str]) -> list[int]:
    """The sections of a split that choices such as `2-21` or `22` name."""
    sections: list[int] = []
    for choice in choices:
        found = _CHOICE.fullmatch(choice)
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
        if last < first:
            raise DepinduceError(f"--{split}-sections: {choice!r} is not a section. Write for example 2-21 or 0 1 24.")
        sections += range(first, last + 1)
    if len(set(sections)) < len(sections):
        raise DepinduceError(f"--{split}-sections {' '.join(choices)}: a section comes twice.")
    return sections


def require_sections(directory: str | Path, there: Sequence[int], splits: dict[str, list[int]]) -> None:
    """A fault unless some sections are chosen and all of them are there."""
    has = f"{directory} has sections {as_choice(there)}"
    if not any(splits.values()):
        raise DepinduceError(f"No sections are chosen; {has}. Name some after --train-sections, for example.")
    for split, sections in splits.items():
        missing = [section for section in sections if section not in there]
        if missing:
            raise DepinduceError(
                f"For {split}, sections {as_choice(missing)} are missing: {has}. Name others after "
                f"--{split}-sections, or nothing if you want no {split}.conllu."
            )


def as_choice(sections: Sequence[int]) -> str:
    """Sections as a user would write them: `2-21 23`."""
    runs: list[list[int]] = []
    for section in sorted(sections):
        if runs and section == runs[-1][-1] + 1:
            runs[-1].append(section)
        else:
            runs.append([section])
    return " ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)
