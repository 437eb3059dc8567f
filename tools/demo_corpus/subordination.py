"""Adverbial clauses: reasons, conditions, times, obstacles, purposes."""

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
    takes_people,
    takes_subject,
)
from demo_corpus.dice import Dice
from demo_corpus.events import EVENTS, Event
from demo_corpus.nominals import Nominal, Scope, it, you
from demo_corpus.phrases import choose_noun, noun_phrase
from demo_corpus.plans import BARE, NO_TIME, Plan
from demo_corpus.statements import can_be_passive, passive_clause
from demo_corpus.tree import Node, finish, punctuation
from demo_corpus.usage import usual, usual_by

_FAMILIES = (
    {"kitchen", "home"},
    {"school", "lesson", "library"},
    {"garden", "farm", "field", "barn"},
    {"market", "bakery"},
    {"outdoors", "water"},
)  # scenes near enough to each other for two things to happen at once


def together_in_scene(dice: Dice, first: Event, fits: Callable[[Event], bool]) -> Event | None:
    """Another event that could go on near the first one, if there is one."""
    family = next((family for family in _FAMILIES if family & set(first.scenes)), None)
    if family is None:
        return None
    others = [event for event in EVENTS if family & set(event.scenes) and event.verb != first.verb and fits(event)]
    return dice.pick(others) if others else None


def subordinate(conjunction: str, head: Node) -> Node:
    """The clause with its conjunction, as an adverbial clause."""
    head.left.insert(0, words.subordinator(conjunction))
    return head.labelled("advcl")


def with_adverbial(main: Node, adverbial: Node, first: bool) -> Node:
    """The main clause with an adverbial clause after it or, set off by a comma, before it."""
    if first:
        adverbial.right.append(punctuation(","))
        main.left.insert(0, adverbial)
    else:
        main.right.append(adverbial)
    return main


def _circumstance(dice: Dice, reason: str, subject: Nominal, obj: Nominal | None, time: str) -> Node:
    """She was hungry; it was raining; they were dirty."""
    what, _, word = reason.rpartition(":")
    if word == "rain":
        group = verbs.verb_group("rain", {"past": "was", "present": "present"}[time], it())
        return verbs.arrange(group, it().node.labelled("nsubj"))
    referent = {"it": it(), "obj": obj, "": subject}[what]
    quality = words.adjective(word)
    if dice.chance(0.2) and word not in ("empty", "broken", "ripe", "wet"):
        quality.left.append(words.adverb("very"))
    return predicates.be(dice, again(referent), quality, time)


def because_statement(dice: Dice) -> Node | None:
    """Somebody does something for a good reason."""
    event = some_event(dice, lambda event: bool(event.reasons))
    reason = dice.pick(event.reasons)
    time = dice.weighted({"past": 6, "now": 1.5} if "once" not in event.traits else {"past": 1})
    plan = Plan(time, adjuncts=dice.weighted({0: 2, 1: 1}), omit=NO_TIME)
    main = event_clause(dice, event, plan)
    if reason.startswith("obj:") and (main.object is None or main.object.node.upos == "PRON"):
        return None
    why = _circumstance(dice, reason, main.subject, main.object, "past" if time == "past" else "present")
    return finish(with_adverbial(main.head, subordinate("because", why), first=False), ".")


def passive_because_statement(dice: Dice) -> Node:
    """Something is done to it because it is so."""
    event = some_event(
        dice, lambda event: can_be_passive(event) and any(why.startswith("obj:") for why in event.reasons)
    )
    head, subject = passive_clause(dice, event, Plan("past", plain=True, adjuncts=0), agent=0.3)
    reason = dice.pick([reason for reason in event.reasons if reason.startswith("obj:")])
    why = _circumstance(dice, reason, subject, subject, "past")
    return finish(with_adverbial(head, subordinate("because", why), first=False), ".")


def if_statement(dice: Dice) -> Node | None:
    """If it is so, somebody will or should do something about it."""
    event = some_event(dice, lambda event: bool(event.reasons) and deliberate(event) and "once" not in event.traits)
    reason = dice.pick(event.reasons)
    if reason.startswith("obj:"):
        return _if_object(dice, event, reason)
    subject = you() if dice.chance(0.5) else subject_of(dice, event, Plan("present", plain=True), pronouns=0.1)
    if reason in usual("no condition") or not subject.human:
        return None
    condition = _condition(dice, reason, subject)
    doer = subject if reason.startswith("it:") else again(subject)
    time = dice.pick(("can", "should")) if subject.person == 2 else dice.pick(("future", "should", "can"))
    plan = Plan(time, omit=NO_TIME, adjuncts=dice.weighted({0: 1, 1: 1}))
    main = event_clause(dice, event, plan, doer)
    return finish(with_adverbial(main.head, subordinate("if", condition), first=True), ".")


def _condition(dice: Dice, reason: str, subject: Nominal) -> Node:
    """You are hungry; it rains."""
    what, _, word = reason.rpartition(":")
    if what == "it":
        return _circumstance(dice, reason, subject, None, "present")
    return predicates.be(dice, subject, words.adjective(word), "present")


def _if_object(dice: Dice, event: Event, reason: str) -> Node:
    """If the plates are dirty, wash them."""
    obj = noun_phrase(dice, choose_noun(dice, event.objects), Scope("subject", plain=True), style="the")
    condition = predicates.be(dice, obj, words.adjective(reason.partition(":")[2]), "present")
    if dice.chance(0.4):
        head = verbs.imperative(event.verb)
    else:
        subject = subject_of(dice, event, Plan("future", plain=True), pronouns=0.5)
        group = verbs.verb_group(event.verb, dice.pick(("future", "must", "should", "can")), subject)
        head = verbs.arrange(group, subject.node.labelled("nsubj"))
    head.right.append(obj.pronoun("Acc").labelled("obj"))
    if event.particle:
        head.right.append(words.particle(event.particle))
    return finish(with_adverbial(head, subordinate("if", condition), first=True), ".")


def when_habit(dice: Dice) -> Node | None:
    """When somebody is hungry, they eat."""
    event = some_event(dice, lambda event: bool(event.reasons) and "once" not in event.traits)
    reason = dice.pick(event.reasons)
    if reason.startswith("obj:") or reason in usual("no condition"):
        return None
    subject = subject_of(dice, event, Plan("present", plain=True), pronouns=0.15)
    outside = reason.startswith("it:")
    condition = _condition(dice, reason, subject)
    doer = subject if outside else again(subject)
    adverb = words.adverb(dice.pick(("always", "often", "usually"))) if dice.chance(0.4) else None
    group = verbs.verb_group(event.verb, "present", doer)
    verbs.arrange(group, doer.node.labelled("nsubj"), adverb=adverb)
    add_complements(dice, group.head, event, doer, Plan("present", omit=NO_TIME, adjuncts=1))
    first = not outside or dice.chance(0.6)
    return finish(with_adverbial(group.head, subordinate("when", condition), first), ".")


def two_events(dice: Dice) -> Node | None:
    """Two things that happen at the same time or one after the other."""
    conjunction = dice.weighted({"while": 3, "before": 1.5, "after": 1.5})
    unfit = {"stative", "accident", "moment", "once"}
    first = some_event(dice, lambda event: takes_people(event) and not event.traits & unfit)
    second = together_in_scene(dice, first, lambda event: not event.traits & unfit and not event.recipients)
    if second is None:
        return None
    main = event_clause(dice, first, Plan("past", omit=BARE, adjuncts=0))
    subject, time = None, "past"
    if conjunction == "while":
        time = dice.pick(("past", "was"))
    elif _can_do(second, main.subject) and {first.verb, second.verb}.isdisjoint({"sing", "dance", "sleep", "rest"}):
        subject = again(main.subject)
    else:
        return None
    plan = Plan(time, omit=BARE, adjuncts=0, plain=True)
    subject = subject or subject_of(dice, second, plan, pronouns=0)
    aside = event_clause(dice, second, plan, subject)
    front = conjunction == "while" and main.subject.node.upos != "PRON" and dice.chance(0.3)
    return finish(with_adverbial(main.head, subordinate(conjunction, aside.head), front), ".")


def _can_do(event: Event, subject: Nominal) -> bool:
    return takes_people(event) if subject.noun is None else takes_subject(event, subject.noun)


def interruption(dice: Dice) -> Node:
    """Somebody was doing something when something happened, or went on until it did."""
    until = dice.chance(0.35)
    unfit = {"stative", "accident", "once", "moment"}
    event = some_event(
        dice,
        lambda event: (
            takes_people(event) and not event.traits & unfit and (not until or event.verb in usual("lasting events"))
        ),
    )
    main = event_clause(dice, event, Plan("past" if until else "was", omit=NO_TIME, adjuncts=1))
    adverbial = subordinate("until" if until else "when", _sudden(dice, event))
    return finish(with_adverbial(main.head, adverbial, first=not until and dice.chance(0.2)), ".")


def _sudden(dice: Dice, meanwhile: Event) -> Node:
    """The bell rang, the bus arrived, it began to rain."""
    if dice.chance(0.2):
        group = verbs.verb_group(dice.pick(("begin", "start")), "past", it())
        group.head.right.append(verbs.infinitive(dice.pick(("rain", "snow"))).labelled("xcomp"))
        return verbs.arrange(group, it().node.labelled("nsubj"))
    if set(meanwhile.scenes) & {"school", "lesson"} and dice.chance(0.6):
        event = some_event(dice, lambda event: event.verb == "ring")
    else:
        event = some_event(
            dice, lambda event: event.verb == "arrive" or (event.verb, event.particle) == ("come", "back")
        )
    plan = Plan("past", omit=BARE, adjuncts=0, plain=True)
    return event_clause(dice, event, plan, subject_of(dice, event, plan, pronouns=0)).head


def although_statement(dice: Dice) -> Node | None:
    """Somebody does something although it is not easy."""
    event = some_event(
        dice,
        lambda event: (
            deliberate(event)
            and not event.traits & {"moment", "once"}
            and not set(event.reasons) & {"tired", "sick", "it:cold", "it:rain", "it:late"}
        ),
    )
    plan = Plan("past", omit=NO_TIME, adjuncts=dice.weighted({0: 1, 1: 1}))
    main = event_clause(dice, event, plan)
    if not main.subject.human:
        return None
    obstacles = ["tired"] if event.verb == "work" else ["tired", "busy"]
    if set(event.scenes) & set(usual("out of doors")) or event.goals:
        obstacles += ["it:cold", "it:rain"]
    elif event.verb in usual("until late"):
        obstacles += ["it:late"]
    clause = _circumstance(dice, dice.pick(obstacles), main.subject, None, "past")
    conjunction = dice.pick(("although", "although", "though"))
    return finish(with_adverbial(main.head, subordinate(conjunction, clause), first=False), ".")


def purpose_statement(dice: Dice) -> Node | None:
    """Somebody goes somewhere to do something there."""
    errands = usual_by("errand to")
    place = dice.pick(sorted(errands))
    errand = some_event(
        dice,
        lambda event: (
            event.verb in errands[place]
            and takes_people(event)
            and not event.recipients
            and not event.prep
            and (event.verb != "play" or not event.objects)
        ),
    )
    verb = dice.pick(("go", "go", "walk", "run", "come"))
    time = dice.weighted({"past": 4, "future": 1, "perfect": 0.5})
    subject = subject_of(dice, errand, Plan(time, plain=True))
    if not subject.human:
        return None
    group = verbs.verb_group(verb, time, subject)
    verbs.arrange(group, subject.node.labelled("nsubj"))
    goal = Node(place, place, "NOUN", "Number=Sing", "obl", left=[words.preposition("to"), words.determiner("the")])
    purpose = verbs.infinitive(errand.verb).labelled("advcl")
    add_complements(dice, purpose, errand, subject, Plan("past", omit=BARE, adjuncts=0))
    group.head.right += [goal, purpose]
    return finish(group.head, ".")
