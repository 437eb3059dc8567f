"""Training networks: the counts of a start first, then epochs of gradient steps on expected counts.

Everything the paper does is one step: the chart turns the network's rule table and a batch into counts, and the
network moves along the gradient of Σ count · log p(rule). With the expected counts of the current table that is the
gradient of the log-likelihood (direct marginal likelihood optimisation); several steps on the same counts are the
M-step of EM; counts of the best trees make it hard EM; counts of given trees are supervised learning, the start.

A joint model is two learners with one chart, that of their product: the same step then maximises their agreement,
log Σ_z p₀(x, z) p₁(x, z), and several of them are the product EM. Trained separately, each has a chart of its own.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import torch

from depinduce.chart.engine import best_trees, expectations, log_partition
from depinduce.corpus import Corpus
from depinduce.errors import DepinduceError
from depinduce.grammar.between_orders import raise_order
from depinduce.grammar.rules import RuleCounts, RuleTable, multiplied
from depinduce.learning.em import Data, LikelihoodFell
from depinduce.learning.learners import Learner, Problem, TagLearner, product
from depinduce.learning.posterior_constraint import ShareConstraint
from depinduce.learning.settings.networks import NeuralSettings
from depinduce.networks.network_settings import NetworkSettings
from depinduce.networks.tag_network import RuleNetwork, Rules
from depinduce.networks.word_network import LexicalNetwork

T = TypeVar("T")
DIVERGED = 2.0  # so many times the log-likelihood that a word had in the first batch is no fluctuation

Counts = list[RuleCounts]  # of every learner
CountsOf = Callable[[list[Rules]], tuple[Counts, np.ndarray]]  # of a batch: counts, and a score of every sentence


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
    matched: list[float] | None  # with rules: the expected share of dependencies that matched, for every chart
    seconds: float
    sentences_per_second: float


class NetworkTraining:
    """Networks on their way, epoch by epoch; `checkpoints` knows how to save and restore all that changes."""

    def __init__(
        self,
        settings: NeuralSettings,
        learners: list[Learner],
        train: Corpus,
        dev: Corpus | None,
        seed: int,
        starts: list[Start] | None = None,
    ):
        self.settings, self.learners, self.corpus, self.starts = settings, learners, train, starts
        self.generator = np.random.default_rng(seed)
        self.noise = torch.Generator().manual_seed(seed)
        self.train = [learner.sentences(train, "training") for learner in learners]
        self.in_start = [learner.sentences(train, "start") for learner in learners] if starts else []
        self.start_tables = [  # of those starts that are grammars
            start.first_order and raise_order(start.first_order, learner.order)
            for learner, start in zip(learners, starts or [], strict=False)
        ]
        self.constraints = [ShareConstraint.of(settings, train) for _ in range(self._chart_count) if settings.rules]
        held_out = [] if dev is None else [learner.sentences(dev, "training") for learner in learners]
        self.dev = None if dev is None else [minibatches.all() for minibatches in held_out]
        shortest, longest = int(train.lengths.min()), int(train.lengths.max())
        growing = range(max(settings.grow_from, shortest), longest) if settings.grow_from else ()
        self.lengths = [*growing]  # of the growing epochs
        self.longest = longest
        self.epoch, self.best_epoch = 0, 0
        self.best_dev, self.first_per_word, self.previous_train = -np.inf, -np.inf, -np.inf

    @classmethod
    def of_tags(
        cls,
        settings: NeuralSettings,
        network: NetworkSettings,
        train: Corpus,
        dev: Corpus | None,
        seed: int,
        start: Start | None = None,
    ) -> NetworkTraining:
        """Of one grammar over tags."""
        torch.manual_seed(seed)
        learner = TagLearner(RuleNetwork(settings.order, len(train.tag_vocabulary), network), settings)
        return cls(settings, [learner], train, dev, seed, None if start is None else [start])

    @property
    def network(self) -> RuleNetwork | LexicalNetwork:
        """That of the first learner; most trainings have no other."""
        return self.learners[0].network

    @property
    def _chart_count(self) -> int:
        """One for every learner, or one for all of them if they must agree."""
        return 1 if self.settings.agreement else len(self.learners)

    @property
    def total_epochs(self) -> int:
        return len(self.lengths) + self.settings.epochs

    @property
    def finished(self) -> bool:
        """All epochs done, or no better held-out likelihood for so many epochs over all sentences."""
        waited = self.epoch - max(self.best_epoch, len(self.lengths))
        return self.epoch >= self.total_epochs or (self.dev is not None and waited >= self.settings.patience)

    def begin(self) -> None:
        """The epochs on the counts of the start."""
        if self.starts is None:
            return
        for _ in range(self.settings.start_epochs):
            for sentences in self._shuffled(self.longest):
                counts = self._start_counts(sentences)
                self._learn(lambda _, counts=counts: (counts, np.zeros(1)), sentences, steps=1)
        self._keep()

    def _keep(self) -> None:
        """The present weights are the best so far."""
        for learner in self.learners:
            if not learner.in_numbers:
                raise Diverged.because(f"The rules are not numbers any more in epoch {self.epoch}")
            learner.best_weights = learner.weights()

    def run_epoch(self) -> Epoch:
        """One epoch; changes the best weights if they are."""
        self.epoch += 1
        growing = self.epoch <= len(self.lengths)
        max_length = self.lengths[self.epoch - 1] if growing else self.longest
        start, total, sentences_seen, words = time.perf_counter(), 0.0, 0, 0
        for constraint in self.constraints:
            constraint.found = 0.0
        for sentences in self._shuffled(max_length):
            scores = self.learn_from(sentences)
            total, sentences_seen = total + scores.sum(), sentences_seen + len(sentences)
            words += self.corpus.lengths[sentences].sum()
            if np.isneginf(self.first_per_word):
                self.first_per_word = total / words
        train = total / sentences_seen
        for constraint in self.constraints:
            constraint.found /= words
        if not train * sentences_seen >= DIVERGED * self.first_per_word * words:
            raise Diverged.because(f"The log-likelihood of a sentence fell to {train:.2f} in epoch {self.epoch}")
        self._warn_if_lower(train, growing)
        dev = None if self.dev is None else self._held_out_likelihood()
        if dev is None or growing or dev > self.best_dev:
            self._keep()
            self.best_epoch = self.epoch
            self.best_dev = self.best_dev if growing or dev is None else dev
        seconds = time.perf_counter() - start
        matched = [constraint.found for constraint in self.constraints] or None
        return Epoch(self.epoch, max_length, float(train), dev, matched, seconds, sentences_seen / seconds)

    def learn_from(self, sentences: np.ndarray) -> np.ndarray:
        """The step, or the steps, on one batch; gives the log-likelihood (or best tree's score) of its sentences."""
        data = self._take(sentences)

        def counts_of(rules: list[Rules]) -> tuple[Counts, np.ndarray]:
            counts, scores = self._e_step(rules, data, sentences)
            if self.settings.anchor and self.starts is not None:
                start = self._start_counts(sentences)
                counts = [own + self.settings.anchor * given for own, given in zip(counts, start, strict=True)]
            return counts, scores

        return self._learn(counts_of, sentences, data=data)

    def at_best(self, make: Callable[[Learner], T]) -> list[T]:
        """What `make` makes of each learner with its best weights so far."""
        made = []
        for learner in self.learners:
            current = learner.weights()
            learner.network.load_state_dict(learner.best_weights)
            made.append(make(learner))
            learner.network.load_state_dict(current)
        return made

    def table(self) -> RuleTable:
        """The rules of the best network over tags so far."""
        return self.at_best(lambda learner: learner.network.table())[0]

    def _shuffled(self, max_length: int) -> list[np.ndarray]:
        """The sentences of up to so many words in random order, in batches."""
        order = self.generator.permutation(len(self.corpus))
        order = order[self.corpus.lengths[order] <= max_length]
        size = self.settings.batch_size or max(len(order), 1)
        return [order[k : k + size] for k in range(0, len(order), size)]

    def _take(self, sentences: np.ndarray) -> list[Data]:
        return [minibatches.take(sentences)[0] for minibatches in self.train]

    @torch.no_grad()
    def _learn(
        self, counts_of: CountsOf, sentences: np.ndarray, *, data: list[Data] | None = None, steps: int | None = None
    ) -> np.ndarray:
        """Gradient steps on Σ count · log p(rule), the counts being those of the rules before the first step."""
        data = data or self._take(sentences)
        scores = counts = None
        for _ in range(steps or self.settings.gradient_steps):
            made = [learner.rules(own, self.noise) for learner, own in zip(self.learners, data, strict=True)]
            if counts is None:
                counts, scores = counts_of([rules for rules, _ in made])
            for learner, (_, pull_back), own in zip(self.learners, made, counts, strict=True):
                learner.step(pull_back, own, len(sentences))
        return scores

    def _charts(self, rules: list[Rules], data: list[Data]) -> list[Problem]:
        parts = zip(self.learners, rules, data, strict=True)
        problems = [self._in_numbers(learner.problem(own, sentences)) for learner, own, sentences in parts]
        return [product(*problems)] if len(problems) > self._chart_count else problems

    def _e_step(self, rules: list[Rules], data: list[Data], sentences: np.ndarray) -> tuple[Counts, np.ndarray]:
        """The counts of every learner, and a score of every sentence."""
        charts, threads = self._charts(rules, data), self.settings.threads
        if self.constraints:
            tilts = [constraint.tilt.take(sentences) for constraint in self.constraints]
            charts = [
                (table, batch, multiplied(factors, tilt.factors(constraint.dual)))
                for (table, batch, factors), tilt, constraint in zip(charts, tilts, self.constraints, strict=True)
            ]
        if self.settings.method == "hard-em":
            trees = [best_trees(*chart, threads=threads) for chart in charts]
            heads = [found.heads[0] for found in trees] * (len(self.learners) // len(charts))
            parts = zip(self.learners, data, heads, strict=True)
            counts = [learner.counts_of_trees(own, trees_of_all) for learner, own, trees_of_all in parts]
            return counts, sum(found.log_potential[0] for found in trees)
        if len(charts) == len(self.learners):
            expected = [
                expectations(*chart, positions=learner.needs_positions or bool(self.constraints), threads=threads)
                for learner, chart in zip(self.learners, charts, strict=True)
            ]
            counts = [learner.counts(found) for learner, found in zip(self.learners, expected, strict=True)]
        else:
            expected = [expectations(*charts[0], positions=True, threads=threads)]
            second, first = self.learners
            counts = [second.counts(expected[0]), first.counts_in_product(data[1], expected[0])]
        scores = sum(found.log_z for found in expected)
        if self.constraints:
            for found, tilt, constraint in zip(expected, tilts, self.constraints, strict=True):
                matched = tilt.matched(found)
                scores = scores - constraint.dual * matched
                constraint.found += matched.sum()
                constraint.follow(matched.sum(), len(tilt.root))
        return counts, scores

    def _start_counts(self, sentences: np.ndarray) -> Counts:
        """The counts that the start of each learner gives to some sentences."""
        counts = []
        parts = zip(self.learners, self.in_start, self.starts, self.start_tables, strict=True)
        for learner, minibatches, start, table in parts:
            data, tokens = minibatches.take(sentences)
            if start.heads is not None:
                counts.append(learner.counts_of_trees(data, start.heads[tokens]))
            else:
                expected = expectations(table, data.batch, data.factors, threads=self.settings.threads)
                counts.append(learner.counts(expected))
        return counts

    def _in_numbers(self, problem: Problem) -> Problem:
        table = problem[0]
        if not np.isfinite(table.child.sum() + table.decision.sum() + table.root.sum()):
            raise Diverged.because(f"The rules are not numbers any more in epoch {self.epoch}")
        return problem

    @torch.no_grad()
    def _held_out_likelihood(self) -> float:
        rules = [learner.rules(data)[0] for learner, data in zip(self.learners, self.dev, strict=True)]
        charts = self._charts(rules, self.dev)
        return float(sum(log_partition(*chart, threads=self.settings.threads) for chart in charts).mean())

    def _warn_if_lower(self, train: float, growing: bool) -> None:
        """EM on all sentences at once cannot lower their likelihood, if its gradient steps are small enough."""
        full_batch_em = self.settings.method != "dmo" and not self.settings.batch_size and not self.constraints
        if full_batch_em and not growing and train < self.previous_train - 1e-9 * abs(train):
            warnings.warn(
                f"EM on all sentences at once should not lower their log-likelihood, but epoch {self.epoch} did: "
                f"{self.previous_train:.6f} to {train:.6f}. Lower --learning-rate or --m-steps",
                LikelihoodFell,
                stacklevel=2,
            )
        self.previous_train = -np.inf if growing else train
