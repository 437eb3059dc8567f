"""HDP-DEP: variational inference against a slow one, its bound, planted grammars, interruption, and models on disk."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from chart.state_enumeration import enumerate_states
from learning.tagged import random_sentences, tagged, tree_above
from models.worded import random_words, worded
from torch.distributions import Dirichlet, kl_divergence

from depinduce.chart.states import VALENCES, StateBatch, StateRules, state_expectations
from depinduce.corpus import Corpus, Reading
from depinduce.errors import DepinduceError
from depinduce.evaluation.trees import find_cycle, projective_sentences
from depinduce.grammar.knowledge import load_knowledge
from depinduce.grammar.rules import LEFT, RIGHT
from depinduce.learning import posterior_constraint
from depinduce.learning.expect import EStep
from depinduce.learning.learners import variational
from depinduce.learning.learners.learner import Start
from depinduce.learning.learners.variational import Beliefs, VariationalLearner, distinct, refinement_of
from depinduce.learning.run import Progress, Run
from depinduce.learning.settings.configuration import Configuration, configure
from depinduce.learning.settings.states import HdpSettings
from depinduce.learning.training import Training
from depinduce.models.loading import load_grammar, load_model
from depinduce.models.places import NUMBERS
from depinduce.models.state_model import HdpModel
from depinduce.parsing.decoding import Parsing, parse_corpus, parse_trees

pytestmark = pytest.mark.filterwarnings("error")
SHORT = tagged("N V", "D N V", "V N", "N", "D N V N", "V D N", "N V", "D A N")  # few enough trees to list them
CORPUS = tagged(*random_sentences(3, count=30))
HELD_OUT = tagged(*random_sentences(103), vocabulary=CORPUS.tag_vocabulary)
WORDS = worded(*random_words(3, count=30))


def settings(**values) -> HdpSettings:
    return HdpSettings(**{"model": "hdp-dep", "iterations": 12} | values)


def run(corpus: Corpus = CORPUS, held_out: Corpus | None = None, directory: Path | None = None, **values) -> Run:
    return Run(Configuration(settings(**values), None, Reading()), corpus, held_out, directory)


def trained(corpus: Corpus = CORPUS, held_out: Corpus | None = None, **values) -> HdpModel:
    model, finished = run(corpus, held_out, **values).go()
    assert finished
    return model


def interrupted(
    at: int, corpus: Corpus = CORPUS, held_out: Corpus | None = None, directory: Path | None = None, **values
) -> HdpModel:
    """A training that Ctrl-C ended when an iteration was reported."""

    def interrupt(progress: Progress) -> None:
        if progress.done == at:
            raise KeyboardInterrupt

    model, finished = run(corpus, held_out, directory, **values).go(interrupt)
    assert not finished
    return model


def begun(prior: HdpSettings, corpus: Corpus) -> VariationalLearner:
    """A learner with the beliefs of its start."""
    made = Run(Configuration(prior, None, Reading()), corpus)
    learner = VariationalLearner(prior, corpus)
    learner.begin(Start(prior.init[0], made.start_trees(prior.init) if prior.needs_trees() else None), corpus)
    return learner


def beginning(corpus: Corpus, **values) -> HdpModel:
    """The model of the start, before any iteration."""
    learner = begun(settings(**values), corpus)
    return learner.model({"non_heads": learner.settings.constrained_tags}, best=False)


def expected_now(learner: VariationalLearner, corpus: Corpus) -> tuple[StateRules, float]:
    """The counts of an E-step on all sentences, and their log-likelihood."""
    views = [learner.view(learner.sentences(corpus, "training").all())]
    (counts,), total = EStep([learner], hard=False, constraint=None, threads=1).counts(views)
    return counts, total


def bounds(model: HdpModel) -> np.ndarray:
    return np.array([one["objective"] for one in model.history["rounds"]])


def all_may_head(corpus: Corpus) -> np.ndarray:
    return np.ones(len(corpus.tags), dtype=bool)


# ---------------------------------------------------------------- slow variational inference


def dirichlets(counts: StateRules, shares: np.ndarray, model: HdpModel | VariationalLearner, prior: HdpSettings):
    """Every Dirichlet of the model: the rules it is about, what it was before the counts, and what it is with them."""
    symbols, states = shares.shape
    contexts = [("root", ())]
    contexts += [("child", place) for place in np.ndindex(2, symbols, states, VALENCES)]
    for part, place in contexts:
        generated = getattr(counts, part)[place]  # [symbol, state]
        rules = [(part, (*place, symbol)) for symbol in range(symbols)]
        yield rules, np.full(symbols, prior.child_prior), prior.child_prior + generated.sum(axis=1)
        for symbol in range(symbols):
            rules = [(part, (*place, symbol, state)) for state in range(states)]
            before = prior.concentration * shares[symbol]
            yield rules, before, before + generated[symbol]
    for place in np.ndindex(2, symbols, states, VALENCES):
        rules = [("decision", (*place, choice)) for choice in range(2)]
        yield rules, np.full(2, prior.decision_prior), prior.decision_prior + counts.decision[place]
    for symbol in range(symbols):
        items = [number for number, (owner, _) in enumerate(model.refinement.items) if owner == symbol]
        for state in range(states):
            rules = [("emission", (item, state)) for item in items]
            found = np.array([counts.emission[item, state] for item in items])
            yield rules, np.full(len(items), prior.emission_prior), prior.emission_prior + found


def slow_rules(
    counts: StateRules, shares: np.ndarray, model: HdpModel | VariationalLearner, prior: HdpSettings
) -> StateRules:
    """E log p of every rule: ψ(a) - ψ(Σ a) of every Dirichlet that it needs."""
    log = StateRules(*(np.zeros(part.shape) for part in counts))
    for rules, _, after in dirichlets(counts, shares, model, prior):
        for (part, place), own in zip(rules, after, strict=True):
            getattr(log, part)[place] += float(
                torch.digamma(torch.tensor(own)) - torch.digamma(torch.tensor(after.sum()))
            )
    return log


def slow_divergence(
    counts: StateRules, shares: np.ndarray, model: HdpModel | VariationalLearner, prior: HdpSettings
) -> float:
    """Of all Dirichlets with the counts from those without."""
    return sum(
        float(kl_divergence(Dirichlet(torch.tensor(after)), Dirichlet(torch.tensor(before))))
        for _, before, after in dirichlets(counts, shares, model, prior)
        if len(before) > 1
    )


@pytest.mark.parametrize(
    ("corpus", "values"),
    [
        (SHORT, {}),
        (SHORT, {"child_prior": 0.7, "decision_prior": 0.4, "non_heads": ("D",)}),
        (worded("a/N b/V", "c/D a/N b/V", "b/V c/N", "a/N", "c/N b/V", "c/D a/N"), {"emit": "words"}),
    ],
    ids=["plain", "other priors", "words"],
)
def test_one_subsymbol_is_a_variational_dmv(corpus, values):
    prior = settings(subsymbols=1, **values)
    model = trained(corpus, subsymbols=1, iterations=4, **values)
    forbidden = np.isin(np.array(corpus.tag_vocabulary.symbols), prior.non_heads)
    batch = model.refinement.batch(corpus, ~forbidden[corpus.tags])
    counts, shares = beginning(corpus, subsymbols=1, **values).counts, np.ones((len(model.refinement.symbols), 1))
    expected = []
    for _ in range(4):
        exact = enumerate_states(slow_rules(counts, shares, model, prior), batch)
        expected.append(exact.log_z.sum() - slow_divergence(counts, shares, model, prior))
        counts = exact.counts
    assert bounds(model) == pytest.approx(expected, rel=1e-10)
    for name, part in model.counts._asdict().items():
        np.testing.assert_allclose(part, getattr(counts, name), rtol=1e-8, atol=1e-8, err_msg=name)
    for name, part in model.rules._asdict().items():
        slow = getattr(slow_rules(counts, shares, model, prior), name)
        np.testing.assert_allclose(part, slow, rtol=1e-8, atol=1e-8, err_msg=name)


@pytest.mark.parametrize("top_concentration", [1.0, 2.5])
def test_the_bound_with_hidden_states_is_that_of_a_slow_computation(top_concentration):
    corpus = worded("a/N b/V", "c/D a/N b/V", "a/N", "c/N b/V", "b/V c/D a/N")
    prior = settings(subsymbols=3, emit="words", top_concentration=top_concentration, concentration=4.0)
    learner = begun(prior, corpus)
    shares = np.random.default_rng(1).dirichlet(np.ones(3), size=3)
    counts = learner.now.counts
    learner.now = learner.beliefs(counts, shares)
    _, total = expected_now(learner, corpus)
    bound = total + learner.beside_likelihood()
    batch = learner.sentences(corpus, "training").all()
    exact = enumerate_states(slow_rules(counts, shares, learner, prior), batch)
    likelihood = batch.weights @ exact.log_z
    sticks = 0.0
    for first, second, third in shares:
        sticks += (top_concentration - 1) * (math.log(1 - first) + math.log(third / (second + third)))
    assert total == pytest.approx(likelihood)
    assert bound == pytest.approx(likelihood - slow_divergence(counts, shares, learner, prior) + sticks, rel=1e-10)


def test_where_there_is_one_tree_the_bound_is_the_evidence():
    corpus = tagged("N", "N", "V", "N")
    model = trained(corpus, subsymbols=1, child_prior=0.1, decision_prior=1.0, iterations=3)

    def dirichlet_multinomial(prior: list[float], counts: list[int]) -> float:
        total = math.lgamma(sum(prior)) - math.lgamma(sum(prior) + sum(counts))
        return total + sum(math.lgamma(a + n) - math.lgamma(a) for a, n in zip(prior, counts, strict=True))

    roots = dirichlet_multinomial([0.1, 0.1], [3, 1])
    stops = 2 * (dirichlet_multinomial([1, 1], [3, 0]) + dirichlet_multinomial([1, 1], [1, 0]))  # left and right
    assert bounds(model)[1:] == pytest.approx([roots + stops] * 2, rel=1e-10)


@pytest.mark.parametrize("top_concentration", [1.0, 4.0])
def test_shares_go_where_the_bound_is_highest(top_concentration):
    prior = settings(subsymbols=2, top_concentration=top_concentration, concentration=3.0)
    learner = begun(prior, SHORT)
    view = learner.view(learner.sentences(SHORT, "training").all())
    counts, noun = learner.now.counts, SHORT.tag_vocabulary.id("N")
    for _ in range(60):  # the counts stay as they are
        learner.learn(view, counts, len(SHORT))
    beliefs = learner.now

    def score(share: float) -> float:
        """The subsymbols of a noun in all contexts, their distributions integrated out, and the stick."""
        before = prior.concentration * np.array([share, 1 - share])
        total = (top_concentration - 1) * math.log(1 - share)
        for n in (counts.root[noun], *counts.child[:, :, :, :, noun].reshape(-1, 2)):
            total += math.lgamma(before.sum()) - math.lgamma(before.sum() + n.sum())
            total += sum(math.lgamma(a + own) - math.lgamma(a) for a, own in zip(before, n, strict=True))
        return total

    grid = np.arange(0.001, 1, 0.001)
    best = grid[np.argmax([score(share) for share in grid])]
    assert beliefs.shares[noun, 0] == pytest.approx(best, abs=0.002)
    assert beliefs.shares.sum(axis=1) == pytest.approx(np.ones(4))


# ---------------------------------------------------------------- the bound


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"emit": "words"},
        {"top_concentration": 5.0},
        {"concentration": 0.5},
        {"subsymbols": 2, "child_prior": 1.5, "decision_prior": 0.3, "emission_prior": 2.0, "emit": "words"},
        {"init": ("random",)},
        {"non_heads": ("D",)},
    ],
    ids=lambda values: " ".join(map(str, values)) or "default",
)
@pytest.mark.parametrize("seed", range(3))
def test_the_bound_never_falls(values, seed):
    found = bounds(trained(WORDS, seed=seed, iterations=20, **values))
    assert np.all(np.diff(found) >= -1e-7 * np.abs(found[:-1]))
    assert found[-1] > found[0] + 1


CATEGORIES = '[categories]\nModifier = ["D", "A"]\n[either]\nRoot = ["V"]\nV = ["N"]\nN = ["Modifier"]\n'


def test_rules_about_the_tags_of_a_category_need_tags_as_symbols(rules):
    with pytest.raises(DepinduceError, match="has a rule about A, which is a tag of the category Modifier"):
        trained(WORDS, symbols="categories", rules=rules)


@pytest.mark.parametrize("emit", ["tags", "words"])
def test_the_bound_never_falls_where_categories_are_refined(emit, tmp_path):
    rules = str(tmp_path / "categories.toml")
    (tmp_path / "categories.toml").write_text(CATEGORIES, "utf-8")
    prior = settings(symbols="categories", rules=rules, emit=emit)
    learner = VariationalLearner(prior, WORDS)
    assert sorted(learner.refinement.symbols) == ["Modifier", "N", "V"]
    learner.constraint = None  # the rules tell the categories only
    training = Training(prior, [learner], WORDS)
    training.begin()
    found = [training.run_round().objective for _ in range(20)]
    assert np.all(np.diff(found) >= -1e-7 * np.abs(found[:-1]))
    assert found[-1] > found[0] + 1


# ---------------------------------------------------------------- with rules


def share_of_matches(model: HdpModel, rules: str) -> float:
    """Of the dependencies that the model was made from, found anew."""
    knowledge, symbols, matched = load_knowledge(rules), model.refinement.symbols, 0.0
    matches = knowledge.matches(symbols)
    for symbol in range(len(symbols)):
        matched += matches.root[symbol] * model.counts.root[symbol].sum()
        for direction in (LEFT, RIGHT):
            for child in range(len(symbols)):
                matched += (
                    matches.arc[direction, symbol, child] * model.counts.child[direction, symbol, :, :, child].sum()
                )
    return matched / model.counts.emission.sum()


@pytest.mark.parametrize("subsymbols", [1, 3])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_rules_are_matched_as_often_as_they_should(subsymbols, seed, rules):
    values = {"subsymbols": subsymbols, "seed": seed, "iterations": 25}
    model, without = trained(rules=rules, rules_share=0.8, **values), trained(**values)
    (line,) = model.history["rules"]
    assert line["wanted"] == 0.8
    assert line["found"] == pytest.approx(share_of_matches(model, rules), abs=1e-4)
    assert share_of_matches(model, rules) == pytest.approx(0.8, abs=0.01)
    assert line["dual"] > 0
    assert share_of_matches(without, rules) < 0.7
    assert "rules" not in without.history


@pytest.mark.parametrize("seed", [0, 1])
def test_with_the_constraint_met_exactly_the_bound_never_falls(seed, rules, monkeypatch):
    monkeypatch.setattr(posterior_constraint, "TOLERANCE", 1e-9)
    monkeypatch.setattr(posterior_constraint, "MOST_PASSES", 200)
    found = bounds(trained(rules=rules, rules_share=0.8, seed=seed, iterations=15))
    assert np.all(np.diff(found) >= -1e-6 * np.abs(found[:-1]))
    assert found[-1] > found[0] + 1


def test_repeated_sentences_are_as_many_dependencies_as_they_are(rules):
    doubled = tagged(*random_sentences(3, count=30), *random_sentences(3, count=30))
    model = trained(doubled, rules=rules, rules_share=0.8, iterations=20)
    assert share_of_matches(model, rules) == pytest.approx(0.8, abs=0.01)


def test_categories_match_as_their_rules_say(tmp_path):
    path = tmp_path / "rules.toml"
    path.write_text('share = 0.55\n[categories]\nM = ["D", "A"]\n[either]\nRoot = ["V"]\nV = ["N", "M"]\nN = ["M"]\n')
    model = trained(rules=str(path), symbols="categories", iterations=25)
    assert sorted(model.refinement.symbols) == ["M", "N", "V"]
    assert sorted(tag for symbol, tag in model.refinement.items if model.refinement.symbols[symbol] == "M") == [
        "A",
        "D",
    ]
    (line,) = model.history["rules"]
    assert (line["wanted"], line["found"]) == (0.55, pytest.approx(share_of_matches(model, str(path)), abs=1e-4))
    assert line["found"] > 0.54


# ---------------------------------------------------------------- planted grammars

CHILDREN = {"V": ("N", "PN"), "N": ("D", "P"), "P": ("", "N"), "D": ("", "")}  # left, right
GO = {"V": (1.0, 0.7), "N": (0.7, 0.2), "P": (0, 1.0), "D": (0, 0)}  # one child at the most
PLANTED = '[either]\nRoot = ["V"]\nV = ["N", "P"]\nN = ["D", "P"]\nP = ["N"]\n'


def grow(tag: str, rng: np.random.Generator) -> tuple[list[str], list[int]]:
    """The tags and heads of a tree that the planted grammar generates below `tag`."""
    left, right = (
        [grow(str(rng.choice(list(children))), rng)] if rng.random() < go else []
        for children, go in zip(CHILDREN[tag], GO[tag], strict=True)
    )
    return tree_above(left, tag, right)


def planted_trees() -> tuple[Corpus, np.ndarray]:
    rng = np.random.default_rng(0)
    trees = [(tags, heads) for tags, heads in (grow("V", rng) for _ in range(200)) if len(tags) <= 9]
    return tagged(*(" ".join(tags) for tags, _ in trees)), np.concatenate([heads for _, heads in trees])


@pytest.mark.slow
@pytest.mark.parametrize("subsymbols", [1, 2, 3])
@pytest.mark.parametrize("with_rules", [False, True])
def test_a_planted_grammar_is_recovered(subsymbols, with_rules, tmp_path):
    corpus, gold = planted_trees()
    path = tmp_path / "planted.toml"
    path.write_text(PLANTED, "utf-8")
    for seed in range(1 if subsymbols == 1 else 3):
        values = {
            "subsymbols": subsymbols,
            "seed": seed,
            "rules": str(path) if with_rules else None,
            "child_prior": 0.1,
        }
        model = trained(corpus, iterations=30, **values)
        assert np.mean(parse_corpus(model, corpus, Parsing()) == gold) > 0.95
    start = beginning(corpus, init=("uniform",))
    assert np.mean(parse_corpus(start, corpus, Parsing()) == gold) < 0.8


def nouns(hidden_kinds: bool) -> Corpus:
    """Animals eat food; or, without hidden kinds, anything eats anything."""
    rng, animals, food = np.random.default_rng(0), ["dog", "cat", "cow", "hen"], ["hay", "oats", "corn", "milk"]
    sentences = []
    for _ in range(60):
        subject = rng.choice(animals if hidden_kinds else animals + food)
        thing = rng.choice(food if hidden_kinds else animals + food)
        article = "the/D " if rng.random() < 0.5 else ""
        sentences.append(f"{article}{subject}/N {rng.choice(['eats', 'likes'])}/V {thing}/N")
    return worded(*sentences)


def test_two_hidden_kinds_of_a_tag_are_found_and_worth_their_price():
    one, two = (trained(nouns(True), subsymbols=number, emit="words", iterations=40) for number in (1, 2))
    assert bounds(two)[-1] > bounds(one)[-1] + 20
    noun = two.refinement.symbols.id("N")
    kind = {
        word: two.counts.emission[item] for item, (symbol, word) in enumerate(two.refinement.items) if symbol == noun
    }
    animals, food = (sum(kind[word] for word in words.split()) for words in ("dog cat cow hen", "hay oats corn milk"))
    assert {int(animals.argmax()), int(food.argmax())} == {0, 1}
    assert animals.max() > 0.95 * animals.sum() and food.max() > 0.95 * food.sum()


def test_where_there_are_no_hidden_kinds_they_are_not_worth_their_price():
    one, two = (trained(nouns(False), subsymbols=number, emit="words", iterations=40) for number in (1, 2))
    assert bounds(two)[-1] < bounds(one)[-1] + 1


# ---------------------------------------------------------------- starts


def test_the_seed_tells_subsymbols_apart_and_nothing_else():
    one, other = (trained(seed=seed, subsymbols=1) for seed in (0, 1))
    assert np.array_equal(one.counts.child, other.counts.child)
    one, same, other = (trained(seed=seed, subsymbols=2) for seed in (0, 0, 1))
    assert np.array_equal(one.counts.child, same.counts.child)
    assert not np.allclose(one.counts.child, other.counts.child)


def test_a_start_from_trees_begins_there(tmp_path):
    corpus, gold = planted_trees()
    counts, _ = Run(plain(iterations=30), corpus).go()
    counts.save(tmp_path / "dmv")
    starts = {"dmv": ("model", str(tmp_path / "dmv")), "harmonic": ("harmonic",)}
    starts = {name: beginning(corpus, init=init) for name, init in starts.items()}
    right = {name: np.mean(parse_corpus(model, corpus, Parsing()) == gold) for name, model in starts.items()}
    assert right["dmv"] > 0.95 > right["harmonic"]


def test_threads_learn_what_one_does():
    one, two = (trained(threads=threads, iterations=5) for threads in (1, 2))
    assert bounds(two) == pytest.approx(bounds(one), rel=1e-10)
    assert two.counts.child == pytest.approx(one.counts.child, abs=1e-8)


# ---------------------------------------------------------------- interruption


def same_model(one: HdpModel, other: HdpModel) -> bool:
    """Bit by bit."""
    parts = [
        (one.shares, other.shares),
        *zip(one.counts, other.counts, strict=True),
        *zip(one.rules, other.rules, strict=True),
    ]
    return all(a.tobytes() == b.tobytes() for a, b in parts)


def resumed(directory: Path, corpus: Corpus = CORPUS, held_out: Corpus | None = None, **values) -> HdpModel:
    again = run(corpus, held_out, directory, **values)
    again.resume()
    model, finished = again.go()
    assert finished
    return model


@pytest.mark.parametrize("held_out", [None, HELD_OUT], ids=["alone", "held-out"])
@pytest.mark.parametrize("stop_at", [1, 4])
def test_resuming_gives_the_bit_identical_model(held_out, stop_at, tmp_path):
    values = {"iterations": 8, "non_heads": ("D",)}
    whole = trained(held_out=held_out, **values)
    partial = interrupted(stop_at, held_out=held_out, directory=tmp_path / "run", **values)
    assert same_model(load_model(tmp_path / "run"), partial)
    assert not same_model(partial, whole)
    again = resumed(tmp_path / "run", held_out=held_out, **values)
    assert same_model(again, whole)
    assert again.history == whole.history


def test_resuming_with_rules_gives_the_bit_identical_model(rules, tmp_path):
    values = {"iterations": 8, "rules": rules, "rules_share": 0.8}
    whole = trained(**values)
    interrupted(4, directory=tmp_path / "run", **values)
    again = resumed(tmp_path / "run", **values)
    assert again.history["rules"] == whole.history["rules"]
    assert same_model(again, whole)


def test_more_iterations_go_on_where_the_first_ended(tmp_path):
    run(directory=tmp_path / "run", iterations=3).go()
    assert same_model(resumed(tmp_path / "run", iterations=8), trained(iterations=8))


def plain(**values) -> Configuration:
    """Of a count model."""
    return configure({"model": "dmv", "max_length": None} | values)


def test_resuming_with_other_settings_sentences_or_models_is_refused(tmp_path):
    run(directory=tmp_path / "run", iterations=2).go()
    for changed, corpus, message in (
        ({"subsymbols": 2}, CORPUS, "subsymbols was 3, is 2"),
        ({"concentration": 1.0}, CORPUS, "concentration was 10.0, is 1.0"),
        ({"rules": "ud"}, CORPUS, "rules was None, is 'ud'"),
        ({}, SHORT, "training sentences differ"),
    ):
        with pytest.raises(DepinduceError, match=message):
            run(corpus, directory=tmp_path / "run", iterations=4, **changed).resume()
    with pytest.raises(DepinduceError, match="model was 'hdp-dep', is 'dmv'"):
        Run(plain(iterations=4), CORPUS, directory=tmp_path / "run").resume()
    Run(plain(iterations=2), CORPUS, directory=tmp_path / "plain").go()
    with pytest.raises(DepinduceError, match="model was 'dmv', is 'hdp-dep'"):
        run(directory=tmp_path / "plain", iterations=4).resume()


# ---------------------------------------------------------------- models


@pytest.mark.parametrize("values", [{}, {"emit": "words"}, {"non_heads": ("D",)}], ids=["tags", "words", "non-heads"])
def test_a_model_is_the_same_after_a_round_trip(values, tmp_path):
    model = trained(WORDS, iterations=4, **values)
    model.save(tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert isinstance(again, HdpModel)
    assert same_model(again, model)
    assert (again.refinement.items, again.tags, again.words) == (model.refinement.items, model.tags, model.words)
    assert (again.history, again.reading, again.non_heads) == (model.history, model.reading, model.non_heads)
    assert np.array_equal(parse_corpus(again, WORDS, Parsing()), parse_corpus(model, WORDS, Parsing()))


def test_rules_of_another_shape_are_refused(tmp_path):
    model = trained(iterations=2)
    replace(model, rules=model.rules._replace(child=model.rules.child[:, :-1])).save(tmp_path / "model")
    with pytest.raises(DepinduceError, match="the rules are not those of 4 symbols"):
        load_model(tmp_path / "model")
    model.save(tmp_path / "whole")
    numbers = tmp_path / "whole" / NUMBERS
    numbers.write_bytes(numbers.read_bytes()[:-100])
    with pytest.raises(DepinduceError, match="the model cannot be read"):
        load_model(tmp_path / "whole")


def test_words_and_tags_that_head_nothing_have_no_children():
    model = trained(non_heads=("D", "A"), iterations=6)
    sentences = tagged("D N V", "N D V A D N", "A D A D N V", "D A", vocabulary=CORPUS.tag_vocabulary)
    heads = np.split(parse_corpus(model, sentences, Parsing()), sentences.offsets[1:-1])
    tags = [sentence.split() for sentence in ("D N V", "N D V A D N", "A D A D N V", "D A")]
    heading = [{own[head - 1] for head in tree if head} for own, tree in zip(tags, heads, strict=True)]
    assert all(found <= {"N", "V"} for found in heading[:3])
    assert heading[3] <= {"D", "A"}  # nothing else is there


def test_unknown_tags_are_like_an_average_one():
    model = trained(iterations=6)
    sentences = tagged("X", "X N V", "N X X D V", "X X", vocabulary=CORPUS.tag_vocabulary)
    heads = parse_corpus(model, sentences, Parsing())
    assert projective_sentences(heads, sentences.offsets).all()
    for tree in np.split(heads, sentences.offsets[1:-1]):
        assert np.sum(tree == 0) == 1 and find_cycle(tree) is None
    few = tagged("X", "X N", "V X D", vocabulary=CORPUS.tag_vocabulary)
    batch = model.refinement.batch(few, all_may_head(few))
    assert model.problem(few).posteriors().log_z == pytest.approx(
        enumerate_states(with_average_symbol(model.rules), batch).log_z
    )


def with_average_symbol(rules: StateRules) -> StateRules:
    """One more symbol, the mean of all others wherever they stand, and an item of its own that is certain."""
    symbols, states = rules.root.shape
    every = [*range(symbols)]
    root, child = np.zeros((symbols + 1, states)), np.zeros((2, symbols + 1, states, VALENCES, symbols + 1, states))
    decision = np.zeros((2, symbols + 1, states, VALENCES, 2))
    for symbol in range(symbols + 1):
        alike = every if symbol == symbols else [symbol]
        root[symbol] = np.exp(rules.root[alike]).mean(axis=0)
        decision[:, symbol] = np.exp(rules.decision[:, alike]).mean(axis=1)
        for other in range(symbols + 1):
            children = every if other == symbols else [other]
            child[:, symbol, :, :, other] = np.exp(rules.child[:, alike][..., children, :]).mean(axis=(1, 4))
    emission = np.concatenate([rules.emission, np.zeros((1, states))])
    return StateRules(np.log(root), np.log(child), np.log(decision), emission)


def test_unknown_and_rare_words_are_one():
    corpus = worded(*(["the/D dog/N barks/V", "a/D cat/N sleeps/V"] * 3), "the/D lynx/N barks/V")
    model = trained(corpus, emit="words", iterations=6)

    def likelihood(sentence: str) -> float:
        parsed = worded(sentence, tags=model.tags, words=model.words)
        return float(model.problem(parsed).posteriors().log_z[0])

    assert likelihood("the/D yak/N barks/V") == likelihood("the/D lynx/N barks/V")  # seen once
    assert likelihood("the/D yak/N barks/V") < likelihood("the/D dog/N barks/V") - 0.5
    assert likelihood("the/D barks/N barks/V") == likelihood("the/D yak/N barks/V")  # never as a noun
    assert np.isfinite(likelihood("the/X yak/X barks/V"))


def test_posteriors_beside_parses_are_those_of_the_chart():
    model = trained(iterations=6)
    parses = parse_trees(model, CORPUS, Parsing(posteriors=True, raw_posteriors=True))
    (heads,), (found,) = parses.heads, parses.posteriors
    expected = model.problem(CORPUS).posteriors()
    arc_offsets = np.concatenate([[0], np.cumsum(CORPUS.lengths**2)])
    for sentence, length in enumerate(CORPUS.lengths):
        for child in range(length):
            token = CORPUS.offsets[sentence] + child
            place = arc_offsets[sentence] + (heads[token] - 1) * length + child
            assert found[token] == (expected.arc[place] if heads[token] else expected.root[token])
    assert 0 < found.min() < found.max() <= 1 + 1e-9


def test_the_likelihood_beside_parses_is_that_of_the_chart_and_single_trees_are_refused():
    model = trained(iterations=6)
    parses = parse_trees(model, CORPUS, Parsing(log_likelihood=True))
    assert parses.log_z.tolist() == model.problem(CORPUS).posteriors().log_z.tolist()
    assert parses.log_probability is None
    for option, parsing in (("--k-best", Parsing(k_best=2)), ("--samples", Parsing(samples=2))):
        with pytest.raises(
            DepinduceError, match=f"{option}: this model has hidden states, and its chart sums over all"
        ):
            parse_trees(model, CORPUS, parsing)


def test_the_view_without_hidden_states_is_a_grammar_of_the_same_counts(tmp_path):
    model = trained(iterations=8)
    model.save(tmp_path / "model")
    grammar = load_grammar(tmp_path / "model")
    assert grammar.tags == model.refinement.symbols
    for part in (grammar.table.root, grammar.table.child, grammar.table.decision):
        assert np.exp(part).sum(axis=-1) == pytest.approx(np.ones(part.shape[:-1]))
    smoothed = model.counts.root.sum(axis=1) + 0.1
    assert np.exp(grammar.table.root) == pytest.approx(smoothed / smoothed.sum())
    verb = model.refinement.symbols.id("V")
    children = model.counts.child[RIGHT, verb, :, 1:].sum(axis=(0, 1, 3)) + 0.1  # after one child or more
    found = grammar.table.child.reshape(2, 4, 2, 4)[RIGHT, verb, 1]
    assert np.exp(found) == pytest.approx(children / children.sum())


# ---------------------------------------------------------------- repeated sentences


def test_every_sentence_once_with_its_number_is_the_same_as_all():
    corpus = worded("a/N b/V", "c/D a/N b/V", "a/N b/V", "b/N b/V", "a/N b/V", "c/D a/N b/V")
    refinement = refinement_of(settings(emit="words"), corpus, None)
    batch = refinement.batch(corpus, all_may_head(corpus))
    once = distinct(batch)
    assert once.weights.tolist() == [3, 2, 1]
    draw, context = np.random.default_rng(0).normal, (2, 3, 2, VALENCES)
    shapes = (3, 2), (*context, 3, 2), (*context, 2), (len(refinement.items), 2)
    rules = StateRules(*(draw(size=shape) for shape in shapes))
    whole, short = state_expectations(rules, batch), state_expectations(rules, once)
    assert once.weights @ short.log_z == pytest.approx(whole.log_z.sum())
    for part, expected in zip(short.counts, whole.counts, strict=True):
        np.testing.assert_allclose(part, expected, rtol=1e-12, atol=1e-12)


def test_sentences_that_differ_in_who_may_head_are_not_the_same():
    words = np.array([0, 1, 0, 1, 0, 1])
    may_head = np.array([True, True, True, False, True, True])
    batch = StateBatch(np.array([0, 2, 4, 6]), words, words, may_head, np.array([1.0, 1.0, 2.0]))
    assert distinct(batch).weights.tolist() == [3, 1]
    assert distinct(batch).may_head.tolist() == [True, True, True, False]


def test_training_on_every_sentence_once_is_training_on_all(monkeypatch):
    corpus = tagged(*random_sentences(3, count=10), *random_sentences(3, count=10), "N V", "N V")
    counted = trained(corpus, iterations=6)
    monkeypatch.setattr(variational, "distinct", lambda batch: batch)
    one_by_one = trained(corpus, iterations=6)
    assert bounds(counted) == pytest.approx(bounds(one_by_one), rel=1e-10)
    train = [[one["train"] for one in model.history["rounds"]] for model in (counted, one_by_one)]
    assert train[0] == pytest.approx(train[1])
    assert counted.counts.child == pytest.approx(one_by_one.counts.child, abs=1e-8)


# ---------------------------------------------------------------- settings


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"subsymbols": 0}, "--subsymbols must be at least 1, not 0."),
        ({"iterations": 0}, "--iterations must be at least"),
        ({"emit": "letters"}, "--emit cannot be 'letters'. Choose from: tags, words."),
        ({"symbols": "words"}, "--symbols cannot be 'words'. Choose from: tags, categories."),
        ({"symbols": "categories"}, "symbols=categories: the categories are those of --rules. Name a rule set."),
        ({"concentration": 0.0}, "--concentration must be at least 1e-06, not 0.0."),
        ({"child_prior": -1.0}, "--child-prior must be at least 1e-06, not -1.0."),
        ({"decision_prior": float("nan")}, "--decision-prior must be at least 1e-06, not nan."),
        ({"emission_prior": float("inf")}, "--emission-prior can be at most 1000000000, not inf."),
        ({"rules_share": 0.5}, "rules_share: of which rules?"),
    ],
)
def test_impossible_settings_are_refused(wrong, message):
    with pytest.raises(DepinduceError) as refusal:
        settings(**wrong)
    assert message in str(refusal.value)


def test_other_models_have_no_settings_of_hidden_states():
    with pytest.raises(DepinduceError, match="there is no setting 'subsymbols' for the model dmv"):
        plain(subsymbols=3)
    assert isinstance(configure({"model": "hdp-dep", "subsymbols": 2}).learning, HdpSettings)


def test_beliefs_are_about_the_counts_they_were_made_of():
    learner = begun(settings(), CORPUS)
    counts, _ = expected_now(learner, CORPUS)
    learner.learn(learner.view(learner.sentences(CORPUS, "training").all()), counts, len(CORPUS))
    found = learner.now
    assert isinstance(found, Beliefs)
    assert found.counts is counts
    assert found.counts.root.sum() == pytest.approx(len(CORPUS))
    assert found.counts.emission.sum() == pytest.approx(len(CORPUS.tags))
    assert found.counts.child.sum() == pytest.approx(len(CORPUS.tags) - len(CORPUS))
