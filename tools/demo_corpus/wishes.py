"""What somebody wants, tries, likes or asks for: infinitives and gerunds as complements."""

from __future__ import annotations

from demo_corpus import predicates, verbs, words
from demo_corpus.clauses import add_complements, deliberate, some_event, subject_of
from demo_corpus.dice import Dice
from demo_corpus.events import Event
from demo_corpus.nominals import Nominal, Scope, it, you
from demo_corpus.phrases import choose_noun, noun_phrase
from demo_corpus.plans import NO_TIME, Plan
from demo_corpus.speech import listener, somebody
from demo_corpus.tree import Node, finish
from demo_corpus.usage import usual, usual_by

_LIKING = ("like", "love", "enjoy")
_NEVER_DENIED = ("stop", "start", "begin", "plan", "promise", "decide", "learn", "try", "hope")
_NOT_FOR_PLEASURE = ("come", "go", "bring")
_QUALITIES = {
    "skill": ("easy", "difficult", "possible"),
    "pleasant": ("nice", "wonderful", "good"),
    "dutiful": ("important", "useful", "easy"),
}


def add_task(dice: Dice, head: Node, event: Event, doer: Nominal, plan: Plan = Plan()) -> Node:  # noqa: B008
    """Completes an infinitive or gerund whose subject is understood."""
    plan = plan._replace(omit=plan.omit | NO_TIME, adjuncts=dice.pick((0, 1)))
    add_complements(dice, head, event, doer, plan)
    return head.labelled("xcomp")


def _verb_and_time(dice: Dice, use: str) -> tuple[str, str]:
    """A verb of the use and a time for it, all verbs equally likely."""
    times = usual_by(f"{use} at")
    verb = dice.pick(sorted({verb for verbs_then in times.values() for verb in verbs_then}))
    return verb, dice.pick([time for time in sorted(times) if verb in times[time]])


def wanting_statement(dice: Dice) -> Node | None:
    """Somebody wants or tries to do something, likes or stops doing it."""
    gerund = dice.chance(0.25)
    verb, time = _verb_and_time(dice, "doing" if gerund else "wanting")
    event = some_event(dice, lambda event: _fits(event, verb))
    negative = time in ("past", "present") and verb not in _NEVER_DENIED and dice.chance(0.12)
    subject = subject_of(dice, event, Plan(time, negative, plain=True), pronouns=0.35)
    if not subject.human:
        return None
    head = verbs.clause(verb, time, subject, negative=negative, contracted=dice.chance(0.5))
    task = verbs.gerund(event.verb) if gerund else verbs.infinitive(event.verb)
    plan = Plan("present" if verb in _LIKING else "past", negative)
    head.right.append(add_task(dice, task, event, subject, plan))
    return finish(head, ".")


def _fits(event: Event, verb: str) -> bool:
    """Whether one would want, try, like … (`verb`) to do it."""
    if not deliberate(event) or event.verb in (verb, "enjoy", "smile"):
        return False
    if event.verb == "win":
        return verb in ("want", "hope", "try")
    if verb == "learn":
        return "skill" in event.traits
    if verb == "try":
        return bool(event.objects) or "skill" in event.traits
    if verb == "stop":
        return event.verb in usual("lasting events") and event.verb != "sleep"
    if verb in _LIKING:
        return not event.traits & {"once", "moment"} and event.verb not in _NOT_FOR_PLEASURE
    if verb in ("begin", "start"):
        return "moment" not in event.traits and (bool(event.objects) or event.verb in ("sing", "dance", "work", "run"))
    return verb != "plan" or "moment" not in event.traits


def asking_statement(dice: Dice) -> Node | None:
    """Somebody asks, tells, helps or teaches somebody to do something."""
    verb, time = _verb_and_time(dice, "asking")
    event = some_event(dice, lambda event: _can_be_asked(event, verb))
    subject = somebody(dice, 0.2)
    if verb == "teach" and subject.noun and subject.noun.group == "CHILD":
        return None
    head = verbs.clause(verb, time, subject)
    person = listener(dice, subject)
    task = add_task(dice, verbs.infinitive(event.verb), event, person)
    if verb in ("ask", "tell") and dice.chance(0.15):
        task.left.insert(0, words.negation())
    head.right += [person.node.labelled("obj"), task]
    return finish(head, ".")


def _can_be_asked(event: Event, verb: str) -> bool:
    """Whether one would ask, help, invite … (`verb`) somebody to do it."""
    if not deliberate(event) or event.verb in (verb, "enjoy", "smile", "win"):
        return False
    if verb == "teach":
        return "skill" in event.traits
    if verb == "help":
        return bool(event.objects) and not event.traits & {"moment", "own"}
    return verb != "invite" or event.verb in usual("invited")


def letting_statement(dice: Dice) -> Node:
    """Somebody lets somebody do something."""
    event = some_event(dice, _can_be_allowed)
    elder = choose_noun(dice, ("teacher", "PARENT", "RELATIVE", "neighbor"))
    subject = noun_phrase(dice, elder, Scope("subject", plain=True), plural=False)
    head = verbs.clause("let", dice.pick(("past", "past", "future")), subject)
    child = choose_noun(dice, ("CHILD", "NAME") if elder.group == "ADULT" else ("SIBLING", "NAME"))
    younger = noun_phrase(dice, child, Scope(owner=subject, plain=True), style="the")
    task = add_task(dice, verbs.infinitive(event.verb, marked=False), event, younger)
    head.right += [younger.node.labelled("obj"), task]
    return finish(head, ".")


def _can_be_allowed(event: Event) -> bool:
    wanted = deliberate(event) and event.verb not in ("think", "wait", "work", "answer", "come")
    return wanted and "CHILD" in event.subjects and not event.traits & {"once", "moment"}


def able_statement(dice: Dice) -> Node | None:
    """Somebody is ready or able to do something, or glad to do it."""
    event = some_event(dice, lambda event: deliberate(event) and not event.traits & {"moment", "own", "unusual"})
    subject = subject_of(dice, event, Plan(plain=True), pronouns=0.3)
    if not subject.human or event.verb == "enjoy":
        return None
    quality = dice.pick(("ready", "able", "happy", "glad"))
    negative = quality == "able" and dice.chance(0.4)
    head = predicates.be(dice, subject, words.adjective(quality), dice.pick(("present", "past")), negative=negative)
    task = add_task(dice, verbs.infinitive(event.verb), event, subject, Plan(negative=negative))
    head.right.append(task if quality in ("ready", "able") else task.labelled("advcl"))
    return finish(head, ".")


def judging_statement(dice: Dice) -> Node | None:
    """It is easy to bake bread; baking bread is easy."""
    side = dice.pick(sorted(_QUALITIES))
    event = some_event(dice, lambda event: deliberate(event) and not event.particle and _has_side(event, side))
    quality = words.adjective(dice.pick(_QUALITIES[side]))
    negative = side == "skill" and quality.form != "possible" and dice.chance(0.25)
    group = verbs.copula_group(quality, dice.pick(("present", "present", "past")), it(), negative=negative)
    gerund = dice.chance(0.3)
    task = verbs.gerund(event.verb) if gerund else verbs.infinitive(event.verb)
    add_task(
        dice,
        task,
        event,
        you(),
        Plan("present", omit=frozenset({"place"} if gerund and not event.goals else ())),
    )
    if _is_particular(task) or (gerund and not task.right):
        return None
    if gerund:
        return finish(verbs.arrange(group, task.labelled("csubj")), ".")
    verbs.arrange(group, it().node.labelled("expl"))
    quality.right.append(task.labelled("csubj"))
    return finish(quality, ".")


def _has_side(event: Event, side: str) -> bool:
    return "skill" in event.traits if side == "skill" else event.verb in usual(side)


def _is_particular(clause: Node) -> bool:
    """Whether it speaks of particular people and things, as a general judgement does not."""
    return any(word.upos in ("PRON", "PROPN") or word.lemma in ("some", "this", "that") for word in clause.words())
