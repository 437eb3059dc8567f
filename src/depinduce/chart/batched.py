"""The charts as batched, differentiable torch operations, for any device and as a check on the compiled ones.

Sentences of any lengths are padded into one batch, and all spans of one width are computed at once: Python
loops over widths only. `log_partition` is an ordinary function of the rule potentials, so autograd gives the
expected rule counts and, through the factors, the posteriors of single arcs. With `greatest` in place of
`log_sum` it gives best scores, and their gradient best trees.

Memory for the gradient is O(B·n³) for the sibling chart and O(B·n³·G) for the other two, where G is the
number of different contexts in a sentence, one in first-order grammars: every sum keeps its terms.

A span i..j belongs to the left side of its head j or to the right side of its head i; words count from 0. The
spans shorter than some width are kept as two tensors, for a sum over split points reads them from both ends:

    starting   [sentence, span, width, …]   those that begin where the span begins, shortest first
    ending     [sentence, span, width, …]   those that end where the span ends, longest first
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from depinduce.grammar.rules import GO, HAS, LEFT, NO, RIGHT, STOP, Batch, Factors, Order

# Log zero inside the charts: finite, so that no sum or difference of it is a NaN in values or gradients.
NEVER = -1e30

Sum = Callable[[Tensor, int], Tensor]  # terms, the dimension to sum over


class TensorFactors(NamedTuple):
    """Factors with all their parts, as tensors; gradients flow to them."""

    root: Tensor  # [token]
    decision: Tensor  # [token, direction, valence, STOP or GO]
    arc: Tensor  # [arc, valence]


def log_sum(terms: Tensor, dim: int) -> Tensor:
    """log Σ exp, for partition functions. An empty sum is zero."""
    return torch.logsumexp(terms, dim) if terms.shape[dim] else terms.sum(dim) + NEVER


def greatest(terms: Tensor, dim: int) -> Tensor:
    """The greatest term, for best trees; among equals one alone gets the gradient. An empty sum is zero."""
    return terms.max(dim).values if terms.shape[dim] else terms.sum(dim) + NEVER


def log_partition(
    root: Tensor,
    child: Tensor,
    decision: Tensor,
    batch: Batch,
    factors: Factors | TensorFactors | None = None,
    plus: Sum = log_sum,
) -> Tensor:
    """The log of the summed potential of each sentence's trees, -inf where there is none. [sentence]

    root: [root column], child: [row, column], decision: [row, STOP or GO], as in a RuleTable
    factors: gradients flow to tensors
    """
    if len(batch) == 0:
        return root.new_zeros(0)
    problem = _Problem(root, child, decision, batch, factors)
    chart = _sibling_chart if batch.order is Order.SIBLING else _grandparent_chart
    total = _over_roots(problem, *chart(problem, plus), plus)
    return total.masked_fill(total < NEVER / 10, -torch.inf)


def best_trees(
    root: Tensor, child: Tensor, decision: Tensor, batch: Batch, factors: Factors | None = None
) -> tuple[np.ndarray, Tensor]:
    """The heads of each sentence's best tree and its log potential: [token] int64, [sentence].

    Heads count from 1 in each sentence, 0 is the root. A sentence without a tree has heads -1, score -inf.
    """
    if len(batch) == 0:
        return np.zeros(0, dtype=np.int64), root.new_zeros(0)
    given = _filled(factors, batch, root)
    with torch.enable_grad():  # the gradient of the best score is one at the arcs of the best tree
        roots, arcs = (part.detach().requires_grad_() for part in (given.root, given.arc))
        fixed = TensorFactors(roots, given.decision.detach(), arcs)
        scores = log_partition(root.detach(), child.detach(), decision.detach(), batch, fixed, greatest)
        wanted = (roots, arcs)
        is_root, is_arc = torch.autograd.grad(scores.sum(), wanted, allow_unused=True, materialize_grads=True)
    arc = (is_arc.sum(dim=-1) > 0.5).nonzero().squeeze(-1).cpu().numpy()
    sentence = np.searchsorted(batch.arc_offsets, arc, side="right") - 1
    head, dependent = np.divmod(arc - batch.arc_offsets[sentence], batch.lengths[sentence])
    heads = np.full(len(batch.column), -1)
    heads[(is_root > 0.5).cpu().numpy()] = 0
    heads[batch.offsets[sentence] + dependent] = head + 1
    return heads, scores.detach()


def starting_with(spans: Tensor, width: Tensor) -> Tensor:
    """The starting spans seen from the next width, now that the spans of this width are known."""
    return torch.cat([spans, width.unsqueeze(2)], dim=2)[:, :-1]


def ending_with(spans: Tensor, width: Tensor) -> Tensor:
    """The ending spans seen from the next width, now that the spans of this width are known."""
    return torch.cat([width.unsqueeze(2), spans], dim=2)[:, 1:]


def spans_by_width(length: int) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """The first and the last words of all spans of width 1, then 2, …, and how many there are of each."""
    widths = range(1, length)
    first = np.concatenate([np.arange(length - width) for width in widths] or [np.arange(0)])
    last = np.concatenate([np.arange(width, length) for width in widths] or [np.arange(0)])
    return first, last, [length - width for width in widths]


def take(values: Tensor, index: np.ndarray) -> Tensor:
    """values[index] along the first axis, with a gradient that is one indexed addition."""
    flat = torch.from_numpy(np.ascontiguousarray(index, dtype=np.int64).reshape(-1)).to(values.device)
    return values.index_select(0, flat).view(*index.shape, *values.shape[1:])


class _Problem:
    """A batch padded to its longest sentence, with the potentials of rules and factors.

    A padded position repeats its sentence's first word, whose rows exist. No tree reads a span that
    reaches into the padding.
    """

    def __init__(
        self, root: Tensor, child: Tensor, decision: Tensor, batch: Batch, factors: Factors | TensorFactors | None
    ):
        self.batch, self.length = batch, int(batch.lengths.max())
        self.root, self.child, self.decision = (part.clamp(min=NEVER) for part in (root, child, decision))
        self.factors = _filled(factors, batch, root)
        position = np.arange(self.length)
        self.inside = position < batch.lengths[:, None]  # [sentence, word]
        self.position = np.where(self.inside, position, 0)  # [sentence, word]
        self.token = batch.offsets[:-1, None] + self.position  # [sentence, word]
        self.column = batch.column[self.token].astype(np.int64)  # [sentence, word]

    def children(self, row: np.ndarray, column: np.ndarray) -> Tensor:
        """The log potentials of child rules."""
        return take(self.child.reshape(-1), row.astype(np.int64) * self.child.shape[1] + column)

    def decisions(self, row: np.ndarray, head: np.ndarray, direction: int, valence: int) -> Tensor:
        """The log potentials of STOP and GO, factors included. [sentence, …, STOP or GO]"""
        factor = take(self.factors.decision[:, direction, valence], self.token[:, head])
        return take(self.decision, row) + factor

    def arcs(self, head: np.ndarray, child: np.ndarray) -> Tensor:
        """The arc factors of pairs of words. [sentence, pair, valence]"""
        within = self.position[:, head] * self.batch.lengths[:, None] + self.position[:, child]
        return take(self.factors.arc, self.batch.arc_offsets[:-1, None] + within)

    def roots(self) -> Tensor:
        """The log potential of each word as the root. [sentence, word]"""
        return take(self.root, self.batch.roots[self.token]) + take(self.factors.root, self.token)


def _filled(factors: Factors | TensorFactors | None, batch: Batch, like: Tensor) -> TensorFactors:
    """Factors as tensors of the type and device of the rules, none below NEVER."""
    given, tokens = Factors() if factors is None else factors, len(batch.column)

    def fill(part: np.ndarray | Tensor | None, *shape: int) -> Tensor:
        if part is None:
            return like.new_zeros(shape)
        return torch.as_tensor(part, dtype=like.dtype, device=like.device).clamp(min=NEVER)

    return TensorFactors(
        root=fill(given.root, tokens),
        decision=fill(given.decision, tokens, 2, 2, 2),
        arc=fill(given.arc, int(batch.arc_offsets[-1]), 2),
    )


def _over_roots(problem: _Problem, lefts: list[Tensor], rights: list[Tensor], plus: Sum) -> Tensor:
    """Z = Σ_h root(h) · CL(h,first) · CR(h,last), from the sides of words by width. [sentence]"""
    # The root is `distance` words before the end of its own sentence.
    distance = np.arange(problem.length)
    root = np.maximum(problem.batch.lengths[:, None] - 1 - distance, 0)  # [sentence, distance]
    at_root = torch.from_numpy(root).to(lefts[0].device)
    left = torch.stack([side[:, 0] for side in lefts], dim=1).gather(1, at_root)
    right = torch.cat([side.gather(1, at_root[:, [width]]) for width, side in enumerate(rights)], dim=1)
    terms = problem.roots().gather(1, at_root) + left + right  # [sentence, distance]
    outside = torch.from_numpy(~problem.inside).to(terms.device)
    return plus(terms.masked_fill(outside, NEVER), 1)


@dataclass(frozen=True)
class _SiblingSide:
    """The potentials of all heads in one direction; lists are by width, from 1, of an arc from h to c."""

    stop: Tensor  # [sentence, word]: no children at all
    first: Sequence[Tensor]  # [sentence, span]: GO, and c is the first child
    stop_after: Sequence[Tensor]  # [sentence, span]: STOP after c
    go_after: Sequence[Tensor]  # [sentence, span]: GO after c
    child_after: Sequence[Tensor]  # [sentence, span, width - 1]: each word between h and c as the child after c
    arc: Sequence[Tensor]  # [sentence, span]: the factor of the arc if c is a later child


def _sibling_side(problem: _Problem, direction: int) -> _SiblingSide:
    batch, length = problem.batch, problem.length
    first, last, counts = spans_by_width(length)
    head, child = (last, first) if direction == LEFT else (first, last)
    base = batch.base[problem.token, direction]  # [sentence, word]
    null_row = batch.rows[base + batch.no_context]  # [sentence, word]
    row = batch.rows[base[:, head] + batch.context[problem.token[:, child]]]  # [sentence, pair]

    none_yet = problem.decisions(null_row, np.arange(length), direction, NO)  # [sentence, word, STOP or GO]
    after = problem.decisions(row, head, direction, HAS)  # [sentence, pair, STOP or GO]
    arc = problem.arcs(head, child)  # [sentence, pair, valence]
    attach = problem.children(null_row[:, head], problem.column[:, child]) + arc[..., NO]
    attach = attach + none_yet[..., GO].index_select(1, torch.from_numpy(head).to(arc.device))

    # All (pair, word between) of one width after the other: n³/6 of them.
    gap = last - first - 1
    pair = np.repeat(np.arange(len(gap)), gap)
    between = first[pair] + 1 + np.arange(len(pair)) - (np.cumsum(gap) - gap)[pair]
    later = problem.children(row[:, pair], problem.column[:, between])  # [sentence, pair and word between]
    sizes = [count * width for width, count in enumerate(counts)]
    return _SiblingSide(
        stop=none_yet[..., STOP],
        first=attach.split(counts, 1),
        stop_after=after[..., STOP].split(counts, 1),
        go_after=after[..., GO].split(counts, 1),
        child_after=[
            part.unflatten(1, (count, width))
            for width, (count, part) in enumerate(zip(counts, later.split(sizes, 1), strict=True))
        ],
        arc=arc[..., HAS].split(counts, 1),
    )


def _sibling_chart(problem: _Problem, plus: Sum) -> tuple[list[Tensor], list[Tensor]]:
    """The left and the right sides of all words, by width. Each [sentence, span]

    IL(h,c) has c as a left child of h and everything between them done; SIB(a,b) has two neighbouring
    children and everything between them.
    """
    left, right = _sibling_side(problem, LEFT), _sibling_side(problem, RIGHT)
    lefts, rights = [left.stop], [right.stop]
    left_starting, left_ending = left.stop[:, :-1, None], left.stop[:, 1:, None]  # CL
    right_starting, right_ending = right.stop[:, :-1, None], right.stop[:, 1:, None]  # CR
    pair_starting = pair_ending = left_starting[:, :, :0]  # SIB
    left_first = left_later = right_first = right_later = pair_starting  # IL ending, IR starting
    for k in range(problem.length - 1):  # width k + 1
        # SIB(i,j) = Σ_{i≤r<j} CR(i,r) · CL(j,r+1)
        pair = plus(right_starting + left_ending, 2)
        # IL(j,i) = CR(i,j-1) · stop(j,←,i,HAS)
        #         + go(j,←,i,HAS) · Σ_{i<s<j} SIB(i,s) · IL(j,s) · child(s | j,←,i,HAS)
        more = left.go_after[k] + plus(pair_starting + left_later + left.child_after[k], 2)
        last = right_starting[:, :, -1] + left.stop_after[k]
        il = plus(torch.stack([last, more]), 0)
        # IR(i,j) = CL(j,i+1) · stop(i,→,j,HAS)
        #         + go(i,→,j,HAS) · Σ_{i<s<j} IR(i,s) · SIB(s,j) · child(s | i,→,j,HAS)
        more = right.go_after[k] + plus(right_later + pair_ending + right.child_after[k], 2)
        last = left_ending[:, :, 0] + right.stop_after[k]
        ir = plus(torch.stack([last, more]), 0)

        left_first = torch.cat([(il + left.first[k]).unsqueeze(2), left_first], dim=2)
        right_first = torch.cat([right_first, (ir + right.first[k]).unsqueeze(2)], dim=2)
        # CL(j,i) = Σ_{i≤c<j} CL(c,i) · IL(j,c) · child(c | j,←,∅,NO) · go(j,←,∅,NO)
        cl = plus(left_starting + left_first, 2)
        # CR(i,j) = Σ_{i<c≤j} IR(i,c) · child(c | i,→,∅,NO) · go(i,→,∅,NO) · CR(c,j)
        cr = plus(right_first + right_ending, 2)
        lefts.append(cl)
        rights.append(cr)

        left_starting, left_ending = starting_with(left_starting, cl), ending_with(left_ending, cl)
        right_starting, right_ending = starting_with(right_starting, cr), ending_with(right_ending, cr)
        pair_starting, pair_ending = starting_with(pair_starting, pair), ending_with(pair_ending, pair)
        left_first, left_later = left_first[:, 1:], ending_with(left_later, il + left.arc[k])
        right_first, right_later = right_first[:, :-1], starting_with(right_later, ir + right.arc[k])
    return lefts, rights


def _contexts(batch: Batch) -> tuple[np.ndarray, np.ndarray]:
    """The different contexts of each sentence, ROOT's first, and each token's place among them.

    Returns contexts [sentence, G], where short lists are filled up with ROOT's, and places [token].
    """
    root = np.arange(len(batch)) * (int(batch.context.max()) + 2)  # keys that sort by sentence, ROOT first
    sentence = np.repeat(np.arange(len(batch)), batch.lengths)
    keys = root[sentence] + np.where(batch.context == batch.no_context, 0, batch.context + 1)
    number = np.unique(np.concatenate([root, keys]), return_inverse=True)[1]
    place = number[len(batch) :] - number[sentence]
    contexts = np.full((len(batch), place.max() + 1), batch.no_context)
    contexts[sentence, place] = batch.context
    return contexts, place


@dataclass(frozen=True)
class _GrandparentSide:
    """The potentials of all heads in one direction and every context; the list is by width, from 1."""

    stop: Tensor  # [sentence, word, context, valence]
    attach: Sequence[Tensor]  # [sentence, span, context, valence]: GO, and c is the child


def _grandparent_side(problem: _Problem, contexts: np.ndarray, direction: int) -> _GrandparentSide:
    batch = problem.batch
    first, last, counts = spans_by_width(problem.length)
    head, child = (last, first) if direction == LEFT else (first, last)
    slot = 2 * contexts[:, None, :, None] + np.array([NO, HAS])  # [sentence, 1, context, valence]
    row = batch.rows[batch.base[problem.token, direction][:, :, None, None] + slot]
    # decision: [sentence, word, context, valence, STOP or GO]
    decision = take(problem.decision, row) + take(problem.factors.decision[:, direction], problem.token)[:, :, None]
    attach = problem.children(row[:, head], problem.column[:, child, None, None])
    attach = attach + problem.arcs(head, child)[:, :, None]  # [sentence, pair, context, valence]
    attach = attach + decision[..., GO].index_select(1, torch.from_numpy(head).to(attach.device))
    return _GrandparentSide(decision[..., STOP], attach.split(counts, 1))


def _grandparent_chart(problem: _Problem, plus: Sum) -> tuple[list[Tensor], list[Tensor]]:
    """The left and the right sides of all words as children of ROOT, by width. Each [sentence, span]

    A side has a context g, its head's own head, and a valence v: [sentence, span, context, valence]. First
    order is the case of a single context.
    """
    contexts, place = _contexts(problem.batch)
    place = torch.from_numpy(place[problem.token]).to(problem.child.device)  # [sentence, word]

    def under(spans: Tensor, heads: Tensor) -> Tensor:
        """Childless sides in the contexts that these heads are to them. [sentence, span, width, 1]"""
        return spans.gather(3, heads[:, :, None, None].expand(-1, -1, spans.shape[2], 1))

    left, right = (_grandparent_side(problem, contexts, direction) for direction in (LEFT, RIGHT))
    lefts, rights = [left.stop[:, :, 0, NO]], [right.stop[:, :, 0, NO]]
    left_ending, left_starting = left.stop[:, 1:, None], left.stop[:, :-1, None, :, NO]  # CL
    right_starting, right_ending = right.stop[:, :-1, None], right.stop[:, 1:, None, :, NO]  # CR
    left_arcs = right_arcs = right_starting[:, :, :0]  # IL ending, IR starting
    for k in range(problem.length - 1):  # width k + 1
        begin, end = place[:, : -k - 1], place[:, k + 1 :]  # words i and j as contexts. [sentence, span]
        # KL(j,i;g) = Σ_{i≤r<j} CR(i,r; j,NO) · CL(j,r+1; g,HAS)
        kl = plus(under(right_starting[..., NO], end) + left_ending[..., HAS], 2)
        # KR(i,j;g) = Σ_{i≤r<j} CR(i,r; g,HAS) · CL(j,r+1; i,NO)
        kr = plus(right_starting[..., HAS] + under(left_ending[..., NO], begin), 2)
        # IL(j,i;g,v) = go(j,←,g,v) · child(i | j,←,g,v) · KL(j,i;g)
        left_arcs = torch.cat([(left.attach[k] + kl.unsqueeze(-1)).unsqueeze(2), left_arcs], dim=2)
        # IR(i,j;g,v) = go(i,→,g,v) · child(j | i,→,g,v) · KR(i,j;g)
        right_arcs = torch.cat([right_arcs, (right.attach[k] + kr.unsqueeze(-1)).unsqueeze(2)], dim=2)
        # CL(j,i;g,v) = Σ_{i≤c<j} CL(c,i; j,NO) · IL(j,c;g,v)
        cl = plus(under(left_starting, end).unsqueeze(-1) + left_arcs, 2)
        # CR(i,j;g,v) = Σ_{i<c≤j} IR(i,c;g,v) · CR(c,j; i,NO)
        cr = plus(right_arcs + under(right_ending, begin).unsqueeze(-1), 2)
        lefts.append(cl[:, :, 0, NO])
        rights.append(cr[:, :, 0, NO])

        left_ending, left_starting = ending_with(left_ending, cl), starting_with(left_starting, cl[..., NO])
        right_starting, right_ending = (
            starting_with(right_starting, cr),
            ending_with(right_ending, cr[..., NO]),
        )
        left_arcs, right_arcs = left_arcs[:, 1:], right_arcs[:, :-1]
    return lefts, rights
