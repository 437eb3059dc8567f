"""The settings of the CRF autoencoder, apart from the training itself so that `--help` need not wait for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from depinduce.errors import DepinduceError
from depinduce.learning.settings.learning import LearningSettings
from depinduce.settings import setting


@dataclass(frozen=True)
class CrfSettings(LearningSettings):
    """How a CRF autoencoder is trained."""

    iterations: int = setting(10, "at most so many iterations, each of the encoder and then of the decoder")
    encoder_passes: int = setting(10, "passes of the encoder over all sentences in an iteration", expert=True)
    decoder_passes: int = setting(10, "times that the decoder counts the best trees in an iteration", expert=True)
    start_passes: int = setting(
        5, "passes of the encoder over the start; 0: only the decoder learns from it", expert=True
    )
    step_sentences: int = setting(200, "sentences that a step of the encoder learns from", expert=True)
    learning_rate: float = setting(0.1, "of AdaGrad")
    sparse_weights: float = setting(
        2.5, "what a feature costs for every 200 sentences, by its absolute weight (L1)", expert=True
    )
    smoothing: float = setting(0.1, "pseudo-count of every child of the decoder")
    rules_weight: float = setting(
        10.0, "with --rules: how much it is worth, in a tree of one word, that a dependency matches", expert=True
    )

    starts: ClassVar[tuple[str, ...]] = ("harmonic", "random", "model", "trees", "hdp-dep")

    def __post_init__(self):
        super().__post_init__()
        self.require_at_least(1, "iterations", "encoder_passes", "decoder_passes", "step_sentences")
        self.require_at_least(0, "start_passes", "sparse_weights", "rules_weight")
        if not 0 < self.smoothing < float("inf"):
            raise DepinduceError(f"--smoothing cannot be {self.smoothing}: it must be more than 0.")
        if not 0 < self.learning_rate < 1:
            raise DepinduceError(f"--learning-rate cannot be {self.learning_rate}: more than 0, less than 1.")
        if self.rules_share is not None:
            raise DepinduceError("rules_share: crfae has no share of rules, but a weight. Use --set rules_weight=X.")

    @classmethod
    def values_on_rung(cls, values: dict[str, Any], number: int, ladder: LearningSettings) -> dict[str, Any]:
        """Below another model it has its own rate, iterations and pseudo-counts: those of others mean other things."""
        if isinstance(ladder, cls):
            return values
        others = ("learning_rate", "iterations", "smoothing", "rules_share")
        return {name: value for name, value in values.items() if name not in others}

    @property
    def most_rounds(self) -> int:
        return self.iterations

    @property
    def hard(self) -> bool:
        return True

    @property
    def undivided(self) -> str | None:
        return f"--model {self.model}"  # its steps are on sentences in a random order
