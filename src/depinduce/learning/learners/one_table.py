"""What learners have in common whose parameters are the rule table itself, estimated anew from all counts at once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from depinduce.chart.engine import Expectations
from depinduce.corpus import Corpus, Vocabulary
from depinduce.grammar.multinomials import Multinomials, random_counts, uniform_counts
from depinduce.grammar.rules import Order, RuleCounts, RuleTable
from depinduce.grammar.trees import tree_counts
from depinduce.learning.harmonic import harmonic_table
from depinduce.learning.learners.learner import Arrays, Learner, Start, View, under, with_prefix
from depinduce.learning.minibatches import Data, Minibatches
from depinduce.learning.pieces import Pieces
from depinduce.models.model import Model
from depinduce.models.tag_model import GrammarModel

START_SMOOTHING = 0.1  # pseudo-count of every rule in the counts of trees


class TableLearner(Learner):
    """A rule table, and the best one so far."""

    tags: Vocabulary
    table: RuleTable
    best: RuleTable

    # ---------------------------------------------------------------- from sentences to counts

    def sentences(self, corpus: Corpus, stage: str) -> Minibatches:
        distinct = self.settings.undivided is None
        return Minibatches(self.order, corpus, self.settings.non_heads_in(stage), distinct=distinct)

    def view(self, data: Data, training: bool = False) -> View:
        return View(data.problem(self.table), data)

    def counts(self, data: Data, expected: Expectations) -> RuleCounts:
        return expected.counts

    def counts_of_trees(self, data: Data, heads: np.ndarray) -> RuleCounts:
        return tree_counts(data.problem(self.table).table, data.batch, heads)

    def first_order_start(self, start: Start, train: Corpus) -> RuleTable:
        """The first-order grammar of a start, for a learner whose parameters can be made of any."""
        tags, child_valence = len(self.tags), self.settings.tells_valence
        unsmoothed = Multinomials.smoothed(Order.FIRST, tags, 0.0, child_valence)
        if start.heads is not None:
            counts = self.counts_of_all(Minibatches(Order.FIRST, train, distinct=False), start.heads)
            return Multinomials.smoothed(Order.FIRST, tags, START_SMOOTHING, child_valence).estimate(counts)
        if start.name == "harmonic":
            return harmonic_table(train, child_valence)
        if start.name == "random":
            return unsmoothed.estimate(random_counts(Order.FIRST, tags, self.settings.seed))
        return unsmoothed.estimate(uniform_counts(Order.FIRST, tags))

    def counts_of_all(self, sentences: Minibatches, heads: np.ndarray) -> RuleCounts:
        """The counts of the trees of all sentences. heads: [token] of the corpus"""
        pieces = (self.counts_of_trees(data, heads[data.tokens]) for data, _ in Pieces(sentences, self.team))
        return RuleCounts(*self.team.sum(reduce(add, pieces).parts))

    # ---------------------------------------------------------------- what is kept

    def keep(self) -> None:
        self.best = self.table

    def model(self, about: Mapping[str, Any], best: bool = True) -> Model:
        return GrammarModel(self.order, self.tags, self.best if best else self.table, **about)

    def state(self) -> Arrays:
        return with_prefix("table.", self.table.named) | with_prefix("best.", self.best.named)

    def restore(self, state: Arrays) -> None:
        self.table, self.best = RuleTable(**under("table.", state)), RuleTable(**under("best.", state))
