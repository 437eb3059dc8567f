"""The tables and the picture of learning from some trees."""

from __future__ import annotations

from collections.abc import Sequence

from depinduce.evaluation.tables import Table
from depinduce.experiments.corrections import DRAWS, POOL, RECIPES, TRAINING_SEEDS, TREES, name_of
from depinduce.experiments.polyglot import SCORED
from depinduce.experiments.results import Results, Spread, uas
from depinduce.experiments.ud_tables import Captioned
from depinduce.report.curves import Series, line_chart

LENGTHS = ("15", "40")
NOTES = [
    "Supervised in part: as many gold trees as the row says. All rows have the function-word constraint, adapt also "
    "the text of other languages (the universal grammar in the box); no rules.",
    f"Means of {DRAWS} draws of trees × {TRAINING_SEEDS} seeds (without trees: of the seeds). Trees of fr pl eu are "
    f"drawn from their training files and scored on dev; of ru ar ja {POOL} dev sentences can be drawn, and the others "
    "are scored.",
]


def correction_tables(results: Results) -> list[Captioned]:
    """Every recipe by itself, for short sentences and for longer ones."""
    tables = [_table(results, recipe, length) for recipe in RECIPES for length in LENGTHS]
    return [captioned for captioned in tables if captioned.table.rows]


def _spread(results: Results, name: str, languages: Sequence[str], length: str) -> Spread:
    """Of every language its mean over what there is; of several, the mean of these."""
    pick = uas(length, "mbr")
    of_each = [results.spread(name, language, pick) for language in languages]
    if len(of_each) == 1:
        return of_each[0]
    means = [one.mean for one in of_each if one.mean is not None]
    return Spread((sum(means) / len(means),) if means and len(means) == len(of_each) else (), 1)


def _table(results: Results, recipe: str, length: str) -> Captioned:
    languages = results.languages
    groups = [[language] for language in languages] + ([languages] if len(languages) > 1 else [])
    rows = [["without trees", *(str(_spread(results, name_of(recipe, 0), some, length)) for some in groups)]]
    for trees in TREES:
        for with_text, told in ((True, f"{trees} trees"), (False, f"{trees} trees, no other text")):
            name = name_of(recipe, trees, with_text)
            rows.append([told, *(str(_spread(results, name, some, length)) for some in groups)])
    columns = ["", *(SCORED[language] for language in languages), *(["average"] if len(languages) > 1 else [])]
    title = f"{recipe}, minimum Bayes risk, UAS (%), ≤{length} words"
    return Captioned(Table(title, columns, [row for row in rows if any(row[1:])]), NOTES)


def correction_figure(results: Results) -> dict[str, str]:
    """The means of all languages over the number of trees, which are as far apart as their logarithms."""
    lines = list[Series]()
    for colour, recipe in enumerate(RECIPES):
        for with_text in (True, False):
            points = []
            for place, trees in enumerate((0, *TREES)):
                if trees or with_text:
                    mean = _spread(results, name_of(recipe, trees, with_text), results.languages, "15").mean
                    points += [] if mean is None else [(float(place), mean)]
            if points:
                told = recipe if with_text else f"{recipe}, trees alone"
                lines.append(Series(told, points, colour, dashed=not with_text))
    if not lines:
        return {}
    steps = [str(trees) for trees in (0, *TREES)]
    return {
        "corrections.svg": line_chart(
            "A few trees",
            "gold trees beside the text",
            "UAS (%), ≤15 words",
            lines,
            f"The mean of {len(results.languages)} languages with {', '.join(steps)} trees, with text and without.",
            names=steps,
        )
    }
