"""The systems that the paper compares with, on Universal Dependencies and on the Wall Street Journal.

Each is trained by its recipe `ud-…` on the eight languages, with the function-word constraint and, one seed, without
it; and by its recipe `wsj-…` on the sentences of up to ten words of WSJ. Some are also tried, on dev trees, as the
start of the best recipe that learns from a language's own text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from depinduce.experiments.experiment import Experiment
from depinduce.experiments.ud import DEVELOPMENT, FREE, LANGUAGES
from depinduce.experiments.wsj import LENGTHS, NAME, WSJ

NO_CHANCE = 1  # seed of systems that start at one place and see all sentences at once: another changes nothing
START_SEEDS = 3
ON_TOP = "ud-sibling"  # the recipe that is started from the trees of another system
OTHER_TREES = {"init": ("model", "another system")}  # whose trees a cell makes itself


@dataclass(frozen=True)
class System:
    """A system of other people."""

    name: str  # as the paper's table 1 has it
    recipe: str  # its recipes are ud-NAME and wsj-NAME
    whose: str  # who published it
    seeds: int | None = None  # so many at the most
    quoted: bool = True  # what table 1 prints was made in this way; otherwise it is a variant of ours
    printed: str | None = None  # its name in table 1, if that is another

    @property
    def row(self) -> str | None:
        """The row of table 1 that it is to be compared with."""
        return (self.printed or self.name) if self.quoted else None

    def experiment(self, on: str) -> str:
        """The name of its experiment on ud or wsj."""
        return f"{on}-{self.recipe}"

    @property
    def free(self) -> str:
        """The name of its experiment without the function-word constraint."""
        return f"ud-{self.recipe}-free"


SYSTEMS = (
    System("DMV", "dmv", "Klein & Manning 2004", NO_CHANCE),
    System("LN", "ln-dmv", "Cohen, Gimpel & Smith 2008", NO_CHANCE),
    System("Shared LN", "shared-ln-dmv", "Cohen & Smith 2009", NO_CHANCE),
    System("Feature DMV", "feature-dmv", "Berg-Kirkpatrick et al. 2010", NO_CHANCE),
    System("PR-S", "pr-s", "Gillenwater et al. 2011", NO_CHANCE),
    System("E-DMV", "e-dmv", "Headden, Johnson & McClosky 2009"),
    System("UR-A E-DMV", "ur-e-dmv", "Tu & Honavar 2012", NO_CHANCE),
    System("CRFAE", "crfae", "Cai, Jiang & Tu 2017", quoted=False),
    System("CRFAE, universal rules", "crfae-rules", "Cai, Jiang & Tu 2017", printed="CRFAE"),  # published with rules
    System("variational D-NDMV", "d-ndmv-variational", "Han, Jiang & Tu 2019"),
    System("deterministic D-NDMV", "d-ndmv", "Han, Jiang & Tu 2019"),
)
STARTS = ("ur-e-dmv", "feature-dmv", "pr-s")  # the recipes whose trees are tried as a start


@dataclass(frozen=True)
class StartExperiment(Experiment):
    """Trainings that start from the trees which another recipe finds, by itself, in the same sentences."""

    before: str = ""  # that recipe

    @property
    def sources(self) -> tuple[str, ...]:
        return (f"trees of {self.before} in the start",)


def start_name(recipe: str) -> str:
    return f"start-{recipe}"


def _on_ud(system: System, **more: Any) -> Experiment:
    return Experiment(system.experiment("ud"), f"{system.name} ({system.whose})", languages=tuple(LANGUAGES), **more)


def _experiments(system: System) -> dict[str, Experiment]:
    name = system.experiment("wsj")
    on_wsj = Experiment(name, f"{system.name} on WSJ", languages=(NAME,), lengths=LENGTHS, most_seeds=system.seeds)
    return {
        system.experiment("ud"): _on_ud(system, most_seeds=system.seeds),
        system.free: _on_ud(system, changes=FREE, most_seeds=1),
        name: WSJ.get(name, on_wsj),
    }


def _start(recipe: str) -> StartExperiment:
    about = f"{ON_TOP} from the trees of {recipe}, dev"
    how: dict[str, Any] = {"languages": DEVELOPMENT, "split": "dev", "most_seeds": START_SEEDS}
    return StartExperiment(ON_TOP, about, OTHER_TREES, before=recipe, **how)


OWN_START = start_name("harmonic")
COMPARED: dict[str, Experiment] = {
    **{name: experiment for system in SYSTEMS for name, experiment in _experiments(system).items()},
    OWN_START: Experiment(
        ON_TOP, f"{ON_TOP} as it is, dev", languages=DEVELOPMENT, split="dev", most_seeds=START_SEEDS
    ),
    **{start_name(f"ud-{recipe}"): _start(f"ud-{recipe}") for recipe in STARTS},
}
