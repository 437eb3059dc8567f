"""Experiments on Universal Dependencies: which trainings they consist of, and where each result is kept."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from depinduce.errors import DepinduceError
from depinduce.experiments.recipes import load_recipe
from depinduce.learning.configuration import Configuration, as_saved, changes, configure

LANGUAGES = {
    "eu": "Basque",
    "nl": "Dutch",
    "fr": "French",
    "de": "German",
    "it": "Italian",
    "pl": "Polish",
    "pt": "Portuguese",
    "es": "Spanish",
}  # in the order of the paper's tables
DEVELOPMENT = ("fr", "pl", "eu")  # the languages whose dev trees may be looked at while developing
SPLITS = ("test", "dev")
DECODERS = ("viterbi", "mbr")
LENGTHS = ("15", "40")  # scores are those of sentences of up to so many words
CELL_FORMAT, CELL_FORMAT_VERSION = "depinduce cell", 1
CURVE_EPOCHS, CURVE_SEEDS = 40, 3


@dataclass(frozen=True)
class Experiment:
    """Trainings by one recipe, that differ in language and seed only."""

    recipe: str
    about: str
    changes: Mapping[str, Any] = field(default_factory=dict)  # of the recipe's settings
    languages: tuple[str, ...] = tuple(LANGUAGES)
    most_seeds: int | None = None
    watched: bool = False  # the attachment score of the dev sentences is recorded after every epoch

    def configuration(self, seed: int = 0) -> Configuration:
        return configure({**load_recipe(self.recipe), **self.changes, "seed": seed})

    def seeds(self, asked: int) -> range:
        return range(asked if self.most_seeds is None else min(asked, self.most_seeds))


def _curve(recipe: str, about: str) -> Experiment:
    """A training that does not stop early, watched."""
    changes = {"epochs": CURVE_EPOCHS, "patience": CURVE_EPOCHS}
    return Experiment(recipe, about, changes, languages=("fr",), most_seeds=CURVE_SEEDS, watched=True)


FREE = {"non_heads": ()}  # function words may head anything
UD = {
    "ndmv": Experiment("ud-ndmv", "NDMV by our recipe"),
    "sibling": Experiment("ud-sibling", "sibling-NDMV by our recipe"),
    "grand": Experiment("ud-grand", "grand-NDMV by our recipe"),
    "paper-ndmv": Experiment("paper-ud-ndmv", "NDMV by the paper's recipe as published"),
    "paper-sibling": Experiment("paper-ud-sibling", "sibling-NDMV by the paper's recipe"),
    "paper-grand": Experiment("paper-ud-grand", "grand-NDMV by the paper's recipe"),
    "paper-sibling-no-skip": Experiment("paper-ud-sibling-no-skip", "paper-sibling without skip connections"),
    "paper-sibling-em": Experiment("paper-ud-sibling-em", "paper-sibling by EM instead of DMO"),
    "sibling-free": Experiment("ud-sibling", "sibling without the function-word constraint", FREE),
    "paper-sibling-free": Experiment("paper-ud-sibling", "paper-sibling without that constraint", FREE),
    "curve-dmo": _curve("paper-ud-sibling", "paper-sibling on French, every epoch scored (figures)"),
    "curve-em": _curve("paper-ud-sibling-em", "paper-sibling-em on French, every epoch scored (figures)"),
}
SEPARATE, TWO = {"agreement": False}, ("fr", "pl")
JOINT = {
    "joint": Experiment("ud-joint-sibling", "sibling-NDMV and L-NDMV, trained to agree"),
    "separate": Experiment("ud-joint-sibling", "the same two, each trained for itself", SEPARATE),
    "joint-grand": Experiment("ud-joint-grand", "grand-NDMV and L-NDMV, trained to agree", languages=TWO),
    "separate-grand": Experiment("ud-joint-grand", "the same two, each for itself", SEPARATE, languages=TWO),
    "joint-em": Experiment("ud-joint-sibling", "joint by product EM instead of DMO", {"method": "em"}, languages=TWO),
    "joint-no-skip": Experiment(
        "ud-joint-sibling", "joint without skip connections", {"skip_connections": False}, languages=TWO
    ),
}
SUITES = {"ud": UD, "joint": JOINT}  # what `depinduce reproduce` can be asked for
EXPERIMENTS = UD | JOINT


@dataclass(frozen=True)
class Cell:
    """One training and what came out of it."""

    experiment: str
    language: str
    seed: int
    split: str = "test"  # the trees it is scored on

    def path(self, out: Path) -> Path:
        """Where its result is kept."""
        folder = "cells" if self.split == "test" else f"{self.split}-cells"
        return out / folder / self.experiment / f"{self.language}-{self.seed}.json"

    def __str__(self) -> str:
        return f"{self.experiment} {self.language} {self.seed}"


def plan(names: Iterable[str], languages: Iterable[str], seeds: int, split: str = "test") -> list[Cell]:
    """The cells of some experiments, one seed of everything before the next.

    A watched experiment looks at dev trees anyway, and never at those of the test.
    """
    names, languages = list(names), list(languages)
    return [
        Cell(name, language, seed, "dev" if EXPERIMENTS[name].watched else split)
        for seed in range(seeds)
        for name in names
        for language in languages
        if language in EXPERIMENTS[name].languages and seed in EXPERIMENTS[name].seeds(seeds)
    ]


def read_cell(cell: Cell, out: Path) -> dict[str, Any] | None:
    """The result of a cell, None if it is not there; one made with other settings is refused."""
    path = cell.path(out)
    if not path.exists():
        return None
    remedy = "Choose another --out, or delete it to run it again."
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
        version = (result["format"], result["format_version"])
        settings = as_saved(configure(result["settings"]).values())
    except (ValueError, TypeError, KeyError, DepinduceError) as error:
        raise DepinduceError(f"{path}: not a result that this version can read ({error}). {remedy}") from error
    if version != (CELL_FORMAT, CELL_FORMAT_VERSION):
        raise DepinduceError(f"{path}: written in another format, {version[0]} {version[1]}. {remedy}")
    now = as_saved(EXPERIMENTS[cell.experiment].configuration(cell.seed).values())
    changed = [name for name in {**now, **settings} if now.get(name) != settings.get(name)]
    if changed:
        raise DepinduceError(f"{path}: made with other settings: {changes(changed, settings, now)}. {remedy}")
    return result


def require_data(data: Path, languages: Iterable[str], split: str) -> None:
    """Refuse a data directory that lacks a file."""
    files = [data / language / f"{name}.conllu" for language in languages for name in ("train", "dev", split)]
    missing = [path for path in files if not path.is_file()]
    if missing:
        raise DepinduceError(
            f"{missing[0]}: no such file. --data names a directory with LANG/train.conllu, LANG/dev.conllu and "
            "LANG/test.conllu for every language; --languages chooses among them."
        )


def require_development(languages: Iterable[str]) -> None:
    """Refuse to score dev trees of the languages that nobody looks at while developing."""
    kept_aside = [language for language in languages if language not in DEVELOPMENT]
    if kept_aside:
        raise DepinduceError(
            f"--split dev: the dev trees of {' '.join(kept_aside)} are kept aside. The protocol: while developing a "
            f'recipe, "look at dev UAS of fr, pl and eu only". Add --languages {" ".join(DEVELOPMENT)}.'
        )
