"""The charts of tri-sibling and grand-sibling grammars in batched torch.

Children are generated from the outside in, and a decision sees what the child after it sees. A row of the rule table is

    tri-sibling      direction, head, previous child or NULL, the child before that or NULL
    grand-sibling    direction, head, previous child or NULL, the head's head or ROOT

The last of these is called the *extra* context x. The recurrences are those of the sibling chart with x added. Here
they are for the left side of a head j; the right side is the left side in the mirrored sentence, and CR is that.
Words count from 0, and ∅ is NULL.

    C(j,i;x)      the left side of j covers i..j
    I(j,c;x)      c is a left child of j, everything between them is done, nothing outside of c
    SIB(a,b;x)    a and b are neighbouring children, everything between them is done

    tri-sibling: the x of I(j,c;x) is the child before c; C and SIB have none

        SIB(a,b)   = Σ_{a≤r<b} CR(a,r) · C(b,r+1)
        I(j,c;x)   = stop(j,c,x) · CR(c,j-1) + go(j,c,x) · Σ_{c<s<j} SIB(c,s) · child(s | j,c,x) · I(j,s;c)
        C(j,j)     = stop(j,∅,∅)
        C(j,i)     = Σ_{i≤c<j} C(c,i) · go(j,∅,∅) · child(c | j,∅,∅) · I(j,c;∅)

    grand-sibling: the x of C(j,i;x) and I(j,c;x) is the head of j, that of SIB(a,b;x) the head of a and b

        SIB(a,b;x) = Σ_{a≤r<b} CR(a,r;x) · C(b,r+1;x)
        I(j,c;x)   = stop(j,c,x) · CR(c,j-1;j) + go(j,c,x) · Σ_{c<s<j} SIB(c,s;j) · child(s | j,c,x) · I(j,s;x)
        C(j,j;x)   = stop(j,∅,x)
        C(j,i;x)   = Σ_{i≤c<j} C(c,i;j) · go(j,∅,x) · child(c | j,∅,x) · I(j,c;x)

    Z = Σ_h root(h) · C(h,0;ROOT) · CR(h,n-1;ROOT)

As a context a word is its tag, so x has T + 1 values. Both charts take O(n³·T) time, and O(n³·T) memory if the
gradient is wanted, for every sum keeps its terms. All spans of one width in all sentences of one length are computed
at once.
"""

from __future__ import annotations

import enum

import numpy as np
import torch
from torch import Tensor

from depinduce.chart.batched import NEVER, Sum, ending_with, greatest, log_sum, starting_with, take
from depinduce.grammar.rules import GO, LEFT, RIGHT, STOP

Rules = tuple[Tensor, Tensor, Tensor]  # root [tag], child [row, tag], decision [row, STOP or GO]


class Kind(enum.Enum):
    """What a rule sees beyond the head and the previous child; and where the recurrences differ in their x."""

    TRI_SIBLING = "tri-sibling"
    GRAND_SIBLING = "grand-sibling"

    def first(self, values: Tensor) -> Tensor:
        """Of stop, go, child or I: what a head without children yet uses. [side, span, x] or, for x = ∅, […, 1]"""
        return values[..., -1:] if self is Kind.TRI_SIBLING else values

    def after(self, items: Tensor, child: Tensor) -> Tensor:
        """I(j,s;c) or I(j,s;x). [side, span, width, 1 or x]"""
        return _at(items, child) if self is Kind.TRI_SIBLING else items

    def below(self, spans: Tensor, head: Tensor) -> Tensor:
        """C, CR or SIB as they hang from j: the only ones or those with x = j. [side, span, …, 1]"""
        return spans if self is Kind.TRI_SIBLING else _at(spans, head)


def _at(values: Tensor, tag: Tensor) -> Tensor:
    """The values of each span where x is its tag. values: [side, span, …, x], tag: [side, span]"""
    index = tag.view(*tag.shape, *[1] * (values.dim() - 2))
    return values.gather(-1, index.expand(*values.shape[:-1], 1))


def shape(tags: int) -> tuple[int, int, int, int]:
    """The rows of a table as axes: direction, head, previous child, x. NULL or ROOT is the last of its axis."""
    return 2, tags, tags + 1, tags + 1


class _Potentials:
    """The log potentials of sentences of one length, by the width of the span from c = i to j."""

    def __init__(self, rules: Rules, tags: np.ndarray, arcs: Tensor):
        root, child, decision = (part.clamp(min=NEVER) for part in rules)
        self.tags = len(root)
        *_, extra = shape(self.tags)
        self.root = root
        self.child = child.view(-1, extra, self.tags).transpose(1, 2).reshape(-1, extra)  # [row without x · child, x]
        self.decision = decision.view(-1, extra, 2)  # [row without x, x, STOP or GO]
        self.word = np.concatenate([tags, tags[:, ::-1]]).astype(np.int64)  # [side, word]: left sides, then right ones
        self.arc = torch.cat([arcs, arcs.flip(1, 2)]).clamp(min=NEVER)  # [side, head, child]
        self.direction = np.repeat([LEFT, RIGHT], len(tags))[:, None]  # [side, 1]

    def row(self, head: np.ndarray, sibling: np.ndarray | int) -> np.ndarray:
        """The rows of heads with a previous child, but for x."""
        return (self.direction * self.tags + head) * (self.tags + 1) + sibling

    def without_children(self) -> Tensor:
        """stop and go of words that have no child yet. [side, word, x, STOP or GO]"""
        return take(self.decision, self.row(self.word, self.tags))

    def first_child(self, head: np.ndarray, child: np.ndarray) -> Tensor:
        """child(c | j,∅,x). [side, span, x]"""
        rule = self.row(self.word[:, head], self.tags) * self.tags + self.word[:, child]
        return take(self.child, rule) + self.arc[:, head, child].unsqueeze(-1)

    def after_child(self, head: np.ndarray, child: np.ndarray) -> tuple[Tensor, Tensor]:
        """stop and go(j,c,x) [side, span, x, STOP or GO], and child(s | j,c,x) [side, span, width - 1, x]."""
        row = self.row(self.word[:, head], self.word[:, child])
        between = child[:, None] + np.arange(1, head[0] - child[0])  # s. [span, width - 1]
        later = take(self.child, row[:, :, None] * self.tags + self.word[:, between])
        return take(self.decision, row), later + self.arc[:, head[:, None], between].unsqueeze(-1)


def log_partition(kind: Kind, rules: Rules, tags: np.ndarray, arcs: Tensor, plus: Sum = log_sum) -> Tensor:
    """The log of the summed potential of each sentence's trees. [sentence]

    tags: [sentence, word]; arcs: [sentence, head, child] log potentials of single arcs, multiplied onto the rules
    """
    potentials = _Potentials(rules, tags, arcs)
    count, length = tags.shape
    word = torch.from_numpy(potentials.word)
    stop, go = (kind.first(part) for part in potentials.without_children().unbind(-1))
    sides = [stop]  # C, by width. [side, span, x]
    ending, starting = stop[:, 1:, None], stop[:, :-1, None]  # shorter C, with the same j and with the same i
    pairs = firsts = ending[:, :, :0]  # shorter SIB with the same i; go · child · I with the same j
    items = ending.new_zeros(2 * count, length - 1, 0, potentials.tags + 1)  # shorter I with the same j
    for width in range(1, length):
        child = np.arange(length - width)  # i
        head = child + width  # j
        child_tag, head_tag = word[:, :-width], word[:, width:]
        decision, later = potentials.after_child(head, child)
        mirrored = ending.roll(count, 0).flip(1, 2)  # CR(i,r) for r from i to j - 1
        # SIB(i,j;x) = Σ_{i≤r<j} CR(i,r;x) · C(j,r+1;x)
        pair = plus(mirrored + ending, 2)
        # I(j,i;x) = stop(j,i,x) · CR(i,j-1;j) + go(j,i,x) · Σ_{i<s<j} SIB(i,s;j) · child(s | j,i,x) · I(j,s;i or x)
        last = decision[..., STOP] + kind.below(mirrored[:, :, -1], head_tag)
        more = plus(kind.below(pairs, head_tag) + later + kind.after(items, child_tag), 2)
        item = plus(torch.stack([last, decision[..., GO] + more]), 0)
        # C(j,i;x) = Σ_{i≤c<j} C(c,i;j) · go(j,∅,x) · child(c | j,∅,x) · I(j,c;∅ or x)
        first = go[:, width:] + kind.first(potentials.first_child(head, child) + item)
        firsts = torch.cat([first.unsqueeze(2), firsts], dim=2)
        side = plus(kind.below(starting, head_tag) + firsts, 2)
        sides.append(side)

        ending, starting = ending_with(ending, side), starting_with(starting, side)
        pairs, items, firsts = starting_with(pairs, pair), ending_with(items, item), firsts[:, 1:]
    whole = torch.stack([side[:, 0, -1] for side in sides], dim=1)  # C(h,0;ROOT). [side, word]
    return plus(take(potentials.root, potentials.word[:count]) + whole[:count] + whole[count:].flip(1), 1)


def expected_counts(kind: Kind, rules: Rules, tags: np.ndarray, arcs: Tensor) -> tuple[Rules, Tensor]:
    """The expected counts of all rules, which are the gradient of log Z, and log Z [sentence]."""
    rules = tuple(part.detach().requires_grad_() for part in rules)
    log_z = log_partition(kind, rules, tags, arcs)
    return torch.autograd.grad(log_z.sum(), rules, allow_unused=True, materialize_grads=True), log_z.detach()


def best_trees(kind: Kind, rules: Rules, tags: np.ndarray, arcs: Tensor) -> tuple[np.ndarray, Tensor]:
    """The heads of the best trees, from 1 with 0 for the root [sentence, word], and their log potentials [sentence]."""
    arcs = arcs.detach().requires_grad_()
    scores = log_partition(kind, tuple(part.detach() for part in rules), tags, arcs, greatest)
    total = scores.sum() + 0.0 * arcs.sum()  # which has a gradient also where a single word uses no arc
    (used,) = torch.autograd.grad(total, arcs)  # one at the arcs of the best tree
    return np.where(used.sum(1) > 0.5, used.argmax(1) + 1, 0), scores.detach()
