"""What is finished of the files of a directory, kept beside them in `.parts`, so that a second call goes on.

.parts/run.json         the grammar and the options by which everything there was parsed
.parts/finished.jsonl   a line for every finished file or part of a file, with what it was made from
.parts/NAME.parts/      the finished parts of a file that is not finished
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from depinduce.errors import DepinduceError
from depinduce.files import append_line, only_writer, parse_json, remove, write_file

PARTS, RUN, FINISHED = ".parts", "run.json", "finished.jsonl"


def identity_of(source: str | Path) -> list[int]:
    """What tells whether a file is still the same: its size and the time of its last change, in nanoseconds."""
    found = os.stat(source)
    return [found.st_size, found.st_mtime_ns]


class Ledger:
    """The finished parts of one directory. Make one with `open_ledger`."""

    def __init__(self, directory: Path):
        self.place = directory / PARTS
        self._lines: dict[str, dict[str, Any]] = {}
        if (self.place / FINISHED).exists():
            for text in (
                (self.place / FINISHED).read_bytes().split(b"\n")[:-1]
            ):  # what a kill has cut off does not count
                line = _object(text)
                if line is not None and isinstance(line.get("name"), str):
                    self._lines[line["name"]] = line

    def place_of(self, target: Path) -> Path:
        """Where the parts of a file are until it is finished."""
        return self.place / f"{target.name}.parts"

    @staticmethod
    def _of(source: str | Path, identity: list[int]) -> list[str | int]:
        return [str(Path(source).absolute()), *identity]

    def finished(self, name: str, source: str | Path, written: Path) -> dict[str, Any] | None:
        """What is known of a part that is finished: made from this file, as it is now, and still there as it was."""
        line = self._lines.get(name)
        if line is None or line.get("source") != self._of(source, identity_of(source)) or not written.exists():
            return None
        return line if line.get("written") == identity_of(written) else None

    def other_source(self, name: str, source: str | Path) -> str | None:
        """The file that a finished part was made from, if it is another."""
        made_from = self._lines.get(name, {}).get("source")
        if not isinstance(made_from, list) or made_from[:1] == [str(Path(source).absolute())]:
            return None
        return str(made_from[0])

    def add(self, name: str, source: str | Path, identity: list[int], written: Path, totals: dict[str, Any]) -> None:
        """Keep that a part is finished.

        identity: of the file that it was made from, before that was read
        """
        line = {"name": name, "source": self._of(source, identity), "written": identity_of(written), **totals}
        self._lines[name] = line
        append_line(self.place / FINISHED, json.dumps(line, ensure_ascii=False), lasting=False)


@contextmanager
def open_ledger(
    directory: Path, about: dict[str, Any], targets: Mapping[str, Path], overwrite: bool
) -> Iterator[Ledger]:
    """The ledger of a directory, for nobody else meanwhile.

    about: the grammar and the options; what others have made is refused, or forgotten with `overwrite`
    targets: what will be written, by its source; files that are there already must be those of this run
    """
    place = directory / PARTS
    about = parse_json(json.dumps(about))
    with only_writer(place, "another parse is writing there. Wait for it, or choose another -o."):
        if overwrite:
            for name in (FINISHED, RUN):
                remove(place / name)
        there = _object((place / RUN).read_bytes()) if (place / RUN).exists() else None
        if there is not None and there != about:
            differing = [name for name in about if there.get(name) != about[name]] or ["format"]
            raise DepinduceError(
                f"{directory}: holds what was parsed with another {differing[0].replace('_', ' ')}. Choose another -o, "
                "or parse everything anew with --overwrite."
            )
        foreign = [target for target in targets.values() if target.exists()] if there is None and not overwrite else []
        if foreign:
            raise DepinduceError(
                f"{foreign[0]}: is there, and was not written by such a parse. Choose another -o, or add --overwrite."
            )
        if there is None:
            write_file(place / RUN, json.dumps(about, indent=2, ensure_ascii=False) + "\n")
        ledger = Ledger(directory)
        for source, target in targets.items():
            if target.exists() and (other := ledger.other_source(target.name, source)):
                raise DepinduceError(
                    f"{target}: is the parse of {other}, and would be that of {source}. Choose another -o, or parse "
                    "everything anew with --overwrite."
                )
        yield ledger


def _object(text: bytes) -> dict[str, Any] | None:
    """What a file or a line says; None if it is damaged."""
    try:
        found = parse_json(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
