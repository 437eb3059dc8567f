"""The settings that every training has."""

from __future__ import annotations

import math
from dataclasses import dataclass

from depinduce.errors import DepinduceError
from depinduce.grammar.constraints import UD_NON_HEADS
from depinduce.grammar.rules import Order
from depinduce.settings import names_one_of, setting

COUNT_MODELS = {"dmv": Order.FIRST, "dmv-sibling": Order.SIBLING, "dmv-grand": Order.GRANDPARENT}
NEURAL_MODELS = {"ndmv": Order.FIRST, "sibling": Order.SIBLING, "grand": Order.GRANDPARENT}
WORD_MODELS = {"lexical": Order.FIRST, "lexical-sibling": Order.SIBLING, "lexical-grand": Order.GRANDPARENT}
JOINT_MODELS = {"joint-sibling": Order.SIBLING, "joint-grand": Order.GRANDPARENT}  # the order of the part over tags
HDP_MODELS = ("hdp-dep",)
NETWORK_MODELS = NEURAL_MODELS | WORD_MODELS | JOINT_MODELS
STARTS = {  # how many words can follow the name
    "harmonic": (0,),
    "uniform": (0,),
    "random": (0,),
    "model": (1,),
    "trees": (1,),
    "hdp-dep": (0, 1),
}


@dataclass(frozen=True)
class LearningSettings:
    """A model, where it starts, when it stops, and which tags head nothing."""

    model: str = setting(
        "dmv",
        "which grammar. Count models: dmv, dmv-sibling, dmv-grand; with hidden refinements of tags: hdp-dep; neural "
        "models over tags: ndmv, sibling, grand; over words: lexical, lexical-sibling, lexical-grand; both: "
        "joint-sibling, joint-grand. A rule sees the head; with `sibling` also the previous child, with `grand` also "
        "the head's head",
        choices=(*COUNT_MODELS, *HDP_MODELS, *NETWORK_MODELS),
    )
    init: tuple[str, ...] = setting(
        ("harmonic",),
        "where to start: harmonic, uniform, random, `model DIR` (the parses of another model), `trees FILE` (those in "
        "a CoNLL-U file, made by any parser), or `hdp-dep RULES` (those of HDP-DEP with these rules, or with none, "
        "trained before)",
        metavar="START",
    )
    patience: int = setting(5, "with --dev: stop after so many rounds without a better held-out likelihood")
    non_heads: tuple[str, ...] = setting(
        (), "tags that may not have children; `ud` stands for " + " ".join(UD_NON_HEADS), metavar="TAG"
    )
    rules: str | None = setting(
        None,
        "linguistic knowledge: rules that most dependencies should match, in expectation; penn, english, ud, or a "
        "TOML file",
        metavar="RULES",
    )
    rules_share: float | None = setting(
        None, "with --rules: at least this share of the dependencies; 0.8, unless the rule set has its own", metavar="X"
    )
    seed: int = setting(0, "of everything random")
    threads: int = setting(1, "threads for the charts and the network")

    def __post_init__(self):
        name = self.init[0] if self.init else ""
        if not names_one_of(STARTS, self.init):
            if name in ("model", "trees"):
                what = {"model": "a directory: --init model DIR", "trees": "a file: --init trees FILE"}[name]
                raise DepinduceError(f"--init {name} needs {what}.")
            raise DepinduceError(
                f"There is no start {' '.join(self.init)!r}. "
                "Choose from: harmonic, uniform, random, model DIR, trees FILE, hdp-dep RULES."
            )
        self.require_at_least(1, "patience", "threads")
        self.require_at_least(0, "seed")
        if self.rules_share is not None and not 0 < self.rules_share < 1:
            raise DepinduceError(f"--rules-share cannot be {self.rules_share}: more than 0, less than 1.")
        if self.rules_share is not None and self.rules is None:
            raise DepinduceError("--rules-share: of which rules? Name them with --rules.")

    def require_at_least(self, least: float, *names: str) -> None:
        """Refuse smaller values of these settings, and infinite ones."""
        for name in names:
            value = getattr(self, name)
            if not least <= value < math.inf:
                raise DepinduceError(f"--{name.replace('_', '-')} cannot be {value}: it must be {least} or more.")

    def require_choice(self, name: str, choices: tuple[str, ...]) -> None:
        value = getattr(self, name)
        if value not in choices:
            raise DepinduceError(f"--{name.replace('_', '-')} cannot be {value!r}. Choose from: {', '.join(choices)}.")

    @property
    def constrained_tags(self) -> tuple[str, ...]:
        """The non-heads by name."""
        named = [UD_NON_HEADS if tag == "ud" else (tag,) for tag in self.non_heads]
        return tuple(dict.fromkeys(tag for tags in named for tag in tags))
