"""The neural DMV of Jiang et al. learns by EM: passes over the counts of all sentences, and roots that are counted."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from learning.killed import require_the_same_after_a_stop
from learning.trainings import CHAINS, CORPUS, HARMONIC, TAGS, learner_of, network_training, same_table, table_now

from depinduce.chart.engine import best_trees, expectations
from depinduce.grammar.rules import RuleCounts, RuleTable, tag_batch
from depinduce.grammar.trees import tree_counts
from depinduce.learning.harmonic import harmonic_table
from depinduce.learning.learners.jiang import ROOT_SMOOTHING, JiangLearner
from depinduce.learning.run import Run
from depinduce.learning.settings.configuration import configure
from depinduce.learning.training import Training
from depinduce.models.loading import load_model
from depinduce.models.places import INNER
from depinduce.networks.jiang_network import JiangNetwork
from depinduce.networks.network_settings import JiangNetworkSettings

ALL = {"model": "jiang-ndmv", "batch_size": 0}
BATCH = tag_batch(configure({"model": "jiang-ndmv"}).learning.order, CORPUS.tags, CORPUS.offsets, TAGS)


def jiang(**settings) -> Training:
    return network_training(**ALL | settings)


def expected(table: RuleTable) -> RuleCounts:
    return expectations(table, BATCH).counts


def of_best_trees(table: RuleTable) -> RuleCounts:
    return tree_counts(table, BATCH, best_trees(table, BATCH).heads[0])


COUNTED = {"em": expected, "hard-em": of_best_trees}
every_method = pytest.mark.parametrize("method", COUNTED)


# ---------------------------------------------------------------- the M-step


def passes(network: JiangNetwork, counts: RuleCounts, number: int, rate: float) -> None:
    """Steps of Adam up Σ count · log p(rule), by autograd, then the roots."""
    optimiser = torch.optim.Adam(network.parameters(), lr=rate)
    for _ in range(number):
        parts = (torch.from_numpy(part).float() for part in counts.parts)
        objective = sum((part * values).sum() for part, values in zip(parts, network(), strict=True))
        optimiser.zero_grad()
        (-objective / len(CORPUS)).backward()
        optimiser.step()
    network.root_scores.data = torch.from_numpy(np.log(counts.root + 0.1)).float()


@every_method
def test_a_round_is_passes_over_the_counts_of_the_table_before_it(method):
    trained, by_hand = (jiang(method=method, m_steps=6, learning_rate=0.02) for _ in range(2))
    counts = COUNTED[method](table_now(by_hand))
    trained.run_round()
    passes(learner_of(by_hand).network, counts, 6, 0.02)
    for found, wanted in zip(table_now(trained).parts, table_now(by_hand).parts, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-4)


@every_method
def test_an_m_step_makes_the_counts_more_probable(method):
    made = jiang(method=method, m_steps=10, learning_rate=0.01)
    for _ in range(3):
        before = table_now(made)
        counts = COUNTED[method](before)
        made.run_round()
        assert counts.dot(table_now(made)) > counts.dot(before) + 1


@every_method
@pytest.mark.parametrize("child_valence", [True, False])
def test_em_makes_sentences_more_probable(method, child_valence):
    values = {**ALL, "method": method, "child_valence": child_valence, "start_trees": "best", "epochs": 8}
    run = Run(configure(values | {"m_steps": 20, "learning_rate": 0.01}), CORPUS)
    run.go()
    curve = [line["train"] for line in run.history]
    assert curve[-1] > curve[0] + 0.3
    assert (np.diff(curve) > 0).all()


@every_method
def test_roots_are_relative_frequencies(method):
    made = jiang(method=method)
    counts = COUNTED[method](table_now(made)).root + ROOT_SMOOTHING
    made.run_round()
    np.testing.assert_allclose(np.exp(table_now(made).root), counts / counts.sum(), rtol=1e-5)


def test_in_batches_roots_follow_the_gradient():
    made = network_training(model="jiang-ndmv", batch_size=10, method="dmo")
    begun = table_now(made).root
    made.run_round()
    moved = np.abs(table_now(made).root - begun)
    assert 0 < moved.max() < 3.5 * made.settings.learning_rate * 2  # three steps, and the norm that follows them


# ---------------------------------------------------------------- starts


@pytest.mark.parametrize("start", [CHAINS, HARMONIC], ids=["trees", "grammar"])
def test_the_start_is_the_first_e_step(start):
    made, by_hand = (jiang(start=start, method="em", m_steps=5, start_epochs=1, learning_rate=0.02) for _ in range(2))
    made.begin()
    table = harmonic_table(CORPUS)
    counts = expected(table) if start.heads is None else tree_counts(table, BATCH, start.heads)
    passes(learner_of(by_hand).network, counts, 5, 0.02)
    for found, wanted in zip(table_now(made).parts, table_now(by_hand).parts, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-4)


def test_enough_passes_learn_given_trees():
    made = jiang(start=CHAINS, method="em", m_steps=300, start_epochs=2, learning_rate=0.02)
    made.begin()
    assert best_trees(table_now(made), BATCH).heads[0].tolist() == CHAINS.heads.tolist()


# ---------------------------------------------------------------- among other models

SMALL = {"epochs": 2, "m_steps": 2, "batch_size": 0, "method": "em"}


@pytest.mark.parametrize(
    ("ladder", "model"), [(("jiang-ndmv",), "sibling"), (("ndmv",), "jiang-ndmv"), (("dmv",), "jiang-ndmv")]
)
def test_it_is_a_rung_like_any_other(ladder, model):
    run = Run(configure({"model": model, "ladder": ladder, "members": 2, **SMALL}), CORPUS)
    trained, finished = run.go()
    assert finished and trained.order is run.settings.order
    assert [line["model"] for line in run.history if line["member"] == 0][0] == ladder[0]
    assert run.history[-1]["model"] == model


def test_below_another_model_it_has_its_usual_sizes_and_on_top_those_it_is_given():
    below = Run(configure({"model": "sibling", "ladder": ("jiang-ndmv",), "size": 7}), CORPUS)
    above = Run(configure({"model": "jiang-ndmv", "ladder": ("ndmv",), "tag_size": 7}), CORPUS)
    sizes = []
    for run, number in ((below, 0), (above, 1)):
        (learner,) = run.plan.learners(run.rungs[number], None)
        assert isinstance(learner, JiangLearner)
        sizes.append(learner.network.tag_vectors.shape[1])
    assert sizes == [JiangNetworkSettings().tag_size, 7]
    (learner,) = above.plan.learners(above.rungs[0], None)
    assert learner.network.embedding.shape[1] == 100


def test_a_stopped_training_goes_on_to_the_same_model(tmp_path):
    values = {**SMALL, "model": "jiang-ndmv", "method": "hard-em", "start_trees": "best", "epochs": 4}
    require_the_same_after_a_stop(tmp_path, lambda place: Run(configure(values), CORPUS, directory=place), 2)


def test_the_model_in_the_file_is_the_one_that_was_trained(tmp_path):
    values = {**SMALL, "model": "jiang-ndmv", "child_valence": False, "tag_size": 6, "valence_size": 2}
    model, _ = Run(configure(values), CORPUS, directory=tmp_path / "run").go()
    loaded = load_model(tmp_path / "run" / INNER)
    assert same_table(loaded.table, model.table)
    network = JiangNetwork(TAGS, JiangNetworkSettings(tag_size=6, valence_size=2, child_valence=False))
    network.load_state_dict({name: torch.from_numpy(weights) for name, weights in loaded.network.items()})
    np.testing.assert_allclose(network.table().child, loaded.table.child, atol=1e-6)
    assert loaded.history["settings"]["child_valence"] is False
