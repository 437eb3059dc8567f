"""Any sentences of a corpus as a batch for the charts, without a step per sentence."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from depinduce.chart.problems import Problem
from depinduce.corpus import Corpus
from depinduce.corpus.alike import distinct_sentences
from depinduce.corpus.ragged import pieces
from depinduce.grammar.constraints import allowed_among, forbid_heads, keep_heads, non_heads_among
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
    tokens: np.ndarray | None = None  # [token] the number of each in the corpus

    def problem(self, table: RuleTable) -> Problem:
        """These sentences under a table, which has the grammars of all languages if these are told apart."""
        return Problem(
            table if self.languages is None else chosen(table, self.languages), self.batch, self.factors
        )  # fmt: skip


class Minibatches:
    """A corpus from which batches are taken: some tags head nothing, and words have the heads that are known.

    apart: every language has a grammar of its own, and after all of them comes one for sentences without a language
    by_position: rules that see words are those of single words as heads, see `lexical_batch`
    distinct: where all sentences are counted, those with the same tags are counted once, with a weight
    """

    def __init__(
        self,
        order: Order,
        corpus: Corpus,
        non_heads: tuple[str, ...] = (),
        lexicon: Lexicon | None = None,
        apart: bool = False,
        by_position: bool = False,
        distinct: bool = True,
    ):
        self.order, self.corpus, self.by_position = order, corpus, by_position
        self.distinct = distinct and lexicon is None
        self.tokens = None if lexicon is None else lexicon.tokens(corpus)  # [token]
        self.non_heads = non_heads_among(corpus.tag_vocabulary, non_heads)  # [tag] bool; None: all tags may head
        self.language = _grammars(corpus) if apart else None  # [sentence]
        self.of_each_language = None if self.language is None else np.unique(self.language, return_index=True)[1]

    def take(
        self, sentences: np.ndarray, times: np.ndarray | None = None, among: np.ndarray | None = None
    ) -> tuple[Data, np.ndarray]:
        """The given sentences as a batch, and the number of each of its tokens in the corpus.

        times: how often each counts, if not once
        among: the batch of which they are one process's share; all shares have the grammars of all its languages
        """
        corpus = self.corpus
        tokens, offsets = pieces(corpus.offsets, sentences)
        tags, known = corpus.tags[tokens], None if corpus.known is None else corpus.known.take(tokens)
        words = languages = None
        if self.tokens is not None:
            words = lexical_batch(self.order, self.tokens[tokens], offsets, self.by_position)
            batch = words.batch
        elif self.language is not None:
            languages = np.unique(self.language[sentences if among is None else among])
            grammar = np.searchsorted(languages, self.language[sentences])
            batch = stacked_batch(self.order, tags, offsets, len(corpus.tag_vocabulary), grammar, len(languages))
        else:
            batch = self.batch(tags, offsets)
        factors = None
        if self.non_heads is not None:
            factors = forbid_heads(batch, allowed_among(self.non_heads, tags, offsets, known))
        factors = multiplied(factors, keep_heads(known, offsets))
        if times is not None:
            batch = replace(batch, weights=times)
        return Data(batch, factors, words, languages, tokens), tokens

    def counted(self) -> tuple[np.ndarray, np.ndarray | None]:
        """Sentences that stand for the whole corpus, and how often each counts, if not once."""
        apart = self.language is not None
        return distinct_sentences(self.corpus, apart) if self.distinct else (np.arange(len(self.corpus)), None)

    def lengths_of(self, sentences: np.ndarray) -> np.ndarray:
        """The words of some sentences. [sentence]"""
        return self.corpus.offsets[sentences + 1] - self.corpus.offsets[sentences]

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
