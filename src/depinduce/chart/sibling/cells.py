"""Where the sibling chart keeps its numbers."""

from __future__ import annotations

from depinduce.chart.lanes import LANES
from depinduce.compiled import compiled

# The charts of four sentences lie one behind the other in one array: cells[at(n, PAIR, i, j)], × lane.
(
    ROOT,  # [0, h]
    STOP_NULL, _, GO_NULL, _, STOP_MORE, _, GO_MORE, _,  # by direction: [0, h] decisions before a child; factors after
    STOP_AFTER,  # [h, c] stop(h, c)
    GO_AFTER,  # [h, c] go(h, c)
    ARC_FIRST,  # [h, c] go(h, ∅) · child(c | h, ∅) · arc(h, c, NO)
    ARC_LATER,  # [h, c] arc(h, c, HAS)
    LEFT_SIDE, RIGHT_SIDE, PAIR, FIRST, LATER,  # the recurrences of the package
    CHAIN,  # only as a name: its value is in FIRST and LATER
    OUT_LEFT, OUT_RIGHT, OUT_PAIR, OUT_FIRST, OUT_LATER,  # d log Z / d cell; of a symmetric chart each half a share
    OUT_ROOT,  # [0, h] the posterior of h as root
) = range(25)  # fmt: skip
INSIDE_CHARTS, ALL_CHARTS = OUT_LEFT, OUT_ROOT + 1

# Likewise where the rules are in the table: places[at(n, ROW, h, c)], × lane.
(
    ROW,  # [h, c] the row of h after its child c
    NULL_ROW, _,  # by direction: [0, h] the row of h before any child
    BASE, _,  # by direction: [0, h] where h's rows are listed
    CONTEXT,  # [0, c]
    COLUMN,  # [0, c]
) = range(7)  # fmt: skip


@compiled
def at(n, chart, row, column):
    """Where the cell [row, column] of a chart begins."""
    return ((chart * n + row) * n + column) * LANES


@compiled
def context_count(problem, group):
    """How many contexts the chart tells apart beyond positions: none."""
    return 1


def workspace(n: int, contexts: int, with_outside: bool) -> tuple[int, int]:
    """How many numbers `places` and `cells` need for sentences of up to n words."""
    return (COLUMN + 1) * n * n * LANES, (ALL_CHARTS if with_outside else INSIDE_CHARTS) * n * n * LANES
