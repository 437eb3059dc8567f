"""The third-order charts against the enumeration of all trees and the second-order charts; and their program."""

from __future__ import annotations

import math

import numpy as np
import pytest
import third_order
import torch
from cli.demo_parts import demo_part
from examples.printed import scores
from examples.stories import Choice, Told, random_table
from third_order import as_tensors, groups_by_length, raised
from third_order_chart import Kind, best_trees, expected_counts, log_partition, shape

from depinduce.chart import engine
from depinduce.corpus import load_corpus
from depinduce.corpus.demo import demo_file
from depinduce.evaluation.trees import is_projective
from depinduce.grammar.constraints import UD_NON_HEADS
from depinduce.grammar.multinomials import Multinomials, random_counts
from depinduce.grammar.rules import Order, RuleCounts, RuleTable, tag_batch
from depinduce.grammar.trees import tree_log_potentials
from depinduce.models.tag_model import GrammarModel

TAGS = 3
every_kind = pytest.mark.parametrize("kind", list(Kind))
lower_orders = pytest.mark.parametrize(
    ("kind", "order"),
    [
        (Kind.TRI_SIBLING, Order.SIBLING),
        (Kind.GRAND_SIBLING, Order.SIBLING),
        (Kind.GRAND_SIBLING, Order.GRANDPARENT),
    ],
)


def row_of(kind: Kind):
    """The context of a third-order rule, by its definition."""

    def row(tags: np.ndarray, choice: Choice) -> tuple[int, ...]:
        last, before = (*(tags[word] for word in choice.previous[:2]), TAGS, TAGS)[:2]
        above = TAGS if choice.above is None else tags[choice.above]
        return choice.direction, tags[choice.head], last, before if kind is Kind.TRI_SIBLING else above

    return row


def random_sentences(random: np.random.Generator, sentences: int, length: int) -> tuple[np.ndarray, np.ndarray]:
    """Tags and potentials of single arcs."""
    return random.integers(TAGS, size=(sentences, length)), random.normal(size=(sentences, length, length))


@every_kind
@pytest.mark.parametrize("length", [1, 2, 3, 4, 5])
def test_the_charts_equal_enumeration(kind, length):
    random = np.random.default_rng(length)
    table = random_table(random, shape(TAGS), TAGS)
    tags, arcs = random_sentences(random, 4, length)
    told = [Told(table, shape(TAGS), row_of(kind), *one) for one in zip(tags, arcs, strict=True)]
    counts, log_z = expected_counts(kind, as_tensors(table), tags, torch.from_numpy(arcs))
    np.testing.assert_allclose(log_z, [one.log_z for one in told])
    expected = sum((one.counts for one in told), RuleCounts.zeros_like(table))
    for part, wanted in zip(counts, expected.parts, strict=True):
        np.testing.assert_allclose(part, wanted, atol=1e-12)
    heads, best = best_trees(kind, as_tensors(table), tags, torch.from_numpy(arcs))
    assert heads.tolist() == [list(one.best) for one in told]
    np.testing.assert_allclose(best, [one.scores.max() for one in told])


@every_kind
def test_without_potentials_z_is_the_number_of_trees(kind):
    rows = math.prod(shape(TAGS))
    nothing = tuple(torch.zeros(size, dtype=torch.double) for size in (TAGS, (rows, TAGS), (rows, 2)))
    for length in range(1, 11):
        tags, arcs = np.zeros((1, length), dtype=int), torch.zeros(1, length, length, dtype=torch.double)
        trees = math.comb(3 * length - 2, length - 1) // length  # projective, with one root
        assert log_partition(kind, nothing, tags, arcs).item() == pytest.approx(math.log(trees))


@every_kind
def test_expected_counts_are_slopes_of_log_z(kind):
    random = np.random.default_rng(7)
    rules = as_tensors(random_table(random, shape(TAGS), TAGS))
    tags, arcs = random_sentences(random, 3, 8)
    arcs = torch.from_numpy(arcs)
    counts, _ = expected_counts(kind, rules, tags, arcs)
    step = 1e-5
    for part, count in zip(rules, counts, strict=True):
        likely = torch.topk(count.flatten(), 3).indices
        for place in (*likely.tolist(), *random.integers(part.numel(), size=3).tolist()):
            sums = []
            for sign in (1, -1):
                part.view(-1)[place] += sign * step
                sums.append(log_partition(kind, rules, tags, arcs).sum().item())
                part.view(-1)[place] -= sign * step
            assert count.flatten()[place].item() == pytest.approx((sums[0] - sums[1]) / (2 * step), abs=1e-7)


def second_order(order: Order, tags: int, seed: int) -> RuleTable:
    return Multinomials.smoothed(order, tags, 0.0).estimate(random_counts(order, tags, seed))


@lower_orders
def test_a_table_that_ignores_the_extra_context_gives_what_the_second_order_chart_gives(kind, order):
    table = second_order(order, TAGS, seed=11)
    tags, _ = random_sentences(np.random.default_rng(12), 5, 12)
    batch = tag_batch(order, tags.ravel(), np.arange(6) * 12, TAGS)
    expected = engine.expectations(table, batch)
    rules, arcs = as_tensors(raised(table, order)), torch.zeros(5, 12, 12, dtype=torch.double)
    counts, log_z = expected_counts(kind, rules, tags, arcs)
    np.testing.assert_allclose(log_z, expected.log_z)
    heads, best = best_trees(kind, rules, tags, arcs)
    trees = engine.best_trees(table, batch)
    np.testing.assert_allclose(best, trees.log_potential[0])
    assert heads.ravel().tolist() == trees.heads[0].tolist()
    for part, wanted in zip(counts[1:], expected.counts.parts[1:], strict=True):
        by_axis = part.numpy().reshape(*shape(TAGS), -1)  # [direction, head, previous child, x, outcome]
        if order is Order.SIBLING:
            summed = by_axis.sum(axis=3)
        else:  # [direction, head, grandparent, valence, outcome]
            summed = np.stack([by_axis[:, :, TAGS], by_axis[:, :, :TAGS].sum(axis=2)], axis=3)
        np.testing.assert_allclose(summed.reshape(wanted.shape), wanted, atol=1e-12)


@every_kind
def test_sentences_do_not_see_each_other(kind):
    random = np.random.default_rng(13)
    rules = as_tensors(random_table(random, shape(TAGS), TAGS))
    tags, arcs = random_sentences(random, 6, 9)
    together = log_partition(kind, rules, tags, torch.from_numpy(arcs))
    alone = [log_partition(kind, rules, tags[[n]], torch.from_numpy(arcs[[n]])) for n in range(6)]
    np.testing.assert_allclose(together, torch.cat(alone))


@pytest.mark.parametrize("order", [Order.SIBLING, Order.GRANDPARENT])
def test_a_corpus_is_parsed_as_the_package_parses_it(order, monkeypatch):
    """With the function words of UD, on sentences of many lengths, in several groups of each."""
    corpus = load_corpus(demo_file("dev"))
    corpus = corpus.select(corpus.lengths <= 9)
    table = second_order(order, len(corpus.tag_vocabulary), seed=14)
    problem = GrammarModel(order, corpus.tag_vocabulary, table, UD_NON_HEADS).problem(corpus)
    monkeypatch.setattr(third_order, "ROOM", 6000)
    groups = list(groups_by_length(corpus, UD_NON_HEADS))
    assert len(groups) > len(np.unique(corpus.lengths))
    assert sorted(np.concatenate([group.words.ravel() for group in groups])) == list(range(len(corpus.tags)))
    found = third_order.parse("test", Kind.GRAND_SIBLING, raised(table, order), corpus, UD_NON_HEADS)
    trees = engine.best_trees(*problem)
    table, batch, factors = problem
    np.testing.assert_allclose(tree_log_potentials(table, batch, found, factors), trees.log_potential[0])
    assert (found == trees.heads[0]).mean() > 0.99  # some trees are equally good


@every_kind
def test_em_makes_the_sentences_more_probable(kind):
    corpus = load_corpus(demo_file("dev"))
    corpus = corpus.select(corpus.lengths <= 6)
    tags = len(corpus.tag_vocabulary)
    simpler = GrammarModel(Order.SIBLING, corpus.tag_vocabulary, second_order(Order.SIBLING, tags, seed=15))
    groups, start = list(groups_by_length(corpus, ())), raised(simpler.table, Order.SIBLING)
    prior = Multinomials(Order.SIBLING, tags, RuleCounts(*map(np.exp, start.parts)))
    tables = [start, *(third_order.train("test", simpler, kind, groups, 1.0, rounds) for rounds in range(1, 6))]
    likelihoods = [third_order.expect(kind, table, groups)[1] for table in tables]
    objectives = [likelihood + prior.log_prior(table) for likelihood, table in zip(likelihoods, tables, strict=True)]
    assert objectives == sorted(objectives)
    assert likelihoods[-1] > likelihoods[0] + len(corpus)  # by one and more for a sentence
    for part in (tables[-1].child, tables[-1].decision):
        np.testing.assert_allclose(np.exp(part).sum(axis=-1), 1.0)


@pytest.mark.slow
def test_the_program_trains_parses_and_scores(tmp_path, monkeypatch, capsys):
    kept = {}
    parse = third_order.parse

    def parse_and_keep(name, *rest):
        kept[name] = parse(name, *rest)
        return kept[name]

    monkeypatch.setattr(third_order, "parse", parse_and_keep)
    train, test = demo_part(tmp_path / "train.conllu"), demo_part(tmp_path / "test.conllu", "test", 30)
    given = ["--train", train, "--test", test, "--iterations", "2", "--max-length", "8"]
    assert third_order.main(list(map(str, given))) == 0
    found = scores(capsys.readouterr().out)
    assert list(found) == ["dmv", "dmv-sibling", "dmv-grand", *third_order.STARTS]
    assert all(30 < row[0] <= 100 for row in found.values())
    corpus = load_corpus(test)
    non_heads = [tag in UD_NON_HEADS for tag in corpus.tag_vocabulary.symbols]
    for heads in kept.values():
        for tree, tags in zip(*(np.split(part, corpus.offsets[1:-1]) for part in (heads, corpus.tags)), strict=True):
            assert is_projective(tree.tolist())
            assert (tree == 0).sum() == 1
            assert not any(non_heads[tags[head - 1]] for head in tree if head)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--iterations", "0"], "--iterations cannot be 0: it must be 1 or more."),
        (["--threads", "0"], "--threads cannot be 0: it must be 1 or more."),
        (["--test", "gold.conllu"], "--train and --test: give both, or none of them for the demo corpus."),
    ],
)
def test_faults_are_told_in_a_line(given, said, capsys):
    assert third_order.main(given) == 1
    assert capsys.readouterr().err.endswith(f": {said}\n")
