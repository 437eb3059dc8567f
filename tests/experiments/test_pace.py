"""The time left: guessed from the settings first, then from what the finished cells took."""

from __future__ import annotations

from pathlib import Path

import pytest
from experiments.tiny_ud import tiny_data

from depinduce.corpus import read_sentences
from depinduce.experiments.experiment import Cell
from depinduce.experiments.pace import Pace, count_sentences, guess_of, seconds_per_thousand
from depinduce.experiments.suites import EXPERIMENTS
from depinduce.experiments.ud import JOINT, UD
from depinduce.learning.settings.configuration import configure


@pytest.fixture
def data(tmp_path) -> Path:
    return tiny_data(tmp_path / "data")


@pytest.fixture
def pace(data) -> Pace:
    return Pace(guess_of(data))


def test_every_experiment_has_a_guess():
    guesses = {
        name: seconds_per_thousand(experiment.configuration().learning) for name, experiment in EXPERIMENTS.items()
    }
    assert all(0.5 < guesses[name] < 30 for name in UD)
    assert all(20 < guesses[name] < 150 for name in JOINT)
    assert guesses["paper-sibling-em"] > 2 * guesses["paper-sibling"]
    assert guesses["paper-grand"] > guesses["paper-sibling"]
    assert guesses["jiang-ndmv"] == min(guesses[name] for name in UD)  # a hundred steps on one table are not slow


def test_a_guess_counts_the_start_growing_lengths_every_rung_and_the_end():
    """In epochs of one model: what a setting adds to them."""
    one = {"model": "ndmv", "batch_size": 100, "epochs": 4, "start_epochs": 0, "patience": 100}
    more = {"start_epochs": (3, 3), "grow_from": (13, 1), "epochs": (9, 5), "ladder": (["ndmv"], 4)}

    def guess(**changes) -> float:
        return seconds_per_thousand(configure(one | changes).learning)

    epoch = guess() / 4
    added = {name: guess(**{name: value}) / epoch - 4 for name, (value, _) in more.items()}
    assert added == pytest.approx({name: epochs for name, (_, epochs) in more.items()})
    assert [guess(epochs=100, patience=5), guess(epochs=100)] == pytest.approx([30 * epoch, 100 * epoch])


def test_finished_cells_correct_the_guess_of_their_experiment(pace):
    done, left = Cell("ndmv", "fr", 0), Cell("ndmv", "fr", 1)
    pace.finished(done, 100.0)
    assert pace.taken == 100.0
    assert pace.left([left]) == pytest.approx(100.0)


def test_a_slow_experiment_says_nothing_of_one_that_was_quick(pace):
    quick, slow = Cell("ndmv", "fr", 0), Cell("grand", "fr", 0)
    pace.finished(quick, 2 * pace.guess(quick))
    pace.finished(slow, 10 * pace.guess(slow))
    again = Cell("ndmv", "pl", 1), Cell("grand", "pl", 1)
    assert [pace.left([cell]) / pace.guess(cell) for cell in again] == pytest.approx([2, 10])


def test_what_has_not_been_seen_is_corrected_by_the_rest(pace):
    pace.finished(Cell("ndmv", "fr", 0), 3 * pace.guess(Cell("ndmv", "fr", 0)))
    pace.finished(Cell("grand", "fr", 0), 3 * pace.guess(Cell("grand", "fr", 0)))
    unseen = Cell("sibling", "pl", 0)
    assert pace.left([unseen]) == pytest.approx(3 * pace.guess(unseen))
    assert pace.left([]) == 0


def test_sentences_are_counted_without_reading_them(data):
    assert count_sentences(data / "fr" / "train.conllu", 100) == 24
    assert count_sentences(data / "pl" / "train.conllu", 100) == 28
    short = sum(len(sentence) <= 5 for sentence in read_sentences(data / "pl" / "train.conllu"))
    assert count_sentences(data / "pl" / "train.conllu", 5) == short
    assert 0 < short < 28
