"""The inside charts: narrow spans first."""

from __future__ import annotations

from depinduce.chart.grandparent.cells import (
    GAP,
    LEFT_SIDE,
    LINK,
    OPEN,
    OWN,
    OWN_CONTEXT,
    RIGHT_SIDE,
    ROOT,
    at,
)
from depinduce.chart.lanes import (
    LANES,
    gather,
    load,
    load_index,
    splat,
    splat_index,
    spoilt,
    store,
)
from depinduce.chart.semirings import (
    HIGHEST,
    LOWEST,
    SCALED,
    times,
    times_scalar,
)
from depinduce.chart.sums import dot
from depinduce.compiled import compiled
from depinduce.grammar.rules import HAS, LEFT, NO


def load_own(n, contexts, side, row, column, count, own_context, cells):
    """Part of a row of a side, every lane in its own context, with valence NO, into OWN."""
    source, own = at(n, contexts, side, 0, row, column), at(n, contexts, OWN, 0, 0, 0)
    if contexts == 1:
        for k in range(0, count * LANES, LANES):
            store(cells, own + k, load(cells, source + k))
    else:
        for k in range(0, count * LANES, LANES):
            store(cells, own + k, gather(cells, own_context, splat_index(source + k)))


def put(n, contexts, chart, x, row, column, value, cells, bad):
    """Store a cell; gives the lanes in which any has left the safe range so far."""
    store(cells, at(n, contexts, chart, x, row, column), value)
    return spoilt(bad, value, splat(LOWEST), splat(HIGHEST)) if SCALED else bad


def fill_inside(child, columns, n, contexts, places, cells):
    """The inside charts, narrow spans first. Gives the lanes in which a cell left the safe range."""
    bad = splat(0.0)
    for x in range(2 * contexts):
        for h in range(n):
            for side in (LEFT_SIDE, RIGHT_SIDE):
                bad = put(n, contexts, side, x, h, h, load(cells, at(n, contexts, side, x, h, h)), cells, bad)
    for width in range(1, n):
        for i in range(n - width):
            for direction in range(2):
                bad = inside_of_span(n, contexts, i, i + width, direction, places, cells, bad)
    return bad


@compiled
def ends(i, j, direction):
    """The head and the farthest word of a side that covers i .. j."""
    return (j, i) if direction == LEFT else (i, j)


def inside_of_span(n, contexts, i, j, direction, places, cells, bad):
    """The cells of one direction over i .. j."""
    head, edge = ends(i, j, direction)
    width, nearest, farther = j - i, i + direction, i + 1 - direction
    our_side, their_side = LEFT_SIDE + direction, RIGHT_SIDE - direction
    own, own_context = (
        at(n, contexts, OWN, 0, 0, 0),
        load_index(places, at(n, contexts, OWN_CONTEXT, 0, 0, head)),
    )
    # gap(h, c; g) = Σ_{c ≤ r < h} right(c, r; h, NO) · left(h, r+1; g, HAS)
    load_own(n, contexts, their_side, edge, nearest, width, own_context, cells)
    for g in range(contexts):
        gap = dot(cells, own, at(n, contexts, our_side, 2 * g + HAS, head, farther), width)
        bad = put(n, contexts, GAP, 2 * g + HAS, head, edge, gap, cells, bad)
        for x in range(2 * g, 2 * g + 2):
            opened = times(load(cells, at(n, contexts, LINK, x, head, edge)), gap)
            bad = put(n, contexts, OPEN, x, head, edge, opened, cells, bad)
    # left(h, i; g, v) = Σ_{i ≤ c < h} left(c, i; h, NO) · open(h, c; g, v)
    load_own(n, contexts, our_side, edge, nearest, width, own_context, cells)
    for x in range(2 * contexts):
        whole = dot(cells, own, at(n, contexts, OPEN, x, head, nearest), width)
        store(cells, at(n, contexts, our_side, x, edge, head), whole)
        bad = put(n, contexts, our_side, x, head, edge, whole, cells, bad)
    return bad


def root_weight(n, contexts, length, lane, h, cells):
    """root(h) · left(h, 1; ROOT, NO) · right(h, n; ROOT, NO)"""
    left = cells[at(n, contexts, LEFT_SIDE, NO, h, 0) + lane]
    right = cells[at(n, contexts, RIGHT_SIDE, NO, h, length - 1) + lane]
    return times_scalar(cells[at(n, contexts, ROOT, 0, 0, h) + lane], times_scalar(left, right))


TEMPLATES = (load_own, put, inside_of_span, fill_inside, root_weight)
