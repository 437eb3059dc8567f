"""The tables and the picture of learning from some trees."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from depinduce.evaluation.tables import Table
from depinduce.experiments.corrections import (
    CORRECTIONS,
    DRAWS,
    POOL,
    RECIPES,
    TRAINING_SEEDS,
    TREES,
    CorrectionExperiment,
    name_of,
)
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
    f"are scored. All {POOL} of these are one draw, of {TRAINING_SEEDS} seeds.",
]


GAIN_NOTE = (
    "Every training with trees and text less the one with the same seed and no trees, or with the same trees and no "
    "other text: mean ± standard error. The average is that of the languages."
)


def correction_tables(results: Results) -> list[Captioned]:
    """Every recipe by itself, for short sentences and for longer ones, and what trees and text add to each other."""
    tables = [_table(results, recipe, length) for recipe in RECIPES for length in LENGTHS]
    tables += [_gains(results, recipe) for recipe in RECIPES]
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


def _gains(results: Results, recipe: str) -> Captioned:
    """How much better trees and text are than either alone."""
    rows = list[list[str]]()
    for trees in TREES:
        for beside, told in ((name_of(recipe, 0), "text alone"), (name_of(recipe, trees, False), "trees alone")):
            found = [_gain(results, name_of(recipe, trees), beside, language) for language in results.languages]
            if all(found):
                spreads = [_mean_and_error(gains) for gains in found]
                cells = [f"{mean:+.1f} ± {error:.1f}" for mean, error in spreads]
                average = statistics.fmean(mean for mean, _ in spreads)
                rows.append([f"{trees} trees and text, over {told}", *cells, f"{average:+.1f}"])
    columns = ["", *(SCORED[language] for language in results.languages), "average"]
    return Captioned(Table(f"{recipe}: gains in UAS, minimum Bayes risk, ≤15 words", columns, rows), [GAIN_NOTE])


def _gain(results: Results, name: str, beside: str, language: str) -> list[float]:
    """The differences between two experiments, of the seeds that both have."""
    pick, experiment, other = uas("15", "mbr"), _experiment(name), _experiment(beside)
    gains = list[float]()
    for seed in experiment.seeds(results.seeds):
        pair = (name, language, seed), (beside, language, seed if other.trees else experiment.training_seed(seed))
        one, two = (pick(results.cells[key]) if key in results.cells else None for key in pair)
        if one is not None and two is not None:
            gains.append(one - two)
    return gains


def _mean_and_error(numbers: Sequence[float]) -> tuple[float, float]:
    error = statistics.stdev(numbers) / len(numbers) ** 0.5 if len(numbers) > 1 else 0.0
    return statistics.fmean(numbers), error


def _experiment(name: str) -> CorrectionExperiment:
    experiment = CORRECTIONS[name]
    assert isinstance(experiment, CorrectionExperiment)
    return experiment


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
