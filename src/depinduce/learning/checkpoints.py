"""All that changes in a training, in one file that is replaced whole: arrays, and the rest as JSON in its header."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from depinduce.errors import DepinduceError
from depinduce.files import parse_json, write_file
from depinduce.learning.learners.learner import Arrays, under, with_prefix
from depinduce.models.model_files import upgraded_history

FORMAT_VERSION = 3
NAMES_BEFORE = {"epoch": "round", "best_epoch": "best_round", "previous_train": "previous"}  # in format 2


def write_checkpoint(path: Path, training: Arrays, run: Arrays, state: dict[str, Any]) -> None:
    """training, run: what each consists of; state: the rest of both"""
    from safetensors.numpy import save

    arrays = with_prefix("training.", training) | with_prefix("run.", run)
    arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    header = {"format_version": str(FORMAT_VERSION), "state": json.dumps(state)}
    header["sha256"] = _digest(arrays, header)
    data = save(arrays, metadata=header)
    write_file(path, data, lasting=False)


def read_checkpoint(path: Path) -> tuple[Arrays, Arrays, dict[str, Any]]:
    """What `write_checkpoint` wrote."""
    from safetensors.numpy import load

    with damage_told(path):
        data = path.read_bytes()
        arrays = load(data)
        header = parse_json(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]
        version = header["format_version"]
        if version not in ("2", str(FORMAT_VERSION)):
            raise ValueError(f"written in format {version}; this version reads formats 2 and {FORMAT_VERSION}")
        if version != "2" and header["sha256"] != _digest(arrays, header):
            raise ValueError("it is not as it was written: its SHA-256 is another")
        state = parse_json(header["state"])
        training, run = under("training.", arrays), under("run.", arrays)
        if version == "2":
            _upgrade(training, state)
        return training, run, state


@contextmanager
def damage_told(path: Path) -> Iterator[None]:
    """An error that names the checkpoint, in the place of whatever a damaged one leads to."""
    try:
        yield
    except DepinduceError:
        raise
    except Exception as error:
        raise DepinduceError(
            f"{path}: cannot be read ({type(error).__name__}: {error}). Start again with --overwrite."
        ) from error


def _digest(arrays: Arrays, header: dict[str, str]) -> str:
    """The SHA-256 of all that a checkpoint says, but for this."""
    return digest_of(arrays, f"{header['format_version']} {header['state']}")


def digest_of(arrays: Arrays, text: str = "") -> str:
    """The SHA-256 of arrays by name, and of a text."""
    digest = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {array.dtype} {array.shape}\n".encode())
        digest.update(array.tobytes())
    digest.update(text.encode())
    return digest.hexdigest()


def _upgrade(training: Arrays, state: dict[str, Any]) -> None:
    """From format 2, of version 0.1.0, in which epochs were not yet rounds and there was one source of noise."""
    state["history"] = upgraded_history({"epochs": state["history"]})["rounds"]
    if state["training"] is not None:
        noise = training.pop("noise")
        for number in {name.split(".")[0] for name in training}:
            training[f"{number}.noise"] = noise
        numbers = state["training"]["numbers"]
        state["training"]["numbers"] = {NAMES_BEFORE.get(name, name): value for name, value in numbers.items()}
