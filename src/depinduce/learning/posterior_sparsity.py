"""Posterior sparsity: of all pairs of tags, few should ever stand in a dependency.

The E-step asks for the distribution q over trees that is near to the model's p and in which few kinds of dependencies
have any probable instance (Gillenwater, Ganchev, Graça, Pereira and Taskar 2011):

    min over q of   KL(q ‖ p) + σ · Σ_kinds max_i E_q[instance i of the kind]

A kind is a head tag and a child tag. It costs nothing while no instance is probable; once one is, all others are free.
An instance is, in the settings' words,

    arcs       an arc between two words: PR-S, the symmetric variant
    children   a word below any word of the head's tag: PR-AS, in which a child may choose between equal heads for free

The dual has a weight λ ≥ 0 for every instance, and those of one kind sum to at most σ. Where

    q(z) ∝ p(z | x) · exp(-Σ λ · instances in z),     D(λ) = -log Σ_z p(z | x) · exp(-Σ λ · instances in z)

is largest, q is the minimiser. The gradient of D by λ is the posterior of the instance: λ climbs it and is projected
onto the simplex of its kind; a step that raises D by less than it promised is tried again with half its length. By so
much as the penalty σ · Σ max is more than Σ λ · posterior, q can still be better (the duality gap): steps go on until
that is little. λ is kept from one E-step to the next.

ROOT has no kinds, as in the original program unless it is told to. Where we differ: the setting `sparsity` is σ for a
thousand sentences. KL grows with the text and the penalty does not, so that σ should grow, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from depinduce.chart.engine import Expectations
from depinduce.corpus.ragged import pairs
from depinduce.grammar.rules import Factors

TOLERANCE = 1e-3  # of the log-likelihood: so small a gap will do
MOST_PASSES = 20  # of an E-step; the next goes on from there
ROUNDING = 1e-9  # by so much, relatively, a step may promise too much for no reason


@dataclass(frozen=True)
class Instances:
    """Which instance of which kind every arc of some sentences is."""

    of_arc: np.ndarray  # [arc] int
    kind: np.ndarray  # [instance] int
    kinds: int

    @classmethod
    def of(
        cls, tags: np.ndarray, offsets: np.ndarray, tag_count: int, instances: str, languages: np.ndarray
    ) -> Instances:
        """Those of tagged sentences, see above. tags: [token], offsets: [sentence + 1], languages: [sentence]"""
        sentence, head, child = pairs(offsets)
        head_tag, child = tags[offsets[sentence] + head].astype(np.int64), offsets[sentence] + child
        language = np.repeat(languages.astype(np.int64), np.diff(offsets))  # [token]
        pair = (language[:, None] * tag_count + np.arange(tag_count)) * tag_count + tags[:, None]  # [child, head tag]
        kinds = (int(languages.max()) + 1) * tag_count**2
        if instances == "arcs":
            return cls(np.arange(len(head)), pair[child, head_tag], kinds)
        return cls(child * tag_count + head_tag, pair.ravel(), kinds)

    def posterior(self, arc: np.ndarray) -> np.ndarray:
        """How probable each instance is. arc: [arc] posteriors"""
        return np.bincount(self.of_arc, weights=arc, minlength=len(self.kind))

    def largest(self, posterior: np.ndarray) -> np.ndarray:
        """The largest posterior of every kind. [kind]"""
        largest = np.zeros(self.kinds)
        np.maximum.at(largest, self.kind, posterior)
        return largest

    def projected(self, weights: np.ndarray, most: float) -> np.ndarray:
        """The nearest weights that are not negative and sum to at most so much in every kind.

        They are max(0, weight - τ). A kind whose positive weights sum to more has a τ > 0, which rises, as weights that
        fall below it are left out (Michelot 1986).
        """
        weights = np.maximum(weights, 0.0)
        threshold = np.zeros(self.kinds)
        left = np.flatnonzero(weights > 0.0)
        left = left[np.bincount(self.kind[left], weights[left], self.kinds)[self.kind[left]] > most]
        while len(left):
            kind, own = self.kind[left], weights[left]
            count, total = np.bincount(kind, minlength=self.kinds), np.bincount(kind, own, self.kinds)
            full = count > 0
            threshold[full] = (total[full] - most) / count[full]
            above = own > threshold[kind]
            if above.all():
                break
            left = left[above]
        return np.maximum(weights - threshold[self.kind], 0.0)


class _Point(NamedTuple):
    """Some λ, and what comes of it."""

    dual: np.ndarray  # [instance]
    expected: Expectations
    log_z: float  # of all sentences, tilted
    posterior: np.ndarray  # [instance]


class PosteriorSparsity:
    """The penalty on a whole corpus, with its dual variables as they were last found."""

    def __init__(self, strength: float, instances: Instances):
        self.strength, self.instances = strength, instances
        self.dual = np.zeros(len(instances.kind))
        self.step = 1.0  # of λ, per posterior
        self.penalty = 0.0  # σ · Σ max, of the last q
        self.gap = 0.0  # how much better it could have been, at the most: by no more an objective of EM can fall

    def satisfied(self, problem: Any, *, threads: int = 1) -> tuple[Expectations, float]:
        """The expectations of a problem of the whole corpus under q, and by how much the tilt has raised their log Z.

        problem: a `Problem`
        """
        now = self._at(problem, self.dual, threads)
        for _ in range(MOST_PASSES):
            if self._gap(now) <= TOLERANCE * abs(now.log_z):
                break
            then = self._at(problem, self._climbed(now), threads)
            moved = then.dual - now.dual
            promised = now.log_z - _dot(now.posterior, moved) + _dot(moved, moved) / (2 * self.step)
            if then.log_z <= promised + ROUNDING * abs(promised):
                now = then
                self.step *= 1.5
            else:
                self.step /= 2
        self.dual, self.gap = now.dual, self._gap(now)
        self.penalty = self.strength * float(self.instances.largest(now.posterior).sum())
        return now.expected, -_dot(now.dual, now.posterior)

    def _gap(self, point: _Point) -> float:
        penalty = self.strength * self.instances.largest(point.posterior).sum()
        return float(penalty - _dot(point.dual, point.posterior))

    def _climbed(self, point: _Point) -> np.ndarray:
        return self.instances.projected(point.dual + self.step * point.posterior, self.strength)

    def _at(self, problem: Any, dual: np.ndarray, threads: int) -> _Point:
        arc = -dual[self.instances.of_arc]
        tilted = problem.times(Factors(arc=np.repeat(arc[:, None], 2, axis=1)))
        expected = tilted.expect(positions=True, threads=threads)
        posterior = self.instances.posterior(expected.arc.sum(axis=1))
        return _Point(dual, expected, tilted.total(expected.log_z), posterior)

    # ---------------------------------------------------------------- what is kept

    def state(self) -> dict[str, np.ndarray]:
        """All that changes, by name."""
        return {"dual": self.dual, "step": np.array([self.step])}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        self.dual, self.step = state["dual"], float(state["step"][0])


def _dot(one: np.ndarray, other: np.ndarray) -> float:
    """Their product by NumPy alone: threads of another library would be slower, and round as it happens."""
    return float((one * other).sum())
