"""The tables of the experiments on many languages: what each grammar knows, and how it scores."""

from __future__ import annotations

import statistics
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from depinduce.evaluation.tables import Table
from depinduce.experiments.experiment import Experiment
from depinduce.experiments.polyglot import CEILINGS, EIGHT, SCORED, SIX, THREE
from depinduce.experiments.polyglot_targets import target_rows
from depinduce.experiments.results import AVERAGE, Results
from depinduce.experiments.suites import EXPERIMENTS
from depinduce.experiments.ud import LANGUAGES
from depinduce.experiments.ud_tables import Captioned, both_lengths
from depinduce.models.places import MEMBERS

DECODED = {"mbr": "minimum Bayes risk", "viterbi": "Viterbi"}
CONSTRAINT = (
    "All of them are told that function words (ADP AUX CONJ CCONJ DET PART SCONJ) head nothing; no rules. Gold trees "
    "teach the ceilings alone, which show how far a grammar over tags could get."
)
SECONDS = (
    "Seconds of learning on one core. Own: its training. Order-free, and the universal order: the pooling of all "
    "languages, after their own grammars. Left out and order-free, and adapt: from a universal grammar to that of the "
    "language, its own grammar included where the text is long enough for one."
)
IN_UD = "own in ud.md"  # quoted


@dataclass(frozen=True)
class Group:
    """Languages that are scored together."""

    title: str
    experiments: Mapping[str, Experiment]
    prefix: str = ""  # of the names of its experiments
    note: str = ""

    def found(self, results: Results) -> list[str]:
        """Its experiments with a finished cell."""
        return [name for name in self.experiments if name in results.experiments]

    def languages(self, results: Results) -> list[str]:
        """Its languages with a finished cell."""
        there = {language for experiment, language, _ in results.cells if experiment in self.experiments}
        return [language for language in results.languages if language in there]

    def label(self, experiment: str) -> str:
        return experiment.removeprefix(self.prefix).replace("out-", "left out: ")

    def averages(self, results: Results) -> list[list[str]]:
        """The languages that are averaged: all of them, and those that have a ceiling."""
        every = self.languages(results)
        of_ceilings = {language for experiment, language, _ in results.cells if experiment in CEILINGS}
        some = [language for language in every if language in of_ceilings]
        if len(every) < 2 or self.experiments is not EIGHT or len(some) < 2 or some == every:
            return [every]
        return [every, some]

    def title_of(self, results: Results, what: str) -> str:
        scored_on = next(iter(self.experiments.values())).scored_on(results.split)
        seeds = "1 seed" if results.seeds == 1 else f"mean ± sd of up to {results.seeds} seeds"
        return f"{self.title}: UAS (%), ≤15 / ≤40 words, {what}; {scored_on} sentences, {seeds}"


GROUPS = (
    Group("UD 1.4, the eight languages", EIGHT),
    Group("UD 1.4, three more languages", THREE, "more-", "Left out with Japanese is ja_ktc, which is Japanese, too."),
    Group(
        "UD 2, six languages",
        SIX,
        "ud2-",
        "Dev sentences are part of the texts. Where a language is left out, no other language has learned from its "
        "text; out-order-free and out-adapt then learn from it, or from 50 or 10 sentences drawn by the seed.",
    ),
)


def polyglot_tables(results: Results) -> list[Captioned]:
    """All tables, of whatever is there."""
    groups = [group for group in GROUPS if group.found(results)]
    tables = [overview(results, group, languages) for group in groups for languages in group.averages(results)]
    if rows := target_rows(results):
        tables.append(targets(results, rows))
    tables += [by_language(results, group, decoder) for group in groups for decoder in DECODED]
    return tables + [
        members(results, group, name) for group in groups for name in group.found(results) if _committees(results, name)
    ]


def overview(results: Results, group: Group, languages: list[str]) -> Captioned:
    """What each grammar knows, and its mean over some languages."""
    rows = []
    for name in group.found(results):
        seconds = results.spread(name, languages, learning_seconds)
        if seconds.mean is not None:
            means = [both_lengths(results, name, languages, decoder) for decoder in DECODED]
            told = [f"{seconds.mean:.1f}", str(len(seconds.values)), " and ".join(EXPERIMENTS[name].sources)]
            rows.append([group.label(name), *means, *told])
    if group.experiments is EIGHT and results.split == "test" and languages == list(LANGUAGES):
        quoted = [quoted_ud()[decoder][AVERAGE] for decoder in DECODED]
        rows.insert(0, [IN_UD, *quoted, "", "5", " and ".join(EXPERIMENTS["own"].sources)])
    title = group.title_of(results, f"average of {' '.join(languages)}")
    notes = [CONSTRAINT, SECONDS, *([group.note] if group.note else [])]
    return Captioned(Table(title, ["", *DECODED.values(), "seconds", "seeds", "it knows"], rows), notes)


def targets(results: Results, rows: list[list[str]]) -> Captioned:
    """What was to be shown, and whether it was."""
    title = "What was wanted and what was reached: UAS (%), minimum Bayes risk"
    note = f"Of the eight languages {results.split} sentences, of the others dev sentences."
    return Captioned(Table(title, ["", "wanted", "reached", "met"], rows), [note, CONSTRAINT])


def by_language(results: Results, group: Group, decoder: str) -> Captioned:
    """Every language, and the averages of those in the table."""
    names, languages = group.found(results), group.languages(results)
    of: dict[str, list[str]] = {SCORED[language]: [language] for language in languages}
    if len(languages) > 1:
        of |= {AVERAGE if some == languages else f"of {' '.join(some)}": some for some in group.averages(results)}
    rows = [[title, *(both_lengths(results, name, some, decoder) for name in names)] for title, some in of.items()]
    columns = ["", *map(group.label, names)]
    if group.experiments is EIGHT and results.split == "test":
        columns.insert(1, IN_UD)
        for row, some in zip(rows, of.values(), strict=True):
            name = some[0] if len(some) == 1 else AVERAGE if some == list(LANGUAGES) else ""
            row.insert(1, quoted_ud()[decoder].get(name, ""))
    return Captioned(Table(group.title_of(results, DECODED[decoder]), columns, rows), [CONSTRAINT])


def members(results: Results, group: Group, experiment: str) -> Captioned:
    """The members of the committees of an experiment: how they score alone, and whether they agree."""
    rows = []
    for language in group.languages(results):
        cells = [cell for cell in _committees(results, experiment) if cell["language"] == language]
        if cells:
            alone = [both_lengths(results, experiment, language, "mbr", part) for part in MEMBERS]
            agreement = statistics.fmean(100 * cell["committee"]["agreement"] for cell in cells)
            joined = sum(cell["committee"]["own_joined"] for cell in cells)
            together = both_lengths(results, experiment, language, "mbr")
            rows.append([SCORED[language], *alone, together, f"{agreement:.1f}", f"{joined}/{len(cells)}"])
    columns = ["", *MEMBERS, "committee", "own and order-free agree (%)", "own joined"]
    title = group.title_of(results, f"members of {group.label(experiment)}, minimum Bayes risk")
    note = "An own grammar that agrees too little with the order-free one does not join, and has no score here."
    return Captioned(Table(title, columns, rows), [CONSTRAINT, note])


def _committees(results: Results, experiment: str) -> list[dict[str, Any]]:
    """The cells of an experiment that are committees."""
    return [cell for (name, _, _), cell in results.cells.items() if name == experiment and cell.get("parts")]


def learning_seconds(cell: dict[str, Any]) -> float:
    """How long a cell learned, its own grammar included; if it did not, how long what it scores took to learn."""
    before = cell["learning_before"]
    if cell["learning"] is None:
        return sum(before.values())
    return cell["learning"] + (before.get("own", 0.0) if cell.get("committee") else 0.0)


@cache
def quoted_ud() -> dict[str, dict[str, str]]:
    """`ud-sibling` as docs/results/ud.md has it, by decoder and language."""
    file = resources.files("depinduce.experiments") / "quoted_ud.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))
