"""Two processes learn what one does: every learner, in real processes on the loopback."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from learning.languages import language, together
from learning.tagged import random_sentences, tagged
from parameters import some_now
from teams import in_processes

from depinduce.corpus import Corpus, Vocabulary
from depinduce.errors import DepinduceError
from depinduce.learning.learners.networks import GradientLearner
from depinduce.learning.run import Run
from depinduce.learning.settings.configuration import configure
from depinduce.learning.team import ALONE, Team, team_of_this_process

TEXT = tagged(*random_sentences(3, count=41), *random_sentences(8, count=20, longest=3))
WORDS = replace(
    TEXT,
    words=np.arange(len(TEXT.tags), dtype=np.int32) % 4,
    word_vocabulary=Vocabulary([*"abcd"], [len(TEXT.tags) // 4] * 4),
)
HELD_OUT = tagged(*random_sentences(103, tags="NNVDA"), vocabulary=TEXT.tag_vocabulary)
LANGUAGES = together({order: language(order, 15, seed=2)[0] for order in ("initial", "final")})
# of 63 sentences the last batch has one, so that the second process has none
SIZES = {"size": 6, "child_rank": 4, "decision_rank": 3, "batch_size": 31, "epochs": 2, "start_epochs": 1}
OF_WORDS = {"tag_size": 4, "word_size": 5, "min_count": 1, "dropout": 0.0}
OF_SENTENCES = {"variational": False, "sentence_dropout": 0.0, "batch_size": 31, "epochs": 2, "start_epochs": 1}
COUNTS: dict[str, tuple[Corpus, dict[str, Any]]] = {  # whose model is that of one process
    "dmv": (TEXT, {"model": "dmv", "iterations": 6}),
    "dmv-sibling": (TEXT, {"model": "dmv-sibling", "iterations": 4, "prior_strength": 10.0}),
    "hard": (TEXT, {"model": "dmv-grand", "em": "hard", "iterations": 3, "non_heads": ("D",)}),
    "hdp-dep": (TEXT, {"model": "hdp-dep", "iterations": 3, "subsymbols": 2}),
    "sharp": (TEXT, {"model": "dmv", "unambiguity": 0.5, "unambiguity_iterations": 2, "iterations": 4}),
    "e-dmv": (TEXT, {"model": "e-dmv", "random_starts": 2, "start_iterations": 2, "iterations": 3}),
    "feature-dmv": (TEXT, {"model": "feature-dmv", "iterations": 3}),
    "languages": (LANGUAGES, {"model": "dmv", "iterations": 4}),
    "polyglot": (LANGUAGES, {"model": "polyglot", "init": ("trees", "-"), "iterations": 3, "poolings": 2}),
}
NETWORKS: dict[str, tuple[Corpus, dict[str, Any]]] = {  # whose steps are those of one process, up to rounding
    "dmo": (TEXT, {"model": "sibling", **SIZES}),
    "em": (TEXT, {"model": "ndmv", "method": "em", **SIZES}),
    "languages": (LANGUAGES, {"model": "ndmv", "vector_dropout": 0.5, **SIZES}),
    "sentences": (TEXT, {"model": "d-ndmv", **OF_SENTENCES}),
    "words": (WORDS, {"model": "lexical", **SIZES, **OF_WORDS}),
    "joint": (WORDS, {"model": "joint-sibling", **SIZES, **OF_WORDS}),
}


def run_of(case: str, team: Team = ALONE) -> Run:
    kind, name = case.split()
    corpus, values = {"counts": COUNTS, "network": NETWORKS}[kind][name]
    dev = HELD_OUT if corpus is TEXT and name not in ("hdp-dep", "hard") else None
    run = Run(configure(values), corpus, dev, team=team)
    if name == "polyglot":
        run.heads = np.concatenate([np.arange(n) for n in corpus.lengths]).astype(np.int32)
    return run


def trained(team: Team, *cases: str) -> dict[str, dict[str, Any]]:
    """What is in a training at its end, and, of networks, the gradient of the first step."""
    found = {}
    for case in cases:
        run = run_of(case, team)
        gradient = None
        if case.startswith("network"):
            gradient = first_gradient(run_of(case, team))
        run.go()
        arrays, state = run.training.state()
        found[case] = {"arrays": arrays, "history": run.history, "gradient": gradient, "generator": state}
    return found


def first_gradient(run: Run) -> np.ndarray:
    """Of all learners, on the first batch."""
    training = run._new_training(run.rungs[-1])
    training.learn_from(training._shuffled(training.longest)[0])
    learners = [learner for learner in training.learners if isinstance(learner, GradientLearner)]
    return np.concatenate([learner.parameters.grad.numpy().copy() for learner in learners])


CASES = [*(f"counts {name}" for name in COUNTS), *(f"network {name}" for name in NETWORKS)]


@cache
def both(*cases: str) -> tuple[list[dict], dict]:
    """What two processes found, and what one did."""
    return in_processes(2, trained, *cases), trained(ALONE, *cases)


def found_in(case: str) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """What the first of two processes found, the second, and one alone."""
    (first, second), alone = both(*CASES)
    return first[case], second[case], alone[case]


def every_case(kind: str):
    return some_now("case", [], later=[case for case in CASES if case.startswith(kind)])


@every_case("counts")
def test_two_processes_learn_the_counts_of_one(case):
    first, _, alone = found_in(case)
    for name, array in alone["arrays"].items():
        assert first["arrays"][name] == pytest.approx(array, rel=1e-9, abs=1e-9), name
    for line, expected in zip(first["history"], alone["history"], strict=True):
        assert line["train"] == pytest.approx(expected["train"], rel=1e-9)
        assert line["dev"] == (None if expected["dev"] is None else pytest.approx(expected["dev"], rel=1e-9))


@every_case("network")
def test_two_processes_follow_the_gradient_of_one(case):
    first, _, alone = found_in(case)
    assert np.abs(first["gradient"] - alone["gradient"]).max() <= 1e-5 * np.abs(alone["gradient"]).max()
    last, one = first["history"][-1], alone["history"][-1]
    assert last["train"] == pytest.approx(one["train"], abs=0.01)
    assert last["dev"] == (None if one["dev"] is None else pytest.approx(one["dev"], abs=0.01))


@every_case("")
def test_all_processes_have_the_same_parameters_to_the_last_bit(case):
    first, second, _ = found_in(case)
    assert first["arrays"].keys() == second["arrays"].keys()
    for name, array in first["arrays"].items():
        assert array.tobytes() == second["arrays"][name].tobytes(), name
    assert first["history"] == second["history"]


@pytest.mark.slow
@pytest.mark.parametrize("size", [2, 3])
def test_the_same_number_of_processes_repeats_to_the_last_bit(size):
    cases = "counts dmv", "network dmo", "network words"
    (one, *_), (again, *_) = (in_processes(size, trained, *cases) for _ in range(2))
    for case in cases:
        assert one[case]["history"] == again[case]["history"]
        for name, array in one[case]["arrays"].items():
            assert array.tobytes() == again[case]["arrays"][name].tobytes(), name


# ---------------------------------------------------------------- faults


def differ(team: Team) -> str:
    """Processes that were given different sentences."""
    corpus = TEXT if team.is_first else TEXT.select(np.arange(len(TEXT)) > 0)
    try:
        Run(configure({"model": "dmv"}), corpus, team=team)
    except DepinduceError as error:
        return str(error)
    return "nothing"


@pytest.mark.slow
def test_processes_with_different_sentences_are_refused():
    assert all("different sentences or settings" in message for message in in_processes(2, differ))


class Two(Team):
    """The first of two processes, of which the other says the same."""

    size = 2


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"model": "dmv", "sparsity": 20.0}, "sparsity"),
        ({"model": "ln-dmv"}, "--model ln-dmv"),
        ({"model": "crfae"}, "--model crfae"),
    ],
)
def test_what_needs_all_sentences_at_once_is_refused(values, named):
    with pytest.raises(DepinduceError, match=f"^{named}: .* without torchrun"):
        Run(configure(values), TEXT, team=Two())


def test_a_process_that_torchrun_has_not_started_is_alone(monkeypatch):
    monkeypatch.delenv("RANK", raising=False)
    monkeypatch.setenv("WORLD_SIZE", "2")  # as on some clusters, which says nothing of torchrun
    with team_of_this_process() as team:
        assert team is ALONE
    assert team.told(3) == 3 and team.share(np.arange(3)).tolist() == [0, 1, 2]
