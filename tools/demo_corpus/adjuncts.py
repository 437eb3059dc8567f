"""Where, how and when: the adjuncts of an event."""

from __future__ import annotations

from demo_corpus import words
from demo_corpus.dice import Dice
from demo_corpus.events import SCENES, Event
from demo_corpus.nominals import Nominal
from demo_corpus.phrases import fixed_phrase
from demo_corpus.plans import Plan
from demo_corpus.tree import Node
from demo_corpus.usage import usual

_TIMES = {
    "past": ("yesterday", "last week", "this morning", "on Monday", "on Friday", "in the afternoon"),
    "was": ("yesterday", "this morning", "in the afternoon"),
    "present": ("every day", "every morning", "on Sundays", "in the evening", "every week"),
    "now": ("now", "at the moment"),
    "future": ("tomorrow", "next week", "on Saturday", "soon", "tonight", "this afternoon"),
    "must": ("today", "tomorrow"),
    "should": ("today", "tomorrow"),
    "may": ("tomorrow", "later"),
    "might": ("tomorrow", "later"),
    "can": ("tomorrow", "now"),
}
_SEASONS = ("in the spring", "in the summer", "this year")
_ADVERBS = ("now", "soon", "later")
_FREQUENCY = {"often": 4, "always": 3, "usually": 3, "sometimes": 3, "never": 1.5, "rarely": 1}
_SCHOOL_SCENES = ("school", "lesson")
_AT_SCHOOL = ("CHILD", "SIBLING", "NAME")


def adjuncts(dice: Dice, event: Event, subject: Nominal, obj: Nominal | None, plan: Plan) -> list[Node]:
    """The adjuncts after the verb and its objects, in the order manner, place, time."""
    manners = _manners(event, subject, plan)
    where = () if "place" in plan.omit else places(event, subject, obj)
    when = () if "time" in plan.omit else time_phrases(event, plan.time)
    options = {"manner": 1.4 * bool(manners), "place": 1.5 * bool(where), "time": 1.2 * bool(when)}
    chosen = _needed(event, subject, plan) & {kind for kind, weight in options.items() if weight}
    options = {kind: weight for kind, weight in options.items() if weight and kind not in chosen}
    while options and len(chosen) < plan.adjuncts and dice.chance(0.75):
        kind = dice.weighted(options)
        options.pop(kind)
        chosen.add(kind)
        if kind == "manner" and plan.time != "past":
            options.pop("time", None)
    nodes = []
    if "manner" in chosen:
        nodes.append(words.adverb(dice.pick(manners)))
    if "place" in chosen:
        nodes.append(fixed_phrase(dice.pick(where)))
    if "time" in chosen:
        nodes.append(time_phrase(dice, event, plan.time))
    return nodes


def _needed(event: Event, subject: Nominal, plan: Plan) -> set[str]:
    """What must not be missing: where one lives or sits, and when, if nothing else marks a habit."""
    if event.verb in ("live", "sit"):
        return {"place"}
    determined = any(child.deprel in ("det", "nmod:poss") for child in subject.node.left)
    general = subject.noun is not None and subject.number == "Plur" and not determined  # cows eat grass
    return {"time"} if plan.habitual and not plan.negative and not general else set()


def _manners(event: Event, subject: Nominal, plan: Plan) -> list[str]:
    """How the event may happen: a plan or a habit is rarely hasty, and only several people act together."""
    if "manner" in plan.omit or plan.negative:
        return []
    manners = [how for how in event.manners if how != "together" or subject.number == "Plur"]
    if plan.time in ("past", "now", "was", "perfect"):
        return manners
    if plan.habitual and event.objects:
        return [how for how in manners if how == "well"]
    return [how for how in manners if how in usual("calm")]


def places(event: Event, subject: Nominal, obj: Nominal | None = None) -> tuple[str, ...]:
    """Where the event may happen with these people and things."""
    found = []
    for scene in event.scenes:
        if scene in _SCHOOL_SCENES and not _goes_to_school(subject):
            continue
        found += obj.noun.spots if scene == "spot" and obj else SCENES[scene]
    return tuple(found)


def _goes_to_school(subject: Nominal) -> bool:
    noun = subject.noun
    return noun is None or noun.group in _AT_SCHOOL or noun.lemma in ("teacher", "musician")


def time_phrases(event: Event, time: str) -> tuple[str, ...]:
    """When the event may happen."""
    if "stative" in event.traits:
        return ()
    if event.verb in ("bloom", "grow"):
        return _SEASONS
    if "moment" in event.traits and time != "present":
        return ("this morning", "yesterday") if time == "past" else ()
    return _TIMES.get(time, ())


def time_phrase(dice: Dice, event: Event, time: str) -> Node:
    """A phrase that says when."""
    phrase = dice.pick(time_phrases(event, time))
    return words.adverb(phrase) if phrase in _ADVERBS else fixed_phrase(phrase)


def frequency(dice: Dice, event: Event, plan: Plan) -> Node | None:
    """An adverb before the verb that says how often, or that it has happened already."""
    if "time" in plan.omit or plan.negative or "stative" in event.traits:
        return None
    brief = plan.inverted or plan.plain
    if plan.habitual and dice.chance(0.6):
        return words.adverb(dice.pick(("often", "always", "usually")) if brief else dice.weighted(_FREQUENCY))
    if plan.time == "past" and not brief and dice.chance(0.06):
        return words.adverb(dice.pick(("finally", "finally", "also", "soon")))
    if plan.time == "perfect" and not brief and dice.chance(0.5):
        return words.adverb(dice.pick(("already", "just")))
    return None
