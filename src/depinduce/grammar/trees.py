"""Which rules a given tree uses: its counts and its probability."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from depinduce.compiled import compiled_entry
from depinduce.grammar.rules import (
    GO,
    HAS,
    LEFT,
    NO,
    RIGHT,
    STOP,
    Batch,
    Factors,
    Order,
    RuleCounts,
    RuleTable,
)


@dataclass(frozen=True)
class TreeRules:
    """The rules of trees, by word: the one that generated it, and the two by which it stopped."""

    child_row: np.ndarray  # [token] the row of the head that generated the word, -1 for a root
    child_valence: np.ndarray  # [token] of that head
    stop_row: np.ndarray  # [token, direction]
    stop_valence: np.ndarray  # [token, direction]


def tree_rules(batch: Batch, heads: np.ndarray) -> TreeRules:
    """The rules of one tree per sentence. heads: [token], counted from 1 within the sentence, 0 is the root"""
    tokens = len(batch.column)
    rules = TreeRules(
        np.full(tokens, -1, dtype=np.int64),
        np.zeros(tokens, dtype=np.int64),
        np.empty((tokens, 2), dtype=np.int64),
        np.zeros((tokens, 2), dtype=np.int64),
    )
    _walk(
        batch.offsets, batch.base, batch.context, batch.no_context, batch.rows,
        np.ascontiguousarray(heads, dtype=np.int64), batch.order is Order.SIBLING,
        rules.child_row, rules.child_valence, rules.stop_row, rules.stop_valence,
    )  # fmt: skip
    return rules


@compiled_entry
def _walk(offsets, base, context, no_context, rows, heads, sibling, child_row, child_valence, stop_row, stop_valence):
    """Every head generates its children on each side from the outside in."""
    for sentence in range(len(offsets) - 1):
        start, end = offsets[sentence], offsets[sentence + 1]
        for h in range(start, end):
            grandparent = no_context if heads[h] == 0 else context[start + heads[h] - 1]
            for direction in (LEFT, RIGHT):
                valence, previous = NO, no_context
                for c in range(start, h) if direction == LEFT else range(end - 1, h, -1):
                    if heads[c] == h - start + 1:
                        slot = previous if sibling else 2 * grandparent + valence
                        child_row[c], child_valence[c] = rows[base[h, direction] + slot], valence
                        valence, previous = HAS, context[c]
                slot = previous if sibling else 2 * grandparent + valence
                stop_row[h, direction], stop_valence[h, direction] = rows[base[h, direction] + slot], valence


def tree_counts(like: RuleTable | RuleCounts, batch: Batch, heads: np.ndarray) -> RuleCounts:
    """The rule counts of one tree per sentence, summed: the shape of `like`. A sentence may count several times."""
    rules = tree_rules(batch, heads)
    counts = RuleCounts.zeros_like(like)
    is_child = rules.child_row >= 0
    times = np.ones(len(batch.column)) if batch.weights is None else np.repeat(batch.weights, batch.lengths)  # [token]
    np.add.at(counts.root, batch.roots[~is_child], times[~is_child])
    np.add.at(counts.child, (rules.child_row[is_child], batch.column[is_child]), times[is_child])
    np.add.at(counts.decision[:, GO], rules.child_row[is_child], times[is_child])
    np.add.at(counts.decision[:, STOP], rules.stop_row.ravel(), np.repeat(times, 2))
    return counts


def tree_log_potentials(
    table: RuleTable, batch: Batch, heads: np.ndarray, factors: Factors | None = None
) -> np.ndarray:
    """log p(sentence, tree) of one tree per sentence: the sum of its rules' log potentials. [sentence]"""
    rules = tree_rules(batch, heads)
    factors = factors or Factors()
    tokens = np.arange(len(batch.column))
    is_child = rules.child_row >= 0
    child, root = tokens[is_child], tokens[~is_child]
    sentence = np.repeat(np.arange(len(batch)), batch.lengths)
    head = batch.offsets[sentence] + np.asarray(heads, dtype=np.int64) - 1

    row, column, valence = rules.child_row[child], batch.column[child], rules.child_valence[child]
    score = np.zeros(len(tokens))  # of the rules that generated each word and of its two stops
    score[root] = table.root[batch.roots[root]]
    score[child] = table.child[row, column] + table.decision[row, GO]
    score += table.decision[rules.stop_row, STOP].sum(axis=1)
    if factors.root is not None:
        score[root] += factors.root[root]
    if factors.decision is not None:
        direction = (child > head[child]).astype(np.int64)
        score[child] += factors.decision[head[child], direction, valence, GO]
        both = np.array([LEFT, RIGHT])
        score += factors.decision[tokens[:, None], both, rules.stop_valence, STOP].sum(axis=1)
    if factors.arc is not None:
        score[child] += factors.arc[batch.arcs_of(heads)[child], valence]
    return np.bincount(sentence, weights=score, minlength=len(batch))
