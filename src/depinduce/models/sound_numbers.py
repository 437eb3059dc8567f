"""Whether the numbers of a model can be what they should be; a chart takes whatever it is given.

A file that was damaged is told by its SHA-256. These checks are for models that have none, of version 0.1.0, and for
numbers that were never right.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

TOLERANCE = 1e-3  # of a sum of probabilities that single precision has rounded


def require_kind(arrays: Mapping[str, np.ndarray], dtype: type | np.dtype = np.float64) -> None:
    """Refuse numbers of another kind: their bytes would mean something else."""
    for name, array in arrays.items():
        if array.dtype != dtype:
            raise ValueError(f"{name} holds {array.dtype} numbers, not {np.dtype(dtype)}")


def require_finite(arrays: Mapping[str, np.ndarray]) -> None:
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise ValueError(f"{name} holds numbers that are not finite")


def require_distributions(arrays: Mapping[str, np.ndarray]) -> None:
    """Refuse log probabilities whose rows are no distributions; a single rule may be impossible."""
    require_kind(arrays)
    for name, array in arrays.items():
        if not np.allclose(_row_sums(array), 1, rtol=0, atol=TOLERANCE):
            raise ValueError(f"{name} holds rows that are no probabilities")


def require_expected_logs(arrays: Mapping[str, np.ndarray]) -> None:
    """Refuse what cannot be expected log probabilities: their rows sum to at most 1, and something is possible."""
    require_kind(arrays)
    for name, array in arrays.items():
        possible = np.isfinite(array.max(axis=-1))  # though a double may not hold its probability
        if not (possible & (_row_sums(array) <= 1 + TOLERANCE)).all():
            raise ValueError(f"{name} holds rows that are no expected log probabilities")


def _row_sums(log_probabilities: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return np.exp(log_probabilities).sum(axis=-1)
