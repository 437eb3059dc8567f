"""The outside charts: wide spans first, derivatives of log Z, and the expected counts."""

from __future__ import annotations

from depinduce.chart.grandparent.cells import (
    ALL_CHARTS,
    COLUMN,
    LEFT_SIDE,
    LINK,
    OPEN,
    OUT_LEFT,
    OUT_OPEN,
    OUT_OWN,
    OUT_RIGHT,
    OUT_ROOT,
    OWN,
    OWN_CONTEXT,
    RIGHT_SIDE,
    ROOT,
    ROW,
    at,
)
from depinduce.chart.grandparent.inside import ends, load_own
from depinduce.chart.lanes import (
    LANES,
    load,
    load_index,
    scale_index,
    scatter_add,
    splat,
    splat_index,
    store,
)
from depinduce.chart.semirings import (
    ZERO,
    as_probability,
    divide_scalar,
    plus,
    plus_scalar,
    probability,
    times,
    times_scalar,
)
from depinduce.chart.sums import hand_down, only_where_used, share_dot
from depinduce.compiled import compiled
from depinduce.grammar.rules import GO, HAS, LEFT, NO, STOP


def start_outside(n, contexts, cells):
    """Zeros everywhere."""
    for k in range(at(n, contexts, OUT_LEFT, 0, 0, 0), at(n, contexts, ALL_CHARTS, 0, 0, 0)):
        cells[k] = ZERO


def seed_outside(n, contexts, length, lane, z, cells):
    """The derivatives of log Z by the cells of one sentence that make it up."""
    for h in range(length):
        left = cells[at(n, contexts, LEFT_SIDE, NO, h, 0) + lane]
        right = cells[at(n, contexts, RIGHT_SIDE, NO, h, length - 1) + lane]
        root = divide_scalar(cells[at(n, contexts, ROOT, 0, 0, h) + lane], z)
        cells[at(n, contexts, OUT_LEFT, NO, h, 0) + lane] = times_scalar(root, right)
        cells[at(n, contexts, OUT_RIGHT, NO, h, length - 1) + lane] = times_scalar(root, left)
        posterior = as_probability(times_scalar(times_scalar(root, right), left))
        cells[at(n, contexts, OUT_ROOT, 0, 0, h) + lane] = posterior


def start_own(n, contexts, width, cells):
    """Zeros for what OWN will receive."""
    out_own = at(n, contexts, OUT_OWN, 0, 0, 0)
    for k in range(0, width * LANES, LANES):
        store(cells, out_own + k, splat(ZERO))


def hand_down_own(n, contexts, out_side, row, column, count, head, places, cells):
    """The outside of `load_own`: what OWN has received goes to each lane's own context."""
    target, own = at(n, contexts, out_side, 0, row, column), at(n, contexts, OUT_OWN, 0, 0, 0)
    if contexts == 1:
        for k in range(0, count * LANES, LANES):
            hand_down(cells, target + k, load(cells, own + k))
    else:
        for lane in range(LANES):
            lane_target = target + places[at(n, contexts, OWN_CONTEXT, 0, 0, head) + lane]
            for k in range(0, count * LANES, LANES):
                cells[lane_target + k] = plus_scalar(cells[lane_target + k], cells[own + k + lane])


def fill_outside(child, columns, n, contexts, places, cells, child_count, decision_count):
    """The outside charts, wide spans first, and the expected counts of all rules but the root's."""
    for width in range(n - 1, 0, -1):
        for i in range(n - width):
            for direction in range(2):
                outside_of_side(n, contexts, i, i + width, direction, places, cells)
            for direction in range(2):
                outside_of_gap(
                    columns, n, contexts, i, i + width, direction, places, cells, child_count, decision_count
                )
    for x in range(2 * contexts):
        for h in range(n):
            for direction in range(2):
                row = scale_index(load_index(places, at(n, contexts, ROW + direction, x, 0, h)), 2)
                inner = load(cells, at(n, contexts, LEFT_SIDE + direction, x, h, h))
                outer = load(cells, at(n, contexts, OUT_LEFT + direction, x, h, h))
                scatter_add(decision_count, row, splat_index(STOP), probability(times(inner, outer)))


def outside_of_side(n, contexts, i, j, direction, places, cells):
    """Below left(h, i; g, v) = Σ_{i ≤ c < h} left(c, i; h, NO) · open(h, c; g, v)"""
    head, edge = ends(i, j, direction)
    width, nearest = j - i, i + direction
    side, out_side = LEFT_SIDE + direction, OUT_LEFT + direction
    own, out_own = at(n, contexts, OWN, 0, 0, 0), at(n, contexts, OUT_OWN, 0, 0, 0)
    own_context = load_index(places, at(n, contexts, OWN_CONTEXT, 0, 0, head))
    load_own(n, contexts, side, edge, nearest, width, own_context, cells)
    start_own(n, contexts, width, cells)
    for x in range(2 * contexts):
        one_half, other_half = (
            at(n, contexts, out_side, x, head, edge),
            at(n, contexts, out_side, x, edge, head),
        )
        outer = plus(load(cells, one_half), load(cells, other_half))
        outer = only_where_used(load(cells, at(n, contexts, side, x, head, edge)), outer)
        opened, out_open = (
            at(n, contexts, OPEN, x, head, nearest),
            at(n, contexts, OUT_OPEN, x, head, nearest),
        )
        share_dot(cells, outer, own, out_own, opened, out_open, width)
    hand_down_own(n, contexts, out_side, edge, nearest, width, head, places, cells)


def outside_of_gap(columns, n, contexts, i, j, direction, places, cells, child_count, decision_count):
    """Below open(h, c; g, v) = link(h, c; g, v) · Σ_{c ≤ r < h} right(c, r; h, NO) · left(h, r+1; g, HAS)"""
    head, edge = ends(i, j, direction)
    width, nearest, farther = j - i, i + direction, i + 1 - direction
    own, out_own = at(n, contexts, OWN, 0, 0, 0), at(n, contexts, OUT_OWN, 0, 0, 0)
    own_context = load_index(places, at(n, contexts, OWN_CONTEXT, 0, 0, head))
    load_own(n, contexts, RIGHT_SIDE - direction, edge, nearest, width, own_context, cells)
    start_own(n, contexts, width, cells)
    column = load_index(places, at(n, contexts, COLUMN, 0, 0, edge))
    for g in range(contexts):
        outer = splat(ZERO)
        for x in range(2 * g, 2 * g + 2):
            opened = load(cells, at(n, contexts, OPEN, x, head, edge))
            out_open = only_where_used(opened, load(cells, at(n, contexts, OUT_OPEN, x, head, edge)))
            outer = plus(outer, times(out_open, load(cells, at(n, contexts, LINK, x, head, edge))))
            posterior = probability(times(out_open, opened))
            row = load_index(places, at(n, contexts, ROW + direction, x, 0, head))
            scatter_add(child_count, scale_index(row, columns), column, posterior)
            scatter_add(decision_count, scale_index(row, 2), splat_index(GO), posterior)
        x = 2 * g + HAS
        side = at(n, contexts, LEFT_SIDE + direction, x, head, farther)
        out_side = at(n, contexts, OUT_LEFT + direction, x, head, farther)
        share_dot(cells, outer, own, out_own, side, out_side, width)
    hand_down_own(n, contexts, OUT_RIGHT - direction, edge, nearest, width, head, places, cells)


def position_posteriors(n, contexts, start, length, arcs_from, lane, cells, arc, decision):
    """Arcs by the valence of their head, and decisions, of one sentence."""
    for h in range(length):
        for direction in range(2):
            for valence in range(2):
                stopped = gone = 0.0
                for x in range(valence, 2 * contexts, 2):
                    inner = cells[at(n, contexts, LEFT_SIDE + direction, x, h, h) + lane]
                    outer = cells[at(n, contexts, OUT_LEFT + direction, x, h, h) + lane]
                    stopped += as_probability(times_scalar(inner, outer))
                for c in range(h) if direction == LEFT else range(h + 1, length):
                    posterior = 0.0
                    for x in range(valence, 2 * contexts, 2):
                        inner = cells[at(n, contexts, OPEN, x, h, c) + lane]
                        outer = cells[at(n, contexts, OUT_OPEN, x, h, c) + lane]
                        posterior += as_probability(times_scalar(inner, outer))
                    arc[2 * (arcs_from + h * length + c) + valence] = posterior
                    gone += posterior
                decisions = (((start + h) * 2 + direction) * 2 + valence) * 2
                decision[decisions + STOP], decision[decisions + GO] = stopped, gone


@compiled
def root_posterior(n, contexts, h, lane, cells):
    return cells[at(n, contexts, OUT_ROOT, 0, 0, h) + lane]


TEMPLATES = (
    start_outside,
    seed_outside,
    start_own,
    hand_down_own,
    outside_of_side,
    outside_of_gap,
    fill_outside,
    position_posteriors,
)
