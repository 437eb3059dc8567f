"""Noun phrases as the rest of the grammar sees them, and what they must know of their clause."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from demo_corpus import words
from demo_corpus.dice import Dice
from demo_corpus.nouns import SURNAMES, Noun
from demo_corpus.tree import Node


@dataclass
class Nominal:
    """A noun phrase or pronoun, with what agreement and later reference to it need."""

    node: Node
    noun: Noun | None = None
    person: int = 3
    number: str = "Sing"
    gender: str = "n"

    def pronoun(self, case: str) -> Node:
        """A personal pronoun that refers back to this nominal."""
        number = "Plur" if self.person == 3 and not self.gender else self.number  # everyone … they
        return words.personal(case, self.person, number, self.gender)

    @property
    def human(self) -> bool:
        """Whether it is a person."""
        return self.noun is None or self.noun.kind == "person"


class Scope(NamedTuple):
    """What a noun phrase must know of the clause around it."""

    role: str = "object"  # or subject
    negative: bool = False
    habitual: bool = False  # the clause tells of a habit
    indefinite: bool = False  # no "the" and no owner
    owner: Nominal | None = None  # the subject, for its own things
    own: bool = False  # done with one's own things
    known: bool = False  # the one everybody knows
    generic: bool = False  # the clause is about all of a kind
    placed: bool = False  # the clause says where it is
    plain: bool = False  # no modifiers


USUAL = Scope()


def name(dice: Dice, noun: Noun, full: bool = False) -> Nominal:
    """A proper name, perhaps with surname."""
    node = Node(noun.lemma, noun.lemma, "PROPN", "Number=Sing")
    if full:
        surname = dice.pick(SURNAMES)
        node.right.append(Node(surname, surname, "PROPN", "Number=Sing", "flat"))
    return Nominal(node, noun, gender=noun.gender)


_PRONOUNS = {
    (1, "Sing", ""): 3,
    (2, "Sing", ""): 1,
    (3, "Sing", "f"): 4,
    (3, "Sing", "m"): 4,
    (1, "Plur", ""): 3,
    (3, "Plur", ""): 3,
}


def personal_pronoun(dice: Dice, case: str = "Nom") -> Nominal:
    """A personal pronoun for a person or people."""
    person, number, gender = dice.weighted(_PRONOUNS)
    return Nominal(words.personal(case, person, number, gender), None, person, number, gender)


def you(case: str = "Nom") -> Nominal:
    """The person spoken to."""
    return Nominal(words.personal(case, 2, "Sing"), None, 2)


def it() -> Nominal:
    """The subject of the weather."""
    return Nominal(words.personal("Nom", 3, "Sing", "n"), None)


def indefinite(form: str) -> Nominal:
    """Everyone, somebody, nobody."""
    kind = {"every": "Tot", "some": "Ind", "no": "Neg"}[form.removesuffix("one").removesuffix("body")]
    return Nominal(Node(form, form, "PRON", f"Number=Sing|PronType={kind}"), gender="")


def coordinated(first: Nominal, second: Nominal, conjunction: str = "and") -> Nominal:
    """Two nominals joined by a conjunction."""
    second.node.left.insert(0, words.coordinator(conjunction))
    first.node.right.append(second.node.labelled("conj"))
    return Nominal(first.node, first.noun, min(first.person, second.person), "Plur", "")


SPEAKER = Nominal(words.personal("Nom", 1, "Sing"), None, 1)
SPEAKERS = Nominal(words.personal("Nom", 1, "Plur"), None, 1, "Plur")
