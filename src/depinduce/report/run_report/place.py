"""What a report is about: a model, the training of one, or a training of several seeds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from depinduce.errors import DepinduceError
from depinduce.files import parse_json
from depinduce.models.loading import load_model
from depinduce.models.places import (
    CONFIGURATION,
    DESCRIPTION,
    METRICS,
    SEEDS,
    kept_rounds,
    place_of_model,
    place_of_seed,
)

if TYPE_CHECKING:
    from depinduce.models.loading import Model


@dataclass(frozen=True)
class SeedsOnDisk:
    """Several trainings that differ in their seed, as their summary tells of them."""

    directory: Path
    by: str  # the likelihood that decided: dev or train
    best: int  # the seed whose model was kept
    lines: list[dict[str, Any]]  # one for every seed

    def others(self) -> dict[int, Model]:
        """The models of all other seeds that are still there."""
        places = {line["seed"]: place_of_seed(self.directory, line["seed"]) for line in self.lines}
        return {seed: load_model(place) for seed, place in places.items() if seed != self.best and place.is_dir()}


@dataclass(frozen=True)
class Place:
    """A directory with a trained model."""

    directory: Path
    model: Model
    seeds: SeedsOnDisk | None
    seconds: float | None  # that the training took, if it is known
    rounds: tuple[Path, ...] = ()  # the grammars of its rounds, if it has kept them


def open_place(path: str | Path) -> Place:
    """What is in a directory that `depinduce train` wrote."""
    directory = Path(path)
    seeds = _read_seeds(directory / SEEDS) if (directory / SEEDS).is_file() else None
    if not (place_of_model(directory) / DESCRIPTION).is_file():
        _tell_if_unfinished(directory)
    model = load_model(directory)
    run = directory if seeds is None else place_of_seed(directory, seeds.best)
    return Place(directory, model, seeds, _seconds(model.history, run), tuple(kept_rounds(run)))


def in_memory(model: Model, name: str) -> Place:
    """A model that a program has."""
    return Place(Path(name), model, None, _seconds(model.history))


def _tell_if_unfinished(directory: Path) -> None:
    """An error that says so, if this is a training without a model."""
    go_on = "Go on with `depinduce train`, the same options and --resume"
    if begun := sorted(directory.glob("seed-*")):
        raise DepinduceError(
            f"{directory}: the trainings of several seeds are not finished. {go_on}; or name one of them: {begun[0]}"
        )
    if (directory / CONFIGURATION).is_file():
        raise DepinduceError(f"{directory}: this training has no model yet. {go_on}.")


def _read_seeds(path: Path) -> SeedsOnDisk:
    try:
        summary = parse_json(path.read_bytes())
        lines = [{"seed": int(line["seed"]), **line} for line in summary["seeds"]]
        return SeedsOnDisk(path.parent, str(summary["by"]), int(summary["best_seed"]), lines)
    except (ValueError, KeyError, TypeError) as error:
        raise DepinduceError(
            f"{path}: damaged ({type(error).__name__}: {error}). Copy it again, or name one of the seeds beside it."
        ) from error


def _seconds(history: dict[str, Any], run: Path | None = None) -> float | None:
    """How long the training took, which is written down beside the model; count models of version 0.1.0 remember it."""
    rounds = history.get("rounds")
    if rounds and "seconds" in rounds[-1]:
        return rounds[-1]["seconds"]
    if run is None:
        return None
    try:
        lines = (run / METRICS).read_bytes().splitlines()
        return sum(float(parse_json(line)["seconds"]) for line in lines) if lines else None
    except (OSError, ValueError, KeyError, TypeError):  # it was copied without them
        return None
