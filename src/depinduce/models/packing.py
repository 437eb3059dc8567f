"""Grammars to hand on: a folder as model hubs have them, or the same as one zip file.

    README.md            the model card: YAML between two lines `---`, then Markdown
    config.json          which library reads it, and what it is
    model.json           the description, with the SHA-256 of the files below and of itself
    model.safetensors    the numbers; beside them network.safetensors and lexicon.json, if the model has these
    tags/ words/ …       the parts of a joint model or the members of a committee, each with such files of its own

A zip file has these names at its top. Reading executes nothing: what comes out of it is JSON and arrays.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from depinduce.errors import DepinduceError
from depinduce.files import atomic_directory, parse_json, write_file
from depinduce.models.model_files import read_description
from depinduce.models.places import DESCRIPTION, holds_model_and, is_name_of_packed, is_packed, require_place_for_model

if TYPE_CHECKING:
    from depinduce.models.model import Model

CARD, HUB_CONFIGURATION = "README.md", "config.json"
LIBRARY = "depinduce"
MOST_BYTES, MOST_FILES = 1 << 31, 1000  # of all files in a zip file that is read: far more than a grammar has
_ALWAYS_THE_SAME = (1980, 1, 1, 0, 0, 0)  # when a file in a zip file was made: the same grammar gives the same bytes


def pack(model: Model, out: str | Path, card: str, *, overwrite: bool = False) -> None:
    """Write a grammar with its card: to one file, if the name of `out` ends in .zip, or else to a folder.

    overwrite: in the place of another that was packed; anything else is never replaced
    """
    out = Path(out)
    _require_place(out, overwrite)
    files = _files_of(model, card)
    if is_name_of_packed(out):
        write_file(out, _zipped(files))
    else:
        with atomic_directory(out) as folder:
            for name, data in files.items():
                write_file(folder / name, data)


def _files_of(model: Model, card: str) -> dict[str, bytes]:
    """All files of the package by their names."""
    with TemporaryDirectory() as place:
        folder = Path(place) / "model"
        model.save(folder)
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    description = parse_json(files[DESCRIPTION])
    told = ("kind", "about", "format_version", "depinduce", "languages", "tags", "non_heads", "reading")
    configuration = {"library_name": LIBRARY, "model_type": LIBRARY}
    configuration |= {name: description[name] for name in told if name in description}
    text = json.dumps(configuration, indent=2, ensure_ascii=False) + "\n"
    return {CARD: card.encode(), HUB_CONFIGURATION: text.encode(), **files}


def _zipped(files: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as packed:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, _ALWAYS_THE_SAME)
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def _require_place(out: Path, overwrite: bool) -> None:
    """Refuse to replace anything, but for another packed grammar if that is wanted."""
    if not out.exists():
        return require_place_for_model(out)
    if out.is_dir() and not any(out.iterdir()) and not is_name_of_packed(out):
        return None
    if not overwrite:
        raise DepinduceError(f"{out}: is there already. Choose another place, or add --overwrite.")
    if not (
        is_packed(out) if is_name_of_packed(out) else out.is_dir() and holds_model_and((CARD, HUB_CONFIGURATION), out)
    ):
        raise DepinduceError(f"{out}: this is not a packed grammar and is not replaced. Choose another place.")
    return None


# ---------------------------------------------------------------- reading


@contextmanager
def unpacked(path: str | Path) -> Iterator[Path]:
    """The files of a packed grammar in a folder that is gone afterwards; faults name the file that they came in."""
    path = Path(path)
    files = _read_zip(path)
    with TemporaryDirectory() as place:
        folder = Path(place) / "model"
        for name, data in files.items():
            write_file(folder / name, data, lasting=False)
        try:
            yield folder
        except DepinduceError as error:
            raise DepinduceError(str(error).replace(str(folder), str(path))) from error


def _read_zip(path: Path) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(path) as packed:
            entries = [entry for entry in packed.infolist() if not entry.is_dir()]
            _require_sound_names(path, entries)
            if sum(entry.file_size for entry in entries) > MOST_BYTES or len(entries) > MOST_FILES:
                raise DepinduceError(f"{path}: more than a grammar can be. Name a file that `depinduce pack` wrote.")
            return {entry.filename: packed.read(entry) for entry in entries}
    except (DepinduceError, MemoryError):
        raise
    except Exception as error:  # whatever a damaged file leads to
        raise DepinduceError(
            f"{path}: damaged, or not a packed grammar ({type(error).__name__}: {error}). "
            "Copy it again, or name a file that `depinduce pack` wrote."
        ) from error


def _require_sound_names(path: Path, entries: list[zipfile.ZipInfo]) -> None:
    """Refuse files that would lie elsewhere than in the folder that they are unpacked to, or on one another."""
    names = [entry.orig_filename for entry in entries]  # before zipfile has made them harmless
    for name in names:
        parts = PurePosixPath(name).parts
        if not parts or name.startswith("/") or ".." in parts or any(sign in name for sign in "\\:\0"):
            raise DepinduceError(f"{path}: names a file outside of it, {name!r}, and is not read. Do not trust it.")
    if DESCRIPTION not in names:
        raise DepinduceError(
            f"{path}: no packed grammar (there is no {DESCRIPTION} at its top). "
            "Name a file that `depinduce pack` wrote."
        )
    if len(set(map(str.lower, names))) < len(names):
        raise DepinduceError(f"{path}: has two files of one name, and is not read. Pack the grammar again.")


def description_at(place: Path) -> dict:
    """What a model says about itself, in a directory or packed."""
    if is_packed(place):
        with unpacked(place) as folder:
            return read_description(folder / DESCRIPTION)
    return read_description(place / DESCRIPTION)
