"""A language that learns its own order around the headedness of others (`grammar.headedness` has the formulas)."""

from __future__ import annotations

from typing import Any

import numpy as np

from depinduce.corpus import Corpus
from depinduce.grammar.headedness import FirstOrder, Headedness, OrderFree
from depinduce.learning.given_trees import share_of_trees
from depinduce.learning.learners.learner import Arrays, Learner, Start, View, under, with_prefix
from depinduce.learning.learners.one_table import TableLearner
from depinduce.learning.settings.configuration import Configuration
from depinduce.learning.settings.order_free import OrderFreeSettings
from depinduce.models.loading import load_universal
from depinduce.models.model import Model


class OrderFreeLearner(TableLearner):
    """The grammar of one language, or those of several in one table."""

    settings: OrderFreeSettings

    def __init__(self, settings: OrderFreeSettings, train: Corpus, headedness: Headedness):
        """headedness: [language, …] in the tags of the corpus"""
        super().__init__(settings)
        self.tags = train.tag_vocabulary
        self.trees = share_of_trees(train)  # [language]
        self.set_prior(headedness)
        self.done = 0  # rounds
        self.table = self.best = self.prior.start().table

    @classmethod
    def of_universal(cls, settings: OrderFreeSettings, train: Corpus, universal: Model) -> OrderFreeLearner:
        """The learner of a new language, around the headedness of those that a universal grammar knows."""
        assert universal.headedness is not None, "see load_universal"
        among = universal.headedness.among(universal.tags, train.tag_vocabulary)
        return cls(settings, train, Headedness(*(part[None] for part in among.parts)))

    def set_prior(self, headedness: Headedness) -> None:
        self.prior = OrderFree(headedness, self.settings.strengths, self.trees)

    # ---------------------------------------------------------------- from counts to parameters

    def begin(self, start: Start, train: Corpus) -> None:
        self.table = self.prior.start().table

    def learn(self, view: View | None, counts: Any, sentences: int, steps: int | None = None) -> None:
        at_first = 2 * self.iteration < self.settings.iterations
        self.table = self.prior.estimate(FirstOrder.of(counts), at_first).table
        self.done += 1

    @property
    def iteration(self) -> int:
        """That of EM which comes next, from 0."""
        return self.done

    # ---------------------------------------------------------------- what is kept

    def state(self) -> Arrays:
        headedness = with_prefix("headedness.", self.prior.headedness.named)
        return super().state() | headedness | {"done": np.array([self.done])}

    def restore(self, state: Arrays) -> None:
        super().restore(state)
        self.set_prior(Headedness(**under("headedness.", state)))
        self.done = int(state["done"][0])


def make_learners(
    settings: OrderFreeSettings,
    configuration: Configuration,
    train: Corpus,
    seed: int,
    vectors: np.ndarray | None = None,
) -> list[Learner]:
    """The learners of a new language: one."""
    return [OrderFreeLearner.of_universal(settings, train, load_universal(*settings.init[1:]))]
