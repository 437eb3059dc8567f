"""Clauses without an event: what somebody or something is, what it is like, where it is."""

from __future__ import annotations

from demo_corpus import verbs, words
from demo_corpus.determiners import definite
from demo_corpus.dice import Dice
from demo_corpus.nominals import Nominal, Scope, it, name, personal_pronoun
from demo_corpus.nouns import GROUPS, Noun, nouns_named
from demo_corpus.phrases import bare_noun, choose_noun, fixed_phrase, gradable, noun_phrase
from demo_corpus.tree import Node
from demo_corpus.usage import usual, usual_by

_OPPOSITES = {frozenset(pair.split()) for pair in usual("not together")}


def be(
    dice: Dice,
    subject: Nominal,
    predicate: Node,
    time: str,
    *,
    negative: bool = False,
    inverted: bool = False,
    front: tuple[Node, ...] = (),
    adverb: Node | None = None,
) -> Node:
    """A copular clause; its head is the predicate."""
    group = verbs.copula_group(predicate, time, subject, negative=negative, contracted=dice.chance(0.5))
    subject.node.labelled("nsubj")
    return verbs.arrange(group, subject.node, front=list(front), adverb=adverb, inverted=inverted)


def state(dice: Dice, noun: Noun | None, degree: bool = True) -> Node:
    """An adjective that tells how somebody or something is, perhaps two, perhaps very much so."""
    states = noun.states if noun else GROUPS["NAME"][0].states
    first = dice.pick(states)
    node = words.adjective(first)
    if degree and gradable(first) and dice.chance(0.25):
        node.left.append(
            words.adverb(dice.pick(("very", "very", "quite", "too" if first in usual("too much") else "very")))
        )
    elif degree and dice.chance(0.3):
        second = dice.pick(states)
        contrast = f"{first} {second}" in usual("contrasting")
        if contrast or (second != first and frozenset((first, second)) not in _OPPOSITES):
            other = words.adjective(second).labelled("conj")
            other.left.append(words.coordinator("but" if contrast else "and"))
            node.right.append(other)
    return node


def described(dice: Dice, plain: bool = False, pronouns: float = 0.12) -> Nominal:
    """Somebody or something that one would describe with an adjective."""
    if dice.chance(pronouns):
        return personal_pronoun(dice)
    return noun_phrase(dice, choose_noun(dice, usual("described")), Scope("subject", plain=plain), style="the")


def placed(dice: Dice, plain: bool = False) -> tuple[Nominal, Node]:
    """Somebody or something, and where it is."""
    noun = choose_noun(dice, usual("placed"))
    nominal = noun_phrase(dice, noun, Scope("subject", placed=True, plain=plain), style=definite(dice, noun))
    return nominal, fixed_phrase(dice.pick(noun.spots))


def found(dice: Dice, negative: bool = False) -> tuple[Nominal, Node]:
    """Something new, and where it is: for existential sentences."""
    noun = choose_noun(dice, usual("found"))
    if negative and not noun.mass and noun.kind != "thing":
        noun = choose_noun(dice, ("SPREAD", "FRUIT", "COLD", "VOLUME"))
    scope = Scope(negative=negative, indefinite=True)
    plural = True if negative and not noun.mass else None
    style = dice.pick(("no", "any")) if negative else None
    return noun_phrase(dice, noun, scope, plural=plural, style=style), fixed_phrase(dice.pick(noun.spots))


def existential(
    dice: Dice, thing: Nominal, place: Node, time: str, *, negative: bool = False, inverted: bool = False
) -> Node:
    """There is something somewhere. The verb is the head; negation is in "any" or already in "no"."""
    group = verbs.verb_group("be", time, thing, inverted=False)
    there = Node("there", "there", "PRON", deprel="expl")
    if negative and not any(child.form == "no" for child in thing.node.left):
        group.head.right.append(words.negation(contracted=dice.chance(0.6)))
    if inverted:
        group.head.right.append(there)
    else:
        group.head.left.append(there)
    group.head.right += [thing.node.labelled("nsubj"), place]
    return group.head


def profession(dice: Dice) -> tuple[Nominal, Node]:
    """A person and what he or she is."""
    roll = dice.weighted({"name": 3, "kin": 3, "pronoun": 2})
    if roll == "name":
        person = name(dice, dice.pick(GROUPS["NAME"]), full=dice.chance(0.25))
    elif roll == "kin":
        person = noun_phrase(
            dice, choose_noun(dice, ("PARENT", "SIBLING", "RELATIVE")), Scope("subject", plain=True), False
        )
    else:
        gender = dice.pick("fm")
        person = Nominal(words.personal("Nom", 3, "Sing", gender), gender=gender)
    trade = dice.pick([noun for noun in GROUPS["ADULT"] if not noun.gender and noun.lemma != "neighbor"])
    plural = person.number == "Plur"
    predicate = bare_noun(dice, trade, plural).node
    if dice.chance(0.45):
        quality = words.adjective(dice.pick(usual("praise")))
        if dice.chance(0.3):
            quality.left.append(words.adverb("very"))
        predicate.left.append(quality)
    if not plural:
        predicate.left.insert(0, words.determiner("a"))
    if dice.chance(0.25):
        predicate.right.append(fixed_phrase(dice.pick(("in the village", "from the city"))).labelled("nmod"))
    return person, predicate


def kind(dice: Dice) -> tuple[Nominal, Node]:
    """A thing and the kind of things it belongs to: a carrot is a vegetable."""
    kinds = usual_by("kind of")
    whole, member = dice.pick([(whole, member) for whole in sorted(kinds) for member in kinds[whole]])
    plural = dice.chance(0.5)
    noun = nouns_named(member)[0]
    subject = bare_noun(dice, noun, plural)
    whole_noun = Noun(whole, "KIND", "thing")
    predicate = bare_noun(dice, whole_noun, plural).node
    if dice.chance(0.4):
        quality = {
            "animal": "useful",
            "tool": "useful",
            "instrument": "beautiful",
            "flower": "beautiful",
        }.get(whole)
        predicate.left += [words.adjective(quality)] if quality else []
    if not plural:
        subject.node.left.insert(0, words.determiner("a"))
        predicate.left.insert(0, words.determiner("a"))
    return subject, predicate


def pointed(dice: Dice) -> tuple[Nominal, Node]:
    """This or that, and whose it is: this is Anna's coat."""
    noun = choose_noun(dice, usual("pointed at"))
    plural = noun.lemma in ("glove", "book", "pencil") and dice.chance(0.5)
    owned = noun_phrase(dice, noun, Scope(), plural, dice.pick(("pronoun", "name")))
    form = dice.pick(("these", "those") if plural else ("this", "that"))
    return Nominal(words.pronoun(form, "Dem"), None, number="Plur" if plural else "Sing"), owned.node


def compared(dice: Dice) -> tuple[Nominal, Node]:
    """Somebody or something, and how it compares with another of its kind."""
    comparisons = usual_by("compared by")
    quality = dice.pick(sorted(comparisons))
    nouns = [noun for token in comparisons[quality] for noun in nouns_named(token)]
    first = dice.pick(nouns)
    second = dice.pick([noun for noun in nouns if noun.group == first.group and noun.lemma != first.lemma])
    scope = Scope("subject", plain=True)
    standard = noun_phrase(dice, second, scope, False, "the")
    if dice.chance(0.25):
        predicate = words.adjective(quality)
        predicate.left.append(words.adverb("as"))
        standard.node.left.insert(0, words.preposition("as"))
    else:
        predicate = words.adjective(quality, "Cmp")
        standard.node.left.insert(0, words.preposition("than"))
        if dice.chance(0.2):
            predicate.left.append(words.adverb("much"))
    predicate.right.append(standard.node.labelled("obl"))
    return noun_phrase(dice, first, scope, False, "the"), predicate


def best(dice: Dice) -> tuple[Nominal, Node]:
    """Somebody and the superlative that is true of him or her."""
    person = name(dice, dice.pick(GROUPS["NAME"]))
    trade = {"f": "girl", "m": "boy"}[person.gender]
    quality, _, place = dice.pick(usual("best")).partition(" ")
    predicate = bare_noun(dice, nouns_named(trade)[0], False).node
    predicate.left += [words.determiner("the"), words.adjective(quality, "Sup")]
    predicate.right.append(fixed_phrase(place).labelled("nmod"))
    return person, predicate


def sense(dice: Dice, time: str) -> Node:
    """Something looks, smells or tastes so."""
    verb = dice.pick(sorted(usual_by("who can")))
    noun = choose_noun(dice, usual(f"who can {verb}"))
    subject = noun_phrase(dice, noun, Scope("subject", plain=True), style="the")
    group = verbs.verb_group(verb, time, subject)
    quality = dice.pick(usual(f"how things {verb}"))
    node = words.adjective(quality).labelled("xcomp")
    if gradable(quality) and dice.chance(0.35):
        node.left.append(words.adverb("very"))
    group.head.right.append(node)
    return verbs.arrange(group, subject.node.labelled("nsubj"))


def weather(dice: Dice, time: str) -> Node:
    """It rains, it is cold."""
    if dice.chance(0.5):
        quality = words.adjective(dice.pick(("cold", "warm", "hot", "dark", "late")))
        return be(dice, it(), quality, "past" if time in ("past", "was") else "present")
    group = verbs.verb_group(dice.pick(("rain", "snow")), time, it())
    return verbs.arrange(group, it().node.labelled("nsubj"))
