"""The inside charts: narrow spans first."""

from __future__ import annotations

from depinduce.chart.lanes import (
    gather,
    load,
    load_index,
    scale_index,
    splat,
    spoilt,
    store,
)
from depinduce.chart.semirings import (
    HIGHEST,
    LOWEST,
    SCALED,
    ZERO,
    plus,
    times,
    times_scalar,
)
from depinduce.chart.sibling.cells import (
    ARC_FIRST,
    ARC_LATER,
    COLUMN,
    FIRST,
    GO_AFTER,
    LATER,
    LEFT_SIDE,
    PAIR,
    RIGHT_SIDE,
    ROOT,
    ROW,
    STOP_AFTER,
    at,
)
from depinduce.chart.sums import dot


def chain_sum(child, columns, n, head, edge, low, high, places, cells):
    """Σ_{low < s < high} pair(edge, s) · later(head, s) · child(s | head, edge)"""
    total = splat(ZERO)
    row = scale_index(load_index(places, at(n, ROW, head, edge)), columns)
    for s in range(low + 1, high):
        both = times(load(cells, at(n, PAIR, edge, s)), load(cells, at(n, LATER, head, s)))
        total = plus(total, times(both, gather(child, row, load_index(places, at(n, COLUMN, 0, s)))))
    return total


def put(n, chart, row, column, value, cells, bad):
    """Store a cell; gives the lanes in which any has left the safe range so far."""
    store(cells, at(n, chart, row, column), value)
    return spoilt(bad, value, splat(LOWEST), splat(HIGHEST)) if SCALED else bad


def fill_inside(child, columns, n, contexts, places, cells):
    """The inside charts, narrow spans first. Gives the lanes in which a cell left the safe range."""
    bad = splat(0.0)
    for h in range(n):
        for side in (LEFT_SIDE, RIGHT_SIDE):
            bad = put(n, side, h, h, load(cells, at(n, side, h, h)), cells, bad)
    for width in range(1, n):
        for i in range(n - width):
            j = i + width
            # pair(i, j) = Σ_{i ≤ r < j} right(i, r) · left(j, r+1)
            pair = dot(cells, at(n, RIGHT_SIDE, i, i), at(n, LEFT_SIDE, j, i + 1), width)
            store(cells, at(n, PAIR, j, i), pair)
            bad = put(n, PAIR, i, j, pair, cells, bad)
            # chain(h, c) = right(c, h-1) · stop(h, c) + go(h, c) · Σ_s pair(c, s) · later(h, s) · child(s | h, c)
            for head, edge, between in (
                (j, i, at(n, RIGHT_SIDE, i, j - 1)),
                (i, j, at(n, LEFT_SIDE, j, i + 1)),
            ):
                more = chain_sum(child, columns, n, head, edge, i, j, places, cells)
                alone = times(load(cells, between), load(cells, at(n, STOP_AFTER, head, edge)))
                chain = plus(alone, times(load(cells, at(n, GO_AFTER, head, edge)), more))
                later = times(chain, load(cells, at(n, ARC_LATER, head, edge)))
                first = times(chain, load(cells, at(n, ARC_FIRST, head, edge)))
                bad = put(n, LATER, head, edge, later, cells, bad)
                bad = put(n, FIRST, head, edge, first, cells, bad)
            # left(j, i) = Σ_{i ≤ c < j} left(c, i) · first(j, c)
            left = dot(cells, at(n, LEFT_SIDE, i, i), at(n, FIRST, j, i), width)
            # right(i, j) = Σ_{i < c ≤ j} right(c, j) · first(i, c)
            right = dot(cells, at(n, RIGHT_SIDE, j, i + 1), at(n, FIRST, i, i + 1), width)
            store(cells, at(n, LEFT_SIDE, i, j), left)
            store(cells, at(n, RIGHT_SIDE, j, i), right)
            bad = put(n, LEFT_SIDE, j, i, left, cells, bad)
            bad = put(n, RIGHT_SIDE, i, j, right, cells, bad)
    return bad


def root_weight(n, contexts, length, lane, h, cells):
    """root(h) · left(h, 1) · right(h, n)"""
    sides = times_scalar(cells[at(n, LEFT_SIDE, h, 0) + lane], cells[at(n, RIGHT_SIDE, h, length - 1) + lane])
    return times_scalar(cells[at(n, ROOT, 0, h) + lane], sides)


TEMPLATES = (chain_sum, put, fill_inside, root_weight)
