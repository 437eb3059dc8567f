"""Posterior sparsity finds the q that it promises, and what is learned from it uses fewer pairs of tags."""

from __future__ import annotations

import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from chart.enumeration import Enumerated, Heads, random_problem, tree_rule_counts
from learning.killed import require_the_same_after_a_stop, require_the_same_after_kills
from learning.languages import TAGS as LETTERS
from learning.languages import together
from learning.tagged import tagged
from learning.trainings import CORPUS, HELD_OUT, count_run, count_training, rounds_of, same_table, trained_counts

from depinduce.chart.problems import Problem
from depinduce.errors import DepinduceError
from depinduce.grammar.rules import Order, RuleCounts
from depinduce.learning import posterior_sparsity
from depinduce.learning.learners.closed_form import make_learners
from depinduce.learning.posterior_sparsity import Instances, PosteriorSparsity
from depinduce.learning.run import Run
from depinduce.learning.settings.configuration import configure
from depinduce.learning.settings.counts import CountSettings
from depinduce.learning.training import LikelihoodFell
from depinduce.parsing.decoding import Parsing, parse_corpus

TAGS, LENGTHS = 3, [3, 1, 4, 2, 5, 4]
PER = 1000 / len(CORPUS)  # the setting that makes σ one
both_kinds = pytest.mark.parametrize("of", ["arcs", "children"])
every_order = pytest.mark.parametrize("order", list(Order))


class Toy:
    """A few sentences under a random grammar with all their trees, and the penalty by its definition."""

    def __init__(self, of: str, order: Order = Order.FIRST, seed: int = 5):
        self.of, self.problem = of, Problem(*random_problem(order, LENGTHS, TAGS, seed))
        self.batch = self.problem.batch
        self.trees = [Enumerated(*self.problem[:2], number) for number in range(len(LENGTHS))]
        one = np.zeros(len(LENGTHS), dtype=np.int64)
        self.instances = Instances.of(self.batch.column, self.batch.offsets, TAGS, of, one)

    def sparsity(self, strength: float) -> PosteriorSparsity:
        return PosteriorSparsity(strength, self.instances)

    def in_tree(self, sentence: int, heads: Heads) -> list[tuple[tuple[int, int], tuple[int, ...]]]:
        """The instances of a tree, one by one: head tag and child tag, and which one of that kind it is."""
        first, found = int(self.batch.offsets[sentence]), []
        for child, head in enumerate(heads):
            if head > 0:
                kind = int(self.batch.column[first + head - 1]), int(self.batch.column[first + child])
                which = (sentence, child, head - 1) if self.of == "arcs" else (sentence, child)
                found.append((kind, which))
        return found

    def sparse(self, q: list[np.ndarray]) -> float:
        """Σ over kinds of the most probable instance. q: the probabilities of the trees of each sentence"""
        posterior: dict = defaultdict(lambda: defaultdict(float))
        for sentence, (exact, own) in enumerate(zip(self.trees, q, strict=True)):
            for heads, weight in zip(exact.trees, own, strict=True):
                for kind, which in self.in_tree(sentence, heads):
                    posterior[kind][which] += weight
        return sum(max(instances.values()) for instances in posterior.values())

    def divergence(self, q: list[np.ndarray]) -> float:
        """KL(q ‖ p)"""
        total = 0.0
        for exact, own in zip(self.trees, q, strict=True):
            for probability, weight in zip(exact.probabilities, own, strict=True):
                total += weight * np.log(weight / probability) if weight > 0 else 0.0
        return total

    def cost(self, q: list[np.ndarray], strength: float) -> float:
        return self.divergence(q) + strength * self.sparse(q)

    def tilted(self, dual: np.ndarray) -> tuple[list[np.ndarray], float]:
        """q ∝ p · exp(-λ of its instances), and the value of the dual there. dual: [instance]"""
        q, value = [], 0.0
        for sentence, exact in enumerate(self.trees):
            weights = []
            for heads, probability in zip(exact.trees, exact.probabilities, strict=True):
                arcs = self.batch.arc_offsets[sentence] + np.array(
                    [(head - 1) * len(heads) + child for child, head in enumerate(heads) if head > 0], dtype=int
                )
                weights.append(probability * np.exp(-dual[self.instances.of_arc[arcs]].sum()))
            q.append(np.array(weights) / sum(weights))
            value -= np.log(sum(weights))
        return q, value


@pytest.fixture
def precise(monkeypatch) -> None:
    """Until the gap is closed."""
    monkeypatch.setattr(posterior_sparsity, "TOLERANCE", 1e-6)
    monkeypatch.setattr(posterior_sparsity, "MOST_PASSES", 5000)


# ---------------------------------------------------------------- the E-step


@pytest.mark.usefixtures("precise")
@both_kinds
@every_order
@pytest.mark.parametrize("strength", [0.2, 2.0])
def test_no_distribution_is_better_than_the_one_it_finds(of, order, strength):
    toy = Toy(of, order)
    sparsity = toy.sparsity(strength)
    expected, raised = sparsity.satisfied(toy.problem)
    q, dual_value = toy.tilted(sparsity.dual)
    cost = toy.cost(q, strength)
    assert cost == pytest.approx(dual_value, abs=1e-3)  # nothing can cost less than the dual, see the next test
    assert cost < strength * toy.sparse([exact.probabilities for exact in toy.trees]) - 0.05 * strength
    assert expected.log_z.sum() - raised == pytest.approx(
        sum(exact.log_z for exact in toy.trees) - toy.divergence(q), abs=1e-6
    )  # E log p + the entropy of q
    assert sparsity.penalty == pytest.approx(strength * toy.sparse(q), abs=1e-6)
    counts = RuleCounts.zeros_like(toy.problem.table)
    for sentence, (exact, own) in enumerate(zip(toy.trees, q, strict=True)):
        for heads, weight in zip(exact.trees, own, strict=True):
            counts = counts + weight * tree_rule_counts(toy.problem.table, toy.batch, sentence, heads)
    for found, wanted in zip(expected.counts.parts, counts.parts, strict=True):
        assert found == pytest.approx(wanted, abs=1e-9)


@both_kinds
def test_the_dual_is_below_the_cost_of_every_distribution(of):
    toy, strength, random = Toy(of), 1.5, np.random.default_rng(0)
    for _ in range(20):
        drawn = random.exponential(size=len(toy.instances.kind)) * random.integers(0, 4)
        dual = toy.instances.projected(drawn, strength)
        q = [random.dirichlet(np.full(len(exact.trees), 0.5)) for exact in toy.trees]
        assert toy.tilted(dual)[1] <= toy.cost(q, strength)


@both_kinds
def test_weights_are_projected_onto_the_simplex_of_their_kind(of):
    toy, random = Toy(of), np.random.default_rng(1)
    for most in (0.0, 0.3, 2.0, 50.0):
        weights = random.normal(size=len(toy.instances.kind)) * 2
        found = toy.instances.projected(weights, most)
        for kind in range(TAGS**2):
            own = weights[toy.instances.kind == kind]
            low, high = 0.0, 100.0  # of τ
            if np.maximum(own, 0).sum() > most:
                for _ in range(200):
                    middle = (low + high) / 2
                    low, high = (middle, high) if np.maximum(own - middle, 0).sum() > most else (low, middle)
            wanted = np.maximum(own - low, 0)
            assert found[toy.instances.kind == kind] == pytest.approx(wanted, abs=1e-9)


@pytest.mark.usefixtures("precise")
def test_an_e_step_goes_on_where_the_last_one_ended(monkeypatch):
    monkeypatch.setattr(posterior_sparsity, "MOST_PASSES", 3)
    toy = Toy("arcs")
    sparsity = toy.sparsity(5.0)
    gaps = []
    for _ in range(20):
        sparsity.satisfied(toy.problem)
        gaps.append(sparsity.penalty - sum(sparsity.dual * posterior_of(toy, sparsity)))
    assert gaps[-1] < 0.1 * gaps[0]


def posterior_of(toy: Toy, sparsity: PosteriorSparsity) -> np.ndarray:
    """Of each instance, by enumeration."""
    posterior = np.zeros(len(toy.instances.kind))
    for sentence, (exact, own) in enumerate(zip(toy.trees, toy.tilted(sparsity.dual)[0], strict=True)):
        for heads, weight in zip(exact.trees, own, strict=True):
            for child, head in enumerate(heads):
                if head > 0:
                    arc = toy.batch.arc_offsets[sentence] + (head - 1) * len(heads) + child
                    posterior[toy.instances.of_arc[arc]] += weight
    return posterior


def test_languages_have_pairs_of_their_own():
    french, polish = (tagged(*own, vocabulary=LETTERS) for own in (["D N V", "N V"], ["D N V"]))
    corpus = together({"fr": french, "pl": polish})
    (learner,) = make_learners(CountSettings(sparsity=1.0), configure({}), corpus, 0)
    sparsity = learner.posterior_sparsity(corpus)
    assert sparsity is not None
    kinds = sparsity.instances.kind
    assert sparsity.strength == pytest.approx(1.0 * 3 / 2 / 1000)
    assert {*kinds[:13]}.isdisjoint(kinds[13:])  # 3 · 3 + 2 · 2 arcs of French, 3 · 3 of Polish
    assert sorted(np.unique(kinds[:9], return_inverse=True)[1]) == sorted(np.unique(kinds[13:], return_inverse=True)[1])


# ---------------------------------------------------------------- learning


def test_languages_may_have_sentences_that_are_alike():
    french, polish = (tagged(*own, vocabulary=LETTERS) for own in (["D N V", "N V", "N V"], ["N V", "D N V"]))
    corpus = together({"fr": french, "pl": polish})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model, finished = Run(configure({"model": "dmv", "sparsity": 3 * PER, "iterations": 2}), corpus).go()
    assert finished and len(model.history["rounds"]) == 2


@pytest.mark.parametrize("model", ["dmv", "dmv-sibling", "dmv-grand"])
def test_without_sparsity_it_is_the_count_model(model):
    plain = trained_counts(CountSettings(model=model, iterations=6))
    without = trained_counts(CountSettings(model=model, iterations=6, sparsity=0.0, sparsity_of="children"))
    assert same_table(plain.table, without.table)
    little = trained_counts(CountSettings(model=model, iterations=6, sparsity=1e-9))
    for one, other in zip(plain.table.parts, little.table.parts, strict=True):
        assert one == pytest.approx(other, abs=1e-6)
    much = trained_counts(CountSettings(model=model, iterations=6, sparsity=5 * PER))
    assert not np.allclose(plain.table.child, much.table.child, atol=0.1)


@both_kinds
def test_fewer_pairs_of_tags_stand_in_a_dependency(of):
    found = defaultdict(list)
    for strength in (0.0, 10.0):
        sparse = {"sparsity": strength * PER, "sparsity_of": of}
        for seed in range(4):
            settings = CountSettings(**sparse, iterations=10, init=("random",), seed=seed)
            heads = parse_corpus(trained_counts(settings), CORPUS, Parsing())
            head = (np.repeat(CORPUS.offsets[:-1], CORPUS.lengths) + heads - 1)[heads > 0]
            found[strength].append(len({*zip(CORPUS.tags[head], CORPUS.tags[heads > 0], strict=True)}))
    assert sum(found[10.0]) <= sum(found[0.0]) - 6


@both_kinds
@pytest.mark.parametrize("strength", [4.0, 20.0])
def test_the_objective_falls_by_no_more_than_the_gap(of, strength):
    training = count_training(CORPUS, sparsity=strength * PER, sparsity_of=of, iterations=30)
    assert training.sparsity is not None
    first = before = None
    with warnings.catch_warnings():
        warnings.simplefilter("error", LikelihoodFell)
        while not training.finished:
            objective = training.run_round().objective
            if before is not None:
                assert objective > before - training.sparsity.gap - 1e-9
            first, before = first or objective, objective
    assert before > first + 5


@pytest.mark.usefixtures("precise")
@both_kinds
def test_where_the_gap_is_closed_the_objective_rises(of):
    objectives = [
        line.objective for line in rounds_of(count_training(CORPUS, sparsity=4 * PER, sparsity_of=of, iterations=6))
    ]
    assert (np.diff(objectives) > 0).all()


def test_the_objective_is_the_bound_of_the_likelihood_less_the_penalty():
    training = count_training(CORPUS, sparsity=4 * PER, smoothing=0.0)
    table = training.learners[0].table
    line = training.run_round()
    assert training.sparsity is not None
    assert line.objective == pytest.approx(line.train * len(CORPUS) - training.sparsity.penalty)
    assert training.sparsity.strength == pytest.approx(4.0)
    assert training.sparsity.penalty > 4.0
    whole = training.train[0].all().problem(table)
    assert line.train * len(CORPUS) < whole.log_partition().sum()


@pytest.mark.parametrize("bad", [{"sparsity": -1.0}, {"sparsity_of": "words"}, {"em": "hard"}, {"rules": "ud"}])
def test_settings_that_cannot_be_are_refused(bad):
    with pytest.raises(DepinduceError, match="sparsity"):
        CountSettings(**{"sparsity": 1.0} | bad)


# ---------------------------------------------------------------- after a kill

STRENGTH = {"model": "dmv-sibling", "ladder": ("dmv",), "iterations": 4, "sparsity": 3 * PER}


def sparse_run(directory: Path | None) -> Run:
    return Run(configure(STRENGTH), CORPUS, HELD_OUT, directory)


@pytest.mark.slow
def test_a_killed_run_ends_as_if_it_was_not(tmp_path):
    killed = {"first rung": [("round", 2)], "second rung": [("start", 1), ("round", 7)]}
    require_the_same_after_kills(tmp_path, sparse_run, killed)


def test_a_stopped_run_goes_on_with_its_dual_variables(tmp_path):
    settings = CountSettings(sparsity=3 * PER, iterations=5)
    require_the_same_after_a_stop(tmp_path, lambda place: count_run(settings, directory=place), 3)
