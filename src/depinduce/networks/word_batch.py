"""Sentences as a chart reads them when the rules see words: a row for every head in every context of every sentence.

A grammar over words has far too many rules for a table, and a batch needs few of them. So its table is made for the
batch: a row belongs to one word of one sentence, with a direction and a context from that sentence, and a column is a
place in the sentence. Rows of the same tokens have the same probabilities; these distinct *contexts* are what the
network scores, each against the whole vocabulary. Where dropout makes every word another head than its likes, a context
is that of one word (`by_position`).

The probability of a root cannot stand in such a table, for a column means another word in every sentence. It is a
factor of its position.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from depinduce.chart.problems import Problem
from depinduce.grammar.rules import HAS, LEFT, NO, Batch, Factors, Order, RuleTable, multiplied

NOTHING = -1  # as a context: no sibling, the head is the root, or first order


@dataclass(frozen=True)
class LexicalBatch:
    """A batch, and which rules its tables hold."""

    batch: Batch
    tokens: np.ndarray  # [token] in the lexicon
    contexts: (
        np.ndarray
    )  # [context, 3] block (2 · direction + valence), token of the head, token of the context; sorted
    context_of_row: np.ndarray  # [row]
    children: np.ndarray  # [row, column] the token in that place of the row's sentence; beyond its end the last one
    positions: np.ndarray | None = None  # [context] the word that is its head; None: words of one token share contexts

    def problem(self, root: np.ndarray, child: np.ndarray, decision: np.ndarray) -> Problem:
        """The problem for a chart, from log p of all rules.

        root: [token], child: [row, column], decision: [row, STOP or GO]
        """
        return Problem(RuleTable(np.zeros(self.children.shape[1]), child, decision), self.batch, Factors(root=root))


def lexical_batch(order: Order, tokens: np.ndarray, offsets: np.ndarray, by_position: bool = False) -> LexicalBatch:
    """The batch of sentences of tokens. tokens: [token], offsets: [sentence + 1]

    by_position: every word has contexts of its own as a head, and does not share those of its token
    """
    lengths = np.diff(offsets)
    length = np.repeat(lengths, lengths)  # of the sentence of each token
    start = np.repeat(offsets[:-1], lengths)
    position = np.arange(len(tokens)) - start
    slots = {Order.FIRST: np.full_like(length, 2), Order.SIBLING: length + 1, Order.GRANDPARENT: 2 * length + 2}[order]
    first_slot = np.concatenate([[0], np.cumsum(slots)])
    head = np.repeat(np.arange(len(tokens)), slots)  # of the rows of one direction
    slot = np.arange(first_slot[-1]) - first_slot[head]
    base = np.stack([first_slot[:-1], first_slot[-1] + first_slot[:-1]], axis=1).astype(np.int32)
    if order is Order.FIRST:
        context = np.zeros_like(position)
    elif order is Order.SIBLING:
        context = position + 1  # 0 is NULL
    else:
        context = _first_of_its_kind(tokens, start, position) + 1  # 0 is ROOT
    blocks, seen = zip(*(_contexts(order, tokens, start, context, head, slot, d) for d in (0, 1)), strict=True)
    size = max(int(tokens.max(initial=0)) + 1, len(tokens)) + 1  # all tokens or positions, and NOTHING
    whose = np.arange(len(tokens)) if by_position else tokens
    code = (np.concatenate(blocks) * size + np.tile(whose[head], 2)) * size + np.concatenate(seen) - NOTHING
    code, context_of_row = np.unique(code, return_inverse=True)
    block, of_head, seen_in = code // size**2, code // size % size, code % size + NOTHING
    contexts = np.stack([block, tokens[of_head] if by_position else of_head, seen_in], axis=1)
    longest = int(lengths.max(initial=1))
    last = start + length - 1  # stands in all places beyond the end, so that nobody asks for others
    places = np.minimum(start[head][:, None] + np.arange(longest), last[head][:, None])
    batch = Batch(
        order=order,
        offsets=np.ascontiguousarray(offsets, dtype=np.int64),
        column=position.astype(np.int32),
        base=base,
        context=context.astype(np.int32),
        no_context=0,
        rows=np.arange(2 * first_slot[-1], dtype=np.int32),
    )
    children = np.tile(tokens[places], (2, 1))
    return LexicalBatch(batch, tokens, contexts, context_of_row, children, of_head if by_position else None)


def _contexts(order, tokens, start, context, head, slot, direction) -> tuple[np.ndarray, np.ndarray]:
    """Block and context token of the rows of one direction; a slot that no tree uses repeats one that is used."""
    if order is Order.FIRST:
        return 2 * direction + slot, np.full_like(slot, NOTHING)
    if order is Order.SIBLING:
        other = start[head] + slot - 1
        is_used = (slot > 0) & ((other < head) if direction == LEFT else (other > head))
        valence = np.where(is_used, HAS, NO)
    else:
        number, valence = np.divmod(slot, 2)
        other = start[head] + number - 1
        is_used = (number > 0) & (context[np.maximum(other, 0)] == number)
    return 2 * direction + valence, np.where(is_used, tokens[np.maximum(other, 0)], NOTHING)


def _first_of_its_kind(tokens: np.ndarray, start: np.ndarray, position: np.ndarray) -> np.ndarray:
    """The place where the token of each word first occurs in its sentence. [token]"""
    code = start * (int(tokens.max(initial=0)) + 1) + tokens
    _, first, kind = np.unique(code, return_index=True, return_inverse=True)
    return position[first][kind]


def as_factors(problem: Problem) -> Factors:
    """A first-order problem of words as factors, to multiply it onto a grammar of any order over the same sentences."""
    table, batch, factors = problem
    row, column, is_arc = _arcs(batch)
    arc = np.zeros((len(row), 2))
    arc[is_arc] = table.child[row[is_arc, None] + np.arange(2), column[is_arc, None]]
    decision = table.decision.reshape(2, -1, 2, 2).transpose(1, 0, 2, 3)  # [token, direction, valence, decision]
    return multiplied(factors, Factors(decision=decision, arc=arc))


def from_factors(batch: Batch, arc: np.ndarray, decision: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Posteriors of arcs and decisions as expected counts of the rows of a first-order batch of words.

    arc: [arc, valence], decision: [token, direction, valence, STOP or GO]; gives child and decision of the table
    """
    row, column, is_arc = _arcs(batch)
    child = np.zeros((len(batch.rows), int(batch.lengths.max(initial=1))))
    child[row[is_arc, None] + np.arange(2), column[is_arc, None]] = arc[is_arc]
    return child, decision.transpose(1, 0, 2, 3).reshape(-1, 2)


def _arcs(batch: Batch) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The arcs of all (head, child) pairs: row of a head without children, column, whether the words differ. [arc]"""
    sentence = np.repeat(np.arange(len(batch)), batch.lengths**2)
    number = np.arange(len(sentence)) - batch.arc_offsets[sentence]
    head, child = np.divmod(number, batch.lengths[sentence])
    direction = (child > head).astype(np.int64)
    return batch.base[batch.offsets[sentence] + head, direction].astype(np.int64), child, head != child
