"""Languages as points on a plane: those in which children stand on the same sides of their heads lie together.

Every language is a row of numbers: for each pair of a head and a child the share of children on the left, times the
root of how frequent the pair is. The plane has the two directions in which these rows differ the most (their principal
components), and the points keep as much of the distances as a plane can. A network that tells languages apart by
vectors has other rows, too: what the vector of each language changes. What a direction means is told by the pairs whose
order changes most along it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from depinduce.insight.word_order import WordOrder

FEWEST = 3  # languages that a plane is needed for
TELLING = 0.4  # of the weight of the most telling pair: less is not worth a word


@dataclass(frozen=True)
class Axis:
    """A direction on the plane."""

    share: float  # of all differences between languages, which lie in it
    pairs: list[tuple[str, str, bool]]  # (child, head, whether it stands before it more often the farther one goes)

    @property
    def more(self) -> list[str]:
        """In words: what there is more of the farther one goes, the most telling first."""
        return [f"{child} {'before' if before else 'after'} {head}" for child, head, before in self.pairs]


@dataclass(frozen=True)
class LanguagePlane:
    """Where languages lie."""

    languages: tuple[str, ...]
    points: np.ndarray  # [language, axis]
    axes: tuple[Axis, Axis]  # to the right and upwards
    order: WordOrder
    directions: np.ndarray  # [axis, number of a row]

    def place(self, left: np.ndarray) -> np.ndarray:
        """Where another language lies, if this is a plane of orders. left: [head, child] children on the left"""
        return (_rows(self.order, left[None]) - _rows(self.order).mean(axis=0))[0] @ self.directions.T


def language_plane(order: WordOrder, vectors: np.ndarray | None = None, told: int = 4) -> LanguagePlane:
    """The plane of languages, by order or by vectors. vectors: [language, number]; told: pairs of an axis"""
    if len(order.languages) < FEWEST:
        raise ValueError(f"{len(order.languages)} languages need no plane")
    orders = _rows(order)
    orders -= orders.mean(axis=0)
    rows = orders if vectors is None else vectors - vectors.mean(axis=0)
    _, sizes, directions = np.linalg.svd(rows, full_matrices=False)
    directions = directions[:2]
    changes = (rows @ directions.T).T @ orders  # [axis, pair] how the order changes along it
    sign = np.sign(changes[[0, 1], np.abs(changes).argmax(axis=1)])[:, None]  # the most telling child comes to the left
    shares = sizes**2 / max(float((sizes**2).sum()), np.finfo(float).tiny)
    first, second = (Axis(float(shares[axis]), _telling(order, (sign * changes)[axis], told)) for axis in range(2))
    return LanguagePlane(order.languages, rows @ (sign * directions).T, (first, second), order, sign * directions)


def _rows(order: WordOrder, left: np.ndarray | None = None) -> np.ndarray:
    """Every language as a row of numbers. [language, pair]"""
    left = order.left if left is None else left
    return (left * np.sqrt(order.weight)).reshape(len(left), -1)


def _telling(order: WordOrder, change: np.ndarray, most: int) -> list[tuple[str, str, bool]]:
    """The pairs whose order changes most."""
    ranked = np.argsort(-np.abs(change), kind="stable")[:most]
    pairs = []
    for place in ranked.tolist():
        head, child = divmod(place, len(order.tags))
        if abs(change[place]) >= TELLING * abs(change[ranked[0]]) > 0:
            pairs.append((order.tags[child], order.tags[head], bool(change[place] > 0)))
    return pairs
