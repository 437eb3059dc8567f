"""The settings of neural training, apart from the training itself so that `--help` need not wait for torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from depinduce.errors import DepinduceError
from depinduce.grammar.rules import Order
from depinduce.learning.settings.learning import STARTS, LearningSettings
from depinduce.models.table import entry
from depinduce.settings import names_one_of, setting

METHODS = ("dmo", "em", "hard-em")
FOR_JOINT_ONLY = {"agreement": True, "word_init": (), "method": "dmo"}  # what concerns only the joint model itself


@dataclass(frozen=True)
class NeuralSettings(LearningSettings):
    """How a neural model is trained."""

    method: str = setting(
        "dmo",
        "dmo: one gradient step on the likelihood of every batch; em: several on its expected counts; hard-em: several "
        "on the counts of its best trees",
        choices=METHODS,
    )
    m_steps: int = setting(5, "em and hard-em: gradient steps on the counts of a batch", expert=True)
    batch_size: int = setting(100, "sentences in a batch; 0 is all of them", expert=True)
    learning_rate: float = setting(0.001, "of Adam")
    epochs: int = setting(4, "at most so many epochs over all sentences")
    start_epochs: int = setting(3, "epochs on the counts of the start, before", expert=True)
    start_trees: str = setting(
        "all", "a harmonic start counts the best tree of each sentence, or all its trees, weighted (over words: best)",
        choices=("best", "all"), expert=True)  # fmt: skip
    grow_from: int = setting(
        0, "begin with sentences of up to so many words, and one word more with each epoch (0: all sentences at once)"
    )
    anchor: float = setting(
        0.0, "how much the model goes on learning from the trees of its start, beside those it finds itself (try 0.3)"
    )
    generation: str = setting(
        "outside-in",
        "sibling: which child of a head is generated first",
        choices=("outside-in", "inside-out"),
        expert=True,
    )
    agreement: bool = setting(
        True,
        "joint models: train the two parts on their product, which makes them agree, or each on its own likelihood",
    )
    word_init: tuple[str, ...] = setting(
        (), "joint models: where the part over words starts, if not where --init says", metavar="START"
    )

    round_name: ClassVar[str] = "epoch"

    def __post_init__(self):
        super().__post_init__()
        self.require_choice("method", METHODS)
        self.require_choice("start_trees", ("best", "all"))
        self.require_choice("generation", ("outside-in", "inside-out"))
        self.require_at_least(1, "m_steps", "epochs")
        self.require_at_least(0, "batch_size", "start_epochs", "grow_from", "anchor")
        if not 0 < self.learning_rate < 1:
            raise DepinduceError(f"--learning-rate cannot be {self.learning_rate}: more than 0, less than 1.")
        if self.init[0] == "uniform":
            raise DepinduceError("--init uniform: a neural model cannot start there. Use --init random.")
        if self.generation == "inside-out" and self.model not in ("sibling", "joint-sibling"):
            raise DepinduceError(
                "generation=inside-out is for --model sibling and joint-sibling: other models do not see siblings of "
                "tags."
            )
        if self.word_init:
            self._check_word_init()
        if self.method == "hard-em" and self.rules is not None:
            raise DepinduceError("--rules are about expectations: they need --method dmo or em.")
        if self.anchor and self.init[0] == "random" and not self.ladder:
            raise DepinduceError("--anchor needs a start made of trees, or a --ladder: --init random has none.")

    def _check_word_init(self) -> None:
        if not self.entry.is_joint:
            raise DepinduceError(f"--word-init is for joint models; {self.model} has one start, --init.")
        if not names_one_of({name: STARTS[name] for name in ("harmonic", "model", "trees", "hdp-dep")}, self.word_init):
            found = " ".join(self.word_init)
            raise DepinduceError(
                f"There is no start {found!r}. Choose from: harmonic, model DIR, trees FILE, hdp-dep RULES."
            )
        if self.init[0] == "random" and not self.ladder:
            raise DepinduceError("--word-init: with --init random the part over words starts at random, too.")

    @property
    def most_rounds(self) -> int:
        return self.epochs

    @property
    def hard(self) -> bool:
        return self.method == "hard-em"

    @property
    def climbs(self) -> bool:
        return self.method != "dmo" and not self.batch_size

    @property
    def inside_out(self) -> bool:
        return self.generation == "inside-out"

    def needs_trees(self) -> bool:
        from_all = self.init[0] == "harmonic" and self.start_trees == "all" and not self.entry.sees_words
        return self.init[0] != "random" and not from_all

    @classmethod
    def values_on_rung(cls, values: dict[str, Any], number: int, ladder: LearningSettings) -> dict[str, Any]:
        top, own = len(ladder.ladder), dict(values)
        if number > 0:
            own["grow_from"] = 0
        if number < max(top - ladder.entry.sees_words, min(top, 1)):  # under words the last one over tags has it, too
            own["anchor"] = 0.0
        if entry(values["model"]).order is not Order.SIBLING:
            own["generation"] = "outside-in"
        return own | (FOR_JOINT_ONLY if ladder.entry.is_joint and number < top else {})

    @property
    def gradient_steps(self) -> int:
        """The steps on the counts of a batch."""
        return 1 if self.method == "dmo" else self.m_steps
