"""Grammars of one order seen as grammars of another, and grammars with one more tag."""

from __future__ import annotations

import numpy as np

from depinduce.grammar.rules import HAS, NO, Order, RuleCounts, RuleTable


def raise_order(table: RuleTable, order: Order) -> RuleTable:
    """A first-order tag grammar written as one of a higher order: the context makes no difference."""
    tags = len(table.root)
    child = table.child.reshape(*Order.FIRST.shape(tags), tags)  # [direction, head, valence, child]
    decision = table.decision.reshape(*Order.FIRST.shape(tags), 2)
    return RuleTable.of_tags(table.root, _with_context(child, order, tags), _with_context(decision, order, tags))


def _with_context(rules: np.ndarray, order: Order, tags: int) -> np.ndarray:
    if order is Order.FIRST:
        return rules
    if order is Order.SIBLING:  # [direction, head, sibling or NULL, ·]: with a sibling HAS, with NULL NO
        return np.concatenate([np.repeat(rules[:, :, [HAS]], tags, axis=2), rules[:, :, [NO]]], axis=2)
    return np.repeat(rules[:, :, None], tags + 1, axis=2)  # [direction, head, grandparent or ROOT, valence, ·]


def lower_order(counts: RuleCounts, order: Order) -> RuleCounts:
    """The first-order counts within counts of any order: contexts summed."""
    tags = len(counts.root)
    child = _without_context(counts.child.reshape(*order.shape(tags), tags), order)
    decision = _without_context(counts.decision.reshape(*order.shape(tags), 2), order)
    return RuleCounts(counts.root, child.reshape(-1, tags), decision.reshape(-1, 2))


def _without_context(rules: np.ndarray, order: Order) -> np.ndarray:
    if order is Order.FIRST:
        return rules
    if order is Order.SIBLING:
        return np.stack([rules[:, :, -1], rules[:, :, :-1].sum(axis=2)], axis=2)  # NO, HAS
    return rules.sum(axis=2)


def add_average_tag(table: RuleTable, order: Order) -> RuleTable:
    """The grammar with one more tag, for words whose tag it does not know.

    As a head, a sibling or a grandparent it has the mean of the other tags' probabilities, and as a child
    their mean probability: it competes with the known tags without being one of them.
    """
    tags = len(table.root)
    shape = order.shape(tags)
    child = np.exp(table.child).reshape(*shape, tags)
    decision = np.exp(table.decision).reshape(*shape, 2)
    child, decision = (_average_rows(rules, order, tags) for rules in (child, decision))
    child = np.concatenate([child, child.mean(axis=-1, keepdims=True)], axis=-1)
    root = np.append(np.exp(table.root), np.exp(table.root).mean())
    with np.errstate(divide="ignore"):
        return RuleTable.of_tags(np.log(root), np.log(child), np.log(decision))


def _average_rows(rules: np.ndarray, order: Order, tags: int) -> np.ndarray:
    rules = np.concatenate([rules, rules.mean(axis=1, keepdims=True)], axis=1)  # as a head
    if order is Order.FIRST:
        return rules
    known, nothing = rules[:, :, :tags], rules[:, :, tags:]  # NULL or ROOT stays last
    return np.concatenate([known, known.mean(axis=2, keepdims=True), nothing], axis=2)
