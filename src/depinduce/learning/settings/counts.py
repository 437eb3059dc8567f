"""The settings of count DMV training, apart from the training itself so that `--help` need not wait for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from depinduce.errors import DepinduceError
from depinduce.grammar.rules import Order
from depinduce.learning.settings.learning import LearningSettings
from depinduce.models.table import entry
from depinduce.settings import setting

WITHOUT_TREES = ("uniform", "random")  # starts that say nothing of first order


@dataclass(frozen=True)
class CountSettings(LearningSettings):
    """How a count DMV is trained."""

    em: str = setting("soft", "learn from all trees, weighted, or from the best tree of each sentence",
                      choices=("soft", "hard"))  # fmt: skip
    iterations: int = setting(50, "at most so many iterations of EM")
    smoothing: float = setting(0.1, "pseudo-count of every rule")
    prior_strength: float = setting(
        0.0, "second order: pseudo-counts per row around the first-order estimates of the start (try 100 to 1000)"
    )
    language_strength: float = setting(
        10.0, "several languages: pseudo-counts per row around the mean of all", expert=True
    )
    child_valence: bool = setting(True, "let the choice of a child depend on whether it is the first", expert=True)

    def __post_init__(self):
        super().__post_init__()
        self.require_choice("em", ("soft", "hard"))
        self.require_at_least(1, "iterations")
        self.require_at_least(0, "smoothing", "prior_strength", "language_strength")
        without_trees = self.init[0] in WITHOUT_TREES and not self.ladder
        if self.prior_strength > 0 and (self.order is Order.FIRST or without_trees):
            raise DepinduceError(
                "--prior-strength needs a second-order --model and a start made of trees: harmonic, model DIR or "
                "trees FILE."
            )
        if self.em == "hard" and self.rules is not None:
            raise DepinduceError("--rules are about expectations: they need --em soft.")
        if self.model == "dmv-sibling" and not self.child_valence:
            raise DepinduceError(
                "child_valence=false: in dmv-sibling the sibling itself tells the valence. Leave it away."
            )

    @property
    def most_rounds(self) -> int:
        return self.iterations

    @property
    def hard(self) -> bool:
        return self.em == "hard"

    @property
    def tells_valence(self) -> bool:
        return self.child_valence

    @classmethod
    def values_on_rung(cls, values: dict[str, Any], number: int, ladder: LearningSettings) -> dict[str, Any]:
        own, order = dict(values), entry(values["model"]).order
        if order is Order.FIRST or values["init"][0] in WITHOUT_TREES:
            own["prior_strength"] = 0.0
        if order is Order.SIBLING:
            own["child_valence"] = True
        return own

    def needs_trees(self) -> bool:
        return super().needs_trees() or (self.init[0] == "harmonic" and self.order is not Order.FIRST)
