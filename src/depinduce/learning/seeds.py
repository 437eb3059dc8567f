"""The same training from several seeds, side by side, and what comes out of it on average."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from depinduce.cluster import on_cluster
from depinduce.errors import DepinduceError
from depinduce.files import write_file
from depinduce.jobs import side_by_side
from depinduce.learning.held_out import Source
from depinduce.learning.lesson import Lesson, place_of_training
from depinduce.learning.run import MODEL
from depinduce.learning.settings.configuration import Configuration, configure
from depinduce.learning.training import Diverged
from depinduce.models.loading import load_model
from depinduce.models.places import SEEDS, place_of_seed


@dataclass(frozen=True)
class SeedTask:
    """One training: everything that a process of its own needs to know."""

    values: dict[str, Any]  # of the configuration
    train: Source
    dev: Source | None
    watch: str | None
    directory: str
    trees: Source | None = None


def train_seed(task: SeedTask, send: Callable[[Any], None]) -> dict[str, Any]:
    """Train one seed, from where it was if it has begun; gives what is compared among seeds."""
    lesson = Lesson.of(configure(task.values), task.train, task.dev, task.watch, quiet=True, trees=task.trees)
    seed = lesson.configuration.learning.seed
    with place_of_training(Path(task.directory), resume=True):
        run = lesson.run(task.directory, resume=True)
        try:
            model, finished = run.go(lambda progress: send((progress.done, progress.total)))
        except Diverged as error:
            return {"seed": seed, "finished": False, "failed": str(error)}
    last = [line for line in run.history if line["rung"] == run.rungs[-1].number]
    last = [line for line in last if line["max_length"] == lesson.train.lengths.max()]
    last = [line for line in last if line["round"] > run.rungs[-1].settings.falling_rounds]
    kept = max(last, key=lambda line: line["dev"]) if lesson.dev is not None and last else (last or [{}])[-1]
    return {
        "seed": seed,
        "finished": finished,
        "rounds": len(run.history),
        "kept_round": kept.get("round"),
        "train": kept.get("train"),
        "dev": kept.get("dev"),
        "objective": kept.get("objective"),
        "watched": None if lesson.watch is None else lesson.watch(model),
    }


def train_seeds(
    configuration: Configuration,
    seeds: list[int],
    jobs: int | str,
    train: Source,
    dev: Source | None,
    directory: Path,
    watch: str | None = None,
    trees: Source | None = None,
    report: Callable[[int, int, int], None] = lambda seed, done, total: None,
) -> dict[str, Any]:
    """Train every seed in `directory/seed-N`; keep the model with the highest likelihood as that of the directory.

    The likelihood is that of the held-out sentences or, where there are none, of the training sentences; where training
    knows only a bound of that, it is the bound.

    jobs: so many side by side here, or the cluster that does them, see `on_cluster`
    """
    tasks = [
        SeedTask(
            configuration.replace(seed=seed).values(), train, dev, watch, str(place_of_seed(directory, seed)), trees
        )
        for seed in seeds
    ]

    def on_message(number: int, message: tuple[int, int]) -> None:
        report(seeds[number], *message)

    if isinstance(jobs, str):
        results = dict(on_cluster(train_seed, tasks, jobs, on_message))
    else:
        results = dict(side_by_side(train_seed, tasks, jobs, on_message))
    lines = [results[number] for number in range(len(seeds))]
    failed = [line for line in lines if "failed" in line]
    if failed:
        raise DepinduceError(
            f"seed {failed[0]['seed']}: {failed[0]['failed']} {len(failed)} of {len(lines)} seeds failed."
        )
    by = "dev" if dev else "objective" if configuration.learning.raises_bound else "train"
    summary = {"by": by, "seeds": lines, "mean": {}, "sd": {}}
    for name, values in _columns(lines).items():
        summary["mean"][name] = float(np.mean(values))
        summary["sd"][name] = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    finished = [line for line in lines if line["finished"]]
    if len(finished) == len(lines):
        summary["best_seed"] = max(finished, key=lambda line: line[summary["by"]])["seed"]
        load_model(place_of_seed(directory, summary["best_seed"])).save(directory / MODEL)
        write_file(directory / SEEDS, json.dumps(summary, indent=2) + "\n")
    return summary


def _columns(lines: list[dict[str, Any]]) -> dict[str, list[float]]:
    """What there are numbers of, by name."""
    columns = {name: [line[name] for line in lines] for name in ("train", "dev")}
    for name in (lines[0]["watched"] or {}) if lines else ():
        columns[name] = [(line["watched"] or {}).get(name) for line in lines]
    return {name: values for name, values in columns.items() if all(value is not None for value in values)}
