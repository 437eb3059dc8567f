"""The tables of the experiments on many languages: what each grammar knows, and how it scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from depinduce.evaluation.tables import Table
from depinduce.experiments.experiment import Experiment
from depinduce.experiments.polyglot import EIGHT, SCORED, SIX, THREE
from depinduce.experiments.results import AVERAGE, Results
from depinduce.experiments.suites import EXPERIMENTS
from depinduce.experiments.ud_tables import Captioned, both_lengths

DECODED = {"mbr": "minimum Bayes risk", "viterbi": "Viterbi"}
CONSTRAINT = (
    "All of them are told that function words (ADP AUX CONJ CCONJ DET PART SCONJ) head nothing, in start, training and "
    "parsing; no rules, no trees."
)
SECONDS = (
    "Seconds of learning on one core: own, that of the grammar; order-free and out-universal, the pooling of all "
    "languages, after their own grammars; the others, from a universal grammar to that of the language."
)


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
    overviews = [overview(results, group) for group in groups]
    return overviews + [by_language(results, group, decoder) for group in groups for decoder in DECODED]


def overview(results: Results, group: Group) -> Captioned:
    """What each grammar knows, and its mean over the languages."""
    rows, languages = [], group.languages(results)
    for name in group.found(results):
        means = [both_lengths(results, name, languages, decoder) for decoder in DECODED]
        seconds = results.spread(name, languages, learning_seconds).mean
        shown = "" if seconds is None else f"{seconds:.1f}"
        rows.append([group.label(name), *means, shown, " and ".join(EXPERIMENTS[name].sources)])
    title = group.title_of(results, f"average of {' '.join(languages)}")
    notes = [CONSTRAINT, SECONDS, *([group.note] if group.note else [])]
    return Captioned(Table(title, ["", *DECODED.values(), "seconds", "it knows"], rows), notes)


def by_language(results: Results, group: Group, decoder: str) -> Captioned:
    """Every language, and the average of those in the table."""
    names, languages = group.found(results), group.languages(results)
    of: dict[str, list[str]] = {SCORED[language]: [language] for language in languages}
    if len(languages) > 1:
        of[AVERAGE] = languages
    rows = [[title, *(both_lengths(results, name, some, decoder) for name in names)] for title, some in of.items()]
    title = group.title_of(results, DECODED[decoder])
    return Captioned(Table(title, ["", *map(group.label, names)], rows), [CONSTRAINT])


def learning_seconds(cell: dict[str, Any]) -> float:
    """How long a cell learned or, if it did not, how long the learning of the grammar took that it scores."""
    return sum(cell["learning_before"].values()) if cell["learning"] is None else cell["learning"]
