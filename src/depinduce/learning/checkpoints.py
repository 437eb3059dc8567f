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

FORMAT_VERSION = 1
NUMBERS = ("epoch", "best_epoch", "best_dev", "first_per_word", "previous_train")
MOMENTS = ("step", "exp_avg", "exp_avg_sq")  # of Adam


def training_state(training: NetworkTraining) -> tuple[dict[str, torch.Tensor], dict]:
    """The tensors and the numbers that a training consists of."""
    tensors = {f"network.{name}": tensor for name, tensor in training.network.state_dict().items()}
    tensors |= {f"best.{name}": tensor for name, tensor in training.best_weights.items()}
    for number, moments in training.optimiser.state_dict()["state"].items():
        tensors |= {f"adam.{number}.{name}": moments[name] for name in MOMENTS}
    numbers = {name: float(getattr(training, name)) for name in NUMBERS}
    return tensors, {"numbers": numbers, "generator": training.generator.bit_generator.state}


def restore_training(training: NetworkTraining, tensors: dict[str, torch.Tensor], state: dict) -> None:
    """Bring a new training to where the saved one was."""
    parts: dict[str, dict[str, torch.Tensor]] = {"network": {}, "best": {}, "adam": {}}
    for name, tensor in tensors.items():
        part, _, rest = name.partition(".")
        parts[part][rest] = tensor
    training.network.load_state_dict(parts["network"])
    training.best_weights = parts["best"]
    optimiser = training.optimiser.state_dict()
    moments: dict[int, dict[str, torch.Tensor]] = {}
    for name, tensor in parts["adam"].items():
        number, _, moment = name.partition(".")
        moments.setdefault(int(number), {})[moment] = tensor
    training.optimiser.load_state_dict({"state": moments, "param_groups": optimiser["param_groups"]})
    for name in NUMBERS:
        value = state["numbers"][name]
        setattr(training, name, int(value) if name in ("epoch", "best_epoch") else value)
    training.generator.bit_generator.state = state["generator"]


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
