"""The settings of count DMV training, apart from the training itself so that `--help` need not wait for it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from depinduce.errors import DepinduceError
from depinduce.grammar.constraints import UD_NON_HEADS
from depinduce.grammar.rules import Order
from depinduce.settings import setting

ORDERS = {"dmv": Order.FIRST, "dmv-sibling": Order.SIBLING, "dmv-grand": Order.GRANDPARENT}
STARTS = ("harmonic", "uniform", "random")


@dataclass(frozen=True)
class CountSettings:
    """How a count DMV is trained."""

    model: str = setting("dmv", "which grammar: a rule sees no context, the sibling, or the grandparent",
                         choices=tuple(ORDERS))  # fmt: skip
    init: tuple[str, ...] = setting(
        ("harmonic",),
        "where to start: harmonic, uniform, random, or `model DIR`, the parses of another model",
        metavar="START",
    )
    em: str = setting("soft", "learn from all trees, weighted, or from the best tree of each sentence",
                      choices=("soft", "hard"))  # fmt: skip
    iterations: int = setting(50, "at most so many iterations of EM")
    patience: int = setting(3, "with --dev: stop after so many iterations without a better held-out likelihood")
    smoothing: float = setting(0.1, "pseudo-count of every rule")
    prior_strength: float = setting(
        0.0, "second order: pseudo-counts per row around the first-order estimates of the start (try 100 to 1000)"
    )
    child_valence: bool = setting(True, "let the choice of a child depend on whether it is the first")
    non_heads: tuple[str, ...] = setting(
        (), "tags that may not have children; `ud` stands for " + " ".join(UD_NON_HEADS), metavar="TAG"
    )
    seed: int = setting(0, "for --init random")
    threads: int = setting(1, "threads for the charts")

    def __post_init__(self):
        if self.init[0] == "model":
            if len(self.init) != 2:
                raise DepinduceError("--init model needs a directory: --init model DIR.")
        elif self.init[0] not in STARTS or len(self.init) != 1:
            raise DepinduceError(
                f"There is no start {' '.join(self.init)!r}. Choose from: {', '.join(STARTS)}, model DIR."
            )
        for name in ("iterations", "patience", "threads"):
            if getattr(self, name) < 1:
                raise DepinduceError(f"--{name} must be at least 1, not {getattr(self, name)}.")
        for name in ("smoothing", "prior_strength", "seed"):
            if not 0 <= getattr(self, name) < math.inf:
                raise DepinduceError(f"--{name.replace('_', '-')} cannot be {getattr(self, name)}: 0 or more.")
        if self.prior_strength > 0 and (self.model == "dmv" or self.init[0] in ("uniform", "random")):
            raise DepinduceError(
                "--prior-strength needs a second-order --model and a start made of trees: harmonic or model DIR."
            )
        if self.model == "dmv-sibling" and not self.child_valence:
            raise DepinduceError(
                "--no-child-valence: in dmv-sibling the sibling itself tells the valence. Leave it away."
            )

    @property
    def constrained_tags(self) -> tuple[str, ...]:
        """The non-heads by name."""
        named = [UD_NON_HEADS if tag == "ud" else (tag,) for tag in self.non_heads]
        return tuple(dict.fromkeys(tag for tags in named for tag in tags))
