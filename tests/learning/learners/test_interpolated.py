"""E-DMV: variational inference against a slow one, its bound, what back-off and unambiguity do, starts, resuming."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from chart.enumeration import Heads, projective_trees
from cli.demo_parts import demo_part, depinduce, model_files
from learning.killed import killed_runs, require_finish, require_the_same_after_a_stop
from learning.tagged import random_sentences, tagged
from learning.trainings import CORPUS, HELD_OUT, same_table
from torch.distributions import Dirichlet, kl_divergence

from depinduce.corpus import Corpus
from depinduce.errors import DepinduceError
from depinduce.grammar.rules import GO, HAS, LEFT, NO, RIGHT, STOP, RuleCounts, RuleTable
from depinduce.learning.learners.closed_form import CountLearner
from depinduce.learning.learners.interpolated import InterpolatedLearner
from depinduce.learning.learners.learner import Start, View
from depinduce.learning.learners.variational import expected_log
from depinduce.learning.run import Run
from depinduce.learning.settings.configuration import configure
from depinduce.learning.settings.interpolated import InterpolatedSettings
from depinduce.learning.training import Round, Training
from depinduce.models.loading import load_model
from depinduce.models.places import INNER, METRICS
from depinduce.models.tag_model import GrammarModel
from depinduce.parsing.decoding import Parsing, parse_corpus

pytestmark = pytest.mark.filterwarnings("error")
SHORT = tagged("N V", "D N V", "V N", "N", "D D")  # few enough trees and origins to list them
PRIORS = {"smoothing": 0.6, "head_prior": 1.5, "back_off_prior": 2.5}
EVERYTHING = {  # what the trees of a sentence may cost
    "nothing": {},
    "ever less": {"unambiguity": 1.0, "unambiguity_iterations": 8},
    "always the same": {"unambiguity": 0.4, "unambiguity_iterations": 0},
    "one tree": {"unambiguity": 1.0, "unambiguity_iterations": 0},
}
every_cost = pytest.mark.parametrize("cost", EVERYTHING.values(), ids=EVERYTHING)


def settings(**values) -> InterpolatedSettings:
    return InterpolatedSettings(**{"model": "e-dmv", "random_starts": 1, "iterations": 12} | values)


def begun(corpus: Corpus, dev: Corpus | None = None, start: str = "random", **values) -> Training:
    own = settings(init=(start,), **values)
    training = Training(own, [InterpolatedLearner(own, corpus)], corpus, dev)
    training.begin()
    return training


def learner_of(training: Training) -> InterpolatedLearner:
    (learner,) = training.learners
    return learner


def trained(corpus: Corpus = CORPUS, **values) -> tuple[list[Round], InterpolatedLearner]:
    training = begun(corpus, **values)
    rounds = []
    while not training.finished:
        rounds.append(training.run_round())
    return rounds, learner_of(training)


def trees_of(table: RuleTable, corpus: Corpus) -> np.ndarray:
    return parse_corpus(GrammarModel(settings().order, corpus.tag_vocabulary, table), corpus, Parsing())


# ---------------------------------------------------------------- slow variational inference

Rule = tuple[str, int, int, int, int]  # child or decision, direction, head, valence, outcome; a root: zeros and its tag
Slow = dict[tuple[str, Rule], float]  # how often each rule came from those of its head, "own", and from those of "all"


def rules_of(tags: list[int], heads: Heads) -> Iterator[Rule]:
    """The rules of a tree, head by head."""
    yield "root", 0, 0, 0, tags[heads.index(0)]
    for head in range(len(tags)):
        for direction, side in ((LEFT, range(head)), (RIGHT, range(len(tags) - 1, head, -1))):
            valence = NO
            for child in side:
                if heads[child] == head + 1:
                    yield "decision", direction, tags[head], valence, GO
                    yield "child", direction, tags[head], valence, tags[child]
                    valence = HAS
            yield "decision", direction, tags[head], valence, STOP


class SlowBeliefs:
    """Every Dirichlet of the model by its name, with its parameters before and after the counts."""

    def __init__(self, counts: Slow, tags: int, prior: InterpolatedSettings):
        self.before, self.after = {}, {}
        sizes = {"child": tags, "decision": 2}
        self._add(("root",), [prior.smoothing] * tags, [counts[("own", ("root", 0, 0, 0, tag))] for tag in range(tags)])
        for kind, direction, valence in itertools.product(sizes, (LEFT, RIGHT), (NO, HAS)):
            outcomes, flat = range(sizes[kind]), [prior.smoothing] * sizes[kind]
            of_all = [
                sum(counts[("all", (kind, direction, head, valence, outcome))] for head in range(tags))
                for outcome in outcomes
            ]
            self._add(("all", kind, direction, valence), flat, of_all)
            for head in range(tags):
                rules = [(kind, direction, head, valence, outcome) for outcome in outcomes]
                used = [[counts[(origin, rule)] for rule in rules] for origin in ("own", "all")]
                self._add(("own", kind, direction, head, valence), flat, used[0])
                weights = [prior.head_prior, prior.back_off_prior]
                self._add(("λ", kind, direction, head, valence), weights, [sum(used[0]), sum(used[1])])

    def _add(self, name: tuple, before: list[float], counts: list[float]) -> None:
        self.before[name] = torch.tensor(before, dtype=torch.float64)
        self.after[name] = self.before[name] + torch.tensor(counts, dtype=torch.float64)

    def log(self, name: tuple, outcome: int) -> float:
        """E log of an outcome."""
        after = self.after[name]
        return float(torch.digamma(after[outcome]) - torch.digamma(after.sum()))

    def mean(self, name: tuple, outcome: int) -> float:
        return float(self.after[name][outcome] / self.after[name].sum())

    def origins(self, rule: Rule) -> dict[str, float]:
        """The log weight of each way to a rule."""
        kind, direction, head, valence, outcome = rule
        if kind == "root":
            return {"own": self.log(("root",), outcome)}
        row = (kind, direction, head, valence)
        of_all = self.log(("all", kind, direction, valence), outcome)
        return {
            "own": self.log(("λ", *row), 0) + self.log(("own", *row), outcome),
            "all": self.log(("λ", *row), 1) + of_all,
        }

    def probability(self, rule: Rule) -> float:
        kind, direction, head, valence, outcome = rule
        if kind == "root":
            return self.mean(("root",), outcome)
        row = (kind, direction, head, valence)
        of_all = self.mean(("λ", *row), 1) * self.mean(("all", kind, direction, valence), outcome)
        return self.mean(("λ", *row), 0) * self.mean(("own", *row), outcome) + of_all

    @property
    def divergence(self) -> float:
        pairs = ((Dirichlet(self.after[name]), Dirichlet(self.before[name])) for name in self.before)
        return sum(float(kl_divergence(after, before)) for after, before in pairs)


def slow_e_step(corpus: Corpus, weights: dict[Rule, dict[str, float]], cost: float) -> tuple[Slow, float]:
    """The counts of all trees with all origins of their rules, one by one, and E log p + (1 - σ) · entropy of trees.

    weights: of each way to a rule, as logarithms
    """
    counts, objective = defaultdict(float), 0.0
    for first, end in itertools.pairwise(corpus.offsets):
        tags = corpus.tags[first:end].tolist()
        stories, scores = [], []
        for heads in projective_trees(len(tags)):
            rules = list(rules_of(tags, heads))
            ways = [
                (sum(score for _, score in way), [(origin, rule) for rule, (origin, _) in zip(rules, way, strict=True)])
                for way in itertools.product(*(weights[rule].items() for rule in rules))
            ]
            stories.append(ways)
            scores.append(math.log(sum(math.exp(score) for score, _ in ways)))
        if cost == 1.0:
            best = scores.index(max(scores))
            q = [float(tree == best) for tree in range(len(scores))]
        else:
            total = sum(math.exp(score / (1 - cost)) for score in scores)
            q = [math.exp(score / (1 - cost)) / total for score in scores]
        objective += sum(own * score for own, score in zip(q, scores, strict=True))
        objective -= (1 - cost) * sum(own * math.log(own) for own in q if own > 0)
        for own, ways, tree in zip(q, stories, scores, strict=True):
            for score, used in ways:
                for way in used:
                    counts[way] += own * math.exp(score - tree)
    return counts, objective


def rules_in(table: RuleTable, tags: int) -> dict[Rule, float]:
    """Every rule of a table."""
    rules = {("root", 0, 0, 0, tag): float(table.root[tag]) for tag in range(tags)}
    for kind, part in (("child", table.child), ("decision", table.decision)):
        for place in np.ndindex(2, tags, 2, part.shape[1]):
            rules[(kind, *place)] = float(part.reshape(2, tags, 2, -1)[place])
    return rules


@pytest.mark.parametrize(
    "cost", [{}, {"unambiguity": 0.5, "unambiguity_iterations": 0}, {"unambiguity": 1.0, "unambiguity_iterations": 2}]
)
def test_iterations_are_those_of_a_slow_computation(cost):
    prior, tags = settings(**PRIORS, **cost), len(SHORT.tag_vocabulary)
    training = begun(SHORT, **PRIORS, **cost)
    learner = learner_of(training)
    start = rules_in(learner.table, tags)
    share = prior.head_prior / (prior.head_prior + prior.back_off_prior)  # before there are beliefs

    def at_first(rule: Rule) -> dict[str, float]:
        if rule[0] == "root":
            return {"own": start[rule]}
        return {"own": math.log(share) + start[rule], "all": math.log(1 - share) + start[rule]}

    rules, weights, divergence = list(start), {rule: at_first(rule) for rule in start}, 0.0
    for number in (1, 2, 3):
        counts, objective = slow_e_step(SHORT, weights, prior.unambiguity_in(number))
        one = training.run_round()
        assert one.objective == pytest.approx(objective - divergence, rel=1e-9)
        assert one.train == pytest.approx(objective / len(SHORT), rel=1e-9)
        slow = SlowBeliefs(counts, tags, prior)
        weights, divergence = {rule: slow.origins(rule) for rule in rules}, slow.divergence
        for rule, found in rules_in(learner.table, tags).items():
            assert found == pytest.approx(math.log(sum(map(math.exp, weights[rule].values()))), abs=1e-9)
        for rule, found in rules_in(learner.model({}, best=False).table, tags).items():
            assert math.exp(found) == pytest.approx(slow.probability(rule), abs=1e-12)


@every_cost
@pytest.mark.parametrize("priors", [{}, PRIORS, {"back_off_prior": 0.0}], ids=["as they are", "weak", "no back-off"])
def test_no_iteration_lowers_the_bound(cost, priors):
    rounds, _ = trained(iterations=20, non_heads=("D",), **priors, **cost)
    objectives = [one.objective for one in rounds]
    assert (np.diff(objectives[1:]) >= -1e-9 * abs(objectives[0])).all()  # the start is no belief
    assert objectives[-1] > objectives[1] + 1


@every_cost
def test_what_comes_out_are_probabilities(cost):
    _, learner = trained(**cost)
    for part in learner.model({}).table.parts:
        np.testing.assert_allclose(np.exp(part).sum(axis=-1), 1)
    assert (np.exp(learner.table.child).sum(axis=-1) < 1).all()  # those of the bound are less


def test_held_out_sentences_are_measured_by_probabilities():
    training = begun(CORPUS, HELD_OUT, iterations=3)
    one = training.run_round()
    model = GrammarModel(training.settings.order, CORPUS.tag_vocabulary, learner_of(training).best)
    assert one.dev == pytest.approx(model.problem(HELD_OUT).log_partition().mean())


# ---------------------------------------------------------------- what its own terms do


class PlainLearner(CountLearner):
    """A count DMV with the expected logarithms of its Dirichlets in the place of relative frequencies."""

    def learn(self, view: View, counts: RuleCounts, sentences: int, steps: int | None = None) -> None:
        after = [part + self.settings.smoothing for part in counts.parts]
        self.table = RuleTable(*map(expected_log, after))
        self.beliefs = [Dirichlet(torch.from_numpy(part)) for part in after]

    def beside_likelihood(self) -> float:
        priors = [Dirichlet(torch.full_like(own.concentration, self.settings.smoothing)) for own in self.beliefs]
        return -sum(float(kl_divergence(*pair).sum()) for pair in zip(self.beliefs, priors, strict=True))

    beliefs: Sequence[Dirichlet] = ()


@every_cost
@pytest.mark.parametrize("start", ["random", "harmonic"])
def test_without_back_off_it_is_a_plain_dmv_with_the_same_update(start, cost):
    own = settings(init=(start,), back_off_prior=0.0, **cost)
    plain = PlainLearner(own, CORPUS)
    training = Training(own, [plain], CORPUS)
    training.begin()
    rounds, learner = trained(start=start, back_off_prior=0.0, **cost)
    for one in rounds:
        by_plain = training.run_round()
        assert one.train == by_plain.train
        assert one.objective == pytest.approx(by_plain.objective, rel=1e-9)
    assert same_table(learner.table, plain.table)


def test_back_off_lends_the_rules_of_all_heads_to_a_rare_one():
    """No X has a child on its left. Its own rules know nothing then; those of the other heads do."""
    corpus = tagged(*["D N V"] * 30, *["N V"] * 20, "X")
    rare, det, verb = (corpus.tag_vocabulary.symbols.index(tag) for tag in "XDV")
    lent, own = (
        np.exp(trained(corpus, start="harmonic", **values)[1].best.child).reshape(2, 4, 2, 4)[LEFT, rare, NO]
        for values in ({}, {"back_off_prior": 0.0})
    )
    assert own == pytest.approx([0.25] * 4)
    assert lent[det] > 1.5 * lent[verb]


def test_back_off_changes_trees():
    with_it, without = (
        trees_of(trained(start="harmonic", **values)[1].best, CORPUS) for values in ({}, {"back_off_prior": 0.0})
    )
    assert 0.05 < np.mean(with_it != without) < 0.95


def test_unambiguity_makes_sentences_less_ambiguous_and_changes_trees():
    plain, sharp = (trained(start="harmonic", **values)[1].best for values in ({}, EVERYTHING["one tree"]))
    of_best = []  # how probable the best tree of a sentence is among all
    for table in (plain, sharp):
        problem = GrammarModel(settings().order, CORPUS.tag_vocabulary, table).problem(CORPUS)
        of_best.append(np.exp(problem.best_trees().log_potential[0] - problem.log_partition()).mean())
    assert of_best[1] > of_best[0] + 0.1
    assert np.mean(trees_of(plain, CORPUS) != trees_of(sharp, CORPUS)) > 0.05


def test_without_unambiguity_it_is_e_dmv():
    """Also if the cost has fallen to nothing: the same step from the same beliefs."""
    training = begun(CORPUS, unambiguity=1.0, unambiguity_iterations=3)
    for _ in range(3):
        training.run_round()
    plain = begun(CORPUS)
    learner_of(plain).restore(learner_of(training).state())
    for _ in range(2):
        assert training.run_round().train == plain.run_round().train
    assert same_table(learner_of(training).table, learner_of(plain).table)


def test_the_cost_falls_in_a_straight_line():
    own = settings(unambiguity=0.8, unambiguity_iterations=4)
    assert [own.unambiguity_in(number) for number in range(1, 7)] == pytest.approx([0.8, 0.6, 0.4, 0.2, 0.0, 0.0])
    stays = settings(unambiguity=0.8, unambiguity_iterations=0)
    assert {stays.unambiguity_in(number) for number in range(1, 7)} == {0.8}


def test_no_training_stops_and_no_grammar_is_kept_before_the_cost_has_fallen():
    training = begun(CORPUS, HELD_OUT, unambiguity=1.0, unambiguity_iterations=4, patience=1)
    likelihoods = iter([-1.0, -3.0, -2.0, -4.0, -9.0, -8.0, -8.5])
    training.e_step.log_likelihood = lambda views: next(likelihoods)
    while not training.finished:
        training.run_round()
    assert training.round == 7
    assert (training.best_round, training.best_dev) == (6, -8.0)


# ---------------------------------------------------------------- starts


@pytest.mark.parametrize("cost", [{}, {"unambiguity": 1.0, "unambiguity_iterations": 6}], ids=["plain", "unambiguous"])
def test_of_several_random_starts_the_one_with_the_best_bound_goes_on(cost):
    several = settings(random_starts=4, start_iterations=5, seed=3, **cost)
    learner = InterpolatedLearner(several, CORPUS)
    learner.begin(Start("random"), CORPUS)
    ends = []
    for number in range(4):
        seed = int(np.random.SeedSequence([3, number]).generate_state(1)[0])
        one = cost | ({"unambiguity_iterations": 0} if cost else {})  # all begin with the cost of the first iteration
        rounds, found = trained(seed=seed, iterations=5, **one)
        ends.append((rounds[-1].objective, found))
    assert len({round(bound, 6) for bound, _ in ends}) > 1
    assert same_table(learner.table, max(ends, key=lambda end: end[0])[1].table)


def test_other_starts_are_tried_once():
    learner = InterpolatedLearner(settings(random_starts=4, init=("harmonic",)), CORPUS)
    learner.begin(Start("harmonic"), CORPUS)
    assert learner.origins is None
    chains = Start("trees", np.concatenate([np.arange(n) for n in CORPUS.lengths]))
    learner.begin(chains, CORPUS)
    assert trees_of(learner.table, CORPUS).tolist() == chains.heads.tolist()


def test_rules_that_most_dependencies_should_match_hold_in_the_starts_too(rules):
    values = {"rules": rules, "random_starts": 2, "start_iterations": 3, "iterations": 4}
    run = Run(configure({"model": "e-dmv", "unambiguity": 0.5, "unambiguity_iterations": 2} | values), CORPUS)
    assert run.go()[1]
    assert all(line["matched"][0] > 0.79 for line in run.history)


# ---------------------------------------------------------------- among other models, and on disk


def test_it_is_a_rung_like_any_other():
    run = Run(configure({"model": "sibling", "ladder": ("e-dmv",), "members": 2, "epochs": 1, "size": 4}), CORPUS)
    assert [rung.settings.model for rung in run.rungs] == ["e-dmv", "e-dmv", "sibling"]
    above = Run(configure({"model": "e-dmv", "ladder": ("dmv",), "iterations": 2, "init": ("harmonic",)}), CORPUS)
    model, finished = above.go()
    assert finished and model.history["rounds"][-1]["model"] == "e-dmv"


KEPT = {
    "model": "e-dmv", "random_starts": 2, "start_iterations": 3, "iterations": 6, "unambiguity": 1.0,
    "unambiguity_iterations": 2, "non_heads": ("D",), "patience": 9,
}  # fmt: skip
KILLED = {
    "in the start": [("start", 0)],
    "while the cost falls": [("round", 2)],
    "again and again": [("start", 0), ("round", 1), ("round", 3), ("round", 6)],
}


def kept_run(directory: Path | None) -> Run:
    return Run(configure(KEPT), CORPUS, HELD_OUT, directory)


@pytest.mark.parametrize("stop_at", [1, 2, 5])
def test_a_stopped_training_goes_on_to_the_same_model(stop_at, tmp_path):
    require_the_same_after_a_stop(tmp_path, kept_run, stop_at)


@pytest.mark.slow
def test_a_killed_training_ends_as_if_it_was_not(tmp_path):
    kept_run(tmp_path / "whole").go()
    killed_runs(tmp_path, kept_run, KILLED)
    for when in KILLED:
        assert not (tmp_path / when / INNER).exists()
        require_finish(kept_run(tmp_path / when))
        assert model_files(tmp_path / when) == model_files(tmp_path / "whole"), when


@pytest.mark.slow
def test_the_command_line_trains_inspects_and_reports_it(tmp_path, capsys):
    train, out = demo_part(tmp_path / "train.conllu", count=60), tmp_path / "run"
    options = ["--model", "e-dmv", "--iterations", 4, "--unambiguity", 1, "--train", train]
    options += ["--set", "random_starts=2", "start_iterations=2", "unambiguity_iterations=2"]
    assert depinduce("train", *options, "--seeds", "0-1", "--out", out) == 0
    assert depinduce("train", *options, "--seeds", "0-1", "--out", out, "--resume") == 0
    assert len((out / "seed-1" / METRICS).read_text("utf-8").splitlines()) == 4
    capsys.readouterr()
    assert depinduce("inspect", out) == 0
    told = capsys.readouterr().out
    assert "as e-dmv, by 4 iterations of variational inference, start: random" in told
    assert "has a child on its left" in told
    assert depinduce("report", out, "--gold", train, "-o", tmp_path / "report.html") == 0
    parsed = tmp_path / "parsed.conllu"
    assert depinduce("parse", out, train, "-o", parsed) == 0
    assert load_model(out).history["model"] == "e-dmv"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"smoothing": 0.0}, "--smoothing must be at least 1e-06, not 0.0."),
        ({"head_prior": 0.0}, "--head-prior must be at least 1e-06, not 0.0."),
        ({"back_off_prior": -1.0}, "--back-off-prior must be at least 0, not -1.0."),
        ({"random_starts": 0}, "--random-starts must be at least 1, not 0."),
        ({"child_valence": False}, "child_valence=false: in e-dmv a child depends on the valence."),
        ({"unambiguity": 1.5}, "unambiguity cannot be 1.5: it is a weight, from 0 to 1."),
        ({"unambiguity": 0.5, "em": "hard"}, "--em hard leaves one tree to a sentence: it cannot have --unambiguity."),
        ({"unambiguity": 1.0, "rules": "ud", "iterations": 200}, "they need an --unambiguity below 1."),
        ({"unambiguity": 0.5, "iterations": 100}, "--unambiguity falls for 100 iterations"),
    ],
)
def test_settings_that_make_no_sense_are_refused(values, message):
    with pytest.raises(DepinduceError, match=message.replace("(", r"\(").replace(".", r"\.")):
        configure({"model": "e-dmv"} | values)


def test_dmv_can_be_unambiguous_too():
    sentences = tagged(*random_sentences(5, count=20))
    values = {"model": "dmv", "iterations": 12}
    sharp = {"unambiguity": 1.0, "unambiguity_iterations": 4}
    plain, changed = (Run(configure(values | more), sentences).go()[0].table for more in ({}, sharp))
    assert not same_table(plain, changed)
    assert same_table(Run(configure(values | {"unambiguity_iterations": 4}), sentences).go()[0].table, plain)
    assert replace(configure(values).learning, **sharp).falling_rounds == 4
