"""Generated sentences have the probabilities of their grammar, and the expected uses of its rules are theirs."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from chart.enumeration import projective_trees
from learning.tagged import random_table, tagged

from depinduce.corpus import Vocabulary
from depinduce.errors import DepinduceError
from depinduce.evaluation.trees import is_projective
from depinduce.grammar.inside_out import counts_inside_out
from depinduce.grammar.multinomials import Multinomials, uniform_counts
from depinduce.grammar.rules import LEFT, RIGHT, STOP, Order, RuleCounts, RuleTable, tag_batch
from depinduce.grammar.trees import tree_counts, tree_log_potentials
from depinduce.insight import generation
from depinduce.insight.generation import GeneratedSentence, Generator, expected_uses
from depinduce.models.tag_model import GrammarModel

TAGS = Vocabulary(["NOUN", "VERB", "DET"], [3, 2, 1])
WAYS = [(Order.FIRST, False), (Order.SIBLING, False), (Order.SIBLING, True), (Order.GRANDPARENT, False)]
every_way = pytest.mark.parametrize(("order", "inside_out"), WAYS)


def example(order: Order, inside_out: bool = False, go: float = 0.45, **options) -> GrammarModel:
    """A random grammar that goes on with probabilities of up to `go`; DET, the last tag, does so and is root less."""
    table = random_table(order, len(TAGS), seed=1)
    going = np.random.default_rng(2).uniform(go / 2, go, size=(2, len(TAGS), order.slots(len(TAGS))))
    going[:, -1] /= 4
    decision = np.log(np.stack([1 - going, going], axis=-1)).reshape(-1, 2)
    table = replace(table, root=np.log([0.4, 0.5, 0.1]), decision=decision)
    return GrammarModel(order, TAGS, table, inside_out=inside_out, **options)


def generated(model: GrammarModel, count: int, seed: int = 0, max_words: int = 40) -> list[GeneratedSentence]:
    return list(Generator(model, seed, max_words).sentences(count))


def problem(model: GrammarModel, sentences: list[GeneratedSentence]):
    """What a chart sees of the sentences, and their heads."""
    corpus = tagged(*(" ".join(sentence.tags) for sentence in sentences), vocabulary=model.tags)
    return *model.problem(corpus), np.concatenate([sentence.heads for sentence in sentences])


def counted(model: GrammarModel, sentences: list[GeneratedSentence]) -> RuleCounts:
    """How often the sentences use the rules of the grammar."""
    table, batch, _, heads = problem(model, sentences)
    counts = tree_counts(table, batch, heads)
    return counts_inside_out(counts) if model.inside_out else counts


def assert_shares(found: np.ndarray, probabilities: np.ndarray) -> None:
    """Counts agree with the probabilities of their rows within five standard deviations, and two for rare rules."""
    totals = found.sum(axis=-1, keepdims=True)
    deviation = np.sqrt(totals * probabilities * (1 - probabilities))
    assert (np.abs(found - totals * probabilities) <= 5 * deviation + 2).all()


# ---------------------------------------------------------------- sentences


@every_way
def test_rules_are_drawn_with_their_probabilities(order, inside_out):
    model = example(order, inside_out)
    counts = counted(model, generated(model, 3000, max_words=1000))
    assert (counts.decision.sum(axis=1) > 0).mean() > 0.9  # the claim is about nearly every row
    for name in ("root", "child", "decision"):
        assert_shares(getattr(counts, name), np.exp(getattr(model.table, name)))


@every_way
@pytest.mark.parametrize("non_heads", [(), ("DET",)])
def test_the_log_probability_is_that_of_the_chart(order, inside_out, non_heads):
    model = example(order, inside_out, non_heads=non_heads)
    sentences = generated(model, 100)
    assert max(len(sentence.tags) for sentence in sentences) > 3
    table, batch, factors, heads = problem(model, sentences)
    expected = tree_log_potentials(table, batch, heads, factors)
    np.testing.assert_allclose([sentence.log_probability for sentence in sentences], expected, rtol=1e-10)


@every_way
def test_every_tree_is_projective_with_one_root(order, inside_out):
    for sentence in generated(example(order, inside_out, go=0.9), 100):
        assert is_projective(sentence.heads)
        assert sentence.heads.count(0) == 1


def planted(order: Order, inside_out: bool) -> GrammarModel:
    """V takes A, then B, then C on either side, and nothing else happens."""
    tags = Vocabulary(["V", "A", "B", "C"], [1, 1, 1, 1])
    child, decision = np.zeros((*order.shape(4), 4)), np.zeros((*order.shape(4), 2))
    child[...], decision[..., STOP] = 0.25, 1
    null = 4
    for direction in (LEFT, RIGHT):
        for previous, following in ((null, 1), (1, 2), (2, 3)):
            child[direction, 0, previous] = np.eye(4)[following]
            decision[direction, 0, previous] = [0, 1]
    with np.errstate(divide="ignore"):
        table = RuleTable.of_tags(np.log(np.eye(4)[0]), np.log(child), np.log(decision))
    return GrammarModel(order, tags, table, inside_out=inside_out)


@pytest.mark.parametrize(("inside_out", "order_of_words"), [(False, "A B C V C B A"), (True, "C B A V A B C")])
def test_children_come_from_the_outside_in_or_from_the_inside_out(inside_out, order_of_words):
    (sentence,) = generated(planted(Order.SIBLING, inside_out), 1)
    assert " ".join(sentence.tags) == order_of_words
    assert sentence.heads == [4, 4, 4, 0, 4, 4, 4]
    assert sentence.log_probability == 0


def test_the_same_seed_gives_the_same_sentences_and_another_one_others():
    model = example(Order.SIBLING, go=0.8)
    assert generated(model, 20, seed=4) == generated(model, 20, seed=4)
    assert generated(model, 20, seed=4) != generated(model, 20, seed=5)


# ---------------------------------------------------------------- what is thrown away


def test_tags_that_head_nothing_have_no_children():
    free, bound = example(Order.FIRST), example(Order.FIRST, non_heads=("DET", "CCONJ"))

    def heads_of_children(model: GrammarModel) -> set[str]:
        trees = [(sentence.tags, sentence.heads) for sentence in generated(model, 300)]
        return {tags[head - 1] for tags, heads in trees for head in heads if head}

    assert heads_of_children(free) == {"NOUN", "VERB", "DET"}
    assert heads_of_children(bound) == {"NOUN", "VERB"}
    assert ["DET"] in [sentence.tags for sentence in generated(bound, 300)]  # alone it may stand


@pytest.mark.parametrize("order", list(Order))
def test_what_is_left_keeps_its_probabilities(order):
    """p(tree | no DET has a child, at most 2 words), from all trees of one and two words."""
    model = example(order, go=0.9, non_heads=("DET",))
    trees = {}
    for tags in [(a,) for a in TAGS] + [(a, b) for a in TAGS for b in TAGS]:
        for heads in projective_trees(len(tags)):
            if all(head == 0 or tags[head - 1] != "DET" for head in heads):
                sentence = GeneratedSentence(list(tags), list(heads), 0.0)
                trees[tags, tuple(heads)] = np.exp(counted(model, [sentence]).dot(model.table))
    found = dict.fromkeys(trees, 0)
    for sentence in generated(model, 3000, max_words=2):
        found[tuple(sentence.tags), tuple(sentence.heads)] += 1
    expected = np.array(list(trees.values()))
    assert_shares(np.array(list(found.values())), expected / expected.sum())


def test_longer_sentences_are_thrown_away_and_counted():
    generator = Generator(example(Order.FIRST, go=0.95), max_words=3)
    lengths = [len(sentence.tags) for sentence in generator.sentences(200)]
    assert max(lengths) == 3
    assert generator.too_long > 0
    assert generator.disobedient == 0


@pytest.mark.parametrize(
    ("non_heads", "message"),
    [
        ((), r"50 tries gave no sentence: 50 times there were more than 5 words\. Raise --max-words\."),
        (
            ("NOUN", "VERB", "DET"),
            r" 50 times children under NOUN VERB DET, which may have none\. Train with these tags",
        ),
    ],
)
def test_a_grammar_without_such_sentences_is_given_up_with_a_reason(non_heads, message, monkeypatch):
    monkeypatch.setattr(generation, "TRIES", 50)
    table = random_table(Order.FIRST, 3, seed=1)
    table.decision[:] = [-np.inf, 0]  # on and on
    with pytest.raises(DepinduceError, match=message):
        generated(GrammarModel(Order.FIRST, TAGS, table, non_heads), 1, max_words=5)


def test_a_tree_may_be_deeper_than_pythons_stack():
    chain = one_tag(left=0.0, right=0.998, more=0.0)
    assert max(len(sentence.tags) for sentence in generated(chain, 20, max_words=100_000)) > sys.getrecursionlimit()


# ---------------------------------------------------------------- how often sentences use a rule


@every_way
@pytest.mark.parametrize("non_heads", [(), ("DET",)])
def test_the_expected_uses_are_those_of_generated_sentences(order, inside_out, non_heads):
    model = example(order, inside_out, non_heads=non_heads)
    generator, uses = Generator(model, max_words=10_000), expected_uses(model)
    samples = [counted(model, list(generator.sentences(100))) for _ in range(30)]
    assert uses.settled
    for name in ("root", "child", "decision"):
        found = np.array([getattr(counts, name) for counts in samples]) / 100
        deviation = found.std(axis=0) / np.sqrt(30)
        assert (np.abs(found.mean(axis=0) - getattr(uses.counts, name)) <= 5 * deviation + 0.002).all()
    assert generator.disobedient / 3000 == pytest.approx(1 / uses.kept - 1, rel=0.15, abs=1e-6)


@pytest.mark.parametrize("order", list(Order))
def test_the_uses_of_relative_frequencies_are_the_frequencies(order):
    """A grammar read off trees generates, on average, what is in the trees."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 6, size=40)
    heads = np.concatenate([projective_trees(n)[rng.integers(len(projective_trees(n)))] for n in lengths])
    batch = tag_batch(order, rng.integers(3, size=lengths.sum()), np.append(0, lengths.cumsum()), 3)
    counts = tree_counts(uniform_counts(order, 3), batch, heads)
    uses = expected_uses(GrammarModel(order, TAGS, Multinomials.smoothed(order, 3, 0.0).estimate(counts)))
    for name in ("root", "child", "decision"):
        np.testing.assert_allclose(getattr(uses.counts, name), getattr(counts, name) / 40, atol=1e-9)
    assert uses.words.sum() == pytest.approx(lengths.mean())
    assert uses.kept == pytest.approx(1)


def one_tag(left: float, right: float, more: float) -> GrammarModel:
    """A grammar of one tag: the probabilities of a child on each side, and of one more."""
    go = np.array([[left, more], [right, more]])
    with np.errstate(divide="ignore"):
        decision = np.log(np.stack([1 - go, go], axis=-1))
    table = RuleTable.of_tags(np.zeros(1), np.zeros((2, 1, 2, 1)), decision.reshape(2, 1, 2, 2))
    return GrammarModel(Order.FIRST, Vocabulary(["X"], [1]), table)


def test_of_a_grammar_that_often_never_ends_the_finite_sentences_count():
    # Children on the right go on with 0.6. That ends with e = 0.4 + 0.6 e², 2/3, and looks like going on with 0.4.
    uses = expected_uses(one_tag(left=0.0, right=0.6, more=0.6))
    assert uses.kept == pytest.approx(2 / 3)
    assert uses.words.sum() == pytest.approx(3)
    assert uses.settled


def test_a_grammar_on_the_edge_of_endless_sentences_is_followed_for_a_while():
    uses = expected_uses(one_tag(left=0.0, right=0.5, more=0.5))
    assert not uses.settled
    assert uses.words.sum() > 100
    assert uses.kept == pytest.approx(1, abs=0.01)


def test_a_grammar_that_never_ends_uses_nothing():
    uses = expected_uses(one_tag(left=1.0, right=1.0, more=1.0))
    assert uses.kept == 0
    assert uses.words.sum() == 0
