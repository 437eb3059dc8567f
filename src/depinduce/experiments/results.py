"""Results of the experiments: finished cells, and their means over seeds and languages."""

from __future__ import annotations

import statistics
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from depinduce import __version__
from depinduce.experiments.experiment import Cell, name_of_trees
from depinduce.experiments.suites import EXPERIMENTS, SUITES, plan, read_cells
from depinduce.experiments.ud import LANGUAGES, LENGTHS
from depinduce.models.places import PARTS
from depinduce.parsing.decoding import DECODERS

AVERAGE = "average"
QUOTED_IN = {"ud": "ud", "wsj": "wsj", "compared": "wsj"}  # what the paper prints of a suite, see `paper_numbers`

Pick = Callable[[dict[str, Any]], float | None]  # one number of a cell's result


@dataclass(frozen=True)
class Spread:
    """Numbers of several seeds."""

    values: tuple[float, ...]
    asked: int  # seeds that were asked for

    @property
    def mean(self) -> float | None:
        return statistics.fmean(self.values) if self.values else None

    @property
    def sd(self) -> float | None:
        return statistics.stdev(self.values) if len(self.values) > 1 else None

    def __str__(self) -> str:
        """Mean ± standard deviation, and in brackets the number of seeds where some are missing."""
        if not self.values:
            return ""
        sd = "" if self.sd is None else f" ± {self.sd:.1f}"
        return f"{self.mean:.1f}{sd}{self.missing}"

    @property
    def missing(self) -> str:
        return f" ({len(self.values)})" if self.values and len(self.values) < self.asked else ""

    def to_json(self) -> dict[str, Any]:
        def rounded(value: float | None) -> float | None:
            return None if value is None else round(value, 4)

        return {"mean": rounded(self.mean), "sd": rounded(self.sd), "seeds": [rounded(value) for value in self.values]}


class Results:
    """The finished cells of some languages."""

    def __init__(
        self,
        cells: Sequence[dict[str, Any]],
        languages: Sequence[str],
        seeds: int,
        split: str = "test",
        suite: str = "ud",
        start: str | None = None,
    ):
        self.languages, self.seeds, self.split, self.suite = list(languages), seeds, split, suite
        self.trees = None if start is None else name_of_trees(start)  # that took the place of HDP-DEP's
        self.cells = {(cell["experiment"], cell["language"], cell["seed"]): cell for cell in cells}

    @classmethod
    def read(
        cls,
        out: Path,
        languages: Sequence[str],
        seeds: int,
        split: str = "test",
        suite: str = "ud",
        start: str | None = None,
    ) -> Results:
        """Whatever is there, of all experiments of a suite. start: a file of trees in the place of HDP-DEP's"""
        found = read_cells(plan(SUITES[suite], languages, seeds, split), out, start)
        return cls(list(found.values()), languages, seeds, split, suite, start)

    @property
    def experiments(self) -> list[str]:
        """The experiments with a finished cell."""
        return [name for name in SUITES[self.suite] if any(experiment == name for experiment, _, _ in self.cells)]

    def lacking(self, cells: Iterable[Cell]) -> list[Cell]:
        """Those of the cells that are not finished."""
        return [cell for cell in cells if (cell.experiment, cell.language, cell.seed) not in self.cells]

    @property
    def codes(self) -> int:
        """How many different states of the code the cells come from."""
        return len({cell.get("code") for cell in self.cells.values()})

    def spread(self, experiment: str, language: str | Sequence[str], pick: Pick) -> Spread:
        """A number of the cells of one language, or of the average of all or of some languages in every seed."""
        if language == AVERAGE:
            languages = [name for name in self.languages if name in EXPERIMENTS[experiment].languages]
        else:
            languages = [language] if isinstance(language, str) else language
        seeds, values = EXPERIMENTS[experiment].seeds(self.seeds), []
        for seed in seeds:
            cells = [self.cells.get((experiment, name, seed)) for name in languages]
            numbers = [pick(cell) for cell in cells if cell is not None]
            known = [number for number in numbers if number is not None]
            if known and len(known) == len(cells):
                values.append(statistics.fmean(known))
        return Spread(tuple(values), len(seeds))

    def knowledge(self, experiment: str) -> str:
        """What an experiment is told about the language."""
        return knowledge(experiment, self.trees)

    def to_json(self) -> dict[str, Any]:
        """Every mean with its seeds, beside what the paper prints."""
        groups = [*self.languages, AVERAGE] if len(self.languages) > 1 else self.languages
        experiments = {
            name: {
                "recipe": EXPERIMENTS[name].recipe,
                "knowledge": self.knowledge(name),
                **({} if (split := EXPERIMENTS[name].scored_on(self.split)) == self.split else {"split": split}),
                **{
                    language: self._numbers(name, language)
                    for language in groups
                    if language in (*EXPERIMENTS[name].languages, AVERAGE)
                },
            }
            for name in self.experiments
            if not EXPERIMENTS[name].watched
        }
        about = {
            "depinduce": __version__,
            "trees": self.trees,
            "split": self.split,
            "seeds": self.seeds,
            "languages": self.languages,
        }
        paper = {"paper": paper_numbers(QUOTED_IN[self.suite])} if self.suite in QUOTED_IN else {}
        return about | {"experiments": experiments} | paper

    def _numbers(self, experiment: str, language: str) -> dict[str, Any]:
        lengths = EXPERIMENTS[experiment].lengths
        picks: dict[str, dict[str, Pick]] = {
            decoder: {length: uas(length, decoder) for length in lengths} for decoder in DECODERS
        }
        for part in PARTS if EXPERIMENTS[experiment].configuration().learning.entry.is_joint else ():
            for decoder in DECODERS:
                picks[f"{part} alone, {decoder}"] = {length: uas(length, decoder, part) for length in lengths}
        if self.suite in ("polyglot", "corrections"):
            picks["training"] = {name: recorded(name) for name in ("learning", "seconds")}
        else:
            picks["log_likelihood"] = {part: log_likelihood(part) for part in ("train", "dev")}
            picks["training"] = {name: recorded(name) for name in ("epochs", "seconds")}
        return {
            group: {name: self.spread(experiment, language, pick).to_json() for name, pick in members.items()}
            for group, members in picks.items()
        }


def uas(length: str, decoder: str = "viterbi", part: str | None = None) -> Pick:
    """The attachment score; of a joint model, that of one part alone if it is named."""
    if part is None:
        return lambda cell: cell["scores"][decoder][length]
    return lambda cell: cell["parts"][part][decoder][length] if part in cell["parts"] else None


def log_likelihood(part: str) -> Pick:
    return lambda cell: cell["log_likelihood"][part]


def recorded(name: str) -> Pick:
    return lambda cell: cell.get(name)


RULES = {"penn": "universal rules", "ud": "universal rules for UD", "english": "English rules"}


def knowledge(experiment: str, trees: str | None = None) -> str:
    """What an experiment is told about the language. trees: those of a file, in the place of HDP-DEP's"""
    settings = EXPERIMENTS[experiment].configuration().learning
    known: list[str] = []
    if settings.constrained_tags:
        stages = settings.constraint
        tags = " ".join(settings.constrained_tags)
        known += [f"function-word constraint ({tags} head nothing) in {', '.join(stages)}"] if stages else []
    if settings.rules is not None:
        known.append(f"{RULES.get(settings.rules, settings.rules)} in training")
    if settings.init[0] == "hdp-dep" and trees is not None:
        known.append(f"whatever made the trees of {trees}, in the start")
    elif settings.init[0] == "hdp-dep":
        known += [f"{RULES.get(rules, rules)} in the start" for rules in settings.init[1:]]
    known += EXPERIMENTS[experiment].sources
    return " and ".join(known) or "none"


def paper_numbers(suite: str = "ud") -> dict[str, Any]:
    """What the paper prints."""
    file = resources.files("depinduce.experiments") / f"paper_{suite}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def misprinted_averages() -> list[tuple[str, str, float, float]]:
    """Columns of table 2 whose printed average is not that of the rows: (column, length, computed, printed)."""
    table, wrong = paper_numbers()["table2"], []
    for length in LENGTHS:
        for number, column in enumerate(table["columns"]):
            computed = statistics.fmean(table[length][language][number] for language in LANGUAGES)
            printed = table[length][AVERAGE][number]
            if abs(computed - printed) >= 0.1:  # less is rounding
                wrong.append((column, length, computed, printed))
    return wrong
