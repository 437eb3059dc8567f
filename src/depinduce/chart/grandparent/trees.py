"""How each cell was built, for whoever walks down from the goal."""

from __future__ import annotations

from depinduce.chart.grandparent.cells import (
    GAP,
    INSIDE_CHARTS,
    LEFT_SIDE,
    OPEN,
    OWN_CONTEXT,
    RIGHT_SIDE,
    ROOT,
    at,
)
from depinduce.chart.grandparent.inside import root_weight
from depinduce.chart.lanes import (
    LANES,
)
from depinduce.chart.problem import put_edge
from depinduce.chart.semirings import (
    times_scalar,
)
from depinduce.compiled import compiled
from depinduce.grammar.rules import HAS, LEFT, NO, RIGHT


@compiled
def cell_count(n, contexts):
    return INSIDE_CHARTS * 2 * contexts * n * n


@compiled
def cell_name(n, contexts, chart, x, row, column):
    """The number of a cell; 0 is the goal."""
    return at(n, contexts, chart, x, row, column) // LANES


def expand(child, columns, n, length, contexts, lane, name, places, cells, edges):
    """All ways to build one cell of one sentence: their weights, their parts, the arc each adds."""
    b, a, x, chart = name % n, name // n % n, name // (n * n) % (2 * contexts), name // (n * n * 2 * contexts)
    own = places[at(n, contexts, OWN_CONTEXT, 0, 0, a) + lane] // (n * n * LANES)  # x of a's context, valence NO
    count = 0
    if chart == ROOT:
        for h in range(length):
            left = cell_name(n, contexts, LEFT_SIDE, NO, h, 0)
            right = cell_name(n, contexts, RIGHT_SIDE, NO, h, length - 1)
            count = put_edge(edges, count, root_weight(n, contexts, length, lane, h, cells), left, right, -1, h)
    elif chart == GAP:  # between head a and child b
        direction = LEFT if b < a else RIGHT
        step = 1 - 2 * direction
        for r in range(b, a, step):
            theirs = cell_name(n, contexts, RIGHT_SIDE - direction, own, b, r)
            ours = cell_name(n, contexts, LEFT_SIDE + direction, x, a, r + step)
            weight = times_scalar(cells[theirs * LANES + lane], cells[ours * LANES + lane])
            count = put_edge(edges, count, weight, theirs, ours, -1, -1)
    elif a != b:  # a complete side; that of the word alone has no parts
        for c in range(b, a) if chart == LEFT_SIDE else range(a + 1, b + 1):
            part = cell_name(n, contexts, chart, own, c, b)
            weight = times_scalar(cells[part * LANES + lane], cells[at(n, contexts, OPEN, x, a, c) + lane])
            count = put_edge(edges, count, weight, part, cell_name(n, contexts, GAP, x | HAS, a, c), a, c)
    return count


TEMPLATES = (expand,)
