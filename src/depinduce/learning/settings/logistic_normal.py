"""The settings of DMVs with logistic-normal priors, apart from the training itself so that `--help` need not wait."""

from __future__ import annotations

from dataclasses import dataclass

from depinduce.corpus.tag_classes import TAG_CLASSES
from depinduce.errors import DepinduceError
from depinduce.learning.settings.learning import LearningSettings
from depinduce.settings import setting

EXPERTS = ("own", "shared")
LEAST_VARIANCE = 1e-12  # of what is as good as certain


@dataclass(frozen=True)
class LogisticNormalSettings(LearningSettings):
    """How a DMV with logistic-normal priors is trained."""

    iterations: int = setting(30, "at most so many iterations of variational EM")
    experts: str = setting(
        "own",
        "ln-dmv: every distribution has an expert of its own, or those of heads of a group share one beside it",
        choices=EXPERTS, expert=True)  # fmt: skip
    groups: tuple[str, ...] = setting(
        ("noun", "verb"), "experts=shared: classes of tags that share: " + " ".join(TAG_CLASSES), expert=True
    )
    variance: float = setting(0.1, "ln-dmv: of a score in the grammars of two sentences, at the start", expert=True)
    family_correlation: float = setting(
        0.5, "ln-dmv: of the scores of two child tags of one family, such as nouns, at the start", expert=True
    )
    belief_steps: int = setting(4, "ln-dmv: steps on the beliefs about every sentence's grammar", expert=True)
    child_valence: bool = setting(True, "let the choice of a child depend on whether it is the first", expert=True)

    def __post_init__(self):
        super().__post_init__()
        self.require_choice("experts", EXPERTS)
        self.require_at_least(1, "iterations", "belief_steps")
        self.require_at_least(LEAST_VARIANCE, "variance")
        if not 0 <= self.family_correlation < 1:
            raise DepinduceError(f"family_correlation cannot be {self.family_correlation}: from 0, less than 1.")
        unknown = [name for name in self.groups if name not in TAG_CLASSES]
        if unknown:
            raise DepinduceError(f"groups cannot have {unknown[0]!r}. Choose from: {' '.join(TAG_CLASSES)}.")

    @property
    def most_rounds(self) -> int:
        return self.iterations

    @property
    def undivided(self) -> str | None:
        return f"--model {self.model}"  # every sentence has rules of its own

    @property
    def tells_valence(self) -> bool:
        return self.child_valence
