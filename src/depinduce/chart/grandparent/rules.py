"""Looking the rules up: the potentials of four sentences, brought into the chart once."""

from __future__ import annotations

import numpy as np

from depinduce.chart.grandparent.cells import (
    COLUMN,
    GO_ON,
    INSIDE_CHARTS,
    LEFT_SIDE,
    LINK,
    OWN_CONTEXT,
    RIGHT_SIDE,
    ROOT,
    ROW,
    at,
    find_contexts,
)
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
    splat,
    store,
)
from depinduce.chart.problem import first_token, sentence_length, sentence_lengths, word_scales
from depinduce.chart.semirings import (
    SCALED,
    ZERO,
    times,
    times_scalar,
)
from depinduce.grammar.rules import GO, LEFT, NO, STOP


def load_rules(problem, group, n, contexts, places, cells, log_scale):
    """Fill `places`, the links and the diagonals of the sides."""
    lengths = sentence_lengths(problem, group)
    for lane in range(LANES):
        start, known = first_token(problem, group[lane]), np.empty(lengths[lane] + 1, np.int64)
        found = find_contexts(problem, group[lane], known)
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
    root = problem.root[problem.root_column[token]]
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
        length = sentence_length(problem, sentence)
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


TEMPLATES = (
    load_word,
    load_nothing,
    load_links,
    load_arc_factors,
    scale_words,
    load_rules,
    erase_lane,
)
