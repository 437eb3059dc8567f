"""The settings of count DMV training, apart from the training itself so that `--help` need not wait for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from depinduce.errors import DepinduceError
from depinduce.grammar.rules import Order
from depinduce.learning.settings.learning import LearningSettings
from depinduce.models.table import entry
from depinduce.settings import setting

INSTANCES = ("arcs", "children")  # of a pair of tags, see `learning.posterior_sparsity`
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
    sparsity: float = setting(
        0.0,
        "posterior regularisation towards few pairs of head and child tags: what a pair costs that is probable anywhere"
        " in a thousand sentences, and twice that in two thousand; soft EM only (try 20)",
        expert=True,
    )
    sparsity_of: str = setting(
        "arcs",
        "with sparsity: a pair is as probable as its most probable arc (PR-S), or as the most probable one of its "
        "children, whichever head of that tag they have (PR-AS)",
        choices=INSTANCES,
        expert=True,
    )
    child_valence: bool = setting(True, "let the choice of a child depend on whether it is the first", expert=True)
    unambiguity: float = setting(
        0.0,
        "what it costs at first if many trees of a sentence are probable: 0 is nothing, 1 leaves the best tree alone",
    )
    unambiguity_iterations: int = setting(
        100, "with --unambiguity: in so many iterations that cost falls to 0; 0: it stays", expert=True
    )

    def __post_init__(self):
        super().__post_init__()
        self.require_choice("em", ("soft", "hard"))
        self.require_at_least(1, "iterations")
        self.require_at_least(
            0, "smoothing", "prior_strength", "language_strength", "unambiguity_iterations", "sparsity"
        )
        self.require_choice("sparsity_of", INSTANCES)
        self._check_unambiguity()
        without_trees = self.init[0] in WITHOUT_TREES and not self.ladder
        if self.prior_strength > 0 and (self.order is Order.FIRST or without_trees):
            raise DepinduceError(
                "--prior-strength needs a second-order --model and a start made of trees: harmonic, model DIR or "
                "trees FILE."
            )
        if self.em == "hard" and self.rules is not None:
            raise DepinduceError("--rules are about expectations: they need --em soft.")
        if self.sparsity and (self.em == "hard" or self.rules is not None or self.unambiguity):
            raise DepinduceError(
                "sparsity is about expectations, as --rules are: it needs --em soft, no rules and no --unambiguity."
            )
        if self.model == "dmv-sibling" and not self.child_valence:
            raise DepinduceError(
                "child_valence=false: in dmv-sibling the sibling itself tells the valence. Leave it away."
            )

    def _check_unambiguity(self) -> None:
        if not 0 <= self.unambiguity <= 1:
            raise DepinduceError(f"unambiguity cannot be {self.unambiguity}: it is a weight, from 0 to 1.")
        if self.unambiguity and self.em == "hard":
            raise DepinduceError("--em hard leaves one tree to a sentence: it cannot have --unambiguity.")
        if self.unambiguity == 1 and self.rules is not None:
            raise DepinduceError("--rules are about expectations: they need an --unambiguity below 1.")
        if self.unambiguity and self.unambiguity_iterations >= self.iterations:
            raise DepinduceError(
                f"--unambiguity falls for {self.unambiguity_iterations} iterations, and some must follow: "
                "raise --iterations, or lower unambiguity_iterations."
            )

    @property
    def most_rounds(self) -> int:
        return self.iterations

    def unambiguity_in(self, round: int) -> float:
        if not self.unambiguity_iterations:
            return self.unambiguity
        return self.unambiguity * max(0.0, 1.0 - (round - 1) / self.unambiguity_iterations)

    @property
    def falling_rounds(self) -> int:
        return self.unambiguity_iterations if self.unambiguity else 0

    @property
    def hard(self) -> bool:
        return self.em == "hard"

    @property
    def undivided(self) -> str | None:
        return "sparsity" if self.sparsity else None  # it has a variable for every arc

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
