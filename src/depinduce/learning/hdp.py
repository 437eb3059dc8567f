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

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch

from depinduce.chart.states import VALENCES, StateBatch, StateExpectations, StateRules, state_expectations
from depinduce.corpus import Corpus, Reading
from depinduce.errors import DepinduceError
from depinduce.grammar.knowledge import Knowledge, Matches, load_knowledge
from depinduce.grammar.multinomials import Multinomials, random_counts, uniform_counts
from depinduce.grammar.rules import Order, RuleTable, tag_batch
from depinduce.grammar.trees import tree_counts
from depinduce.learning.count_training import learn, require_same_run
from depinduce.learning.em import Step
from depinduce.learning.posterior_constraint import TOLERANCE, ShareConstraint
from depinduce.learning.settings.states import HdpSettings
from depinduce.learning.starts import harmonic_table, start_trees
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


class HdpSteps:
    """The updates, as EM sees them: expectations of trees and states, then the beliefs about everything else."""

    def __init__(
        self,
        settings: HdpSettings,
        refinement: Refinement,
        train: StateBatch,
        dev: StateBatch | None = None,
        knowledge: Knowledge | None = None,
    ):
        self.settings, self.refinement, self.train, self.dev = settings, refinement, distinct(train), dev
        self.matches, self.constraint = None, None
        if knowledge is not None:
            matches = knowledge.matches(refinement.symbols)  # the last is the unknown one, which training does not meet
            self.matches = Matches(matches.root[:-1, None], matches.arc[:, :-1, None, None, :-1, None])
            self.constraint = ShareConstraint(settings.rules_share or knowledge.share, len(train.symbols))

    @property
    def slack(self) -> float:
        return 1e-9 if self.constraint is None else TOLERANCE

    # ---------------------------------------------------------------- what EM calls

    def expect(self, beliefs: Beliefs) -> tuple[Beliefs, float, float]:
        """Counts (with the shares they were found under), mean log-likelihood, and the bound."""
        expected, matched = self.expectations(beliefs.rules)
        score = float(self.train.weights @ expected.log_z)
        if self.constraint is not None:
            score -= self.constraint.dual * matched
        mean, bound = score / self.train.weights.sum(), score + self._bound_of_rules(beliefs)
        return replace(beliefs, counts=expected.counts), float(mean), bound

    def estimate(self, found: Beliefs) -> Beliefs:
        return self.beliefs(found.counts, self._better_shares(found.counts, found.shares))

    def held_out(self, beliefs: Beliefs) -> float | None:
        if self.dev is None:
            return None
        return float(state_expectations(beliefs.rules, self.dev, threads=self.settings.threads).log_z.mean())

    def expectations(self, rules: StateRules) -> tuple[StateExpectations, float]:
        """Of all trees and states, under the constraint if there is one; and how many dependencies match its rules."""
        threads = self.settings.threads
        if self.constraint is None:
            return state_expectations(rules, self.train, threads=threads), 0.0

        def expect(dual: float) -> tuple[tuple[StateExpectations, float], float]:
            root, child = rules.root + dual * self.matches.root, rules.child + dual * self.matches.arc
            expected = state_expectations(rules._replace(root=root, child=child), self.train, threads=threads)
            counts = expected.counts
            matched = (counts.root * self.matches.root).sum() + (counts.child * self.matches.arc).sum()
            return (expected, float(matched)), matched

        return self.constraint.satisfy(expect)

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
            emission=digamma(emission) - digamma(self.by_symbol(emission))[symbol],
        )
        return Beliefs(counts, shares, rules)

    def by_symbol(self, items: np.ndarray) -> np.ndarray:
        """Sums over the items of every symbol. items: [item, state]"""
        total = np.zeros((len(self.refinement.symbols), items.shape[1]))
        np.add.at(total, self.refinement.symbol_of_item, items)
        return total

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
            bound += sign * (log_gamma(items).sum() - log_gamma(self.by_symbol(items)).sum())
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
    words = np.stack([batch.symbols, batch.items, batch.may_head], axis=1).astype(np.int64)
    for sentence in range(len(batch)):
        key = words[batch.offsets[sentence] : batch.offsets[sentence + 1]].tobytes()
        place = numbers.setdefault(key, len(kept))
        if place == len(kept):
            kept.append(sentence)
            weights.append(0.0)
        weights[place] += batch.weights[sentence]
    lengths = np.diff(batch.offsets)
    mask = np.repeat(np.isin(np.arange(len(batch)), kept), lengths)
    offsets = np.concatenate([[0], np.cumsum(lengths[kept])])
    return StateBatch(offsets, batch.symbols[mask], batch.items[mask], batch.may_head[mask], np.array(weights))


# ---------------------------------------------------------------- a training


def train_hdp(
    settings: HdpSettings,
    reading: Reading,
    train: Corpus,
    dev: Corpus | None = None,
    report: Callable[[Step], None] = lambda step: None,
    earlier: HdpModel | None = None,
) -> tuple[HdpModel, bool]:
    """A trained model, and whether training finished (or Ctrl-C ended it early; then go on from it as `earlier`)."""
    if earlier is not None:
        require_same_run(earlier, settings, train)
    knowledge = None if settings.rules is None else load_knowledge(settings.rules)
    refinement = refinement_of(settings, train, knowledge)
    non_heads = settings.constrained_tags
    parts = [None if corpus is None else refinement.batch_without_heads(corpus, non_heads) for corpus in (train, dev)]
    learning = HdpSteps(settings, refinement, *parts, knowledge)
    if earlier is None:
        beliefs = start(settings, learning, train, reading)
    else:
        beliefs = learning.beliefs(earlier.counts, earlier.shares)
    outcome, history = learn(learning, beliefs, settings, train, report, earlier)
    found = outcome.parameters
    model = HdpModel(refinement, found.rules, found.counts, found.shares, non_heads, reading, history)
    return model, outcome.finished


def refinement_of(settings: HdpSettings, train: Corpus, knowledge: Knowledge | None) -> Refinement:
    """What is a symbol, and what it emits."""
    category = str
    if settings.symbols == "categories":
        category = knowledge.category
        hidden = [name for _, head, child in knowledge.rules for name in (head, child) if category(name) != name]
        if hidden:
            raise DepinduceError(
                f"--symbols categories: --rules {knowledge.name} has a rule about {hidden[0]}, which is a tag of the "
                f"category {category(hidden[0])}. Leave --symbols away, or {hidden[0]} out of the category."
            )
    return Refinement.of(train, {tag: category(tag) for tag in train.tag_vocabulary}, settings.emit == "words")


def start(settings: HdpSettings, learning: HdpSteps, train: Corpus, reading: Reading) -> Beliefs:
    """A first-order grammar in which all subsymbols are alike but for some noise."""
    refinement = learning.refinement
    table = start_table(settings, refinement, train, reading)
    symbols, states = len(refinement.symbols), settings.subsymbols
    generator = np.random.default_rng(settings.seed)
    child = table.child.reshape(2, symbols, 1, 2, symbols, 1)[:, :, :, [0, 1, 1]]  # two children are like one
    decision = table.decision.reshape(2, symbols, 1, 2, 2)[:, :, :, [0, 1, 1]]
    noise = NOISE * generator.standard_normal((2, symbols, states, VALENCES, symbols, states))
    if states == 1:
        noise[:] = 0.0
    subsymbol = noise - np.log(np.exp(noise).sum(axis=-1, keepdims=True))  # log shares: the symbol is as it was
    rules = StateRules(
        root=np.repeat(table.root[:, None], states, axis=1) - np.log(states),
        child=child + subsymbol,
        decision=np.repeat(decision, states, axis=2),
        emission=-np.log(learning.by_symbol(np.ones((len(refinement.items), states))))[refinement.symbol_of_item],
    )
    expected, _ = learning.expectations(rules)
    return learning.beliefs(expected.counts, np.full((symbols, states), 1.0 / states))


def start_table(settings: HdpSettings, refinement: Refinement, train: Corpus, reading: Reading) -> RuleTable:
    """The first-order grammar over symbols that --init names."""
    symbols = len(refinement.symbols)
    family = Multinomials.smoothed(Order.FIRST, symbols, START_SMOOTHING)
    if settings.init[0] in ("uniform", "random"):
        counts = uniform_counts(Order.FIRST, symbols)
        return family.estimate(
            counts if settings.init[0] == "uniform" else random_counts(Order.FIRST, symbols, settings.seed)
        )
    coarse = replace(train, tags=refinement.symbols_in(train).astype(np.int32), tag_vocabulary=refinement.symbols)
    if settings.init[0] == "harmonic":
        return harmonic_table(coarse)
    seed, threads = settings.seed, settings.threads
    heads = start_trees(settings.init, train, reading, settings.constrained_tags, seed=seed, threads=threads)
    batch = tag_batch(Order.FIRST, coarse.tags, coarse.offsets, symbols)
    return family.estimate(tree_counts(uniform_counts(Order.FIRST, symbols), batch, heads))
