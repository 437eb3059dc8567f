"""Training of several grammars side by side, each for itself: they have the sentences in common, and nothing else.

The parts of a joint model learn so without agreement. Each is a `Training` of its own, with the batches that it would
have alone, and stops on its own held-out likelihood; the whole ends with the last of them.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from depinduce.corpus import Corpus
from depinduce.learning.learners.learner import Arrays, Learner, Start, under, with_prefix
from depinduce.learning.posterior_constraint import ShareConstraint
from depinduce.learning.settings.learning import LearningSettings
from depinduce.learning.team import ALONE, Team
from depinduce.learning.training import Round, Training


@dataclass(frozen=True)
class SeparateRound(Round):
    """A round of all parts. A part that has stopped counts as it was in its last round, its dev as it was kept."""

    dev_of_parts: list[float] | None  # the dev of each, of which `dev` is the sum


class SeparateTraining:
    """Learners on their way, each on its own."""

    def __init__(
        self,
        settings: LearningSettings,
        learners: list[Learner],
        train: Corpus,
        dev: Corpus | None,
        seed: int,
        starts: list[Start],
        team: Team = ALONE,
    ):
        self.learners = learners
        self.parts = [
            Training(settings, [learner], train, dev, seed, [start], team)
            for learner, start in zip(learners, starts, strict=True)
        ]
        self.last: list[Round | None] = [None] * len(learners)  # the last round of each

    @property
    def constraints(self) -> list[ShareConstraint]:
        return [constraint for part in self.parts for constraint in part.constraints]

    @property
    def round(self) -> int:
        return max(part.round for part in self.parts)

    @property
    def total_rounds(self) -> int:
        return max(part.total_rounds for part in self.parts)

    @property
    def finished(self) -> bool:
        return all(part.finished for part in self.parts)

    def begin(self) -> None:
        for part in self.parts:
            part.begin()

    def before(self) -> dict[str, float | None] | None:
        """As that of a training: the sums of all parts."""
        found = [one for part in self.parts if (one := part.before()) is not None]
        if len(found) < len(self.parts):
            return None
        devs = [one["dev"] for one in found if one["dev"] is not None]
        return {"train": sum(one["train"] or 0.0 for one in found), "dev": sum(devs) if devs else None}

    def run_round(self) -> SeparateRound:
        """One round of every part that has not stopped."""
        ran: list[Round] = []
        devs: list[float | None] = []
        for number, part in enumerate(self.parts):
            if part.finished:
                devs.append(part.best_dev)
                continue
            one = part.run_round()
            self.last[number] = one
            ran.append(one)
            devs.append(one.dev)
        last = [one for one in self.last if one is not None]
        known = [dev for dev in devs if dev is not None]
        matched = [share for one in last for share in one.matched or ()]
        return SeparateRound(
            round=self.round,
            max_length=ran[0].max_length,
            train=sum(one.train for one in last),
            dev=sum(known) if known else None,
            objective=None,
            matched=matched or None,
            seconds=sum(one.seconds for one in ran),
            sentences_per_second=1 / sum(1 / one.sentences_per_second for one in ran),
            dev_of_parts=known or None,
        )

    # ---------------------------------------------------------------- what is kept

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """All that changes: arrays, and the rest as JSON has it."""
        arrays: Arrays = {}
        states = []
        for number, part in enumerate(self.parts):
            own, state = part.state()
            arrays |= with_prefix(f"{number}.", under("0.", own))
            states.append(state)
        return arrays, {"parts": states, "last": [None if one is None else asdict(one) for one in self.last]}

    def restore(self, arrays: Arrays, state: dict[str, Any]) -> None:
        """Bring a new training to where the saved one was."""
        for number, (part, own) in enumerate(zip(self.parts, _states_of(state, len(self.parts)), strict=True)):
            part.restore(with_prefix("0.", under(f"{number}.", arrays)), own)
        last = state.get("last", [None] * len(self.parts))
        self.last = [None if one is None else Round(**one) for one in last]


def _states_of(state: dict[str, Any], parts: int) -> list[dict[str, Any]]:
    """The state of every part; versions before 0.2.0 had one for all, which stopped together."""
    if "parts" in state:
        return state["parts"]
    rules = state.get("rules", ())
    numbers = state["numbers"] | {"best_dev": -np.inf}  # that of all is none of theirs
    return [state | {"numbers": numbers, "rules": rules[part : part + 1]} for part in range(parts)]


def training_of(
    settings: LearningSettings,
    learners: list[Learner],
    train: Corpus,
    dev: Corpus | None,
    seed: int,
    starts: list[Start],
    team: Team = ALONE,
) -> Training | SeparateTraining:
    """The training of a model: its learners agree, or each goes its own way."""
    kind = Training if settings.agreement or len(learners) == 1 else SeparateTraining
    return kind(settings, learners, train, dev, seed, starts, team)
