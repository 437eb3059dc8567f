"""Single words as nodes: determiners, pronouns, adjectives, adverbs and the like, with their features."""

from __future__ import annotations

from demo_corpus import morphology
from demo_corpus.tree import Node

_DETERMINERS = {
    "the": "Definite=Def|PronType=Art", "a": "Definite=Ind|PronType=Art",
    "this": "Number=Sing|PronType=Dem", "that": "Number=Sing|PronType=Dem",
    "these": "Number=Plur|PronType=Dem", "those": "Number=Plur|PronType=Dem",
    "some": "PronType=Ind", "any": "PronType=Ind", "another": "PronType=Ind",
    "every": "PronType=Tot", "each": "PronType=Tot", "all": "PronType=Tot", "both": "PronType=Tot",
    "no": "PronType=Neg", "which": "PronType=Int", "what": "PronType=Int",
}  # fmt: skip
_DEMONSTRATIVE_LEMMAS = {"these": "this", "those": "that"}

# (person, number, gender): subject, object and possessive form
_PERSONAL = {
    (1, "Sing", ""): ("I", "me", "my"),
    (2, "Sing", ""): ("you", "you", "your"),
    (3, "Sing", "f"): ("she", "her", "her"),
    (3, "Sing", "m"): ("he", "him", "his"),
    (3, "Sing", "n"): ("it", "it", "its"),
    (1, "Plur", ""): ("we", "us", "our"),
    (3, "Plur", ""): ("they", "them", "their"),
}
_GENDERS = {"f": "Fem", "m": "Masc", "n": "Neut"}
NUMERALS = ("two", "three", "four", "five", "six", "seven", "ten")


def determiner(form: str) -> Node:
    """An article, demonstrative or quantifier."""
    return Node(form, _DEMONSTRATIVE_LEMMAS.get(form, form), "DET", _DETERMINERS[form], "det")


def personal(case: str, person: int, number: str, gender: str = "") -> Node:
    """A personal pronoun in the case Nom, Acc or Poss."""
    gender = gender if (person, number) == (3, "Sing") else ""
    forms = _PERSONAL[person, number, gender]
    feats = {"Number": number, "Person": str(person), "PronType": "Prs"}
    if gender:
        feats["Gender"] = _GENDERS[gender]
    if case == "Poss":
        feats["Poss"] = "Yes"
        return Node(forms[2], forms[2], "PRON", features(feats), "nmod:poss")
    feats["Case"] = case
    return Node(forms[("Nom", "Acc").index(case)], forms[0], "PRON", features(feats))


def features(feats: dict[str, str]) -> str:
    """The FEATS column: names in alphabetical order."""
    return "|".join(f"{name}={value}" for name, value in sorted(feats.items()))


def pronoun(form: str, kind: str) -> Node:
    """An interrogative (Int), relative (Rel) or demonstrative (Dem) pronoun."""
    return Node(form, _DEMONSTRATIVE_LEMMAS.get(form, form), "PRON", f"PronType={kind}")


def numeral(form: str) -> Node:
    """A cardinal number."""
    return Node(form, form, "NUM", "NumForm=Word|NumType=Card", "nummod")


def adjective(form: str, degree: str = "Pos") -> Node:
    """An adjective; `younger`, `older` and `best` are listed as they are used before kin."""
    if degree == "Cmp":
        return Node(morphology.comparative(form), form, "ADJ", "Degree=Cmp", "amod")
    if degree == "Sup":
        return Node(morphology.superlative(form), form, "ADJ", "Degree=Sup", "amod")
    if form in ("younger", "older"):
        return Node(form, {"younger": "young", "older": "old"}[form], "ADJ", "Degree=Cmp", "amod")
    return Node(form, form, "ADJ", "Degree=Pos", "amod")


def adverb(form: str) -> Node:
    """An adverb."""
    return Node(form, form, "ADV", deprel="advmod")


def question_adverb(form: str) -> Node:
    """Where, when, why or how."""
    return Node(form, form, "ADV", "PronType=Int", "advmod")


def preposition(form: str) -> Node:
    """A preposition, the case marker of a nominal."""
    return Node(form, form, "ADP", deprel="case")


def particle(form: str) -> Node:
    """The particle of a phrasal verb."""
    return Node(form, form, "ADP", deprel="compound:prt")


def subordinator(form: str) -> Node:
    """A subordinating conjunction."""
    return Node(form, form, "SCONJ", deprel="mark")


def coordinator(form: str) -> Node:
    """A coordinating conjunction."""
    return Node(form, form, "CCONJ", deprel="cc")


def infinitive_to() -> Node:
    """The "to" of an infinitive."""
    return Node("to", "to", "PART", deprel="mark")


def negation(contracted: bool = False) -> Node:
    """The word "not", or its clitic form."""
    form = "n't" if contracted else "not"
    return Node(form, "not", "PART", "Polarity=Neg", "advmod", clitic=contracted)


def possessive(after_s: bool = False) -> Node:
    """The possessive clitic."""
    return Node("'" if after_s else "'s", "'s", "PART", deprel="case", clitic=True)


def interjection(form: str) -> Node:
    """A word such as yes or please."""
    return Node(form, form, "INTJ", deprel="discourse")
