"""The plane of languages: near is what is ordered alike, and its axes mean what they say."""

from __future__ import annotations

import numpy as np
import pytest
from insight.known_orders import with_sides

from depinduce.corpus import Vocabulary
from depinduce.insight.language_plane import language_plane
from depinduce.insight.word_order import WordOrder, order_of_languages

TAGS = Vocabulary(["N", "V", "D"], [3, 2, 1])
N, V, D = range(3)


def languages(*left: dict[tuple[int, int], float]) -> WordOrder:
    """Languages in which children stand on either side alike, but for these pairs (head, child)."""
    shares = np.full((len(left), 3, 3), 0.5)
    for number, pairs in enumerate(left):
        for (head, child), share in pairs.items():
            shares[number, head, child] = share
    weight = np.array([[2.0, 0, 3], [4, 1, 0], [0, 0, 0]])
    return WordOrder(TAGS, tuple(f"l{number}" for number in range(len(left))), shares, weight / weight.sum())


def test_languages_lie_in_the_order_of_their_shares():
    plane = language_plane(order_of_languages(with_sides(0.9, 0.1, 0.6, 0.3)))
    assert plane.points[:, 0].argsort().tolist() == [1, 3, 2, 0]  # what stands on the left lies on the right
    assert plane.axes[0].share == pytest.approx(1)
    assert plane.points[:, 1] == pytest.approx(0, abs=1e-6)


def test_a_plane_keeps_all_distances_of_three_languages():
    order = languages({(V, N): 0.9, (N, D): 0.7}, {(V, N): 0.2, (N, N): 1.0}, {(N, D): 0.1, (V, V): 0.0})
    plane = language_plane(order)
    for one in range(3):
        for other in range(3):
            squares = order.weight * (order.left[one] - order.left[other]) ** 2
            assert np.linalg.norm(plane.points[one] - plane.points[other]) == pytest.approx(np.sqrt(squares.sum()))
    assert sum(axis.share for axis in plane.axes) == pytest.approx(1)


def test_an_axis_is_told_by_what_changes_along_it():
    order = languages({(V, N): 1.0, (N, D): 0.1}, {(V, N): 0.0, (N, D): 0.9}, {(V, N): 0.5, (N, D): 0.5, (N, N): 0.8})
    right, up = language_plane(order).axes
    assert right.more == ["N before V", "D after N"]
    assert up.more == ["N before N"]


def test_another_language_is_placed_among_them():
    order = languages({(V, N): 0.9}, {(V, N): 0.2, (N, D): 0.3}, {(N, N): 0.4}, {})
    plane = language_plane(order)
    for left, point in zip(order.left, plane.points, strict=True):
        assert plane.place(left) == pytest.approx(point)
    assert plane.place(order.left.mean(axis=0)) == pytest.approx([0, 0], abs=1e-12)


def test_vectors_have_a_plane_of_their_own_whose_axes_are_told_by_orders():
    order = languages({(V, N): 0.9}, {(V, N): 0.1}, {(V, N): 0.4, (N, D): 0.9})
    vectors = np.array([[3.0, 0, 1, 0], [-3, 0, 1, 0], [0, 1, 1, 0]])
    plane = language_plane(order, vectors)
    assert plane.points == pytest.approx(np.array([[3, -1 / 3], [-3, -1 / 3], [0, 2 / 3]]))
    assert plane.axes[0].more == ["N before V"] and plane.axes[1].more[0] == "D before N"
    assert plane.axes[0].share == pytest.approx(18 / (18 + 2 / 3))


def test_languages_that_do_not_differ_lie_in_one_place():
    plane = language_plane(languages({}, {}, {}))
    assert plane.points == pytest.approx(0) and [axis.more for axis in plane.axes] == [[], []]


def test_two_languages_need_no_plane():
    with pytest.raises(ValueError, match="2 languages need no plane"):
        language_plane(languages({}, {}))
