"""Training side by side: every part learns, stops and is kept as if it was alone."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from learning.test_joint_training import CORPUS, HELD_OUT, configuration, same_weights

from depinduce.learning.learners.learner import Start
from depinduce.learning.learners.networks import GradientLearner, make_learners
from depinduce.learning.run import Progress, Run
from depinduce.learning.separate import SeparateRound, SeparateTraining, training_of
from depinduce.learning.training import Round, Training
from depinduce.parsing.decoding import Parsing, parse_corpus

CHAINS = Start("trees", np.concatenate([np.arange(n) for n in CORPUS.lengths]))  # each word hangs on the one before
VALUES = {"model": "joint-sibling", "agreement": False, "dropout": 0.5, "learning_rate": 0.03, "epochs": 40}
PATIENCE = 3


def learners_of(**values) -> list[GradientLearner]:
    whole = configuration(**VALUES | values)
    return make_learners(whole.learning, whole, CORPUS, 1)


def separate(dev=HELD_OUT, **values) -> SeparateTraining:
    learners = learners_of(**values)
    made = training_of(replace(learners[0].settings, patience=PATIENCE), learners, CORPUS, dev, 1, [CHAINS] * 2)
    made.begin()
    return made


def alone(part: int, dev=HELD_OUT, **values) -> Training:
    """The training of one part, whose weights at the beginning are those it has beside the other."""
    learner = learners_of(**values)[part]
    made = Training(replace(learner.settings, patience=PATIENCE), [learner], CORPUS, dev, 1, [CHAINS])
    made.begin()
    return made


def to_the_end(training) -> list[Round]:
    rounds = []
    while not training.finished:
        rounds.append(training.run_round())
    return rounds


def kept(learner: GradientLearner) -> dict[str, torch.Tensor]:
    return learner.best_weights


def test_every_part_stops_on_its_own_held_out_likelihood():
    together, (tags, words) = separate(), (alone(0), alone(1))
    rounds = to_the_end(together)
    curves = [[one.dev for one in to_the_end(part)] for part in (tags, words)]
    best = [int(np.argmax(curve)) + 1 for curve in curves]
    assert abs(best[0] - best[1]) > PATIENCE  # the likelihood of one would stop the other elsewhere
    assert [len(curve) for curve in curves] == [one + PATIENCE for one in best]
    assert len(rounds) == max(map(len, curves)) < VALUES["epochs"]
    for number, part in enumerate((tags, words)):
        mine, theirs = kept(together.learners[number]), kept(part.learners[0])
        assert all(torch.equal(mine[name], theirs[name]) for name in theirs)
        assert same_weights(together.learners[number], part.learners[0])  # who has stopped learns no more


def test_a_part_that_has_stopped_counts_as_it_was_kept():
    rounds = to_the_end(separate())
    curves = [[one.dev for one in to_the_end(alone(part))] for part in (0, 1)]
    for number, one in enumerate(rounds):
        expected = [curve[number] if number < len(curve) else max(curve) for curve in curves]
        assert one.dev_of_parts == pytest.approx(expected, rel=1e-12)
        assert one.dev == pytest.approx(sum(expected), rel=1e-12)
    assert [one.round for one in rounds] == list(range(1, len(rounds) + 1))


def test_without_held_out_sentences_all_parts_go_to_the_end():
    rounds = to_the_end(separate(dev=None, epochs=3))
    assert [(one.dev, one.dev_of_parts) for one in rounds] == [(None, None)] * 3
    trains = zip(to_the_end(alone(0, None, epochs=3)), to_the_end(alone(1, None, epochs=3)), strict=True)
    assert [one.train for one in rounds] == pytest.approx([tags.train + words.train for tags, words in trains])


@pytest.mark.parametrize("after", [2, "the first has stopped"])
def test_a_training_that_is_restored_goes_on_as_if_it_never_stopped(after):
    whole, again = separate(), separate()
    while (whole.round < after) if isinstance(after, int) else not any(part.finished for part in whole.parts):
        whole.run_round()
    arrays, state = whole.state()
    again.restore({name: array.copy() for name, array in arrays.items()}, json.loads(json.dumps(state)))
    rest, rest_again = to_the_end(whole), to_the_end(again)
    assert len(rest) > 1
    untimed = {"seconds": 0.0, "sentences_per_second": 0.0}
    assert [replace(one, **untimed) for one in rest] == [replace(one, **untimed) for one in rest_again]
    assert all(map(same_weights, whole.learners, again.learners))


def test_a_state_that_all_parts_shared_is_still_read():
    """As versions before wrote it, which stopped them together."""
    whole, again = separate(), separate()
    whole.run_round()
    arrays, state = whole.state()
    first, _ = state["parts"]
    again.restore(arrays, first | {"numbers": first["numbers"] | {"best_dev": -1.0}})  # no part is that good
    ran, ran_again = whole.run_round(), again.run_round()
    assert (ran.train, ran.dev) == (ran_again.train, ran_again.dev)
    assert [part.best_round for part in again.parts] == [2, 2]


def test_one_learner_or_agreement_is_one_training():
    for values in ({"agreement": True}, {"model": "sibling"}):
        learners = learners_of(**values)
        made = training_of(learners[0].settings, learners, CORPUS, None, 1, [CHAINS] * len(learners))
        assert isinstance(made, Training)


# ---------------------------------------------------------------- runs


def run(directory: Path | None = None) -> Run:
    return Run(configuration(**VALUES | {"patience": PATIENCE}), CORPUS, HELD_OUT, directory)


def test_a_run_keeps_the_best_weights_of_each_part_and_tells_how_it_went(tmp_path):
    model, finished = run(tmp_path / "run").go()
    assert finished
    lines = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text("utf-8").splitlines()]
    assert all(sum(line["dev_of_parts"]) == pytest.approx(line["dev"]) for line in lines)
    best = np.max([line["dev_of_parts"] for line in lines], axis=0)
    own = [part.problem(HELD_OUT).log_partition().mean() for part in model.parts.values()]
    assert own == pytest.approx(best, rel=1e-6)


def test_a_run_that_was_stopped_goes_on(tmp_path):
    def interrupt(progress: Progress) -> None:
        assert isinstance(progress.round, SeparateRound)
        if progress.done == 2:
            raise KeyboardInterrupt

    whole, _ = run().go()
    assert not run(tmp_path / "run").go(interrupt)[1]
    again = run(tmp_path / "run")
    again.resume()
    model, finished = again.go()
    assert finished
    assert model.history["rounds"] == whole.history["rounds"]
    assert np.array_equal(*(parse_corpus(one, HELD_OUT, Parsing()) for one in (model, whole)))


def test_before_the_first_round_all_parts_are_where_their_starts_led():
    for dev in (HELD_OUT, None):
        together, parts = separate(dev), [alone(part, dev).before() for part in (0, 1)]
        before = together.before()
        assert before is not None and before["train"] == pytest.approx(sum(part["train"] for part in parts))
        assert before["dev"] == (None if dev is None else pytest.approx(sum(part["dev"] for part in parts)))
        together.run_round()
        assert together.before() is None


def test_a_watched_training_of_parts_says_where_it_began():
    run = Run(configuration(**VALUES | {"epochs": 1}), CORPUS, HELD_OUT, watch=lambda model: {"uas_15": 50.0})
    run.go()
    assert run.history[0]["before"]["watched"] == {"uas_15": 50.0}
