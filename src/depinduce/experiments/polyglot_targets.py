"""What the experiments on many languages set out to reach, and what they have reached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from depinduce.experiments.polyglot import OF_UD2, SCORED
from depinduce.experiments.results import Results, Spread, uas
from depinduce.experiments.ud import LANGUAGES

Number = Callable[[Spread], float | None]


@dataclass(frozen=True)
class Target:
    """A number that an experiment should reach, by minimum Bayes risk."""

    experiment: str
    languages: tuple[str, ...]  # their average
    length: str
    wanted: float
    what: str = "average"
    number: Number = lambda spread: spread.mean
    at_most: bool = False

    def reached(self, results: Results) -> float | None:
        return self.number(results.spread(self.experiment, self.languages, uas(self.length, "mbr")))

    def met(self, reached: float) -> bool:
        """By the number as it is printed."""
        shown = round(reached, 1)
        return shown <= self.wanted if self.at_most else shown >= self.wanted

    def row(self, results: Results) -> list[str]:
        reached = self.reached(results)
        sign = "≤" if self.at_most else "≥"
        outcome = "" if reached is None else "yes" if self.met(reached) else "no"
        shown = "" if reached is None else f"{reached:.1f}"
        return [f"{self.experiment}, {self.what}, ≤{self.length} words", f"{sign} {self.wanted:g}", shown, outcome]


def _of_each(experiment: str, wanted: dict[str, float]) -> list[Target]:
    return [Target(experiment, (language,), "15", number, SCORED[language]) for language, number in wanted.items()]


EIGHT, SIX = tuple(LANGUAGES), tuple(OF_UD2)
WANTED_OF_MORE = {"ru": 73.0, "ar": 63.0, "ja": 44.0}
TARGETS = (
    Target("adapt", EIGHT, "15", 69.3),
    Target("adapt", EIGHT, "40", 68.0),
    Target("adapt", EIGHT, "15", 0.7, "sd of the average over seeds", lambda spread: spread.sd, at_most=True),
    Target("out-adapt", EIGHT, "15", 68.0),
    Target("out-adapt", EIGHT, "40", 66.0),
    Target("ud2-out-adapt", SIX, "15", 64.0),
    *_of_each("ud2-out-adapt", {"fr": 70.0, "pl": 70.0, "ru": 70.0}),
    Target("ud2-out-adapt-50", SIX, "15", 61.0),
    Target("ud2-out-adapt-10", SIX, "15", 59.0),
    *_of_each("more-adapt", WANTED_OF_MORE),
    *_of_each("more-out-adapt", WANTED_OF_MORE),
)
MOST_BELOW_OWN = 2.0  # points
BESIDE_OWN = {"adapt": "own", "out-adapt": "own", "more-adapt": "more-own", "more-out-adapt": "more-own",
              "ud2-adapt": "ud2-own", "ud2-out-adapt": "ud2-own"}  # fmt: skip


def below_own(results: Results, experiment: str) -> list[str] | None:
    """A row that tells whether any language is much worse off than with its own grammar; nothing if none has both."""
    pick, own = uas("15", "mbr"), BESIDE_OWN[experiment]
    gains = {}
    for language in results.languages:
        alone, adapted = (results.spread(name, language, pick).mean for name in (own, experiment))
        if alone is not None and adapted is not None:
            gains[language] = adapted - alone
    if not gains:
        return None
    worst = min(gains, key=lambda language: gains[language])
    outcome = "yes" if round(gains[worst], 1) >= -MOST_BELOW_OWN else "no"
    what = f"{experiment}, the least above its own grammar ({SCORED[worst]}), ≤15 words"
    return [what, f"≥ {-MOST_BELOW_OWN:g}", f"{gains[worst]:+.1f}", outcome]


def target_rows(results: Results) -> list[list[str]]:
    """What was wanted and reached: all targets that there are numbers for."""
    rows = [target.row(results) for target in TARGETS if target.reached(results) is not None]
    beside = [below_own(results, experiment) for experiment in BESIDE_OWN]
    return rows + [row for row in beside if row is not None]
