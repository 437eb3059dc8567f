"""The feature DMV of Berg-Kirkpatrick, Bouchard-Côté, DeNero & Klein (2010): rules that share the weights of features.

It maximises

    log-likelihood of the sentences - penalty · Σ weight²

either by EM, whose M-step is L-BFGS on the expected counts, or `direct`, by L-BFGS on the likelihood itself. Both
have the same gradient, since the derivative of log Z by log p(rule) is the expected count. It begins with the basic
weights that make the rules those of its start, and all others 0.

As in the original, a feature has the tags of its rule, or noun, verb, or noun-verb in the place of such tags, with
copies that do not see direction or valence. Otherwise than there: head and
child are replaced each for itself, so that there is also a feature for a noun below a certain verb tag; the choice of
a child sees the valence (`child_valence=false`: it does not); L-BFGS halves its step until the objective rises by
enough, and stops after so many steps. The penalty is ours.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from depinduce.corpus import Corpus
from depinduce.grammar.log_linear import Features
from depinduce.grammar.rules import RuleCounts
from depinduce.learning.learners.learner import Arrays, Learner, Start, View
from depinduce.learning.learners.one_table import TableLearner
from depinduce.learning.pieces import Pieces
from depinduce.learning.quasi_newton import Memory, maximise, step_up
from depinduce.learning.settings.configuration import Configuration
from depinduce.learning.settings.features import FeatureSettings

SMALL = 1e-3  # an M-step ends where the gradient is smaller: a thousandth of a count


class FeatureLearner(TableLearner):
    """The weights of features, and the rules that they make."""

    settings: FeatureSettings

    def __init__(self, settings: FeatureSettings, train: Corpus):
        super().__init__(settings)
        self.tags, self.train = train.tag_vocabulary, train
        self.features = Features.of(self.tags, settings.templates, settings.child_valence)
        self.memory = Memory()
        self.last: tuple[np.ndarray, np.ndarray] | None = None  # where a step on the likelihood began: place, gradient
        self.move_to(np.zeros(self.features.size))
        self.keep()

    def move_to(self, weights: np.ndarray) -> None:
        self.weights, self.table = weights, self.features.table(weights)

    # ---------------------------------------------------------------- from counts to parameters

    def begin(self, start: Start, train: Corpus) -> None:
        """Basic weights under which the rules are those of a count model at this start."""
        self.move_to(self.features.basic(self.first_order_start(start, train)))

    def learn(self, view: View | None, counts: RuleCounts, sentences: int, steps: int | None = None) -> None:
        if self.settings.optimiser == "em":
            self.move_to(maximise(lambda at: self.penalised(at, counts), self.weights, self.settings.m_steps, SMALL))
        else:
            self.step_on_likelihood(counts)

    def penalised(self, weights: np.ndarray, counts: RuleCounts) -> tuple[float, np.ndarray]:
        """Σ count · log p(rule) less the penalty, and the gradient."""
        value, gradient = self.features.value_and_gradient(weights, counts)
        penalty = self.settings.penalty
        return value - penalty * float(weights @ weights), gradient - 2 * penalty * weights

    def step_on_likelihood(self, counts: RuleCounts) -> None:
        """One step of L-BFGS on the penalised likelihood."""
        place, gradient = self.weights, self.penalised(self.weights, counts)[1]
        if self.last is not None:
            before, gradient_before = self.last
            self.memory.add(place - before, gradient_before - gradient)

        def value_at(weights: np.ndarray) -> float:
            return self.likelihood(weights) - self.settings.penalty * float(weights @ weights)

        there, _ = step_up(value_at, place, value_at(place), gradient, self.memory)
        self.last = place, gradient
        self.move_to(there)

    @cached_property
    def pieces(self) -> Pieces:
        """The sentences that it learns from."""
        return Pieces(self.sentences(self.train, "training"), self.team)

    def likelihood(self, weights: np.ndarray) -> float:
        """The log-likelihood of all sentences, of which every process has a share."""
        table, total = self.features.table(weights), 0.0
        for data, _ in self.pieces:
            problem = data.problem(table)
            total += problem.total(problem.log_partition(threads=self.settings.threads))
        (summed,) = self.team.sum([np.array([total])])
        return float(summed[0])

    def beside_likelihood(self) -> float:
        return -self.settings.penalty * float(self.weights @ self.weights)

    # ---------------------------------------------------------------- what is kept

    def state(self) -> Arrays:
        last = {} if self.last is None else {"last": np.stack(self.last)}
        memory = self.memory.as_array(self.features.size)
        return super().state() | {"weights": self.weights, "memory": memory} | last

    def restore(self, state: Arrays) -> None:
        super().restore(state)
        self.weights, self.memory = state["weights"], Memory(state["memory"])
        self.last = (state["last"][0], state["last"][1]) if "last" in state else None


def make_learners(
    settings: FeatureSettings,
    configuration: Configuration,
    train: Corpus,
    seed: int,
    vectors: np.ndarray | None = None,
) -> list[Learner]:
    """The learner of a feature DMV."""
    return [FeatureLearner(settings, train)]
