"""The settings of a grammar whose rules see the whole sentence."""

from __future__ import annotations

from dataclasses import dataclass, replace

from depinduce.errors import DepinduceError
from depinduce.learning.settings.learning import LearningSettings
from depinduce.learning.settings.networks import NeuralSettings
from depinduce.settings import setting


@dataclass(frozen=True)
class SentenceSettings(NeuralSettings):
    """How a D-NDMV is trained: as other neural models are, and what its hidden vectors cost."""

    divergence_weight: float = setting(
        1.0, "d-ndmv, variational: how much the divergence of a vector counts beside the likelihood; 1 is the bound",
        expert=True)  # fmt: skip

    ladder_learning_rate: float = setting(
        0.001, "d-ndmv: that of the models of its ladder, whose networks are larger", expert=True
    )

    def __post_init__(self):
        super().__post_init__()
        if not 0 < self.ladder_learning_rate < 1:
            raise DepinduceError(
                f"ladder_learning_rate cannot be {self.ladder_learning_rate}: more than 0, less than 1."
            )
        if not 0 <= self.divergence_weight <= 1:
            raise DepinduceError(f"divergence_weight cannot be {self.divergence_weight}: from 0 to 1.")

    def of_rung(self, number: int) -> LearningSettings:
        own = super().of_rung(number)
        below = number < len(self.ladder) and isinstance(own, NeuralSettings)
        return replace(own, learning_rate=self.ladder_learning_rate) if below else own
