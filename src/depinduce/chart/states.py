"""Inside and outside of a first-order grammar in which every word is in a hidden state, and valence has three levels.

A word is seen as a *symbol* and an *item* that its state emits. Children are generated from the outside in:

    side(h, b; z, v)      what head h in state z generates between itself and b, after v children further out
      = stop(h; z, v)                                                            for b = h
      = Σ_c Σ_y link(h, c; z, v, y) · gap(h, c; z, v + 1, y) · side(c, b; y, 0)   otherwise
    gap(h, c; z, v, y)    what lies between head h and its child c in state y
      = Σ_r side(h, r; z, v) · side(c, r + 1; y, 0)                              (for a child on the right)
    link(h, c; z, v, y) = go(h; z, v) · child(c, y | h, z, v) · emission(c | y)

That is O(n³) for each pair of states. The sentences are short and the states few: one sentence at a time, no lanes.
Weights are probabilities; every word has scales that keep the cells near 1, and a sentence that leaves the range of
doubles nevertheless is done again with other scales.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np

from depinduce.compiled import compiled, compiled_entry
from depinduce.corpus.ragged import pieces
from depinduce.grammar.rules import GO, LEFT, RIGHT, STOP

VALENCES = 3  # no child yet, one, two or more
MANY = VALENCES - 1
LOWEST = -700.0  # log weight that a double can hold
SMALLEST, LARGEST = 1e-250, 1e250  # between these the sum over all trees is trusted
ATTEMPTS = 40  # to find scales
RESCALING = 4.0  # of every word, from one attempt to the next


class StateRules(NamedTuple):
    """The log weight of every rule or, in the same shape, how often it is used."""

    root: np.ndarray  # [symbol, state]
    child: np.ndarray  # [direction, head symbol, head state, valence, child symbol, child state]
    decision: np.ndarray  # [direction, symbol, state, valence, STOP or GO]
    emission: np.ndarray  # [item, state]

    @property
    def parts(self) -> tuple[np.ndarray, ...]:
        return tuple(self)


@dataclass(frozen=True)
class StateBatch:
    """Sentences for this chart."""

    offsets: np.ndarray  # [sentence + 1]
    symbols: np.ndarray  # [token]
    items: np.ndarray  # [token]
    may_head: np.ndarray  # [token] bool
    weights: np.ndarray  # [sentence] how often it occurs
    may_be_root: np.ndarray | None = None  # [token] bool; None: all may be, like the next
    may_be_arc: np.ndarray | None = None  # [arc] bool, arc = head · n + child after those of the sentences before

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def take(self, sentences: np.ndarray) -> StateBatch:
        """Some of the sentences."""
        tokens, offsets = pieces(self.offsets, sentences)
        arcs, _ = pieces(np.concatenate([[0], np.cumsum(np.diff(self.offsets) ** 2)]), sentences)
        return StateBatch(
            offsets,
            self.symbols[tokens],
            self.items[tokens],
            self.may_head[tokens],
            self.weights[sentences],
            None if self.may_be_root is None else self.may_be_root[tokens],
            None if self.may_be_arc is None else self.may_be_arc[arcs],
        )


@dataclass(frozen=True)
class StateExpectations:
    """log Z of every sentence, expected counts of the whole batch, and posteriors by position where wanted."""

    log_z: np.ndarray  # [sentence]
    counts: StateRules
    root: np.ndarray  # [token]; empty where nobody asked, like the next
    arc: np.ndarray  # [arc], arc = head · n + child after those of the sentences before


def state_expectations(
    rules: StateRules, batch: StateBatch, *, positions: bool = False, threads: int = 1
) -> StateExpectations:
    """Sums over all trees and all states. A sentence that has no tree counts nothing and has log Z = -∞."""
    weights = StateRules(*map(_probabilities, rules))
    lengths = np.diff(batch.offsets)
    arc_offsets = np.concatenate([[0], np.cumsum(lengths**2)])
    log_z = np.empty(len(batch))
    root = np.zeros(len(batch.symbols) if positions else 0)
    arc = np.zeros(arc_offsets[-1] if positions else 0)
    tokens = batch.offsets.astype(np.int64), batch.symbols.astype(np.int64), batch.items.astype(np.int64)

    nothing = np.empty(0, dtype=bool)
    possible = [nothing if part is None else part for part in (batch.may_be_root, batch.may_be_arc)]

    def run(share: np.ndarray) -> StateRules:
        counts = StateRules(*(np.zeros(part.shape) for part in rules))
        _expectations(
            share, *tokens, batch.may_head, *possible, batch.weights, *weights,
            log_z, *counts, arc_offsets, root, arc,
        )  # fmt: skip
        return counts

    shares = [np.arange(k, len(batch), threads) for k in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(run, shares))
    counts = StateRules(*(reduce(np.add, found) for found in zip(*parts, strict=True)))
    return StateExpectations(log_z, counts, root, arc)


def _probabilities(log_weights: np.ndarray) -> np.ndarray:
    """exp, but only what is impossible becomes 0; contiguous, or the chart would be compiled once more."""
    possible = np.isfinite(log_weights)
    return np.ascontiguousarray(np.where(possible, np.exp(np.maximum(log_weights, LOWEST)), 0.0))


def tiny_problem() -> tuple[StateRules, StateBatch]:
    """One word with one tag, for whoever wants the chart compiled before it is needed."""
    context = (2, 1, 1, VALENCES)
    rules = StateRules(*(np.zeros(shape) for shape in ((1, 1), (*context, 1, 1), (*context, 2), (1, 1))))
    one = np.zeros(1, dtype=np.int64)
    return rules, StateBatch(np.array([0, 1]), one, one, np.ones(1, dtype=bool), np.ones(1))


@compiled_entry
def _expectations(
    sentences, offsets, symbols, items, may_head, may_be_root, may_be_arc, weights,
    root, child, decision, emission, log_z,
    root_count, child_count, decision_count, emission_count, arc_offsets, root_posterior, arc_posterior,
):  # fmt: skip
    states = root.shape[1]
    for place in range(len(sentences)):
        sentence = sentences[place]
        start, end = offsets[sentence], offsets[sentence + 1]
        n = end - start
        tags, emitted = symbols[start:end], items[start:end]
        link = np.zeros((states, VALENCES, states, n, n))
        top = np.empty((states, n))
        side = np.zeros((2, states, VALENCES, n, n))
        gap = np.zeros((2, states, states, n, n))
        fetch_rules(tags, emitted, may_head[start:end], root, child, decision, emission, link, top, side)
        if len(may_be_arc):
            keep_possible(may_be_root[start:end], may_be_arc[arc_offsets[sentence] :], link, top)
        log_scale = scale_words(link, top, side)
        step = np.log(RESCALING)
        total, last = fill_inside(link, top, side, gap), 0
        for _ in range(ATTEMPTS):
            if SMALLEST <= total <= LARGEST:
                break
            direction = 1 if total < SMALLEST else -1
            if last == -direction:  # neither will do: no tree, or none that doubles can tell
                break
            last = direction
            factor = RESCALING**direction
            multiply_all(link, factor)
            multiply_all(top, factor)
            log_scale += n * step * direction
            total = fill_inside(link, top, side, gap)
        if not (SMALLEST <= total <= LARGEST):
            log_z[sentence] = -np.inf
            continue
        log_z[sentence] = np.log(total) - log_scale
        out_side, uses = np.zeros(side.shape), np.zeros(link.shape)
        fill_outside(link, top, side, gap, total, out_side, uses)
        weight = weights[sentence]
        count_rules(
            tags, emitted, side, out_side, top, uses, total, weight,
            root_count, child_count, decision_count, emission_count,
        )  # fmt: skip
        if len(arc_posterior):
            for h in range(n):
                for z in range(states):
                    root_posterior[start + h] += root_weight(top, side, z, h) / total
                    for c in range(n):
                        place_of_arc = arc_offsets[sentence] + h * n + c
                        for v in range(VALENCES):
                            for y in range(states):
                                arc_posterior[place_of_arc] += uses[z, v, y, h, c]


@compiled
def fetch_rules(tags, emitted, may_head, root, child, decision, emission, link, top, side):
    """The weights of one sentence: links, roots, and the sides of each word alone."""
    n, states = len(tags), root.shape[1]
    for h in range(n):
        s = tags[h]
        for z in range(states):
            top[z, h] = root[s, z] * emission[emitted[h], z]
            for direction in range(2):
                for v in range(VALENCES):
                    side[direction, z, v, h, h] = decision[direction, s, z, v, STOP]
                    if may_head[h]:
                        go = decision[direction, s, z, v, GO]
                        for c in range(h) if direction == LEFT else range(h + 1, n):
                            for y in range(states):
                                weight = child[direction, s, z, v, tags[c], y]
                                link[z, v, y, h, c] = go * weight * emission[emitted[c], y]


@compiled
def keep_possible(may_be_root, may_be_arc, link, top):
    """Take away the weights of what cannot be. may_be_arc: of this sentence first"""
    states, n = top.shape
    for h in range(n):
        for z in range(states):
            if not may_be_root[h]:
                top[z, h] = 0.0
            for c in range(n):
                if not may_be_arc[h * n + c]:
                    for v in range(VALENCES):
                        for y in range(states):
                            link[z, v, y, h, c] = 0.0


@compiled
def scale_words(link, top, side):
    """Multiply weights so that the largest of each kind is 1; gives the sum of the logarithms of the scales.

    Every tree has one link or the root to each word, two stops of each word, and one root. Written as loops, because
    expressions with slices of five dimensions take as long to compile as all the rest.
    """
    states, n = top.shape
    log_scale = 0.0
    for c in range(n):
        best = 0.0
        for z in range(states):
            for v in range(VALENCES):
                for y in range(states):
                    for h in range(n):
                        best = max(best, link[z, v, y, h, c])
        if best > 0.0:
            log_scale -= np.log(best)
            for z in range(states):
                top[z, c] /= best
                for v in range(VALENCES):
                    for y in range(states):
                        for h in range(n):
                            link[z, v, y, h, c] /= best
        for direction in range(2):
            best = 0.0
            for z in range(states):
                for v in range(VALENCES):
                    best = max(best, side[direction, z, v, c, c])
            if best > 0.0:
                log_scale -= np.log(best)
                for z in range(states):
                    for v in range(VALENCES):
                        side[direction, z, v, c, c] /= best
    best = 0.0
    for z in range(states):
        for c in range(n):
            best = max(best, top[z, c])
    if best > 0.0:
        log_scale -= np.log(best)
        for z in range(states):
            for c in range(n):
                top[z, c] /= best
    return log_scale


@compiled
def multiply_all(weights, factor):
    """Of an array of any number of dimensions, in place."""
    flat = weights.ravel()
    for k in range(flat.size):
        flat[k] *= factor


@compiled
def root_weight(top, side, z, h):
    """Of all trees in which h is the root, in state z."""
    return top[z, h] * side[LEFT, z, 0, h, 0] * side[RIGHT, z, 0, h, top.shape[1] - 1]


@compiled
def fill_inside(link, top, side, gap):
    """All cells from narrow to wide; gives the sum over all trees."""
    states, n = top.shape
    for width in range(1, n):
        for a in range(n - width):
            b = a + width
            for v in range(1, VALENCES):
                for z in range(states):
                    for y in range(states):
                        to_right = to_left = 0.0
                        for r in range(a, b):
                            to_right += side[RIGHT, z, v, a, r] * side[LEFT, y, 0, b, r + 1]
                            to_left += side[LEFT, z, v, b, r + 1] * side[RIGHT, y, 0, a, r]
                        gap[v - 1, z, y, a, b] = to_right
                        gap[v - 1, z, y, b, a] = to_left
            for z in range(states):
                for v in range(VALENCES):
                    after = min(v + 1, MANY) - 1
                    to_right = to_left = 0.0
                    for y in range(states):
                        for c in range(a + 1, b + 1):
                            to_right += link[z, v, y, a, c] * gap[after, z, y, a, c] * side[RIGHT, y, 0, c, b]
                        for c in range(a, b):
                            to_left += link[z, v, y, b, c] * gap[after, z, y, b, c] * side[LEFT, y, 0, c, a]
                    side[RIGHT, z, v, a, b] = to_right
                    side[LEFT, z, v, b, a] = to_left
    total = 0.0
    for h in range(n):
        for z in range(states):
            total += root_weight(top, side, z, h)
    return total


@compiled
def fill_outside(link, top, side, gap, total, out_side, uses):
    """The derivatives of log(total), from wide to narrow: of sides, and of the logarithms of links, which is `uses`."""
    states, n = top.shape
    out_gap = np.zeros(gap.shape)
    for h in range(n):
        for z in range(states):
            out_side[LEFT, z, 0, h, 0] += top[z, h] * side[RIGHT, z, 0, h, n - 1] / total
            out_side[RIGHT, z, 0, h, n - 1] += top[z, h] * side[LEFT, z, 0, h, 0] / total
    for width in range(n - 1, 0, -1):
        for a in range(n - width):
            b = a + width
            hand_down_side(RIGHT, a, b, link, side, gap, out_side, out_gap, uses)
            hand_down_side(LEFT, b, a, link, side, gap, out_side, out_gap, uses)
            for v in range(1, VALENCES):
                for z in range(states):
                    for y in range(states):
                        to_right, to_left = out_gap[v - 1, z, y, a, b], out_gap[v - 1, z, y, b, a]
                        for r in range(a, b):
                            out_side[RIGHT, z, v, a, r] += to_right * side[LEFT, y, 0, b, r + 1]
                            out_side[LEFT, y, 0, b, r + 1] += to_right * side[RIGHT, z, v, a, r]
                            out_side[LEFT, z, v, b, r + 1] += to_left * side[RIGHT, y, 0, a, r]
                            out_side[RIGHT, y, 0, a, r] += to_left * side[LEFT, z, v, b, r + 1]


@compiled
def hand_down_side(direction, h, b, link, side, gap, out_side, out_gap, uses):
    """From the side of h that reaches to b, to its parts."""
    states = side.shape[1]
    for z in range(states):
        for v in range(VALENCES):
            outer = out_side[direction, z, v, h, b]
            if outer == 0.0:
                continue
            after = min(v + 1, MANY) - 1
            for y in range(states):
                for c in range(h + 1, b + 1) if direction == RIGHT else range(b, h):
                    own, between, rest = link[z, v, y, h, c], gap[after, z, y, h, c], side[direction, y, 0, c, b]
                    uses[z, v, y, h, c] += outer * own * between * rest
                    out_gap[after, z, y, h, c] += outer * own * rest
                    out_side[direction, y, 0, c, b] += outer * own * between


@compiled
def count_rules(
    tags, emitted, side, out_side, top, uses, total, weight, root_count, child_count, decision_count, emission_count
):  # fmt: skip
    """The expected counts of one sentence, `weight` times."""
    states, n = top.shape
    for h in range(n):
        s = tags[h]
        for z in range(states):
            as_root = weight * root_weight(top, side, z, h) / total
            root_count[s, z] += as_root
            emission_count[emitted[h], z] += as_root
            for v in range(VALENCES):
                for direction in range(2):
                    stopped = out_side[direction, z, v, h, h] * side[direction, z, v, h, h]
                    decision_count[direction, s, z, v, STOP] += weight * stopped
                    for c in range(h) if direction == LEFT else range(h + 1, n):
                        for y in range(states):
                            used = weight * uses[z, v, y, h, c]
                            decision_count[direction, s, z, v, GO] += used
                            child_count[direction, s, z, v, tags[c], y] += used
                            emission_count[emitted[c], y] += used
