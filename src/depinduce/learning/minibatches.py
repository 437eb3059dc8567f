"""Any sentences of a corpus as a batch for the charts, without a step per sentence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from depinduce.corpus import Corpus
from depinduce.grammar.constraints import allowed_heads, forbid_heads
from depinduce.grammar.rules import Batch, Factors, Order, pieces, tag_batch
from depinduce.networks.lexicon import Lexicon
from depinduce.networks.word_batch import LexicalBatch, lexical_batch


@dataclass(frozen=True)
class Data:
    """Sentences to learn from or to watch: a batch and its constraints."""

    batch: Batch
    factors: Factors | None = None
    words: LexicalBatch | None = None  # where the rules see words


class Minibatches:
    """A corpus from which batches are taken, under the constraint that some tags head nothing."""

    def __init__(self, order: Order, corpus: Corpus, non_heads: tuple[str, ...] = (), lexicon: Lexicon | None = None):
        self.order, self.corpus = order, corpus
        self.tokens = None if lexicon is None else lexicon.tokens(corpus)  # [token]
        self.may_head = allowed_heads(corpus.tag_vocabulary, non_heads, corpus)  # [token]

    def take(self, sentences: np.ndarray) -> tuple[Data, np.ndarray]:
        """The given sentences as a batch, and the number of each of its tokens in the corpus."""
        corpus = self.corpus
        tokens, offsets = pieces(corpus.offsets, sentences)
        if self.tokens is None:
            words, batch = None, self.batch(corpus.tags[tokens], offsets)
        else:
            words = lexical_batch(self.order, self.tokens[tokens], offsets)
            batch = words.batch
        factors = None if self.may_head is None else forbid_heads(batch, self.may_head[tokens])
        return Data(batch, factors, words), tokens

    def batch(self, tags: np.ndarray, offsets: np.ndarray) -> Batch:
        """Which rules the words may use where; a grammar whose rules see something else has a batch of its own."""
        return tag_batch(self.order, tags, offsets, len(self.corpus.tag_vocabulary))

    def all(self) -> Data:
        """The whole corpus as one batch."""
        return self.take(np.arange(len(self.corpus)))[0]
