"""L-BFGS: uphill by gradients, with a memory of how the last ones changed (Nocedal 1980)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

MEMORY = 10  # changes that are remembered
ENOUGH = 1e-4  # of the rise that the gradient promises (Armijo)
HALVINGS = 40
CURVED = 1e-10  # a change that shows less curvature, relatively, teaches nothing
FIRST_STEP = 1.0  # the length of the first step, of which no curvature is known

Function = Callable[[np.ndarray], tuple[float, np.ndarray]]


class Memory:
    """The last changes of place and gradient, by which a gradient becomes a direction."""

    def __init__(self, changes: np.ndarray | None = None):
        """changes: [number, place or gradient, parameter], as `as_array` gives them"""
        self.changes: list[tuple[np.ndarray, np.ndarray]] = [] if changes is None else [(s, y) for s, y in changes]

    def as_array(self, size: int) -> np.ndarray:
        """All that it knows, for a checkpoint. [number, place or gradient, parameter]"""
        return np.array(self.changes).reshape(len(self.changes), 2, size)

    def add(self, moved: np.ndarray, fell: np.ndarray) -> None:
        """Remember a step. moved: the change of place; fell: by how much the gradient of what is maximised fell"""
        if moved @ fell > CURVED * np.linalg.norm(moved) * np.linalg.norm(fell):
            self.changes = [*self.changes, (moved, fell)][-MEMORY:]

    def forget(self) -> None:
        self.changes = []

    def direction(self, gradient: np.ndarray) -> np.ndarray:
        """The inverse of the curvature that it remembers, times the gradient: two loops over the changes."""
        if not self.changes:
            return gradient * (FIRST_STEP / max(float(np.linalg.norm(gradient)), FIRST_STEP))
        found, shares = gradient.copy(), []
        for moved, fell in reversed(self.changes):
            share = (moved @ found) / (moved @ fell)
            found -= share * fell
            shares.append(share)
        moved, fell = self.changes[-1]
        found *= (moved @ fell) / (fell @ fell)
        for (moved, fell), share in zip(self.changes, reversed(shares), strict=True):
            found += moved * (share - (fell @ found) / (moved @ fell))
        return found


def step_up(
    value_at: Callable[[np.ndarray], float], place: np.ndarray, value: float, gradient: np.ndarray, memory: Memory
) -> tuple[np.ndarray, float]:
    """A place with a larger value, and the value; the same place if there is none along the gradient."""
    for direction in (memory.direction(gradient), gradient):
        promised, share = float(direction @ gradient), 1.0
        for _ in range(HALVINGS if promised > 0 else 0):
            there = place + share * direction
            found = value_at(there)
            if found >= value + ENOUGH * share * promised:  # never for NaN
                return there, found
            share /= 2
        memory.forget()
    return place, value


def maximise(function: Function, place: np.ndarray, most: int, tolerance: float = 1e-6) -> np.ndarray:
    """A place where the gradient of a smooth function is small, by at most so many steps up.

    tolerance: how small, by the largest of its numbers
    """
    memory = Memory()
    value, gradient = function(place)
    for _ in range(most):
        if np.abs(gradient).max() <= tolerance:
            break
        there, _ = step_up(lambda at: function(at)[0], place, value, gradient, memory)
        if there is place:
            break
        value, new = function(there)
        memory.add(there - place, gradient - new)
        place, gradient = there, new
    return place
