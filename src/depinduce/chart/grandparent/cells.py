"""Where the grandparent chart keeps its numbers."""

from __future__ import annotations

import numpy as np

from depinduce.chart.lanes import LANES
from depinduce.chart.problem import sentence_length
from depinduce.compiled import compiled

# The charts of four sentences lie one behind the other in one array: cells[at(n, contexts, OPEN, x, h, c)],
# × lane, where x = 2 · g + v. ROOT's context is g = 0.
(
    ROOT,  # [0, 0, h]
    GO_ON, _,  # by direction: [x, 0, h] go(h, g, v)
    LINK,  # [x, h, c]
    LEFT_SIDE, RIGHT_SIDE, GAP, OPEN,  # the recurrences of the package; GAP with v = HAS
    OWN,  # [0, 0, ·] one row of a side, every lane in the context it needs
    OUT_LEFT, OUT_RIGHT, OUT_OPEN, OUT_OWN,  # d log Z / d cell; of a symmetric chart each half a share
    OUT_ROOT,  # [0, 0, h] the posterior of h as root
) = range(14)  # fmt: skip
INSIDE_CHARTS, ALL_CHARTS = OUT_LEFT, OUT_ROOT + 1

# Likewise where the rules are in the table: places[at(n, contexts, ROW + direction, x, 0, h)], × lane.
ROW = 0  # and 1, by direction
COLUMN = 2  # [0, 0, c]
OWN_CONTEXT = 3  # [0, 0, h] where in a side the charts of h's context begin, as an offset from its first


@compiled
def at(n, contexts, chart, x, row, column):
    """Where the cell [x, row, column] of a chart begins."""
    return (((chart * 2 * contexts + x) * n + row) * n + column) * LANES


@compiled
def find_contexts(problem, sentence, contexts):
    """The different contexts of a sentence's words, ROOT's first, into `contexts`; gives their number."""
    contexts[0] = problem.no_context
    found = 1
    if sentence >= 0:
        for token in range(problem.offsets[sentence], problem.offsets[sentence + 1]):
            known = False
            for g in range(found):
                known |= contexts[g] == problem.context[token]
            if not known:
                contexts[found] = problem.context[token]
                found += 1
    return found


@compiled
def context_count(problem, group):
    """How many contexts the chart tells apart: the most that any sentence of the group has."""
    most = 1
    for lane in range(LANES):
        sentence = group[lane]
        length = sentence_length(problem, sentence)
        most = max(most, find_contexts(problem, sentence, np.empty(length + 1, np.int64)))
    return most


def workspace(n: int, contexts: int, with_outside: bool) -> tuple[int, int]:
    """How many numbers `places` and `cells` need for sentences of up to n words and so many contexts."""
    stack = 2 * contexts * n * n * LANES
    return (OWN_CONTEXT + 1) * stack, (ALL_CHARTS if with_outside else INSIDE_CHARTS) * stack
