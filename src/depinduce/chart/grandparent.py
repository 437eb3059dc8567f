"""The grandparent chart, which is also the first-order one: a rule sees its head and the head's head.

O(n³ · G) time with G the number of different grandparents, as contexts, in the sentence: two grandparents
with the same tag give the same numbers. A first-order grammar has one context, and this is Eisner's chart.

h is a head, g the context of its children (its own head), v the valence; written for the left side:

    link(h, c; g, v)   = go(h, g, v) · child(c | h, g, v) · arc(h, c, v)
    gap(h, c; g)       = Σ_{c ≤ r < h} right(c, r; h, NO) · left(h, r+1; g, HAS)      c hangs on h, all between done
    open(h, c; g, v)   = link(h, c; g, v) · gap(h, c; g)
    left(h, h; g, v)   = stop(h, g, v)
    left(h, i; g, v)   = Σ_{i ≤ c < h} left(c, i; h, NO) · open(h, c; g, v)
    Z                  = Σ_h root(h) · left(h, 1; ROOT, NO) · right(h, n; ROOT, NO)

Where h stands for a context, it is that of h as a grandparent: `places[OWN_CONTEXT, h]`. `right` mirrors
`left`; charts are symmetric in their positions as in `sibling`. A chart over (g, v) has its contexts
outermost, so that inner loops run along memory.
"""

from __future__ import annotations

import numpy as np

from depinduce.chart.lanes import (
    LANES,
    add,
    gather,
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
)
from depinduce.chart.problem import put_edge, word_scales
from depinduce.chart.semirings import (
    HIGHEST,
    LOWEST,
    SCALED,
    ZERO,
    as_probability,
    divide_scalar,
    plus,
    plus_scalar,
    probability,
    times,
    times_scalar,
)
from depinduce.chart.sibling import dot, hand_down, only_where_used, share_dot
from depinduce.compiled import compiled
from depinduce.grammar.rules import GO, HAS, LEFT, NO, RIGHT, STOP

# The charts of four sentences lie one behind the other in one array: cells[at(n, contexts, OPEN, x, h, c)],
# × lane, where x = 2 · g + v. ROOT's context is g = 0.
(
    ROOT,  # [0, 0, h]
    GO_ON, _,  # by direction: [x, 0, h] go(h, g, v)
    LINK,  # [x, h, c]
    LEFT_SIDE, RIGHT_SIDE, GAP, OPEN,  # the recurrences above; GAP with v = HAS
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
        length = problem.offsets[sentence + 1] - problem.offsets[sentence] if sentence >= 0 else 0
        most = max(most, find_contexts(problem, sentence, np.empty(length + 1, np.int64)))
    return most


def workspace(n: int, contexts: int, with_outside: bool) -> tuple[int, int]:
    """How many numbers `places` and `cells` need for sentences of up to n words and so many contexts."""
    stack = 2 * contexts * n * n * LANES
    return (OWN_CONTEXT + 1) * stack, (ALL_CHARTS if with_outside else INSIDE_CHARTS) * stack


# ---------------------------------------------------------------- looking the rules up


def load_rules(problem, group, n, contexts, places, cells, log_scale):
    """Fill `places`, the links and the diagonals of the sides."""
    lengths = np.zeros(LANES, np.int64)
    for lane in range(LANES):
        sentence = group[lane]
        start = problem.offsets[sentence] if sentence >= 0 else 0
        lengths[lane] = problem.offsets[sentence + 1] - start if sentence >= 0 else 0
        known = np.empty(lengths[lane] + 1, np.int64)
        found = find_contexts(problem, sentence, known)
        for h in range(n):
            if h < lengths[lane]:
                load_word(problem, n, contexts, start + h, h, lane, pointer(known), found, places, cells)
                load_nothing(problem, n, contexts, found, h, lane, places, cells)
            else:
                load_nothing(problem, n, contexts, 0, h, lane, places, cells)
    load_links(problem, n, contexts, places, cells)
    if problem.has_arc_factor:
        load_arc_factors(problem, group, n, contexts, cells)
    if SCALED:
        scale_words(n, contexts, lengths, cells, log_scale)


def load_word(problem, n, contexts, token, h, lane, known, found, places, cells):
    """What is known of a word by itself, under every grandparent."""
    column = problem.column[token]
    places[at(n, contexts, COLUMN, 0, 0, h) + lane] = column
    root = problem.root[column]
    if problem.has_root_factor:
        root = times_scalar(root, problem.root_factor[token])
    cells[at(n, contexts, ROOT, 0, 0, h) + lane] = root
    for g in range(found):
        if known[g] == problem.context[token]:
            places[at(n, contexts, OWN_CONTEXT, 0, 0, h) + lane] = at(n, contexts, 0, 2 * g, 0, 0) + lane
        for direction in range(2):
            for valence in range(2):
                x = 2 * g + valence
                row = problem.rows[problem.base[token * 2 + direction] + 2 * known[g] + valence]
                stop, go = problem.decision[row * 2 + STOP], problem.decision[row * 2 + GO]
                if problem.has_decision_factor:
                    factor = ((token * 2 + direction) * 2 + valence) * 2
                    stop = times_scalar(stop, problem.decision_factor[factor + STOP])
                    go = times_scalar(go, problem.decision_factor[factor + GO])
                places[at(n, contexts, ROW + direction, x, 0, h) + lane] = row
                cells[at(n, contexts, GO_ON + direction, x, 0, h) + lane] = go
                # left(h, h; g, v) = stop(h, g, v)
                cells[at(n, contexts, LEFT_SIDE + direction, x, h, h) + lane] = stop


def load_nothing(problem, n, contexts, found, h, lane, places, cells):
    """Zeros for a word under grandparents that its sentence does not have, or (none found) for no word at all."""
    for x in range(2 * found, 2 * contexts):
        for direction in range(2):
            places[at(n, contexts, ROW + direction, x, 0, h) + lane] = problem.no_row
            cells[at(n, contexts, GO_ON + direction, x, 0, h) + lane] = ZERO
            cells[at(n, contexts, LEFT_SIDE + direction, x, h, h) + lane] = ZERO
    if found == 0:
        places[at(n, contexts, COLUMN, 0, 0, h) + lane] = problem.no_column
        places[at(n, contexts, OWN_CONTEXT, 0, 0, h) + lane] = lane
        cells[at(n, contexts, ROOT, 0, 0, h) + lane] = ZERO


def load_links(problem, n, contexts, places, cells):
    """link(h, c; g, v) = go(h, g, v) · child(c | h, g, v)"""
    for x in range(2 * contexts):
        for h in range(n):
            for direction in range(2):
                go = load(cells, at(n, contexts, GO_ON + direction, x, 0, h))
                row = scale_index(load_index(places, at(n, contexts, ROW + direction, x, 0, h)), problem.columns)
                for c in range(h) if direction == LEFT else range(h + 1, n):
                    child = gather(problem.child, row, load_index(places, at(n, contexts, COLUMN, 0, 0, c)))
                    store(cells, at(n, contexts, LINK, x, h, c), times(go, child))


def load_arc_factors(problem, group, n, contexts, cells):
    for lane in range(LANES):
        sentence = group[lane]
        length = problem.offsets[sentence + 1] - problem.offsets[sentence] if sentence >= 0 else 0
        for x in range(2 * contexts):
            for h in range(length):
                for c in range(length):
                    factor = problem.arc_factor[2 * (problem.arc_offsets[sentence] + h * length + c) + x % 2]
                    link = at(n, contexts, LINK, x, h, c) + lane
                    cells[link] = times_scalar(cells[link], factor)


def scale_words(n, contexts, lengths, cells, log_scale):
    """Multiply what generates each word by a scale that keeps the charts near 1; sums the scales' logarithms.

    Every tree has one STOP of a word to its left, so that is where the scale is put.
    """
    scales = np.empty(2 * LANES)
    for c in range(n):
        best = total = load(cells, at(n, contexts, ROOT, 0, 0, c))
        for h in range(n):
            if h != c:
                weight = splat(0.0)
                for x in range(2 * contexts):
                    weight = maximum(weight, load(cells, at(n, contexts, LINK, x, h, c)))
                total = add(total, weight)
                best = maximum(best, weight)
        leaf = splat(0.0)
        for x in range(NO, 2 * contexts, 2):
            left, right = at(n, contexts, LEFT_SIDE, x, c, c), at(n, contexts, RIGHT_SIDE, x, c, c)
            leaf = maximum(leaf, multiply(load(cells, left), load(cells, right)))
        word_scales(c, lengths, total, best, leaf, scales, log_scale)
        for lane in range(LANES):
            for x in range(2 * contexts):
                cells[at(n, contexts, LEFT_SIDE, x, c, c) + lane] *= scales[lane]


def erase_lane(problem, n, contexts, lane, places, cells):
    """Take a sentence out of its group after the inside pass."""
    for h in range(n):
        load_nothing(problem, n, contexts, 0, h, lane, places, cells)
    for cell in range(at(n, contexts, LINK, 0, 0, 0) + lane, at(n, contexts, INSIDE_CHARTS, 0, 0, 0), LANES):
        cells[cell] = ZERO


# ---------------------------------------------------------------- inside


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


# ---------------------------------------------------------------- outside


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


# ---------------------------------------------------------------- derivations


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


TEMPLATES = (  # what is written for any semiring, callees first
    load_word, load_nothing, load_links, load_arc_factors, scale_words, load_rules, erase_lane,
    dot, load_own, put, inside_of_span, fill_inside, root_weight,
    start_outside, seed_outside, only_where_used, hand_down, share_dot, start_own, hand_down_own,
    outside_of_side, outside_of_gap, fill_outside, position_posteriors,
    expand,
)  # fmt: skip
