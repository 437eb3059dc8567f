"""All that changes in a training, in one file that is replaced whole: arrays, and the rest as JSON in its header."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from depinduce.errors import DepinduceError
from depinduce.files import write_file
from depinduce.learning.learners.learner import Arrays, under, with_prefix
from depinduce.models.model_files import upgraded_history

FORMAT_VERSION = 3
NAMES_BEFORE = {"epoch": "round", "best_epoch": "best_round", "previous_train": "previous"}  # in format 2


def write_checkpoint(path: Path, training: Arrays, run: Arrays, state: dict[str, Any]) -> None:
    """training, run: what each consists of; state: the rest of both"""
    from safetensors.numpy import save

    arrays = with_prefix("training.", training) | with_prefix("run.", run)
    header = {"format_version": str(FORMAT_VERSION), "state": json.dumps(state)}
    data = save({name: np.ascontiguousarray(array) for name, array in arrays.items()}, metadata=header)
    write_file(path, data, lasting=False)


def read_checkpoint(path: Path) -> tuple[Arrays, Arrays, dict[str, Any]]:
    """What `write_checkpoint` wrote."""
    from safetensors import safe_open

    try:
        with safe_open(path, framework="np") as file:
            version = file.metadata()["format_version"]
            if version not in ("2", str(FORMAT_VERSION)):
                raise ValueError(f"written in format {version}; this version reads formats 2 and {FORMAT_VERSION}")
            state = json.loads(file.metadata()["state"])
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118, not a dict
        training, run = under("training.", arrays), under("run.", arrays)
        if version == "2":
            _upgrade(training, state)
    except Exception as error:  # whatever a damaged file leads to
        raise DepinduceError(
            f"{path}: cannot be read ({type(error).__name__}: {error}). Start again with --overwrite."
        ) from error
    return training, run, state


def _upgrade(training: Arrays, state: dict[str, Any]) -> None:
    """From format 2, of version 0.1.0, in which epochs were not yet rounds and there was one source of noise."""
    state["history"] = upgraded_history({"epochs": state["history"]})["rounds"]
    if state["training"] is not None:
        noise = training.pop("noise")
        for number in {name.split(".")[0] for name in training}:
            training[f"{number}.noise"] = noise
        numbers = state["training"]["numbers"]
        state["training"]["numbers"] = {NAMES_BEFORE.get(name, name): value for name, value in numbers.items()}
