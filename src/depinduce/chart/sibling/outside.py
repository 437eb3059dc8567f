"""The outside charts: wide spans first, derivatives of log Z, and the expected counts."""

from __future__ import annotations

from depinduce.chart.lanes import (
    add,
    gather,
    load,
    load_index,
    scale_index,
    scatter_add,
    splat,
    splat_index,
)
from depinduce.chart.semirings import (
    ZERO,
    as_probability,
    divide_scalar,
    plus,
    probability,
    times,
    times_scalar,
)
from depinduce.chart.sibling.cells import (
    ALL_CHARTS,
    ARC_FIRST,
    ARC_LATER,
    COLUMN,
    FIRST,
    GO_AFTER,
    LATER,
    LEFT_SIDE,
    NULL_ROW,
    OUT_FIRST,
    OUT_LATER,
    OUT_LEFT,
    OUT_PAIR,
    OUT_RIGHT,
    OUT_ROOT,
    PAIR,
    RIGHT_SIDE,
    ROOT,
    ROW,
    STOP_AFTER,
    at,
)
from depinduce.chart.sums import hand_down, only_where_used, share_dot
from depinduce.compiled import compiled
from depinduce.grammar.rules import GO, HAS, LEFT, NO, RIGHT, STOP


def start_outside(n, contexts, cells):
    """Zeros everywhere."""
    for k in range(at(n, OUT_LEFT, 0, 0), at(n, ALL_CHARTS, 0, 0)):
        cells[k] = ZERO


def seed_outside(n, contexts, length, lane, z, cells):
    """The derivatives of log Z by the cells of one sentence that make it up."""
    for h in range(length):
        left, right = cells[at(n, LEFT_SIDE, h, 0) + lane], cells[at(n, RIGHT_SIDE, h, length - 1) + lane]
        root = divide_scalar(cells[at(n, ROOT, 0, h) + lane], z)
        cells[at(n, OUT_LEFT, h, 0) + lane] = times_scalar(root, right)
        cells[at(n, OUT_RIGHT, h, length - 1) + lane] = times_scalar(root, left)
        cells[at(n, OUT_ROOT, 0, h) + lane] = as_probability(times_scalar(times_scalar(root, right), left))


def both_halves(n, chart, out_chart, a, b, cells):
    """The whole derivative by a cell of a symmetric chart."""
    outer = plus(load(cells, at(n, out_chart, a, b)), load(cells, at(n, out_chart, b, a)))
    return only_where_used(load(cells, at(n, chart, a, b)), outer)


def share_chain(child, columns, n, head, edge, low, high, outer, places, cells, child_count):
    """The outside of `chain_sum`; counts the rules child(s | head, edge) and gives their total."""
    total = splat(0.0)
    row = scale_index(load_index(places, at(n, ROW, head, edge)), columns)
    for s in range(low + 1, high):
        column = load_index(places, at(n, COLUMN, 0, s))
        pair, later = load(cells, at(n, PAIR, edge, s)), load(cells, at(n, LATER, head, s))
        weight = times(outer, gather(child, row, column))
        to_pair = times(weight, later)
        hand_down(cells, at(n, OUT_PAIR, edge, s), to_pair)
        hand_down(cells, at(n, OUT_LATER, head, s), times(weight, pair))
        posterior = probability(times(to_pair, pair))
        scatter_add(child_count, row, column, posterior)
        total = add(total, posterior)
    return total


def fill_outside(child, columns, n, contexts, places, cells, child_count, decision_count):
    """The outside charts, wide spans first, and the expected counts of all rules but the root's."""
    for width in range(n - 1, 0, -1):
        for i in range(n - width):
            j = i + width
            outer = both_halves(n, LEFT_SIDE, OUT_LEFT, j, i, cells)
            x, out_x = at(n, LEFT_SIDE, i, i), at(n, OUT_LEFT, i, i)
            share_dot(cells, outer, x, out_x, at(n, FIRST, j, i), at(n, OUT_FIRST, j, i), width)
            outer = both_halves(n, RIGHT_SIDE, OUT_RIGHT, i, j, cells)
            x, out_x = at(n, RIGHT_SIDE, j, i + 1), at(n, OUT_RIGHT, j, i + 1)
            share_dot(cells, outer, x, out_x, at(n, FIRST, i, i + 1), at(n, OUT_FIRST, i, i + 1), width)
            for side in range(2):
                outside_of_chain(child, columns, n, i, j, side, places, cells, child_count, decision_count)
            outer = both_halves(n, PAIR, OUT_PAIR, i, j, cells)
            x, out_x = at(n, RIGHT_SIDE, i, i), at(n, OUT_RIGHT, i, i)
            share_dot(cells, outer, x, out_x, at(n, LEFT_SIDE, j, i + 1), at(n, OUT_LEFT, j, i + 1), width)
    for h in range(n):
        for direction in range(2):
            row = scale_index(load_index(places, at(n, NULL_ROW + direction, 0, h)), 2)
            inner, outer = (
                load(cells, at(n, LEFT_SIDE + direction, h, h)),
                load(cells, at(n, OUT_LEFT + direction, h, h)),
            )
            scatter_add(decision_count, row, splat_index(STOP), probability(times(inner, outer)))


def outside_of_chain(child, columns, n, i, j, side, places, cells, child_count, decision_count):
    """Everything below chain(head, edge), where head and edge are the ends of i .. j."""
    head, edge = (j, i) if side == LEFT else (i, j)
    null_row, row = (
        load_index(places, at(n, NULL_ROW + side, 0, head)),
        load_index(places, at(n, ROW, head, edge)),
    )
    # first and later are complete: the rules that made them, and how much of each
    first, later = load(cells, at(n, FIRST, head, edge)), load(cells, at(n, LATER, head, edge))
    out_first = only_where_used(first, load(cells, at(n, OUT_FIRST, head, edge)))
    out_later = only_where_used(later, load(cells, at(n, OUT_LATER, head, edge)))
    posterior = probability(times(out_first, first))
    column = load_index(places, at(n, COLUMN, 0, edge))
    scatter_add(child_count, scale_index(null_row, columns), column, posterior)
    scatter_add(decision_count, scale_index(null_row, 2), splat_index(GO), posterior)
    from_first = times(out_first, load(cells, at(n, ARC_FIRST, head, edge)))
    from_later = times(out_later, load(cells, at(n, ARC_LATER, head, edge)))
    outer = plus(from_first, from_later)
    # the innermost child: stop
    inner = RIGHT if side == LEFT else LEFT  # the child's side that faces the head
    row_of, column_of = (i, j - 1) if side == LEFT else (j, i + 1)
    to_between = times(outer, load(cells, at(n, STOP_AFTER, head, edge)))
    hand_down(cells, at(n, OUT_LEFT + inner, row_of, column_of), to_between)
    stopped = probability(times(to_between, load(cells, at(n, LEFT_SIDE + inner, row_of, column_of))))
    scatter_add(decision_count, scale_index(row, 2), splat_index(STOP), stopped)
    # or another child: go
    outer = times(outer, load(cells, at(n, GO_AFTER, head, edge)))
    gone = share_chain(child, columns, n, head, edge, i, j, outer, places, cells, child_count)
    scatter_add(decision_count, scale_index(row, 2), splat_index(GO), gone)


def posterior_of(n, chart, out_chart, row, column, lane, cells):
    """The probability that a tree uses a cell."""
    return as_probability(
        times_scalar(cells[at(n, chart, row, column) + lane], cells[at(n, out_chart, row, column) + lane])
    )


def position_posteriors(n, contexts, start, length, arcs_from, lane, cells, arc, decision):
    """Arcs by the valence of their head, and decisions, of one sentence."""
    for h in range(length):
        for direction in range(2):
            no_child = posterior_of(n, LEFT_SIDE + direction, OUT_LEFT + direction, h, h, lane, cells)
            first_total = later_total = 0.0
            for c in range(h) if direction == LEFT else range(h + 1, length):
                first = posterior_of(n, FIRST, OUT_FIRST, h, c, lane, cells)
                later = posterior_of(n, LATER, OUT_LATER, h, c, lane, cells)
                pair = 2 * (arcs_from + h * length + c)
                arc[pair + NO], arc[pair + HAS] = first, later
                first_total, later_total = first_total + first, later_total + later
            decisions = ((start + h) * 2 + direction) * 4
            decision[decisions + 2 * NO + STOP], decision[decisions + 2 * NO + GO] = no_child, first_total
            decision[decisions + 2 * HAS + STOP] = first_total  # whoever has a child stops after one
            decision[decisions + 2 * HAS + GO] = later_total


@compiled
def root_posterior(n, contexts, h, lane, cells):
    return cells[at(n, OUT_ROOT, 0, h) + lane]


TEMPLATES = (
    start_outside,
    seed_outside,
    both_halves,
    share_chain,
    outside_of_chain,
    fill_outside,
    posterior_of,
    position_posteriors,
)
