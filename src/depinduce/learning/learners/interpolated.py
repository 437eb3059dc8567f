"""E-DMV, the smoothed grammar of Headden, Johnson & McClosky (2009), by variational Bayes: mean field over the rules.

    rules of a head       p₁(rule | direction, head, valence)  ~ Dirichlet(smoothing)
    rules of all heads    p₂(rule | direction, valence)        ~ Dirichlet(smoothing)
    how far a head has rules of its own      λ of every row    ~ Beta(head prior, back-off prior)

    p(rule | direction, head, valence) = λ · p₁ + (1 - λ) · p₂

for children and for decisions; roots have a Dirichlet alone. From which of the two a rule comes is hidden, and summed
over inside the rule: to the chart a potential is exp(E log λ + E log p₁) + exp(E log (1 - λ) + E log p₂), and an
expected count is split as these two are. Each update raises one bound of the log-likelihood. What comes out are the
means of the beliefs, which are probabilities.

The original's best model sees words beside tags; this is the one without. It was trained from many more random starts
than the twenty here. The values of the priors, and that decisions are smoothed like children, were chosen on dev trees.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from depinduce.corpus import Corpus
from depinduce.grammar.multinomials import log_shares, shares
from depinduce.grammar.rules import RuleCounts, RuleTable
from depinduce.learning.learners.closed_form import CountLearner
from depinduce.learning.learners.learner import Arrays, Learner, Start, View, under, with_prefix
from depinduce.learning.learners.variational import expected_log, log_beta
from depinduce.learning.minibatches import Data
from depinduce.learning.settings.configuration import Configuration
from depinduce.learning.settings.interpolated import InterpolatedSettings
from depinduce.learning.training import Training
from depinduce.models.tag_model import GrammarModel


@dataclass(frozen=True)
class Origins:
    """Counts of rules by where they come from."""

    of_head: RuleCounts  # from the rules of their own head
    of_all: RuleCounts  # from the rules of all heads, by row nevertheless; no roots


@dataclass(frozen=True)
class Interpolation:
    """Beliefs about the rules of one kind, children or decisions, with the counts that were added to the priors."""

    settings: InterpolatedSettings
    of_head: np.ndarray  # [row, outcome] counts
    of_all: np.ndarray  # [row, outcome] counts

    @property
    def weights(self) -> np.ndarray:
        """The parameters of λ and of 1 - λ. [row, 2]"""
        prior = np.array([self.settings.head_prior, self.settings.back_off_prior])
        return prior + np.stack([self.of_head.sum(axis=1), self.of_all.sum(axis=1)], axis=1)

    @property
    def shared(self) -> np.ndarray:
        """The counts of the rules of all heads. [direction, valence, outcome]"""
        return self.of_all.reshape(2, -1, 2, self.of_all.shape[1]).sum(axis=1)

    def by_row(self, shared: np.ndarray) -> np.ndarray:
        """Numbers of all heads, for each of them. shared: [direction, valence, outcome] → [row, outcome]"""
        heads = len(self.of_head) // 4
        return np.repeat(shared[:, None], heads, axis=1).reshape(self.of_head.shape)

    @property
    def expected_logs(self) -> tuple[np.ndarray, np.ndarray]:
        """E log λ p₁ and E log (1 - λ) p₂. [row, outcome] each"""
        smoothing, weights = self.settings.smoothing, expected_log(self.weights)
        of_head = weights[:, :1] + expected_log(smoothing + self.of_head)
        return of_head, weights[:, 1:] + self.by_row(expected_log(smoothing + self.shared))

    @property
    def mean(self) -> np.ndarray:
        """E λ p₁ + E (1 - λ) p₂. [row, outcome]"""
        smoothing, weights = self.settings.smoothing, shares(self.weights)
        of_all = self.by_row(shares(smoothing + self.shared))
        return weights[:, :1] * shares(smoothing + self.of_head) + weights[:, 1:] * of_all

    @property
    def divergence(self) -> float:
        """Of all beliefs from their priors."""
        settings, used = self.settings, np.stack([self.of_head.sum(axis=1), self.of_all.sum(axis=1)], axis=1)
        total = divergence(settings.smoothing, self.of_head) + divergence(settings.smoothing, self.shared)
        if settings.back_off_prior > 0:  # otherwise λ is 1, and there is nothing to believe
            total += divergence(np.array([settings.head_prior, settings.back_off_prior]), used)
        return total


def divergence(prior: float | np.ndarray, counts: np.ndarray) -> float:
    """Of Dirichlets with counts from those without. counts: [..., outcome]"""
    before, after = np.broadcast_to(prior, counts.shape).astype(np.float64), prior + counts
    return float((counts * expected_log(after)).sum() - (log_beta(after) - log_beta(before)).sum())


class InterpolatedLearner(CountLearner):
    """Beliefs about rules, which the expected counts of all sentences change; before there are any, a table."""

    settings: InterpolatedSettings

    def __init__(self, settings: InterpolatedSettings, train: Corpus):
        super().__init__(settings, train)
        self.origins: Origins | None = None

    # ---------------------------------------------------------------- from sentences to counts

    def view(self, data: Data, training: bool = False) -> View:
        """Under expected logarithms, whose bound training raises; held-out sentences under probabilities."""
        return View(data.problem(self.table if training else self.mean), data)

    @property
    def mean(self) -> RuleTable:
        """The probabilities of now."""
        if self.origins is None:
            return self.table
        child, decision = self._beliefs(self.origins)
        root = log_shares(self.settings.smoothing + self.origins.of_head.root)
        return RuleTable(root, np.log(child.mean), np.log(decision.mean))

    # ---------------------------------------------------------------- from counts to parameters

    def begin(self, start: Start, train: Corpus) -> None:
        """The table of a start; of several random ones, the beliefs to which the best has led."""
        if start.name != "random" or start.heads is not None or self.settings.random_starts == 1:
            super().begin(start, train)
            return
        tried = [self._from_start(number, train) for number in range(self.settings.random_starts)]
        _, best = max(tried, key=lambda one: one[0])
        self.table, self.origins = best.table, best.origins

    def _from_start(self, number: int, train: Corpus) -> tuple[float, InterpolatedLearner]:
        """A few iterations from a random start: the bound before the last of them, and who has learned."""
        seed = int(np.random.SeedSequence([self.settings.seed, number]).generate_state(1)[0])
        once = {"random_starts": 1, "iterations": self.settings.start_iterations, "unambiguity_iterations": 0}
        settings = replace(self.settings, seed=seed, **once)
        learner = InterpolatedLearner(settings, train)
        training = Training(settings, [learner], train, team=self.team)
        training.begin()
        rounds = [training.run_round() for _ in range(settings.iterations)]
        bound = rounds[-1].objective
        assert bound is not None, "it takes all sentences at once"
        return bound, learner

    def learn(self, view: View | None, counts: RuleCounts, sentences: int, steps: int | None = None) -> None:
        self.origins = self.split(counts)
        self.table = self._expected_logs(self.origins)

    def split(self, counts: RuleCounts) -> Origins:
        """Counts by where the beliefs of now say that they come from; before there are any, the prior does."""
        if self.origins is None:
            own = self.settings.head_prior / (self.settings.head_prior + self.settings.back_off_prior)
            child, decision = own, own
        else:
            child, decision = (share_of_first(*beliefs.expected_logs) for beliefs in self._beliefs(self.origins))
        of_head = RuleCounts(counts.root, child * counts.child, decision * counts.decision)
        of_all = RuleCounts(np.zeros_like(counts.root), (1 - child) * counts.child, (1 - decision) * counts.decision)
        return Origins(of_head, of_all)

    def beside_likelihood(self) -> float:
        """Minus the divergence of the beliefs from their priors: with log Z, the bound."""
        if self.origins is None:
            return 0.0
        of_roots = divergence(self.settings.smoothing, self.origins.of_head.root)
        return -of_roots - sum(beliefs.divergence for beliefs in self._beliefs(self.origins))

    def _beliefs(self, origins: Origins) -> tuple[Interpolation, Interpolation]:
        """About children and about decisions."""
        of_head, of_all = origins.of_head, origins.of_all
        child = Interpolation(self.settings, of_head.child, of_all.child)
        return child, Interpolation(self.settings, of_head.decision, of_all.decision)

    def _expected_logs(self, origins: Origins) -> RuleTable:
        """The log potentials of all rules."""
        child, decision = (np.logaddexp(*beliefs.expected_logs) for beliefs in self._beliefs(origins))
        return RuleTable(expected_log(self.settings.smoothing + origins.of_head.root), child, decision)

    # ---------------------------------------------------------------- what is kept

    def keep(self) -> None:
        self.best = self.mean

    def model(self, about: Mapping[str, Any], best: bool = True) -> GrammarModel:
        return GrammarModel(self.order, self.tags, self.best if best else self.mean, **about)

    def state(self) -> Arrays:
        kept = {} if self.origins is None else vars(self.origins)
        own = [with_prefix(f"{origin}.", counts.named) for origin, counts in kept.items()]
        return super().state() | {name: array for arrays in own for name, array in arrays.items()}

    def restore(self, state: Arrays) -> None:
        super().restore(state)
        of_head, of_all = (under(prefix, state) for prefix in ("of_head.", "of_all."))
        self.origins = Origins(RuleCounts(**of_head), RuleCounts(**of_all)) if of_head else None


def share_of_first(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The share of one of two weights in their sum, from their logarithms."""
    return np.exp(one - np.logaddexp(one, other))


def make_learners(
    settings: InterpolatedSettings,
    configuration: Configuration,
    train: Corpus,
    seed: int,
    vectors: np.ndarray | None = None,
) -> list[Learner]:
    """The learners of E-DMV: one."""
    return [InterpolatedLearner(settings, train)]
