"""A model in one file: rules that see where in the clause their head stands.

A rule of the plain DMV sees the head and its valence; a rule of dmv-grand also sees the tag of the head's head. Here
are grammars between the two. They only ask to which *group* the word above belongs: with `groups=VERB` a head is the
top of the sentence, or stands right below a verb, or below another word. So a noun below a verb (a subject, an object)
may have other habits than one below a noun, and a main verb others than a subordinate one; but every head has only
three times the rows of a DMV, where dmv-grand has one set for every tag.

The grandparent chart does not know what its contexts are. A `Batch` tells it which number each word has as a context,
and which row of the table a head uses in it. So the grammar is a new `Batch` (`clause_batch`) and a table of the right
shape. The rest of this file is what lets the package train it, keep it and show it: settings, a learner, a model, and
the `Entry` that names them.

The rows are sparser than those of the DMV. Therefore EM starts from the table of a trained DMV (`spread`) and adds
`strength` pseudo-counts to every row, dealt out as that DMV would.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from depinduce.chart.problems import Problem
from depinduce.corpus import Corpus, Reading, Vocabulary
from depinduce.errors import DepinduceError
from depinduce.grammar.constraints import constraint
from depinduce.grammar.rules import Batch, Order, RuleCounts, RuleTable
from depinduce.learning.learners.closed_form import CountLearner
from depinduce.learning.learners.learner import Learner, Start
from depinduce.learning.minibatches import Minibatches
from depinduce.learning.settings.configuration import Configuration
from depinduce.learning.settings.counts import CountSettings
from depinduce.learning.settings.learning import LearningSettings
from depinduce.learning.training import Training
from depinduce.models.model import Model, OpenRules
from depinduce.models.model_files import how_made, new_model, numbers_of, write_numbers
from depinduce.models.table import Entry
from depinduce.models.tag_model import GrammarModel
from depinduce.settings import setting

# ---------------------------------------------------------------- the grammar


def clause_batch(tags: np.ndarray, offsets: np.ndarray, groups: np.ndarray) -> Batch:
    """Sentences as the grandparent chart reads them, with groups of tags as its contexts.

    tags: [token], offsets: [sentence + 1], groups: [tag], see `groups_of`
    """
    tags, root = np.ascontiguousarray(tags, dtype=np.int32), int(groups.max()) + 1  # ROOT comes after the groups
    slots = 2 * (root + 1)  # rows of a head in one direction: (group or ROOT) · valence
    return Batch(
        order=Order.GRANDPARENT,
        offsets=offsets,
        column=tags,  # as a child a word is its tag
        base=np.stack([tags * slots, (len(groups) + tags) * slots], axis=1),  # as a head, too
        context=groups[tags],  # as the word above it is its group
        no_context=root,
        rows=np.arange(2 * len(groups) * slots, dtype=np.int32),
    )


def groups_of(tags: Vocabulary, named: Sequence[str]) -> np.ndarray:
    """The group of every tag: NOUN+PROPN are one, and all tags that are not named make the last one. [tag] int32"""
    groups = np.full(len(tags), len(named), dtype=np.int32)
    for number, names in enumerate(named):
        for tag in [names] if names in tags else names.split("+"):  # some tags have a + of their own
            if tag not in tags:
                raise DepinduceError(f"groups: no training sentence has the tag {tag!r}. Tags: {' '.join(tags)}.")
            place = tags.symbols.index(tag)
            if groups[place] < len(named):
                raise DepinduceError(f"groups: {tag} is named twice. Put every tag into one group.")
            groups[place] = number
    return groups


def by_context(table: RuleTable, contexts: np.ndarray, before: int) -> RuleTable:
    """A table whose rows have other contexts: each behaves as the one of these that is named.

    contexts: [new context] int, before: how many there are in the table now
    """

    def rows(rules: np.ndarray) -> np.ndarray:  # [direction · head · context · valence, outcome]
        by_head = rules.reshape(-1, before, 2, rules.shape[1])
        return by_head[:, contexts].reshape(-1, rules.shape[1])

    return RuleTable(table.root, rows(table.child), rows(table.decision))


def spread(table: RuleTable, groups: np.ndarray) -> RuleTable:
    """The table of a DMV in the new rows, where the word above makes no difference yet."""
    return by_context(table, np.zeros(groups.max() + 2, dtype=int), before=1)


# ---------------------------------------------------------------- how it is trained


@dataclass(frozen=True)
class ClauseSettings(CountSettings):
    """How a clause grammar is trained: as a count DMV is, and what is its own."""

    groups: tuple[str, ...] = setting(
        ("VERB",),
        "groups of tags that make a difference as the word above: VERB NOUN+PROPN; all others are one more",
    )
    strength: float = setting(100.0, "pseudo-counts of every row, dealt out as a DMV would")
    start_iterations: int = setting(50, "iterations of EM of that DMV, which is trained before")

    def __post_init__(self):
        super().__post_init__()
        self.require_at_least(1, "start_iterations")
        if not 0 < self.strength < np.inf:
            raise DepinduceError(f"strength cannot be {self.strength}: it must be more than 0.")
        if self.prior_strength > 0:
            raise DepinduceError("--prior-strength: the prior of this model is --set strength=X.")

    def needs_trees(self) -> bool:
        return LearningSettings.needs_trees(self)  # a harmonic start is a table, as that of a DMV is


class ClauseSentences(Minibatches):
    """A corpus from which batches are taken, with groups as contexts."""

    def __init__(self, corpus: Corpus, non_heads: tuple[str, ...], groups: np.ndarray):
        super().__init__(Order.GRANDPARENT, corpus, non_heads)
        self.groups = groups

    def batch(self, tags: np.ndarray, offsets: np.ndarray) -> Batch:
        return clause_batch(tags, offsets, self.groups)


class ClauseLearner(CountLearner):
    """A table over the rows of clauses, that begins as a DMV and never forgets it."""

    settings: ClauseSettings

    def __init__(self, settings: ClauseSettings, train: Corpus):
        super().__init__(settings, train)
        self.groups = groups_of(self.tags, settings.groups)

    def sentences(self, corpus: Corpus, stage: str) -> ClauseSentences:
        return ClauseSentences(corpus, self.settings.non_heads_in(stage), self.groups)

    def begin(self, start: Start, train: Corpus) -> None:
        """The table of a DMV that was trained from this start; its probabilities are the prior of every row."""
        settings = replace(self.settings, model="dmv", iterations=self.settings.start_iterations)
        dmv = CountLearner(settings, train)
        training = Training(settings, [dmv], train, starts=[start])
        training.begin()
        while not training.finished:
            training.run_round()
        self.table = spread(dmv.table, self.groups)
        self.family = self.family.with_pseudo(self.settings.strength * RuleCounts(*map(np.exp, self.table.parts)))

    def model(self, about: Mapping[str, Any], best: bool = True) -> ClauseModel:
        return ClauseModel(self.tags, self.settings.groups, self.best if best else self.table, **about)


def make_learners(
    settings: ClauseSettings, configuration: Configuration, train: Corpus, seed: int, vectors: np.ndarray | None = None
) -> list[Learner]:
    """The learners of the model: one."""
    return [ClauseLearner(settings, train)]


# ---------------------------------------------------------------- the trained model


@dataclass(frozen=True)
class ClauseModel(Model):
    """A grammar whose rules see the head, its valence, and the group of the word above the head."""

    tags: Vocabulary
    groups: tuple[str, ...]  # as the settings name them
    table: RuleTable  # a row is direction, head, group or ROOT, valence
    non_heads: tuple[str, ...] = ()
    reading: Reading = field(default_factory=Reading)
    history: dict = field(default_factory=dict)

    kind: ClassVar[str] = "clause"
    order: ClassVar[Order] = Order.GRANDPARENT  # pyright: ignore[reportIncompatibleVariableOverride]
    about_rules: ClassVar[str] = "Tags of one group behave alike as the head's head."

    @property
    def about(self) -> str:
        return f"a grammar over tags that asks what stands above the head: {', '.join((*self.groups, 'others, ROOT'))}"

    @cached_property
    def group_of_tag(self) -> np.ndarray:
        return groups_of(self.tags, self.groups)

    def problem(self, corpus: Corpus) -> Problem:
        """What a chart needs for the sentences; a tag that the model does not know is the average of all."""
        if (corpus.tags < 0).any():
            return self.rule_view().problem(corpus)
        batch = clause_batch(corpus.tags, corpus.offsets, self.group_of_tag)
        return Problem(self.table, batch, constraint(self.tags, self.non_heads, corpus, batch))

    def rule_view(self) -> GrammarModel:
        """The same as a grandparent grammar: a row for every tag above, equal for those of one group."""
        contexts = np.append(self.group_of_tag, self.group_of_tag.max() + 1)  # those of dmv-grand: all tags, and ROOT
        table = by_context(self.table, contexts, before=contexts[-1] + 1)
        return GrammarModel(Order.GRANDPARENT, self.tags, table, self.non_heads, self.reading, self.history)

    def open_rules(self, corpus: Corpus) -> list[OpenRules]:
        return self.rule_view().open_rules(corpus)

    def with_non_heads(self, tags: tuple[str, ...]) -> ClauseModel:
        return replace(self, non_heads=tags)

    def save(self, directory: str | Path) -> None:
        own = {"tags": self.tags.to_json(), "groups": list(self.groups)}
        with new_model(directory, self, own) as folder:
            write_numbers(folder, self.table.named)

    @classmethod
    def read(cls, directory: Path, description: dict) -> ClauseModel:
        tags, table = Vocabulary.from_json(description["tags"]), RuleTable(**numbers_of(directory, description))
        model = cls(tags, tuple(description["groups"]), table, **how_made(description))
        rows = 2 * len(tags) * 2 * (int(model.group_of_tag.max()) + 2)
        if tuple(part.shape for part in table.parts) != ((len(tags),), (rows, len(tags)), (rows, 2)):
            raise ValueError("the tables are not those of these groups")  # a chart does not check its indices
        return model


# ---------------------------------------------------------------- its line in the table of models

CLAUSE = Entry(
    Order.GRANDPARENT,
    "a count grammar over tags that sees the group of the head's head",
    settings="clause_model:ClauseSettings",
    learners="clause_model:make_learners",
    model="clause_model:ClauseModel",
    kind="clause",
)
