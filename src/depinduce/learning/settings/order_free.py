"""The settings of grammars around one headedness of all languages, apart from their training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from depinduce.errors import DepinduceError
from depinduce.grammar.headedness import Strengths
from depinduce.learning.settings.learning import LearningSettings
from depinduce.settings import setting


@dataclass(frozen=True)
class OrderFreeSettings(LearningSettings):
    """How a language learns its own order around the headedness of others."""

    init: tuple[str, ...] = setting(("universal",), "`universal DIR`: the grammar of many languages to start from")
    iterations: int = setting(20, "iterations of EM around a headedness")
    child_strength: float = setting(1000.0, "counts that the headedness is worth in the choice of a child", expert=True)
    decision_strength: float = setting(1000.0, "the same in the decision to stop", expert=True)
    root_strength: float = setting(300.0, "the same in the choice of the root", expert=True)
    side_smoothing: float = setting(2.5, "counts on each side of a head that every child tag has before", expert=True)
    backoff: float = setting(50.0, "counts that tie the first child of a head to all its children", expert=True)
    tied: float = setting(
        0.5, "in the first half of EM, how far the side of a child is that of all children of its head", expert=True
    )
    most_counted: int = setting(1500, "a text of more sentences counts as so many", expert=True)

    starts: ClassVar[tuple[str, ...]] = ("universal",)

    def __post_init__(self):
        super().__post_init__()
        self.require_at_least(1, "iterations", "most_counted")
        self.require_at_least(
            0, "child_strength", "decision_strength", "root_strength", "side_smoothing", "backoff"
        )  # fmt: skip
        if not 0 <= self.tied <= 1:
            raise DepinduceError(f"tied cannot be {self.tied}: it is a share, from 0 to 1.")
        if self.ladder:
            raise DepinduceError(f"--ladder: {self.model} starts from other languages, not from models below it.")

    @property
    def most_rounds(self) -> int:
        return self.iterations

    @property
    def climbs(self) -> bool:
        return False  # its prior moves with the order

    @property
    def strengths(self) -> Strengths:
        return Strengths(
            self.child_strength,
            self.decision_strength,
            self.root_strength,
            self.side_smoothing,
            self.backoff,
            self.tied,
            self.most_counted,
        )


@dataclass(frozen=True)
class PolyglotSettings(OrderFreeSettings):
    """How many languages learn one headedness together."""

    init: tuple[str, ...] = setting(
        ("recipe", "ud-sibling"), "`recipe NAME`: by which every language first learns a grammar of its own"
    )
    poolings: int = setting(6, "polyglot: how often all languages pool which tags head which, and learn their order")
    votes: float = setting(0.5, "votes of a language's own trees, beside the posteriors of the pooled grammar",
                           expert=True)  # fmt: skip
    voting: int = setting(3, "in so many poolings its own trees have these votes", expert=True)

    starts: ClassVar[tuple[str, ...]] = ("recipe", "trees", "model")
    needs_languages: ClassVar[bool] = True
    heeds_held_out: ClassVar[bool] = False

    def __post_init__(self):
        super().__post_init__()
        if self.languages == "together":
            raise DepinduceError("--languages together: polyglot learns the order of each. Choose alike or by-size.")
        self.require_at_least(1, "poolings")
        self.require_at_least(0, "votes", "voting")

    @property
    def most_rounds(self) -> int:
        return self.poolings * self.rounds_of_pooling - 1

    @property
    def rounds_of_pooling(self) -> int:
        """Rounds from one pooling to the next: iterations of EM, then the next pooling."""
        return self.iterations + 1
