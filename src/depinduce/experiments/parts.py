"""Grammars that several cells need: every language's own, the universal ones of some languages, and networks of all.

Each is a model in `shared`, in a folder whose name tells how it was made: by which settings, from which texts, by which
state of the code, out of which other grammars. Made in another way it has another name.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from depinduce.experiments.cells import SHARED, trained
from depinduce.experiments.experiment import Cell
from depinduce.experiments.polyglot import OF_WORLD, PolyglotExperiment
from depinduce.experiments.suites import EXPERIMENTS
from depinduce.experiments.worlds import World
from depinduce.learning.lesson import Lesson
from depinduce.learning.settings.configuration import as_saved, configure
from depinduce.models.loading import load_grammar
from depinduce.models.model import Model
from depinduce.models.places import DESCRIPTION

SECONDS = "seconds"  # how long it took to make, in the history of a model
OWN, UNIVERSAL, VECTORS, TOGETHER = "own", "universal", "vectors", "together"
_WITH_ITS_SETTINGS = {OWN: "own", UNIVERSAL: "order-free", VECTORS: "vectors", TOGETHER: "together"}  # experiments


@dataclass(frozen=True)
class Part:
    """A grammar that several cells need."""

    world: str
    grammar: str  # own, universal, vectors or together
    languages: tuple[str, ...]  # it learns from their texts
    seed: int

    @property
    def experiment(self) -> str:
        """One with its settings."""
        return OF_WORLD[self.world] + _WITH_ITS_SETTINGS[self.grammar]

    @property
    def kind(self) -> str:
        """Those of one kind take their time alike."""
        return f"{OF_WORLD[self.world]}{self.grammar} grammar"

    @property
    def needs(self) -> tuple[Part, ...]:
        """The grammars that it is made of."""
        if self.grammar == OWN:
            return ()
        if self.grammar in (VECTORS, TOGETHER):
            return (replace(self, grammar=UNIVERSAL),)
        return tuple(Part(self.world, OWN, (language,), self.seed) for language in self.languages)

    def __str__(self) -> str:
        whose = self.languages[0] if self.grammar == OWN else f"of {len(self.languages)}"
        return f"{self.kind} {whose} {self.seed}"


def experiment_of(cell: Cell) -> PolyglotExperiment:
    experiment = EXPERIMENTS[cell.experiment]
    assert isinstance(experiment, PolyglotExperiment), cell
    return experiment


def parts_of(cell: Cell, worlds: Mapping[str, World]) -> tuple[Part, ...]:
    """The grammars that a cell needs, each of another kind."""
    experiment = experiment_of(cell)
    world = worlds[experiment.world]
    own = Part(world.name, OWN, (cell.language,), cell.seed)
    if experiment.grammar == "counted":
        return ()
    if experiment.grammar == OWN:
        return (own,)
    pool = world.without(cell.language) if experiment.left_out else world.languages
    if experiment.grammar in (VECTORS, TOGETHER):
        return (Part(world.name, experiment.grammar, pool, cell.seed),)
    universal = Part(world.name, UNIVERSAL, pool, cell.seed)
    joined = experiment.grammar == "adapt" and experiment.sentences is None
    return (universal, own) if joined else (universal,)


class Shelf:
    """Where the grammars are that cells share."""

    def __init__(self, worlds: Mapping[str, World], out: Path, code: str):
        self.worlds, self.out, self.code = worlds, out, code
        self._places: dict[Part, Path] = {}

    def place(self, part: Part) -> Path:
        if part not in self._places:
            about = {
                "settings": as_saved(settings_of(part)),
                "texts": self.worlds[part.world].digest(part.languages),
                "needs": [self.place(need).name for need in part.needs],
                "code": self.code,
            }
            digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:16]
            self._places[part] = self.out / SHARED / f"{str(part).replace(' ', '-')}-{digest}"
        return self._places[part]

    def has(self, part: Part) -> bool:
        return is_made(self.place(part))

    def missing(self, parts: Iterable[Part]) -> list[Part]:
        """Those of these grammars that are to be made, each after those that it needs itself, and none twice."""
        missing: dict[Part, None] = {}
        for part in parts:
            if part not in missing and not self.has(part):
                missing |= dict.fromkeys((*self.missing(part.needs), part))
        return list(missing)


def is_made(place: Path) -> bool:
    return (place / DESCRIPTION).is_file()


def settings_of(part: Part) -> dict[str, Any]:
    return EXPERIMENTS[part.experiment].configuration(part.seed).values()


# ---------------------------------------------------------------- making one, in a process of its own


@dataclass(frozen=True)
class PartTask:
    """Everything that a process of its own needs to know to make a grammar."""

    part: Part
    settings: dict[str, Any]
    texts: dict[str, list[str]]  # files by language
    needs: dict[str, Path]  # the languages' own grammars, or the universal one
    place: Path

    def __str__(self) -> str:
        return str(self.part)

    def run(self) -> dict[str, Any]:
        if is_made(self.place):  # by another command, in the meantime
            return {}
        began = time.perf_counter()
        make = {OWN: self._own, UNIVERSAL: self._universal}
        model = make.get(self.part.grammar, self._network)()
        seconds = round(time.perf_counter() - began, 2)
        replace(model, history=model.history | {SECONDS: seconds}).save(self.place)  # pyright: ignore
        return {}

    def _own(self) -> Model:
        (files,) = self.texts.values()
        return trained(Lesson.of(configure(self.settings), files, quiet=True).run())

    def _universal(self) -> Model:
        """That of `--recipe universal`, from own grammars that are there already."""
        run = Lesson.of(configure(self.settings), self.texts, quiet=True).run()
        for language, place in self.needs.items():
            run.take_over(language, load_grammar(place))
        return trained(run)

    def _network(self) -> Model:
        """A network of all languages, from the trees of the universal grammar."""
        settings = self.settings | {"init": ("model", str(self.needs[UNIVERSAL]))}
        return trained(Lesson.of(configure(settings), self.texts, quiet=True).run())
