"""Simple statements and commands: one clause each."""

from __future__ import annotations

from demo_corpus import predicates, verbs, words
from demo_corpus.adjuncts import places, time_phrase, time_phrases
from demo_corpus.clauses import (
    Clause,
    add_complements,
    choose_time,
    deliberate,
    event_clause,
    some_event,
    subject_of,
    takes_people,
)
from demo_corpus.dice import Dice
from demo_corpus.events import Event
from demo_corpus.nominals import Nominal, Scope, name, you
from demo_corpus.nouns import GROUPS
from demo_corpus.phrases import choose_noun, fixed_phrase, noun_phrase, prepositional
from demo_corpus.plans import Plan
from demo_corpus.tree import Node, finish, punctuation
from demo_corpus.usage import usual


def plan_for(dice: Dice, event: Event, adjuncts: dict[int, float] | None = None, negation: float = 0.12) -> Plan:
    """A plan for a statement about the event."""
    time = choose_time(dice, event, takes_people(event))
    negative = dice.chance(negation if takes_people(event) else negation / 4)
    if negative and time == "present" and not event.traits & {"consumes", "stative"}:
        time = "past"
    negative = negative and event.verb != "love"
    room = dice.weighted(adjuncts or {0: 0.8, 1: 2, 2: 1.5})
    if negative and time == "present":
        return Plan(time, True, dice.chance(0.5), adjuncts=0, plain=True, omit=frozenset({"time"}))
    return Plan(time, negative, dice.chance(0.5), adjuncts=room)


def event_statement(dice: Dice) -> Node:
    """Somebody does something, somewhere, somehow, some time."""
    event = some_event(dice, lambda event: not event.recipients)
    plan = plan_for(dice, event)
    clause = event_clause(dice, event, plan._replace(alone=True))
    if not plan.negative and dice.chance(0.1):
        _begin_with_adjunct(dice, clause)
    return finish(clause.head, ".")


def _begin_with_adjunct(dice: Dice, clause: Clause) -> None:
    """Time or place before the clause, if it has none after the verb."""
    if any(child.deprel in ("obl", "obl:unmarked", "advmod") for child in clause.head.left + clause.head.right):
        return
    event, time = clause.event, clause.time
    if time in ("past", "future", "present") and time_phrases(event, time) and dice.chance(0.7):
        adjunct = time_phrase(dice, event, time)
    elif places(event, clause.subject, clause.object) and "spot" not in event.scenes:
        adjunct = fixed_phrase(dice.pick(places(event, clause.subject, clause.object)))
    else:
        return
    if adjunct.upos == "NOUN":
        adjunct.right.append(punctuation(","))
        clause.head.left.insert(0, adjunct)


def giving_statement(dice: Dice) -> Node:
    """Somebody gives somebody something."""
    event = some_event(dice, lambda event: bool(event.recipients))
    return finish(event_clause(dice, event, plan_for(dice, event)).head, ".")


def state_statement(dice: Dice) -> Node:
    """Somebody or something is so."""
    time, negative, adverb = dice.pick(("present", "past")), dice.chance(0.12), None
    subject = predicates.described(dice)
    predicate = predicates.state(dice, subject.noun, degree=not negative)
    if subject.human and subject.person == 3 and dice.chance(0.15):
        time, negative = dice.pick(("must", "may", "might")), False
    elif dice.chance(0.15):
        adverb = _adverb_of_state(dice, subject, predicate, negative)
    return finish(predicates.be(dice, subject, predicate, time, negative=negative, adverb=adverb), ".")


def place_statement(dice: Dice) -> Node:
    """Somebody or something is there."""
    subject, predicate = predicates.placed(dice)
    time = dice.pick(("present", "past"))
    return finish(predicates.be(dice, subject, predicate, time, negative=dice.chance(0.12)), ".")


def profession_statement(dice: Dice) -> Node:
    """Somebody is a baker, somebody is the tallest."""
    subject, predicate = predicates.best(dice) if dice.chance(0.2) else predicates.profession(dice)
    time = dice.pick(("present", "past"))
    return finish(predicates.be(dice, subject, predicate, time, negative=dice.chance(0.1)), ".")


def comparing_statement(dice: Dice) -> Node:
    """One is bigger than the other."""
    subject, predicate = predicates.compared(dice)
    time = dice.pick(("present", "past"))
    return finish(predicates.be(dice, subject, predicate, time, negative=dice.chance(0.1)), ".")


def naming_statement(dice: Dice) -> Node:
    """This is my coat; a carrot is a vegetable."""
    subject, predicate = dice.pick((predicates.kind, predicates.pointed))(dice)
    return finish(predicates.be(dice, subject, predicate, "present"), ".")


def sense_statement(dice: Dice) -> Node:
    """Something looks, smells or tastes so."""
    return finish(predicates.sense(dice, dice.pick(("present", "past"))), ".")


def _adverb_of_state(dice: Dice, subject: Nominal, predicate: Node, negative: bool) -> Node | None:
    """Still warm, often tired: only said of what changes."""
    if negative or predicate.lemma in usual("lasting"):
        return None
    return words.adverb(dice.pick(("still", "often", "always") if subject.human else ("still", "already")))


def existential_statement(dice: Dice) -> Node:
    """There is something somewhere."""
    negative = dice.chance(0.2)
    thing, place = predicates.found(dice, negative)
    return finish(predicates.existential(dice, thing, place, dice.pick(("present", "past")), negative=negative), ".")


def passive_clause(dice: Dice, event: Event, plan: Plan, agent: float) -> tuple[Node, Nominal]:
    """Something is done, perhaps by somebody."""
    noun = choose_noun(dice, event.objects)
    subject = noun_phrase(
        dice,
        noun,
        Scope("subject", negative=plan.negative, plain=plan.plain),
        plural=True if "many" in event.traits else None,
        style="the" if plan.plain or "creates" in event.traits else None,
    )
    group = verbs.verb_group(
        event.verb, plan.time, subject, negative=plan.negative, contracted=plan.contracted, passive=True
    )
    verbs.arrange(group, subject.node.labelled("nsubj:pass"), front=list(plan.front), inverted=plan.inverted)
    head = group.head
    doer = subject_of(dice, event, plan._replace(plain=True, negative=False), pronouns=0)
    rest = event._replace(manners=())
    if event.recipients:
        plan = plan._replace(adjuncts=0)
    if event.goals == ("spot",):
        head.right.append(fixed_phrase(dice.pick(noun.spots)))
        rest = rest._replace(goals=())
    with_agent = not plan.negative and dice.chance(agent)
    if event.particle:
        head.right.append(words.particle(event.particle))
        rest = rest._replace(particle="")
    if with_agent and doer.node.lemma != subject.node.lemma:
        head.right.append(prepositional("by", doer).labelled("obl:agent"))
        plan = plan._replace(adjuncts=min(plan.adjuncts, 1), omit=plan.omit | {"recipient"})
    add_complements(dice, head, rest, subject, plan._replace(omit=plan.omit | {"object"}))
    return head, subject


def passive_statement(dice: Dice) -> Node:
    """Something is done, perhaps by somebody."""
    event = some_event(dice, can_be_passive)
    time = dice.weighted({"past": 6, "perfect": 2, "future": 1, "must": 0.7, "can": 0.3, "was": 0.3})
    if time != "past" and not deliberate(event):
        time = "past"
    plan = Plan(time, dice.chance(0.08), dice.chance(0.5), adjuncts=dice.weighted({0: 1, 1: 2}))
    return finish(passive_clause(dice, event, plan, agent=0.45)[0], ".")


def can_be_passive(event: Event) -> bool:
    """Whether one would tell of the event from the side of its object."""
    return event.transitive and not event.traits & {"active", "stative", "own"}


def command(dice: Dice) -> Node:
    """Do it, please; do not do it."""
    event = some_event(dice, lambda event: deliberate(event) and event.verb not in usual("never commanded"))
    negative = not event.recipients and dice.chance(0.2)
    head = verbs.imperative(event.verb)
    if negative:
        do = Node("do", "do", "AUX", "Mood=Imp|VerbForm=Fin", "aux")
        head.feats = "VerbForm=Inf"
        head.left += [do, words.negation(contracted=dice.chance(0.6))]
    if not event.traits & {"creates", "consumes"} and (negative or dice.chance(0.6)):
        event = event._replace(traits=event.traits | {"known"})
    omit = frozenset({"time"} if negative or dice.chance(0.7) else ())
    add_complements(dice, head, event, you(), Plan("must", negative, omit=omit, adjuncts=dice.pick((0, 0, 1))))
    _address(dice, head)
    return finish(head, "." if dice.chance(0.85) else "!")


def _address(dice: Dice, head: Node) -> None:
    """Please, or the name of the one who is asked, or nothing."""
    form = dice.weighted({"nothing": 4, "please": 2.5, "please last": 1, "vocative": 2})
    if form == "please":
        head.left.insert(0, words.interjection("please"))
    elif form == "please last":
        please = words.interjection("please")
        please.left.append(punctuation(","))
        head.right.append(please)
    elif form == "vocative":
        head.left.insert(0, vocative(dice))


def vocative(dice: Dice) -> Node:
    """The name of the person spoken to, before the clause."""
    person = name(dice, dice.pick(GROUPS["NAME"])).node.labelled("vocative")
    person.right.append(punctuation(","))
    return person


def answer(dice: Dice) -> Node:
    """Yes or no, with the whole sentence after it."""
    event = some_event(dice, lambda event: takes_people(event))
    plan = plan_for(dice, event, {0: 1, 1: 1})
    if plan.time == "present" and "stative" not in event.traits:
        plan = plan._replace(time="past")
    clause = event_clause(dice, event, plan)
    word = words.interjection("no" if plan.negative else dice.pick(("yes", "yes", "oh", "well")))
    word.right.append(punctuation(","))
    clause.head.left.insert(0, word)
    return finish(clause.head, ".")


def weather_statement(dice: Dice) -> Node:
    """It rains."""
    time = dice.pick(("past", "now", "was"))
    head = predicates.weather(dice, time)
    if head.upos == "VERB" and dice.chance(0.5):
        head.right.append(words.adverb(dice.pick(("heavily", "again"))))
    if head.lemma != "late":
        head.right.append(fixed_phrase(dice.pick(("in the village", "in the mountains", "in the forest"))))
    if time == "past" and dice.chance(0.5):
        head.right.append(fixed_phrase(dice.pick(("yesterday", "last week", "this morning"))))
    return finish(head, ".")
