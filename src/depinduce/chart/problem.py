"""What a compiled chart is given, in the domain of its semiring, and what it gives back."""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np

from depinduce.chart.lanes import LANES, advance, multiply, pointer, splat, store
from depinduce.chart.semirings import LOWEST, Semiring
from depinduce.compiled import compiled
from depinduce.grammar.rules import Batch, Factors, RuleTable

HIGHEST_RULE = 1e25  # tighter than for cells, so that outside products of two rules and two cells are safe
GRID = 2.0**32  # log potentials of best trees are multiples of 1 / GRID
TYPICAL_CHOICE = 2.5  # how many heads a word typically has to choose from: sets the scale, not the result


class ProblemArrays(NamedTuple):
    """A batch with its potentials: those of Batch, RuleTable and Factors, as flat arrays.

    The compiled code works on the same fields as pointers, see `pointers`.
    """

    offsets: np.ndarray  # [sentence + 1]
    column: np.ndarray  # [token]
    base: np.ndarray  # [token, direction]
    context: np.ndarray  # [token]
    rows: np.ndarray
    root_column: np.ndarray  # [token]
    root: np.ndarray  # [root column]
    child: np.ndarray  # [row, column]
    decision: np.ndarray  # [row, STOP or GO]
    root_factor: np.ndarray  # [token], and empty where there are no such factors, like the next two
    decision_factor: np.ndarray  # [token, direction, valence, STOP or GO]
    arc_factor: np.ndarray  # [arc, valence]
    arc_offsets: np.ndarray  # [sentence + 1]
    weight: np.ndarray  # [sentence]
    no_context: int
    columns: int  # the width of the child table
    no_row: int  # the last row and the last column of the table are zeros: those of positions
    no_column: int  # beyond the end of a short sentence
    has_root_factor: bool
    has_decision_factor: bool
    has_arc_factor: bool


@compiled
def pointers(problem):
    """The problem with bare memory in place of arrays."""
    return ProblemArrays(
        pointer(problem.offsets), pointer(problem.column), pointer(problem.base), pointer(problem.context),
        pointer(problem.rows), pointer(problem.root_column), pointer(problem.root), pointer(problem.child),
        pointer(problem.decision), pointer(problem.root_factor), pointer(problem.decision_factor),
        pointer(problem.arc_factor), pointer(problem.arc_offsets), pointer(problem.weight),
        problem.no_context, problem.columns, problem.no_row, problem.no_column,
        problem.has_root_factor, problem.has_decision_factor, problem.has_arc_factor,
    )  # fmt: skip


@compiled
def sentence_length(problem, sentence):
    """The number of words; none where a group has fewer than four sentences."""
    return problem.offsets[sentence + 1] - problem.offsets[sentence] if sentence >= 0 else 0


@compiled
def sentence_lengths(problem, group):
    """Those of all lanes."""
    lengths = np.zeros(LANES, np.int64)
    for lane in range(LANES):
        lengths[lane] = sentence_length(problem, group[lane])
    return lengths


@compiled
def first_token(problem, sentence):
    """Where a sentence begins."""
    return problem.offsets[sentence] if sentence >= 0 else 0


@compiled
def word_scales(word, lengths, total, best, leaf, scales, log_scale):
    """The scale of one word in each lane, into `scales`; adds its logarithm where the word exists.

    total, best: the sum and the largest of the weights with which other words generate it; leaf: of having no children
    """
    store(pointer(scales), 0, multiply(total, leaf))
    store(pointer(scales), LANES, multiply(multiply(splat(TYPICAL_CHOICE), best), leaf))
    for lane in range(LANES):
        typical = min(scales[lane], scales[LANES + lane])
        scales[lane] = 1.0 / typical if typical > 0.0 else 1.0
        if word < lengths[lane]:
            log_scale[lane] += np.log(scales[lane])


class CountArrays(NamedTuple):
    """Expected counts summed over sentences, one table per thread. Flat."""

    root: np.ndarray  # [root column]
    child: np.ndarray  # [row, column]
    decision: np.ndarray  # [row, STOP or GO]


class Posteriors(NamedTuple):
    """Expected counts of single positions, flat; empty where nobody asked."""

    root: np.ndarray  # [token]
    decision: np.ndarray  # [token, direction, valence, STOP or GO]
    arc: np.ndarray  # [arc, valence]


class Edges(NamedTuple):
    """The ways to build one cell: a weight, two parts (-1 where there are fewer), the arc it adds if any."""

    weight: np.ndarray
    part_a: np.ndarray
    part_b: np.ndarray
    head: np.ndarray  # -1 with a child: that child is the root
    child: np.ndarray  # -1: no arc


class Workspace(NamedTuple):
    """Memory that one thread fills its charts in, for one group of sentences after the other."""

    places: np.ndarray  # where the rules of the sentences are in the table
    cells: np.ndarray  # the charts
    edge_weights: np.ndarray
    edge_links: np.ndarray
    longest: int  # sentence that there is room for
    most_contexts: int


@compiled
def edge_pointers(space):
    """Room for the edges of one cell."""
    most = space.longest + 1
    link = pointer(space.edge_links)
    return Edges(
        pointer(space.edge_weights),
        link,
        advance(link, most),
        advance(link, 2 * most),
        advance(link, 3 * most),
    )


@compiled
def put_edge(edges, count, weight, part_a, part_b, head, child):
    """Write an edge behind the first `count`; gives the new count."""
    edges.weight[count] = weight
    edges.part_a[count] = part_a
    edges.part_b[count] = part_b
    edges.head[count] = head
    edges.child[count] = child
    return count + 1


def make_problem(table: RuleTable, batch: Batch, factors: Factors | None, semiring: Semiring) -> ProblemArrays:
    """The flat arrays of one call, taken out of log space where the semiring works with probabilities."""
    domain = _on_grid if semiring.EXACT else _logarithms
    if semiring.SCALED:  # a cell is multiplied by two rules at a time, or by two rules and two factors
        domain = partial(_probabilities, lowest=LOWEST if factors is None else math.sqrt(LOWEST))
    factors = factors or Factors()
    return ProblemArrays(
        offsets=batch.offsets,
        column=batch.column,
        base=batch.base.ravel(),
        context=batch.context,
        rows=batch.rows,
        root_column=batch.roots,
        root=domain(table.root),
        child=_with_border(domain(table.child), semiring.ZERO, columns=1),
        decision=_with_border(domain(table.decision), semiring.ZERO, columns=0),
        root_factor=_flat(factors.root, domain),
        decision_factor=_flat(factors.decision, domain),
        arc_factor=_flat(factors.arc, domain),
        arc_offsets=batch.arc_offsets,
        weight=_weights(batch, semiring),
        no_context=batch.no_context,
        columns=table.child.shape[1] + 1,
        no_row=len(table.child),
        no_column=table.child.shape[1],
        has_root_factor=factors.root is not None,
        has_decision_factor=factors.decision is not None,
        has_arc_factor=factors.arc is not None,
    )


def _weights(batch: Batch, semiring: Semiring) -> np.ndarray:
    """How often every sentence counts: up to 10⁸ times, or what is handed down might leave the range of doubles."""
    weights = np.ones(len(batch)) if batch.weights is None else np.ascontiguousarray(batch.weights, dtype=np.float64)
    return weights if semiring.SCALED else np.log(weights)


def _flat(array: np.ndarray | None, domain) -> np.ndarray:
    return np.empty(0) if array is None else domain(array).ravel()


def _with_border(rows: np.ndarray, zero: float, columns: int) -> np.ndarray:
    """The table with one more row, and `columns` more columns, of zeros. Flat."""
    bordered = np.full((rows.shape[0] + 1, rows.shape[1] + columns), zero)
    bordered[:-1, : rows.shape[1]] = rows
    return bordered.ravel()


def _logarithms(log_potentials: np.ndarray) -> np.ndarray:
    array = np.ascontiguousarray(log_potentials, dtype=np.float64)
    if array.size and not array.max() < np.inf:
        raise ValueError("a log potential is infinite or not a number: the model that made it has diverged")
    return array


def _on_grid(log_potentials: np.ndarray) -> np.ndarray:
    """Rounded so that all sums of them are exact, in any order and on any machine: see "Ties" in `derivations`."""
    return np.rint(_logarithms(log_potentials) * GRID) / GRID


def _probabilities(log_potentials: np.ndarray, lowest: float) -> np.ndarray:
    """exp, with NaN for what is too small or large: a sentence that meets one is done in log space."""
    with np.errstate(over="ignore"):
        potentials = np.exp(log_potentials, dtype=np.float64)
    if potentials.size and not (potentials.min() >= lowest and potentials.max() <= HIGHEST_RULE):
        log_potentials = _logarithms(log_potentials)
        potentials[(potentials < lowest) & (log_potentials > -np.inf) | (potentials > HIGHEST_RULE)] = np.nan
    return potentials


def make_groups(lengths: np.ndarray, sentences: np.ndarray) -> np.ndarray:
    """Sentences of similar length by fours, -1 where there are not enough. [group, lane]"""
    order = sentences[np.argsort(lengths[sentences], kind="stable")]
    padding = -len(order) % LANES
    return np.concatenate([order, np.full(padding, -1, dtype=order.dtype)]).reshape(-1, LANES)
