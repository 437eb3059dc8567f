"""Two grammars that parse together: one of second order over tags, one of first order over words."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from depinduce.corpus import Corpus, Reading, Vocabulary
from depinduce.grammar.rules import Batch, Factors, RuleTable, multiplied
from depinduce.models.model_files import FIRST, SECOND, new_model
from depinduce.models.tag_model import GrammarModel
from depinduce.models.word_model import LexicalModel
from depinduce.networks.word_batch import as_factors

KIND = "joint"


@dataclass(frozen=True)
class JointModel:
    """A tree has the product of the probabilities that the two give it."""

    first: LexicalModel
    second: GrammarModel
    history: dict = field(default_factory=dict)

    one_table: ClassVar[bool] = False  # tables are made for sentences

    @property
    def tags(self) -> Vocabulary:
        return self.second.tags

    @property
    def words(self) -> Vocabulary:
        return self.first.words

    @property
    def non_heads(self) -> tuple[str, ...]:
        return self.second.non_heads

    @property
    def reading(self) -> Reading:
        return self.second.reading

    def problem(self, corpus: Corpus) -> tuple[RuleTable, Batch, Factors | None]:
        """What a chart needs for a corpus whose tag ids are this model's (-1 where it does not know the tag)."""
        table, batch, factors = self.second.problem(corpus)
        return table, batch, multiplied(factors, as_factors(self.first.problem(corpus)))

    def with_non_heads(self, tags: tuple[str, ...]) -> JointModel:
        """The same, but these tags head nothing."""
        return replace(self, first=self.first.with_non_heads(tags), second=self.second.with_non_heads(tags))

    def save(self, directory: str | Path) -> None:
        """Write the model to a directory of its own, whole or not at all; each part is a model there, too."""
        description = {
            "non_heads": list(self.non_heads),
            "reading": vars(self.reading),
            "history": self.history,
        }
        with new_model(directory, KIND, description) as folder:
            self.first.save(folder / FIRST)
            self.second.save(folder / SECOND)
