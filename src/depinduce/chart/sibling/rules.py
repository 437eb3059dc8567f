"""Looking the rules up: the potentials of four sentences, brought into the chart once."""

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
    splat,
    splat_index,
    store,
    store_index,
    where_below,
)
from depinduce.chart.problem import first_token, sentence_length, sentence_lengths, word_scales
from depinduce.chart.semirings import (
    ONE,
    SCALED,
    ZERO,
    times,
    times_scalar,
)
from depinduce.chart.sibling.cells import (
    ARC_FIRST,
    ARC_LATER,
    BASE,
    COLUMN,
    CONTEXT,
    GO_AFTER,
    GO_MORE,
    GO_NULL,
    INSIDE_CHARTS,
    LEFT_SIDE,
    NULL_ROW,
    RIGHT_SIDE,
    ROOT,
    ROW,
    STOP_AFTER,
    STOP_MORE,
    STOP_NULL,
    at,
)
from depinduce.grammar.rules import GO, HAS, LEFT, NO, STOP


def load_rules(problem, group, n, contexts, places, cells, log_scale):
    """Fill `places`, the charts of potentials and the diagonals of the sides."""
    lengths = sentence_lengths(problem, group)
    for lane in range(LANES):
        for h in range(n):
            if h < lengths[lane]:
                load_word(problem, n, first_token(problem, group[lane]) + h, h, lane, places, cells)
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
    root = problem.root[problem.root_column[token]]
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
        length = sentence_length(problem, sentence)
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


TEMPLATES = (
    load_word,
    load_nothing,
    load_first_arcs,
    load_arc_factors,
    scale_words,
    load_contexts,
    load_rules,
    erase_lane,
)
