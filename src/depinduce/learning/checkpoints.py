"""All that changes in a training, in one file that is replaced whole: tensors, and the rest as JSON in its header."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import torch
from safetensors import safe_open
from safetensors.torch import save_file

from depinduce.errors import DepinduceError
from depinduce.files import atomic_file
from depinduce.learning.network_training import NetworkTraining

FORMAT_VERSION = 2
NUMBERS = ("epoch", "best_epoch", "best_dev", "first_per_word", "previous_train")


def training_state(training: NetworkTraining) -> tuple[dict[str, torch.Tensor], dict]:
    """The tensors and the numbers that a training consists of."""
    tensors = {"noise": training.noise.get_state()}
    for number, learner in enumerate(training.learners):
        moments = learner.optimiser.state_dict()["state"].get(0, {})  # none before the first step
        parts = {"network": learner.network.state_dict(), "best": learner.best_weights, "adam": moments}
        for part, named in parts.items():
            tensors |= {f"{number}.{part}.{name}": tensor for name, tensor in named.items()}
    numbers = {name: float(getattr(training, name)) for name in NUMBERS}
    rules = [constraint.as_history(training.settings.rules) for constraint in training.constraints]
    return tensors, {"numbers": numbers, "rules": rules, "generator": training.generator.bit_generator.state}


def restore_training(training: NetworkTraining, tensors: dict[str, torch.Tensor], state: dict) -> None:
    """Bring a new training to where the saved one was."""
    training.noise.set_state(tensors["noise"])
    for number, learner in enumerate(training.learners):
        network, best, moments = (_under(f"{number}.{part}.", tensors) for part in ("network", "best", "adam"))
        learner.network.load_state_dict(network)
        learner.best_weights = best
        groups = learner.optimiser.state_dict()["param_groups"]
        learner.optimiser.load_state_dict({"state": {0: moments} if moments else {}, "param_groups": groups})
    for name in NUMBERS:
        value = state["numbers"][name]
        setattr(training, name, int(value) if name in ("epoch", "best_epoch") else value)
    for constraint, remembered in zip(training.constraints, state.get("rules", ()), strict=True):
        constraint.restore(remembered)
    training.generator.bit_generator.state = state["generator"]


def _under(prefix: str, tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def write_checkpoint(path: Path, tensors: dict[str, torch.Tensor], arrays: dict[str, np.ndarray], state: dict) -> None:
    """`tensors` of the training, `arrays` of the run, and its state."""
    everything = {f"training.{name}": tensor.detach().contiguous() for name, tensor in tensors.items()}
    everything |= {f"run.{name}": torch.from_numpy(np.ascontiguousarray(array)) for name, array in arrays.items()}
    with atomic_file(path) as temporary:
        save_file(everything, temporary, metadata={"format_version": str(FORMAT_VERSION), "state": json.dumps(state)})


def read_checkpoint(path: Path) -> tuple[dict[str, torch.Tensor], dict[str, np.ndarray], dict]:
    """What `write_checkpoint` wrote."""
    try:
        with safe_open(path, framework="pt") as file:
            version = file.metadata()["format_version"]
            if version != str(FORMAT_VERSION):
                raise ValueError(f"written in format {version}; this version reads format {FORMAT_VERSION}")
            state = json.loads(file.metadata()["state"])
            everything = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118, not a dict
    except Exception as error:  # whatever a damaged file leads to
        raise DepinduceError(
            f"{path}: cannot be read ({type(error).__name__}: {error}). Start again with --overwrite."
        ) from error
    tensors = {name.removeprefix("training."): t for name, t in everything.items() if name.startswith("training.")}
    arrays = {name.removeprefix("run."): t.numpy() for name, t in everything.items() if name.startswith("run.")}
    return tensors, arrays, state
