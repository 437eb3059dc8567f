"""What every grammar answers to: what it knows, its parts, its chart problem for sentences, its files.

Nobody asks which kind of model it has: parsing, inspection, reports and the page in the browser use what stands here.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from depinduce.corpus import Corpus, Reading, Vocabulary
from depinduce.errors import DepinduceError
from depinduce.grammar.rules import Order
from depinduce.labels import Labeller, LearnedLabels, relation_table
from depinduce.models.calibration import Calibration

if TYPE_CHECKING:
    from depinduce.chart.problems import AnyProblem, Problem
    from depinduce.grammar.headedness import Headedness
    from depinduce.models.tag_model import GrammarModel

NO_WORDS = Vocabulary((), ())


@dataclass(frozen=True)
class OpenRules:
    """The rules of one grammar for the words of one sentence, laid open to be told one by one."""

    title: str  # which grammar, where a model has several
    order: Order
    inside_out: bool
    problem: Problem  # with the grammar's own rules, not what they are to a chart
    names: list[str]  # what the grammar takes each word for
    may_head: np.ndarray | None  # [word] whether it may have children; None: all may


class Model(ABC):
    """A grammar that can parse. Its tag ids are those of `tags`, and -1 is a tag that it does not know."""

    kind: ClassVar[str]  # its name in model.json
    one_table: ClassVar[bool] = True  # its rules are the same for all sentences, or are made for some at a time
    why_no_single_trees: ClassVar[str] = ""  # why it does not know the probability of a single tree, if it does not
    about_rules: ClassVar[str] = ""  # of which part of it the rules of `rule_view` are, or why there are none

    order: Order  # how far its rules look beyond the head; of a joint model, that of the part over tags
    tags: Vocabulary
    non_heads: tuple[str, ...]  # tags that head nothing
    reading: Reading  # how the training file was read
    history: dict  # settings, hash of the training data, likelihoods

    @property
    def scores_trees(self) -> bool:
        """Whether it knows the probability of a single tree, so that there are best ones."""
        return not self.why_no_single_trees

    @property
    def finished(self) -> bool:
        """Whether its training came to its end, or was interrupted before."""
        return self.history.get("finished", True)

    @property
    def calibration(self) -> Calibration | None:
        """How often an arc of some posterior is right; None for those who never found out."""
        kept = self.history.get("calibration")
        return None if kept is None else Calibration.from_json(kept)

    @property
    def names_arcs(self) -> bool:
        """Whether it has learned from trees with labels what arcs are called."""
        return "labels" in self.history

    @property
    def labeller(self) -> Labeller:
        """What names the arcs of its trees: what it has learned from trees with labels, or else the table of rules."""
        return LearnedLabels.from_json(self.history["labels"]) if self.names_arcs else relation_table()

    @property
    def words(self) -> Vocabulary:
        """The words that it knows; most grammars know none."""
        return NO_WORDS

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that it tells apart, by name: the order of `Corpus.language`; most grammars tell none."""
        return ()

    @property
    def headedness(self) -> Headedness | None:
        """Which tags head which in all its languages, whatever the side; None unless it is a universal grammar."""
        return None

    @property
    def language_vectors(self) -> np.ndarray | None:
        """What a network has learned to do differently in each of its languages; None if it has learned no such thing.

        [language, …] in the order of `languages`
        """
        return None

    @property
    @abstractmethod
    def about(self) -> str:
        """What it is, in a few words."""

    @property
    def parts(self) -> Mapping[str, Model]:
        """The grammars that it consists of, by name, if it consists of several."""
        return {}

    @property
    def costly(self) -> bool:
        """Whether a sentence needs rules for all its pairs of words, so that long ones take their time."""
        return False

    @abstractmethod
    def problem(self, corpus: Corpus) -> AnyProblem:
        """What a chart needs for the sentences of a corpus."""

    def in_language(self, name: str) -> Model:
        """The grammar of one of its languages, whatever the sentences say of theirs."""
        raise NotImplementedError(f"{self.kind}: tells no languages apart")

    @abstractmethod
    def with_non_heads(self, tags: tuple[str, ...]) -> Self:
        """The same, but these tags head nothing."""

    def with_reading(self, reading: Reading) -> Self:
        """The same, but files are read otherwise. Models are dataclasses; one without `reading` has its own way."""
        return replace(self, reading=reading)  # pyright: ignore[reportArgumentType, reportCallIssue]

    @abstractmethod
    def rule_view(self) -> GrammarModel | None:
        """The grammar over tags whose rules can be listed: itself, or a part or view of it; None if there is none."""

    @abstractmethod
    def open_rules(self, corpus: Corpus) -> list[OpenRules]:
        """Its rules for the only sentence of a corpus, a set for each of its grammars."""

    @abstractmethod
    def save(self, directory: str | Path) -> None:
        """Write the model to a directory of its own, whole or not at all."""

    @classmethod
    @abstractmethod
    def read(cls, directory: Path, description: dict) -> Self:
        """The model of a directory with this description."""


def part_of(model: Model, name: str | None) -> Model:
    """A part of a model by its name, or all of it."""
    if name is None:
        return model
    if not model.parts:
        raise DepinduceError(f"--part {name}: only joint models have parts, and committees members. Leave it away.")
    if name not in model.parts:
        raise DepinduceError(f"--part cannot be {name!r}. Choose from: {', '.join(model.parts)}.")
    return model.parts[name]


def in_language(model: Model, name: str | None) -> Model:
    """The grammar of one language of a model, or all of it; one that tells none apart is the same for all."""
    if name is None:
        return model
    if not model.languages:
        warnings.warn(f"--language {name}: the grammar tells no languages apart, so that this is ignored", stacklevel=2)
        return model
    if name not in model.languages:
        raise DepinduceError(
            f"--language cannot be {name!r}: the grammar knows {', '.join(model.languages)}. "
            "Choose one of them, or leave it away for what they have in common."
        )
    return model.in_language(name)


def require_rule_view(model: Model, where: str = "") -> GrammarModel:
    """The grammar over tags whose rules can be listed, for whoever cannot do without."""
    grammar = model.rule_view()
    if grammar is None:
        raise DepinduceError(
            f"{where}a grammar over words, whose rules are too many to list. Name a grammar over tags."
        )
    return grammar
