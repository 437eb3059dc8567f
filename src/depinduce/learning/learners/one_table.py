"""What learners have in common whose parameters are the rule table itself, estimated anew from all counts at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from depinduce.chart.engine import Expectations
from depinduce.corpus import Corpus, Vocabulary
from depinduce.grammar.rules import RuleCounts, RuleTable
from depinduce.grammar.trees import tree_counts
from depinduce.learning.learners.learner import Arrays, Learner, View, under, with_prefix
from depinduce.learning.minibatches import Data, Minibatches
from depinduce.models.model import Model
from depinduce.models.tag_model import GrammarModel


class TableLearner(Learner):
    """A rule table, and the best one so far."""

    tags: Vocabulary
    table: RuleTable
    best: RuleTable

    # ---------------------------------------------------------------- from sentences to counts

    def sentences(self, corpus: Corpus, stage: str) -> Minibatches:
        return Minibatches(self.order, corpus, self.settings.non_heads_in(stage))

    def view(self, data: Data, training: bool = False) -> View:
        return View(data.problem(self.table), data)

    def counts(self, expected: Expectations) -> Any:
        return expected.counts

    def counts_of_trees(self, data: Data, heads: np.ndarray) -> RuleCounts:
        return tree_counts(data.problem(self.table).table, data.batch, heads)

    # ---------------------------------------------------------------- what is kept

    def keep(self) -> None:
        self.best = self.table

    def model(self, about: Mapping[str, Any], best: bool = True) -> Model:
        return GrammarModel(self.order, self.tags, self.best if best else self.table, **about)

    def state(self) -> Arrays:
        return with_prefix("table.", self.table.named) | with_prefix("best.", self.best.named)

    def restore(self, state: Arrays) -> None:
        self.table, self.best = RuleTable(**under("table.", state)), RuleTable(**under("best.", state))
