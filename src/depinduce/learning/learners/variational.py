"""HDP-DEP by variational inference: mean field over the rules, a point for the top level, all trees and states below.

    shares of the subsymbols of s          β_s ~ sticks with Beta(1, top concentration)             a point
    child symbol of a context              θ   ~ Dirichlet(child prior)                             Dirichlet
    child subsymbol, given that symbol     π   ~ Dirichlet(concentration · β_s)                     Dirichlet
    stop or go                             δ   ~ Dirichlet(decision prior)                          Dirichlet
    tag or word that a subsymbol emits     φ   ~ Dirichlet(emission prior)                          Dirichlet
    trees and subsymbols of the sentences                                                           inside-outside

A context is a head's symbol, subsymbol, direction and valence, or the root. The chart works with exp(E log p) of every
rule; the Dirichlets are the priors plus the chart's counts. Given these counts the Dirichlets of π can be integrated
out of the bound, and the shares are improved by moving them to the expected numbers of tables in the restaurants of
all contexts (Minka's fixed point), which never lowers it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import torch

from depinduce.chart.problems import StateProblem
from depinduce.chart.states import VALENCES, StateBatch, StateExpectations, StateRules
from depinduce.corpus import Corpus
from depinduce.corpus.ragged import pieces
from depinduce.errors import DepinduceError
from depinduce.grammar.knowledge import Knowledge, Matches, load_knowledge
from depinduce.grammar.multinomials import Multinomials, random_counts, uniform_counts
from depinduce.grammar.rules import Order, RuleTable, tag_batch
from depinduce.grammar.trees import tree_counts
from depinduce.learning.expect import EStep
from depinduce.learning.harmonic import harmonic_table
from depinduce.learning.learners.learner import Arrays, Learner, Start, View, under
from depinduce.learning.pieces import Pieces
from depinduce.learning.posterior_constraint import ShareConstraint
from depinduce.learning.settings.configuration import Configuration
from depinduce.learning.settings.states import HdpSettings
from depinduce.models.refinement import Refinement
from depinduce.models.state_model import HdpModel

SMALLEST_SHARE = 1e-8
SHARE_STEPS = 10  # of the fixed point, per iteration
NOISE = 1.0  # of the log weights of subsymbols at the start, that tells them apart
START_SMOOTHING = 0.1


@dataclass(frozen=True)
class Beliefs:
    """The variational posterior, but for the trees: the counts that were added to the priors, and the shares."""

    counts: StateRules
    shares: np.ndarray  # [symbol, state] β
    rules: StateRules  # E log p of every rule


def digamma(array: np.ndarray) -> np.ndarray:
    return torch.digamma(torch.from_numpy(np.ascontiguousarray(array))).numpy()


def log_gamma(array: np.ndarray) -> np.ndarray:
    return torch.lgamma(torch.from_numpy(np.ascontiguousarray(array))).numpy()


def log_beta(parameters: np.ndarray) -> np.ndarray:
    """The logarithm of what normalises a Dirichlet. parameters: [..., outcome]"""
    return log_gamma(parameters).sum(axis=-1) - log_gamma(parameters.sum(axis=-1))


def expected_log(parameters: np.ndarray) -> np.ndarray:
    """E log p under Dirichlets. parameters: [..., outcome]"""
    return digamma(parameters) - digamma(parameters.sum(axis=-1, keepdims=True))


@dataclass(frozen=True)
class StateTilt:
    """Which rules match, by the symbols of their words."""

    matches: Matches

    by_position: ClassVar[bool] = False

    def take(self, sentences: np.ndarray) -> StateTilt:
        """The same for all sentences."""
        return self

    def applied(self, problem: StateProblem, dual: float) -> StateProblem:
        """The problem in which every match weighs exp(λ)."""
        rules = problem.rules
        root, child = rules.root + dual * self.matches.root, rules.child + dual * self.matches.arc
        return problem._replace(rules=rules._replace(root=root, child=child))

    def matched(self, expected: StateExpectations) -> float:
        """The expected number of matches."""
        counts = expected.counts
        return float((counts.root * self.matches.root).sum() + (counts.child * self.matches.arc).sum())


@dataclass(frozen=True)
class StateSentences:
    """A corpus as the chart over states reads it."""

    batch: StateBatch
    of_each_language: None = None

    def all(self) -> StateBatch:
        return self.batch

    def take(
        self, sentences: np.ndarray, times: np.ndarray | None = None, among: np.ndarray | None = None
    ) -> tuple[StateBatch, np.ndarray]:
        assert times is None, "it knows how often they occur"
        return self.batch.take(sentences), pieces(self.batch.offsets, sentences)[0]

    def counted(self) -> tuple[np.ndarray, None]:
        return np.arange(len(self.batch)), None

    def lengths_of(self, sentences: np.ndarray) -> np.ndarray:
        return np.diff(self.batch.offsets)[sentences]


class VariationalLearner(Learner):
    """Beliefs about rules, which the expected counts of all sentences change."""

    settings: HdpSettings

    def __init__(self, settings: HdpSettings, train: Corpus):
        super().__init__(settings)
        self.knowledge = None if settings.rules is None else load_knowledge(settings.rules)
        self.refinement = refinement_of(settings, train, self.knowledge)
        self.constraint: ShareConstraint | None = None
        if self.knowledge is not None:
            matches = self.knowledge.matches(
                self.refinement.symbols
            )  # the last is the unknown one: not met in training
            tilt = StateTilt(Matches(matches.root[:-1, None], matches.arc[:, :-1, None, None, :-1, None]))
            self.constraint = ShareConstraint(settings.rules_share or self.knowledge.share, len(train.tags), tilt)
        self.now: Beliefs | None = None
        self.best: Beliefs | None = None

    # ---------------------------------------------------------------- from sentences to counts

    def sentences(self, corpus: Corpus, stage: str) -> StateSentences:
        batch = self.refinement.batch_without_heads(corpus, self.settings.non_heads_in(stage))
        return StateSentences(distinct(batch) if stage == "training" else batch)

    def view(self, data: StateBatch, training: bool = False) -> View:
        return View(StateProblem(self.beliefs_now.rules, data), data)

    @property
    def beliefs_now(self) -> Beliefs:
        assert self.now is not None, "begin or restore comes first"
        return self.now

    def counts(self, data: StateBatch, expected: StateExpectations) -> StateRules:
        return expected.counts

    def share_constraint(self, train: Corpus) -> ShareConstraint | None:
        return self.constraint

    # ---------------------------------------------------------------- from counts to parameters

    def begin(self, start: Start, train: Corpus) -> None:
        """A first-order grammar in which all subsymbols are alike but for some noise; under the rules, if there are."""
        settings, refinement = self.settings, self.refinement
        symbols, states = len(refinement.symbols), settings.subsymbols
        rules = start_rules(settings, refinement, start, train)
        parts = Pieces(self.sentences(train, "training"), self.team)
        e_step = EStep([self], False, self.constraint, settings.threads, self.team)
        (counts,), _ = e_step.of_all(
            lambda: (([View(StateProblem(rules, data), data)], numbers) for data, numbers in parts)
        )
        self.now = self.beliefs(counts, np.full((symbols, states), 1.0 / states))

    def learn(self, view: View | None, counts: StateRules, sentences: int, steps: int | None = None) -> None:
        self.now = self.beliefs(counts, self._better_shares(counts, self.beliefs_now.shares))

    def beside_likelihood(self) -> float:
        return self._bound_of_rules(self.beliefs_now)

    # ---------------------------------------------------------------- what is kept

    def keep(self) -> None:
        self.best = self.now

    def model(self, about: Mapping[str, Any], best: bool = True) -> HdpModel:
        found = self.best if best and self.best is not None else self.beliefs_now
        return HdpModel(self.refinement, found.rules, found.counts, found.shares, **about)

    def state(self) -> Arrays:
        kept = {"now.": self.now, "best.": self.best}
        return {
            f"{prefix}{name}": array
            for prefix, beliefs in kept.items()
            if beliefs is not None
            for name, array in {**beliefs.counts._asdict(), "shares": beliefs.shares}.items()
        }

    def restore(self, state: Arrays) -> None:
        self.now, self.best = (self._restored(under(prefix, state)) for prefix in ("now.", "best."))

    def _restored(self, arrays: Arrays) -> Beliefs | None:
        if not arrays:
            return None
        shares = arrays.pop("shares")
        return self.beliefs(StateRules(**arrays), shares)

    # ---------------------------------------------------------------- the beliefs

    def beliefs(self, counts: StateRules, shares: np.ndarray) -> Beliefs:
        """What the counts, and the shares, say about the rules."""
        settings, symbol = self.settings, self.refinement.symbol_of_item
        root = expected_log(settings.child_prior + counts.root.sum(axis=-1))[:, None]
        child = expected_log(settings.child_prior + counts.child.sum(axis=-1))[..., None]
        subsymbols = settings.concentration * shares
        emission = settings.emission_prior + counts.emission
        rules = StateRules(
            root=root + expected_log(subsymbols + counts.root),
            child=child + expected_log(subsymbols + counts.child),
            decision=expected_log(settings.decision_prior + counts.decision),
            emission=digamma(emission) - digamma(by_symbol(self.refinement, emission))[symbol],
        )
        return Beliefs(counts, shares, rules)

    def _bound_of_rules(self, beliefs: Beliefs) -> float:
        """What the bound has besides the trees: minus the divergence of the Dirichlets from their priors, and the
        density of the sticks."""
        settings, counts, shares = self.settings, beliefs.counts, beliefs.shares
        symbols, states = shares.shape
        used = sum(float((count * rule).sum()) for count, rule in zip(counts, beliefs.rules, strict=True))
        bound = -used
        for found, prior, outcomes in (
            (counts.root.sum(axis=-1), settings.child_prior, symbols),
            (counts.child.sum(axis=-1), settings.child_prior, symbols),
            (counts.decision, settings.decision_prior, 2),
        ):
            bound += (log_beta(prior + found) - log_beta(np.full(outcomes, prior))).sum()
        subsymbols = settings.concentration * shares
        for found in (counts.root, counts.child):
            bound += (log_beta(subsymbols + found) - log_beta(subsymbols)).sum()
        emission, none = (
            settings.emission_prior + counts.emission,
            np.full_like(counts.emission, settings.emission_prior),
        )
        for sign, items in ((1, emission), (-1, none)):
            bound += sign * (log_gamma(items).sum() - log_gamma(by_symbol(self.refinement, items)).sum())
        left = 1.0 - np.cumsum(shares, axis=1)[:, :-1]  # of the stick, after each break
        before = np.concatenate([np.ones((symbols, 1)), left[:, :-1]], axis=1) if states > 1 else left
        log_kept = np.log(np.maximum(left, SMALLEST_SHARE) / np.maximum(before, SMALLEST_SHARE))  # at every break
        return float(bound + (settings.top_concentration - 1.0) * log_kept.sum())

    def _better_shares(self, counts: StateRules, shares: np.ndarray) -> np.ndarray:
        """β nearer to where the counts of all contexts would have it."""
        settings = self.settings
        symbols, states = shares.shape
        if states == 1:
            return shares
        child = counts.child.reshape(-1, symbols, states)
        contexts = np.concatenate([counts.root[None], child[child.sum(axis=(1, 2)) > 0]])
        for _ in range(SHARE_STEPS):
            subsymbols = settings.concentration * shares
            tables = subsymbols * (digamma(subsymbols + contexts) - digamma(subsymbols)).sum(axis=0)
            after = tables.sum(axis=1, keepdims=True) - np.cumsum(tables, axis=1)  # of all later subsymbols
            rest = np.maximum(after[:, :-1] + settings.top_concentration - 1.0, 0.0)
            with np.errstate(invalid="ignore"):
                breaks = tables[:, :-1] / (tables[:, :-1] + rest)
            left = np.cumprod(1.0 - breaks, axis=1)
            before = np.concatenate([np.ones((symbols, 1)), left], axis=1)
            new = before * np.concatenate([breaks, np.ones((symbols, 1))], axis=1)
            seen = tables.sum(axis=1, keepdims=True) > 1e-12  # a symbol that nobody generated keeps its shares
            new = np.maximum(np.where(seen, np.nan_to_num(new), shares), SMALLEST_SHARE)
            shares = new / new.sum(axis=1, keepdims=True)
        return shares


def distinct(batch: StateBatch) -> StateBatch:
    """Every different sentence once, with how often it occurs."""
    numbers: dict[bytes, int] = {}
    kept: list[int] = []
    weights: list[float] = []
    known = [part for part in (batch.may_be_root,) if part is not None]
    words = np.stack([batch.symbols, batch.items, batch.may_head, *known], axis=1).astype(np.int64)
    arc_offsets = np.concatenate([[0], np.cumsum(np.diff(batch.offsets) ** 2)])
    for sentence in range(len(batch)):
        key = words[batch.offsets[sentence] : batch.offsets[sentence + 1]].tobytes()
        if batch.may_be_arc is not None:
            key += batch.may_be_arc[arc_offsets[sentence] : arc_offsets[sentence + 1]].tobytes()
        place = numbers.setdefault(key, len(kept))
        if place == len(kept):
            kept.append(sentence)
            weights.append(0.0)
        weights[place] += batch.weights[sentence]
    return replace(batch.take(np.array(kept)), weights=np.array(weights))


def refinement_of(settings: HdpSettings, train: Corpus, knowledge: Knowledge | None) -> Refinement:
    """What is a symbol, and what it emits."""
    category = str
    if settings.symbols == "categories" and knowledge is not None:
        category = knowledge.category
        hidden = [name for _, head, child in knowledge.rules for name in (head, child) if category(name) != name]
        if hidden:
            raise DepinduceError(
                f"symbols=categories: --rules {knowledge.name} has a rule about {hidden[0]}, which is a tag of the "
                f"category {category(hidden[0])}. Leave symbols away, or {hidden[0]} out of the category."
            )
    return Refinement.of(train, {tag: category(tag) for tag in train.tag_vocabulary}, settings.emit == "words")


def start_rules(settings: HdpSettings, refinement: Refinement, start: Start, train: Corpus) -> StateRules:
    """The rules of a first-order grammar over symbols, with subsymbols that noise tells apart."""
    table = start_table(settings, refinement, start, train)
    symbols, states = len(refinement.symbols), settings.subsymbols
    generator = np.random.default_rng(settings.seed)
    child = table.child.reshape(2, symbols, 1, 2, symbols, 1)[:, :, :, [0, 1, 1]]  # two children are like one
    decision = table.decision.reshape(2, symbols, 1, 2, 2)[:, :, :, [0, 1, 1]]
    noise = NOISE * generator.standard_normal((2, symbols, states, VALENCES, symbols, states))
    if states == 1:
        noise[:] = 0.0
    subsymbol = noise - np.log(np.exp(noise).sum(axis=-1, keepdims=True))  # log shares: the symbol is as it was
    emitted = by_symbol(refinement, np.ones((len(refinement.items), states)))
    return StateRules(
        root=np.repeat(table.root[:, None], states, axis=1) - np.log(states),
        child=child + subsymbol,
        decision=np.repeat(decision, states, axis=2),
        emission=-np.log(emitted)[refinement.symbol_of_item],
    )


def start_table(settings: HdpSettings, refinement: Refinement, start: Start, train: Corpus) -> RuleTable:
    """The first-order grammar over symbols that the start gives."""
    symbols = len(refinement.symbols)
    family = Multinomials.smoothed(Order.FIRST, symbols, START_SMOOTHING)
    coarse = replace(train, tags=refinement.symbols_in(train).astype(np.int32), tag_vocabulary=refinement.symbols)
    counts = uniform_counts(Order.FIRST, symbols)
    if start.heads is not None:
        counts = tree_counts(counts, tag_batch(Order.FIRST, coarse.tags, coarse.offsets, symbols), start.heads)
    elif start.name == "harmonic":
        return harmonic_table(coarse)
    elif start.name == "random":
        counts = random_counts(Order.FIRST, symbols, settings.seed)
    return family.estimate(counts)


def by_symbol(refinement: Refinement, items: np.ndarray) -> np.ndarray:
    """Sums over the items of every symbol. items: [item, state]"""
    total = np.zeros((len(refinement.symbols), items.shape[1]))
    np.add.at(total, refinement.symbol_of_item, items)
    return total


def make_learners(
    settings: HdpSettings, configuration: Configuration, train: Corpus, seed: int, vectors: np.ndarray | None = None
) -> list[Learner]:
    """The learners of HDP-DEP: one."""
    return [VariationalLearner(settings, train)]
