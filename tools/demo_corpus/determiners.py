"""The beginning of a noun phrase: articles, demonstratives, quantifiers, numbers, possessors."""

from __future__ import annotations

from demo_corpus import words
from demo_corpus.dice import Dice
from demo_corpus.nominals import Nominal, Scope, name
from demo_corpus.nouns import GROUPS, RELATED, Noun
from demo_corpus.tree import Node
from demo_corpus.usage import usual

# A style is a determiner, many, several, or one of: "" (none), "number", "pronoun" (her), "name" (Anna's).
_SINGULAR = {"the": 6, "a": 4, "this": 0.4, "that": 0.4, "pronoun": 1.5, "name": 1, "another": 0.1}
_PLURAL = {
    "the": 6,
    "": 1.5,
    "some": 1.5,
    "number": 2.5,
    "these": 0.4,
    "those": 0.3,
    "pronoun": 1,
    "name": 0.6,
}
_PLURAL |= {"many": 0.4, "several": 0.4}
_MASS = {"the": 5, "some": 3, "": 1, "this": 0.2, "pronoun": 0.6, "name": 0.2}
_SINGULAR_SUBJECT = {"the": 8, "a": 0.6, "this": 0.3, "that": 0.3, "every": 0.2, "pronoun": 0.8, "name": 0.8}
_PLURAL_SUBJECT = {
    "the": 7,
    "number": 1.8,
    "some": 0.8,
    "these": 0.3,
    "both": 0.3,
    "pronoun": 0.5,
    "name": 0.3,
}
_PLURAL_SUBJECT |= {"many": 0.4, "several": 0.4, "all": 0.2}
_QUANTIFIED = ("some", "number", "many", "several", "every", "another", "both", "all")
_KINDS = ("the", "this", "these", "pronoun", "")
_INDEFINITE = ("a", "", "some", "many", "several", "number")


def choose_style(dice: Dice, noun: Noun, plural: bool, scope: Scope) -> str:
    """A way to begin the noun phrase that suits the noun and the clause."""
    if noun.unique or noun.group in ("NEWS", "BELL"):
        return "the"
    if noun.group in RELATED:
        return dice.weighted({"pronoun": 5, "name": 1})
    if noun.group == "MEAL":
        return ""
    if noun.group == "INSTRUMENT":
        return dice.weighted({"the": 5, "pronoun": 1.5, "this": 0.4})
    if scope.known:
        return "the"
    if scope.own and scope.owner and scope.owner.human:
        return "pronoun"
    return dice.weighted(_styles(noun, plural, scope))


def _styles(noun: Noun, plural: bool, scope: Scope) -> dict[str, float]:
    if noun.mass:
        styles = dict(_MASS)
    elif scope.role == "subject":
        styles = dict(_PLURAL_SUBJECT if plural else _SINGULAR_SUBJECT)
    else:
        styles = dict(_PLURAL if plural else _SINGULAR)
    if scope.role == "subject":
        if noun.kind == "thing" or noun.mass:
            for style in ("every", "both", "some", "", "a"):
                styles.pop(style, None)
        elif plural and scope.habitual:
            styles[""] = 5
        if not scope.habitual:
            styles.pop("every", None)
            styles.pop("many", None)
        if noun.group in ("BEE", "LEAF"):
            styles = {"the": 2, "": 2} if scope.habitual else {"the": 1}
    elif noun.kind == "person":
        styles["a"] = 0 if plural else 0.5
        for style in ("", "many", "several"):
            styles.pop(style, None)
    if scope.habitual:
        styles.pop("number", None)
        styles.pop("several", None)
    if noun.group not in usual("counted"):
        styles.pop("many", None)
        styles.pop("several", None)
    if scope.plain:
        for style in ("this", "that", "these", "those", "every"):
            styles.pop(style, None)
    if noun.kind == "animal" and not (scope.habitual or scope.indefinite):
        styles.pop("", None)
    if scope.generic:
        styles = {style: weight for style, weight in styles.items() if style in _KINDS}
        styles[""] = 6 if plural or noun.mass else 0
    if scope.indefinite:
        styles = {style: weight for style, weight in styles.items() if style in _INDEFINITE} or {"the": 1}
    if noun.group in usual("mostly known") and "a" in styles and not scope.indefinite:
        styles["a"] = 0.1 if noun.group == "SWITCHED" else 0.4
    if scope.owner and not scope.owner.human:
        styles.pop("pronoun", None)
    if not _ownable(noun):
        styles.pop("pronoun", None)
        styles.pop("name", None)
    if scope.negative:
        styles = {style: weight for style, weight in styles.items() if style not in _QUANTIFIED}
        if (plural or noun.mass) and scope.role == "object":
            styles["any"] = 1.5
    return styles


def _ownable(noun: Noun) -> bool:
    """Whether it is spoken of as somebody's."""
    return noun.lemma in usual("somebody's") or (noun.group not in usual("nobody's") and noun.lemma != "bus")


def definite(dice: Dice, noun: Noun) -> str:
    """A style that says which one: the coat, her coat, Anna's coat."""
    return dice.weighted({"the": 5, "pronoun": 1, "name": 1}) if _ownable(noun) else "the"


def determine(dice: Dice, style: str, nominal: Nominal, scope: Scope) -> list[Node]:
    """The words a style stands for."""
    if style == "":
        return []
    if style == "number":
        return [words.numeral(dice.pick(words.NUMERALS))]
    if style in ("many", "several"):
        return [words.adjective(style)]
    if style == "pronoun":
        return [_owner_pronoun(dice, scope)]
    if style == "name":
        return [_owner(dice, nominal)]
    if style == "all":
        return [words.determiner("all").labelled("det:predet"), words.determiner("the")]
    return [words.determiner(style)]


def _owner_pronoun(dice: Dice, scope: Scope) -> Node:
    if scope.owner and scope.owner.human:
        return scope.owner.pronoun("Poss")
    person, number, gender = dice.pick(
        [(1, "Sing", ""), (1, "Plur", ""), (2, "Sing", ""), (3, "Sing", "f"), (3, "Sing", "m")]
    )
    return words.personal("Poss", person, number, gender)


def _owner(dice: Dice, owned: Nominal) -> Node:
    """A possessor: Anna's, the farmer's."""
    if owned.human or dice.chance(0.65):
        owner = name(dice, dice.pick(GROUPS["NAME"])).node
    else:
        lemma = dice.pick(usual("owners"))
        owner = Node(lemma, lemma, "NOUN", "Number=Sing", left=[words.determiner("the")])
    owner.right.append(words.possessive())
    return owner.labelled("nmod:poss")
