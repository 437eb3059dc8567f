"""The tables on many languages say what the cells say, and what each grammar knows."""

from __future__ import annotations

from typing import Any

from experiments.tiny_ud import made_up_cell

from depinduce.experiments.polyglot import SCORED
from depinduce.experiments.polyglot_tables import polyglot_tables
from depinduce.experiments.results import Results


def cell(experiment: str, language: str, seed: int, uas: float, **more: Any) -> dict[str, Any]:
    learned = {"learning": None, "learning_before": {"own": 12.0}}
    return made_up_cell(experiment, language, seed, uas, **{**learned, **more})


def tables_of(cells: list[dict[str, Any]], seeds: int = 2) -> dict[str, dict[str, dict[str, str]]]:
    """The tables by their titles, with their rows by names."""
    tables = [captioned.table for captioned in polyglot_tables(Results(cells, list(SCORED), seeds, suite="polyglot"))]
    return {
        table.title: {row[0]: dict(zip(table.columns[1:], row[1:], strict=True)) for row in table.rows}
        for table in tables
    }


def test_an_overview_tells_means_seconds_and_what_a_grammar_knows():
    cells = [cell("own", name, seed, uas + seed) for name, uas in (("fr", 60), ("pl", 70)) for seed in (0, 1)]
    cells += [cell("out-universal", "fr", 0, 50), cell("out-universal", "pl", 0, 52)]
    cells += [
        cell("out-adapt", name, 0, 66, learning=3.0, learning_before={"universal": 50.0}) for name in ("fr", "pl")
    ]
    (overview, *_), (title, *_) = (list(part) for part in (tables_of(cells).values(), tables_of(cells)))
    assert title.startswith("UD 1.4, the eight languages: UAS (%), ≤15 / ≤40 words, average of fr pl; test sentences")
    assert overview["own"] == {
        "minimum Bayes risk": "66.5 ± 0.7 / 65.5 ± 0.7",
        "Viterbi": "65.5 ± 0.7 / 64.5 ± 0.7",
        "seconds": "12.0",
        "it knows": "the language's own text",
    }
    assert overview["left out: universal"]["Viterbi"] == "51.0 (1) / 50.0 (1)"
    assert overview["left out: universal"]["it knows"] == "text of other languages"
    assert overview["left out: adapt"]["seconds"] == "3.0"
    assert overview["left out: adapt"]["it knows"] == "the language's own text and that of other languages"


def test_every_decoder_has_a_table_by_language():
    tables = tables_of([cell("adapt", "fr", 0, 60), cell("adapt", "pl", 0, 70), cell("own", "pl", 0, 40)], seeds=1)
    by_decoder = {title.partition("words, ")[2].partition(";")[0]: rows for title, rows in tables.items()}
    assert by_decoder["Viterbi"]["French"] == {"own": "", "adapt": "60.0 / 59.0"}
    assert by_decoder["minimum Bayes risk"]["Polish"] == {"own": "41.0 / 40.0", "adapt": "71.0 / 70.0"}
    assert by_decoder["minimum Bayes risk"]["average"] == {"own": "", "adapt": "66.0 / 65.0"}


def test_each_world_has_tables_of_its_own():
    cells = [cell("own", "fr", 0, 60), cell("ud2-own", "fr", 0, 50), cell("more-own", "ru", 0, 40)]
    tables = tables_of(cells, seeds=1)
    assert len(tables) == 9
    shown = {title.partition(":")[0]: rows for title, rows in tables.items() if "Viterbi" in title}
    assert shown["UD 1.4, the eight languages"]["French"]["own"] == "60.0 / 59.0"
    assert shown["UD 2, six languages"]["French"]["own"] == "50.0 / 49.0"
    assert shown["UD 1.4, three more languages"]["Russian"]["own"] == "40.0 / 39.0"
    assert {title.partition("; ")[2].split()[0] for title in tables if "three more" in title} == {"dev"}


def test_what_learns_from_few_sentences_says_so():
    tables = tables_of([cell("ud2-out-adapt-10", "fr", 0, 60)], seeds=1)
    (row,) = next(iter(tables.values())).values()
    assert row["it knows"] == "10 sentences of its own text and that of other languages"
