"""Models on disk: a directory with a description in JSON and its numbers, written whole or not at all."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from depinduce import __version__
from depinduce.corpus import Reading
from depinduce.errors import DepinduceError
from depinduce.files import atomic_directory

FORMAT, FORMAT_VERSION = "depinduce model", 1
DESCRIPTION, NUMBERS, LEXICON = "model.json", "model.safetensors", "lexicon.json"
INNER = "model"  # where a training keeps it in its directory, beside these
CONFIGURATION, METRICS, CHECKPOINT, SEEDS = "config.toml", "metrics.jsonl", "checkpoint.safetensors", "seeds.json"
FIRST, SECOND = "first", "second"  # where a joint model keeps its parts


@contextmanager
def new_model(directory: str | Path, kind: str, description: dict) -> Iterator[Path]:
    """A folder to write the numbers of a model to; its description is there already. Appears whole, or not at all."""
    require_place_for_model(directory)
    with atomic_directory(directory) as folder:
        write_description(folder, kind, description)
        yield folder


def write_description(folder: Path, kind: str, description: dict) -> None:
    about = {"format": FORMAT, "format_version": FORMAT_VERSION, "depinduce": __version__, "kind": kind}
    text = json.dumps(about | description, indent=2, ensure_ascii=False) + "\n"
    (folder / DESCRIPTION).write_text(text, encoding="utf-8")


def write_numbers(folder: Path, arrays: dict[str, np.ndarray]) -> None:
    from safetensors.numpy import save

    data = save({name: np.ascontiguousarray(array) for name, array in arrays.items()})
    (folder / NUMBERS).write_bytes(data)


def place_of_model(directory: str | Path) -> Path:
    """This directory or, as a training leaves it, `model` in it."""
    directory = Path(directory)
    return directory / INNER if (directory / INNER / DESCRIPTION).is_file() else directory


def place_of_seed(directory: str | Path, seed: int | str) -> Path:
    """Where the training of several seeds keeps one of them."""
    return Path(directory) / f"seed-{seed}"


def damaged(directory: Path, error: Exception) -> DepinduceError:
    return DepinduceError(
        f"{directory}: the model cannot be read ({type(error).__name__}: {error}). "
        "The files are damaged or from another version: train it again, or copy it again."
    )


def how_made(description: dict) -> dict:
    """What every model remembers: tags that head nothing, how files are read, and its history."""
    return {
        "non_heads": tuple(description["non_heads"]),
        "reading": Reading(**description["reading"]),
        "history": description["history"],
    }


def require_place_for_model(directory: str | Path) -> None:
    """Refuse to put a model in the place of anything but another model, or where nothing can be written."""
    place = Path(directory)
    above = next(folder for folder in place.absolute().parents if folder.exists())
    if not (above.is_dir() and os.access(above, os.W_OK)):
        raise DepinduceError(f"{place}: nothing can be written in {above}. Choose another place for the model.")
    if place.exists() and not (place.is_dir() and all(map(_is_ours, place.iterdir()))):
        raise DepinduceError(f"{place}: this is not a model and is not replaced. Choose another place for the model.")


def _is_ours(path: Path) -> bool:
    """Whether this may be part of a model or of its training, or was half-written when that was killed."""
    if path.name in (INNER, FIRST, SECOND) or re.fullmatch(r"seed-\d+", path.name):
        return path.is_dir() and all(map(_is_ours, path.iterdir()))
    own = (DESCRIPTION, NUMBERS, LEXICON, CONFIGURATION, METRICS, CHECKPOINT, SEEDS)
    return path.name in own or path.name.startswith(tuple(f".{whole}." for whole in (*own, INNER)))


def read_description(path: Path) -> dict:
    if not path.is_file():
        raise DepinduceError(
            f"{path.parent}: no model here (there is no {path.name}). "
            "Name the directory that `depinduce train --out` wrote."
        )
    try:
        description = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise DepinduceError(f"{path}: damaged ({error}). Train the model again, or copy it again.") from error
    if not isinstance(description, dict) or description.get("format") != FORMAT:
        raise DepinduceError(f"{path}: not a model of depinduce. Name the directory that `depinduce train` wrote.")
    if description.get("format_version") != FORMAT_VERSION:
        raise DepinduceError(
            f"{path}: written in format {description.get('format_version')} by depinduce "
            f"{description.get('depinduce')}; this version reads format {FORMAT_VERSION}. "
            "Use that version of depinduce, or train the model again."
        )
    return description
