"""An experiment is a set of trainings by one recipe; a cell is one of them, with what came out of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from depinduce.learning.settings.configuration import Configuration, configure
from depinduce.learning.settings.recipes import load_recipe

SPLITS = ("test", "dev")
CURVE_EPOCHS, CURVE_SEEDS = 40, 3  # of the trainings behind the figures
NO_SKIP, EM, SEPARATE = {"skip_connections": False}, {"method": "em"}, {"agreement": False}  # changes of many recipes
CELL_FORMAT, CELL_FORMAT_VERSION = "depinduce cell", 1


@dataclass(frozen=True)
class Experiment:
    """Trainings by one recipe, that differ in language and seed only."""

    recipe: str | None  # none: the changes are all that is set
    about: str
    changes: Mapping[str, Any] = field(default_factory=dict)  # of the recipe's settings
    languages: tuple[str, ...] = ()
    lengths: tuple[str, str] = ("15", "40")  # scores are those of sentences of up to so many words, or of all
    most_seeds: int | None = None
    watched: bool = False  # the attachment score of the dev sentences is recorded, after the start and every epoch
    split: str | None = None  # it is scored on these trees, whatever others are asked for

    def configuration(self, seed: int = 0) -> Configuration:
        recipe = {} if self.recipe is None else load_recipe(self.recipe)
        return configure({**recipe, **self.changes, "seed": seed})

    def scored_on(self, asked: str) -> str:
        """The split whose trees it is scored on; one that looks at dev trees anyway never sees those of the test."""
        return "dev" if self.watched else self.split or asked

    @property
    def sources(self) -> tuple[str, ...]:
        """What it knows of a language beside what its settings tell it, and beside the language's own text."""
        return ()

    @property
    def starts_from_hdp(self) -> bool:
        """Whether it starts from the parses of HDP-DEP, or from trees that a user puts in their place."""
        return self.configuration().learning.init[0] == "hdp-dep"

    def seeds(self, asked: int) -> range:
        return range(asked if self.most_seeds is None else min(asked, self.most_seeds))


@dataclass(frozen=True)
class Cell:
    """One training and what came out of it."""

    experiment: str
    language: str
    seed: int
    split: str = "test"  # the trees it is scored on

    @property
    def kind(self) -> str:
        """Those of one kind take their time alike."""
        return self.experiment

    def __str__(self) -> str:
        return f"{self.experiment} {self.language} {self.seed}"


@cache
def name_of_trees(path: str) -> str:
    """A file of trees by its name and its content."""
    return f"{Path(path).name} ({hashlib.sha256(Path(path).read_bytes()).hexdigest()[:12]})"
