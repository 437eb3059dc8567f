"""Posterior constraints: of all distributions over trees that match the rules often enough, the nearest."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from learning.tagged import RULES, random_sentences, tagged
from learning.tilted import LENGTHS, TAGS, Toy, random_matches
from learning.trainings import (
    CORPUS,
    HARMONIC,
    KINDS,
    count_run,
    network_training,
    potentials,
    same_table,
    table_kept,
    table_now,
    trained_counts,
)

from depinduce.chart.engine import Expectations
from depinduce.chart.problems import Problem
from depinduce.corpus import Corpus
from depinduce.errors import DepinduceError
from depinduce.grammar.rules import LEFT, RIGHT, Order, RuleTable, tag_batch
from depinduce.learning import posterior_constraint
from depinduce.learning.posterior_constraint import LARGEST_DUAL, TOLERANCE, ShareConstraint, tilt_of
from depinduce.learning.run import Run
from depinduce.learning.settings.configuration import configure
from depinduce.learning.settings.counts import CountSettings
from depinduce.learning.settings.networks import NeuralSettings
from depinduce.learning.training import Training

every_order = pytest.mark.parametrize("order", list(Order))


# ---------------------------------------------------------------- which dependencies match


def test_a_tilt_marks_the_roots_and_arcs_that_match():
    matches, random = random_matches(1), np.random.default_rng(1)
    offsets = np.concatenate([[0], np.cumsum(LENGTHS)])
    tags = random.integers(-1, TAGS, size=offsets[-1])  # -1 is an unknown tag
    tilt, arcs = tilt_of(matches, tags, offsets), []
    for begin, length in zip(offsets, LENGTHS, strict=False):
        for head in range(length):
            for child in range(length):
                if child == head:
                    arcs.append(None)  # no arc
                else:
                    direction = RIGHT if child > head else LEFT
                    arcs.append(matches.arc[direction, tags[begin + head], tags[begin + child]])
    assert len(tilt.arc) == len(arcs)
    assert [bool(found) for found, arc in zip(tilt.arc, arcs, strict=True) if arc is not None] == [
        bool(arc) for arc in arcs if arc is not None
    ]
    assert tilt.root.tolist() == [float(matches.root[tag]) for tag in tags]
    assert 0 < tilt.arc.sum() < len(tilt.arc) and 0 < tilt.root.sum() < len(tilt.root)


def test_some_of_the_sentences_have_the_tilt_they_would_have_alone():
    matches, corpus = random_matches(2, tags=4), tagged(*random_sentences(2))
    whole, some = tilt_of(matches, corpus.tags, corpus.offsets), np.array([7, 0, 3, 11])
    sentences = [corpus.tags[corpus.offsets[k] : corpus.offsets[k + 1]] for k in some]
    offsets = np.concatenate([[0], np.cumsum([len(tags) for tags in sentences])])
    expected, taken = tilt_of(matches, np.concatenate(sentences), offsets), whole.take(some)
    for name in ("root", "arc", "offsets", "arc_offsets"):
        assert np.array_equal(getattr(taken, name), getattr(expected, name)), name
    assert not np.array_equal(taken.arc, whole.arc[: len(taken.arc)])


# ---------------------------------------------------------------- the nearest distribution


@every_order
@pytest.mark.parametrize("dual", [0.0, 0.7, 5.0])
def test_the_chart_of_a_tilt_is_the_tilted_distribution(order, dual):
    toy = Toy(order)
    expected = toy.expect(dual)
    q, roots = toy.tilted(dual), []
    for own, exact in zip(q, toy.trees, strict=True):
        roots.append(own @ (np.array(exact.trees) == 0))
    assert expected.root == pytest.approx(np.concatenate(roots))
    assert toy.tilt.matched(expected) == pytest.approx(sum(own @ m for own, m in zip(q, toy.matched, strict=True)))
    assert toy.tilt.matched(expected) / toy.words == pytest.approx(toy.share(dual))


def met(constraint: ShareConstraint, toy: Toy) -> Expectations:
    """What is expected of all its sentences where the constraint is met."""

    def expect() -> tuple[Expectations, float]:
        expected = toy.expect(constraint.dual)
        return expected, toy.tilt.matched(expected)

    return constraint.meet(expect)


@every_order
@pytest.mark.parametrize("begin", [0.0, 0.5, 30.0])
def test_the_share_is_met_wherever_the_search_begins(order, begin):
    toy = Toy(order)
    wanted = (toy.share(0.0) + toy.share(LARGEST_DUAL)) / 2
    constraint = toy.constraint(wanted, begin)
    expected = met(constraint, toy)
    assert constraint.dual > 0
    assert toy.share(constraint.dual) == pytest.approx(wanted, abs=1.01 * TOLERANCE)
    assert constraint.found == pytest.approx(toy.share(constraint.dual))
    assert expected.root == pytest.approx(toy.expect(constraint.dual).root)  # what it gives is of that dual variable


@pytest.mark.parametrize("begin", [0.0, 2.0, 40.0])
def test_a_constraint_that_is_met_already_changes_nothing(begin):
    toy = Toy(Order.FIRST)
    constraint = toy.constraint(toy.share(0.0) - 0.05, begin)
    expected = met(constraint, toy)
    assert constraint.dual == 0
    assert constraint.found == pytest.approx(toy.share(0.0))
    assert expected.arc == pytest.approx(toy.expect(0.0).arc)


@pytest.mark.parametrize("begin", [0.0, 3.0])
def test_a_share_out_of_reach_is_warned_about_and_neared(begin):
    toy = Toy(Order.FIRST)
    most = sum(matched.max() for matched in toy.matched) / toy.words
    assert most < 0.99
    constraint = toy.constraint((1 + most) / 2, begin)
    with pytest.warns(UserWarning, match=f"the rules match {most:.1%} of the dependencies at the most"):
        expected = met(constraint, toy)
    assert constraint.found == pytest.approx(most, abs=1e-6)
    assert np.isfinite(expected.log_z).all()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("place", [0.3, 3.0, 12.0, 30.0])
@pytest.mark.parametrize("steepness", [0.5, 5.0])
@pytest.mark.parametrize("begin", [0.0, 20.0, 40.0])
def test_the_search_goes_too_far_and_comes_back(place, steepness, begin):
    constraint = ShareConstraint(0.6, 1000, None, begin)
    met_at = constraint.meet(lambda: (constraint.dual, 1000 / (1 + np.exp(-steepness * (constraint.dual - place)))))
    assert met_at == constraint.dual  # what it gives is of that dual variable
    assert constraint.found == pytest.approx(0.6, abs=TOLERANCE)


def test_the_dual_variable_follows_what_is_lacking():
    constraint = ShareConstraint(0.8, 100, None)
    shares, duals = [0.3, 0.6, 0.9, 1.0], []

    def follow(share: float) -> None:
        constraint.follow(share * 20, 20)

    for share in shares:
        follow(share)
        duals.append(constraint.dual)
    assert duals == sorted(duals[:2]) + sorted(duals[2:], reverse=True)
    assert duals[1] > duals[0] > 0 and duals[3] < duals[2] < duals[1]
    for _ in range(20):
        follow(1.0)
    assert constraint.dual == 0


# ---------------------------------------------------------------- count models


def matched_share(table: RuleTable, order: Order, rules: str, dual: float = 0.0, corpus: Corpus = CORPUS) -> float:
    """The expected share of the dependencies of all sentences that match, found anew."""
    constraint = ShareConstraint.of(CountSettings(rules=rules), corpus)
    batch = tag_batch(order, corpus.tags, corpus.offsets, len(corpus.tag_vocabulary))
    tilt = constraint.tilt.take(np.arange(len(corpus)))
    return tilt.matched(tilt.applied(Problem(table, batch), dual).expect(positions=True)) / len(corpus.tags)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("model", ["dmv", "dmv-sibling", "dmv-grand"])
def test_a_count_model_matches_the_rules_as_often_as_it_should(model, rules):
    settings = CountSettings(model=model, rules=rules, rules_share=0.7, iterations=25)
    with_rules, without = trained_counts(settings), trained_counts(replace(settings, rules=None, rules_share=None))
    order = with_rules.order
    (line,) = with_rules.history["rules"]
    assert line["wanted"] == 0.7 and line["rules"] == rules
    for found in (line["found"], matched_share(with_rules.table, order, rules, line["dual"])):
        assert found > 0.69
        assert found < 0.71 or line["dual"] == 0  # more than enough is not forced
    assert matched_share(without.table, order, rules) < 0.5
    assert matched_share(with_rules.table, order, rules) > 0.6
    assert "rules" not in without.history


@pytest.mark.parametrize("model", ["dmv", "dmv-grand"])
def test_with_the_constraint_met_exactly_em_never_lowers_its_objective(model, rules, monkeypatch):
    monkeypatch.setattr(posterior_constraint, "TOLERANCE", 1e-9)
    monkeypatch.setattr(posterior_constraint, "MOST_PASSES", 200)
    settings = CountSettings(model=model, rules=rules, rules_share=0.7, iterations=12, smoothing=0.1)
    objectives = [line["objective"] for line in trained_counts(settings).history["rounds"]]
    changes = np.diff(objectives[1:])  # the start need not belong to the family
    assert np.all(changes >= -1e-6 * np.abs(objectives[1:-1]))
    assert objectives[-1] > objectives[1] + 1


def test_rules_that_are_kept_anyway_change_nothing(rules):
    settings = CountSettings(iterations=5)
    plain = trained_counts(settings)
    kept = trained_counts(replace(settings, rules=rules, rules_share=0.01))
    assert kept.history["rules"][0]["dual"] == 0
    assert np.array_equal(kept.table.child, plain.table.child)


def test_a_rule_set_says_how_many_should_match_unless_the_user_does(tmp_path):
    (tmp_path / "mine.toml").write_text("share = 0.45\n" + RULES, "utf-8")
    settings = CountSettings(rules=str(tmp_path / "mine.toml"), iterations=2)
    assert trained_counts(settings).history["rules"][0]["wanted"] == 0.45
    assert trained_counts(replace(settings, rules_share=0.5)).history["rules"][0]["wanted"] == 0.5


@pytest.mark.parametrize("stop_at", [1, 4])
def test_a_count_model_with_rules_is_resumed_to_the_identical_one(stop_at, rules, tmp_path):
    settings = CountSettings(rules=rules, rules_share=0.7, iterations=8)
    whole = trained_counts(settings)

    def interrupt(progress):
        if progress.done == stop_at:
            raise KeyboardInterrupt

    partial, finished = count_run(settings, directory=tmp_path / "run").go(interrupt)
    assert not finished
    assert len(partial.history["rounds"]) == stop_at
    run = count_run(settings, directory=tmp_path / "run")
    run.resume()
    resumed, finished = run.go()
    assert finished
    assert resumed.history == whole.history
    assert same_table(resumed.table, whole.table)


def test_resuming_a_finished_count_model_remembers_its_rules(rules, tmp_path):
    settings = CountSettings(rules=rules, rules_share=0.7, iterations=4)
    finished, _ = count_run(settings, directory=tmp_path / "run").go()
    run = count_run(settings, directory=tmp_path / "run")
    run.resume()
    again, _ = run.go()
    assert same_table(again.table, finished.table)
    assert again.history["rules"] == finished.history["rules"]


# ---------------------------------------------------------------- networks

WITH_EM = KINDS | {"em": {"model": "ndmv", "method": "em", "m_steps": 2}}


def with_rules(rules: str | None, **settings) -> Training:
    """The training of a network over tags under rules."""
    common = {"batch_size": 6, "learning_rate": 0.02, "epochs": 12, "start_epochs": 1}
    return network_training(start=HARMONIC, rules=rules, **{"rules_share": rules and 0.7} | common | settings)


@pytest.mark.slow
@pytest.mark.parametrize("kind", WITH_EM.values(), ids=WITH_EM)
def test_a_network_comes_to_match_the_rules_as_often_as_it_should(kind, rules):
    shares, tables = {}, {}
    for given in (None, rules):
        training = with_rules(given, **kind)
        training.begin()
        shares[given] = [training.run_round().matched for _ in range(training.total_rounds)]
        tables[given] = potentials(table_kept(training), training.settings)
    order = training.settings.order
    assert shares[None] == [None] * 12
    (first,), (last,) = shares[rules][0], shares[rules][-1]
    assert first < 0.6
    assert last == pytest.approx(0.7, abs=0.04)
    assert matched_share(tables[rules], order, rules) > matched_share(tables[None], order, rules) + 0.1


def test_the_reported_share_is_that_of_the_trees_learned_from(rules):
    training = with_rules(rules, model="ndmv", batch_size=0)
    before, dual = table_now(training), 1.5
    training.constraints[0].dual = dual
    epoch = training.run_round()
    assert epoch.matched == [pytest.approx(matched_share(before, Order.FIRST, rules, dual), rel=1e-5)]
    assert training.constraints[0].dual == pytest.approx(dual + 0.7 - epoch.matched[0])
    tilt = training.constraints[0].tilt.take(np.arange(len(CORPUS)))
    batch = tag_batch(Order.FIRST, CORPUS.tags, CORPUS.offsets, 4)
    expected = tilt.applied(Problem(before, batch), dual).expect(positions=True)
    bound = expected.log_z.sum() - dual * tilt.matched(expected)  # E log p + the entropy of the tilted distribution
    assert epoch.train == pytest.approx(bound / len(CORPUS), rel=1e-5)


def test_growing_sentences_are_shares_of_those_learned_from(rules):
    training = with_rules(rules, model="ndmv", batch_size=0, grow_from=4)
    before = table_now(training)
    short = CORPUS.select(CORPUS.lengths <= 4)
    assert len(short) < len(CORPUS)
    expected = matched_share(before, Order.FIRST, rules, corpus=short)
    assert training.run_round().matched == [pytest.approx(expected, rel=1e-5)]


def test_full_batch_em_does_not_take_a_moving_constraint_for_a_fault(rules):
    # the dual variable rises from epoch to epoch, faster than the network learns
    settings = {"method": "em", "batch_size": 0, "learning_rate": 0.0001, "rules_share": 0.85}
    training = with_rules(rules, model="ndmv", **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bounds = [training.run_round().train for _ in range(6)]
    assert np.any(np.diff(bounds) < 0)


TINY = {"size": 8, "child_rank": 5, "decision_rank": 4, "batch_size": 10, "learning_rate": 0.03, "start_epochs": 1}


def run_of(rules: str, directory: Path | None = None, **values) -> Run:
    common = TINY | {"model": "sibling", "ladder": ("ndmv",), "epochs": 3, "rules": rules, "rules_share": 0.7}
    return Run(configure(common | values), CORPUS, None, directory)


@pytest.mark.parametrize("stop_at", [2, 3, 5])  # of three epochs of the first rung, three of the second
def test_the_dual_variable_survives_an_interruption(stop_at, rules, tmp_path):
    whole, _ = run_of(rules).go()
    directory = tmp_path / "run"

    def interrupt(progress):
        if progress.done == stop_at:
            raise KeyboardInterrupt

    _, finished = run_of(rules, directory).go(interrupt)
    assert not finished
    run = run_of(rules, directory)
    run.resume()
    resumed, finished = run.go()
    assert finished
    assert resumed.history == whole.history
    assert same_table(resumed.table, whole.table)
    assert all(line["dual"] > 0 for line in whole.history["rules"])


def test_resuming_a_finished_run_remembers_its_rules(rules, tmp_path):
    finished, _ = run_of(rules, tmp_path / "run").go()
    run = run_of(rules, tmp_path / "run")
    run.resume()
    again, _ = run.go()
    assert again.history["rules"] == finished.history["rules"]


def test_every_rung_of_a_ladder_keeps_to_the_rules(rules):
    model, _ = run_of(rules, epochs=8).go()
    last = [[line["matched"] for line in model.history["rounds"] if line["rung"] == rung][-1] for rung in (0, 1)]
    assert last == [[pytest.approx(0.7, abs=0.1)]] * 2


@pytest.mark.parametrize(("agreement", "charts"), [(True, 1), (False, 2)])
def test_a_joint_model_has_a_constraint_for_every_chart(agreement, charts, rules):
    values = {"model": "joint-sibling", "ladder": (), "epochs": 2, "agreement": agreement, "learning_rate": 0.003}
    model, _ = run_of(rules, **values).go()
    assert [len(line["matched"]) for line in model.history["rounds"]] == [charts] * 2
    assert len(model.history["rules"]) == charts
    assert all(0.1 < share < 0.9 for line in model.history["rounds"] for share in line["matched"])


# ---------------------------------------------------------------- settings


@pytest.mark.parametrize(
    ("settings", "wrong", "message"),
    [
        (CountSettings, {"em": "hard", "rules": "ud"}, "--rules are about expectations: they need --em soft."),
        (NeuralSettings, {"model": "ndmv", "method": "hard-em", "rules": "ud"}, "they need --method dmo or em."),
        (CountSettings, {"rules_share": 0.5}, "rules_share: of which rules? Name them with --rules."),
        (NeuralSettings, {"model": "ndmv", "rules_share": 0.5}, "rules_share: of which rules?"),
        (CountSettings, {"rules": "ud", "rules_share": 0.0}, "rules_share cannot be 0.0"),
        (CountSettings, {"rules": "ud", "rules_share": 1.0}, "rules_share cannot be 1.0"),
        (CountSettings, {"rules": "ud", "rules_share": float("nan")}, "rules_share cannot be nan"),
    ],
)
def test_impossible_settings_are_refused(settings, wrong, message):
    with pytest.raises(DepinduceError) as refusal:
        settings(**wrong)
    assert message in str(refusal.value)
