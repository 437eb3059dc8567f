"""How a model was trained: what it is, what it was told, its settings, and round by round how it learned."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from depinduce.corpus.corpus import trees_in_words
from depinduce.corpus.tags import called
from depinduce.errors import DepinduceError
from depinduce.grammar.rules import Order
from depinduce.learning.settings.configuration import as_saved, configure
from depinduce.models.table import models

if TYPE_CHECKING:
    from depinduce.models.loading import Model
    from depinduce.report.run_report.place import Place

SEES = {
    Order.FIRST: "a rule sees the head",
    Order.SIBLING: "a rule sees the head and its previous child",
    Order.GRANDPARENT: "a rule sees the head and the head's own head",
}
NOT_TELLING = {"threads"}  # settings that change nothing in the result


@dataclass(frozen=True)
class SettingFact:
    """One setting of a training."""

    name: str
    value: str
    default: str | None  # None: there is none that is known
    meaning: str

    @property
    def changed(self) -> bool:
        return self.default is not None and self.value != self.default and self.name not in NOT_TELLING


@dataclass(frozen=True)
class Round:
    """An epoch, or an iteration of EM; log-likelihoods are means of a sentence."""

    number: int
    train: float
    dev: float | None
    max_length: int | None  # of the sentences learned from
    watched: dict[str, float]


@dataclass(frozen=True)
class RungFacts:
    """The rounds of one model of the ladder, and of each of its members."""

    model: str  # of a committee, after the name of the member that it leads to
    members: list[list[Round]]
    part: str = ""  # that member


@dataclass(frozen=True)
class TrainingFacts:
    """How a model was made, as far as it remembers."""

    model: str | None  # as --model names it
    kind: str  # what that is
    sees: str  # and what its rules see
    sentences: int | None
    words: int | None
    languages: list[str]  # that these are of, if anybody named them
    longest: int | None  # sentence that was learned from, if there was a limit
    tags: dict[str, int]  # of the training sentences, with how often each was seen
    sees_words: bool
    non_heads: list[str]  # those among the tags
    rules: str | None  # the name of those that it was given
    knowledge: list[str]  # what it was told, in sentences
    settings: list[SettingFact]  # those that were changed first
    rungs: list[RungFacts]
    round_name: str  # epoch or iteration
    poolings: int  # how often languages pooled which tags head which; 0: they did not
    held_out: bool
    watched: bool
    from_trees: bool  # its start learned from the trees of a file
    trees: int  # sentences with trees that somebody has made
    seconds: float | None


def training_facts(place: Place) -> TrainingFacts:
    model, history = place.model, place.model.history
    settings, data = history.get("settings", {}), history.get("training_data", {})
    rungs = list(_rungs(history))
    starts = (settings.get("init", [])[:1], settings.get("word_init", [])[:1])
    return TrainingFacts(
        model=settings.get("model"),
        kind=models()[settings["model"]].about if settings.get("model") in models() else "a grammar",
        sees=SEES[model.order],
        sentences=data.get("sentences"),
        words=data.get("words"),
        languages=list(data.get("languages", ())),
        longest=model.reading.max_length,
        tags=dict(zip(model.tags.symbols, model.tags.counts, strict=True)),
        sees_words=len(model.words) > 0,
        non_heads=called(model.tags, model.non_heads),
        rules=settings.get("rules"),
        knowledge=list(knowledge_of(model, settings)),
        settings=_settings(settings, as_saved(vars(model.reading))),
        rungs=rungs,
        round_name=history.get("round_name", "round"),
        poolings=settings.get("poolings", 0),
        held_out=any(one.dev is not None for rung in rungs for member in rung.members for one in member),
        watched=bool(history.get("watched")),
        from_trees=["trees"] in starts,
        trees=data.get("trees", {}).get("sentences", 0),
        seconds=place.seconds,
    )


def knowledge_of(model: Model, settings: dict[str, Any]) -> Iterator[str]:
    """The linguistic knowledge that went into it, and what did not."""
    told = called(model.tags, model.non_heads)
    if told:
        stages = f" (in {', '.join(settings['constraint'])})" if settings.get("constraint") else ""
        yield f"Function-word constraint: {' '.join(told)} may not have children{stages}."
    elif settings.get("non_heads"):
        stages = " and ".join(settings.get("constraint") or ["none of its stages"])
        yield f"Function-word constraint: {' '.join(settings['non_heads'])} (in {stages}, not when it parses)."
    else:
        yield "No function-word constraint: every tag may have children."
    if trees := model.history.get("training_data", {}).get("trees"):
        yield f"Supervised in part: it was given {trees_in_words(trees)}."
    rules = model.history.get("rules", [])
    for line in rules:
        yield (
            f"Rules {line['rules']}: {line['found']:.1%} of the dependencies match one of them in expectation; "
            f"{line['wanted']:.0%} were wanted."
        )
    if not rules:
        yield "No rules about which tags are heads of which."
    for name, which in (("init", "The start"), ("word_init", "The start of the part over words")):
        start = settings.get(name) or [""]
        if start[0] == "trees":
            yield f"{which} learned from the trees of {start[1]}: if people made them, this is not unsupervised."
        elif start[0] == "model":
            yield f"{which} learned from the parses of another model, {start[1]}."
        elif start[0] == "hdp-dep":
            with_rules = f"with the rules {start[1]}" if len(start) > 1 else "without rules"
            yield f"{which} learned from the parses of HDP-DEP {with_rules}."
        elif start[0] == "universal":
            taught = f"a universal grammar ({' '.join(start[1:]) or 'that in the box'})"
            yield f"Which tags head which it took from {taught}, which other languages have taught."
        elif start[0] == "recipe":
            yield f"Every language first learned a grammar of its own, by the recipe {start[1]}."
    if (agreement := model.history.get("committee", {}).get("agreement")) is not None:
        outcome = "joined it" if "own" in model.parts else "was left out"
        yield (
            f"A grammar that learned from the text alone, by the recipe {settings.get('own_recipe')}, agrees with this "
            f"in {agreement:.1%} of the words and {outcome}."
        )
    if model.history.get("watched"):
        every = model.history.get("round_name", "round")
        yield f"Gold trees were watched: scores were recorded after every {every}, and decided nothing."
    elif settings:
        yield "No gold tree was watched during the training."


def _settings(settings: dict[str, Any], reading: dict[str, Any]) -> list[SettingFact]:
    """All settings, those that differ from their defaults first."""
    try:
        usual = configure({"model": settings["model"]} if settings else {})
    except (DepinduceError, KeyError):  # from another version
        return [SettingFact(name, _shown(value), None, "") for name, value in (settings | reading).items()]
    defaults = as_saved(usual.values())
    parts = filter(None, (usual.learning, usual.network, usual.lexical, usual.reading))
    meanings = {field.name: field.metadata["help"] for part in parts for field in dataclasses.fields(part)}
    facts = [
        SettingFact(
            name,
            _shown(value),
            _shown(defaults[name]) if name in defaults else None,
            meanings.get(name, ""),
        )
        for name, value in (settings | reading).items()
    ]
    return sorted(facts, key=lambda fact: (fact.name != "model", not fact.changed))  # which is stable


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)


def _rungs(history: dict[str, Any]) -> Iterator[RungFacts]:
    """The rounds by rung and member, in the order of training."""
    rungs: dict[int, dict[int, list[Round]]] = {}
    models: dict[int, tuple[str, str]] = {}
    for line in history.get("rounds", []):
        model, part = line["model"], line.get("part", "")
        models[line["rung"]] = model if part in ("", model) else f"{part}, {model}", part
        rounds = rungs.setdefault(line["rung"], {}).setdefault(line["member"], [])
        if before := line.get("before"):  # of a network that was watched, after its start
            rounds.append(Round(line["round"] - 1, before["train"], before["dev"], None, before["watched"]))
        rounds.append(Round(line["round"], line["train"], line["dev"], line["max_length"], line.get("watched") or {}))
    for number, members in rungs.items():
        model, part = models[number]
        yield RungFacts(model, list(members.values()), part)
