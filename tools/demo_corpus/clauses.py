"""Clauses about events: who does what, where, how and when."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from demo_corpus import verbs, words
from demo_corpus.adjuncts import adjuncts, frequency
from demo_corpus.dice import Dice
from demo_corpus.events import EVENTS, Event
from demo_corpus.nominals import Nominal, Scope, personal_pronoun
from demo_corpus.nouns import Noun, nouns_named
from demo_corpus.phrases import (
    choose_noun,
    fixed_phrase,
    noun_pair,
    noun_phrase,
    pairable,
    prepositional,
)
from demo_corpus.plans import Plan
from demo_corpus.tree import Node


@dataclass
class Clause:
    """A finished clause and those who take part in it."""

    head: Node
    subject: Nominal
    event: Event
    time: str
    object: Nominal | None = None


def again(nominal: Nominal) -> Nominal:
    """The same one a second time, as a pronoun."""
    return Nominal(nominal.pronoun("Nom"), nominal.noun, nominal.person, nominal.number, nominal.gender)


def some_event(dice: Dice, fits: Callable[[Event], bool] = lambda event: True) -> Event:
    """An event that fits."""
    fitting = [event for event in EVENTS if fits(event)]
    return dice.weighted({event: 0.5 if event.particle else 1.0 for event in fitting})


def takes_subject(event: Event, noun: Noun) -> bool:
    """Whether the noun can be the subject of the event."""
    return any(noun in nouns_named(token) for token in event.subjects)


def takes_object(event: Event, noun: Noun) -> bool:
    """Whether the noun can be the direct object of the event."""
    return event.transitive and any(noun in nouns_named(token) for token in event.objects)


def takes_people(event: Event) -> bool:
    """Whether anybody at all can be the subject: I, you, everyone."""
    return "NAME" in event.subjects or "KIN" in event.subjects


def deliberate(event: Event) -> bool:
    """Whether it is something one can plan, ask for and try."""
    return takes_people(event) and not event.traits & {"accident", "stative"}


def choose_time(dice: Dice, event: Event, human: bool = True) -> str:
    """A time at which one would speak of the event."""
    if "stative" in event.traits:
        return dice.weighted({"past": 1.0} if "once" in event.traits else {"present": 3, "past": 1})
    times = {"past": 7.0}
    if (event.objects or "once" in event.traits) and "unusual" not in event.traits:
        times["perfect"] = 1
    if "once" not in event.traits:
        times |= {"now": 2, "was": 1}
        if "unusual" not in event.traits and (not event.recipients or "consumes" in event.traits):
            times["present"] = 2.5
    if human and deliberate(event):
        times |= {"future": 2, "can": 0.8, "must": 0.6, "should": 0.6, "may": 0.2, "might": 0.2}
    return dice.weighted(times)


def subject_of(dice: Dice, event: Event, plan: Plan, pronouns: float = 0.27) -> Nominal:
    """A subject for the event."""
    if takes_people(event) and dice.chance(pronouns):
        return personal_pronoun(dice)
    token = dice.pick(event.subjects)
    noun = dice.pick(nouns_named(token))
    scope = Scope("subject", negative=plan.negative, habitual=plan.habitual, plain=plan.plain)
    partners = [other for other in nouns_named(token) if pairable(noun, other)]
    if partners and not noun.unique and not plan.plain and dice.chance(0.07):
        return noun_pair(dice, noun, dice.pick(partners), scope)
    return noun_phrase(dice, noun, scope)


def event_clause(dice: Dice, event: Event, plan: Plan, subject: Nominal | None = None) -> Clause:
    """A clause about the event; `subject` is chosen if none is given."""
    subject = subject or subject_of(dice, event, plan)
    group = verbs.verb_group(
        event.verb,
        plan.time,
        subject,
        negative=plan.negative,
        contracted=plan.contracted,
        inverted=plan.inverted,
    )
    adverb = frequency(dice, event, plan)
    subject.node.labelled("nsubj")
    verbs.arrange(group, subject.node, front=list(plan.front), adverb=adverb, inverted=plan.inverted)
    if adverb:
        plan = plan._replace(omit=plan.omit | {"time"})
    obj = add_complements(dice, group.head, event, subject, plan)
    return Clause(group.head, subject, event, plan.time, obj)


def add_complements(dice: Dice, head: Node, event: Event, subject: Nominal, plan: Plan) -> Nominal | None:
    """Everything after the verb; returns the object, if there is one."""
    obj = None
    if event.objects and "object" not in plan.omit:
        obj = object_of(dice, event, subject, plan)
    head.right += _core(dice, event, subject, obj, plan)
    head.right += _goal(dice, event, obj, plan)
    if (event.goals or event.recipients) and dice.chance(0.5):
        plan = plan._replace(adjuncts=0)
    head.right += adjuncts(dice, event, subject, obj, plan)
    return obj


def object_of(dice: Dice, event: Event, subject: Nominal, plan: Plan) -> Nominal:
    """An object for the event."""
    token = dice.pick(event.objects)
    noun = dice.pick(nouns_named(token))
    indefinite = plan.habitual and "consumes" in event.traits or _is_new(dice, event)
    scope = Scope(
        negative=plan.negative,
        habitual=plan.habitual,
        indefinite=indefinite,
        generic="generic" in event.traits,
        owner=subject,
        own="own" in event.traits,
        known="known" in event.traits,
        plain=plan.plain,
    )
    if noun.kind == "person" and not plan.plain and dice.chance(0.2):
        return other_person(dice, subject)
    if "many" in event.traits:
        return noun_phrase(dice, noun, scope, plural=True)
    if "single" in event.traits:
        return noun_phrase(dice, noun, scope, plural=False)
    if scope.own and subject.human:
        return noun_phrase(dice, noun, scope, plural=subject.number == "Plur")
    partners = [other for other in nouns_named(token) if pairable(noun, other)]
    simple = plan.plain or plan.negative or event.prep or noun.unique or noun.complement or noun.kind == "person"
    if partners and not simple and dice.chance(0.12):
        return noun_pair(dice, noun, dice.pick(partners), scope)
    if plan.alone and noun.kind == "thing" and not indefinite and dice.chance(0.04):
        return Nominal(words.personal("Acc", 3, "Sing", "n"), noun)
    return noun_phrase(dice, noun, scope)


def _is_new(dice: Dice, event: Event) -> bool:
    """Whether the object comes into being or into the story with the event."""
    return "creates" in event.traits and (bool(event.recipients) or dice.chance(0.6))


def other_person(dice: Dice, subject: Nominal) -> Nominal:
    """A pronoun in the object case for somebody who is not the subject."""
    while True:
        nominal = personal_pronoun(dice, "Acc")
        same = nominal.person == subject.person and (nominal.person < 3 or nominal.number == subject.number)
        if nominal.person != 2 and not same:
            return nominal


def _core(dice: Dice, event: Event, subject: Nominal, obj: Nominal | None, plan: Plan) -> list[Node]:
    """Particle, object and recipient in their order."""
    if event.particle:
        return _with_particle(dice, words.particle(event.particle), obj)
    if obj is None:
        recipient = []
        if event.recipients and "recipient" not in plan.omit:
            recipient = [prepositional(event.recipient_prep, _recipient(dice, event, subject, plan))]
        return recipient
    if event.prep:
        return [prepositional(event.prep, obj)]
    node = obj.node.labelled("obj")
    if not event.recipients or "recipient" in plan.omit:
        return [node]
    recipient = _recipient(dice, event, subject, plan)
    clear = bool(node.left) or recipient.node.upos != "NOUN"  # not "made the girl sweaters"
    if clear and dice.chance(0.6):
        return [recipient.node.labelled("iobj"), node]
    return [node, prepositional(event.recipient_prep, recipient)]


def _with_particle(dice: Dice, particle: Node, obj: Nominal | None) -> list[Node]:
    if obj is None:
        return [particle]
    node = obj.node.labelled("obj")
    light = not node.right and len(node.left) < 2
    if node.upos == "PRON" or (light and dice.chance(0.4)):
        return [node, particle]
    return [particle, node]


def _recipient(dice: Dice, event: Event, subject: Nominal, plan: Plan) -> Nominal:
    if dice.chance(0.3):
        return other_person(dice, subject)
    scope = Scope(owner=subject, plain=True, negative=plan.negative)
    return noun_phrase(dice, choose_noun(dice, event.recipients), scope, plural=False)


def _goal(dice: Dice, event: Event, obj: Nominal | None, plan: Plan) -> list[Node]:
    """Where it goes; always said of going and putting, mostly of the rest."""
    if not event.goals or "place" in plan.omit:
        return []
    if event.goals == ("spot",):
        return [fixed_phrase(dice.pick(obj.noun.spots))] if obj else []
    needed = event.verb in ("go", "come", "travel", "walk", "lead", "fly", "jump")
    return [fixed_phrase(dice.pick(event.goals))] if needed or dice.chance(0.75) else []
