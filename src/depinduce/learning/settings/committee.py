"""The settings of a committee, apart from its training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from depinduce.learning.settings.order_free import OrderFreeSettings
from depinduce.settings import setting


@dataclass(frozen=True)
class CommitteeSettings(OrderFreeSettings):
    """How a new language joins what others tell it with what its own text says."""

    own_recipe: str = setting(
        "ud-sibling", "committee: by which the language learns a grammar of its own", metavar="NAME", expert=True
    )
    student_recipe: str = setting(
        "ud-student", "committee: by which a grammar learns from the trees of the others", metavar="NAME", expert=True
    )
    fewest_sentences: int = setting(
        1000, "committee: with fewer sentences only the order-free grammar is learned, in seconds", expert=True
    )
    least_agreement: float = setting(
        0.9, "committee: the own grammar joins if it agrees with the order-free one in so many of the words, or has "
        "learned from trees",
        expert=True)  # fmt: skip

    heeds_held_out: ClassVar[bool] = False
    round_name: ClassVar[str] = "round"

    def __post_init__(self):
        super().__post_init__()
        self.require_at_least(0, "fewest_sentences")
        self.require_at_least(0, "least_agreement", most=1)
