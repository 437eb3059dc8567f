"""The settings that every training has."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar

from depinduce.errors import DepinduceError
from depinduce.grammar.constraints import UD_NON_HEADS
from depinduce.grammar.rules import Order
from depinduce.models.table import Entry, entry, find, models
from depinduce.settings import MOST, MOST_SEED, MOST_THREADS, names_one_of, require_within, setting

MOST_MEMBERS = 1000
STAGES = ("start", "training", "parsing")
LANGUAGES = ("alike", "by-size", "together")
STARTS = {  # how many words can follow the name
    "harmonic": (0,),
    "uniform": (0,),
    "random": (0,),
    "model": (1,),
    "trees": (1,),
    "hdp-dep": (0, 1),
    "universal": (0, 1),
    "recipe": (1,),
}
IN_WORDS = {  # as a user writes them
    "model": "model DIR",
    "trees": "trees FILE",
    "hdp-dep": "hdp-dep RULES",
    "universal": "universal DIR",
    "recipe": "recipe NAME",
}


@dataclass(frozen=True)
class LearningSettings:
    """A model, where it starts, when it stops, and which tags head nothing."""

    model: str = setting(
        "dmv",
        "which grammar. Count models: dmv, dmv-sibling, dmv-grand; smoothed: e-dmv; whose rules share features: "
        "feature-dmv; with logistic-normal priors: ln-dmv; with hidden refinements of tags: hdp-dep; a CRF "
        "autoencoder: crfae; neural models over tags: ndmv, sibling, grand, jiang-ndmv, d-ndmv; over words: lexical, "
        "lexical-sibling, lexical-grand; both: joint-sibling, joint-grand; of many languages: polyglot, and of a new "
        "one: order-free, committee. A rule sees the head; with `sibling` also the previous child, with `grand` also "
        "the head's head",
        choices=models,  # not yet: a model of another package is made of these very settings
        metavar="MODEL",
    )
    init: tuple[str, ...] = setting(
        ("harmonic",),
        "where to start: harmonic, uniform, random, `model DIR` (the parses of another model), `trees FILE` (those in "
        "a CoNLL-U file, made by any parser), or `hdp-dep RULES` (those of HDP-DEP with these rules, or with none, "
        "trained before); order-free, committee: `universal DIR` (what the languages of a universal grammar have in "
        "common); polyglot: `recipe NAME` (the parses of every language's own grammar, trained before by this recipe)",
        metavar="START",
    )
    ladder: tuple[str, ...] = setting(
        (), "models to train before, each on the trees of the one before, such as: ndmv grand", metavar="MODEL"
    )
    members: int = setting(
        1, "of the first model of a ladder train so many; go on with the trees on which the likelier half agrees"
    )
    languages: str = setting(
        "alike",
        "where --train names several languages: tell them apart, each weighing `alike` or `by-size`, or throw them "
        "`together`; e-dmv, feature-dmv, ln-dmv, hdp-dep, crfae, jiang-ndmv, d-ndmv and models over words alone always "
        "do the last",
        choices=LANGUAGES,
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
        None,
        "with --rules: at least this share of the dependencies; 0.8, unless the rule set has its own",
        metavar="X",
        expert=True,
    )
    trees_weight: int | None = setting(
        None,
        "with --trees: as how many sentences each of them counts; unless given, as so many that 50 of them weigh as "
        "much as all other text",
    )
    constraint: tuple[str, ...] = setting(
        STAGES, "where --non-heads holds: " + " ".join(STAGES), metavar="STAGE", expert=True
    )
    seed: int = setting(0, "of everything random")
    threads: int = setting(1, "threads for the charts and the network")

    starts: ClassVar[tuple[str, ...]] = ("harmonic", "uniform", "random", "model", "trees", "hdp-dep")  # it may have
    needs_languages: ClassVar[bool] = False  # it cannot learn from a text whose languages nobody names
    heeds_held_out: ClassVar[bool] = True  # held-out likelihood tells it when to stop
    raises_bound: ClassVar[bool] = False  # what it tells of training sentences is part of a bound, the `objective`
    round_name: ClassVar[str] = "iteration"  # what a round of this training is called
    batch_size: ClassVar[int | None] = None  # sentences to learn from at a time, in random order; None: all, in theirs
    grow_from: ClassVar[int] = 0
    start_epochs: ClassVar[int] = 0
    gradient_steps: ClassVar[int] = 1
    anchor: ClassVar[float] = 0.0
    agreement: ClassVar[bool] = True
    word_init: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self):
        entry(self.model)
        self.require_choice("languages", LANGUAGES)
        self.require_at_least(1, "patience")
        if self.trees_weight is not None:
            self.require_at_least(1, "trees_weight")
        self.require_at_least(1, "threads", most=MOST_THREADS)
        self.require_at_least(1, "members", most=MOST_MEMBERS)
        self.require_at_least(0, "seed", most=MOST_SEED)
        if self.rules_share is not None and not 0 < self.rules_share < 1:
            raise DepinduceError(f"rules_share cannot be {self.rules_share}: more than 0, less than 1.")
        if self.rules_share is not None and self.rules is None:
            raise DepinduceError("rules_share: of which rules? Name them with --rules.")

        rungs = tuple(name for name, model in models().items() if model.can_be_rung)
        for name, known in (("ladder", rungs), ("constraint", STAGES)):
            unknown = [word for word in getattr(self, name) if word not in known]
            if unknown:
                raise DepinduceError(f"--{name} cannot have {unknown[0]!r}. Choose from: {' '.join(known)}.")
        first = find(entry(self.ladder[0]).settings) if self.ladder else type(self)
        self._check_init(first.starts)
        if self.members > 1 and not self.ladder:
            raise DepinduceError(
                "--members needs a --ladder: its first model is the one that is trained several times."
            )

    def _check_init(self, starts: tuple[str, ...]) -> None:
        """Refuse a start that the first model of the ladder does not have."""
        name = self.init[0] if self.init else ""
        if names_one_of({start: STARTS[start] for start in starts}, self.init):
            return
        if name in ("model", "trees") and name in starts:
            what = {"model": "a directory: --init model DIR", "trees": "a file: --init trees FILE"}[name]
            raise DepinduceError(f"--init {name} needs {what}.")
        choices = ", ".join(IN_WORDS.get(start, start) for start in starts)
        whose = f" for {(*self.ladder, self.model)[0]}" if name in STARTS else ""
        raise DepinduceError(f"There is no start {' '.join(self.init)!r}{whose}. Choose from: {choices}.")

    @property
    def entry(self) -> Entry:
        """The line of the model in the table of all."""
        return entry(self.model)

    @property
    def order(self) -> Order:
        """How far the rules look; of a joint model, those of its part over tags."""
        return self.entry.order

    @property
    def most_rounds(self) -> int:
        """How many rounds there are at the most, beside those over short sentences."""
        raise NotImplementedError

    @property
    def hard(self) -> bool:
        """Whether it learns from the best tree of each sentence, not from all."""
        return False

    def unambiguity_in(self, round: int) -> float:
        """What the entropy of the trees of a sentence costs in a round, see `EStep.counts`."""
        return 0.0

    @property
    def falling_rounds(self) -> int:
        """In how many rounds that cost falls."""
        return 0

    @property
    def climbs(self) -> bool:
        """Whether every round must raise the objective, up to rounding."""
        return True

    @property
    def undivided(self) -> str | None:
        """What in it, as users name it, needs all sentences at once, each for itself and in one process; None: nothing.

        All other learners see a corpus in pieces, and equal sentences once.
        """
        return None

    @property
    def inside_out(self) -> bool:
        """Whether children are generated from the inside out."""
        return False

    @property
    def tells_valence(self) -> bool:
        """Whether the choice of a child depends on the valence, in a harmonic start, too."""
        return True

    def needs_trees(self) -> bool:
        """Whether the start is trees of the training sentences."""
        return self.init[0] in ("trees", "model", "hdp-dep")

    def of_rung(self, number: int) -> LearningSettings:
        """The settings of one training of the ladder, whose last one is the model itself."""
        models = (*self.ladder, self.model)
        kind = find(entry(models[number]).settings)
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        changed = {
            "model": models[number],
            "init": self.init if number == 0 else ("model", models[number - 1]),
            "ladder": (),
            "members": 1,
        }
        known = {field.name for field in dataclasses.fields(kind)}
        wanted = kind.values_on_rung(values | changed, number, self)
        return kind(**{name: value for name, value in wanted.items() if name in known})

    @classmethod
    def values_on_rung(cls, values: dict[str, Any], number: int, ladder: LearningSettings) -> dict[str, Any]:
        """The settings by name, without those that concern other rungs of the ladder only."""
        return values

    def non_heads_in(self, stage: str) -> tuple[str, ...]:
        """The tags that head nothing in a stage: start, training (for held-out sentences, too) or parsing."""
        return self.constrained_tags if stage.replace("held-out", "training") in self.constraint else ()

    def require_at_least(self, least: float, *names: str, most: float = MOST) -> None:
        """Refuse smaller values of these settings, and larger ones than anyone can mean."""
        require_within(least, most, **{name: getattr(self, name) for name in names})

    def require_choice(self, name: str, choices: tuple[str, ...]) -> None:
        value = getattr(self, name)
        if value not in choices:
            raise DepinduceError(f"--{name.replace('_', '-')} cannot be {value!r}. Choose from: {', '.join(choices)}.")

    @property
    def constrained_tags(self) -> tuple[str, ...]:
        """The non-heads by name."""
        named = [UD_NON_HEADS if tag == "ud" else (tag,) for tag in self.non_heads]
        return tuple(dict.fromkeys(tag for tags in named for tag in tags))
