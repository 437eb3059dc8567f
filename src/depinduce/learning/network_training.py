"""Training one network: the counts of a start first, then epochs of gradient steps on expected counts.

Everything the paper does is one step: the chart turns the network's rule table and a batch into counts, and the
network moves along the gradient of Σ count · log p(rule). With the expected counts of the current table that is the
gradient of the log-likelihood (direct marginal likelihood optimisation); several steps on the same counts are the
M-step of EM; counts of the best trees make it hard EM; counts of given trees are supervised learning, the start.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from depinduce.chart.engine import log_partition
from depinduce.corpus import Corpus
from depinduce.errors import DepinduceError
from depinduce.grammar.between_orders import raise_order
from depinduce.grammar.inside_out import as_outside_in, counts_inside_out
from depinduce.grammar.rules import RuleCounts, RuleTable
from depinduce.grammar.trees import tree_counts
from depinduce.learning.em import LikelihoodFell, best_tree_counts, expected_counts
from depinduce.learning.minibatches import Minibatches
from depinduce.learning.neural_settings import NeuralSettings
from depinduce.models.counts import uniform_counts
from depinduce.models.network import RuleNetwork, as_table
from depinduce.models.network_settings import NetworkSettings

DIVERGED = 2.0  # so many times the log-likelihood that a word had in the first batch is no fluctuation

CountsOf = Callable[[RuleTable], tuple[RuleCounts, np.ndarray]]  # of a batch: counts, and a score of every sentence


class Diverged(DepinduceError):
    """Training went astray."""

    @classmethod
    def because(cls, what: str) -> Diverged:
        return cls(f"{what}. What there was before is kept; lower --learning-rate (or --m-steps) and start again.")


@dataclass(frozen=True)
class Start:
    """What the network learns first: one tree per training sentence, or all trees under a first-order grammar."""

    heads: np.ndarray | None = None  # [token]
    first_order: RuleTable | None = None


@dataclass(frozen=True)
class Epoch:
    """One epoch as it is reported."""

    epoch: int
    max_length: int  # of the sentences learned from
    train: float  # mean log-likelihood of a sentence, before the step in which it was learned from
    dev: float | None  # mean log-likelihood of a held-out sentence after the epoch
    seconds: float
    sentences_per_second: float


def one_vector(network: torch.nn.Module) -> torch.nn.Parameter:
    """All parameters as views of one vector, and their gradients likewise: one step of Adam instead of many."""
    parts = list(network.parameters())
    vector = torch.nn.Parameter(torch.cat([part.data.flatten() for part in parts]))
    vector.grad = torch.zeros_like(vector)
    sizes = [part.numel() for part in parts]
    for part, values, gradient in zip(parts, vector.data.split(sizes), vector.grad.split(sizes), strict=True):
        part.data, part.grad = values.view_as(part), gradient.view_as(part)
    return vector


class NetworkTraining:
    """A network on its way, epoch by epoch; `checkpoints` knows how to save and restore all that changes."""

    def __init__(
        self,
        settings: NeuralSettings,
        network: NetworkSettings,
        train: Corpus,
        dev: Corpus | None,
        seed: int,
        start: Start | None = None,
    ):
        self.settings, self.tags = settings, len(train.tag_vocabulary)
        torch.manual_seed(seed)
        self.network = RuleNetwork(settings.order, self.tags, network)
        self.parameters = one_vector(self.network)
        self.optimiser = torch.optim.Adam([self.parameters], lr=settings.learning_rate, fused=True)
        self.generator = np.random.default_rng(seed)
        self.train = Minibatches(settings.order, train, settings.non_heads_in("training"))
        self.start = start
        if start is not None:  # what every batch of the start needs
            self.like = uniform_counts(settings.order, self.tags)  # for its shape
            self.start_table = start.first_order and raise_order(start.first_order, settings.order)
        self.in_start = Minibatches(settings.order, train, settings.non_heads_in("start"))
        held_out = dev is not None and Minibatches(settings.order, dev, settings.non_heads_in("training"))
        self.dev = held_out.all() if held_out else None
        shortest, longest = int(train.lengths.min()), int(train.lengths.max())
        growing = range(max(settings.grow_from, shortest), longest) if settings.grow_from else ()
        self.lengths = [*growing]  # of the growing epochs
        self.longest = longest
        self.epoch, self.best_epoch = 0, 0
        self.best_dev, self.first_per_word, self.previous_train = -np.inf, -np.inf, -np.inf
        self.best_weights = self.weights()

    @property
    def total_epochs(self) -> int:
        return len(self.lengths) + self.settings.epochs

    @property
    def finished(self) -> bool:
        """All epochs done, or no better held-out likelihood for so many epochs over all sentences."""
        waited = self.epoch - max(self.best_epoch, len(self.lengths))
        return self.epoch >= self.total_epochs or (self.dev is not None and waited >= self.settings.patience)

    def weights(self) -> dict[str, torch.Tensor]:
        return {name: tensor.clone() for name, tensor in self.network.state_dict().items()}

    def begin(self) -> None:
        """The epochs on the counts of the start."""
        if self.start is None:
            return
        for _ in range(self.settings.start_epochs):
            for sentences in self._shuffled(self.longest):
                counts = self._start_counts(sentences)
                self._learn(lambda _, counts=counts: (counts, np.zeros(1)), len(sentences), steps=1)
        self._in_numbers(self.network.table())
        self.best_weights = self.weights()

    def run_epoch(self) -> Epoch:
        """One epoch; changes the best weights if they are."""
        self.epoch += 1
        growing = self.epoch <= len(self.lengths)
        max_length = self.lengths[self.epoch - 1] if growing else self.longest
        start, total, sentences_seen, words = time.perf_counter(), 0.0, 0, 0
        for sentences in self._shuffled(max_length):
            scores = self.learn_from(sentences)
            total, sentences_seen = total + scores.sum(), sentences_seen + len(sentences)
            words += self.train.corpus.lengths[sentences].sum()
            if np.isneginf(self.first_per_word):
                self.first_per_word = total / words
        table = self._in_numbers(self.network.table())
        train = total / sentences_seen
        if not train * sentences_seen >= DIVERGED * self.first_per_word * words:
            raise Diverged.because(f"The log-likelihood of a sentence fell to {train:.2f} in epoch {self.epoch}")
        self._warn_if_lower(train, growing)
        dev = None if self.dev is None else self._held_out_likelihood(table)
        if dev is None or growing or dev > self.best_dev:
            self.best_weights, self.best_epoch = self.weights(), self.epoch
            self.best_dev = self.best_dev if growing or dev is None else dev
        seconds = time.perf_counter() - start
        return Epoch(self.epoch, max_length, float(train), dev, seconds, sentences_seen / seconds)

    def learn_from(self, sentences: np.ndarray) -> np.ndarray:
        """The step, or the steps, on one batch; gives the log-likelihood (or best tree's score) of its sentences."""
        return self._learn(lambda table: self._e_step(table, sentences), len(sentences))

    def table(self) -> RuleTable:
        """The rules of the best network so far."""
        current = self.weights()
        self.network.load_state_dict(self.best_weights)
        table = self.network.table()
        self.network.load_state_dict(current)
        return table

    def _shuffled(self, max_length: int) -> list[np.ndarray]:
        """The sentences of up to so many words in random order, in batches."""
        order = self.generator.permutation(len(self.train.corpus))
        order = order[self.train.corpus.lengths[order] <= max_length]
        size = self.settings.batch_size or max(len(order), 1)
        return [order[k : k + size] for k in range(0, len(order), size)]

    @torch.no_grad()
    def _learn(self, counts_of: CountsOf, sentences: int, steps: int | None = None) -> np.ndarray:
        """Gradient steps on Σ count · log p(rule), the counts being those of the table before the first step."""
        scores = counts = None
        for _ in range(steps or self.settings.gradient_steps):
            rules, pull_back = self.network.rules()
            if counts is None:
                counts, scores = counts_of(self._in_numbers(as_table(rules)))
            parts = (counts.root, counts.child, counts.decision)
            to_rules = [torch.from_numpy(part / -sentences).to(rules[0].dtype) for part in parts]
            torch.cat([gradient.flatten() for gradient in pull_back(*to_rules)], out=self.parameters.grad)
            self.optimiser.step()
        return scores

    def _e_step(self, table: RuleTable, sentences: np.ndarray) -> tuple[RuleCounts, np.ndarray]:
        data, _ = self.train.take(sentences)
        e_step = best_tree_counts if self.settings.method == "hard-em" else expected_counts
        counts, scores = e_step(self._potentials(table), data, self.settings.threads)
        counts = self._rules_counted(counts)
        if self.settings.anchor and self.start is not None:
            counts = counts + self.settings.anchor * self._start_counts(sentences)
        return counts, scores

    def _start_counts(self, sentences: np.ndarray) -> RuleCounts:
        """The counts that the start gives to some sentences."""
        data, tokens = self.in_start.take(sentences)
        if self.start.heads is not None:
            counts = tree_counts(self.like, data.batch, self.start.heads[tokens])
        else:
            counts, _ = expected_counts(self.start_table, data, self.settings.threads)
        return self._rules_counted(counts)

    def _potentials(self, table: RuleTable) -> RuleTable:
        """The table as the chart reads it."""
        return table if self.settings.generation == "outside-in" else as_outside_in(table)

    def _rules_counted(self, counts: RuleCounts) -> RuleCounts:
        """The chart's counts as those of the rules."""
        return counts if self.settings.generation == "outside-in" else counts_inside_out(counts)

    def _in_numbers(self, table: RuleTable) -> RuleTable:
        if not np.isfinite(table.child.sum() + table.decision.sum() + table.root.sum()):
            raise Diverged.because(f"The rules are not numbers any more in epoch {self.epoch}")
        return table

    def _held_out_likelihood(self, table: RuleTable) -> float:
        potentials = self._potentials(table)
        return float(log_partition(potentials, self.dev.batch, self.dev.factors, threads=self.settings.threads).mean())

    def _warn_if_lower(self, train: float, growing: bool) -> None:
        """EM on all sentences at once cannot lower their likelihood, if its gradient steps are small enough."""
        full_batch_em = self.settings.method != "dmo" and not self.settings.batch_size
        if full_batch_em and not growing and train < self.previous_train - 1e-9 * abs(train):
            warnings.warn(
                f"EM on all sentences at once should not lower their log-likelihood, but epoch {self.epoch} did: "
                f"{self.previous_train:.6f} to {train:.6f}. Lower --learning-rate or --m-steps",
                LikelihoodFell,
                stacklevel=2,
            )
        self.previous_train = -np.inf if growing else train
