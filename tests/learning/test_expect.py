"""The E-step gives the counts that enumeration gives: of all trees, the best, between these, products, tilted."""

from __future__ import annotations

import numpy as np
import pytest
from chart.enumeration import Enumerated, random_problem, tree_rule_counts
from learning.tagged import random_sentences, tagged
from learning.tilted import LENGTHS, TAGS, Toy

from depinduce.chart.problems import Problem
from depinduce.corpus import Corpus, Vocabulary
from depinduce.errors import DepinduceError
from depinduce.grammar.multinomials import Multinomials
from depinduce.grammar.rules import Batch, Order, RuleCounts, RuleTable
from depinduce.learning.expect import EStep
from depinduce.learning.learners.closed_form import CountLearner
from depinduce.learning.learners.learner import View
from depinduce.learning.learners.networks import make_learners
from depinduce.learning.minibatches import Data
from depinduce.learning.posterior_constraint import BATCH_STEP, LARGEST_DUAL, ShareConstraint
from depinduce.learning.settings.configuration import configure
from depinduce.learning.settings.counts import CountSettings

every_order = pytest.mark.parametrize("order", list(Order))
MODELS = {Order.FIRST: "dmv", Order.SIBLING: "dmv-sibling", Order.GRANDPARENT: "dmv-grand"}


def e_step(order: Order, hard: bool = False, constraint: ShareConstraint | None = None, threads: int = 1):
    """The E-step of a count grammar over the tags of the problems here."""
    tags = tagged(" ".join("ABCD"[:TAGS]))
    return EStep([CountLearner(CountSettings(model=MODELS[order]), tags)], hard, constraint, threads)


def view(problem: Problem) -> View:
    return View(problem, Data(problem.batch, problem.factors))


def weighted_counts(table: RuleTable, batch: Batch, trees: list[Enumerated], weights: list[np.ndarray]) -> RuleCounts:
    """The rules of all trees, each tree by its weight."""
    counts = RuleCounts.zeros_like(table)
    for sentence, (exact, own) in enumerate(zip(trees, weights, strict=True)):
        for heads, weight in zip(exact.trees, own, strict=True):
            counts = counts + weight * tree_rule_counts(table, batch, sentence, heads)
    return counts


def assert_same_counts(found: RuleCounts, expected: RuleCounts) -> None:
    for one, other in zip(found.parts, expected.parts, strict=True):
        assert one == pytest.approx(other, abs=1e-9)


# ---------------------------------------------------------------- soft and hard


@every_order
@pytest.mark.parametrize("factors", [False, True])
def test_soft_counts_are_those_of_all_trees_by_their_probabilities(order, factors):
    problem = Problem(*random_problem(order, LENGTHS, TAGS, seed=1, factors=factors))
    (counts,), total = e_step(order).counts([view(problem)])
    trees = [Enumerated(problem.table, problem.batch, number, problem.factors) for number in range(len(LENGTHS))]
    assert total == pytest.approx(sum(exact.log_z for exact in trees))
    weights = [exact.probabilities for exact in trees]
    assert_same_counts(counts, weighted_counts(problem.table, problem.batch, trees, weights))


@every_order
@pytest.mark.parametrize("factors", [False, True])
def test_hard_counts_are_those_of_the_best_tree_of_each_sentence(order, factors):
    problem = Problem(*random_problem(order, LENGTHS, TAGS, seed=2, factors=factors))
    (counts,), total = e_step(order, hard=True).counts([view(problem)])
    trees = [Enumerated(problem.table, problem.batch, number, problem.factors) for number in range(len(LENGTHS))]
    assert total == pytest.approx(sum(exact.scores[0] for exact in trees), abs=1e-6)  # ties are told by rounded rules
    weights = [np.eye(1, len(exact.trees))[0] for exact in trees]  # the first is the best
    assert_same_counts(counts, weighted_counts(problem.table, problem.batch, trees, weights))


@every_order
@pytest.mark.parametrize("hard", [False, True])
def test_two_threads_count_what_one_does(order, hard):
    problem = Problem(*random_problem(order, LENGTHS * 20, TAGS, seed=3))
    ((one,), total), ((two,), same) = (e_step(order, hard, threads=n).counts([view(problem)]) for n in (1, 2))
    assert total == pytest.approx(same, rel=1e-12)
    assert_same_counts(one, two)


# ---------------------------------------------------------------- held-out sentences


@every_order
def test_held_out_sentences_have_the_mean_likelihood_of_all_their_trees(order):
    problem = Problem(*random_problem(order, LENGTHS, TAGS, seed=4))
    trees = [Enumerated(problem.table, problem.batch, number) for number in range(len(LENGTHS))]
    for hard in (False, True):  # in hard EM, too
        found = e_step(order, hard).log_likelihood([view(problem)])
        assert found == pytest.approx(np.mean([exact.log_z for exact in trees]))


def test_held_out_sentences_of_probability_zero_are_refused():
    table, batch, _ = random_problem(Order.FIRST, [2, 3, 2], TAGS, seed=5)
    (word,) = {*batch.column[2:5]} - {*batch.column[:2], *batch.column[5:]} or {batch.column[2]}
    root, child = table.root.copy(), table.child.copy()
    root[word], child[:, word] = -np.inf, -np.inf
    impossible = Problem(RuleTable(root, child, table.decision), batch)
    number = int(np.isneginf(impossible.log_partition()).sum())
    assert number > 0
    with pytest.raises(DepinduceError, match=f"{number} held-out sentences have probability 0"):
        e_step(Order.FIRST).log_likelihood([view(impossible)])


# ---------------------------------------------------------------- sharp


def to_a_power(scores: np.ndarray, cost: float) -> np.ndarray:
    """q(z) ∝ p(x, z) to the power 1 / (1 - σ)."""
    weights = np.exp((scores - scores.max()) / (1 - cost))
    return weights / weights.sum()


@every_order
@pytest.mark.parametrize("factors", [False, True])
@pytest.mark.parametrize("cost", [0.25, 0.8, 0.999])
def test_sharp_counts_are_those_of_all_trees_by_a_power_of_their_probabilities(order, factors, cost):
    problem = Problem(*random_problem(order, LENGTHS, TAGS, seed=1, factors=factors))
    (counts,), total = e_step(order).counts([view(problem)], unambiguity=cost)
    trees = [Enumerated(problem.table, problem.batch, number, problem.factors) for number in range(len(LENGTHS))]
    q = [to_a_power(exact.scores, cost) for exact in trees]
    assert_same_counts(counts, weighted_counts(problem.table, problem.batch, trees, q))
    entropy = sum(-own[own > 0] @ np.log(own[own > 0]) for own in q)
    scores = sum(own @ exact.scores for own, exact in zip(q, trees, strict=True))
    assert total == pytest.approx(scores + (1 - cost) * entropy)


@every_order
def test_no_other_distribution_over_trees_has_more_for_its_cost(order):
    problem = Problem(*random_problem(order, [4], TAGS, seed=6))
    exact, random = Enumerated(problem.table, problem.batch), np.random.default_rng(0)
    for cost in (0.0, 0.3, 0.9):
        _, total = e_step(order).counts([view(problem)], unambiguity=cost)
        for q in [*random.dirichlet(np.full(len(exact.trees), 0.1), size=50), *np.eye(len(exact.trees))]:
            used = q > 0
            assert q @ exact.scores - (1 - cost) * (q[used] @ np.log(q[used])) <= total + 1e-9


@every_order
def test_where_ambiguity_costs_nothing_counts_are_soft_and_where_it_costs_all_hard(order):
    problem = Problem(*random_problem(order, LENGTHS, TAGS, seed=1, factors=True))
    for cost, hard in ((0.0, False), (1.0, True)):
        (sharp,), total = e_step(order).counts([view(problem)], unambiguity=cost)
        (counts,), expected = e_step(order, hard).counts([view(problem)])
        assert total == expected
        assert all((one == other).all() for one, other in zip(sharp.parts, counts.parts, strict=True))


@every_order
def test_sharp_counts_can_be_tilted(order):
    toy, cost = Toy(order), 0.5
    constraint = toy.constraint(0.9 * toy.share(LARGEST_DUAL))
    (counts,), total = e_step(order, constraint=constraint).counts([view(toy.problem)], unambiguity=cost)
    pairs = zip(toy.trees, toy.matched, strict=True)
    q = [to_a_power(exact.scores + (1 - cost) * constraint.dual * matched, cost) for exact, matched in pairs]
    matched = sum(own @ number for own, number in zip(q, toy.matched, strict=True))
    assert matched / toy.words == pytest.approx(constraint.share, abs=2e-3)
    assert_same_counts(counts, weighted_counts(toy.table, toy.batch, toy.trees, q))
    scores = [own @ (exact.scores - (1 - cost) * np.log(own)) for own, exact in zip(q, toy.trees, strict=True)]
    assert total == pytest.approx(np.sum(scores))


# ---------------------------------------------------------------- products

SENTENCES = [sentence for sentence in random_sentences(3, count=20) if len(sentence.split()) <= 5][:5]


def worded(*sentences: str) -> Corpus:
    """Sentences whose words are their tags and one of two letters."""
    corpus = tagged(*sentences)
    names = [f"{corpus.tag_vocabulary[tag]}{number % 2}" for number, tag in enumerate(corpus.tags)]
    words = Vocabulary(sorted({*names}), [names.count(name) for name in sorted({*names})])
    return Corpus(**vars(corpus) | {"words": words.ids(names), "word_vocabulary": words})


@pytest.mark.parametrize("model", ["joint-sibling", "joint-grand"])
@pytest.mark.parametrize("method", ["dmo", "hard-em"])
def test_a_product_counts_the_trees_of_both_grammars_together(model, method):
    sizes = {"size": 6, "child_rank": 4, "decision_rank": 3, "tag_size": 4, "word_size": 5, "dropout": 0.0}
    configuration = configure({"model": model, "method": method, "min_count": 1} | sizes)
    settings, corpus = configuration.learning, worded(*SENTENCES)
    learners = make_learners(settings, configuration, corpus, seed=0)
    views = [learner.view(learner.sentences(corpus, "training").all()) for learner in learners]
    step = EStep(learners, settings.hard, None, 1)
    (of_tags, of_words), total = step.counts(views)

    trees = [[Enumerated(*view.problem[:2], number, view.problem.factors) for number in range(5)] for view in views]
    by_tree = [[dict(zip(exact.trees, exact.scores, strict=True)) for exact in own] for own in trees]
    both = [{heads: one[heads] + other[heads] for heads in one} for one, other in zip(*by_tree, strict=True)]
    expected_total = 0.0
    for number, (found, own) in enumerate(((of_tags, trees[0]), (of_words, trees[1]))):
        weights = []
        for sentence, exact in enumerate(own):
            scores = np.array([both[sentence][heads] for heads in exact.trees])
            if settings.hard:
                weights.append((scores == scores.max()).astype(float))
                log_z = scores.max()
            else:
                log_z = np.logaddexp.reduce(scores)
                weights.append(np.exp(scores - log_z))
            expected_total += log_z / 2  # one chart, that both learn from
        expected = weighted_counts(views[number].problem.table, views[number].problem.batch, own, weights)
        assert found.child == pytest.approx(expected.child, abs=1e-6)
        assert found.decision == pytest.approx(expected.decision, abs=1e-6)
    assert total == pytest.approx(expected_total, abs=1e-5)


# ---------------------------------------------------------------- tilted


@every_order
def test_tilted_counts_meet_the_constraint_and_bound_the_likelihood(order):
    toy = Toy(order)
    constraint = toy.constraint(0.9 * toy.share(LARGEST_DUAL))
    (counts,), total = e_step(order, constraint=constraint).counts([view(toy.problem)])
    q = toy.tilted(constraint.dual)
    assert constraint.dual > 0.1
    # E log p + the entropy of q
    scores = [own @ (exact.scores - np.log(own)) for own, exact in zip(q, toy.trees, strict=True)]
    assert total == pytest.approx(np.sum(scores))
    assert total < np.sum([exact.log_z for exact in toy.trees])
    assert_same_counts(counts, weighted_counts(toy.table, toy.batch, toy.trees, q))


@every_order
def test_a_batch_is_tilted_by_the_dual_variable_it_finds_and_moves_it(order):
    toy, dual, share = Toy(order), 0.8, 0.95
    constraint = toy.constraint(share, dual)
    everything = np.arange(len(LENGTHS))
    (counts,), total = e_step(order, constraint=constraint).counts([view(toy.problem)], everything)
    q = toy.tilted(dual)
    scores = [own @ (exact.scores - np.log(own)) for own, exact in zip(q, toy.trees, strict=True)]
    assert total == pytest.approx(np.sum(scores))
    assert_same_counts(counts, weighted_counts(toy.table, toy.batch, toy.trees, q))
    assert constraint.found == pytest.approx(toy.share(dual) * toy.words)  # summed over the batches of a round
    assert constraint.dual == pytest.approx(dual + BATCH_STEP * (share - toy.share(dual)))


def test_the_prior_of_a_count_grammar_is_no_part_of_the_e_step():
    toy = Toy(Order.FIRST)
    step = e_step(Order.FIRST)
    step.learners[0].family = Multinomials.smoothed(Order.FIRST, TAGS, 5.0)
    (counts,), total = step.counts([view(toy.problem)])
    assert total == pytest.approx(sum(exact.log_z for exact in toy.trees))
    assert counts.root.sum() == pytest.approx(len(LENGTHS))
