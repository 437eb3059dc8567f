"""Where the files of models and trainings are, what they are called, and which directories are ours to replace."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from depinduce.errors import DepinduceError
from depinduce.files import LOCK, is_left_behind, recover, remove
from depinduce.models.table import models
from depinduce.settings import read_toml

FORMAT = "depinduce model"  # the name of the format, in the description of every model
DESCRIPTION, NUMBERS, NETWORK, LEXICON = "model.json", "model.safetensors", "network.safetensors", "lexicon.json"
INNER = "model"  # where a training keeps it in its directory, beside these
CONFIGURATION, METRICS, CHECKPOINT, SEEDS = "config.toml", "metrics.jsonl", "checkpoint.safetensors", "seeds.json"
BOX = Path(__file__).parent / "box"  # grammars that come with the package
ROUNDS = "rounds"  # there, too: the grammars that a training passed through, if it was told to keep them
PACKED, _START_OF_PACKED = ".zip", b"PK"  # how the name of a packed grammar ends, and how the file begins
DEEPEST = 3  # folders below a given one in which models are looked for
PARTS = ("tags", "words")  # of a joint model, each in a folder of its own
MEMBERS = ("order-free", "own", "student")  # of a committee, likewise
PARTS_BEFORE = {"tags": "second", "words": "first"}  # what these folders were called in format 1

_FILES = (DESCRIPTION, NUMBERS, NETWORK, LEXICON, CONFIGURATION, METRICS, CHECKPOINT, SEEDS)
_ROUND = re.compile(r"\d{2,}-\d{4,}")
_FOLDERS = re.compile("|".join((INNER, ROUNDS, _ROUND.pattern, *PARTS, *MEMBERS, *PARTS_BEFORE.values(), r"seed-\d+")))
# half-written by version 0.1.0 when it was killed; the last by the library that wrote its checkpoints
_LEFT_BEFORE = re.compile(rf"\.({'|'.join(map(re.escape, (*_FILES, INNER)))})\..*|\.tmp[0-9A-Za-z]{{6}}")
_START_OF_CHECKPOINT = re.compile(rb'.{8}\{"__metadata__":\{"(format_version|state|sha256)"', re.DOTALL)


def place_of_part(directory: Path, name: str) -> Path:
    """Where a model keeps one of its parts."""
    return directory / name if (directory / name).is_dir() else directory / PARTS_BEFORE.get(name, name)


def place_of_model(directory: str | Path) -> Path:
    """This directory or, as a training leaves it, `model` in it; or the grammar of this name in the box."""
    directory = Path(directory)
    for place in (directory, directory / INNER):
        recover(place)
    if (directory / INNER / DESCRIPTION).is_file():
        return directory / INNER
    if not (directory / DESCRIPTION).is_file() and str(directory) in names_in_box():
        return BOX / directory
    return directory


def is_name_of_packed(path: str | Path) -> bool:
    """Whether a grammar is packed into one file there, by the ending of its name."""
    return Path(path).suffix.lower() == PACKED


def is_packed(path: str | Path) -> bool:
    """Whether this is a grammar in one file, or what is left of one."""
    path = Path(path)
    if not path.is_file():
        return False
    with open(path, "rb") as file:
        return is_name_of_packed(path) or file.read(len(_START_OF_PACKED)) == _START_OF_PACKED


def names_in_box() -> list[str]:
    """The grammars that come with the package."""
    return sorted(path.parent.name for path in BOX.glob(f"*/{DESCRIPTION}"))


def models_below(directory: Path, depth: int = 0) -> Iterator[Path]:
    """This directory, if it is a model or a run, or else those in it, from DEEPEST folders below at the most.

    A file that a grammar is packed into is one, too, if it is named itself.
    """
    place = place_of_model(directory)
    if depth == 0 and is_packed(directory):
        yield directory.resolve()
    elif (place / DESCRIPTION).is_file():
        yield place.resolve()
    elif not directory.is_dir():
        if depth == 0:
            raise DepinduceError(f"{directory}: no such directory. Name one that `depinduce train --out` wrote.")
    elif depth < DEEPEST:
        for below in sorted(directory.iterdir()):
            if not below.name.startswith("."):
                yield from models_below(below, depth + 1)


def place_of_seed(directory: str | Path, seed: int | str) -> Path:
    """Where the training of several seeds keeps one of them."""
    return Path(directory) / f"seed-{seed}"


def place_of_round(directory: str | Path, rung: int, number: int) -> Path:
    """Where a training keeps the grammar of a round of one of its rungs; round 0 is the start."""
    return Path(directory) / ROUNDS / f"{rung:02}-{number:04}"


def kept_rounds(directory: str | Path) -> list[Path]:
    """The grammars of rounds that a training has kept, in their order."""
    if not os.path.isdir(Path(directory) / ROUNDS):  # a name that is too long is no folder, either
        return []
    places = Path(directory).glob(f"{ROUNDS}/*/{DESCRIPTION}")
    found = [place.parent for place in places if _ROUND.fullmatch(place.parent.name)]
    return sorted(found, key=lambda place: [int(part) for part in place.name.split("-")])


def require_place_for_model(directory: str | Path) -> None:
    """Refuse to put a model in the place of anything but another model, or where nothing can be written."""
    place = Path(directory)
    above = next(folder for folder in place.absolute().parents if folder.exists())
    if not (above.is_dir() and os.access(above, os.W_OK)):
        raise DepinduceError(f"{place}: nothing can be written in {above}. Choose another place for the model.")
    if place.exists() and not (place.is_dir() and _is_ours(place)):
        raise DepinduceError(f"{place}: this is not a model and is not replaced. Choose another place for the model.")


def _is_ours(folder: Path) -> bool:
    """Whether a model or a training wrote all that is in a folder; if there is nothing, it may do so."""
    files = _own_files(folder)
    return files is not None and (not files or any(map(tells_whose, files)))


def holds_model_and(others: Collection[str], folder: Path) -> bool:
    """Whether a folder holds a model, and nothing else but files of these names."""
    files = _own_files(folder, others)
    return files is not None and any(map(tells_whose, files))


def _own_files(folder: Path, others: Collection[str] = ()) -> list[Path] | None:
    """The files of a model or training, without what was left half-written; None if there is anything else.

    others: names of files at the top that do not matter
    """
    files = []
    for path in folder.iterdir():
        if path.name in others and path.is_file():
            continue
        if path.is_dir() and _FOLDERS.fullmatch(path.name):
            inside = _own_files(path)
            if inside is None:
                return None
            files += inside
        elif path.name in _FILES:
            files.append(path)
        elif not _is_left(path.name):
            return None
    return files


def tells_whose(path: Path) -> bool:
    """Whether a file or folder tells that it is ours, even if it is damaged: others have a config.toml, too."""
    try:
        if path.is_dir():
            return any(map(tells_whose, path.iterdir()))
        if path.name == DESCRIPTION:
            return FORMAT.encode() in path.read_bytes()
        if path.name == CHECKPOINT:
            with open(path, "rb") as file:
                return _START_OF_CHECKPOINT.match(file.read(100)) is not None
        return path.name == CONFIGURATION and read_toml(path).get("model") in models()
    except (OSError, DepinduceError, TypeError):
        return False


def _is_left(name: str) -> bool:
    return is_left_behind(name) or _LEFT_BEFORE.fullmatch(name) is not None


def clear_left_behind(directory: Path) -> None:
    """Remove what trainings that were killed left half-written, for one who is the only writer there."""
    recover(directory / INNER)
    for path in directory.iterdir():
        if path.name != LOCK and _is_left(path.name):
            remove(path)
