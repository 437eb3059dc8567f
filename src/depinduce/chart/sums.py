"""Sums of products along two stretches of a chart, and their derivatives: what every recurrence is made of."""

from __future__ import annotations

from depinduce.chart.lanes import LANES, load, splat, store, where_equal
from depinduce.chart.semirings import ZERO, plus, times


def dot(cells, x, y, count):
    """Σ_k cells[x + k] · cells[y + k]"""
    total = splat(ZERO)
    for k in range(0, count * LANES, LANES):
        total = plus(total, times(load(cells, x + k), load(cells, y + k)))
    return total


def only_where_used(value, outer):
    """The derivative by a cell, or zero where the cell itself is zero: nothing below it is used then."""
    return where_equal(value, ZERO, splat(ZERO), outer)


def hand_down(cells, cell, value):
    """Add to a derivative."""
    store(cells, cell, plus(load(cells, cell), value))


def share_dot(cells, outer, x, out_x, y, out_y, count):
    """The outside of `dot`: hand `outer` down to both its arguments."""
    for k in range(0, count * LANES, LANES):
        x_value, y_value = load(cells, x + k), load(cells, y + k)
        hand_down(cells, out_x + k, times(outer, y_value))
        hand_down(cells, out_y + k, times(outer, x_value))


TEMPLATES = (dot, only_where_used, hand_down, share_dot)
