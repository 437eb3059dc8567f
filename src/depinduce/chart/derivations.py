"""Single trees out of a filled chart: the best, the k best, samples; and the entropy of all.

Every chart tells through `expand` in which ways a cell was built. The rest is the same for all charts:
walk down from the goal, and at every cell take the best way, or a random one, or look at all of them.

Ties. Two trees that use the same rules in different places are equally probable, to the last bit, and no machine may
prefer one of them by its way of rounding. So the log potentials of best trees are multiples of 2⁻³²: their sums are
exact, equal trees have equal scores, and position decides. Among equally good ways to build a cell the first one is
taken, in the order of `expand`, which asks from the top of the tree down:

    the root                        the leftmost word
    the outermost child of a side   the leftmost word
    what comes after it             sibling chart: no further child, or the leftmost next one; then the leftmost
                                    border between the two. Otherwise the border next to that child, or the nearest
                                    one to it, and then the next child

Of the k best trees, those of one score come in the order of their topmost way, then of the rank of its first part, then
of its second.
"""

from __future__ import annotations

import numpy as np

from depinduce.chart.functions import chart
from depinduce.chart.lanes import LANES
from depinduce.chart.passes import inside_group, open_charts
from depinduce.chart.problem import edge_pointers, sentence_length
from depinduce.chart.semirings import ZERO, as_probability, divide_scalar
from depinduce.compiled import compiled

GOAL_CELL = 0  # the goal has this name in every chart


@compiled
def note_arc(heads, edges, e):
    """Write the arc of an edge, if it has one, as CoNLL-U does: heads count from 1, 0 is the root."""
    if edges.child[e] >= 0:
        heads[edges.child[e]] = edges.head[e] + 1


@compiled
def best_edge(edges, count):
    best = 0
    for e in range(1, count):
        if edges.weight[e] > edges.weight[best]:
            best = e
    return best


def weigh_edges(edges, count):
    """Make the weights of edges probabilities relative to that of the best; gives their total."""
    largest_weight = edges.weight[best_edge(edges, count)]
    total = 0.0
    for e in range(count):
        edges.weight[e] = as_probability(divide_scalar(edges.weight[e], largest_weight))
        total += edges.weight[e]
    return total


def random_edge(edges, count):
    """An edge with probability proportional to its weight."""
    left = np.random.random() * weigh_edges(edges, count)
    for e in range(count):
        left -= edges.weight[e]
        if left < 0.0:
            return e
    return best_edge(edges, count)


def walk(problem, n, length, contexts, lane, places, cells, edges, stack, randomly, heads):
    """One tree, top down, into heads [word]."""
    stack[0] = GOAL_CELL
    height = 1
    while height > 0:
        height -= 1
        count = chart.expand(
            problem.child, problem.columns, n, length, contexts, lane, stack[height], places, cells, edges
        )
        if count > 0:
            e = random_edge(edges, count) if randomly else best_edge(edges, count)
            note_arc(heads, edges, e)
            for part in (edges.part_a[e], edges.part_b[e]):
                if part >= 0:
                    stack[height] = part
                    height += 1


def tree_pass(arrays, groups, space, redo, seeds, log_z, heads):
    """Trees of every sentence into heads [tree, token]: the best one (no seeds), or samples.

    In the MAX semiring `log_z` is the score of the best tree. Where it is -inf there is no tree: heads are -1.
    """
    problem, places, cells, totals = open_charts(arrays, space)
    edges, stack = edge_pointers(space), np.empty(4 * space.longest + 8, np.int64)
    for g in range(len(groups)):
        group = groups[g]
        n, contexts = inside_group(problem, group, places, cells, totals, log_z, redo)
        for lane in range(LANES):
            if totals[lane] == ZERO:
                continue
            sentence = group[lane]
            start, length = problem.offsets[sentence], sentence_length(problem, sentence)
            if seeds.size:
                np.random.seed(seeds[sentence])
            for tree in range(len(heads)):
                walk(
                    problem, n, length, contexts, lane, places, cells, edges, stack,
                    seeds.size > 0, heads[tree, start : start + length],
                )  # fmt: skip


def bottom_up(problem, n, length, contexts, lane, places, cells, edges, stack, state, order):
    """The cells that some tree uses, parts before wholes, into `order`; gives their number."""
    for cell in range(chart.cell_count(n, contexts)):
        state[cell] = 0
    found, height = 0, 1
    stack[0] = GOAL_CELL
    while height > 0:
        cell = stack[height - 1]
        if state[cell] == 0:
            state[cell] = 1
            count = chart.expand(problem.child, problem.columns, n, length, contexts, lane, cell, places, cells, edges)
            for e in range(count):
                for part in (edges.part_a[e], edges.part_b[e]):
                    if edges.weight[e] > ZERO and part >= 0 and state[part] == 0:
                        stack[height] = part
                        height += 1
        else:
            height -= 1
            if state[cell] == 1:
                state[cell] = 2
                order[found] = cell
                found += 1
    return found


def tree_entropy(problem, n, length, contexts, lane, places, cells, edges, order, found, entropy):
    """H(cell) = Σ_edge p(edge) · (H(part a) + H(part b) - log p(edge)), parts first; gives H(goal)."""
    for k in range(found):
        count = chart.expand(problem.child, problem.columns, n, length, contexts, lane, order[k], places, cells, edges)
        entropy[order[k]] = 0.0
        if count == 0:
            continue
        total = weigh_edges(edges, count)
        for e in range(count):
            share = edges.weight[e] / total
            if share > 0.0:
                below = 0.0 if edges.part_a[e] < 0 else entropy[edges.part_a[e]]
                below += 0.0 if edges.part_b[e] < 0 else entropy[edges.part_b[e]]
                entropy[order[k]] += share * (below - np.log(share))
    return entropy[GOAL_CELL]


def entropy_pass(arrays, groups, space, redo, log_z, entropies):
    """The entropy of every sentence's distribution over trees, in nats."""
    problem, places, cells, totals = open_charts(arrays, space)
    edges, longest, names = edge_pointers(space), space.longest, chart.cell_count(space.longest, space.most_contexts)
    stack, state = np.empty(16 * longest * longest + 64, np.int64), np.empty(names, np.int8)
    order, entropy = np.empty(names, np.int64), np.empty(names)
    for g in range(len(groups)):
        group = groups[g]
        n, contexts = inside_group(problem, group, places, cells, totals, log_z, redo)
        for lane in range(LANES):
            if totals[lane] != ZERO:
                sentence, length = group[lane], sentence_length(problem, group[lane])
                found = bottom_up(problem, n, length, contexts, lane, places, cells, edges, stack, state, order)
                entropies[sentence] = tree_entropy(
                    problem, n, length, contexts, lane, places, cells, edges, order, found, entropy
                )


# ---------------------------------------------------------------- the k best


@compiled
def put_candidate(candidates, ranks, count, score, e, rank_a, rank_b):
    """Write a candidate derivation behind the first `count`; gives the new count."""
    candidates[count] = score
    ranks[count, 0], ranks[count, 1], ranks[count, 2] = e, rank_a, rank_b
    return count + 1


@compiled
def comes_before(ranks, x, y):
    """Whether one of two candidates with the same score comes first: by its edge, then by the ranks of its parts."""
    for k in range(3):
        if ranks[x, k] != ranks[y, k]:
            return ranks[x, k] < ranks[y, k]
    return False


@compiled
def rank_edges(edges, count, k, ways, loss, cell, candidates, ranks, choice):
    """The k best ways to build a cell, out of its edges and the k best ways to build their parts.

    loss [cell, rank]: how much the derivation of that rank falls behind the best one, ≤ 0.
    choice [cell, rank, 3]: its edge and the ranks of its two parts. ways [cell]: how many there are.
    candidates, ranks: room for the scores of derivations not yet chosen, and for their edges and ranks.
    """
    waiting = 0
    for e in range(count):
        if edges.weight[e] > -np.inf:
            waiting = put_candidate(candidates, ranks, waiting, edges.weight[e], e, 0, 0)
    ways[cell] = 0
    while ways[cell] < k and waiting > 0:
        best = 0
        for x in range(1, waiting):
            if candidates[x] > candidates[best] or (candidates[x] == candidates[best] and comes_before(ranks, x, best)):
                best = x
        score = candidates[best]
        e, rank_a, rank_b = ranks[best, 0], ranks[best, 1], ranks[best, 2]
        loss[cell, ways[cell]] = score  # made relative below
        waiting -= 1
        candidates[best] = candidates[waiting]
        for x in range(3):
            choice[cell, ways[cell], x], ranks[best, x] = ranks[best, x], ranks[waiting, x]
        ways[cell] += 1
        # its successors; part a only moves while part b is at its best, so that none comes twice
        a, b = edges.part_a[e], edges.part_b[e]
        if b >= 0 and rank_b + 1 < ways[b]:
            next_score = score + loss[b, rank_b + 1] - loss[b, rank_b]
            waiting = put_candidate(candidates, ranks, waiting, next_score, e, rank_a, rank_b + 1)
        if a >= 0 and rank_b == 0 and rank_a + 1 < ways[a]:
            next_score = score + loss[a, rank_a + 1] - loss[a, rank_a]
            waiting = put_candidate(candidates, ranks, waiting, next_score, e, rank_a + 1, 0)
    for rank in range(ways[cell] - 1, -1, -1):
        loss[cell, rank] -= loss[cell, 0]


def read_ranked(problem, n, length, contexts, lane, places, cells, edges, stack, stack_rank, choice, rank, heads):
    """The tree of the given rank, top down, into heads [word]."""
    stack[0], stack_rank[0] = GOAL_CELL, rank
    height = 1
    while height > 0:
        height -= 1
        cell, cell_rank = stack[height], stack_rank[height]
        count = chart.expand(problem.child, problem.columns, n, length, contexts, lane, cell, places, cells, edges)
        if count > 0:
            e = choice[cell, cell_rank, 0]
            note_arc(heads, edges, e)
            if edges.part_a[e] >= 0:
                stack[height], stack_rank[height] = edges.part_a[e], choice[cell, cell_rank, 1]
                height += 1
            if edges.part_b[e] >= 0:
                stack[height], stack_rank[height] = edges.part_b[e], choice[cell, cell_rank, 2]
                height += 1


def k_best_pass(arrays, groups, space, redo, k, log_z, heads):
    """The k best trees of every sentence into heads [rank, token], best first (MAX semiring only)."""
    problem, places, cells, totals = open_charts(arrays, space)
    edges, longest, names = edge_pointers(space), space.longest, chart.cell_count(space.longest, space.most_contexts)
    stack, state = np.empty(16 * longest * longest + 64, np.int64), np.empty(names, np.int8)
    order, ways = np.empty(names, np.int64), np.empty(names, np.int64)
    stack_rank = np.empty(4 * longest + 8, np.int64)
    loss, choice = np.empty((names, k)), np.empty((names, k, 3), np.int32)
    candidates, ranks = np.empty(longest + 2 * k + 2), np.empty((longest + 2 * k + 2, 3), np.int64)
    for g in range(len(groups)):
        group = groups[g]
        n, contexts = inside_group(problem, group, places, cells, totals, log_z, redo)
        for lane in range(LANES):
            if totals[lane] == ZERO:
                continue
            sentence = group[lane]
            start, length = problem.offsets[sentence], sentence_length(problem, sentence)
            found = bottom_up(problem, n, length, contexts, lane, places, cells, edges, stack, state, order)
            for x in range(found):
                count = chart.expand(
                    problem.child, problem.columns, n, length, contexts, lane, order[x], places, cells, edges
                )
                if count == 0:  # a word's side without children: one way
                    ways[order[x]], loss[order[x], 0] = 1, 0.0
                else:
                    rank_edges(edges, count, k, ways, loss, order[x], candidates, ranks, choice)
            for rank in range(ways[GOAL_CELL]):
                read_ranked(
                    problem, n, length, contexts, lane, places, cells, edges, stack, stack_rank, choice,
                    rank, heads[rank, start : start + length],
                )  # fmt: skip


TEMPLATES = (
    weigh_edges, random_edge, walk, tree_pass, bottom_up, tree_entropy, entropy_pass, read_ranked, k_best_pass,
)  # fmt: skip
