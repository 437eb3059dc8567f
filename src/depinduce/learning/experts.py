"""Experts: normal vectors drawn anew for every sentence, and the beliefs about them that expected counts teach.

    expert       η_e ~ N(μ_k, Σ_k)                     k: the kind of the expert, such as children on the left of NN
    rule         θ   = softmax of the mean of its experts: its own and, where it has one, that of its group
    belief       q(η_e) = N(λ_e, diag s_e)

For a distribution with the expected counts c, n in all, and experts of weight w (1, or 1/2 for each of two) let

    m = Σ w λ_e,    v = Σ w² s_e,    E_q log θ  ≥  m - log ζ,    ζ = Σ exp(m + v/2)

which is the tangent bound on the log normaliser at the best ζ. Beliefs and priors then maximise

    Σ c · (m - log ζ) - Σ_e KL(q(η_e) ‖ N(μ_k, Σ_k))

Log Σ exp curves by no more than 1/2, so that it lies below a parabola. With it in its place, λ and s have a best
value in closed form: no step lowers the bound, and none needs a search. With p = exp(m + v/2) / ζ and sums over the
distributions of an expert:

    λ ← λ + t · Σ_k (Σ w (c - n p) - Σ_k⁻¹ (λ - μ_k)),    t = 1 / (1 + w² Σn · ‖Σ_k‖ / 2)
    s ← 2 / (b + √(b² + 4a)),    a = w⁴ Σn / 4,    b = (Σ_k⁻¹)_ii + w² Σ n p - a s
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from depinduce.grammar.log_linear import log_softmax

MOST_MOVE = 10.0  # of a score in one step of all sentences together


@dataclass
class Prior:
    """What the experts of every kind have in common."""

    mean: np.ndarray  # [kind, outcome] μ
    covariance: np.ndarray  # [kind, outcome, outcome] Σ

    def __post_init__(self):
        self.precision = np.linalg.inv(self.covariance)
        self.norm = np.linalg.eigvalsh(self.covariance)[:, -1]  # [kind]
        self.log_determinant = np.linalg.slogdet(self.covariance)[1]  # [kind]


class Experts:
    """Experts in the order of their kinds, and what is believed of them."""

    def __init__(self, kind: np.ndarray, prior: Prior, weight: np.ndarray):
        """kind: [expert], in order; weight: [expert] its share in the scores of a distribution"""
        self.kind, self.weight = kind, weight
        kinds = len(prior.mean)
        self.numbers = np.bincount(kind, minlength=kinds)  # [kind]
        bounds = np.concatenate([[0], np.cumsum(self.numbers)])
        self.of_kind = [slice(*pair) for pair in zip(bounds[:-1], bounds[1:], strict=True)]
        self.believe_prior(prior)

    def believe_prior(self, prior: Prior) -> None:
        """Nothing is known yet but the prior."""
        self.prior = prior
        self.mean = prior.mean[self.kind]  # [expert, outcome] λ
        self.variance = 1.0 / self._diagonal()  # [expert, outcome] s

    def _diagonal(self) -> np.ndarray:
        """(Σ⁻¹)_ii of every expert. [expert, outcome]"""
        return np.diagonal(self.prior.precision, axis1=1, axis2=2)[self.kind]

    def times(self, matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
        """The vector of every expert times the matrix of its kind. matrices: [kind, outcome, outcome], symmetric"""
        product = np.empty_like(vectors)
        for matrix, own in zip(matrices, self.of_kind, strict=True):
            product[own] = vectors[own] @ matrix
        return product

    def pull(self) -> np.ndarray:
        """Σ⁻¹ (λ - μ) of every expert. [expert, outcome]"""
        return self.times(self.prior.precision, self.mean - self.prior.mean[self.kind])

    def divergence(self) -> float:
        """Σ KL(q ‖ prior)."""
        apart = self.mean - self.prior.mean[self.kind]
        squares = (apart * self.pull() + self._diagonal() * self.variance - np.log(self.variance) - 1).sum()
        return float(squares + self.prior.log_determinant[self.kind].sum()) / 2

    def improve_means(self, missing: np.ndarray, total: np.ndarray) -> None:
        """A step of λ. missing: [expert, outcome] Σ (c - n p); total: [expert] Σ n"""
        step = 1 / (1 + self.weight**2 * total * self.prior.norm[self.kind] / 2)
        towards = self.weight[:, None] * missing - self.pull()
        self.mean = self.mean + step[:, None] * self.times(self.prior.covariance, towards)

    def improve_variances(self, expected: np.ndarray, total: np.ndarray) -> None:
        """A step of s. expected: [expert, outcome] Σ n p; total: [expert] Σ n"""
        curve = (self.weight**4 * total / 4)[:, None]
        slope = self._diagonal() + (self.weight**2)[:, None] * expected - curve * self.variance
        self.variance = 2 / (slope + np.sqrt(slope**2 + 4 * curve))

    def shift(self, counted: np.ndarray, expected: np.ndarray) -> None:
        """Move the experts of a kind and the mean of its prior together, towards the counts.

        Beliefs stay as far from the prior as they are. What the counts gain, w · Δ · Σ c - Σ n · log Σ p exp(w Δ), is
        more than the same with Σ n p (exp(w Δ) - 1) in the place of the last term, of which this is the maximum.

        counted: [kind, outcome] Σ c of the distributions with such an expert; expected: [kind, outcome] Σ n p
        """
        weight = np.ones(len(counted))
        weight[self.kind] = self.weight
        with np.errstate(divide="ignore", invalid="ignore"):
            move = np.nan_to_num(np.log(counted) - np.log(expected), nan=0.0)
        move = np.clip(move, -MOST_MOVE, MOST_MOVE) / weight[:, None]
        self.prior.mean = self.prior.mean + move
        self.mean = self.mean + move[self.kind]

    def estimate_prior(self) -> None:
        """The prior under which what is believed of all sentences is most probable."""
        mean, covariance = self.prior.mean.copy(), self.prior.covariance.copy()
        for kind, own in enumerate(self.of_kind):
            if self.numbers[kind] > 0:
                mean[kind] = self.mean[own].mean(axis=0)
                apart = self.mean[own] - mean[kind]
                spread = np.diag(self.variance[own].mean(axis=0))
                covariance[kind] = apart.T @ apart / self.numbers[kind] + spread
        self.prior = Prior(mean, covariance)


class Distributions:
    """The distributions of all sentences that have outcomes of one sort, such as child tags, with their experts."""

    def __init__(
        self,
        own: Experts,
        group: Experts | None = None,
        group_of: np.ndarray | None = None,
        group_of_kind: np.ndarray | None = None,
    ):
        """own: in the order of the distributions; group_of: [distribution] its expert in `group`, -1 where none
        group_of_kind: [kind] the kind of that expert
        """
        self.own, self.group, self.group_of_kind = own, group, group_of_kind
        self.members = np.zeros(0, dtype=np.int64) if group_of is None else np.flatnonzero(group_of >= 0)
        self.expert = np.zeros(0, dtype=np.int64) if group_of is None else group_of[self.members]
        self.size = 0 if group is None else len(group.kind)

    def scores(self) -> tuple[np.ndarray, np.ndarray]:
        """m, and m + v/2. [distribution, outcome] each"""
        own, weight = self.own, self.own.weight[:, None]
        mean, variance = weight * own.mean, weight**2 * own.variance
        if self.group is not None:
            weight = self.group.weight[self.expert][:, None]
            mean[self.members] += weight * self.group.mean[self.expert]
            variance[self.members] += weight**2 * self.group.variance[self.expert]
        return mean, mean + variance / 2

    def prior_scores(self) -> np.ndarray:
        """m, if all experts are the means of their priors. [kind, outcome]"""
        if self.group is None or self.group_of_kind is None:
            return self.own.prior.mean
        in_group = self.group_of_kind >= 0
        of_group = self.group.prior.mean[self.group_of_kind[in_group]]
        scores = self.own.prior.mean.copy()
        scores[in_group] = (scores[in_group] + of_group) / 2
        return scores

    def expected_logs(self) -> np.ndarray:
        """The bound on E log θ. [distribution, outcome]"""
        mean, upper = self.scores()
        highest = upper.max(axis=1, keepdims=True)
        return mean - highest - np.log(np.exp(upper - highest).sum(axis=1, keepdims=True))

    def improve(self, counts: np.ndarray, steps: int) -> None:
        """Better beliefs from expected counts. [distribution, outcome]"""
        total = counts.sum(axis=1)
        for _ in range(steps):
            self.own.improve_means(counts - self._expected(total), total)
            self.own.improve_variances(self._expected(total), total)
            if self.group is not None:
                of_group = self._in_group(total)
                self.group.improve_means(self._in_group(counts - self._expected(total)), of_group)
                self.group.improve_variances(self._in_group(self._expected(total)), of_group)

    def estimate_priors(self, counts: np.ndarray) -> None:
        """Better priors, and with them beliefs, from expected counts."""
        self.own.shift(self._by_kind(counts), self._by_kind(self._expected(counts.sum(axis=1))))
        self.own.estimate_prior()
        if self.group is not None:
            self.group.estimate_prior()

    def divergence(self) -> float:
        """Σ KL of all experts."""
        return self.own.divergence() + (0.0 if self.group is None else self.group.divergence())

    def _expected(self, total: np.ndarray) -> np.ndarray:
        """n p. [distribution, outcome]"""
        return total[:, None] * np.exp(log_softmax(self.scores()[1]))

    def _in_group(self, numbers: np.ndarray) -> np.ndarray:
        """Sums over the distributions of every expert of a group. [expert, …]"""
        sums = np.zeros((self.size, *numbers.shape[1:]))
        np.add.at(sums, self.expert, numbers[self.members])
        return sums

    def _by_kind(self, numbers: np.ndarray) -> np.ndarray:
        """Sums over the distributions of every kind. [kind, outcome]"""
        return np.stack([numbers[own].sum(axis=0) for own in self.own.of_kind])
