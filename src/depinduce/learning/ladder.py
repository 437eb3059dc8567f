"""The trainings that lead to a grammar, in their order: the rungs of a ladder, each on the trees of the one before."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.util import find_spec

import numpy as np

from depinduce.corpus import Corpus
from depinduce.errors import DepinduceError, MissingPackageError
from depinduce.learning.given_trees import tell_the_optimum
from depinduce.learning.settings.configuration import Configuration, configure
from depinduce.learning.settings.learning import LearningSettings
from depinduce.learning.settings.recipes import load_recipe
from depinduce.models.table import entry

SHARED = ("non_heads", "constraint", "rules", "rules_share", "seed", "threads")  # by all ladders of a run


@dataclass(frozen=True)
class Rung:
    """One training of a ladder."""

    number: int
    model: str
    member: int
    members: int
    settings: LearningSettings
    seed: int
    ladder: str | None = None  # its name, where a run has several

    def __str__(self) -> str:
        name = self.model if self.members == 1 else f"{self.model} {self.member + 1}/{self.members}"
        return name if self.ladder in (None, self.model) else f"{self.ladder}, {name}"


def rungs(settings: LearningSettings) -> list[Rung]:
    """The trainings of one ladder, in their order."""
    ladder = []
    for number in range(len(settings.ladder) + 1):
        members = settings.members if settings.ladder and number == 0 else 1
        own = settings.of_rung(number)
        for member in range(members):
            seed = int(np.random.SeedSequence([settings.seed, number, member]).generate_state(1)[0])
            of_member = own if member == 0 else replace(own, seed=seed)
            ladder.append(Rung(number, own.model, member, members, of_member, seed))
    return ladder


def wants_torch(settings: LearningSettings) -> str | None:
    """The first model on the way to that of these settings which torch would train, if torch is not installed."""
    start = tuple(name for name in (settings.init[0], *settings.word_init[:1]) if name == "hdp-dep")
    by_torch = [name for name in (*start, *settings.ladder, settings.model) if entry(name).trained_by_torch]
    return by_torch[0] if by_torch and find_spec("torch") is None else None


@dataclass(frozen=True, eq=False)
class Ladder:
    """What leads to one grammar: its settings, and the sentences that it learns from."""

    configuration: Configuration
    text: Corpus
    below: int = 0  # rungs that come before its own, in ladders that it is the next of
    on_top: bool = False  # it starts from trees of the grammars that other ladders have led to
    watched: bool = True  # its grammars can parse the gold trees that somebody watches

    def __post_init__(self):
        if model := wants_torch(self.configuration.learning):  # now, not when its rung is reached
            raise MissingPackageError(f"Training {model}", "torch")

    def rungs(self, name: str | None) -> list[Rung]:
        """Its trainings, in their order; where trees tell the optimum, without members that look for it.

        name: that of the ladder
        """
        settings = self.configuration.learning
        own = rungs(replace(settings, members=1) if tell_the_optimum(self.text) else settings)
        return [replace(rung, number=self.below + rung.number, ladder=name) for rung in own]

    def has_trees(self, rung: Rung) -> bool:
        """Whether a rung starts from the trees of grammars that were trained before, and not where settings say."""
        return self.on_top or rung.number > self.below


def by_recipe(
    name: str, option: str, configuration: Configuration, tables: bool = True, **changes: object
) -> Configuration:
    """The settings of a recipe for a grammar on the way to that of a configuration.

    option: where the user named it; tables: it must be a table of rules; changes: settings that it must have
    """
    given = {name: getattr(configuration.learning, name) for name in SHARED}
    own = configure(load_recipe(name) | vars(configuration.reading) | given | changes)
    model = own.learning.entry
    if not (model.over_tags if tables else model.can_be_rung) or own.learning.init[0] == "universal":
        raise DepinduceError(
            f"{option} {name}: {own.learning.model} is no grammar over tags of one language. "
            "Name a recipe such as ud-sibling."
        )
    return own
