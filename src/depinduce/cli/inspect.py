"""Print what a grammar has learned, in words: its roots, and for each head the children it takes on either side.

The numbers are probabilities. `NOUN takes DET on its left: 0.83` says that 83 of 100 children on the left of a noun
are determiners. Heads come in the order of how many children they have in a sentence that the grammar generates.
In a second-order grammar the lines with `after` and `under` tell where a look at the context makes the greatest
difference; in brackets stands what holds without that look. Rules below 0.01 and small differences are left to --json.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from depinduce.errors import DepinduceError

if TYPE_CHECKING:
    from depinduce.models.inspection import ContextRule, Head, Inspection, Rule

EXAMPLE = "depinduce inspect grammar --head NOUN VERB"
RARE = 0.01  # rules of a smaller probability, and heads with fewer children in a sentence, are left out
TELLING = 0.1  # and contexts that move a probability by less


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="directory that `depinduce train` wrote")
    parser.add_argument("-n", "--number", type=int, default=5, metavar="N", help="rules of each kind (default: 5)")
    parser.add_argument("--head", nargs="+", default=[], metavar="TAG", help="only these heads")
    parser.add_argument("--json", action="store_true", help="print everything as JSON, whatever -n says")


def run(arguments: argparse.Namespace) -> int:
    if arguments.number < 1:
        raise DepinduceError(f"--number must be at least 1, not {arguments.number}.")
    from depinduce.models.inspection import inspect_grammar
    from depinduce.models.loading import load_grammar

    inspection = inspect_grammar(load_grammar(arguments.model), arguments.head)
    if arguments.json:
        print(json.dumps(inspection.to_json(), indent=2, ensure_ascii=False))
        return 0
    print(f"{arguments.model}: {_facts(inspection)}\n")
    for root in _strongest(inspection.roots, arguments.number):
        print(f"the root is {root.tag}: {_number(root.probability)}")
    left_out = []
    for head in inspection.heads:
        if inspection.kept and head.uses * head.children < RARE and not arguments.head:
            left_out.append(head.tag)
        else:
            print("\n" + "\n".join(_about(head, inspection, arguments.number)))
    if left_out:
        print(f"\nleft out, for they have hardly any children (name them after --head): {' '.join(left_out)}")
    for tag in arguments.head:
        if tag in inspection.non_heads:
            print(f"\n{tag} may not have children.")
    return 0


def _facts(inspection: Inspection) -> str:
    kinds = {
        "first": "a first-order grammar: a rule sees the head, and whether there is a child already",
        "sibling": "a sibling grammar: a rule sees the head and its previous child",
        "grandparent": "a grandparent grammar: a rule sees the head, its head, and whether there is a child already",
    }
    way = "inside out" if inspection.inside_out else "outside in"
    facts = [kinds[inspection.order], f"children are generated from the {way}", *_training(inspection)]
    facts.append(f"{len(inspection.tags)} tags: {' '.join(inspection.tags)}")
    if inspection.non_heads:
        facts.append(f"these may not have children: {' '.join(inspection.non_heads)}")
    if inspection.kept < 1 - RARE:
        obey = "come to an end and keep to this" if inspection.non_heads else "come to an end"
        facts.append(f"{_number(inspection.kept)} of the trees that it generates {obey}")
    if inspection.kept:
        at_least = "" if inspection.settled else "more than "
        facts.append(f"a sentence that it generates has {at_least}{inspection.words:.1f} words on average")
    return "\n  ".join(facts)


def _training(inspection: Inspection) -> Iterator[str]:
    """How the grammar was trained, as far as it is known."""
    history, longest = inspection.history, inspection.reading["max_length"]
    settings, data = history.get("settings", {}), history.get("training_data", {})
    if data:
        lengths = f" of up to {longest} words" if longest else ""
        yield f"learned from {data['sentences']} sentences{lengths}, {data['words']} words in all"
    if "em" in settings:
        rounds = f"{len(history.get('steps', ()))} iterations of {settings['em']} EM"
        yield f"as {settings['model']}, by {rounds}, start: {' '.join(settings['init'])}"
    elif "method" in settings:
        models = ", ".join([*settings["ladder"], settings["model"]])
        rounds = f"{len(history.get('epochs', ()))} epochs of {settings['method']}"
        yield f"as {models}, by {rounds}, start: {' '.join(settings['init'])}"
    if history.get("watched"):
        yield "attachment scores were watched during training"


def _about(head: Head, inspection: Inspection, number: int) -> Iterator[str]:
    yield f"{head.tag}, {head.uses:.2f} in a sentence, with {head.children:.2f} children each"
    for side in head.sides:
        more = f", and one more after each: {_number(side.another)}" if side.any_child >= RARE else ""
        yield f"  {head.tag} has a child on its {side.direction}: {_number(side.any_child)}{more}"
        if side.any_child >= RARE:
            for rule in _strongest(side.children, number):
                yield f"  {head.tag} takes {rule.tag} on its {side.direction}: {_number(rule.probability)}"
    telling = [rule for rule in head.contexts if abs(rule.probability - rule.in_general) >= TELLING]
    for rule in telling[:number]:
        yield f"  {_in_context(head.tag, rule, inspection)}"


def _in_context(head: str, rule: ContextRule, inspection: Inspection) -> str:
    """A rule of a second-order grammar, beside what holds without a look at its context."""
    if inspection.order == "sibling":
        place = f"further {'out' if inspection.inside_out else 'in'} on its {rule.direction}"
        said = f"after {rule.context}, {head} takes {rule.child or 'one more child'} {place}"
        general = "after any child"
    else:
        under = "as the root" if rule.context == "ROOT" else f"under {rule.context}"
        child = f"takes {rule.child}" if rule.child else f"has {'one more' if rule.after_a_child else 'a'} child"
        said, general = f"{head} {under} {child} on its {rule.direction}", "anywhere"
    return f"{said}: {_number(rule.probability)} ({general}: {_number(rule.in_general)})"


def _strongest(rules: list[Rule], number: int) -> list[Rule]:
    return [rule for rule in rules[:number] if rule.probability >= RARE]


def _number(probability: float) -> str:
    return f"{probability:.2f}" if probability >= 0.005 or probability == 0 else "<0.01"
