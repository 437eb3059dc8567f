"""Noun phrases and prepositional phrases."""

from __future__ import annotations

from demo_corpus import words
from demo_corpus.determiners import choose_style, determine
from demo_corpus.dice import Dice
from demo_corpus.nominals import SPEAKER, SPEAKERS, USUAL, Nominal, Scope, coordinated, name
from demo_corpus.nouns import GROUPS, RELATED, Noun, nouns_named
from demo_corpus.tree import Node, punctuation
from demo_corpus.usage import usual, usual_by

# Some determiners would belong to the first noun alone: "two cups and plates"
_STYLE_OF_PAIR = {
    "number": "the",
    "both": "the",
    "all": "the",
    "name": "pronoun",
    "many": "some",
    "several": "some",
    "another": "a",
}

_COMPLEMENTS = usual_by("complement of")  # what else may be said about a noun: "a book about horses"
_KNOWN_ADJECTIVES = {form for group in GROUPS.values() for noun in group for form in noun.adjectives}
_SINGULAR_OF = {noun.plural: noun.lemma for group in GROUPS.values() for noun in group if not noun.mass}
_SINGULAR_OF |= {"animals": "animal", "mountains": "mountain", "Sundays": "Sunday", "Saturdays": "Saturday"}


def choose_noun(dice: Dice, tokens: tuple[str, ...]) -> Noun:
    """A noun from the tokens of a frame."""
    return dice.pick(nouns_named(dice.pick(tokens)))


def noun_phrase(
    dice: Dice, noun: Noun, scope: Scope = USUAL, plural: bool | None = None, style: str | None = None
) -> Nominal:
    """A noun with determiner and modifiers; number and determiner style are chosen if not given."""
    if noun.group == "NAME":
        return _name_with_more(dice, noun) if scope.role == "subject" and not scope.plain else name(dice, noun)
    if plural is None:
        plural = is_plural(dice, noun)
    nominal = bare_noun(dice, noun, plural)
    if style is None or noun.group in (*RELATED, "MEAL") or noun.unique:
        style = choose_style(dice, noun, plural, scope)
    modifiers = [] if scope.plain else _adjectives(dice, noun, style)
    bare = not modifiers and not scope.plain and style in ("the", "a", "")
    if bare and not noun.modifier and noun.lemma in _COMPLEMENTS and dice.chance(0.2):
        nominal.node.right.append(fixed_phrase(dice.pick(_COMPLEMENTS[noun.lemma])).labelled("nmod"))
    elif bare and _may_be_located(noun, scope) and style == "the" and dice.chance(0.15):
        nominal.node.right.append(fixed_phrase(dice.pick(noun.spots)).labelled("nmod"))
    nominal.node.left[:0] = determine(dice, style, nominal, scope) + modifiers
    return nominal


def _may_be_located(noun: Noun, scope: Scope) -> bool:
    """Whether to say which one by its place: the books on the shelf."""
    return (
        scope.role == "subject"
        and not scope.placed
        and noun.kind == "thing"
        and bool(noun.spots)
        and not noun.complement
    )


def _name_with_more(dice: Dice, noun: Noun) -> Nominal:
    """A name, perhaps with surname, perhaps with a word on who it is: Paul, my uncle."""
    nominal = name(dice, noun, full=dice.chance(0.08))
    if dice.chance(0.15):
        kin = [other for other in GROUPS["KIN"] if other.gender in ("", noun.gender) and not other.singular]
        who = noun_phrase(dice, dice.pick(kin), Scope(plain=True, owner=dice.pick((SPEAKER, SPEAKERS))), False)
        who.node.left.insert(0, punctuation(","))
        who.node.right.append(punctuation(","))
        nominal.node.right.append(who.node.labelled("appos"))
    return nominal


def noun_pair(
    dice: Dice, first: Noun, second: Noun, scope: Scope, conjunction: str = "and", *,
    style: str | None = None, plural: bool | None = None,
) -> Nominal:  # fmt: skip
    """Two nouns of a kind joined by a conjunction, both begun in the same way."""
    scope = scope._replace(plain=True)
    both = []
    chosen = style
    if plural is None:
        plural = is_plural(dice, first) and not second.mass and not second.singular
    owner = _owner_of_both(dice, scope)
    for noun in (first, second):
        if noun.group == "NAME":
            both.append(name(dice, noun))
            continue
        nominal = bare_noun(dice, noun, plural and not noun.mass)
        if chosen is None or noun.mass != first.mass:
            chosen = choose_style(dice, noun, nominal.number == "Plur", scope)
            chosen = _STYLE_OF_PAIR.get(chosen, chosen)
        if chosen == "pronoun":
            nominal.node.left.insert(0, owner.pronoun("Poss"))
        else:
            nominal.node.left[:0] = determine(dice, chosen, nominal, scope)
        both.append(nominal)
    return coordinated(both[0], both[1], conjunction)


def pairable(first: Noun, second: Noun) -> bool:
    """Whether two nouns of a group go together: girl and boy, cook and baker, but not girl and student."""
    if first.lemma == second.lemma or first.group != second.group or second.complement or second.unique:
        return False
    if {first.lemma, second.lemma} & {"flower", "toy", "tree"}:  # the others are flowers, toys, trees
        return False
    if first.group == "CHILD":
        return bool(first.gender and second.gender)
    return first.group != "ADULT" or bool(first.gender) == bool(second.gender)


def _owner_of_both(dice: Dice, scope: Scope) -> Nominal:
    if scope.owner and scope.owner.human:
        return scope.owner
    return dice.pick((SPEAKER, SPEAKERS))


def bare_noun(dice: Dice, noun: Noun, plural: bool) -> Nominal:
    """A noun without determiner; a person whose sex is unknown is given one for later reference."""
    gender = noun.gender or (dice.pick("fm") if noun.kind == "person" else "n")
    return Nominal(noun_node(noun, plural), noun, number="Plur" if plural else "Sing", gender=gender)


def noun_node(noun: Noun, plural: bool) -> Node:
    """The noun with the other half of a compound or its complement ("apple pie", "cup of tea")."""
    number = "Number=Plur" if plural else "Number=Sing"
    node = Node(noun.plural if plural else noun.lemma, noun.lemma, "NOUN", number)
    if noun.modifier:
        node.left.append(Node(noun.modifier, noun.modifier, "NOUN", "Number=Sing", "compound"))
    if noun.complement:
        node.right.append(fixed_phrase(f"of {noun.complement}").labelled("nmod"))
    return node


def is_plural(dice: Dice, noun: Noun) -> bool:
    """Whether to speak of several."""
    if noun.mass or noun.singular or noun.unique or noun.group == "NAME":
        return False
    return dice.chance(noun.several)


def gradable(adjective: str) -> bool:
    """Whether one can be very much so."""
    return adjective not in usual("ungradable") + usual("color")


def _adjectives(dice: Dice, noun: Noun, style: str) -> list[Node]:
    """None, one or two adjectives in the usual order: opinion, size, age, color."""
    rate = 0.5 if noun.group in RELATED and noun.adjectives else 0.32
    if not noun.adjectives or noun.complement or style in ("many", "several") or not dice.chance(rate):
        return []
    suitable = [form for form in noun.adjectives if not noun.mass or form not in usual("size")]
    first = dice.pick(suitable)
    chosen = [first]
    if dice.chance(0.15):
        second = dice.pick(suitable)
        if _order(second) != _order(first):
            chosen = sorted([first, second], key=_order)
    nodes = [words.adjective(form) for form in chosen]
    if len(chosen) == 1 and gradable(first) and style == "a" and dice.chance(0.2):
        nodes[0].left.append(words.adverb("very"))
    return nodes


def _order(adjective: str) -> int:
    for rank, kind in enumerate(("size", "condition", "age", "color"), start=1):
        if adjective in usual(kind):
            return rank
    return 0


def prepositional(preposition: str, nominal: Nominal) -> Node:
    """A nominal with its preposition, as an oblique."""
    nominal.node.left.insert(0, words.preposition(preposition))
    return nominal.node.labelled("obl")


def fixed_phrase(phrase: str) -> Node:
    """A phrase of the word lists ("under the old bridge", "every morning") as an oblique."""
    if phrase in usual("place adverbs"):
        return words.adverb(phrase)
    *before, last = phrase.split()
    if last[0].isupper():
        lemma = _SINGULAR_OF.get(last, last)
        head = Node(last, lemma, "PROPN", "Number=Plur" if lemma != last else "Number=Sing", "obl")
    else:
        lemma = _SINGULAR_OF.get(last) or last
        head = Node(last, lemma, "NOUN", "Number=Plur" if lemma != last else "Number=Sing", "obl")
    for form in before:
        head.left.append(_small_word(form))
    if not any(child.deprel == "case" for child in head.left):
        head.deprel = "obl:unmarked"
    return head


def _small_word(form: str) -> Node:
    if form in ("the", "a", "every", "this"):
        return words.determiner(form)
    if form in words.NUMERALS:
        return words.numeral(form)
    if form in _KNOWN_ADJECTIVES or form in ("last", "next"):
        return words.adjective(form)
    if form in usual("prepositions"):
        return words.preposition(form)
    return Node(form, form, "NOUN", "Number=Sing", "compound")
