"""What a grammar has learned, in words: sentences about its rules, and about the grammar as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from depinduce.corpus.corpus import trees_in_words
from depinduce.evaluation.tables import Table
from depinduce.insight.examples import Arc
from depinduce.insight.inspection import ROOT, ContextRule, Head, Inspection, Rule, Side

RARE = 0.01  # rules of a smaller probability, and heads with fewer children in a sentence, are left out
TELLING = 0.1  # and contexts that move a probability by less
OFTEN = 10  # and contexts that came fewer times in the text that the grammar learned from, which may be chance
ORDERS = {
    "first": "a first-order grammar: a rule sees the head, and whether there is a child already",
    "sibling": "a sibling grammar: a rule sees the head and its previous child",
    "grandparent": "a grandparent grammar: a rule sees the head, its head, and whether there is a child already",
}


@dataclass(frozen=True)
class Statement:
    """A rule in words, how probable it is, and what else is to be said of it."""

    words: str
    probability: float
    more: str = ""
    arc: Arc | None = None  # what it is about, if that is a root or a child

    def __str__(self) -> str:
        return f"{self.words}: {number_text(self.probability)}{self.more}"


def number_text(probability: float) -> str:
    return f"{probability:.2f}" if probability >= 0.005 or probability == 0 else "<0.01"


def facts_of(inspection: Inspection) -> list[str]:
    """What is to be said of the grammar as a whole."""
    way = "inside out" if inspection.inside_out else "outside in"
    facts = [ORDERS[inspection.order], f"children are generated from the {way}", *_training(inspection)]
    facts.append(f"{len(inspection.tags)} tags: {' '.join(inspection.tags)}")
    if inspection.non_heads:
        facts.append(f"these may not have children: {' '.join(inspection.non_heads)}")
    if inspection.kept < 1 - RARE:
        obey = "come to an end and keep to this" if inspection.non_heads else "come to an end"
        facts.append(f"{number_text(inspection.kept)} of the trees that it generates {obey}")
    if inspection.kept:
        at_least = "" if inspection.settled else "more than "
        facts.append(f"a sentence that it generates has {at_least}{inspection.words:.1f} words on average")
    return facts


def _training(inspection: Inspection) -> Iterator[str]:
    """How the grammar was trained, as far as it is known."""
    history, longest = inspection.history, inspection.reading["max_length"]
    settings, data = history.get("settings", {}), history.get("training_data", {})
    if data:
        lengths = f" of up to {longest} words" if longest else ""
        yield f"learned from {data['sentences']} sentences{lengths}, {data['words']} words in all"
        if data.get("trees"):
            yield f"not unsupervised: it was given {trees_in_words(data['trees'])}"
        if data.get("languages"):
            yield f"in {len(data['languages'])} languages: {' '.join(data['languages'])}"
    if settings:
        models = ", ".join([*settings.get("ladder", ()), settings["model"]])
        method = settings.get("method") or (f"{settings['em']} EM" if "em" in settings else "EM")
        method = "L-BFGS" if settings.get("optimiser") == "direct" else method
        method = "variational inference" if {"subsymbols", "back_off_prior"} & settings.keys() else method
        rounds = f"{len(history.get('rounds', ()))} {history.get('round_name', 'round')}s of {method}"
        yield f"as {models}, by {rounds}, start: {' '.join(settings['init'])}"
    if not history.get("finished", True):
        yield "the training was interrupted: this is what there was then"
    if history.get("watched"):
        yield "attachment scores were watched during training"


def is_rare(head: Head, inspection: Inspection) -> bool:
    """Whether a tag has hardly any children."""
    return bool(inspection.kept) and head.uses * head.children < RARE


def about_roots(inspection: Inspection, number: int) -> list[Statement]:
    """The most probable roots, so many at the most."""
    return [
        Statement(f"the root is {root.tag}", root.probability, arc=(ROOT, "", root.tag))
        for root in _strongest(inspection.roots, number)
    ]


def title_of(head: Head) -> str:
    return f"{head.tag}, {head.uses:.2f} in a sentence, with {head.children:.2f} children each"


def about_head(head: Head, inspection: Inspection, number: int) -> Iterator[Statement]:
    """The strongest rules of a head, so many of each kind at the most."""
    for side in head.sides:
        more = f", and one more after each: {number_text(side.another)}" if side.any_child >= RARE else ""
        yield Statement(f"{head.tag} has a child on its {side.direction}", side.any_child, more)
        if side.any_child >= RARE:
            for rule in _strongest(side.children, number):
                yield child_statement(head, side, rule)
    telling = [
        rule
        for rule in head.contexts
        if abs(rule.probability - rule.in_general) >= TELLING and was_often_seen(rule, inspection)
    ]
    for rule in telling[:number]:
        yield _in_context(head.tag, rule, inspection)


def was_often_seen(rule: ContextRule, inspection: Inspection) -> bool:
    """Whether the context came often enough in the training text, as far as its size is known."""
    sentences = inspection.history.get("training_data", {}).get("sentences")
    return sentences is None or rule.uses * sentences >= OFTEN


def tables_of(inspection: Inspection, number: int = 5) -> list[Table]:
    """The strongest roots and, of each head that is not rare, the strongest rules, so many of each kind at the most."""
    told = {"roots": about_roots(inspection, number)} | {
        title_of(head): list(about_head(head, inspection, number))
        for head in inspection.heads
        if not is_rare(head, inspection)
    }
    return [
        Table(title, ["", "probability"], [[one.words, f"{number_text(one.probability)}{one.more}"] for one in some])
        for title, some in told.items()
    ]


def child_statement(head: Head, side: Side, rule: Rule) -> Statement:
    arc = (head.tag, side.direction, rule.tag)
    return Statement(f"{head.tag} takes {rule.tag} on its {side.direction}", rule.probability, arc=arc)


def _in_context(head: str, rule: ContextRule, inspection: Inspection) -> Statement:
    """A rule of a second-order grammar, beside what holds without a look at its context."""
    if inspection.order == "sibling":
        place = f"further {'out' if inspection.inside_out else 'in'} on its {rule.direction}"
        said = f"after {rule.context}, {head} takes {rule.child or 'one more child'} {place}"
        general = "after any child"
    else:
        under = "as the root" if rule.context == ROOT else f"under {rule.context}"
        child = f"takes {rule.child}" if rule.child else f"has {'one more' if rule.after_a_child else 'a'} child"
        said, general = f"{head} {under} {child} on its {rule.direction}", "anywhere"
    return Statement(said, rule.probability, f" ({general}: {number_text(rule.in_general)})")


def _strongest(rules: list[Rule], number: int) -> list[Rule]:
    return [rule for rule in rules[:number] if rule.probability >= RARE]
