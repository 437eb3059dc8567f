"""Several grammars of one language that vote: an arc is as probable as they think on average.

The order-free grammar knows from other languages which tags head which; the language's own has learned from its text
alone, and is asked only if it agrees with the first; the student is of second order and has learned from the trees of
these. They err differently, so that together they are better than each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from depinduce.chart.problems import MeanProblem
from depinduce.corpus import Corpus, Reading, Vocabulary, in_vocabulary
from depinduce.grammar.rules import Order
from depinduce.models.model import Model, OpenRules
from depinduce.models.model_files import how_made, new_model, read_part
from depinduce.models.places import MEMBERS
from depinduce.models.tag_model import GrammarModel

STUDENT = MEMBERS[-1]


@dataclass(frozen=True)
class CommitteeModel(Model):
    """Grammars over tags that parse by the mean of their posteriors. The first one knows all tags of the others."""

    members: Mapping[str, GrammarModel]  # by their names, in the order of MEMBERS
    history: dict = field(default_factory=dict)

    kind: ClassVar[str] = "committee"
    why_no_single_trees: ClassVar[str] = (
        "this model is a committee, whose members tell how probable each arc is, and together not how probable a "
        "single tree"
    )

    @property
    def parts(self) -> Mapping[str, Model]:
        return self.members

    @property
    def _first(self) -> GrammarModel:
        return next(iter(self.members.values()))

    @property
    def order(self) -> Order:  # pyright: ignore[reportIncompatibleVariableOverride]
        """That of the member which looks furthest: sentences take as long as it does."""
        return max((member.order for member in self.members.values()), key=list(Order).index)

    @property
    def about(self) -> str:
        return f"a committee of {len(self.members)} grammars over tags: {', '.join(self.members)}"

    @property
    def about_rules(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        return f"These are the rules of one member of the committee, {self._shown}; --part NAME chooses another."

    @property
    def tags(self) -> Vocabulary:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self._first.tags

    @property
    def non_heads(self) -> tuple[str, ...]:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self._first.non_heads

    @property
    def reading(self) -> Reading:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self._first.reading

    def problem(self, corpus: Corpus) -> MeanProblem:
        return MeanProblem([member.problem(self._seen_by(member, corpus)) for member in self.members.values()])

    def _seen_by(self, member: GrammarModel, corpus: Corpus) -> Corpus:
        """The corpus in the tags of a member: one that learned from the text alone may know fewer."""
        return in_vocabulary(replace(corpus, tag_vocabulary=self.tags), member.tags)

    def _changed(self, change: Callable[[GrammarModel], GrammarModel]) -> CommitteeModel:
        return replace(self, members={name: change(member) for name, member in self.members.items()})

    def with_reading(self, reading: Reading) -> CommitteeModel:
        return self._changed(lambda member: member.with_reading(reading))

    def with_non_heads(self, tags: tuple[str, ...]) -> CommitteeModel:
        return self._changed(lambda member: member.with_non_heads(tags))

    @property
    def _shown(self) -> str:
        """The member whose rules are listed."""
        return STUDENT if STUDENT in self.members else next(iter(self.members))

    def rule_view(self) -> GrammarModel:
        return self.members[self._shown]

    def open_rules(self, corpus: Corpus) -> list[OpenRules]:
        return [
            replace(rules, title=f"the grammar {name}")
            for name, member in self.members.items()
            for rules in member.open_rules(self._seen_by(member, corpus))
        ]

    def save(self, directory: str | Path) -> None:
        """Write the model to a directory of its own, whole or not at all; each member is a model there, too."""
        with new_model(directory, self, {"members": list(self.members)}) as folder:
            for name, member in self.members.items():
                member.save(folder / name)

    @classmethod
    def read(cls, directory: Path, description: dict) -> CommitteeModel:
        names = description["members"]
        if not isinstance(names, list) or not names or names != [name for name in MEMBERS if name in names]:
            raise ValueError(f"no committee has the members {names!r}")
        members = {}
        for name in names:
            folder, about = read_part(directory, description, name)
            if about["kind"] != GrammarModel.kind:
                raise ValueError(f"its member {name} is no grammar over tags")
            members[name] = GrammarModel.read(folder, about)
        return cls(members, how_made(description)["history"])
