"""Models that are no tables of rules, a CRF autoencoder and a D-NDMV, as rungs below others and as starts of many."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from learning.trainings import CORPUS, rounds_of
from parameters import some_now

from depinduce.learning.run import Run
from depinduce.learning.settings.configuration import configure
from depinduce.learning.training import Training
from depinduce.models.crf_model import CrfModel
from depinduce.models.loading import load_model
from depinduce.models.sentence_model import SentenceModel
from depinduce.parsing.consensus import agreed_trees

NETWORK = {"size": 8, "child_rank": 5, "decision_rank": 4, "batch_size": 10, "epochs": 2}
RANDOM = {"init": ("random",)}  # so that every seed is another model
CLASSES = {"crfae": CrfModel, "d-ndmv": SentenceModel}
MEMBERS = 3


def ladder(below: str, directory: Path | None = None, **values: object) -> Run:
    made = {
        "model": "sibling",
        "ladder": (below,),
        "members": MEMBERS,
        "non_heads": ("D",),
        **NETWORK,
        **RANDOM,
        **values,
    }
    return Run(configure(made), CORPUS, directory=directory)


def member(run: Run, number: int):
    """A finished member of the first rung, trained by hand."""
    rung = run.rungs[number]
    learners = run.plan.learners(rung, None)
    training = Training(rung.settings, learners, CORPUS, seed=rung.seed)
    training.begin()
    rounds_of(training)
    return learners[0].model({"non_heads": ("D",)})


@pytest.mark.parametrize("below", CLASSES)
def test_members_without_tables_agree_on_the_trees_of_the_next_rung(below):
    run = ladder(below)
    members = [member(run, number) for number in range(MEMBERS)]
    for _ in range(MEMBERS):
        run.climb()
    assert all(isinstance(one, CLASSES[below]) for one in members)
    problems = [one.problem(CORPUS) for one in members]
    likelihoods = [problem.log_partition().mean() for problem in problems]
    assert len(set(likelihoods)) == MEMBERS  # of other seeds
    worst = problems[int(np.argmin(likelihoods))]
    asked = [problem for problem in problems if problem is not worst]
    assert np.array_equal(run.heads, agreed_trees(problems, CORPUS.offsets))
    assert np.array_equal(run.heads, agreed_trees([*asked, worst], CORPUS.offsets))
    model, finished = run.go()
    assert finished and [line["model"] for line in model.history["rounds"]][-2:] == ["sibling"] * 2


@pytest.mark.parametrize("below", CLASSES)
@some_now("rungs", [2], later=[1, 3])
def test_a_run_goes_on_after_members_without_tables(below, rungs, tmp_path):
    run = ladder(below, tmp_path / "stopped")
    assert run.files is not None
    run.files.open(run.configuration)
    for _ in range(rungs):
        run.climb()
    again = ladder(below, tmp_path / "stopped")
    again.resume()
    assert len(again.members) == rungs and again.rung == rungs
    (found, finished), (whole, _) = again.go(), ladder(below).go()
    assert finished and found.table.child.tobytes() == whole.table.child.tobytes()


@pytest.mark.parametrize("below", CLASSES)
def test_an_interruption_between_rungs_leaves_the_model_of_the_last(below, tmp_path, monkeypatch):
    run, begin = ladder(below, tmp_path / "run", members=1), Training.begin
    alone = member(run, 0)

    def begin_or_stop(training: Training) -> None:
        if run.rung > 0:
            raise KeyboardInterrupt
        begin(training)

    monkeypatch.setattr(Training, "begin", begin_or_stop)
    model, finished = run.go()
    assert not finished and isinstance(model, CLASSES[below])
    assert np.array_equal(model.problem(CORPUS).log_partition(), alone.problem(CORPUS).log_partition())
    assert isinstance(load_model(tmp_path / "run"), CLASSES[below])


def test_a_crfae_below_a_network_has_its_own_pace():
    own = configure({"model": "sibling", "ladder": ("crfae",), "learning_rate": 0.003}).learning.of_rung(0)
    assert (own.learning_rate, own.most_rounds) == (0.1, 10)
    below_itself = configure({"model": "crfae", "ladder": ("crfae",), "learning_rate": 0.05, "iterations": 3})
    assert (below_itself.learning.of_rung(0).learning_rate, below_itself.learning.of_rung(0).most_rounds) == (0.05, 3)
