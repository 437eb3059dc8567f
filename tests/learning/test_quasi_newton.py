"""L-BFGS, against known maxima and another implementation."""

from __future__ import annotations

import numpy as np
import pytest

from depinduce.learning.quasi_newton import MEMORY, Memory, maximise, step_up


def hill(place: np.ndarray) -> tuple[float, np.ndarray]:
    """A long narrow ridge with one top, at 1, 2, 3, …"""
    apart, steep = place - np.arange(1, len(place) + 1), 10.0 ** np.arange(len(place))
    return -float(steep @ apart**2), -2 * steep * apart


def bent(place: np.ndarray) -> tuple[float, np.ndarray]:
    """Rosenbrock's valley, upside down: its top is at 1, 1."""
    x, y = place
    value = -((1 - x) ** 2) - 100 * (y - x**2) ** 2
    return value, np.array([2 * (1 - x) + 400 * x * (y - x**2), -200 * (y - x**2)])


def test_the_top_of_a_ridge_is_found():
    np.testing.assert_allclose(maximise(hill, np.zeros(5), 200, 1e-9), [1, 2, 3, 4, 5], atol=1e-8)


def test_the_top_of_a_bent_ridge_is_found_in_fewer_steps_than_along_the_gradient():
    assert maximise(bent, np.array([-1.2, 1.0]), 100, 1e-8) == pytest.approx(np.ones(2), abs=1e-6)
    place = np.array([-1.2, 1.0])
    for _ in range(100):
        place, _ = step_up(lambda at: bent(at)[0], place, *bent(place), Memory())
    assert np.abs(place - 1).max() > 0.1


def test_the_maximum_is_that_of_another_implementation():
    optimize = pytest.importorskip("scipy.optimize")
    rng = np.random.default_rng(0)
    cases, outcomes, count = rng.normal(size=(30, 8)), rng.normal(size=8), 0.3

    def regression(place: np.ndarray) -> tuple[float, np.ndarray]:
        signs = np.sign(cases @ outcomes)
        margin = signs * (cases @ place)
        value = -np.logaddexp(0, -margin).sum() - count * place @ place
        return float(value), cases.T @ (signs / (1 + np.exp(margin))) - 2 * count * place

    def down(place: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = regression(place)
        return -value, -gradient

    wanted = optimize.minimize(down, np.zeros(8), jac=True, method="L-BFGS-B", options={"gtol": 1e-9, "ftol": 0}).x
    np.testing.assert_allclose(maximise(regression, np.zeros(8), 200, 1e-9), wanted, atol=1e-6)


def test_no_step_goes_down():
    place, memory = np.array([-1.2, 1.0]), Memory()
    value, gradient = bent(place)
    for _ in range(30):
        there, found = step_up(lambda at: bent(at)[0], place, value, gradient, memory)
        assert found > value
        value, new = bent(there)
        memory.add(there - place, gradient - new)
        place, gradient = there, new


def test_where_nothing_is_higher_one_stays():
    top, memory = np.array([1.0, 2.0]), Memory()
    found, value = step_up(lambda at: hill(at)[0], top, 0.0, np.array([0.1, 0.1]), memory)  # a gradient that is wrong
    assert found is top and value == 0.0


def test_a_memory_comes_back_from_its_array_and_forgets_what_is_old():
    memory, rng = Memory(), np.random.default_rng(1)
    for _ in range(MEMORY + 3):
        moved = rng.normal(size=4)
        memory.add(moved, moved * [1.0, 2.0, 3.0, 4.0])
    array = memory.as_array(4)
    assert array.shape == (MEMORY, 2, 4)
    gradient = rng.normal(size=4)
    assert Memory(array).direction(gradient).tobytes() == memory.direction(gradient).tobytes()
    assert Memory().as_array(4).shape == (0, 2, 4)


def test_a_memory_learns_the_curvature():
    memory = Memory()
    for axis in range(3):
        moved = np.eye(3)[axis]
        memory.add(moved, moved * [1.0, 10.0, 100.0])
    assert memory.direction(np.ones(3)) == pytest.approx([1.0, 0.1, 0.01])


def test_a_change_without_curvature_teaches_nothing():
    memory = Memory()
    memory.add(np.ones(3), -np.ones(3))
    memory.add(np.ones(3), np.zeros(3))
    assert memory.changes == []
