"""Count models: the counts of all sentences become the rules, in closed form."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from depinduce.corpus import Corpus
from depinduce.grammar.between_orders import lower_order
from depinduce.grammar.multinomials import Multinomials, random_counts, uniform_counts
from depinduce.grammar.rules import Order, RuleCounts, RuleTable
from depinduce.grammar.stacked import chosen, parted, stacked
from depinduce.learning.harmonic import harmonic_table
from depinduce.learning.languages import by_language, language_of, told_apart, weighing, words_of
from depinduce.learning.learners.learner import Arrays, Learner, Start, View, under, with_prefix
from depinduce.learning.learners.one_table import TableLearner
from depinduce.learning.minibatches import Minibatches
from depinduce.learning.posterior_sparsity import Instances, PosteriorSparsity
from depinduce.learning.settings.configuration import Configuration
from depinduce.learning.settings.counts import CountSettings
from depinduce.models.polyglot_model import PolyglotModel, with_mean


class CountLearner(TableLearner):
    """A rule table that is the relative frequencies of its counts."""

    settings: CountSettings

    def __init__(self, settings: CountSettings, train: Corpus):
        super().__init__(settings)
        self.tags = train.tag_vocabulary
        self.family = Multinomials.smoothed(self.order, len(self.tags), settings.smoothing, settings.child_valence)
        self.table = self.best = self.family.estimate(uniform_counts(self.order, len(self.tags)))

    def posterior_sparsity(self, train: Corpus) -> PosteriorSparsity | None:
        """Every language has pairs of its own, where these are told apart; σ is that of a text of their mean size."""
        settings, languages = self.settings, np.zeros(len(train), dtype=np.int64)
        if settings.sparsity == 0:
            return None
        if told_apart(settings, train):
            languages = language_of(train)
        instances = Instances.of(train.tags, train.offsets, len(self.tags), settings.sparsity_of, languages)
        return PosteriorSparsity(settings.sparsity * len(train) / (languages.max() + 1) / 1000, instances)

    # ---------------------------------------------------------------- from counts to parameters

    def begin(self, start: Start, train: Corpus) -> None:
        """The table to begin with and, where settings ask for it, the prior around its first-order estimates."""
        settings, order, tags = self.settings, self.order, len(self.tags)
        if start.heads is not None:
            counts = self.counts_of_all(Minibatches(order, train, distinct=False), start.heads)
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

    def learn(self, view: View | None, counts: RuleCounts, sentences: int, steps: int | None = None) -> None:
        self.table = self.family.estimate(counts)

    def beside_likelihood(self) -> float:
        return self.family.log_prior(self.table)

    # ---------------------------------------------------------------- what is kept

    def state(self) -> Arrays:
        return super().state() | with_prefix("pseudo.", self.family.pseudo.named)

    def restore(self, state: Arrays) -> None:
        super().restore(state)
        self.family = self.family.with_pseudo(RuleCounts(**under("pseudo.", state)))


class CountsOfLanguages(CountLearner):
    """The grammars of several languages, around a universal one that is the mean of all.

        U(rule)   ∝ the mean of all E_l(rule), languages scaled to the same number of sentences, + pseudo-count
        p_l(rule) ∝ E_l(rule) + pseudo-count + strength · U(rule)

    for the expected counts E_l of a language l. U is estimated anew whenever the others are. It stands last in a table.
    """

    def __init__(self, settings: CountSettings, train: Corpus):
        super().__init__(settings, train)
        self.names, self.sizes = train.languages, weighing(settings, train)
        self.family = self.family.with_pseudo(stacked([self.family.pseudo] * len(self.names)))
        self.table = self.best = stacked([self.table] * (len(self.names) + 1))

    def sentences(self, corpus: Corpus, stage: str) -> Minibatches:
        distinct = self.settings.undivided is None
        return Minibatches(self.order, corpus, self.settings.non_heads_in(stage), apart=True, distinct=distinct)

    def begin(self, start: Start, train: Corpus) -> None:
        """Every language begins as if it was alone; where there are trees, around their mean."""
        each = [CountLearner(self.settings, train) for _ in self.names]
        for learner, name, text in zip(each, self.names, by_language(train), strict=True):
            heads = None if start.heads is None else start.heads[words_of(train, name)]
            learner.begin(Start(start.name, heads), text)
        self.family = self.family.with_pseudo(stacked(learner.family.pseudo for learner in each))
        self.table = with_mean(stacked(learner.table for learner in each))
        if start.heads is not None:
            sentences = Minibatches(self.order, train, apart=True, distinct=False)
            self.table = self.estimate(self.counts_of_all(sentences, start.heads))

    def learn(self, view: View | None, counts: RuleCounts, sentences: int, steps: int | None = None) -> None:
        self.table = self.estimate(counts)

    def estimate(self, counts: RuleCounts) -> RuleTable:
        """The grammars of all languages from their counts."""
        share = self.sizes.mean() / self.sizes / len(self.names)  # [language]
        mean = reduce(add, (float(own) * part for own, part in zip(share, parted(counts), strict=True)))
        pseudo = reduce(add, (1 / len(self.names) * part for part in parted(self.family.pseudo)))
        universal = self.family.with_pseudo(pseudo).estimate(mean)
        prior = self.settings.language_strength * RuleCounts(*map(np.exp, universal.parts))
        around = self.family.with_pseudo(self.family.pseudo + stacked([prior] * len(self.names)))
        return stacked([around.estimate(counts), universal])

    def beside_likelihood(self) -> float:
        return self.family.log_prior(chosen(self.table, range(len(self.names))))

    def model(self, about: Mapping[str, Any], best: bool = True) -> PolyglotModel:
        return PolyglotModel.of(self.order, self.tags, self.names, self.best if best else self.table, **about)


def make_learners(
    settings: CountSettings, configuration: Configuration, train: Corpus, seed: int, vectors: np.ndarray | None = None
) -> list[Learner]:
    """The learners of a count model: one."""
    return [CountsOfLanguages(settings, train) if told_apart(settings, train) else CountLearner(settings, train)]
