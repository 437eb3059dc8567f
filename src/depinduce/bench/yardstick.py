"""The paper's own algorithms, as the yardstick that the charts are measured against.

These are the inside algorithms for grand-NDMV and sibling-NDMV of the appendix (algorithms 1 and 2), batched
over sentences of equal length, over all spans of one width and over the context position g, with gradients by
back-propagation: O(n⁴) time and memory. Read as printed they give nothing, so three slips are mended:

- RIGHT is 1, not 0.
- In algorithm 2 the complete spans extend I^{g}, not I^{i} and I^{j}: the sibling of the outermost child of a
  span lies outside the span and stays what it is.
- Both algorithms sum complete spans over i ≤ r < j (left) and i < r ≤ j (right), for there is no incomplete
  span of a single word.

There are two forms. PUBLISHED keeps the charts as the authors' program does, as tensors over all spans that are
filled in place, once by first and once by last word. GROWING is the fastest form of the same algorithm that we
could write: charts grow by concatenation, whose gradient is cheaper.

C_{i,j,d}^{g,v} and I_{i,j,d}^{g,v} are complete and incomplete spans whose head has the context g (the child
before, farther out, or the head's own head) and the valence v; g = 0 is NULL or ROOT. Here g runs over all
words, as tensors want it, also over those inside the span, which nothing reads. What depends on neither g nor
v is computed once for all of them, as the authors do.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from depinduce.chart.batched import (
    NEVER,
    Sum,
    ending_with,
    greatest,
    log_sum,
    spans_by_width,
    starting_with,
)
from depinduce.grammar.rules import GO, HAS, LEFT, NO, RIGHT, STOP, Order

PUBLISHED, GROWING = "published", "growing"


def log_partition(
    order: Order,
    root: Tensor,
    child: Tensor,
    decision: Tensor,
    tags: Tensor,
    plus: Sum = log_sum,
    form: str = GROWING,
    lengths: Tensor | None = None,
) -> Tensor:
    """The log likelihood of each sentence. [sentence]

    root, child, decision: the parts of a `RuleTable.of_tags`, of order SIBLING or GRANDPARENT
    tags: [sentence, word] int64; lengths: [sentence], if some are padded (PUBLISHED only)
    """
    return _inside(order, root, child, decision, tags, None, plus, form, lengths)


def log_partition_and_gradient(
    order: Order, root: Tensor, child: Tensor, decision: Tensor, tags: Tensor, form: str = GROWING
) -> tuple[Tensor, tuple[Tensor, Tensor, Tensor]]:
    """The log likelihood of each sentence and the expected counts of all rules in all sentences together."""
    root, child, decision = rules = tuple(part.detach().requires_grad_() for part in (root, child, decision))
    log_z = log_partition(order, root, child, decision, tags, form=form)
    gradients = torch.autograd.grad(log_z.sum(), rules, allow_unused=True, materialize_grads=True)
    to_root, to_child, to_decision = gradients
    return log_z.detach(), (to_root, to_child, to_decision)


def best_trees(
    order: Order, root: Tensor, child: Tensor, decision: Tensor, tags: Tensor, form: str = GROWING
) -> tuple[Tensor, Tensor]:
    """The heads of each sentence's best tree, 0 for the root, and its score. [sentence, word], [sentence]

    The same algorithm with max for logsumexp; the gradient of the score says which arcs were used.
    """
    sentences, length = tags.shape
    heads = torch.zeros_like(tags)
    first, last = (torch.from_numpy(words).to(tags.device) for words in spans_by_width(length)[:2])
    with torch.enable_grad():
        arcs = root.new_zeros(2, sentences, len(first), requires_grad=True)  # [direction, sentence, pair]
        scores = _inside(order, root.detach(), child.detach(), decision.detach(), tags, arcs, greatest, form)
        (used,) = torch.autograd.grad(scores.sum(), arcs) if length > 1 else (arcs,)
    for direction, (head, dependent) in ((LEFT, (last, first)), (RIGHT, (first, last))):
        sentence, pair = (used[direction] > 0.5).nonzero(as_tuple=True)
        heads[sentence, dependent[pair]] = head[pair] + 1
    return heads, scores.detach()


def _inside(
    order: Order,
    root: Tensor,
    child: Tensor,
    decision: Tensor,
    tags: Tensor,
    arcs: Tensor | None,
    plus: Sum,
    form: str,
    lengths: Tensor | None = None,
) -> Tensor:
    charts = {
        (Order.SIBLING, GROWING): _sibling,
        (Order.SIBLING, PUBLISHED): _sibling_in_place,
        (Order.GRANDPARENT, GROWING): _grandparent,
    }
    chart = charts[order, form]
    root, child, decision = (part.clamp(min=NEVER) for part in (root, child, decision))
    count = len(root)
    child = child.view(*order.shape(count), count)  # [direction, head, context, (valence), child]
    decision = decision.view(*order.shape(count), 2)  # [direction, head, context, (valence), STOP or GO]
    if lengths is None:
        left, right = chart(child, decision, tags, arcs, plus)
    elif chart is _sibling_in_place:
        left, right = _sibling_in_place(child, decision, tags, arcs, plus, lengths)
    else:
        raise ValueError(f"padded sentences only in the form {PUBLISHED} of the sibling chart")
    # P = logsumexp_{1≤i≤n} R[i] + C_{1,i,0}^{0,1} + C_{i,n,1}^{0,1}
    return plus(root[tags] + left + right, 1)


def _rules(child: Tensor, decision: Tensor, tags: Tensor, direction: int) -> tuple[Tensor, Sequence[Tensor]]:
    """The rules of one direction at the words of the sentences, gathered from the tables.

    Returns D[…, STOP] as [sentence, word, context, …] and, by width, D[…, GO] + S of the arc of each span as
    [sentence, span, context, …]; the dots are the valence, if the tables have it.
    """
    count = child.shape[-1]
    null = torch.full_like(tags[:, :1], count)  # or ROOT
    context = torch.cat([null, tags], dim=1)  # [sentence, g]
    first, last, counts = spans_by_width(tags.shape[1])
    head, dependent = (last, first) if direction == LEFT else (first, last)
    stop = decision[direction, ..., STOP]  # [head, context, …]
    attach = child[direction] + decision[direction, ..., GO, None]  # [head, context, …, child]
    attach = attach.movedim(-1, 2).flatten(0, 2)  # [head context child, …]

    def gather(table: Tensor, index: Tensor) -> Tensor:
        return table.index_select(0, index.flatten()).view(*index.shape, *table.shape[1:])

    contexts = count + 1
    at_word = tags[:, :, None] * contexts + context[:, None]  # [sentence, word, g]
    at_arc = at_word[:, head] * count + tags[:, dependent, None]  # [sentence, pair, g]
    return gather(stop.flatten(0, 1), at_word), gather(attach, at_arc).split(counts, 1)


def _arcs_by_width(arcs: Tensor | None, direction: int, length: int) -> Sequence[Tensor | float]:
    if arcs is None:
        return [0.0] * (length - 1)
    return arcs[direction].unsqueeze(-1).split(spans_by_width(length)[2], 1)  # each [sentence, span, 1]


def _sibling(child: Tensor, decision: Tensor, tags: Tensor, arcs: Tensor | None, plus: Sum) -> tuple[Tensor, Tensor]:
    """Algorithm 2: C_{1,i,0}^{0,1} and C_{i,n,1}^{0,1} of every word. Each [sentence, word]

    The rule tables of a sibling grammar have no valence of their own; here it has its axis, as in the paper.
    """
    length = tags.shape[1]
    (stop_left, attach_left), (stop_right, attach_right) = (_rules(child, decision, tags, d) for d in (LEFT, RIGHT))
    arcs_left, arcs_right = (_arcs_by_width(arcs, direction, length) for direction in (LEFT, RIGHT))

    lefts, rights = [stop_left[:, 0, 0]], [stop_right[:, -1, 0]]
    # C_{i,j}^{0,NO}  [sentence, span, width] and C_{i,j}^{g,HAS}  [sentence, span, width, g]
    left_starting, left_ending = stop_left[:, :-1, None, 0], stop_left[:, 1:, None, 0]
    right_starting, right_ending = stop_right[:, :-1, None, 0], stop_right[:, 1:, None, 0]
    left_ending_has, right_starting_has = stop_left[:, 1:, None], stop_right[:, :-1, None]
    # I_{i,j}^{g,v}  [sentence, span, width, g, v]
    left_arcs = right_arcs = stop_left[:, 1:, None, :, None].expand(-1, -1, -1, -1, 2)[:, :, :0]
    for k in range(length - 1):
        width = k + 1
        # I_{i,j,0}^{g,v} = logsumexp_{i≤r<j} C_{i,r,1}^{0,NO} + C_{r+1,j,0}^{i,HAS}
        #                 + D[j,g,0,v,1] + S[j,i,g,0,v]
        inner = left_ending_has.diagonal(1, 1, 3)  # g = i  [sentence, width, span]
        arc = plus(right_starting.transpose(1, 2) + inner, 1)
        new = (arc[:, :, None] + arcs_left[k] + attach_left[k])[..., None].expand(-1, -1, -1, 2)
        left_arcs = torch.cat([new.unsqueeze(2), left_arcs], dim=2)
        # I_{i,j,1}^{g,v} = logsumexp_{i≤r<j} C_{i,r,1}^{j,HAS} + C_{r+1,j,0}^{0,NO}
        #                 + D[i,g,1,v,1] + S[i,j,g,1,v]
        inner = right_starting_has.diagonal(width + 1, 1, 3)  # g = j  [sentence, width, span]
        arc = plus(inner + left_ending.transpose(1, 2), 1)
        new = (arc[:, :, None] + arcs_right[k] + attach_right[k])[..., None].expand(-1, -1, -1, 2)
        right_arcs = torch.cat([right_arcs, new.unsqueeze(2)], dim=2)
        # C_{i,j,0}^{g,v} = logsumexp_{i≤r<j} C_{i,r,0}^{0,NO} + I_{r,j,0}^{g,v}
        left = plus(left_starting[..., None, None] + left_arcs, 2)
        # C_{i,j,1}^{g,v} = logsumexp_{i<r≤j} I_{i,r,1}^{g,v} + C_{r,j,1}^{0,NO}
        right = plus(right_arcs + right_ending[..., None, None], 2)

        left_null, right_null = left[:, :, 0, NO], right[:, :, 0, NO]
        lefts.append(left_null[:, 0])
        rights.append(right_null[:, -1])
        left_starting = starting_with(left_starting, left_null)
        left_ending = ending_with(left_ending, left_null)
        right_starting = starting_with(right_starting, right_null)
        right_ending = ending_with(right_ending, right_null)
        left_ending_has = ending_with(left_ending_has, left[..., HAS])
        right_starting_has = starting_with(right_starting_has, right[..., HAS])
        left_arcs, right_arcs = left_arcs[:, 1:], right_arcs[:, :-1]
    return torch.stack(lefts, 1), torch.stack(rights[::-1], 1)


def to_the_end(complete: Tensor, lengths: Tensor) -> Tensor:
    """C_{i,n} of padded sentences, each with its own n; NEVER for the padding. [sentence, word]

    complete: [sentence, first word, width], lengths: [sentence]
    """
    word = torch.arange(complete.shape[1], device=complete.device)
    width = lengths[:, None] - 1 - word  # [sentence, word]
    reached = complete.gather(2, width.clamp(min=0)[..., None])[..., 0]
    return torch.where(width >= 0, reached, NEVER)


def _sibling_in_place(
    child: Tensor, decision: Tensor, tags: Tensor, arcs: Tensor | None, plus: Sum, lengths: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Algorithm 2 again, with charts over all spans that are filled in place."""
    length = tags.shape[1]
    rules = [_rules(child, decision, tags, direction) for direction in (LEFT, RIGHT)]
    arcs_by_width = [_arcs_by_width(arcs, direction, length) for direction in (LEFT, RIGHT)]
    shape = (len(tags), length, length, length + 1, 2)

    def charts() -> list[Tensor]:
        return [torch.full(shape, NEVER, dtype=child.dtype, device=child.device) for _ in (LEFT, RIGHT)]

    # C and I by direction: [sentence, first word, width, g, v] and [sentence, last word, length-1-width, g, v]
    complete_from, complete_to, arc_from, arc_to = charts(), charts(), charts(), charts()
    for direction, (stop, _) in enumerate(rules):
        complete_from[direction][:, :, 0] = stop[..., None]
        complete_to[direction][:, :, -1] = stop[..., None]
    for width in range(1, length):
        firsts, lasts = slice(0, length - width), slice(width, length)
        attach = [rules[d][1][width - 1] + arcs_by_width[d][width - 1] for d in (LEFT, RIGHT)]  # [sentence, span, g]
        # I_{i,j,0}^{g,v} = logsumexp_{i≤r<j} C_{i,r,1}^{0,NO} + C_{r+1,j,0}^{i,HAS} + D[j,g,0,v,1] + S[j,i,g,0,v]
        inner = complete_to[LEFT][:, lasts, length - width :, :, HAS].diagonal(1, 1, 3).transpose(1, 2)  # g = i
        arc = plus(complete_from[RIGHT][:, firsts, :width, 0, NO] + inner, 2)
        new = (arc[..., None] + attach[LEFT])[..., None].expand(-1, -1, -1, 2)
        arc_from[LEFT][:, firsts, width] = new
        arc_to[LEFT][:, lasts, length - 1 - width] = new
        # I_{i,j,1}^{g,v} = logsumexp_{i≤r<j} C_{i,r,1}^{j,HAS} + C_{r+1,j,0}^{0,NO} + D[i,g,1,v,1] + S[i,j,g,1,v]
        inner = complete_from[RIGHT][:, firsts, :width, :, HAS].diagonal(width + 1, 1, 3).transpose(1, 2)  # g = j
        arc = plus(inner + complete_to[LEFT][:, lasts, length - width :, 0, NO], 2)
        new = (arc[..., None] + attach[RIGHT])[..., None].expand(-1, -1, -1, 2)
        arc_from[RIGHT][:, firsts, width] = new
        arc_to[RIGHT][:, lasts, length - 1 - width] = new
        # C_{i,j,0}^{g,v} = logsumexp_{i≤r<j} C_{i,r,0}^{0,NO} + I_{r,j,0}^{g,v}
        outer = complete_from[LEFT][:, firsts, :width, 0, NO]
        new = plus(outer[..., None, None] + arc_to[LEFT][:, lasts, length - 1 - width : length - 1], 2)
        complete_from[LEFT][:, firsts, width] = new
        complete_to[LEFT][:, lasts, length - 1 - width] = new
        # C_{i,j,1}^{g,v} = logsumexp_{i<r≤j} I_{i,r,1}^{g,v} + C_{r,j,1}^{0,NO}
        outer = complete_to[RIGHT][:, lasts, length - width :, 0, NO]
        new = plus(arc_from[RIGHT][:, firsts, 1 : width + 1] + outer[..., None, None], 2)
        complete_from[RIGHT][:, firsts, width] = new
        complete_to[RIGHT][:, lasts, length - 1 - width] = new
    left = complete_from[LEFT][:, 0, :, 0, NO]  # C_{1,i,0}^{0,NO}
    if lengths is not None:
        return left, to_the_end(complete_from[RIGHT][..., 0, NO], lengths)
    right = complete_to[RIGHT][:, -1, :, 0, NO]  # C_{i,n,1}^{0,NO}
    return left, right


def _grandparent(
    child: Tensor, decision: Tensor, tags: Tensor, arcs: Tensor | None, plus: Sum
) -> tuple[Tensor, Tensor]:
    """Algorithm 1: C_{1,i,0}^{0,1} and C_{i,n,1}^{0,1} of every word. Each [sentence, word]"""
    length = tags.shape[1]
    (stop_left, attach_left), (stop_right, attach_right) = (_rules(child, decision, tags, d) for d in (LEFT, RIGHT))
    arcs_left, arcs_right = (_arcs_by_width(arcs, direction, length) for direction in (LEFT, RIGHT))

    lefts, rights = [stop_left[:, 0, 0, NO]], [stop_right[:, -1, 0, NO]]
    # C_{i,j}^{g,NO} and C_{i,j}^{g,HAS}  [sentence, span, width, g]
    left_starting, left_ending = stop_left[:, :-1, None, :, NO], stop_left[:, 1:, None, :, NO]
    right_starting, right_ending = stop_right[:, :-1, None, :, NO], stop_right[:, 1:, None, :, NO]
    left_ending_has, right_starting_has = stop_left[:, 1:, None, :, HAS], stop_right[:, :-1, None, :, HAS]
    # I_{i,j}^{g,v}  [sentence, span, width, g, v]
    left_arcs = right_arcs = stop_left[:, 1:, None][:, :, :0]

    def under(spans: Tensor, diagonal: int) -> Tensor:
        """Spans whose grandparent is an end of the span that they build. [sentence, span, width, 1]"""
        return spans.diagonal(diagonal, 1, 3).transpose(1, 2).unsqueeze(-1)

    for k in range(length - 1):
        first, last = 1, k + 2  # diagonals of (span, g) with g = i and g = j
        # I_{i,j,0}^{g,v} = logsumexp_{i≤r<j} C_{i,r,1}^{j,NO} + C_{r+1,j,0}^{g,HAS}
        #                 + D[j,g,0,v,1] + S[j,i,g,0,v]
        arc = plus(under(right_starting, last) + left_ending_has, 2) + arcs_left[k]
        new = arc[..., None] + attach_left[k]
        left_arcs = torch.cat([new.unsqueeze(2), left_arcs], dim=2)
        # I_{i,j,1}^{g,v} = logsumexp_{i≤r<j} C_{i,r,1}^{g,HAS} + C_{r+1,j,0}^{i,NO}
        #                 + D[i,g,1,v,1] + S[i,j,g,1,v]
        arc = plus(right_starting_has + under(left_ending, first), 2) + arcs_right[k]
        new = arc[..., None] + attach_right[k]
        right_arcs = torch.cat([right_arcs, new.unsqueeze(2)], dim=2)
        # C_{i,j,0}^{g,v} = logsumexp_{i≤r<j} C_{i,r,0}^{j,NO} + I_{r,j,0}^{g,v}
        left = plus(under(left_starting, last)[..., None] + left_arcs, 2)
        # C_{i,j,1}^{g,v} = logsumexp_{i<r≤j} I_{i,r,1}^{g,v} + C_{r,j,1}^{i,NO}
        right = plus(right_arcs + under(right_ending, first)[..., None], 2)

        lefts.append(left[:, 0, 0, NO])
        rights.append(right[:, -1, 0, NO])
        left_starting = starting_with(left_starting, left[..., NO])
        left_ending = ending_with(left_ending, left[..., NO])
        right_starting = starting_with(right_starting, right[..., NO])
        right_ending = ending_with(right_ending, right[..., NO])
        left_ending_has = ending_with(left_ending_has, left[..., HAS])
        right_starting_has = starting_with(right_starting_has, right[..., HAS])
        left_arcs, right_arcs = left_arcs[:, 1:], right_arcs[:, :-1]
    return torch.stack(lefts, 1), torch.stack(rights[::-1], 1)
