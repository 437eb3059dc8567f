"""Arrays of which every sentence, or every word, has a piece of its own length."""

from __future__ import annotations

import numpy as np


def pieces(offsets: np.ndarray, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The places of what belongs to some sentences (or words), and their offsets among these."""
    begin = offsets[numbers]  # of these alone: a corpus may be large
    lengths = offsets[np.asarray(numbers) + 1] - begin
    new = np.concatenate([[0], np.cumsum(lengths)])
    return np.repeat(begin - new[:-1], lengths) + np.arange(new[-1]), new


def pairs(offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All pairs of a head and a child: their sentence, and the places of both in it, from 0. [arc]

    An arc has the number head · n + child in its sentence of n words, after those of the sentences before.
    """
    lengths = np.diff(offsets)
    sentence = np.repeat(np.arange(len(lengths)), lengths**2)
    first = np.cumsum(lengths**2) - lengths**2
    head, child = np.divmod(np.arange(len(sentence)) - first[sentence], lengths[sentence])
    return sentence, head, child
