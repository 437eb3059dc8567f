"""Models on disk: a directory with a description in JSON and its numbers, written whole or not at all."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from depinduce import __version__
from depinduce.corpus import Reading
from depinduce.corpus.tag_maps import map_names
from depinduce.errors import DepinduceError
from depinduce.files import atomic_directory, parse_json, write_file
from depinduce.labels import LearnedLabels
from depinduce.models.calibration import Calibration
from depinduce.models.places import (
    DESCRIPTION,
    FORMAT,
    LEXICON,
    MEMBERS,
    NETWORK,
    NUMBERS,
    PARTS,
    place_of_part,
    require_place_for_model,
)

if TYPE_CHECKING:
    from depinduce.models.model import Model

FORMAT_VERSION = 2
ANOTHER_DIGEST = "{} is not the file that was written: its SHA-256 is another"
WITHOUT_DIGEST = (
    "{}: a model of version 0.1, which does not say how its files should be: damage may go unnoticed. "
    "Trained again, or read and saved again, it does."
)


@contextmanager
def new_model(directory: str | Path, model: Model, own: dict) -> Iterator[Path]:
    """A folder to write the numbers of a model to. It appears whole, with its description, or not at all.

    own: what the description says beside that which every model has
    """
    require_place_for_model(directory)
    with atomic_directory(directory) as folder:
        yield folder
        about = {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "depinduce": __version__,
            "kind": model.kind,
            "about": model.about,
            "sha256": {name: _sha256((folder / name).read_bytes()) for name in _files(folder)},  # and of itself
            "finished": model.finished,
            "non_heads": list(model.non_heads),
            **_languages(model.history),
            "reading": vars(model.reading),
            **own,
            "history": model.history,
        }
        about["sha256"][DESCRIPTION] = digest_of(parse_json(json.dumps(about)))
        text = json.dumps(about, indent=2, ensure_ascii=False) + "\n"
        write_file(folder / DESCRIPTION, text)


def _languages(history: dict) -> dict[str, dict[str, int]]:
    """The languages that a model has learned from, with their sentences, if anybody named them."""
    languages = history.get("training_data", {}).get("languages")
    return {"languages": languages} if languages else {}


def _files(folder: Path) -> list[str]:
    names = (NUMBERS, NETWORK, LEXICON, *(f"{part}/{DESCRIPTION}" for part in (*PARTS, *MEMBERS)))
    return [name for name in names if (folder / name).exists()]


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def digest_of(description: dict) -> str:
    """The SHA-256 of all that a description says, but for this; white space and the order of names do not count."""
    others = {name: digest for name, digest in description["sha256"].items() if name != DESCRIPTION}
    return _sha256(json.dumps(description | {"sha256": others}, sort_keys=True).encode())


def write_numbers(folder: Path, arrays: Mapping[str, np.ndarray], name: str = NUMBERS) -> None:
    from safetensors.numpy import save

    data = save({name: np.ascontiguousarray(array) for name, array in arrays.items()})
    write_file(folder / name, data)


def numbers_of(directory: Path, description: dict, name: str = NUMBERS) -> dict[str, np.ndarray]:
    """The arrays of a file, which must be the one that the description was written with."""
    from safetensors.numpy import load

    return load(bytes_of(directory, description, name))


def bytes_of(directory: Path, description: dict, name: str) -> bytes:
    """A file, which must be the one that the description was written with."""
    data = (directory / name).read_bytes()
    if "sha256" in description and description["sha256"][name] != _sha256(data):
        raise ValueError(ANOTHER_DIGEST.format(name))
    return data


def read_part(directory: Path, description: dict, name: str) -> tuple[Path, dict]:
    """Where a part of a model is, and its description, which must be the one that the whole was written with."""
    folder = place_of_part(directory, name)
    about = read_description(folder / DESCRIPTION)
    if "sha256" in description:
        bytes_of(directory, description, f"{name}/{DESCRIPTION}")  # the parts belong together
    return folder, about


def damaged(directory: Path, error: Exception) -> DepinduceError:
    return DepinduceError(
        f"{directory}: the model cannot be read ({type(error).__name__}: {error}). "
        "The files are damaged or from another version: train it again, or copy it again."
    )


def how_made(description: dict) -> dict:
    """What every model remembers: tags that head nothing, how files are read, and its history."""
    reading, non_heads, history = (description[name] for name in ("reading", "non_heads", "history"))
    if not (
        isinstance(history, dict) and isinstance(non_heads, list) and all(isinstance(tag, str) for tag in non_heads)
    ):
        raise ValueError("what it says about its training cannot be")
    if "calibration" in history:
        Calibration.from_json(history["calibration"])  # a fault shows here, not when somebody asks
    if "labels" in history:
        LearnedLabels.from_json(history["labels"])
    if isinstance(table := reading.get("map"), str) and table not in map_names():
        raise ValueError(f"the map of tags {table} is a file, and a model opens none but its own")
    return {"non_heads": tuple(non_heads), "reading": Reading(**reading), "history": history}


def read_description(path: Path) -> dict:
    """What a model says about itself, in the present format."""
    if not path.is_file():
        raise DepinduceError(
            f"{path.parent}: no model here (there is no {path.name}). "
            "Name the directory that `depinduce train --out` wrote."
        )
    try:
        description = parse_json(path.read_bytes())
    except (OSError, ValueError) as error:
        raise DepinduceError(f"{path}: damaged ({error}). Train the model again, or copy it again.") from error
    if not isinstance(description, dict) or description.get("format") != FORMAT:
        raise DepinduceError(f"{path}: not a model of depinduce. Name the directory that `depinduce train` wrote.")
    if description.get("format_version") not in (1, FORMAT_VERSION):
        raise DepinduceError(
            f"{path}: written in format {description.get('format_version')} by depinduce "
            f"{description.get('depinduce')}; this version reads formats 1 and {FORMAT_VERSION}. "
            "Use that version of depinduce, or train the model again."
        )
    try:
        if "sha256" not in description and description["format_version"] == 1:
            warnings.warn(WITHOUT_DIGEST.format(path.parent), stacklevel=2)
        elif description["sha256"][DESCRIPTION] != digest_of(description):
            raise ValueError(ANOTHER_DIGEST.format(DESCRIPTION))
        return description if description["format_version"] == FORMAT_VERSION else _upgraded(path.parent, description)
    except (OSError, KeyError, TypeError, AttributeError, ValueError) as error:
        raise damaged(path.parent, error) from error


# ---------------------------------------------------------------- format 1, of version 0.1.0

_ORDERS = {"first": "a first-order", "sibling": "a sibling", "grandparent": "a grandparent"}


def _upgraded(directory: Path, description: dict) -> dict:
    """The description of a model of format 1 as one of format 2."""
    kind = description.get("kind", "tags")
    if kind == "joint":
        order = parse_json((place_of_part(directory, "tags") / DESCRIPTION).read_bytes())["order"]
        about = f"a joint model: {_ORDERS[order]} grammar over tags, and a first-order one over words"
    elif kind == "hdp-dep":
        about = "HDP-DEP: a first-order grammar with hidden states"
    else:
        way = ", children from the inside out" if description.get("inside_out") else ""
        about = f"{_ORDERS[description['order']]} grammar over {kind}{way}"
    history = upgraded_history(description["history"])
    return description | {"kind": kind, "about": about, "finished": True, "history": history}


def upgraded_history(history: dict) -> dict:
    """The history of a model of version 0.1.0, which called rounds steps or epochs."""
    if "steps" in history:
        called = "iteration"
        longest, name = None, history.get("settings", {}).get("model")
        lines = [
            {"rung": 0, "model": name, "member": 0, "round": line["iteration"], "max_length": longest, **line}
            for line in history["steps"]
        ]
    elif "epochs" in history:
        called = "epoch"
        lines = [{**line, "round": line["epoch"]} for line in history["epochs"]]
    else:
        return history
    lines = [{name: value for name, value in line.items() if name not in ("iteration", "epoch")} for line in lines]
    rest = {name: value for name, value in history.items() if name not in ("steps", "epochs")}
    return rest | {"round_name": called, "rounds": lines}
