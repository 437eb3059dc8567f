"""The settings of the feature DMV, apart from the training itself so that `--help` need not wait for it."""

from __future__ import annotations

from dataclasses import dataclass

from depinduce.errors import DepinduceError
from depinduce.grammar.log_linear import TEMPLATES
from depinduce.learning.settings.learning import LearningSettings
from depinduce.settings import setting

OPTIMISERS = ("direct", "em")


@dataclass(frozen=True)
class FeatureSettings(LearningSettings):
    """How a feature DMV is trained."""

    optimiser: str = setting(
        "direct",
        "feature-dmv: direct: steps of L-BFGS on the likelihood itself; em: on the expected counts of each iteration",
        choices=OPTIMISERS, expert=True)  # fmt: skip
    iterations: int = setting(200, "at most so many steps of L-BFGS on the likelihood, or iterations of EM")
    m_steps: int = setting(100, "em: at most so many steps of L-BFGS on the counts of an iteration", expert=True)
    templates: tuple[str, ...] = setting(
        ("noun", "verb", "noun-verb", "back-off"),
        "feature-dmv: features beside those of single rules: " + " ".join(TEMPLATES),
        expert=True,
    )
    penalty: float = setting(0.01, "feature-dmv: weight of the sum of squared weights", expert=True)
    child_valence: bool = setting(True, "let features of a child see whether it is the first", expert=True)

    def __post_init__(self):
        super().__post_init__()
        self.require_choice("optimiser", OPTIMISERS)
        self.require_at_least(1, "iterations", "m_steps")
        self.require_at_least(0, "penalty")
        unknown = [name for name in self.templates if name not in TEMPLATES]
        if unknown:
            raise DepinduceError(f"templates cannot have {unknown[0]!r}. Choose from: {' '.join(TEMPLATES)}.")
        if self.rules is not None and self.optimiser == "direct":
            raise DepinduceError("--rules are about expectations: they need --set optimiser=em.")

    @property
    def most_rounds(self) -> int:
        return self.iterations

    @property
    def tells_valence(self) -> bool:
        return self.child_valence
