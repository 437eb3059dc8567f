"""Count models: rule tables that are relative frequencies of rule counts.

    p(rule | row) = (count + pseudo-count) / (the row's total)

The pseudo-counts are the same for every rule (additive smoothing), or also, in a second-order grammar,
`strength` times the first-order probability of the rule: a Dirichlet prior around the first-order estimates. All of it
works on several grammars in one table (`stacked`), too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from depinduce.grammar.between_orders import raise_order
from depinduce.grammar.rules import Order, RuleCounts, RuleTable


@dataclass(frozen=True)
class Multinomials:
    """The family of count models of one order: how counts become a rule table, and what that maximises."""

    order: Order
    tags: int
    pseudo: RuleCounts  # pseudo-counts of every rule
    child_valence: bool = True  # may the choice of a child depend on the valence?

    @classmethod
    def smoothed(cls, order: Order, tags: int, smoothing: float, child_valence: bool = True) -> Multinomials:
        """The family with the same pseudo-count for every rule."""
        rows = 2 * tags * order.slots(tags)
        pseudo = RuleCounts(np.full(tags, smoothing), np.full((rows, tags), smoothing), np.full((rows, 2), smoothing))
        return cls(order, tags, pseudo, child_valence)

    def around(self, first_order: RuleTable, strength: float) -> Multinomials:
        """This family with `strength` more pseudo-counts per row, dealt out as a first-order grammar would."""
        prior = raise_order(first_order, self.order)
        child = self.pseudo.child + strength * np.exp(prior.child)
        decision = self.pseudo.decision + strength * np.exp(prior.decision)
        return self.with_pseudo(RuleCounts(self.pseudo.root, child, decision))

    def with_pseudo(self, pseudo: RuleCounts) -> Multinomials:
        """The same with other pseudo-counts."""
        return replace(self, pseudo=pseudo)

    def estimate(self, counts: RuleCounts) -> RuleTable:
        """The table that maximises Σ (count + pseudo-count) · log p(rule)."""
        total = counts + self.pseudo
        child = total.child
        if not self.child_valence:
            child = self._tie_valences(child)
        root = log_shares(total.root.reshape(-1, self.tags)).reshape(-1)
        return RuleTable(root, log_shares(child), log_shares(total.decision))

    def _tie_valences(self, child: np.ndarray) -> np.ndarray:
        """Counts summed over the valences. A sibling grammar knows valence only through NULL, and keeps it."""
        if self.order is Order.SIBLING:
            return child
        by_valence = child.reshape(-1, 2, self.tags)  # valence is the last axis of a row
        return np.repeat(by_valence.sum(axis=1), 2, axis=0)

    def log_prior(self, table: RuleTable) -> float:
        """Σ pseudo-count · log p(rule): what EM maximises besides the likelihood."""
        return self.pseudo.dot(table)


def shares(counts: np.ndarray) -> np.ndarray:
    """Counts as shares of their row; a row without any count is uniform."""
    totals = counts.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(totals > 0, counts / totals, 1.0 / counts.shape[-1])


def log_shares(counts: np.ndarray) -> np.ndarray:
    """The logs of `shares`."""
    with np.errstate(divide="ignore"):
        return np.log(shares(counts))


def uniform_counts(order: Order, tags: int) -> RuleCounts:
    """Counts under which every rule of a row is equally probable."""
    rows = 2 * tags * order.slots(tags)
    return RuleCounts(np.ones(tags), np.ones((rows, tags)), np.ones((rows, 2)))


def random_counts(order: Order, tags: int, seed: int) -> RuleCounts:
    """Counts whose shares are drawn uniformly from all distributions (Dirichlet with parameters 1)."""
    draw = np.random.default_rng(seed).standard_exponential
    like = uniform_counts(order, tags)
    return RuleCounts(draw(like.root.shape), draw(like.child.shape), draw(like.decision.shape))
