"""The files of a run: its settings, a line of metrics per round, and where it is, to go on from there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from depinduce.errors import DepinduceError
from depinduce.files import append_line, parse_json, write_file
from depinduce.learning.checkpoints import read_checkpoint, write_checkpoint
from depinduce.learning.learners.learner import Arrays
from depinduce.learning.settings.configuration import Configuration, as_saved, changes
from depinduce.models.places import CHECKPOINT, CONFIGURATION, METRICS, ROUNDS, place_of_round
from depinduce.models.tag_model import GrammarModel
from depinduce.settings import read_toml, to_toml

FREE_ON_RESUME = {"epochs", "iterations", "patience", "threads"}  # these may change on the way
TIMES = ("seconds", "sentences_per_second")  # which differ whenever the same is done again


def without_times(line: dict[str, Any]) -> dict[str, Any]:
    """What is the same whenever the same is done again."""
    return {name: value for name, value in line.items() if name not in TIMES}


class RunFiles:
    """The directory of a run."""

    def __init__(self, directory: Path):
        self.directory, self.checkpoint = directory, directory / CHECKPOINT

    # ---------------------------------------------------------------- settings

    def open(self, configuration: Configuration) -> None:
        """Write down the settings, unless they are there."""
        if not (self.directory / CONFIGURATION).exists():
            self._write_settings(configuration)

    def _write_settings(self, configuration: Configuration) -> None:
        write_file(self.directory / CONFIGURATION, to_toml(configuration.values()))

    def require_same(self, configuration: Configuration) -> None:
        """Refuse other settings than those of the run, but for the ones that may change: these are written down."""
        before = as_saved(configuration.defaults()) | read_toml(self.directory / CONFIGURATION)  # it may be older
        if was := _changes(before, configuration):
            raise DepinduceError(f"--resume: the settings differ from those of the run: {was}. Use the same.")
        self._write_settings(configuration)

    # ---------------------------------------------------------------- rounds

    def add_round(self, line: dict[str, Any]) -> None:
        append_line(self.directory / METRICS, json.dumps(line), lasting=False)

    def mend_rounds(self, history: list[dict[str, Any]]) -> None:
        """A line for each round of a history: those after it are done again; lost ones are there without times."""
        path = self.directory / METRICS
        lines = path.read_bytes().split(b"\n") if path.exists() else []
        lines += [b""] * len(history)
        kept = [
            line.decode() if _tells_of(line, known) else json.dumps(known)
            for line, known in zip(lines, history, strict=False)
        ]
        write_file(path, "".join(f"{line}\n" for line in kept))

    def keep_round(self, rung: int, number: int, grammar: GrammarModel) -> None:
        """The grammar of a round, as a model that every command reads."""
        grammar.save(place_of_round(self.directory, rung, number))

    @property
    def keeps_rounds(self) -> bool:
        """Whether the run was told to, when it began."""
        return (self.directory / ROUNDS).is_dir()

    # ---------------------------------------------------------------- where it is

    def save(self, training: Arrays, run: Arrays, state: dict[str, Any]) -> None:
        write_checkpoint(self.checkpoint, training, run, state)

    def load(self) -> tuple[Arrays, Arrays, dict[str, Any]] | None:
        """What was saved last; None if the run was killed before its first round."""
        return read_checkpoint(self.checkpoint) if self.checkpoint.exists() else None


def require_same_data(before: tuple[str | None, ...], now: tuple[str | None, ...]) -> None:
    """Refuse other sentences than those of the run. before, now: fingerprints"""
    for name, was, is_now in zip(("training", "held-out"), before, now, strict=True):
        if was != is_now:
            raise DepinduceError(f"--resume: the {name} sentences differ from those of the run. Use the same files.")


def require_same_recipes(before: Mapping[str, dict[str, Any]], now: Mapping[str, Configuration]) -> None:
    """Refuse recipes of the same name with other settings; one that the run did not need yet may be any."""
    for name, recipe in now.items():
        if name in before and (was := _changes(before[name], recipe)):
            raise DepinduceError(f"--resume: the recipe {name} was another: {was}. Use the same.")


def _changes(before: dict[str, Any], configuration: Configuration) -> str:
    """What differs, but for what may, in words."""
    now = as_saved(configuration.values())
    return changes([name for name in now if name not in FREE_ON_RESUME and now[name] != before.get(name)], before, now)


def _tells_of(line: bytes, known: dict[str, Any]) -> bool:
    """Whether a line of the metrics is of this round."""
    try:
        found = parse_json(line)
        return isinstance(found, dict) and found.get("train") == known["train"]
    except ValueError:  # also if it is not UTF-8
        return False
