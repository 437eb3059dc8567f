"""Arrays of which every sentence, or every word, has a piece of its own length."""

from __future__ import annotations

import numpy as np


def pieces(offsets: np.ndarray, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The places of what belongs to some sentences (or words), and their offsets among these."""
    lengths = np.diff(offsets)[numbers]
    new = np.concatenate([[0], np.cumsum(lengths)])
    return np.repeat(offsets[numbers] - new[:-1], lengths) + np.arange(new[-1]), new
