"""Batches of any sentences are what they would be if they were built sentence by sentence."""

from __future__ import annotations

import numpy as np
import pytest
from learning.tagged import random_sentences, random_table, tagged

from depinduce.chart.engine import expectations
from depinduce.grammar.constraints import forbid_heads, may_head
from depinduce.grammar.rules import Order, RuleCounts, tag_batch
from depinduce.learning.minibatches import Minibatches

SENTENCES = [*random_sentences(7, count=20), "D D", "D", "A D A"]  # the last have nothing that may head
CORPUS = tagged(*SENTENCES)
TAGS = len(CORPUS.tag_vocabulary)
NON_HEADS = ("D", "A")

every_order = pytest.mark.parametrize("order", list(Order))
with_and_without_constraint = pytest.mark.parametrize("non_heads", [(), NON_HEADS, ("X",)])
SELECTIONS = {
    "all": np.arange(len(SENTENCES)),
    "one": np.array([5]),
    "backwards": np.arange(len(SENTENCES))[::-1],
    "some": np.array([20, 3, 22, 0, 11]),
    "twice": np.array([4, 21, 4]),
}
any_sentences = pytest.mark.parametrize("sentences", SELECTIONS.values(), ids=SELECTIONS)


def one_by_one(order: Order, sentences: np.ndarray, non_heads: tuple[str, ...]):
    """Each sentence as a batch of its own, with its factors."""
    forbidden = np.array([tag in non_heads for tag in CORPUS.tag_vocabulary])
    for sentence in sentences:
        tags = CORPUS.tag_vocabulary.ids(SENTENCES[sentence].split())
        offsets = np.array([0, len(tags)])
        batch = tag_batch(order, tags, offsets, TAGS)
        yield batch, forbid_heads(batch, may_head(tags, offsets, forbidden)) if forbidden.any() else None


@every_order
@any_sentences
@with_and_without_constraint
def test_a_batch_is_its_sentences_one_after_the_other(order, sentences, non_heads):
    data, _ = Minibatches(order, CORPUS, non_heads).take(sentences)
    alone = list(one_by_one(order, sentences, non_heads))
    for name in ("column", "base", "context"):
        found, expected = getattr(data.batch, name), np.concatenate([getattr(batch, name) for batch, _ in alone])
        assert np.array_equal(found, expected)
        assert found.dtype == expected.dtype
        assert found.flags.c_contiguous  # or the charts would be compiled once more
    assert data.batch.lengths.tolist() == [len(SENTENCES[sentence].split()) for sentence in sentences]
    assert data.batch.order is order
    assert data.batch.no_context == alone[0][0].no_context
    assert np.array_equal(data.batch.rows, alone[0][0].rows)
    if non_heads != NON_HEADS:
        assert data.factors is None
    else:
        assert np.array_equal(data.factors.decision, np.concatenate([factors.decision for _, factors in alone]))
        assert data.factors.root is data.factors.arc is None


def test_a_sentence_of_non_heads_is_exempt_and_no_other():
    batches = Minibatches(Order.SIBLING, CORPUS, NON_HEADS)
    (mixed, _), (function_words, _) = batches.take(np.array([0])), batches.take(np.array([23, 21]))
    assert SENTENCES[0] == "N V D A"
    assert np.isneginf(mixed.factors.decision).any(axis=(1, 2, 3)).tolist() == [False, False, True, True]
    assert not function_words.factors.decision.any()


@any_sentences
def test_tokens_are_numbered_as_in_the_corpus(sentences):
    data, tokens = Minibatches(Order.SIBLING, CORPUS).take(sentences)
    assert np.array_equal(CORPUS.tags[tokens], data.batch.column)
    expected = [np.arange(CORPUS.offsets[sentence], CORPUS.offsets[sentence + 1]) for sentence in sentences]
    assert np.array_equal(tokens, np.concatenate(expected))


@every_order
@with_and_without_constraint
def test_all_is_the_whole_corpus_in_its_order(order, non_heads):
    batches = Minibatches(order, CORPUS, non_heads)
    whole, taken = batches.all(), batches.take(np.arange(len(CORPUS)))[0]
    assert np.array_equal(whole.batch.column, CORPUS.tags)
    assert np.array_equal(whole.batch.offsets, CORPUS.offsets)
    assert (whole.factors is None) == (taken.factors is None)


@every_order
@with_and_without_constraint
def test_expectations_of_batches_sum_to_those_of_the_whole(order, non_heads):
    batches, table = Minibatches(order, CORPUS, non_heads), random_table(order, TAGS, seed=1)
    whole = expectations(table, batches.all().batch, batches.all().factors)
    total, log_z = RuleCounts.zeros_like(table), np.zeros(len(CORPUS))
    shuffled = np.random.default_rng(1).permutation(len(CORPUS))
    for sentences in np.array_split(shuffled, 5):
        data, _ = batches.take(sentences)
        part = expectations(table, data.batch, data.factors)
        total, log_z[sentences] = total + part.counts, part.log_z
    np.testing.assert_allclose(log_z, whole.log_z, rtol=1e-12)
    for name in ("root", "child", "decision"):
        np.testing.assert_allclose(getattr(total, name), getattr(whole.counts, name), rtol=1e-9, atol=1e-12)
