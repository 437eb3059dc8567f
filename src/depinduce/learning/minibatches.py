"""Any sentences of a corpus as a batch for the charts, without a step per sentence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from depinduce.chart.problems import Problem
from depinduce.corpus import Corpus
from depinduce.corpus.ragged import pieces
from depinduce.grammar.constraints import allowed_heads, forbid_heads, keep_heads
from depinduce.grammar.rules import Batch, Factors, Order, RuleTable, multiplied, tag_batch
from depinduce.grammar.stacked import chosen, stacked_batch
from depinduce.networks.lexicon import Lexicon
from depinduce.networks.word_batch import LexicalBatch, lexical_batch


@dataclass(frozen=True)
class Data:
    """Sentences to learn from or to watch: a batch and its constraints."""

    batch: Batch
    factors: Factors | None = None
    words: LexicalBatch | None = None  # where the rules see words
    languages: np.ndarray | None = None  # whose grammars the batch expects in a table; None: there is one for all

    def problem(self, table: RuleTable) -> Problem:
        """These sentences under a table, which has the grammars of all languages if these are told apart."""
        return Problem(
            table if self.languages is None else chosen(table, self.languages), self.batch, self.factors
        )  # fmt: skip


class Minibatches:
    """A corpus from which batches are taken: some tags head nothing, and words have the heads that are known.

    apart: every language has a grammar of its own, and after all of them comes one for sentences without a language
    by_position: rules that see words are those of single words as heads, see `lexical_batch`
    """

    def __init__(
        self,
        order: Order,
        corpus: Corpus,
        non_heads: tuple[str, ...] = (),
        lexicon: Lexicon | None = None,
        apart: bool = False,
        by_position: bool = False,
    ):
        self.order, self.corpus, self.by_position = order, corpus, by_position
        self.tokens = None if lexicon is None else lexicon.tokens(corpus)  # [token]
        self.may_head = allowed_heads(corpus.tag_vocabulary, non_heads, corpus)  # [token]
        self.language = _grammars(corpus) if apart else None  # [sentence]

    def take(self, sentences: np.ndarray) -> tuple[Data, np.ndarray]:
        """The given sentences as a batch, and the number of each of its tokens in the corpus."""
        corpus = self.corpus
        tokens, offsets = pieces(corpus.offsets, sentences)
        words = languages = None
        if self.tokens is not None:
            words = lexical_batch(self.order, self.tokens[tokens], offsets, self.by_position)
            batch = words.batch
        elif self.language is not None:
            languages, grammar = np.unique(self.language[sentences], return_inverse=True)
            batch = stacked_batch(self.order, corpus.tags[tokens], offsets, len(corpus.tag_vocabulary), grammar)
        else:
            batch = self.batch(corpus.tags[tokens], offsets)
        factors = None if self.may_head is None else forbid_heads(batch, self.may_head[tokens])
        if corpus.known is not None:
            factors = multiplied(factors, keep_heads(corpus.known.take(tokens), offsets))
        return Data(batch, factors, words, languages), tokens

    def batch(self, tags: np.ndarray, offsets: np.ndarray) -> Batch:
        """Which rules the words may use where; a grammar whose rules see something else has a batch of its own."""
        return tag_batch(self.order, tags, offsets, len(self.corpus.tag_vocabulary))

    def all(self) -> Data:
        """The whole corpus as one batch."""
        return self.take(np.arange(len(self.corpus)))[0]


def _grammars(corpus: Corpus) -> np.ndarray:
    """The number of the grammar of every sentence. [sentence]"""
    assert corpus.language is not None, "it has languages"
    return np.where(corpus.language < 0, len(corpus.languages), corpus.language)
