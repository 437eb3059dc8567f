"""Clauses that modify a noun: relative clauses and participles."""

from __future__ import annotations

from demo_corpus import predicates, verbs, words
from demo_corpus.clauses import (
    add_complements,
    again,
    choose_time,
    event_clause,
    other_person,
    some_event,
    subject_of,
    takes_object,
    takes_people,
    takes_subject,
)
from demo_corpus.dice import Dice
from demo_corpus.events import EVENTS, Event
from demo_corpus.nominals import Nominal, Scope
from demo_corpus.nouns import GROUPS, RELATED, Noun, nouns_named
from demo_corpus.phrases import choose_noun, noun_phrase, prepositional
from demo_corpus.plans import BARE, Plan
from demo_corpus.tree import Node, finish
from demo_corpus.usage import usual


def add_subject_relative(dice: Dice, nominal: Nominal, main: Event | None = None) -> bool:
    """Gives the nominal a clause in which it is the subject (the girl who found the key), if one fits."""
    fitting = [
        event for event in EVENTS if takes_subject(event, nominal.noun) and event.verb not in usual("not in relatives")
    ]
    near = [event for event in fitting if main and set(event.scenes) & set(main.scenes)]
    if not fitting:
        return False
    event = dice.pick(near if near and dice.chance(0.7) else fitting)
    forms = ("who", "who", "that") if nominal.noun.kind == "person" else ("that", "that", "which")
    relative = Nominal(words.pronoun(dice.pick(forms), "Rel"), nominal.noun, 3, nominal.number, nominal.gender)
    time = "past"
    if main is None and not event.traits & {"once", "stative"}:
        time = dice.weighted({"past": 3, "was": 1})
    plan = Plan(time, adjuncts=dice.weighted({0: 2, 1: 1}), plain=True, omit=frozenset({"time"}))
    clause = event_clause(dice, event, plan, relative).head
    if not clause.right:
        return False
    nominal.node.right.append(clause.labelled("acl:relcl"))
    return True


def add_object_relative(dice: Dice, nominal: Nominal, user: Nominal | None = None, bare: bool = True) -> bool:
    """Gives the nominal a clause in which it is the object (the letter that Anna wrote), if one fits.

    With a `user`, the clause tells where the thing came from before it was used. A `bare` clause may
    do without a relative pronoun.
    """
    fitting = [
        event
        for event in EVENTS
        if takes_object(event, nominal.noun) and event.goals != ("spot",) and event.verb not in ("have", "want")
    ]
    if user:
        fitting = [event for event in fitting if event.verb in usual("source of things")]
    if not fitting:
        return False
    event = dice.pick(fitting)
    form = dice.weighted({"": 1.2 if bare else 0, "that": 2, "who" if nominal.noun.kind == "person" else "which": 0.8})
    front = (words.pronoun(form, "Rel").labelled("obj"),) if form else ()
    stative = "stative" in event.traits and "once" not in event.traits
    time = dice.pick(("past", "present")) if stative else "past"
    plan = Plan(
        time,
        front=front,
        omit=frozenset({"object", "recipient"}),
        adjuncts=dice.weighted({0: 3, 1: 1}),
        plain=True,
    )
    subject = subject_of(dice, event, plan)
    if user and takes_people(event) and user.human and not event.recipients and dice.chance(0.3):
        subject = again(user)
    clause = event_clause(dice, event, plan, subject).head
    if event.recipients:
        if user and subject.noun is None:
            return False
        receiver = Nominal(user.pronoun("Acc"), user.noun) if user else other_person(dice, subject)
        clause.right[:0] = [prepositional(event.recipient_prep, receiver)]
    nominal.node.right.append(clause.labelled("acl:relcl"))
    return True


def _can_be_singled_out(noun: Noun) -> bool:
    return noun.group not in ("NAME", "MEAL", "NEWS", *RELATED) and not noun.unique


def relative_in_subject(dice: Dice) -> Node | None:
    """The one who did this did that."""
    event = some_event(dice, lambda event: "stative" not in event.traits)
    noun = choose_noun(dice, event.subjects)
    if not _can_be_singled_out(noun):
        return None
    subject = noun_phrase(dice, noun, Scope("subject", plain=True), style="the")
    by_object = dice.chance(0.25 if noun.kind != "person" else 0.15)
    done = add_object_relative(dice, subject, bare=False) if by_object else add_subject_relative(dice, subject, event)
    if not done:
        return None
    time = choose_time(dice, event)
    plan = Plan(
        time if time in ("now", "future") else "past",
        adjuncts=dice.weighted({0: 2, 1: 1}),
        plain=True,
        omit=frozenset({"time"}),
    )
    return finish(event_clause(dice, event, plan, subject).head, ".")


def _uses_something(event: Event) -> bool:
    """Whether the object was there before the event."""
    whole = event.transitive and not (event.recipients or event.particle or event.goals == ("spot",))
    return whole and not event.traits & {"creates", "many", "own"} and event.verb != "lay"


def relative_in_object(dice: Dice) -> Node | None:
    """Somebody does something to the one that is so."""
    event = some_event(dice, _uses_something)
    noun = choose_noun(dice, event.objects)
    if not _can_be_singled_out(noun):
        return None
    time = choose_time(dice, event)
    if noun.kind != "thing" or (time == "present" and "stative" not in event.traits):
        time = "past"
    plan = Plan(time, omit=BARE | {"object"}, adjuncts=0)
    subject = subject_of(dice, event, plan._replace(plain=True))
    clause = event_clause(dice, event, plan, subject)
    style = "a" if not noun.mass and dice.chance(0.2) else "the"
    obj = noun_phrase(dice, noun, Scope(plain=True), False if style == "a" else None, style)
    if noun.kind == "thing":
        done = add_object_relative(dice, obj, subject)
    else:
        done = add_subject_relative(dice, obj, event)
    if not done:
        return None
    clause.head.right.append(obj.node.labelled("obj"))
    return finish(clause.head, ".")


def relative_with_copula(dice: Dice) -> Node | None:
    """The one that somebody made is so."""
    subject = predicates.described(dice, plain=True)
    if subject.noun is None or not _can_be_singled_out(subject.noun):
        return None
    done = add_object_relative(dice, subject) if subject.noun.kind == "thing" else add_subject_relative(dice, subject)
    if not done:
        return None
    return finish(predicates.be(dice, subject, _said_of(dice, subject), dice.pick(("present", "past"))), ".")


def _said_of(dice: Dice, nominal: Nominal, kin: float = 0.4) -> Node:
    """How it is or, of a person, whose sister or friend it is."""
    if nominal.noun.kind != "person" or not dice.chance(kin):
        return predicates.state(dice, nominal.noun)
    candidates = GROUPS["SIBLING"] + nouns_named("friend")
    if nominal.noun.group == "ADULT":
        candidates += nouns_named("aunt") + nouns_named("uncle")
    candidates = [noun for noun in candidates if not noun.gender or noun.gender == nominal.gender]
    return noun_phrase(dice, dice.pick(candidates), Scope(plain=True), plural=nominal.number == "Plur").node


def participle_statement(dice: Dice) -> Node | None:
    """The letter written by Paul is long."""
    event = some_event(
        dice,
        lambda event: (
            event.verb in usual("handmade") and takes_people(event) and not event.particle and not event.recipients
        ),
    )
    noun = choose_noun(dice, event.objects)
    if noun.group == "MEAL" or noun.kind != "thing":
        return None
    nominal = noun_phrase(dice, noun, Scope("subject", plain=True), style="the")
    modifier = verbs.participle(event.verb, passive=True)
    agent = subject_of(dice, event, Plan(plain=True), pronouns=0)
    modifier.right.append(prepositional("by", agent).labelled("obl:agent"))
    nominal.node.right.append(modifier)
    return finish(predicates.be(dice, nominal, predicates.state(dice, noun), dice.pick(("present", "past"))), ".")


def busy_person_statement(dice: Dice) -> Node | None:
    """The girl sitting near the window is my cousin."""
    event = some_event(
        dice,
        lambda event: (
            event.verb in usual("seen doing")
            and not event.particle
            and not event.recipients
            and ("CHILD" in event.subjects or "ADULT" in event.subjects)
        ),
    )
    tokens = [
        token for token, group in (("CHILD", "CHILD"), ("woman", "ADULT"), ("man", "ADULT")) if group in event.subjects
    ]
    nominal = noun_phrase(dice, choose_noun(dice, tuple(tokens)), Scope("subject", plain=True), style="the")
    modifier = verbs.participle(event.verb, passive=False)
    add_complements(
        dice,
        modifier,
        event,
        nominal,
        Plan("now", adjuncts=2, plain=True, omit=frozenset({"time", "manner"})),
    )
    if not modifier.right:
        return None
    nominal.node.right.append(modifier)
    said = _said_of(dice, nominal, kin=1 if event.verb == "sleep" else 0.7)
    return finish(predicates.be(dice, nominal, said, dice.pick(("present", "past"))), ".")
