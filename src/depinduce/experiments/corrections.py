"""The experiments on learning from some trees: how many trees help how much, with text and without.

A grammar is trained on the text of a language and on the trees of some of its sentences; beside it stand the same
trees without any other text, and the same text without trees. The trees are drawn three times, and each draw is
trained from three seeds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from depinduce.experiments.experiment import Experiment
from depinduce.experiments.polyglot import MORE
from depinduce.experiments.ud import DEVELOPMENT
from depinduce.learning.settings.configuration import Configuration

LANGUAGES = (*DEVELOPMENT, *MORE)  # the only ones whose trees may be looked at
POOL = 300  # dev sentences of those languages whose training files have no trees: these teach, the others are scored
LONGEST = 40  # words of a sentence that is drawn
DRAWS = TRAINING_SEEDS = 3
RUNS = DRAWS * TRAINING_SEEDS
TREES = (10, 30, 100, 300)
OWN_RECIPE = "ud-sibling"
RECIPES = (OWN_RECIPE, "adapt")  # of which the second trains a grammar by the first, too


@dataclass(frozen=True)
class CorrectionExperiment(Experiment):
    """Trainings by one recipe, beside some trees. Its seeds count draws of trees, and seeds of each."""

    trees: int = 0
    with_text: bool = True

    def configuration(self, seed: int = 0) -> Configuration:
        return super().configuration(self.training_seed(seed))

    def training_seed(self, seed: int) -> int:
        return seed // DRAWS if self.trees else seed

    def draw(self, seed: int) -> int:
        """The number of the draw that a cell of this seed learns from."""
        return seed % DRAWS

    @property
    def sources(self) -> tuple[str, ...]:
        if not self.trees:
            return ()
        return (f"{self.trees} gold trees" if self.with_text else f"{self.trees} gold trees and no other text",)


def name_of(recipe: str, trees: int, with_text: bool = True) -> str:
    return f"{recipe}-{trees}" if with_text else f"{recipe}-{trees}-alone"


def _experiment(recipe: str, trees: int, with_text: bool = True) -> CorrectionExperiment:
    about = f"{recipe} with {trees} trees" if with_text else f"the same {trees} trees without other text"
    how: dict[str, Any] = {"languages": LANGUAGES, "split": "dev", "most_seeds": RUNS if trees else TRAINING_SEEDS}
    return CorrectionExperiment(recipe, about, trees=trees, with_text=with_text, **how)


CORRECTIONS: dict[str, Experiment] = {
    name_of(recipe, trees, with_text): _experiment(recipe, trees, with_text)
    for recipe in RECIPES
    for trees in (0, *TREES)
    for with_text in ((True, False) if trees else (True,))
}
