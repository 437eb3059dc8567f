"""Count models: the counts of all sentences become the rules, in closed form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from depinduce.chart.engine import Expectations
from depinduce.chart.problems import Problem
from depinduce.corpus import Corpus
from depinduce.grammar.between_orders import lower_order
from depinduce.grammar.multinomials import Multinomials, random_counts, uniform_counts
from depinduce.grammar.rules import Order, RuleCounts, RuleTable, tag_batch
from depinduce.grammar.trees import tree_counts
from depinduce.learning.harmonic import harmonic_table
from depinduce.learning.learners.learner import Arrays, Learner, Start, View, under, with_prefix
from depinduce.learning.minibatches import Data, Minibatches
from depinduce.learning.settings.configuration import Configuration
from depinduce.learning.settings.counts import CountSettings
from depinduce.models.tag_model import GrammarModel


class CountLearner(Learner):
    """A rule table that is the relative frequencies of its counts."""

    settings: CountSettings

    def __init__(self, settings: CountSettings, train: Corpus):
        super().__init__(settings)
        self.tags = train.tag_vocabulary
        self.family = Multinomials.smoothed(self.order, len(self.tags), settings.smoothing, settings.child_valence)
        self.table = self.best = self.family.estimate(uniform_counts(self.order, len(self.tags)))

    # ---------------------------------------------------------------- from sentences to counts

    def sentences(self, corpus: Corpus, stage: str) -> Minibatches:
        return Minibatches(self.order, corpus, self.settings.non_heads_in(stage))

    def view(self, data: Data, training: bool = False) -> View:
        return View(Problem(self.table, data.batch, data.factors), data)

    def counts(self, expected: Expectations) -> RuleCounts:
        return expected.counts

    def counts_of_trees(self, data: Data, heads: np.ndarray) -> RuleCounts:
        return tree_counts(self.table, data.batch, heads)

    # ---------------------------------------------------------------- from counts to parameters

    def begin(self, start: Start, train: Corpus) -> None:
        """The table to begin with and, where settings ask for it, the prior around its first-order estimates."""
        settings, order, tags = self.settings, self.order, len(self.tags)
        if start.heads is not None:
            batch = tag_batch(order, train.tags, train.offsets, tags)
            counts = tree_counts(self.table, batch, start.heads)
            if settings.prior_strength > 0 and order is not Order.FIRST:
                first = Multinomials.smoothed(Order.FIRST, tags, settings.smoothing, settings.child_valence)
                estimates = first.estimate(lower_order(counts, order))
                self.family = self.family.around(estimates, settings.prior_strength)
            self.table = self.family.estimate(counts)
        elif start.name == "harmonic":
            self.table = harmonic_table(train, settings.child_valence)
        else:
            counts = uniform_counts(order, tags)
            if start.name == "random":
                counts = random_counts(order, tags, settings.seed)
            self.table = Multinomials.smoothed(order, tags, 0.0, settings.child_valence).estimate(counts)

    def learn(self, view: View, counts: RuleCounts, sentences: int, steps: int | None = None) -> None:
        self.table = self.family.estimate(counts)

    def beside_likelihood(self) -> float:
        return self.family.log_prior(self.table)

    # ---------------------------------------------------------------- what is kept

    def keep(self) -> None:
        self.best = self.table

    def model(self, about: Mapping[str, Any], best: bool = True) -> GrammarModel:
        return GrammarModel(self.order, self.tags, self.best if best else self.table, **about)

    def state(self) -> Arrays:
        parts = {"table.": self.table, "best.": self.best, "pseudo.": self.family.pseudo}
        return {
            name: array for prefix, part in parts.items() for name, array in with_prefix(prefix, part.named).items()
        }

    def restore(self, state: Arrays) -> None:
        self.table, self.best = RuleTable(**under("table.", state)), RuleTable(**under("best.", state))
        self.family = self.family.with_pseudo(RuleCounts(**under("pseudo.", state)))


def make_learners(
    settings: CountSettings, configuration: Configuration, train: Corpus, seed: int, vectors: np.ndarray | None = None
) -> list[Learner]:
    """The learners of a count model: one."""
    return [CountLearner(settings, train)]
