"""The sibling chart: a rule sees its head and the previous child. O(n³) time, O(n²) memory.

A head's children on one side form a chain, and every rule touches the head and two neighbours of it.
With h the head, c and s children on the same side, c outside s, written for the left side:

    pair(c, s)   two neighbouring children and everything between them
                 = Σ_{c ≤ r < s} right(c, r) · left(s, r+1)
    chain(h, c)  c is a child of h, everything between is done, nothing beyond c yet
                 = right(c, h-1) · stop(h, c) + go(h, c) · Σ_{c < s < h} pair(c, s) · later(h, s) · child(s | h, c)
    later(h, c)  = chain(h, c) · arc(h, c, HAS)                      c was generated after another child
    first(h, c)  = chain(h, c) · go(h, ∅) · child(c | h, ∅) · arc(h, c, NO)       c was generated first
    left(h, h)   = stop(h, ∅)
    left(h, i)   = Σ_{i ≤ c < h} left(c, i) · first(h, c)            h with its left side, down to i
    Z            = Σ_h root(h) · left(h, 1) · right(h, n)

`right` mirrors `left`. Charts over pairs of positions are kept symmetric (left[h, i] = left[i, h], ...):
then both sides share one piece of code, and every inner loop runs along memory.
"""

from __future__ import annotations

import numpy as np

from depinduce.chart.lanes import (
    LANES,
    add,
    add_index,
    gather,
    gather_index,
    load,
    load_index,
    maximum,
    multiply,
    pointer,
    scale_index,
    scatter_add,
    splat,
    splat_index,
    spoilt,
    store,
    store_index,
    where_below,
    where_equal,
)
from depinduce.chart.problem import put_edge, word_scales
from depinduce.chart.semirings import (
    HIGHEST,
    LOWEST,
    ONE,
    SCALED,
    ZERO,
    as_probability,
    divide_scalar,
    plus,
    probability,
    times,
    times_scalar,
)
from depinduce.compiled import compiled
from depinduce.grammar.rules import GO, HAS, LEFT, NO, RIGHT, STOP

# The charts of four sentences lie one behind the other in one array: cells[at(n, PAIR, i, j)], × lane.
(
    ROOT,  # [0, h]
    STOP_NULL, _, GO_NULL, _, STOP_MORE, _, GO_MORE, _,  # by direction: [0, h] decisions before a child; factors after
    STOP_AFTER,  # [h, c] stop(h, c)
    GO_AFTER,  # [h, c] go(h, c)
    ARC_FIRST,  # [h, c] go(h, ∅) · child(c | h, ∅) · arc(h, c, NO)
    ARC_LATER,  # [h, c] arc(h, c, HAS)
    LEFT_SIDE, RIGHT_SIDE, PAIR, FIRST, LATER,  # the recurrences above
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


# ---------------------------------------------------------------- looking the rules up


def load_rules(problem, group, n, contexts, places, cells, log_scale):
    """Fill `places`, the charts of potentials and the diagonals of the sides."""
    lengths = np.zeros(LANES, np.int64)
    for lane in range(LANES):
        sentence = group[lane]
        start = problem.offsets[sentence] if sentence >= 0 else 0
        lengths[lane] = problem.offsets[sentence + 1] - start if sentence >= 0 else 0
        for h in range(n):
            if h < lengths[lane]:
                load_word(problem, n, start + h, h, lane, places, cells)
            else:
                load_nothing(problem, n, h, lane, places, cells)
    load_first_arcs(problem, n, places, cells)
    if problem.has_arc_factor:
        load_arc_factors(problem, group, n, cells)
    for h in range(n):
        for direction in range(2):  # left(h, h) = stop(h, ∅)
            store(cells, at(n, LEFT_SIDE + direction, h, h), load(cells, at(n, STOP_NULL + direction, 0, h)))
    if SCALED:
        scale_words(n, lengths, cells, log_scale)
    load_contexts(problem, n, load_index(pointer(lengths), 0), places, cells)


def load_word(problem, n, token, h, lane, places, cells):
    """What is known of a word by itself."""
    column = problem.column[token]
    places[at(n, COLUMN, 0, h) + lane] = column
    places[at(n, CONTEXT, 0, h) + lane] = problem.context[token]
    root = problem.root[column]
    if problem.has_root_factor:
        root = times_scalar(root, problem.root_factor[token])
    cells[at(n, ROOT, 0, h) + lane] = root
    for direction in range(2):
        base = problem.base[token * 2 + direction]
        null_row = problem.rows[base + problem.no_context]
        places[at(n, BASE + direction, 0, h) + lane] = base
        places[at(n, NULL_ROW + direction, 0, h) + lane] = null_row
        stop_null, go_null = problem.decision[null_row * 2 + STOP], problem.decision[null_row * 2 + GO]
        stop_more, go_more = ONE, ONE
        if problem.has_decision_factor:
            factor = (token * 2 + direction) * 4
            stop_null = times_scalar(stop_null, problem.decision_factor[factor + 2 * NO + STOP])
            go_null = times_scalar(go_null, problem.decision_factor[factor + 2 * NO + GO])
            stop_more = problem.decision_factor[factor + 2 * HAS + STOP]
            go_more = problem.decision_factor[factor + 2 * HAS + GO]
        cells[at(n, STOP_NULL + direction, 0, h) + lane] = stop_null
        cells[at(n, GO_NULL + direction, 0, h) + lane] = go_null
        cells[at(n, STOP_MORE + direction, 0, h) + lane] = stop_more
        cells[at(n, GO_MORE + direction, 0, h) + lane] = go_more


def load_nothing(problem, n, h, lane, places, cells):
    """A position beyond the end of the sentence, which takes part in nothing."""
    places[at(n, COLUMN, 0, h) + lane] = problem.no_column
    places[at(n, CONTEXT, 0, h) + lane] = 0
    cells[at(n, ROOT, 0, h) + lane] = ZERO
    for direction in range(2):
        places[at(n, BASE + direction, 0, h) + lane] = 0
        places[at(n, NULL_ROW + direction, 0, h) + lane] = problem.no_row
        for chart in (STOP_NULL, GO_NULL, STOP_MORE, GO_MORE):
            cells[at(n, chart + direction, 0, h) + lane] = ZERO


def load_first_arcs(problem, n, places, cells):
    """arc_first(h, c) = go(h, ∅) · child(c | h, ∅), arc_later(h, c) = 1"""
    for h in range(n):
        for direction in range(2):
            go = load(cells, at(n, GO_NULL + direction, 0, h))
            row = scale_index(load_index(places, at(n, NULL_ROW + direction, 0, h)), problem.columns)
            for c in range(h) if direction == LEFT else range(h + 1, n):
                child = gather(problem.child, row, load_index(places, at(n, COLUMN, 0, c)))
                store(cells, at(n, ARC_FIRST, h, c), times(go, child))
                store(cells, at(n, ARC_LATER, h, c), splat(ONE))


def load_arc_factors(problem, group, n, cells):
    for lane in range(LANES):
        sentence = group[lane]
        length = problem.offsets[sentence + 1] - problem.offsets[sentence] if sentence >= 0 else 0
        for h in range(length):
            for c in range(length):
                factor = 2 * (problem.arc_offsets[sentence] + h * length + c)
                first = at(n, ARC_FIRST, h, c) + lane
                cells[first] = times_scalar(cells[first], problem.arc_factor[factor + NO])
                cells[at(n, ARC_LATER, h, c) + lane] = problem.arc_factor[factor + HAS]


def scale_words(n, lengths, cells, log_scale):
    """Multiply what generates each word by a scale that keeps the charts near 1; sums the scales' logarithms.

    Every tree has one STOP of a word to its left, so that is where the scale is put.
    """
    scales = np.empty(2 * LANES)
    for c in range(n):
        best = total = load(cells, at(n, ROOT, 0, c))
        for h in range(n):
            if h != c:
                weight = load(cells, at(n, ARC_FIRST, h, c))
                total = add(total, weight)
                best = maximum(best, weight)
        leaf = multiply(load(cells, at(n, LEFT_SIDE, c, c)), load(cells, at(n, RIGHT_SIDE, c, c)))
        word_scales(c, lengths, total, best, leaf, scales, log_scale)
        for lane in range(LANES):
            cells[at(n, LEFT_SIDE, c, c) + lane] *= scales[lane]
            cells[at(n, STOP_MORE + LEFT, 0, c) + lane] *= scales[lane]


def load_contexts(problem, n, lengths, places, cells):
    """The row of every head after every child, and its decisions there."""
    no_row = splat_index(problem.no_row)
    for h in range(n):
        for direction in range(2):
            base = load_index(places, at(n, BASE + direction, 0, h))
            stop_more = load(cells, at(n, STOP_MORE + direction, 0, h))
            go_more = load(cells, at(n, GO_MORE + direction, 0, h))
            for c in range(h) if direction == LEFT else range(h + 1, n):
                row = gather_index(problem.rows, add_index(base, load_index(places, at(n, CONTEXT, 0, c))))
                row = where_below(max(h, c), lengths, row, no_row)
                store_index(places, at(n, ROW, h, c), row)
                decision = scale_index(row, 2)
                stop = gather(problem.decision, decision, splat_index(STOP))
                go = gather(problem.decision, decision, splat_index(GO))
                store(cells, at(n, STOP_AFTER, h, c), times(stop, stop_more))
                store(cells, at(n, GO_AFTER, h, c), times(go, go_more))


def erase_lane(problem, n, contexts, lane, places, cells):
    """Take a sentence out of its group after the inside pass."""
    for h in range(n):
        load_nothing(problem, n, h, lane, places, cells)
        for c in range(n):
            places[at(n, ROW, h, c) + lane] = problem.no_row
    for cell in range(at(n, STOP_AFTER, 0, 0) + lane, at(n, INSIDE_CHARTS, 0, 0), LANES):
        cells[cell] = ZERO


# ---------------------------------------------------------------- inside


def dot(cells, x, y, count):
    """Σ_k cells[x + k] · cells[y + k]"""
    total = splat(ZERO)
    for k in range(0, count * LANES, LANES):
        total = plus(total, times(load(cells, x + k), load(cells, y + k)))
    return total


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


# ---------------------------------------------------------------- outside


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


def only_where_used(value, outer):
    """The derivative by a cell, or zero where the cell itself is zero: nothing below it is used then."""
    return where_equal(value, ZERO, splat(ZERO), outer)


def both_halves(n, chart, out_chart, a, b, cells):
    """The whole derivative by a cell of a symmetric chart."""
    outer = plus(load(cells, at(n, out_chart, a, b)), load(cells, at(n, out_chart, b, a)))
    return only_where_used(load(cells, at(n, chart, a, b)), outer)


def hand_down(cells, cell, value):
    """Add to a derivative."""
    store(cells, cell, plus(load(cells, cell), value))


def share_dot(cells, outer, x, out_x, y, out_y, count):
    """The outside of `dot`: hand `outer` down to both its arguments."""
    for k in range(0, count * LANES, LANES):
        x_value, y_value = load(cells, x + k), load(cells, y + k)
        hand_down(cells, out_x + k, times(outer, y_value))
        hand_down(cells, out_y + k, times(outer, x_value))


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


# ---------------------------------------------------------------- derivations


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


TEMPLATES = (  # what is written for any semiring, callees first
    load_word, load_nothing, load_first_arcs, load_arc_factors, scale_words, load_contexts, load_rules, erase_lane,
    dot, chain_sum, put, fill_inside, root_weight,
    start_outside, seed_outside, only_where_used, both_halves, hand_down, share_dot, share_chain,
    outside_of_chain, fill_outside, posterior_of, position_posteriors,
    expand_chain, expand,
)  # fmt: skip
