"""Sibling grammars that generate children from the inside out, on the chart that goes from the outside in.

A head's children on one side, c₁ … c_k from the outside in, have the probability

    outside in    go(∅) child(c₁ | ∅) · go(c₁) child(c₂ | c₁) · … · stop(c_k)
    inside out    go(∅) child(c_k | ∅) · go(c_k) child(c_{k-1} | c_k) · … · stop(c₁)

Both are chains: something for the outermost child, something for each pair of neighbours, something for the
innermost one. So the inside-out grammar *is* an outside-in grammar, of potentials that are not normalised:

    go' = 1      child'(c | ∅) = stop(c)      child'(s | c) = go(s) child(c | s)      stop'(c) = go(∅) child(c | ∅)
    stop'(∅) = stop(∅)
"""

from __future__ import annotations

import numpy as np

from depinduce.grammar.rules import GO, STOP, Order, RuleCounts, RuleTable


def as_outside_in(table: RuleTable) -> RuleTable:
    """The log potentials under which the outside-in chart is the inside-out tag grammar."""
    tags = len(table.root)
    shape = Order.SIBLING.shape(tags)
    child, decision = table.child.reshape(*shape, tags), table.decision.reshape(*shape, 2)
    going = child + decision[..., GO, None]  # [direction, head, sibling or NULL, child]
    chained, potentials = np.zeros_like(going), np.zeros_like(decision)
    chained[:, :, :tags] = going[:, :, :tags].swapaxes(2, 3)
    chained[:, :, tags] = decision[:, :, :tags, STOP]
    potentials[:, :, :tags, STOP] = going[:, :, tags]
    potentials[:, :, tags, STOP] = decision[:, :, tags, STOP]
    return RuleTable.of_tags(table.root, chained, potentials)


def counts_inside_out(counts: RuleCounts) -> RuleCounts:
    """How often the rules of the inside-out grammar are used, from the counts of its outside-in potentials."""
    tags = len(counts.root)
    shape = Order.SIBLING.shape(tags)
    chained, potentials = counts.child.reshape(*shape, tags), counts.decision.reshape(*shape, 2)
    child, decision = np.zeros_like(chained), np.zeros_like(potentials)
    child[:, :, :tags] = chained[:, :, :tags].swapaxes(2, 3)
    child[:, :, tags] = potentials[:, :, :tags, STOP]
    decision[:, :, :tags, STOP] = chained[:, :, tags]
    decision[:, :, tags, STOP] = potentials[:, :, tags, STOP]
    decision[..., GO] = child.sum(axis=-1)
    return RuleCounts(counts.root, child.reshape(-1, tags), decision.reshape(-1, 2))
