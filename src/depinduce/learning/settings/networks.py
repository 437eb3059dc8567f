"""The settings of neural training, apart from the training itself so that `--help` need not wait for torch."""

from __future__ import annotations

from dataclasses import dataclass

from depinduce.errors import DepinduceError
from depinduce.grammar.rules import Order
from depinduce.learning.settings.learning import (
    JOINT_MODELS,
    NETWORK_MODELS,
    NEURAL_MODELS,
    STARTS,
    WORD_MODELS,
    LearningSettings,
)
from depinduce.settings import names_one_of, setting

METHODS = ("dmo", "em", "hard-em")
STAGES = ("start", "training", "parsing")


@dataclass(frozen=True)
class NeuralSettings(LearningSettings):
    """How a neural model is trained."""

    method: str = setting(
        "dmo",
        "dmo: one gradient step on the likelihood of every batch; em: several on its expected counts; hard-em: several "
        "on the counts of its best trees",
        choices=METHODS,
    )
    m_steps: int = setting(5, "em and hard-em: gradient steps on the counts of a batch")
    batch_size: int = setting(100, "sentences in a batch; 0 is all of them")
    learning_rate: float = setting(0.001, "of Adam")
    epochs: int = setting(4, "at most so many epochs over all sentences")
    start_epochs: int = setting(3, "epochs on the counts of the start, before")
    start_trees: str = setting(
        "all", "a harmonic start counts the best tree of each sentence, or all its trees, weighted (over words: best)",
        choices=("best", "all"),
    )  # fmt: skip
    grow_from: int = setting(
        0, "begin with sentences of up to so many words, and one word more with each epoch (0: all sentences at once)"
    )
    ladder: tuple[str, ...] = setting(
        (), "models to train before, each on the trees of the one before, such as: ndmv grand", metavar="MODEL"
    )
    members: int = setting(
        1, "of the first model of a ladder train so many; go on with the trees on which the likelier half agrees"
    )
    anchor: float = setting(
        0.0, "how much the model goes on learning from the trees of its start, beside those it finds itself (try 0.3)"
    )
    generation: str = setting(
        "outside-in", "sibling: which child of a head is generated first", choices=("outside-in", "inside-out")
    )
    agreement: bool = setting(
        True,
        "joint models: train the two parts on their product, which makes them agree, or each on its own likelihood",
    )
    word_init: tuple[str, ...] = setting(
        (), "joint models: where the part over words starts, if not where --init says", metavar="START"
    )
    constraint: tuple[str, ...] = setting(STAGES, "where --non-heads holds: " + " ".join(STAGES), metavar="STAGE")

    def __post_init__(self):
        super().__post_init__()
        self.require_choice("model", tuple(NETWORK_MODELS))
        self.require_choice("method", METHODS)
        self.require_choice("start_trees", ("best", "all"))
        self.require_choice("generation", ("outside-in", "inside-out"))
        self.require_at_least(1, "m_steps", "epochs", "members")
        self.require_at_least(0, "batch_size", "start_epochs", "grow_from", "anchor")
        if not 0 < self.learning_rate < 1:
            raise DepinduceError(f"--learning-rate cannot be {self.learning_rate}: more than 0, less than 1.")
        if self.init[0] == "uniform":
            raise DepinduceError("--init uniform: a neural model cannot start there. Use --init random.")
        for name, known in (("ladder", tuple(NEURAL_MODELS)), ("constraint", STAGES)):
            unknown = [word for word in getattr(self, name) if word not in known]
            if unknown:
                raise DepinduceError(f"--{name} cannot have {unknown[0]!r}. Choose from: {' '.join(known)}.")
        if self.generation == "inside-out" and self.model not in ("sibling", "joint-sibling"):
            raise DepinduceError(
                "--generation inside-out is for --model sibling and joint-sibling: other models do not see siblings of "
                "tags."
            )
        if self.word_init:
            self._check_word_init()
        if self.method == "hard-em" and self.rules is not None:
            raise DepinduceError("--rules are about expectations: they need --method dmo or em.")
        if self.anchor and self.init[0] == "random" and not self.ladder:
            raise DepinduceError("--anchor needs a start made of trees, or a --ladder: --init random has none.")
        if self.members > 1 and not self.ladder:
            raise DepinduceError(
                "--members needs a --ladder: its first model is the one that is trained several times."
            )

    def _check_word_init(self) -> None:
        if self.model not in JOINT_MODELS:
            raise DepinduceError(f"--word-init is for joint models; {self.model} has one start, --init.")
        if not names_one_of({name: STARTS[name] for name in ("harmonic", "model", "trees", "hdp-dep")}, self.word_init):
            found = " ".join(self.word_init)
            raise DepinduceError(
                f"There is no start {found!r}. Choose from: harmonic, model DIR, trees FILE, hdp-dep RULES."
            )
        if self.init[0] == "random" and not self.ladder:
            raise DepinduceError("--word-init: with --init random the part over words starts at random, too.")

    @property
    def order(self) -> Order:
        """Of the grammar; of a joint one, that of its part over tags."""
        return NETWORK_MODELS[self.model]

    @property
    def sees_words(self) -> bool:
        return self.model in WORD_MODELS or self.model in JOINT_MODELS

    @property
    def is_joint(self) -> bool:
        return self.model in JOINT_MODELS

    @property
    def gradient_steps(self) -> int:
        """Per batch."""
        return 1 if self.method == "dmo" else self.m_steps

    def non_heads_in(self, stage: str) -> tuple[str, ...]:
        """The tags that head nothing in a stage: start, training or parsing."""
        return self.constrained_tags if stage in self.constraint else ()
