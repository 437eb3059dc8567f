"""A language that learns its own order around the headedness of others (`grammar.headedness` has the formulas)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from depinduce.chart.engine import Expectations
from depinduce.corpus import Corpus
from depinduce.grammar.headedness import FirstOrder, Headedness, OrderFree
from depinduce.grammar.rules import Order, RuleCounts, RuleTable
from depinduce.grammar.trees import tree_counts
from depinduce.learning.learners.learner import Arrays, Learner, Start, View, under, with_prefix
from depinduce.learning.minibatches import Data, Minibatches
from depinduce.learning.settings.configuration import Configuration
from depinduce.learning.settings.order_free import OrderFreeSettings
from depinduce.models.loading import load_universal
from depinduce.models.model import Model
from depinduce.models.tag_model import GrammarModel


class OrderFreeLearner(Learner):
    """The grammar of one language, or those of several in one table."""

    settings: OrderFreeSettings

    def __init__(self, settings: OrderFreeSettings, train: Corpus, headedness: Headedness):
        """headedness: [language, …] in the tags of the corpus"""
        super().__init__(settings)
        self.tags = train.tag_vocabulary
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
        self.prior = OrderFree(headedness, self.settings.strengths)

    # ---------------------------------------------------------------- from sentences to counts

    def sentences(self, corpus: Corpus, stage: str) -> Minibatches:
        return Minibatches(Order.FIRST, corpus, self.settings.non_heads_in(stage))

    def view(self, data: Data, training: bool = False) -> View:
        return View(data.problem(self.table), data)

    def counts(self, expected: Expectations) -> Any:
        return expected.counts

    def counts_of_trees(self, data: Data, heads: np.ndarray) -> RuleCounts:
        return tree_counts(self.table, data.batch, heads)

    # ---------------------------------------------------------------- from counts to parameters

    def begin(self, start: Start, train: Corpus) -> None:
        self.table = self.prior.start().table

    def learn(self, view: View, counts: Any, sentences: int, steps: int | None = None) -> None:
        at_first = 2 * self.iteration < self.settings.iterations
        self.table = self.prior.estimate(FirstOrder.of(counts), at_first).table
        self.done += 1

    @property
    def iteration(self) -> int:
        """That of EM which comes next, from 0."""
        return self.done

    # ---------------------------------------------------------------- what is kept

    def keep(self) -> None:
        self.best = self.table

    def model(self, about: Mapping[str, Any], best: bool = True) -> Any:
        return GrammarModel(Order.FIRST, self.tags, self.best if best else self.table, **about)

    def state(self) -> Arrays:
        parts = {"table.": self.table, "best.": self.best, "headedness.": self.prior.headedness}
        named = [with_prefix(prefix, part.named) for prefix, part in parts.items()]
        return {name: array for part in named for name, array in part.items()} | {"done": np.array([self.done])}

    def restore(self, state: Arrays) -> None:
        self.table, self.best = RuleTable(**under("table.", state)), RuleTable(**under("best.", state))
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
