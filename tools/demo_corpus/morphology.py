"""English inflection: plurals, verb forms, degrees of comparison."""

from __future__ import annotations

from typing import NamedTuple

from demo_corpus.usage import usual


def _irregular(name: str) -> dict[str, list[str]]:
    """The irregular forms of a list by their base form."""
    return {entry.split()[0]: entry.split()[1:] for entry in usual(name)}


_PLURALS = _irregular("plurals")
_PAST = _irregular("past forms")
_DEGREES = _irregular("degrees")


class VerbForms(NamedTuple):
    """The five forms of an English verb."""

    base: str
    third: str
    past: str
    participle: str
    gerund: str


def plural(noun: str) -> str:
    """The plural of a noun."""
    return _PLURALS[noun][0] if noun in _PLURALS else _with_s(noun)


def verb_forms(verb: str) -> VerbForms:
    """The forms of a verb (those of `be` that depend on the person are chosen elsewhere)."""
    if verb in _PAST:
        past, participle = _PAST[verb]
    else:
        past = participle = _with_ed(verb)
    third = {"be": "is", "have": "has"}.get(verb) or _with_s(verb)
    return VerbForms(verb, third, past, participle, _with_ing(verb))


def comparative(adjective: str) -> str:
    """The comparative of a short adjective."""
    return _DEGREES[adjective][0]


def superlative(adjective: str) -> str:
    """The superlative of a short adjective."""
    return _DEGREES[adjective][1]


def _ends_in_consonant_y(word: str) -> bool:
    return word.endswith("y") and word[-2] not in "aeiou"


def _with_s(word: str) -> str:
    if _ends_in_consonant_y(word):
        return word[:-1] + "ies"
    if word.endswith(("s", "x", "ch", "sh", "z")) or word in ("go", "do"):
        return word + "es"
    return word + "s"


def _with_ed(verb: str) -> str:
    if verb.endswith("e"):
        return verb + "d"
    if _ends_in_consonant_y(verb):
        return verb[:-1] + "ied"
    return verb + (verb[-1] if verb in usual("doubling") else "") + "ed"


def _with_ing(verb: str) -> str:
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith("ee") and verb != "be":
        return verb[:-1] + "ing"
    return verb + (verb[-1] if verb in usual("doubling") else "") + "ing"
