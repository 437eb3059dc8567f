"""Sentences as a chart reads them when each of them has rules of its own: a row for every tag in its sentence.

A table of all rules for every sentence would be large, and most of it unused: a sentence has few of the tags. So the
heads of a batch are those pairs of a sentence and a tag that occur, and its table has the rows

    direction, head, valence        with one column for every tag, as a grammar over tags has them

Words of one tag in one sentence share their rows. A root looks at no sentence, so that roots are one row for all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from depinduce.grammar.rules import Batch, Order, RuleTable


@dataclass(frozen=True, kw_only=True)
class SentenceBatch(Batch):
    """A batch, and whose rules its table holds."""

    head_tags: np.ndarray  # [head]
    head_sentences: np.ndarray  # [head] in which it stands


def sentence_batch(tags: np.ndarray, offsets: np.ndarray, tag_count: int) -> SentenceBatch:
    """The batch of sentences that have those heads which occur in them. tags: [token], offsets: [sentence + 1]"""
    sentence = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    codes, head = np.unique(sentence * tag_count + tags, return_inverse=True)
    return batch_of_heads(tags, offsets, head, codes % tag_count, codes // tag_count)


def batch_of_heads(
    tags: np.ndarray, offsets: np.ndarray, head: np.ndarray, head_tags: np.ndarray, head_sentences: np.ndarray
) -> SentenceBatch:
    """The batch of sentences with these heads. head: [token] the number of the head that a word is"""
    column = np.ascontiguousarray(tags, dtype=np.int32)
    return SentenceBatch(
        order=Order.FIRST,
        offsets=np.ascontiguousarray(offsets, dtype=np.int64),
        column=column,
        base=np.stack([2 * head, 2 * (len(head_tags) + head)], axis=1).astype(np.int32),
        context=np.zeros_like(column),
        no_context=0,
        rows=np.arange(4 * len(head_tags), dtype=np.int32),
        head_tags=head_tags,
        head_sentences=head_sentences,
    )


def spread(table: RuleTable, batch: SentenceBatch) -> RuleTable:
    """One grammar over tags in the rows of a batch, where it makes no difference which sentence it is."""
    tags = len(table.root)
    child, decision = (
        part.reshape(*Order.FIRST.shape(tags), -1)[:, batch.head_tags].reshape(len(batch.rows), part.shape[1])
        for part in (table.child, table.decision)
    )
    return RuleTable(table.root, child, decision)
