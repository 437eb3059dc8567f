"""Questions: yes or no, who, what, which, where, when, why, how."""

from __future__ import annotations

from demo_corpus import predicates, verbs, words
from demo_corpus.clauses import (
    choose_time,
    deliberate,
    event_clause,
    some_event,
    subject_of,
    takes_people,
)
from demo_corpus.determiners import definite
from demo_corpus.dice import Dice
from demo_corpus.events import Event
from demo_corpus.nominals import Nominal, Scope, you
from demo_corpus.nouns import Noun
from demo_corpus.phrases import bare_noun, choose_noun, fixed_phrase, is_plural, noun_phrase
from demo_corpus.plans import BARE, NO_TIME, Plan
from demo_corpus.statements import can_be_passive, passive_clause, vocative
from demo_corpus.tree import Node, finish
from demo_corpus.usage import usual, usual_by
from demo_corpus.verbs import MODALS


def yes_no_question(dice: Dice) -> Node:
    """Does somebody do something?"""
    event = some_event(dice)
    time = choose_time(dice, event)
    if time in ("may", "might", "must"):
        time = "can"
    negative = dice.chance(0.06)
    plan = Plan(time, negative, contracted=True, inverted=True, adjuncts=dice.pick((0, 1, 1)))
    return finish(event_clause(dice, event, plan, _somebody_else(dice, event, plan)).head, "?")


def _somebody_else(dice: Dice, event: Event, plan: Plan) -> Nominal:
    """A subject that is not the one who asks."""
    subject = subject_of(dice, event, plan)
    return you() if subject.person == 1 else subject


def request(dice: Dice) -> Node:
    """Can you do it? Did you do it?"""
    event = some_event(dice, lambda event: deliberate(event) and event.verb not in usual("never commanded"))
    time = dice.pick(("can", "can", "could", "would", "will", "past"))
    subject = you()
    plan = Plan(time, inverted=True, adjuncts=dice.pick((0, 1)))
    head = event_clause(dice, event, plan, subject).head
    if dice.chance(0.2):
        head.left.insert(0, vocative(dice))
    elif time != "past" and dice.chance(0.2):
        head.left.append(words.interjection("please"))
    return finish(head, "?")


def passive_question(dice: Dice) -> Node:
    """Was it done?"""
    event = some_event(dice, lambda event: can_be_passive(event) and deliberate(event))
    plan = Plan(dice.pick(("past", "perfect")), inverted=True)
    return finish(passive_clause(dice, event, plan, agent=0.5)[0], "?")


def state_question(dice: Dice) -> Node:
    """Is it so, or otherwise?"""
    subject = predicates.described(dice, plain=True, pronouns=0)
    predicate = predicates.state(dice, subject.noun, degree=False)
    other = dice.pick(subject.noun.states)
    if other != predicate.form and dice.chance(0.15):
        alternative = words.adjective(other).labelled("conj")
        alternative.left.append(words.coordinator("or"))
        predicate.right.append(alternative)
    return finish(predicates.be(dice, subject, predicate, dice.pick(("present", "past")), inverted=True), "?")


def place_question(dice: Dice) -> Node:
    """Is it there?"""
    subject, predicate = predicates.placed(dice, plain=True)
    return finish(predicates.be(dice, subject, predicate, dice.pick(("present", "past")), inverted=True), "?")


def existential_question(dice: Dice) -> Node:
    """Is there one?"""
    thing, place = predicates.found(dice)
    return finish(predicates.existential(dice, thing, place, dice.pick(("present", "past")), inverted=True), "?")


def subject_question(dice: Dice) -> Node:
    """Who did it?"""
    event = some_event(dice, lambda event: takes_people(event) and event.verb != "live")
    time = choose_time(dice, event)
    plan = Plan(time, adjuncts=dice.weighted({0: 1, 1: 2}))
    who = Nominal(words.pronoun("who", "Int"), None, gender="m")
    clause = event_clause(dice, event._replace(traits=event.traits - {"own"}), plan, who)
    return finish(clause.head, "?")


def object_question(dice: Dice) -> Node | None:
    """What did they do? Which one, how many, whom?"""
    event = some_event(dice, lambda event: event.transitive and event.goals != ("spot",))
    if event.verb in ("set", "know", "wear", "win", "lay"):
        return None
    time = choose_time(dice, event)
    if time in MODALS:
        time = "future"
    elif time == "perfect" or (time == "present" and not event.traits & {"consumes", "stative"}):
        time = "past"
    plan = Plan(time, inverted=True, adjuncts=dice.weighted({0: 1, 1: 1.5}), plain=True)
    subject = _somebody_else(dice, event, plan)
    asked = _asked_object(dice, event, time)
    if asked is None:
        return None
    plan = plan._replace(front=(asked,), omit=plan.omit | {"object"})
    return finish(event_clause(dice, event, plan, subject).head, "?")


def _asked_object(dice: Dice, event: Event, time: str) -> Node | None:
    """The question word for the object, alone or with its noun."""
    noun = choose_noun(dice, event.objects)
    if noun.unique or noun.group in ("MEAL", "NAME"):
        return None
    person = noun.kind == "person"
    form = dice.weighted({"bare": 5, "which": 3, "how many": 1.5})
    if form == "bare" or noun.group in ("PARENT", "SIBLING", "RELATIVE"):
        return words.pronoun("who" if person else "what", "Int").labelled("obj")
    if form == "how many" and _counted(event, noun, time):
        quantity = words.adjective("many")
        quantity.left.append(words.question_adverb("how"))
        node = bare_noun(dice, noun, plural=True).node
        node.left.insert(0, quantity)
        return node.labelled("obj")
    if noun.mass or noun.complement:
        return None
    node = bare_noun(dice, noun, plural=is_plural(dice, noun)).node
    node.left.insert(0, words.determiner("which"))
    return node.labelled("obj")


def _counted(event: Event, noun: Noun, time: str) -> bool:
    """Whether one would ask how many."""
    if noun.mass or noun.singular or noun.group in ("INSTRUMENT", "SWITCHED", "OPENING", "ROOM"):
        return False
    return time in ("past", "future") and not event.particle and not event.traits & {"own", "stative"}


def adverb_question(dice: Dice) -> Node:
    """Where, when, why or how does it happen?"""
    asked = dice.weighted({"where": 3, "when": 2, "why": 2, "how": 1})
    fits = {"where": _somewhere, "when": _some_day, "why": _for_a_reason, "how": _by_some_means}[asked]
    event = some_event(dice, fits)
    times = {"past": 4, "now": 1.5}
    if asked == "when" and deliberate(event):
        times = {"past": 2, "future": 2}
    if "once" in event.traits or asked == "how":
        times.pop("now", None)
    plan = Plan(
        dice.weighted(times),
        negative=asked == "why" and "now" in times and dice.chance(0.12),
        contracted=True,
        inverted=True,
        front=(words.question_adverb(asked),),
        omit=BARE if asked == "where" else NO_TIME,
        adjuncts=1 if asked == "why" else 0,
        plain=asked != "why",
    )
    return finish(event_clause(dice, event, plan, _somebody_else(dice, event, plan)).head, "?")


def why_state_question(dice: Dice) -> Node:
    """Why is it so?"""
    subject = predicates.described(dice, plain=True, pronouns=0)
    predicate = predicates.state(dice, subject.noun, degree=False)
    time, front = dice.pick(("present", "past")), (words.question_adverb("why"),)
    return finish(predicates.be(dice, subject, predicate, time, inverted=True, front=front), "?")


def _somewhere(event: Event) -> bool:
    open_place = bool(event.scenes) and "spot" not in event.scenes
    return "stative" not in event.traits and (open_place or event.verb in ("go", "find", "put"))


def _some_day(event: Event) -> bool:
    return not event.traits & {"stative", "moment"} and event.verb not in ("grow", "follow", "guard")


def _for_a_reason(event: Event) -> bool:
    return "stative" not in event.traits and event.verb not in ("grow", "bloom", "shine", "lay")


def _by_some_means(event: Event) -> bool:
    return event.verb in usual("asked how")


def where_question(dice: Dice) -> Node:
    """Where is it?"""
    subject = predicates.placed(dice, plain=dice.chance(0.6))[0]
    return _predicate_first(subject, words.question_adverb("where"), dice.pick(("present", "present", "past")))


def measure_question(dice: Dice) -> Node:
    """How old is she?"""
    measures = usual_by("measured by")
    quality = dice.pick(sorted(measures))
    noun = choose_noun(dice, measures[quality])
    subject = noun_phrase(dice, noun, Scope("subject", plain=True), False, definite(dice, noun))
    predicate = words.adjective(quality)
    predicate.left.append(words.question_adverb("how"))
    return _predicate_first(subject, predicate, dice.pick(("present", "present", "past")))


def whose_question(dice: Dice) -> Node:
    """Whose coat is this?"""
    subject, predicate = predicates.pointed(dice)
    predicate.left = [Node("whose", "whose", "PRON", "Poss=Yes|PronType=Int", "nmod:poss")]
    return _predicate_first(subject, predicate, "present")


def who_question(dice: Dice) -> Node:
    """Who is the girl near the door?"""
    noun = choose_noun(dice, ("ADULT", "CHILD"))
    subject = noun_phrase(dice, noun, Scope("subject", plain=True), False, dice.pick(("the", "that")))
    place = dice.pick(("near the door", "under the tree", "with the red hat", "in the garden"))
    subject.node.right.append(fixed_phrase(place).labelled("nmod"))
    return _predicate_first(subject, words.pronoun("who", "Int"), dice.pick(("present", "present", "past")))


def _predicate_first(subject: Nominal, predicate: Node, time: str) -> Node:
    """A question that begins with the predicate, copula and subject after it."""
    group = verbs.copula_group(predicate, time, subject)
    predicate.right += [group.finite, subject.node.labelled("nsubj")]
    return finish(predicate, "?")
