"""What was wanted is told beside what was reached, met or not, by the numbers that are printed."""

from __future__ import annotations

import pytest
from experiments.tiny_ud import made_up_cell

from depinduce.experiments.polyglot import POLYGLOT, SCORED
from depinduce.experiments.polyglot_targets import TARGETS, target_rows
from depinduce.experiments.results import Results
from depinduce.experiments.ud import LANGUAGES


def rows_of(cells: list[dict], seeds: int = 2) -> dict[str, list[str]]:
    rows = target_rows(Results(cells, list(SCORED), seeds, suite="polyglot"))
    return {what: numbers for what, *numbers in rows}


def of_the_eight(experiment: str, *by_seed: float) -> list[dict]:
    """Minimum Bayes risk is one above these, and up to 40 words one below that."""
    return [made_up_cell(experiment, language, seed, uas) for language in LANGUAGES for seed, uas in enumerate(by_seed)]


@pytest.mark.parametrize(("uas", "met"), [(68.3, "yes"), (68.26, "yes"), (68.24, "no")])
def test_a_target_is_met_by_the_number_that_is_printed(uas, met):
    rows = rows_of(of_the_eight("adapt", uas), seeds=1)
    assert rows["adapt, average, ≤15 words"] == ["≥ 69.3", f"{uas + 1:.1f}", met]


def test_the_deviation_is_that_of_the_average_and_may_not_be_larger():
    assert rows_of(of_the_eight("adapt", 70, 71))["adapt, sd of the average over seeds, ≤15 words"] == [
        "≤ 0.7",
        "0.7",
        "yes",
    ]
    assert rows_of(of_the_eight("adapt", 70, 74))["adapt, sd of the average over seeds, ≤15 words"] == [
        "≤ 0.7",
        "2.8",
        "no",
    ]


def test_an_average_that_lacks_a_language_is_not_told():
    assert rows_of(of_the_eight("adapt", 70)[1:], seeds=1) == {}


def test_the_language_that_gains_least_is_told():
    cells = [made_up_cell("ud2-own", language, 0, uas) for language, uas in (("fr", 50), ("pl", 80))]
    cells += [made_up_cell("ud2-out-adapt", language, 0, uas) for language, uas in (("fr", 70), ("pl", 77.9))]
    rows = rows_of(cells, seeds=1)
    assert rows["ud2-out-adapt, French, ≤15 words"] == ["≥ 70", "71.0", "yes"]
    assert rows["ud2-out-adapt, the least above its own grammar (Polish), ≤15 words"] == ["≥ -2", "-2.1", "no"]


def test_every_target_is_about_an_experiment_and_languages_that_it_has():
    for target in TARGETS:
        assert set(target.languages) <= set(POLYGLOT[target.experiment].languages)
