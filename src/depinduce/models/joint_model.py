"""Two grammars that parse together: one of second order over tags, one of first order over words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from depinduce.chart.problems import Problem
from depinduce.corpus import Corpus, Reading, Vocabulary
from depinduce.grammar.rules import Order
from depinduce.models.model import Model, OpenRules
from depinduce.models.model_files import how_made, new_model, read_part
from depinduce.models.places import PARTS
from depinduce.models.polyglot_model import PolyglotModel
from depinduce.models.tag_model import ORDERS, GrammarModel
from depinduce.models.word_model import LexicalModel
from depinduce.networks.word_batch import as_factors


@dataclass(frozen=True)
class JointModel(Model):
    """A tree has the product of the probabilities that the two parts give it."""

    over_tags: GrammarModel | PolyglotModel  # the latter: of several languages, whose words are in one lexicon
    over_words: LexicalModel
    history: dict = field(default_factory=dict)

    kind: ClassVar[str] = "joint"
    one_table: ClassVar[bool] = False
    about_rules: ClassVar[str] = (
        "These are the rules of the part over tags; those of the part over words are too many to list."
    )

    @property
    def parts(self) -> Mapping[str, Model]:
        return dict(zip(PARTS, (self.over_tags, self.over_words), strict=True))

    @property
    def order(self) -> Order:
        return self.over_tags.order

    @property
    def about(self) -> str:
        languages = f", of {len(self.languages)} languages" if self.languages else ""
        return f"a joint model: {ORDERS[self.order]} over tags, and a first-order one over words{languages}"

    @property
    def languages(self) -> tuple[str, ...]:
        return self.over_tags.languages

    def in_language(self, name: str) -> JointModel:
        return replace(self, over_tags=self.over_tags.in_language(name))

    @property
    def tags(self) -> Vocabulary:
        return self.over_tags.tags

    @property
    def words(self) -> Vocabulary:
        return self.over_words.words

    @property
    def non_heads(self) -> tuple[str, ...]:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.over_tags.non_heads

    @property
    def reading(self) -> Reading:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.over_tags.reading

    def problem(self, corpus: Corpus) -> Problem:
        return self.over_tags.problem(corpus).times(as_factors(self.over_words.problem(corpus)))

    def with_reading(self, reading: Reading) -> JointModel:
        over_tags, over_words = self.over_tags.with_reading(reading), self.over_words.with_reading(reading)
        return replace(self, over_tags=over_tags, over_words=over_words)

    def with_non_heads(self, tags: tuple[str, ...]) -> JointModel:
        over_tags, over_words = self.over_tags.with_non_heads(tags), self.over_words.with_non_heads(tags)
        return replace(self, over_tags=over_tags, over_words=over_words)

    def rule_view(self) -> GrammarModel:
        return self.over_tags.rule_view()

    def open_rules(self, corpus: Corpus) -> list[OpenRules]:
        return [
            replace(rules, title=f"the grammar over {name}")
            for name, part in self.parts.items()
            for rules in part.open_rules(corpus)
        ]

    def save(self, directory: str | Path) -> None:
        """Write the model to a directory of its own, whole or not at all; each part is a model there, too."""
        with new_model(directory, self, {}) as folder:
            for name, part in self.parts.items():
                part.save(folder / name)

    @classmethod
    def read(cls, directory: Path, description: dict) -> JointModel:
        parts = [read_part(directory, description, name) for name in PARTS]
        (_, about_tags), (_, about_words) = parts
        kinds = {kind.kind: kind for kind in (GrammarModel, PolyglotModel)}
        if about_tags["kind"] not in kinds or about_words["kind"] != LexicalModel.kind:
            raise ValueError("its parts must be a grammar over tags and one over words")
        over_tags, over_words = kinds[about_tags["kind"]].read(*parts[0]), LexicalModel.read(*parts[1])
        return cls(over_tags, over_words, how_made(description)["history"])
