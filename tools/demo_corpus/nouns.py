"""The nouns of the small world, read from nouns.txt.

Nouns come in groups. The words of a group can stand in the same places of a sentence and share their
adjectives and the spots where they are found, which is what keeps the sentences sensible.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from demo_corpus.morphology import plural

RELATED = ("PARENT", "SIBLING", "RELATIVE")  # always somebody's: my mother, Anna's cousin
SURNAMES = ("Brown", "Hill", "Keller", "Lind", "Marsh", "Miller", "Novak", "Reed")


class Noun(NamedTuple):
    """A noun with what its group may say about it."""

    lemma: str
    group: str
    kind: str  # person, animal, thing
    gender: str = ""  # f, m, or unknown
    modifier: str = ""  # the first half of a compound
    complement: str = ""  # the tea of "a cup of tea"
    mass: bool = False
    singular: bool = False  # no plural in this world, though it is countable
    unique: bool = False
    several: float = 0.2  # how often one speaks of more than one
    adjectives: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    spots: tuple[str, ...] = ()

    @property
    def plural(self) -> str:
        """The plural form."""
        return plural(self.lemma)


def _read_groups(lines: list[str]) -> dict[str, tuple[Noun, ...]]:
    """The groups of a word list; its format is told at the top of nouns.txt."""
    groups: dict[str, tuple[Noun, ...]] = {}
    name = ""
    for line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        key, _, rest = line.strip().partition(" ")
        if line[0] != " ":
            name = key
            kind, _, members = rest.partition(":")
            groups[name] = tuple(_noun(word, name, kind) for word in members.split())
            continue
        if key == "several":
            about = float(rest)
        else:
            about = tuple(rest.split(", ") if key == "spots" else rest.split())
        groups[name] = tuple(noun._replace(**{key: about}) for noun in groups[name])
    groups["KIN"] = tuple(noun for name in RELATED for noun in groups[name])
    return groups


def _noun(word: str, group: str, kind: str) -> Noun:
    marks = {"mass": "~" in word, "singular": "!" in word, "unique": "^" in word}
    word, _, gender = word.translate(str.maketrans("", "", "~!^")).partition(":")
    modifier, _, word = word.rpartition("+")
    lemma, _, complement = word.partition("_of_")
    return Noun(lemma, group, kind, gender, modifier, complement, **marks)


GROUPS = _read_groups((Path(__file__).parent / "nouns.txt").read_text(encoding="utf-8").splitlines())
_SINGLE = {noun.lemma: noun for group in GROUPS.values() for noun in group if not noun.modifier and not noun.complement}


def nouns_named(token: str) -> tuple[Noun, ...]:
    """The nouns a token stands for: a whole group (in capitals) or a single word."""
    return GROUPS[token] if token.isupper() else (_SINGLE[token],)
