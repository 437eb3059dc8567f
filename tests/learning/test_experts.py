"""Beliefs about experts, against loops over one distribution at a time, drawn samples and another optimiser."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest

from depinduce.learning.experts import Distributions, Experts, Prior

OUTCOMES, KINDS = 4, 3
KIND = np.array([0, 0, 0, 1, 1, 2])  # six distributions
GROUP_OF = np.array([0, 1, 2, 0, 1, -1])  # those of kinds 0 and 1 share an expert with those of their sentence
GROUP_OF_KIND = np.array([0, 0, -1])


def random_prior(rng: np.random.Generator, kinds: int) -> Prior:
    roots = rng.normal(size=(kinds, OUTCOMES, OUTCOMES)) / 2
    return Prior(rng.normal(size=(kinds, OUTCOMES)), roots @ roots.swapaxes(1, 2) + 0.3 * np.eye(OUTCOMES))


def made(shared: bool, seed: int = 0) -> tuple[Distributions, np.ndarray]:
    """Distributions about which something is believed, and counts of their outcomes."""
    rng = np.random.default_rng(seed)
    own = Experts(KIND, random_prior(rng, KINDS), np.where(GROUP_OF >= 0, 0.5, 1.0) if shared else np.ones(len(KIND)))
    group = Experts(np.zeros(3, dtype=int), random_prior(rng, 1), np.full(3, 0.5))
    for experts in (own, group):
        experts.mean = experts.mean + rng.normal(size=experts.mean.shape)
        experts.variance = experts.variance * rng.uniform(0.5, 2, size=experts.variance.shape)
    counts = 4 * rng.standard_exponential((len(KIND), OUTCOMES))
    return (Distributions(own, group, GROUP_OF, GROUP_OF_KIND) if shared else Distributions(own)), counts


def slow_bound(distributions: Distributions, counts: np.ndarray) -> float:
    """Σ c · (m - log ζ) - Σ KL, by their definitions."""
    total = 0.0
    experts = [(distributions.own, number) for number in range(len(KIND))]
    if distributions.group is not None:
        experts += [(distributions.group, number) for number in range(3)]
    for number, count in enumerate(counts):
        its = [(distributions.own, number, 1.0)]
        if distributions.group is not None and GROUP_OF[number] >= 0:
            its = [(distributions.own, number, 0.5), (distributions.group, GROUP_OF[number], 0.5)]
        mean = sum(weight * of.mean[which] for of, which, weight in its)
        variance = sum(weight**2 * of.variance[which] for of, which, weight in its)
        total += float(count @ (mean - np.log(np.exp(mean + variance / 2).sum())))
    for of, number in experts:
        kind = of.kind[number]
        covariance, apart = of.prior.covariance[kind], of.mean[number] - of.prior.mean[kind]
        inverse = np.linalg.inv(covariance)
        inner = np.trace(inverse @ np.diag(of.variance[number])) + apart @ inverse @ apart - OUTCOMES
        total -= 0.5 * (inner + np.log(np.linalg.det(covariance)) - np.log(of.variance[number]).sum())
    return total


def bound(distributions: Distributions, counts: np.ndarray) -> float:
    return float((counts * distributions.expected_logs()).sum()) - distributions.divergence()


either = pytest.mark.parametrize("shared", [False, True], ids=["own", "shared"])


@either
def test_the_bound_is_its_definition(shared):
    distributions, counts = made(shared)
    assert bound(distributions, counts) == pytest.approx(slow_bound(distributions, counts), rel=1e-10)


@either
def test_the_bound_is_below_the_expectation_of_samples(shared):
    """E_q log θ of experts drawn from what is believed."""
    distributions, _ = made(shared)
    rng, samples = np.random.default_rng(1), 40_000
    own = distributions.own
    scores = own.mean + rng.normal(size=(samples, *own.mean.shape)) * np.sqrt(own.variance)
    if distributions.group is not None:
        group = distributions.group
        drawn = group.mean + rng.normal(size=(samples, *group.mean.shape)) * np.sqrt(group.variance)
        members = GROUP_OF >= 0
        scores[:, members] = (scores[:, members] + drawn[:, GROUP_OF[members]]) / 2
    logs = scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))
    gap = logs.mean(axis=0) - distributions.expected_logs()
    assert (gap > -0.02).all()  # by chance
    assert (gap < 1.0).all()
    np.testing.assert_allclose(gap, np.broadcast_to(gap[:, :1], gap.shape), atol=0.03)  # only log ζ is bounded


def test_of_certain_experts_the_bound_is_exact():
    distributions, _ = made(shared=False)
    distributions.own.variance = np.full_like(distributions.own.variance, 1e-12)
    wanted = np.exp(distributions.own.mean)
    wanted /= wanted.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(np.exp(distributions.expected_logs()), wanted, atol=1e-9)


@either
@pytest.mark.parametrize("seed", range(4))
def test_no_step_lowers_the_bound(shared, seed):
    distributions, counts = made(shared, seed)
    counts[seed] = 0.0  # a distribution that was not used
    before = bound(distributions, counts)
    for _ in range(6):
        distributions.improve(counts, 1)
        improved = bound(distributions, counts)
        distributions.estimate_priors(counts)
        after = bound(distributions, counts)
        assert before - 1e-9 < improved < after + 1e-9
        before = after


@either
def test_many_steps_end_where_another_optimiser_does(shared):
    optimize = pytest.importorskip("scipy.optimize")
    distributions, counts = made(shared)
    trial = deepcopy(distributions)
    parts = [trial.own] + ([trial.group] if trial.group is not None else [])
    sizes = [experts.mean.size for experts in parts]

    def down(place: np.ndarray) -> float:
        rest = place
        for experts, size in zip(parts, sizes, strict=True):
            experts.mean = rest[:size].reshape(-1, OUTCOMES)
            experts.variance = np.exp(rest[size : 2 * size]).reshape(-1, OUTCOMES)
            rest = rest[2 * size :]
        return -bound(trial, counts)

    start = np.concatenate([np.r_[e.mean.ravel(), np.log(e.variance.ravel())] for e in parts])
    best = -optimize.minimize(down, start, method="L-BFGS-B", options={"maxfun": 10**6, "maxiter": 2000}).fun
    distributions.improve(counts, 400)
    assert bound(distributions, counts) == pytest.approx(best, abs=1e-3)


def test_the_prior_is_the_most_probable_one():
    """Not after the shift, which is for all sentences together, but by itself."""
    distributions, counts = made(shared=False)
    distributions.own.estimate_prior()
    best, rng = bound(distributions, counts), np.random.default_rng(2)
    prior = distributions.own.prior
    for _ in range(20):
        near = rng.normal(size=prior.covariance.shape) / 50
        distributions.own.prior = Prior(
            prior.mean + rng.normal(size=prior.mean.shape) / 20, prior.covariance + near @ near.swapaxes(1, 2)
        )
        assert bound(distributions, counts) < best


def test_a_shift_of_certain_experts_gives_relative_frequencies():
    prior = Prior(np.zeros((2, OUTCOMES)), np.repeat(1e-12 * np.eye(OUTCOMES)[None], 2, axis=0))
    own = Experts(np.array([0, 0, 1]), prior, np.ones(3))
    distributions = Distributions(own)
    counts = np.array([[1.0, 2, 3, 4], [4, 3, 2, 1], [5, 1, 1, 1]])
    distributions.improve(counts, 3)
    distributions.estimate_priors(counts)
    shares = np.exp(distributions.prior_scores())
    wanted = np.array([np.full(4, 0.25), np.array([5, 1, 1, 1]) / 8])
    np.testing.assert_allclose(shares / shares.sum(axis=1, keepdims=True), wanted, atol=1e-9)


def test_a_covariance_carries_what_is_learned_of_one_outcome_to_another():
    together = np.eye(OUTCOMES)
    together[0, 1] = together[1, 0] = 0.9
    raised = []
    for covariance in (np.eye(OUTCOMES), together):
        own = Experts(np.zeros(1, dtype=int), Prior(np.zeros((1, OUTCOMES)), covariance[None]), np.ones(1))
        distributions = Distributions(own)
        distributions.improve(np.array([[5.0, 0, 0, 0]]), 200)
        raised.append(own.mean[0, 1] - own.mean[0, 2])
    assert raised[0] == pytest.approx(0, abs=1e-9)
    assert raised[1] > 0.5
