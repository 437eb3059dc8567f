"""What a run climbs: one ladder, or several one after the other, and what is made of the grammars that they lead to.

    Plan             one ladder; its last rung is the model
    LanguagesPlan    a ladder for every language, then one for all, which starts from the trees of these
    CommitteePlan    an order-free grammar, the language's own, and a student that starts from the trees on which they
                     agree; all of them are the model, but for an own grammar that has seen no trees and does not agree
                     with the first

A run does the climbing (`learning.run`); which grammars are finished it tells a plan by the names of their ladders.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, ClassVar

import numpy as np

from depinduce.chart.problems import ArcPosteriors, mean_posteriors
from depinduce.corpus import Corpus
from depinduce.errors import EXTRAS
from depinduce.grammar.rules import RuleTable
from depinduce.learning.given_trees import tell_the_optimum
from depinduce.learning.ladder import Ladder, Rung, by_recipe, wants_torch
from depinduce.learning.languages import text_of, told_apart, words_of
from depinduce.learning.learners.learner import Arrays, Learner
from depinduce.learning.learners.order_free import OrderFreeLearner
from depinduce.learning.settings.committee import CommitteeSettings
from depinduce.learning.settings.configuration import Configuration, configure
from depinduce.learning.settings.order_free import OrderFreeSettings
from depinduce.learning.starts import start_trees
from depinduce.learning.team import ALONE, Team
from depinduce.learning.training import growing_lengths
from depinduce.models.committee_model import CommitteeModel
from depinduce.models.loading import load_universal
from depinduce.models.model import Model
from depinduce.models.places import MEMBERS
from depinduce.models.polyglot_model import PolyglotModel
from depinduce.models.table import find
from depinduce.models.tag_model import GrammarModel
from depinduce.parsing.consensus import agreed_trees, minimum_risk_trees

Grammars = Mapping[str, Any]  # the models that are finished, by the names of their ladders
ORDER_FREE, OWN, STUDENT = MEMBERS


class Plan:
    """One ladder."""

    called: ClassVar[str] = ""  # what the name of a ladder is called in the metrics

    def __init__(self, configuration: Configuration, train: Corpus, universal: Model | None = None):
        """universal: the grammar that --init names, if it has been read already"""
        self.configuration, self.train, self.universal = configuration, train, universal
        self.ladders: dict[str | None, Ladder] = {None: Ladder(configuration, train)}
        self.recipes: dict[str, Configuration] = {}  # that are not in the configuration, but named there

    @property
    def rungs(self) -> list[Rung]:
        """All trainings, in their order."""
        return [rung for name, ladder in self.ladders.items() for rung in ladder.rungs(name)]

    def learners(self, rung: Rung, vectors: np.ndarray | None) -> list[Learner]:
        """Those who learn a rung. vectors: of words, for those who see them"""
        ladder = self.ladders[rung.ladder]
        if isinstance(rung.settings, OrderFreeSettings) and self.universal is not None:
            return [OrderFreeLearner.of_universal(rung.settings, ladder.text, self.universal)]
        make = find(rung.settings.entry.learners)
        return make(rung.settings, ladder.configuration, ladder.text, rung.seed, vectors)

    def most_rounds(self, rung: Rung) -> int:
        """How many rounds a rung has at the most."""
        return rung.settings.most_rounds + len(growing_lengths(rung.settings, self.ladders[rung.ladder].text))

    # ---------------------------------------------------------------- from trees to trees

    def start_trees(self, init: tuple[str, ...], rung: Rung, team: Team = ALONE) -> np.ndarray:
        """The trees that a start gives to the sentences of a rung. [token]"""
        settings, text = self.configuration.learning, self.ladders[rung.ladder].text
        return start_trees(
            init,
            text,
            self.configuration.reading,
            settings.non_heads_in("start"),
            child_valence=rung.settings.tells_valence,
            apart=told_apart(rung.settings, text),
            seed=settings.seed,
            threads=settings.threads,
            team=team,
        )

    def agreed_trees(self, rung: Rung, members: list[Model]) -> np.ndarray:
        """The trees on which the members of a rung agree. [token]"""
        settings, text = self.configuration.learning, self.ladders[rung.ladder].text
        non_heads = settings.non_heads_in("start")
        problems = [member.with_non_heads(non_heads).problem(text) for member in members]
        return agreed_trees(problems, text.offsets, text.known, threads=settings.threads)

    def trees_for(self, name: str | None, grammars: Grammars) -> np.ndarray | None:
        """The trees that a ladder starts from, if it stands on others. [token]"""
        return None

    # ---------------------------------------------------------------- what comes out

    def numbers(self, rung: Rung, learner: Learner) -> Arrays:
        """What is kept of a finished rung: the table of its grammar or, if it has none, all that its learner knows."""
        if not rung.settings.entry.over_tags:
            return learner.state()
        grammar = learner.model({})
        assert isinstance(grammar, GrammarModel | PolyglotModel), "a table of rules"
        return grammar.table.named

    def grammar(self, rung: Rung, numbers: Arrays, about: dict[str, Any]) -> Any:
        """The grammar of a rung that was finished, or those of all languages. about: what every model remembers"""
        if not rung.settings.entry.over_tags:
            (learner,) = self.learners(rung, None)
            learner.restore(numbers)
            return learner.model(about)
        table = RuleTable(**numbers)
        text, order, inside_out = self.ladders[rung.ladder].text, rung.settings.order, rung.settings.inside_out
        if told_apart(rung.settings, text):
            return PolyglotModel(order, text.tag_vocabulary, text.languages, table, inside_out=inside_out, **about)
        return GrammarModel(order, text.tag_vocabulary, table, inside_out=inside_out, **about)

    def model(self, now: Model, grammars: Grammars, history: dict[str, Any]) -> Model:
        """What comes out. now: of the last rung that has begun; history: of all ladders"""
        return now

    def state(self) -> dict[str, Any]:
        """What it has found out, as JSON has it."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        pass

    def _opinion(self, name: str, grammars: Grammars) -> ArcPosteriors:
        """What a finished grammar thinks of the sentences that it has learned from."""
        settings = self.configuration.learning
        grammar = grammars[name].with_non_heads(settings.non_heads_in("start"))
        return grammar.problem(self.ladders[name].text).posteriors(threads=settings.threads)

    def _trees(self, opinion: ArcPosteriors, text: Corpus) -> np.ndarray:
        return minimum_risk_trees(opinion, text.offsets, text.known, threads=self.configuration.learning.threads)


class LanguagesPlan(Plan):
    """Every language by itself, by the recipe that --init names; then all together."""

    called = "language"

    def __init__(self, configuration: Configuration, train: Corpus, universal: Model | None = None):
        super().__init__(configuration, train)
        _, recipe = configuration.learning.init
        own = by_recipe(recipe, "--init recipe", configuration, tables=False)
        self.recipes = {recipe: own}
        self.ladders = {name: Ladder(own, text_of(train, name), watched=False) for name in train.languages}
        self.ladders[None] = Ladder(configuration, train, below=len(own.learning.ladder) + 1, on_top=True)

    def trees_for(self, name: str | None, grammars: Grammars) -> np.ndarray | None:
        if name is not None:
            return None
        heads = np.zeros(len(self.train.tags), np.int32)
        for own in self.train.languages:
            heads[words_of(self.train, own)] = self._trees(self._opinion(own, grammars), self.ladders[own].text)
        return heads


class CommitteePlan(Plan):
    """A new language, by what others tell it and by its own text; if that is short, by the first alone."""

    called = "part"

    def __init__(self, configuration: Configuration, train: Corpus, universal: Model | None = None):
        settings = configuration.learning
        assert isinstance(settings, CommitteeSettings)
        super().__init__(configuration, train, universal or load_universal(*settings.init[1:]))
        self.settings, self.agreement = settings, None
        self.ladders = {ORDER_FREE: Ladder(_order_free(configuration), train)}
        if train.counted_once[0] < settings.fewest_sentences:
            return
        own = by_recipe(settings.own_recipe, "own_recipe", configuration)
        student = by_recipe(settings.student_recipe, "student_recipe", configuration, init=("model", "committee"))
        if wants_torch(own.learning) or wants_torch(student.learning):
            warnings.warn(
                "torch is not installed: only the order-free grammar is learned; "
                f"for more, pip install 'depinduce[{EXTRAS['torch']}]'",
                stacklevel=4,
            )
            return
        self.recipes = {settings.own_recipe: own, settings.student_recipe: student}
        text = text_of(train)
        self.ladders[OWN] = Ladder(own, text, below=1)
        self.ladders[STUDENT] = Ladder(student, text, below=2 + len(own.learning.ladder), on_top=True)

    @property
    def own_joins(self) -> bool:
        """Whether the language's own grammar agrees with the order-free one as often as it should.

        One that has learned from trees need not: it has not ended in a poor optimum.
        """
        if self.agreement is None:
            return False
        return self.agreement >= self.settings.least_agreement or tell_the_optimum(self.train)

    def trees_for(self, name: str | None, grammars: Grammars) -> np.ndarray | None:
        if name != STUDENT:
            return None
        opinions = {one: self._opinion(one, grammars) for one in (ORDER_FREE, OWN)}
        trees = {one: self._trees(opinion, self.train) for one, opinion in opinions.items()}
        self.agreement = float(np.mean(trees[OWN] == trees[ORDER_FREE]))
        if not self.own_joins:
            return trees[ORDER_FREE]
        return self._trees(mean_posteriors(list(opinions.values())), self.train)

    def model(self, now: Model, grammars: Grammars, history: dict[str, Any]) -> Model:
        """The committee of all finished grammars that belong to it; if there is one, or none yet, a grammar alone."""
        finished = [name for name in MEMBERS if name in grammars]  # the own one may have been there first
        members = {name: grammars[name] for name in finished if name != OWN or self.own_joins}
        if history["finished"] or not members:
            assert isinstance(now, GrammarModel)
            members[STUDENT] = replace(now, network=None)  # like those of the others, its weights are not needed
        if len(members) == 1:
            (only,) = members.values()
            return replace(only, history=only.history | {"finished": history["finished"]})
        return CommitteeModel(members, history | {"committee": self._about(members)})

    def _about(self, members: Mapping[str, GrammarModel]) -> dict[str, Any]:
        """What the committee remembers of those who made it."""
        universal = self.universal
        assert universal is not None
        data = universal.history.get("training_data", {})
        return {
            "universal": universal.about,
            "languages": list(universal.languages),
            "universal_data": data.get("sha256"),
            "members": list(members),
            "agreement": self.agreement,
            "own_joined": self.own_joins,
        }

    def state(self) -> dict[str, Any]:
        return {"agreement": self.agreement}

    def restore(self, state: dict[str, Any]) -> None:
        self.agreement = state["agreement"]


def _order_free(configuration: Configuration) -> Configuration:
    """The settings of the order-free member."""
    own = {field.name for field in fields(CommitteeSettings)} - {field.name for field in fields(OrderFreeSettings)}
    values = {name: value for name, value in configuration.values().items() if name not in own}
    return configure(values | {"model": "order-free"})


def plan_of(configuration: Configuration) -> type[Plan]:
    """How to get to the model of a configuration."""
    if configuration.learning.init[0] == "recipe":
        return LanguagesPlan
    return CommitteePlan if isinstance(configuration.learning, CommitteeSettings) else Plan
