"""Clauses and verb phrases joined by and, but, or."""

from __future__ import annotations

from collections.abc import Callable

from demo_corpus import predicates, verbs, words
from demo_corpus.clauses import (
    add_complements,
    again,
    deliberate,
    event_clause,
    some_event,
    subject_of,
    takes_object,
    takes_people,
)
from demo_corpus.dice import Dice
from demo_corpus.events import EVENTS, Event
from demo_corpus.nominals import Scope, you
from demo_corpus.nouns import nouns_named
from demo_corpus.phrases import noun_pair
from demo_corpus.plans import BARE, NO_TIME, Plan
from demo_corpus.subordination import together_in_scene
from demo_corpus.tree import Node, finish, punctuation
from demo_corpus.usage import usual


def joined(head: Node, conjunct: Node, conjunction: str, comma: bool) -> Node:
    """The first clause with the second attached to it."""
    conjunct.left.insert(0, words.coordinator(conjunction))
    if comma:
        conjunct.left.insert(0, punctuation(","))
    head.right.append(conjunct.labelled("conj"))
    return head


def _named(dice: Dice, phrase: str, fits: Callable[[Event], bool]) -> Event | None:
    """An event of that verb (and particle) that fits, if there is one."""
    verb, _, particle = phrase.partition(" ")
    events = [event for event in EVENTS if (event.verb, event.particle) == (verb, particle) and fits(event)]
    return dice.pick(events) if events else None


def same_object(dice: Dice) -> Node | None:
    """Somebody does one thing and then another to the same object."""
    first_verb, second_verb = dice.pick(usual("same object")).split(" > ")
    first = _named(dice, first_verb, lambda event: event.transitive and takes_people(event) and not event.recipients)
    time = dice.weighted({"past": 6, "future": 1.5, "can": 0.7, "must": 0.5})
    plan = Plan(time, adjuncts=dice.weighted({0: 3, 1: 1}), omit=NO_TIME)
    clause = event_clause(dice, first, plan)
    thing = clause.object
    if thing is None or thing.node.upos == "PRON" or not clause.subject.human:
        return None
    second = _named(dice, second_verb, lambda event: takes_object(event, thing.noun) and takes_people(event))
    if second is None:
        return None
    group = verbs.verb_group(second.verb, time, clause.subject)
    group.head.right.append(thing.pronoun("Acc").labelled("obj"))
    if second.particle:
        group.head.right.append(words.particle(second.particle))
    rest = second._replace(objects=(), particle="", manners=(), scenes=())
    if rest.goals == ("spot",):
        return None
    add_complements(
        dice, group.head, rest, clause.subject, Plan(time, adjuncts=0, plain=True, omit=frozenset({"time"}))
    )
    return finish(joined(clause.head, group.head, "and", comma=False), ".")


def in_turn(dice: Dice) -> Node | None:
    """Somebody does one thing and then another."""
    first_verb, second_verb = dice.pick(usual("in turn")).split(" > ")
    first = _named(dice, first_verb, lambda event: takes_people(event) and not event.recipients and not event.prep)
    second = _named(dice, second_verb, lambda event: deliberate(event) and not event.recipients and not event.prep)
    time = dice.weighted({"past": 6, "future": 1.5})
    clause = event_clause(dice, first, Plan(time, adjuncts=0, omit=NO_TIME))
    if not clause.subject.human:
        return None
    group = verbs.verb_group(second.verb, time, clause.subject)
    plan = Plan(time, adjuncts=dice.weighted({0: 1, 1: 1}), omit=NO_TIME, plain=True)
    add_complements(dice, group.head, second, clause.subject, plan)
    return finish(joined(clause.head, group.head, "and", comma=False), ".")


def two_clauses(dice: Dice) -> Node | None:
    """Two people do two things in the same place."""
    unfit = {"stative", "once", "accident", "moment"}
    first = some_event(dice, lambda event: takes_people(event) and not event.traits & unfit and not event.recipients)
    second = together_in_scene(dice, first, lambda event: not event.traits & unfit and not event.recipients)
    if second is None:
        return None
    time = dice.weighted({"past": 4, "now": 1.5, "future": 1 if deliberate(second) else 0})
    plan = Plan(time, omit=BARE, adjuncts=0, plain=True)
    main = event_clause(dice, first, plan, subject_of(dice, first, plan, pronouns=0.15))
    other = event_clause(dice, second, plan, subject_of(dice, second, plan, pronouns=0))
    return finish(joined(main.head, other.head, "and", comma=True), ".")


def contrast(dice: Dice) -> Node | None:
    """Somebody is tired, but does it; somebody looks for it, but does not find it."""
    form = dice.weighted({"state": 3, "search": 1, "taste": 2})
    return {"state": _tired_but_active, "search": _search, "taste": _tastes}[form](dice)


def _tired_but_active(dice: Dice) -> Node:
    event = some_event(
        dice,
        lambda event: (
            deliberate(event)
            and event.objects
            and event.verb not in usual("leisure")
            and not event.traits & {"moment", "once"}
            and not set(event.reasons) & {"tired", "busy", "hungry", "sick", "thirsty"}
        ),
    )
    subject = subject_of(dice, event, Plan(plain=True))
    head = predicates.be(dice, subject, words.adjective(dice.pick(("tired", "busy", "tired"))), "past")
    plan = Plan("past", omit=NO_TIME, adjuncts=dice.weighted({0: 1, 1: 1}), plain=True)
    return finish(joined(head, event_clause(dice, event, plan, again(subject)).head, "but", comma=True), ".")


def _search(dice: Dice) -> Node | None:
    event = some_event(dice, lambda event: event.verb == "look" and event.prep == "for")
    clause = event_clause(dice, event, Plan("past", omit=NO_TIME, adjuncts=1, plain=True))
    if clause.object.node.upos == "PRON":
        return None
    subject = again(clause.subject)
    group = verbs.verb_group("find", dice.pick(("past", "could")), subject, negative=True, contracted=dice.chance(0.5))
    verbs.arrange(group, subject.node.labelled("nsubj"))
    group.head.right.append(clause.object.pronoun("Acc").labelled("obj"))
    return finish(joined(clause.head, group.head, "but", comma=True), ".")


def _tastes(dice: Dice) -> Node | None:
    """Anna likes pears, but Ben does not like them."""
    event = some_event(dice, lambda event: event.verb in ("like", "need", "eat", "enjoy") and takes_people(event))
    plan = Plan(
        "present" if "stative" in event.traits else "past",
        omit=BARE,
        adjuncts=0,
        plain=True,
    )
    main = event_clause(dice, event, plan)
    other = subject_of(dice, event, plan._replace(negative=True), pronouns=0)
    group = verbs.verb_group(event.verb, plan.time, other, negative=True, contracted=dice.chance(0.5))
    verbs.arrange(group, other.node.labelled("nsubj"))
    group.head.right.append(main.object.pronoun("Acc").labelled("obj"))
    return finish(joined(main.head, group.head, "but", comma=True), ".")


def choice_question(dice: Dice) -> Node:
    """This one or that one?"""
    verb, token = dice.pick(usual("tastes")).split()
    nouns = [
        noun for noun in nouns_named(token) if not noun.complement and not noun.modifier and noun.lemma != "flower"
    ]
    first, second = dice.shuffled(nouns)[:2]
    likes = some_event(dice, lambda event: event.verb == "like")
    subject = you() if dice.chance(0.6) else subject_of(dice, likes, Plan(plain=True), pronouns=0)
    group = verbs.verb_group(verb, "present", subject, inverted=True)
    verbs.arrange(group, subject.node.labelled("nsubj"), inverted=True)
    if verb == "like":
        pair = noun_pair(dice, first, second, Scope(), "or", style="", plural=not first.mass and not second.mass)
    else:
        style = dice.pick(("some", "")) if first.mass and second.mass else None
        pair = noun_pair(dice, first, second, Scope(indefinite=True), "or", style=style, plural=False)
    group.head.right.append(pair.node.labelled("obj"))
    return finish(group.head, "?")
