"""The training of one model: a start, then rounds of E-steps and learning, until it is time to stop.

A round goes over all sentences: a count model sees them at once (an iteration of EM), a network in batches (an epoch).
Whoever learns is a `Learner`; a joint model has two, that learn from one chart, the product of both (those that learn
each for itself are trainings of their own, see `learning.separate`).
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from depinduce.corpus import Corpus
from depinduce.errors import DepinduceError
from depinduce.learning.expect import EStep, Found
from depinduce.learning.given_trees import tell_the_optimum
from depinduce.learning.languages import batches_of_languages, language_of, told_apart
from depinduce.learning.learners.learner import Arrays, Learner, Start, View, under, with_prefix
from depinduce.learning.pieces import Pieces
from depinduce.learning.posterior_constraint import TOLERANCE
from depinduce.learning.settings.learning import LearningSettings
from depinduce.learning.team import ALONE, Team

DIVERGED = 2.0  # so many times the log-likelihood that a word had in the first batches is no fluctuation
ROUNDING = 1e-9  # by so much, relatively, an objective may fall for no reason
NUMBERS = ("round", "best_round", "best_dev", "first_per_word", "previous")


class Diverged(DepinduceError):
    """Training went astray."""

    @classmethod
    def because(cls, what: str) -> Diverged:
        return cls(f"{what}. What there was before is kept; lower --learning-rate (or m_steps) and start again.")


class LikelihoodFell(UserWarning):
    """EM cannot lower its objective: if it does, something is wrong with the data or the settings."""


@dataclass(frozen=True)
class Round:
    """One round as it is reported."""

    round: int
    max_length: int  # of the sentences learned from
    train: float  # mean log-likelihood of a sentence, before it was learned from (hard EM: of its best tree; where
    # ambiguity costs something: less that, see `EStep.counts`; variational inference: log Z, part of a bound)
    dev: float | None  # mean log-likelihood of a held-out sentence after the round
    objective: float | None  # what EM maximises: the log-likelihood of all sentences plus the log prior, less penalties
    matched: list[float] | None  # with rules: the expected share of dependencies that matched, for every chart
    seconds: float
    sentences_per_second: float


def growing_lengths(settings: LearningSettings, train: Corpus) -> list[int]:
    """The most words of a sentence in each of the rounds that come before those over all sentences.

    Sentences with known heads are easy, whatever their length: they are learned from in all rounds. Where there are
    enough of them, nothing need be easy otherwise.
    """
    lengths = train.lengths[~train.is_given]
    if not settings.grow_from or len(lengths) == 0 or tell_the_optimum(train):
        return []
    return [*range(max(settings.grow_from, int(lengths.min())), int(lengths.max()))]


class Training:
    """Learners on their way, round by round."""

    def __init__(
        self,
        settings: LearningSettings,
        learners: list[Learner],
        train: Corpus,
        dev: Corpus | None = None,
        seed: int = 0,
        starts: list[Start] | None = None,
        team: Team = ALONE,
    ):
        self.team = team
        for learner in learners:
            learner.team = team
        self.settings, self.learners, self.corpus = settings, learners, train
        self.starts = starts or [Start(settings.init[0]) for _ in learners]
        self.generator = np.random.default_rng(seed)
        self.train = [learner.sentences(train, "training") for learner in learners]
        self.in_start = [learner.sentences(train, "start") for learner in learners] if self.learns_start else []
        self.start_tables = [  # of those starts that are grammars
            learner.start_table(train) if self.learns_start and start.heads is None else None
            for learner, start in zip(learners, self.starts, strict=True)
        ]
        constraint = learners[0].share_constraint(train)
        self.constraints = [] if constraint is None else [constraint]
        self.sparsity = learners[0].posterior_sparsity(train)
        self.e_step = EStep(learners, settings.hard, constraint or self.sparsity, settings.threads, team)
        self.dev = None
        if dev is not None:
            own = team.share(np.arange(len(dev)))
            self.dev = [learner.sentences(dev, "held-out").take(own)[0] for learner in learners]
        self.whole = None
        if not self.in_batches:  # such a model has one learner
            self.whole = Pieces(self.train[0], team, undivided=settings.undivided is not None)
        self.language = language_of(train) if told_apart(settings, train) else None  # [sentence], if anybody asks
        self.longest = int(train.lengths.max())
        self.lengths = growing_lengths(settings, train)
        self.given = train.is_given  # [sentence]
        self.round, self.best_round = 0, 0
        self.best_dev, self.first_per_word, self.previous = -np.inf, -np.inf, -np.inf

    @property
    def in_batches(self) -> bool:
        return self.settings.batch_size is not None

    @property
    def learns_start(self) -> bool:
        """Whether parameters are learned from the counts of the start, and not made of them."""
        return self.in_batches and any(start.name != "random" for start in self.starts)

    def _from_table(self, start: Start) -> bool:
        return self.learns_start and start.heads is None

    @property
    def early_rounds(self) -> int:
        """Rounds that do not yet maximise what later ones do: nothing to be compared with, and no reason to stop."""
        return max(len(self.lengths), self.settings.falling_rounds)

    @property
    def total_rounds(self) -> int:
        return len(self.lengths) + self.settings.most_rounds

    @property
    def finished(self) -> bool:
        """All rounds done, or no better held-out likelihood for so many rounds over all sentences."""
        waited = self.round - max(self.best_round, self.early_rounds)
        return self.round >= self.total_rounds or (self.dev is not None and waited >= self.settings.patience)

    # ---------------------------------------------------------------- going on

    def begin(self) -> None:
        """What comes before the first round."""
        if not self.in_batches:
            for learner, start in zip(self.learners, self.starts, strict=True):
                learner.begin(start, self.corpus)
        elif self.learns_start:
            for _ in range(self.settings.start_epochs):
                for sentences in self._shuffled(self.longest):
                    views, own = self._views_of_share(sentences)
                    found = self.e_step.in_team(Found(self._start_counts(own, sentences), 0.0))
                    self._learn(views, found.counts, len(sentences), steps=1)
        self._keep()

    def before(self) -> dict[str, float | None] | None:
        """The mean log-likelihood of a training and of a held-out sentence before the first round, after the start.

        None if that is over, or if there was nothing to learn.
        """
        if self.round > 0 or not self.learns_start:
            return None
        total, size = 0.0, self.settings.batch_size or len(self.corpus)
        for first in range(0, len(self.corpus), size):
            sentences = np.arange(first, min(first + size, len(self.corpus)))
            own = self.team.share(sentences)
            views = self._views([learner.take(own, among=sentences)[0] for learner in self.train])
            total += self.e_step.log_likelihood(views) * len(sentences)
        dev = None if self.dev is None else self.e_step.log_likelihood(self._views(self.dev))
        return {"train": total / len(self.corpus), "dev": dev}

    def run_round(self) -> Round:
        """One round; the parameters after it are kept if they are the best."""
        self.round += 1
        growing = self.round <= len(self.lengths)
        max_length = self.lengths[self.round - 1] if growing else self.longest
        began, sentences, words = time.perf_counter(), len(self.corpus), len(self.corpus.tags)
        if self.in_batches:
            total, sentences, words = self._learn_from_batches(max_length)
            objective = None
        else:
            total, objective = self._learn_from_all()
        train = total / sentences
        if self.in_batches and not train * sentences >= DIVERGED * self.first_per_word * words:
            raise Diverged.because(f"The log-likelihood of a sentence fell to {train:.2f} in {self._name}")
        self._warn_if_lower(train if objective is None else objective, growing)
        dev = None if self.dev is None else self.e_step.log_likelihood(self._views(self.dev))
        early = self.round <= self.early_rounds
        if dev is None or early or dev > self.best_dev:
            self._keep()
            self.best_round = self.round
            self.best_dev = self.best_dev if early or dev is None else dev
        seconds = time.perf_counter() - began
        matched = [constraint.found for constraint in self.constraints] or None
        return Round(
            self.round, max_length, float(train), dev, objective, matched, seconds, sentences / seconds
        )  # fmt: skip

    def _learn_from_all(self) -> tuple[float, float]:
        """One step on all sentences; their log-likelihood before it, and the objective."""
        assert self.whole is not None, "it learns from batches"
        whole, (learner,), unambiguity = self.whole, self.learners, self.settings.unambiguity_in(self.round)
        view = None
        if self.settings.undivided is None:
            (counts,), total = self.e_step.of_all(
                lambda: ((self._views([data], training=True), numbers) for data, numbers in whole), unambiguity
            )
        else:
            ((data, _),) = whole
            (view,) = views = self._views([data], training=True)
            (counts,), total = self.e_step.counts(views, unambiguity=unambiguity)
        objective = total + learner.beside_likelihood()
        objective -= 0.0 if self.sparsity is None else self.sparsity.penalty
        learner.learn(view, counts, len(self.corpus))
        return total, float(objective)

    def _learn_from_batches(self, max_length: int) -> tuple[float, int, int]:
        """Steps on all batches: the log-likelihood of their sentences before each, and how many sentences and words."""
        total, sentences_seen, words = 0.0, 0, 0
        for constraint in self.constraints:
            constraint.found = 0.0
        batches = self._shuffled(max_length)
        first = 1 if self.language is None else min(len(self.corpus.languages), len(batches))  # one of every language
        for number, sentences in enumerate(batches, start=1):
            total, sentences_seen = total + self.learn_from(sentences), sentences_seen + len(sentences)
            words += int(self._lengths(sentences).sum())
            if np.isneginf(self.first_per_word) and number >= first:
                self.first_per_word = total / words
        for constraint in self.constraints:
            constraint.found /= words
        return total, sentences_seen, words

    def learn_from(self, sentences: np.ndarray) -> float:
        """The step, or the steps, on one batch; gives the log-likelihood of its sentences before."""
        views, own = self._views_of_share(sentences)
        beside = None
        if self.settings.anchor and self.learns_start:
            beside = [self.settings.anchor * counts for counts in self._start_counts(own, sentences)]
        counts, total = self.e_step.counts(views, own, beside)
        self._learn(views, counts, len(sentences))
        return total

    def _views_of_share(self, sentences: np.ndarray) -> tuple[list[View], np.ndarray]:
        """This process's share of a batch as learners see it in training, and its sentences.

        Shares are as alike in their lengths as can be, so that processes need not wait for each other.
        """
        own = sentences
        if self.team.size > 1:
            own = self.team.share(sentences[np.argsort(self._lengths(sentences), kind="stable")])
        return self._views([learner.take(own, among=sentences)[0] for learner in self.train], training=True), own

    def _lengths(self, sentences: np.ndarray) -> np.ndarray:
        return self.corpus.offsets[sentences + 1] - self.corpus.offsets[sentences]

    def _views(self, data: list[Any], training: bool = False) -> list[View]:
        views = [learner.view(own, training) for learner, own in zip(self.learners, data, strict=True)]
        for view in views:
            if self.in_batches and not view.problem.is_sound:
                raise Diverged.because(f"The rules are not numbers any more in {self._name}")
        return views

    def _learn(self, views: list[View], counts: list[Any], sentences: int, steps: int | None = None) -> None:
        for learner, view, own in zip(self.learners, views, counts, strict=True):
            learner.learn(view, own, sentences, steps)

    def _start_counts(self, sentences: np.ndarray, among: np.ndarray) -> list[Any]:
        """The counts that the start of each learner gives to some sentences of a batch."""
        counts = []
        parts = zip(self.learners, self.in_start, self.starts, self.start_tables, strict=True)
        for learner, own, start, table in parts:
            data, tokens = own.take(sentences, among=among)
            if start.heads is not None:
                counts.append(learner.counts_of_trees(data, start.heads[tokens]))
            elif table is not None:
                counts.append(learner.counts(data, data.problem(table).expect(threads=self.settings.threads)))
        return counts

    def _shuffled(self, max_length: int) -> list[np.ndarray]:
        """The sentences of up to so many words in random order, in batches; where languages are told apart, of one."""
        order = self.generator.permutation(len(self.corpus))
        order = order[(self.corpus.lengths[order] <= max_length) | self.given[order]]
        size = self.settings.batch_size or max(len(order), 1)
        if self.language is None:
            return [order[k : k + size] for k in range(0, len(order), size)]
        batches = batches_of_languages(order, self.language, size, self.settings.languages == "alike", self.generator)
        return batches if self.settings.batch_size else [np.concatenate(batches)]

    def _keep(self) -> None:
        """The present parameters are the best so far."""
        for learner in self.learners:
            if not learner.is_sound:
                raise Diverged.because(f"The rules are not numbers any more in {self._name}")
            learner.keep()

    @property
    def _name(self) -> str:
        return f"{self.settings.round_name} {self.round}"

    def _warn_if_lower(self, objective: float, growing: bool) -> None:
        """A learner that climbs cannot lower its objective; but a start need not belong to its family."""
        slack = (ROUNDING if not self.constraints else TOLERANCE) * abs(self.previous)
        slack += 0.0 if self.sparsity is None else self.sparsity.gap
        climbs = self.settings.climbs and not (self.in_batches and self.constraints) and self.language is None
        settled = self.round > 2 or self.in_batches
        if climbs and settled and not growing and objective < self.previous - slack:
            hint = ". Lower --learning-rate or m_steps" if self.in_batches else ""
            warnings.warn(
                f"the objective of EM fell from {self.previous:.9g} to {objective:.9g} in {self._name}{hint}",
                LikelihoodFell,
                stacklevel=3,
            )
        self.previous = -np.inf if growing else objective

    # ---------------------------------------------------------------- what is kept

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """All that changes: arrays, and the rest as JSON has it."""
        arrays: Arrays = {}
        for number, learner in enumerate(self.learners):
            arrays |= with_prefix(f"{number}.", learner.state())
        if self.sparsity is not None:
            arrays |= with_prefix("sparsity.", self.sparsity.state())
        numbers = {name: float(getattr(self, name)) for name in NUMBERS}
        rules = [constraint.as_history(str(self.settings.rules)) for constraint in self.constraints]
        return arrays, {"numbers": numbers, "rules": rules, "generator": self.generator.bit_generator.state}

    def restore(self, arrays: Arrays, state: dict[str, Any]) -> None:
        """Bring a new training to where the saved one was."""
        for number, learner in enumerate(self.learners):
            learner.restore(under(f"{number}.", arrays))
        if self.sparsity is not None:
            self.sparsity.restore(under("sparsity.", arrays))
        for name in NUMBERS:
            value = state["numbers"][name]
            setattr(self, name, int(value) if name in ("round", "best_round") else value)
        for constraint, remembered in zip(self.constraints, state.get("rules", ()), strict=True):
            constraint.restore(remembered)
        self.generator.bit_generator.state = state["generator"]
