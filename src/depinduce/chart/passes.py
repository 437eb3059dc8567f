"""What one thread does with its share of the sentences: fill charts, four sentences at a time.

The functions here are templates like the recurrences: `kernels` compiles them for every `chart` and semiring.
"""

from __future__ import annotations

import numpy as np

from depinduce.chart.functions import chart
from depinduce.chart.lanes import LANES, pointer, store
from depinduce.chart.problem import pointers, sentence_length
from depinduce.chart.semirings import HIGHEST, LOWEST, SCALED, ZERO, divide_scalar, log_scalar, plus_scalar
from depinduce.compiled import compiled


@compiled
def group_length(problem, group):
    """The length of the longest sentence of a group."""
    longest = 1
    for lane in range(LANES):
        longest = max(longest, sentence_length(problem, group[lane]))
    return longest


@compiled
def open_charts(arrays, space):
    """The problem, the memory for its charts, and room for the four totals of a group."""
    return pointers(arrays), pointer(space.places), pointer(space.cells), np.empty(LANES)


def inside_group(problem, group, places, cells, totals, log_z, redo):
    """The inside charts and log Z of one group; `totals` is Z itself, and zero where there is nothing to do.

    `redo` marks the sentences that left the safe range of probabilities. Gives the size of the charts: n and contexts.
    """
    n, contexts = group_length(problem, group), chart.context_count(problem, group)
    log_scale, spoilt_lanes = np.zeros(LANES), np.zeros(LANES)
    chart.load_rules(problem, group, n, contexts, places, cells, log_scale)
    bad = chart.fill_inside(problem.child, problem.columns, n, contexts, places, cells)
    store(pointer(spoilt_lanes), 0, bad)
    for lane in range(LANES):
        totals[lane] = ZERO
        sentence = group[lane]
        if sentence >= 0:
            redo[sentence] = spoilt_lanes[lane] > 0.0
            if not redo[sentence]:
                length = sentence_length(problem, sentence)
                for h in range(length):
                    weight = chart.root_weight(n, contexts, length, lane, h, cells)
                    totals[lane] = plus_scalar(totals[lane], weight)
                if SCALED and not (totals[lane] == ZERO or LOWEST <= totals[lane] <= HIGHEST):
                    redo[sentence], totals[lane] = True, ZERO
                log_z[sentence] = log_scalar(totals[lane]) - log_scale[lane]
    return n, contexts


def expectation_pass(arrays, groups, space, redo, with_outside, log_z, counts, posteriors):
    """log Z and, with the outside charts, expected counts: of rules, and of positions where there is room for them."""
    problem, places, cells, totals = open_charts(arrays, space)
    child_count, decision_count = pointer(counts.child), pointer(counts.decision)
    for g in range(len(groups)):
        group = groups[g]
        n, contexts = inside_group(problem, group, places, cells, totals, log_z, redo)
        if not with_outside:
            continue
        chart.start_outside(n, contexts, cells)
        for lane in range(LANES):
            if totals[lane] != ZERO:  # w · ∂ log Z = w / Z · ∂Z, for a sentence that counts w times
                z = divide_scalar(totals[lane], problem.weight[group[lane]])
                chart.seed_outside(n, contexts, sentence_length(problem, group[lane]), lane, z, cells)
            elif group[lane] >= 0:  # no tree, or to be done again: nothing of it may be counted
                chart.erase_lane(problem, n, contexts, lane, places, cells)
        chart.fill_outside(problem.child, problem.columns, n, contexts, places, cells, child_count, decision_count)
        for lane in range(LANES):
            if totals[lane] != ZERO:
                read_posteriors(problem, group[lane], n, contexts, lane, cells, counts, posteriors)


def read_posteriors(problem, sentence, n, contexts, lane, cells, counts, posteriors):
    """The expected counts of one sentence that the outside pass has not counted."""
    start, length = problem.offsets[sentence], sentence_length(problem, sentence)
    for h in range(length):
        posterior = chart.root_posterior(n, contexts, h, lane, cells)
        counts.root[problem.root_column[start + h]] += posterior
        if posteriors.root.size:
            posteriors.root[start + h] = posterior
    if posteriors.arc.size:
        arc, decision = pointer(posteriors.arc), pointer(posteriors.decision)
        chart.position_posteriors(n, contexts, start, length, problem.arc_offsets[sentence], lane, cells, arc, decision)


TEMPLATES = (inside_group, read_posteriors, expectation_pass)
