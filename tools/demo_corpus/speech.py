"""What somebody says, knows or asks: clauses as complements."""

from __future__ import annotations

from demo_corpus import predicates, verbs, words
from demo_corpus.clauses import (
    deliberate,
    event_clause,
    other_person,
    some_event,
    subject_of,
    takes_people,
)
from demo_corpus.dice import Dice
from demo_corpus.events import Event
from demo_corpus.nominals import Nominal, Scope, indefinite, personal_pronoun
from demo_corpus.phrases import choose_noun, noun_phrase
from demo_corpus.plans import BARE, NO_TIME, Plan
from demo_corpus.statements import can_be_passive, passive_clause
from demo_corpus.tree import Node, finish
from demo_corpus.usage import usual

_PEOPLE = ("ADULT", "CHILD", "KIN", "NAME", "NAME")
_LISTENERS = ("CHILD", "KIN", "NAME", "NAME")
_STATES = {"state": 2, "place": 1.5, "passive": 1, "there": 0.8}
_WHETHER = {"whether": 2, "if": 1.5, "where": 1, "why": 1}
_WHICH = {"where": 3, "why": 2, "who": 3, "what": 2, "when": 1}


def somebody(dice: Dice, pronouns: float = 0.3) -> Nominal:
    """A person, for the subject of a main clause."""
    if dice.chance(pronouns):
        return personal_pronoun(dice)
    if dice.chance(0.06):
        return indefinite(dice.pick(("everyone", "somebody", "everybody")))
    return noun_phrase(dice, choose_noun(dice, _PEOPLE), Scope("subject", plain=True), plural=False)


def listener(dice: Dice, subject: Nominal) -> Nominal:
    """The person spoken to."""
    if dice.chance(0.35):
        return other_person(dice, subject)
    noun = choose_noun(dice, _LISTENERS)
    return noun_phrase(dice, noun, Scope(owner=subject, plain=True), plural=False, style="the")


def that_clause(dice: Dice, past: bool, events: float = 4, pronouns: float = 0.1) -> Node:
    """Something that can be said or known; `events` weighs what happens against what is."""
    form = dice.weighted(_STATES | {"event": events})
    now = "past" if past else "present"
    if form == "state":
        subject = predicates.described(dice, plain=True)
        return predicates.be(dice, subject, predicates.state(dice, subject.noun, degree=False), now)
    if form == "place":
        subject, place = predicates.placed(dice, plain=True)
        return predicates.be(dice, subject, place, now, negative=dice.chance(0.15))
    if form == "there":
        thing, place = predicates.found(dice)
        return predicates.existential(dice, thing, place, now)
    if form == "passive":
        event = some_event(dice, can_be_passive)
        return passive_clause(dice, event, Plan("past", plain=True, adjuncts=0), agent=0.7)[0]
    event = some_event(dice, lambda event: not event.traits & {"stative", "moment"})
    time = "past"
    if past and deliberate(event) and event.objects:
        time = dice.weighted({"past": 3, "pluperfect": 1, "would": 1})
    return _told_event(dice, event, time, pronouns)


def _told_event(dice: Dice, event: Event, time: str, pronouns: float) -> Node:
    plan = Plan(time, dice.chance(0.08), dice.chance(0.5), omit=NO_TIME, adjuncts=dice.pick((0, 1)), plain=True)
    return event_clause(dice, event, plan, subject_of(dice, event, plan, pronouns)).head


def _hoped(dice: Dice) -> Node:
    """Something that will happen."""
    event = some_event(dice, lambda event: deliberate(event) and "moment" not in event.traits)
    return _told_event(dice, event, "future", pronouns=0.1)


def saying_statement(dice: Dice) -> Node:
    """Somebody says, thinks or knows that something is so."""
    subject = somebody(dice)
    time = dice.pick(("past", "present"))
    verb = dice.pick(usual(f"saying at {time}"))
    if verb == "hope" or (time == "present" and verb in ("think", "know", "believe") and dice.chance(0.2)):
        complement = _hoped(dice)
    else:
        events = 0 if verb in ("forget", "notice") else 4
        complement = that_clause(dice, time == "past" or verb == "remember", events)
    head = verbs.clause(verb, time, subject)
    return _with_that(dice, head, complement, 0.6 if verb in ("say", "think", "hope", "know") else 0.8)


def telling_statement(dice: Dice) -> Node:
    """Somebody tells somebody that something is so."""
    subject = somebody(dice)
    head = verbs.clause("tell", "past", subject)
    head.right.append(listener(dice, subject).node.labelled("iobj"))
    return _with_that(dice, head, that_clause(dice, past=True, pronouns=0), 0.8)


def feeling_statement(dice: Dice) -> Node:
    """Somebody is sure or glad that something is so."""
    past = dice.chance(0.4)
    feeling = words.adjective(dice.pick(("sure", "glad", "happy", "proud")))
    head = predicates.be(dice, somebody(dice), feeling, "past" if past else "present")
    return _with_that(dice, head, that_clause(dice, past), 0.8)


def _with_that(dice: Dice, head: Node, complement: Node, rate: float) -> Node:
    if dice.chance(rate):
        complement.left.insert(0, words.subordinator("that"))
    head.right.append(complement.labelled("ccomp"))
    return finish(head, ".")


def knowing_statement(dice: Dice) -> Node:
    """Somebody knows or does not know where, who, what."""
    verb = dice.weighted({"know": 3, "remember": 1, "forget": 1})
    if verb == "know" and dice.chance(0.12):
        head = verbs.clause(verb, "present", indefinite("nobody"))
    else:
        time = "past" if verb == "forget" else "present"
        negative = verb != "forget" and dice.chance(0.55)
        head = verbs.clause(verb, time, somebody(dice), negative=negative, contracted=dice.chance(0.5))
    head.right.append(_question_clause(dice, dice.weighted(_WHICH)).labelled("ccomp"))
    return finish(head, ".")


def wondering_statement(dice: Dice) -> Node:
    """Somebody asks whether or where."""
    subject = somebody(dice)
    verb = dice.pick(("ask", "wonder"))
    head = verbs.clause(verb, "past", subject)
    if verb == "ask" and dice.chance(0.4):
        head.right.append(listener(dice, subject).node.labelled("iobj"))
    head.right.append(_question_clause(dice, dice.weighted(_WHETHER)).labelled("ccomp"))
    return finish(head, ".")


def _question_clause(dice: Dice, word: str) -> Node:
    """An indirect question that begins with the word."""
    if word in ("whether", "if"):
        clause = that_clause(dice, past=True, pronouns=0)
        clause.left.insert(0, words.subordinator(word))
        return clause
    plan = Plan("past", omit=BARE, adjuncts=0, plain=True)
    if word == "who":
        event = some_event(dice, _done_by_somebody)
        return event_clause(dice, event, plan, Nominal(words.pronoun("who", "Int"), gender="m")).head
    if word == "what":
        front = words.pronoun("what", "Int").labelled("obj")
        plan = plan._replace(front=(front,), omit=BARE | {"object"})
        return event_clause(dice, some_event(dice, _done_to_something), plan).head
    event = some_event(dice, {"where": _done_somewhere, "why": takes_people, "when": deliberate}[word])
    if "stative" in event.traits:
        return _question_clause(dice, word)
    plan = plan._replace(front=(words.question_adverb(word),), omit=BARE if word == "where" else NO_TIME)
    return event_clause(dice, event, plan).head


def _done_by_somebody(event: Event) -> bool:
    return takes_people(event) and bool(event.objects) and "own" not in event.traits


def _done_to_something(event: Event) -> bool:
    people = ("ADULT", "KIN", "CHILD", "doctor")
    plain = not event.recipients and event.goals != ("spot",)
    return plain and event.transitive and takes_people(event) and event.objects[0] not in people


def _done_somewhere(event: Event) -> bool:
    return bool(event.scenes) and "spot" not in event.scenes
