"""The D-NDMV of Han, Jiang & Tu (2019): rules that are made for every sentence learn from its counts.

All else is as with other networks: expected counts or those of best trees, one step or several on those of a batch, a
start made of trees or of the harmonic grammar. The gradient by the rules goes on through the vectors of the sentences
to what reads them. Where these vectors are hidden, their divergence is part of what is learned, and so of every
log-likelihood that is told: it is the evidence lower bound, in training under one vector that was drawn, and of
held-out sentences under the mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch

from depinduce.chart.engine import Expectations
from depinduce.chart.problems import Problem
from depinduce.corpus import Corpus
from depinduce.grammar.rules import Order, RuleCounts, RuleTable
from depinduce.grammar.trees import tree_counts
from depinduce.learning.harmonic import harmonic_table
from depinduce.learning.learners.learner import Learner, View
from depinduce.learning.learners.networks import GradientLearner
from depinduce.learning.minibatches import Data, Minibatches
from depinduce.learning.settings.configuration import Configuration
from depinduce.learning.settings.d_ndmv import SentenceSettings
from depinduce.models.sentence_model import SentenceModel, sentence_problem
from depinduce.networks.gradients import Gradients, PullBack
from depinduce.networks.network_settings import SentenceNetworkSettings
from depinduce.networks.sentence_batch import SentenceBatch, sentence_batch, spread
from depinduce.networks.sentence_network import SentenceNetwork
from depinduce.networks.tag_network import Rules


@dataclass(frozen=True)
class SentenceData(Data):
    """Sentences, each with rows of its own."""

    batch: SentenceBatch
    among: int = 1  # so many sentences, of which they are one process's share

    def problem(self, table: RuleTable) -> Problem:
        """These sentences under one grammar for all, that of a start."""
        return Problem(spread(table, self.batch), self.batch, self.factors)


class SentenceMinibatches(Minibatches):
    """A corpus from which such batches are taken."""

    def take(
        self, sentences: np.ndarray, times: np.ndarray | None = None, among: np.ndarray | None = None
    ) -> tuple[SentenceData, np.ndarray]:
        data, tokens = super().take(sentences, times)
        assert isinstance(data.batch, SentenceBatch), "they are made below"
        return SentenceData(data.batch, data.factors, among=len(sentences if among is None else among)), tokens

    def batch(self, tags: np.ndarray, offsets: np.ndarray) -> SentenceBatch:
        return sentence_batch(tags, offsets, len(self.corpus.tag_vocabulary))


class SentenceLearner(GradientLearner):
    """The networks of rules and what reads the sentences."""

    settings: SentenceSettings
    network: SentenceNetwork
    shares_rules: ClassVar[bool] = False  # so processes add gradients, where others add counts

    def __init__(
        self,
        network: SentenceNetwork,
        sizes: SentenceNetworkSettings,
        settings: SentenceSettings,
        train: Corpus,
        seed: int,
    ):
        super().__init__(network, settings, seed)
        self.sizes, self.train = sizes, train

    def sentences(self, corpus: Corpus, stage: str) -> SentenceMinibatches:
        return SentenceMinibatches(Order.FIRST, corpus, self.settings.non_heads_in(stage))

    # ---------------------------------------------------------------- rules, and back

    def rules(self, data: SentenceData, noise: torch.Generator | None = None) -> tuple[Rules, PullBack]:
        rules, _, pull_back = self._made(data, noise)
        return rules, pull_back

    def _made(
        self, data: SentenceData, noise: torch.Generator | None
    ) -> tuple[Rules, torch.Tensor, PullBack[Gradients]]:
        """The rules of a batch, the divergence of its sentences, and the way back; there is none without noise."""
        with torch.set_grad_enabled(noise is not None):
            rules, divergence = self.network.rules_of(data.batch, noise)
            cost = self.settings.divergence_weight * (divergence.sum() / data.among)  # a share of the mean

        def pull_back(*to_rules: torch.Tensor) -> Gradients:
            """Of what is lost: a step goes against it. The divergence of a sentence is lost whatever the counts."""
            results, gradients = list(rules), list(to_rules)
            if self.network.variational:
                results, gradients = [*results, cost], [*gradients, torch.ones_like(cost)]
            weights = list(self.network.parameters())
            return torch.autograd.grad(results, weights, gradients, allow_unused=True, materialize_grads=True)

        root, child, decision = (part.detach() for part in rules)
        return (root, child, decision), divergence.detach(), pull_back

    def problem(self, rules: Rules, data: SentenceData) -> Problem:
        return sentence_problem(rules, data.batch).times(data.factors)

    @torch.no_grad()
    def view(self, data: SentenceData, training: bool = False) -> View:
        rules, divergence, pull_back = self._made(data, self.own_noise() if training else None)
        cost = self.settings.divergence_weight * divergence if self.network.variational else None
        return View(sentence_problem(rules, data.batch, cost).times(data.factors), data, pull_back)

    # ---------------------------------------------------------------- counts

    def start_table(self, train: Corpus) -> RuleTable:
        return harmonic_table(train)

    def counts(self, data: SentenceData, expected: Expectations) -> RuleCounts:
        return expected.counts

    def counts_of_trees(self, data: SentenceData, heads: np.ndarray) -> RuleCounts:
        rows, tags = len(data.batch.rows), self.network.tags
        like = RuleCounts(np.zeros(tags), np.zeros((rows, tags)), np.zeros((rows, 2)))
        return tree_counts(like, data.batch, heads)

    # ---------------------------------------------------------------- what is kept

    @torch.no_grad()
    def model_now(self, about: Mapping[str, Any]) -> SentenceModel:
        """The model with the present weights, and the mean vector of the sentences that it has learned from."""
        mean = self.network.vectors(self.train.tags, self.train.offsets).s.mean(0).numpy()
        weights = {name: tensor.numpy() for name, tensor in self.weights().items()}
        return SentenceModel(self.train.tag_vocabulary, self.sizes, weights, mean, **about)


def make_learners(
    settings: SentenceSettings,
    configuration: Configuration,
    train: Corpus,
    seed: int,
    vectors: np.ndarray | None = None,
) -> list[Learner]:
    """The learner of a model, with random weights."""
    torch.set_num_threads(settings.threads)
    torch.manual_seed(seed)
    own = configuration.network
    sizes = own if isinstance(own, SentenceNetworkSettings) else SentenceNetworkSettings()  # a rung below another model
    network = SentenceNetwork(len(train.tag_vocabulary), sizes)
    return [SentenceLearner(network, sizes, settings, train, seed)]
