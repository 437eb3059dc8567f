"""The tables on many languages say what the cells say, and what each grammar knows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from experiments.tiny_ud import made_up_cell

from depinduce.experiments.polyglot import SCORED
from depinduce.experiments.polyglot_tables import IN_UD, polyglot_tables, quoted_ud
from depinduce.experiments.results import AVERAGE, Results
from depinduce.experiments.ud import LANGUAGES


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
        "seeds": "2",
        "it knows": "the language's own text",
    }
    assert overview["left out: universal"]["Viterbi"] == "51.0 (1) / 50.0 (1)"
    assert overview["left out: universal"]["it knows"] == "text of other languages"
    assert overview["left out: adapt"]["seconds"] == "3.0"
    assert overview["left out: adapt"]["it knows"] == "the language's own text and that of other languages"


def test_every_decoder_has_a_table_by_language():
    tables = tables_of([cell("adapt", "fr", 0, 60), cell("adapt", "pl", 0, 70), cell("own", "pl", 0, 40)], seeds=1)
    by_decoder = {title.partition("words, ")[2].partition(";")[0]: rows for title, rows in tables.items()}
    assert by_decoder["Viterbi"]["French"] == {IN_UD: "65.9 ± 1.5 / 64.4 ± 2.1", "own": "", "adapt": "60.0 / 59.0"}
    polish = {IN_UD: "79.4 ± 0.2 / 77.3 ± 0.2", "own": "41.0 / 40.0", "adapt": "71.0 / 70.0"}
    assert by_decoder["minimum Bayes risk"]["Polish"] == polish
    assert by_decoder["minimum Bayes risk"]["average"] == {IN_UD: "", "own": "", "adapt": "66.0 / 65.0"}


def test_each_world_has_tables_of_its_own():
    cells = [cell("own", "fr", 0, 60), cell("ud2-own", "fr", 0, 50), cell("more-own", "ru", 0, 40)]
    tables = tables_of(cells, seeds=1)
    assert len(tables) == 9  # an overview and two decoders, three times
    shown = {title.partition(":")[0]: rows for title, rows in tables.items() if "Viterbi" in title}
    assert shown["UD 1.4, the eight languages"]["French"]["own"] == "60.0 / 59.0"
    assert shown["UD 2, six languages"]["French"]["own"] == "50.0 / 49.0"
    assert shown["UD 1.4, three more languages"]["Russian"]["own"] == "40.0 / 39.0"
    assert {title.partition("; ")[2].split()[0] for title in tables if "three more" in title} == {"dev"}


def test_what_learns_from_few_sentences_says_so():
    tables = tables_of([cell("ud2-out-adapt-10", "fr", 0, 60)], seeds=1)
    (row,) = next(iter(tables.values())).values()
    assert row["it knows"] == "10 sentences of its own text and that of other languages"


def test_quoted_numbers_are_those_of_the_page_and_only_beside_test_sentences_of_all_eight():
    page = json.loads((Path(__file__).parents[2] / "docs" / "results" / "ud" / "ud.json").read_text("utf-8"))
    numbers = page["experiments"]["sibling"]
    for decoder, quoted in quoted_ud().items():
        for language, text in quoted.items():
            spreads = [numbers[language][decoder][length] for length in ("15", "40")]
            assert text == " / ".join(f"{spread['mean']:.1f} ± {spread['sd']:.1f}" for spread in spreads)
        assert set(quoted) == {*LANGUAGES, AVERAGE}
    cells = [cell("own", language, 0, 60) for language in LANGUAGES]
    overview = next(iter(tables_of(cells, seeds=1).values()))
    assert overview[IN_UD]["minimum Bayes risk"] == "65.4 ± 0.5 / 63.9 ± 0.4"
    assert IN_UD not in next(iter(tables_of(cells[1:], seeds=1).values()))
    on_dev = polyglot_tables(Results(cells, list(SCORED), 1, "dev", suite="polyglot"))
    assert all(
        IN_UD not in [*captioned.table.columns, *(row[0] for row in captioned.table.rows)] for captioned in on_dev
    )


def test_ceilings_stand_beside_the_average_of_the_languages_that_have_one():
    cells = [cell("own", language, 0, uas) for language, uas in (("de", 50), ("fr", 60), ("pl", 70))]
    cells += [cell("ceiling-sibling", language, 0, 80, learning=0.1, learning_before={}) for language in ("fr", "pl")]
    tables = tables_of(cells, seeds=1)
    every, some = [rows for title, rows in tables.items() if "average of" in title]
    assert every["own"]["Viterbi"] == "60.0 / 59.0"
    assert "ceiling-sibling" not in every
    assert some["own"]["Viterbi"] == "65.0 / 64.0"
    assert some["ceiling-sibling"]["Viterbi"] == "80.0 / 79.0"
    assert "supervised" in some["ceiling-sibling"]["it knows"]
    by_language = next(rows for title, rows in tables.items() if "Viterbi" in title)
    assert by_language["average"]["own"] == "60.0 / 59.0"
    assert by_language["average"]["ceiling-sibling"] == by_language["German"]["ceiling-sibling"] == ""
    assert by_language["of fr pl"]["ceiling-sibling"] == "80.0 / 79.0"


def test_members_of_committees_are_shown_with_their_agreement():
    def committee(seed: int, agreement: float, joined: bool) -> dict[str, Any]:
        names = ["order-free", "own", "student"] if joined else ["order-free", "student"]
        parts = {name: {"mbr": {"15": 50.0 + number, "40": 40.0}} for number, name in enumerate(names)}
        about = {"agreement": agreement, "own_joined": joined}
        return cell("adapt", "fr", seed, 70, learning=5.0, parts=parts, committee=about)

    tables = tables_of([committee(0, 0.5, False), committee(1, 0.75, True)])
    (rows,) = [rows for title, rows in tables.items() if "members of adapt" in title]
    assert rows["French"] == {
        "order-free": "50.0 ± 0.0 / 40.0 ± 0.0",
        "own": "51.0 (1) / 40.0 (1)",
        "student": "51.5 ± 0.7 / 40.0 ± 0.0",
        "committee": "71.0 ± 0.0 / 70.0 ± 0.0",
        "own and order-free agree (%)": "62.5",
        "own joined": "1/2",
    }
    assert next(iter(tables.values()))["adapt"]["seconds"] == "17.0"  # with its own grammar
