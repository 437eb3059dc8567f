"""How each cell was built, for whoever walks down from the goal."""

from __future__ import annotations

from depinduce.chart.problem import put_edge
from depinduce.chart.semirings import (
    times_scalar,
)
from depinduce.chart.sibling.cells import (
    CHAIN,
    COLUMN,
    FIRST,
    GO_AFTER,
    INSIDE_CHARTS,
    LATER,
    LEFT_SIDE,
    PAIR,
    RIGHT_SIDE,
    ROOT,
    ROW,
    STOP_AFTER,
    at,
)
from depinduce.chart.sibling.inside import root_weight
from depinduce.compiled import compiled


@compiled
def cell_count(n, contexts):
    return INSIDE_CHARTS * n * n


@compiled
def cell_name(n, chart, row, column):
    """The number of a cell; 0 is the goal."""
    return (chart * n + row) * n + column


def expand(child, columns, n, length, contexts, lane, name, places, cells, edges):
    """All ways to build one cell of one sentence: their weights, their parts, the arc each adds."""
    chart, a, b = name // (n * n), name // n % n, name % n
    count = 0
    if chart == ROOT:
        for h in range(length):
            left, right = cell_name(n, LEFT_SIDE, h, 0), cell_name(n, RIGHT_SIDE, h, length - 1)
            count = put_edge(edges, count, root_weight(n, contexts, length, lane, h, cells), left, right, -1, h)
    elif chart == PAIR:
        for r in range(a, b):
            weight = times_scalar(cells[at(n, RIGHT_SIDE, a, r) + lane], cells[at(n, LEFT_SIDE, b, r + 1) + lane])
            right, left = cell_name(n, RIGHT_SIDE, a, r), cell_name(n, LEFT_SIDE, b, r + 1)
            count = put_edge(edges, count, weight, right, left, -1, -1)
    elif chart == CHAIN:
        count = expand_chain(child, columns, n, lane, a, b, places, cells, edges)
    elif a != b:  # a complete side; that of the word alone has no parts
        for c in range(b, a) if chart == LEFT_SIDE else range(a + 1, b + 1):
            weight = times_scalar(cells[at(n, chart, c, b) + lane], cells[at(n, FIRST, a, c) + lane])
            count = put_edge(edges, count, weight, cell_name(n, chart, c, b), cell_name(n, CHAIN, a, c), a, c)
    return count


def expand_chain(child, columns, n, lane, head, edge, places, cells, edges):
    side, nearest = (RIGHT_SIDE, head - 1) if edge < head else (LEFT_SIDE, head + 1)
    alone = times_scalar(cells[at(n, side, edge, nearest) + lane], cells[at(n, STOP_AFTER, head, edge) + lane])
    count = put_edge(edges, 0, alone, cell_name(n, side, edge, nearest), -1, -1, -1)
    row = places[at(n, ROW, head, edge) + lane] * columns
    for s in range(min(edge, head) + 1, max(edge, head)):
        rule = times_scalar(cells[at(n, GO_AFTER, head, edge) + lane], child[row + places[at(n, COLUMN, 0, s) + lane]])
        both = times_scalar(cells[at(n, PAIR, edge, s) + lane], cells[at(n, LATER, head, s) + lane])
        pair = cell_name(n, PAIR, min(edge, s), max(edge, s))
        count = put_edge(edges, count, times_scalar(rule, both), pair, cell_name(n, CHAIN, head, s), head, s)
    return count


TEMPLATES = (expand_chain, expand)
