"""The settings of E-DMV, apart from the training itself so that `--help` need not wait for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from depinduce.errors import DepinduceError
from depinduce.learning.settings.counts import CountSettings
from depinduce.learning.settings.states import LEAST_PRIOR
from depinduce.settings import setting

MOST_STARTS = 1000


@dataclass(frozen=True)
class InterpolatedSettings(CountSettings):
    """How E-DMV is trained: as a count DMV is, but for its priors and its random starts."""

    init: tuple[str, ...] = setting(
        ("random",), "where to start: random, harmonic, uniform, `model DIR`, `trees FILE`, or `hdp-dep RULES`"
    )
    iterations: int = setting(100, "at most so many iterations of variational inference")
    head_prior: float = setting(10.0, "pseudo-count, in every row, of the rules of its own head", expert=True)
    back_off_prior: float = setting(20.0, "the same of the rules that all heads share; 0: there are none", expert=True)
    random_starts: int = setting(
        20, "with --init random: so many starts, of which the one with the best bound goes on", expert=True
    )
    start_iterations: int = setting(40, "after so many iterations of each", expert=True)

    raises_bound: ClassVar[bool] = True

    def __post_init__(self):
        super().__post_init__()
        self.require_at_least(LEAST_PRIOR, "smoothing", "head_prior")
        self.require_at_least(0, "back_off_prior")
        self.require_at_least(1, "random_starts", most=MOST_STARTS)
        self.require_at_least(1, "start_iterations")
        if not self.child_valence:
            raise DepinduceError(f"child_valence=false: in {self.model} a child depends on the valence. Leave it away.")
