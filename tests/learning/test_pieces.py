"""A corpus in pieces, with equal sentences counted once, gives the counts of the whole, sentence by sentence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from learning.tagged import random_sentences, random_table, tagged
from learning.trainings import count_training, rounds_of, table_now

from depinduce.chart.engine import expectations
from depinduce.corpus.known_heads import KnownHeads
from depinduce.grammar.rules import Order
from depinduce.grammar.trees import tree_counts
from depinduce.learning import pieces
from depinduce.learning.minibatches import Minibatches
from depinduce.learning.pieces import Pieces
from depinduce.learning.run import Run
from depinduce.learning.settings.configuration import configure
from depinduce.learning.team import Team

every_order = pytest.mark.parametrize("order", list(Order))
FEW = random_sentences(5, count=6, longest=5)
CORPUS = tagged(*random_sentences(6, count=10), *np.random.default_rng(1).choice(FEW, size=40))  # each several times
HELD_OUT = tagged(*random_sentences(7, count=10), vocabulary=CORPUS.tag_vocabulary)
TAGS = len(CORPUS.tag_vocabulary)
KNOWN = KnownHeads.of(np.where(np.arange(len(CORPUS.tags)) == CORPUS.offsets[12], 0, -1), [()] * len(CORPUS.tags))
FOUR = Team(), Team(), Team(), Team()
for rank, member in enumerate(FOUR):
    member.rank, member.size = rank, 4  # of which each has its share


@every_order
@pytest.mark.parametrize("space", ["auto", "log"])
def test_a_sentence_that_counts_three_times_counts_as_three_sentences(order, space):
    table, sentences = random_table(order, TAGS, seed=2), Minibatches(order, CORPUS)
    weights = np.random.default_rng(3).integers(1, 4, len(CORPUS)).astype(float)
    data, _ = sentences.take(np.arange(len(CORPUS)), weights)
    again, _ = sentences.take(np.repeat(np.arange(len(CORPUS)), weights.astype(int)))
    weighted, one_by_one = (expectations(table, own.batch, space=space, positions=True) for own in (data, again))
    for found, expected in zip(weighted.counts.parts, one_by_one.counts.parts, strict=True):
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert data.batch.total(weighted.log_z) == pytest.approx(one_by_one.log_z.sum(), rel=1e-12)
    assert weighted.arc.sum() == pytest.approx(one_by_one.arc.sum())


@every_order
def test_trees_of_a_sentence_that_counts_three_times_count_three_times(order):
    table, sentences = random_table(order, TAGS, seed=2), Minibatches(order, CORPUS)
    heads = np.concatenate([np.arange(length) for length in CORPUS.lengths])  # chains
    data, _ = sentences.take(np.arange(len(CORPUS)), np.full(len(CORPUS), 3.0))
    once, _ = sentences.take(np.arange(len(CORPUS)))
    for found, expected in zip(
        tree_counts(table, data.batch, heads).parts, tree_counts(table, once.batch, heads).parts, strict=True
    ):
        assert found == pytest.approx(3 * expected)


@every_order
@pytest.mark.parametrize("non_heads", [(), ("D", "A")])
@pytest.mark.parametrize("known", [None, KNOWN], ids=["text", "trees"])
@pytest.mark.parametrize("teams", [(Team(),), FOUR], ids=["one", "four"])
def test_pieces_of_all_processes_are_the_whole(order, non_heads, known, teams, monkeypatch):
    monkeypatch.setattr(pieces, "MOST_WORDS", 20)
    corpus, table = replace(CORPUS, known=known), random_table(order, TAGS, seed=1)
    sentences = Minibatches(order, corpus, non_heads)
    whole = sentences.all().problem(table).expect()
    parts = [data for team in teams for data, _ in Pieces(sentences, team)]
    assert len(parts) >= 4 and sum(len(data.batch) for data in parts) < len(corpus)
    found = [data.problem(table).expect() for data in parts]
    total = sum(data.batch.total(own.log_z) for data, own in zip(parts, found, strict=True))
    assert total == pytest.approx(whole.log_z.sum(), rel=1e-12)
    for number, expected in enumerate(whole.counts.parts):
        assert sum(own.counts.parts[number] for own in found) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_a_process_without_sentences_counts_nothing():
    fifth = Team()
    fifth.rank, fifth.size = 400, 500
    ((data, numbers),) = Pieces(Minibatches(Order.FIRST, CORPUS), fifth)
    assert len(numbers) == 0
    expected = data.problem(random_table(Order.FIRST, TAGS, seed=1)).expect()
    assert expected.counts.child.sum() == 0


@pytest.mark.parametrize("em", ["soft", "hard"])
@pytest.mark.parametrize("model", ["dmv", "dmv-sibling"])
def test_em_in_pieces_learns_what_it_learns_from_the_whole(model, em, monkeypatch):
    settings = {"model": model, "em": em, "iterations": 5, "non_heads": ("D",)}
    together = count_training(CORPUS, **settings)
    monkeypatch.setattr(pieces, "MOST_WORDS", 20)
    in_pieces = count_training(CORPUS, **settings)
    assert len(list(in_pieces.whole)) > len(list(together.whole)) == 1
    lines = zip(rounds_of(together), rounds_of(in_pieces), strict=True)
    assert all(one.objective == pytest.approx(other.objective, rel=1e-12) for one, other in lines)
    for one, other in zip(table_now(together).parts, table_now(in_pieces).parts, strict=True):
        assert other == pytest.approx(one, rel=1e-9)


def test_rules_are_met_in_pieces_as_in_the_whole(rules, monkeypatch):
    settings = {"rules": rules, "rules_share": 0.7, "iterations": 4}
    together = count_training(CORPUS, **settings)
    monkeypatch.setattr(pieces, "MOST_WORDS", 20)
    in_pieces = count_training(CORPUS, **settings)
    lines = zip(rounds_of(together), rounds_of(in_pieces), strict=True)
    assert all(one.matched == pytest.approx(other.matched, rel=1e-9) for one, other in lines)
    assert in_pieces.constraints[0].dual == pytest.approx(together.constraints[0].dual, rel=1e-9) and (
        together.constraints[0].dual > 0
    )


DIVIDED = {
    "sharp": {"model": "dmv", "unambiguity": 0.5, "unambiguity_iterations": 3, "iterations": 5},
    "e-dmv": {"model": "e-dmv", "random_starts": 2, "start_iterations": 2, "iterations": 4},
    "feature-dmv": {"model": "feature-dmv", "iterations": 4},
    "feature-dmv by em": {"model": "feature-dmv", "optimiser": "em", "m_steps": 5, "iterations": 3},
}
UNDIVIDED = {
    "sparsity": {"model": "dmv", "sparsity": 40.0, "iterations": 3},
    "ln-dmv": {"model": "ln-dmv", "iterations": 2},
    "crfae": {"model": "crfae", "iterations": 2, "encoder_passes": 1, "start_passes": 1},
}


@pytest.mark.parametrize("name", DIVIDED)
def test_other_learners_in_pieces_learn_what_they_learn_from_the_whole(name, monkeypatch):
    together = Run(configure(DIVIDED[name]), CORPUS, HELD_OUT)
    together.go()
    monkeypatch.setattr(pieces, "MOST_WORDS", 20)
    in_pieces = Run(configure(DIVIDED[name]), CORPUS, HELD_OUT)
    in_pieces.go()
    assert len(list(in_pieces.training.whole)) > len(list(together.training.whole)) == 1
    for line, expected in zip(in_pieces.history, together.history, strict=True):
        assert line["train"] == pytest.approx(expected["train"], rel=1e-5)  # L-BFGS makes rounding grow
        assert line["dev"] == pytest.approx(expected["dev"], rel=1e-5)


def test_rules_are_met_in_pieces_where_ambiguity_costs_something(rules, monkeypatch):
    settings = {"rules": rules, "rules_share": 0.7, "unambiguity": 0.5, "unambiguity_iterations": 0, "iterations": 3}
    together = rounds_of(count_training(CORPUS, **settings))
    monkeypatch.setattr(pieces, "MOST_WORDS", 20)
    for one, other in zip(together, rounds_of(count_training(CORPUS, **settings)), strict=True):
        assert other.objective == pytest.approx(one.objective, rel=1e-9)


@pytest.mark.parametrize("name", UNDIVIDED)
def test_a_learner_that_needs_all_sentences_has_them_in_one_piece(name, monkeypatch):
    monkeypatch.setattr(pieces, "MOST_WORDS", 20)
    run = Run(configure(UNDIVIDED[name]), CORPUS)
    run.go()
    ((_, numbers),) = run.training.whole
    assert numbers.tolist() == list(range(len(CORPUS)))
