"""The settings of HDP-DEP, apart from the training itself so that `--help` need not wait for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from depinduce.errors import DepinduceError
from depinduce.learning.settings.learning import LearningSettings
from depinduce.settings import setting

MOST_SUBSYMBOLS = 100  # of a symbol; a chart takes their square of time, a table their square of memory
LEAST_PRIOR = 1e-6  # below it, numbers that are rounded decide


@dataclass(frozen=True)
class HdpSettings(LearningSettings):
    """How HDP-DEP is trained."""

    iterations: int = setting(60, "at most so many iterations of variational inference")
    subsymbols: int = setting(3, "hidden refinements of every symbol, at most; 1 is the model without any")
    symbols: str = setting(
        "tags", "what is refined: every tag, or the categories of --rules, which then emit tags",
        choices=("tags", "categories"), expert=True)  # fmt: skip
    emit: str = setting(
        "tags", "what a subsymbol emits: the tag of a word, or the word", choices=("tags", "words"), expert=True
    )
    top_concentration: float = setting(1.0, "of the stick-breaking prior of a symbol's subsymbols", expert=True)
    concentration: float = setting(10.0, "how near the subsymbols in one context are to those in general", expert=True)
    child_prior: float = setting(1.0, "pseudo-count of every child symbol", expert=True)
    decision_prior: float = setting(1.0, "pseudo-count of stopping and of going on", expert=True)
    emission_prior: float = setting(0.1, "pseudo-count of everything a subsymbol may emit", expert=True)

    raises_bound: ClassVar[bool] = True

    def __post_init__(self):
        super().__post_init__()
        self.require_choice("symbols", ("tags", "categories"))
        self.require_choice("emit", ("tags", "words"))
        self.require_at_least(1, "iterations", "top_concentration")  # below 1 there is no best β
        self.require_at_least(1, "subsymbols", most=MOST_SUBSYMBOLS)
        self.require_at_least(LEAST_PRIOR, "concentration", "child_prior", "decision_prior", "emission_prior")
        if self.symbols == "categories" and self.rules is None:
            raise DepinduceError("symbols=categories: the categories are those of --rules. Name a rule set.")

    @property
    def most_rounds(self) -> int:
        return self.iterations
