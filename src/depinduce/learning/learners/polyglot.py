"""Many languages that learn one headedness together, and each its own order.

They begin with trees of their own. Then, again and again: which tags head which is pooled from the trees of all
languages, whatever the side; around what the *others* have pooled every language learns its order by EM; and trees on
which this grammar and, at first, the language's own trees agree go into the next pool.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from depinduce.chart.engine import Expectations, trees_of_posteriors
from depinduce.corpus import Corpus
from depinduce.grammar.headedness import Headedness
from depinduce.grammar.multinomials import uniform_counts
from depinduce.grammar.rules import Order, RuleCounts
from depinduce.grammar.stacked import stacked
from depinduce.learning.languages import weighing
from depinduce.learning.learners.learner import Arrays, Learner, Start, View, under, with_prefix
from depinduce.learning.learners.order_free import OrderFreeLearner
from depinduce.learning.minibatches import Data, Minibatches
from depinduce.learning.settings.configuration import Configuration
from depinduce.learning.settings.order_free import PolyglotSettings
from depinduce.models.polyglot_model import PolyglotModel


class PolyglotLearner(OrderFreeLearner):
    """The grammars of all languages, in one table, with what they have pooled."""

    settings: PolyglotSettings

    def __init__(self, settings: PolyglotSettings, train: Corpus):
        self.names = train.languages
        self.sizes = weighing(settings, train)  # [language] sentences
        nothing = stacked([uniform_counts(Order.FIRST, len(train.tag_vocabulary))] * len(self.names))
        self.pool = Headedness.by_language(nothing, self.sizes)  # [language, …] of the trees that were pooled last
        super().__init__(settings, train, self.pool.of_the_others())
        self.own = np.zeros(len(train.tags), dtype=np.int32)  # the trees that each language began with

    def sentences(self, corpus: Corpus, stage: str) -> Minibatches:
        non_heads = self.settings.non_heads_in(stage)
        return Minibatches(Order.FIRST, corpus, non_heads, apart=True, distinct=False)  # each votes for its own tree

    # ---------------------------------------------------------------- from counts to parameters

    @property
    def iteration(self) -> int:
        return self.done % self.settings.rounds_of_pooling

    @property
    def pools_now(self) -> bool:
        """Whether it is time to pool trees, after so many iterations of EM."""
        return self.iteration == self.settings.iterations

    @property
    def pooled(self) -> int:
        """How often trees have been pooled since it began."""
        return self.done // self.settings.rounds_of_pooling

    @property
    def needs_positions(self) -> bool:
        return self.pools_now

    def counts(self, data: Data, expected: Expectations) -> RuleCounts:
        """When it is time to pool trees, the counts of these."""
        return self.counts_of_trees(data, self._agreed_trees(data, expected)) if self.pools_now else expected.counts

    def begin(self, start: Start, train: Corpus) -> None:
        assert start.heads is not None, "languages begin with trees"
        self.own = start.heads.astype(np.int32)
        self._pool(self.counts_of_all(self.sentences(train, "training"), self.own))
        super().begin(start, train)

    def learn(self, view: View | None, counts: Any, sentences: int, steps: int | None = None) -> None:
        if self.pools_now:
            self._pool(counts)
            self.table = self.prior.start().table
            self.done += 1
        else:
            super().learn(view, counts, sentences)

    def _agreed_trees(self, data: Data, expected: Expectations) -> np.ndarray:
        """The minimum-risk trees of the posteriors and, in the first poolings, of the votes for own trees. [token]"""
        root, arc = expected.root, expected.arc.sum(axis=1)
        if self.pooled < self.settings.voting:
            own = self.own[data.tokens]
            root = root + self.settings.votes * (own == 0)
            arc[data.batch.arcs_of(own)[own > 0]] += self.settings.votes
        return trees_of_posteriors(data.batch.offsets, root, arc, threads=self.settings.threads).heads[0]

    def _pool(self, counts: RuleCounts) -> None:
        """Pool which tags head which in trees with these counts; to a language, the others tell it."""
        self.pool = Headedness.by_language(counts, self.sizes)
        self.set_prior(self.pool.of_the_others())

    # ---------------------------------------------------------------- what is kept

    def model(self, about: Mapping[str, Any], best: bool = True) -> PolyglotModel:
        table = self.best if best else self.table
        return PolyglotModel.of(Order.FIRST, self.tags, self.names, table, self.pool.pooled(), **about)

    def state(self) -> Arrays:
        return super().state() | with_prefix("pool.", self.pool.named) | {"own": self.own}

    def restore(self, state: Arrays) -> None:
        super().restore(state)
        self.pool = Headedness(**under("pool.", state))
        self.own = state["own"]


def make_learners(
    settings: PolyglotSettings,
    configuration: Configuration,
    train: Corpus,
    seed: int,
    vectors: np.ndarray | None = None,
) -> list[Learner]:
    """The learners of many languages: one for all."""
    return [PolyglotLearner(settings, train)]
