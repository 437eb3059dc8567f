"""The verb group: auxiliaries, negation and the inflected verb, and their order around the subject.

A time is one of past, present, now (progressive), was (past progressive), perfect, pluperfect, future,
or a modal verb. Every auxiliary decides the form of the word after it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from demo_corpus import words
from demo_corpus.morphology import verb_forms
from demo_corpus.nominals import Nominal
from demo_corpus.tree import Node

MODALS = ("will", "would", "can", "could", "must", "should", "may", "might")
_AUXILIARIES = {
    "past": (),
    "present": (),
    "now": ("be",),
    "was": ("be",),
    "perfect": ("have",),
    "pluperfect": ("have",),
    "future": ("will",),
}
_PAST_TIMES = ("past", "was", "pluperfect")
_FORM_AFTER = {"be": "progressive", "have": "participle", "do": "infinitive"}
_CONTRACTED_STEM = {"can": "ca", "will": "wo"}
_NEVER_CONTRACTED = ("may", "might", "am")


@dataclass
class Group:
    """The verb with its auxiliaries; `finite` is the one that moves before the subject in a question."""

    head: Node  # the verb; for a copula, the predicate
    finite: Node | None = None
    negation: Node | None = None
    others: list[Node] = field(default_factory=list)


def verb_group(
    verb: str,
    time: str,
    subject: Nominal,
    *,
    negative: bool = False,
    contracted: bool = False,
    passive: bool = False,
    inverted: bool = False,
) -> Group:
    """The verb group of a clause whose head is the verb."""
    chain = [(form, "aux") for form in _auxiliaries(time)]
    if passive:
        chain.append(("be", "aux:pass"))
    if not chain and (negative or inverted):
        chain.append(("do", "aux"))
    chain.append((verb, "root"))
    *auxiliaries, head = _inflected(chain, time, subject)
    return _negated(Group(head, auxiliaries[0] if auxiliaries else None, others=auxiliaries[1:]), negative, contracted)


def copula_group(
    predicate: Node, time: str, subject: Nominal, *, negative: bool = False, contracted: bool = False
) -> Group:
    """The verb group of a clause whose head is an adjective or a nominal."""
    chain = [*((form, "aux") for form in _auxiliaries(time)), ("be", "cop")]
    auxiliaries = _inflected(chain, time, subject)
    return _negated(Group(predicate, auxiliaries[0], others=auxiliaries[1:]), negative, contracted)


def arrange(
    group: Group,
    subject: Node | None,
    *,
    front: list[Node] | None = None,
    adverb: Node | None = None,
    inverted: bool = False,
) -> Node:
    """The clause's words before its head in their order; returns the head."""
    contracted = group.negation is not None and group.negation.form == "n't"
    finite = [group.finite] if group.finite else []
    negation = [group.negation] if group.negation else []
    middle = [subject] if subject else []
    if inverted and contracted:
        order = finite + negation + middle
    elif inverted:
        order = finite + middle + negation
    else:
        order = middle + finite + negation
    order += [adverb] if adverb else []
    group.head.left[:0] = [*(front or []), *order, *group.others]
    return group.head


def clause(verb: str, time: str, subject: Nominal, *, negative: bool = False, contracted: bool = False) -> Node:
    """Subject and verb in the order of a statement; returns the verb."""
    group = verb_group(verb, time, subject, negative=negative, contracted=contracted)
    return arrange(group, subject.node.labelled("nsubj"))


def infinitive(verb: str, marked: bool = True) -> Node:
    """A verb in the infinitive, with or without "to"."""
    node = _form(verb, "infinitive", "root")
    if marked:
        node.left.append(words.infinitive_to())
    return node


def gerund(verb: str) -> Node:
    """The -ing form."""
    return Node(verb_forms(verb).gerund, verb, "VERB", "VerbForm=Ger")


def participle(verb: str, passive: bool) -> Node:
    """A participle that modifies a noun: sitting, written."""
    return _form(verb, "passive" if passive else "progressive", "acl")


def imperative(verb: str) -> Node:
    """The form of a command."""
    return Node(verb, verb, "VERB", "Mood=Imp|VerbForm=Fin")


def _auxiliaries(time: str) -> tuple[str, ...]:
    return _AUXILIARIES.get(time, (time,))


def _inflected(chain: list[tuple[str, str]], time: str, subject: Nominal) -> list[Node]:
    nodes = []
    form = "finite"
    for lemma, deprel in chain:
        nodes.append(_finite(lemma, deprel, time, subject) if form == "finite" else _form(lemma, form, deprel))
        form = "passive" if deprel == "aux:pass" else _FORM_AFTER.get(lemma, "infinitive")
    return nodes


def _negated(group: Group, negative: bool, contracted: bool) -> Group:
    if negative:
        contracted = contracted and group.finite.form not in _NEVER_CONTRACTED
        if contracted:
            group.finite.form = _CONTRACTED_STEM.get(group.finite.form, group.finite.form)
        group.negation = words.negation(contracted)
        if group.finite.form == "can":
            group.negation.clitic = True  # cannot
    return group


def _upos(deprel: str) -> str:
    return "AUX" if deprel in ("aux", "aux:pass", "cop") else "VERB"


def _form(lemma: str, form: str, deprel: str) -> Node:
    forms = verb_forms(lemma)
    surface, feats = {
        "infinitive": (forms.base, "VerbForm=Inf"),
        "progressive": (forms.gerund, "Tense=Pres|VerbForm=Part"),
        "participle": (forms.participle, "Tense=Past|VerbForm=Part"),
        "passive": (forms.participle, "Tense=Past|VerbForm=Part|Voice=Pass"),
    }[form]
    return Node(surface, lemma, _upos(deprel), feats, deprel)


def _finite(lemma: str, deprel: str, time: str, subject: Nominal) -> Node:
    if lemma in MODALS:
        return Node(lemma, lemma, "AUX", "VerbForm=Fin", deprel)
    past = time in _PAST_TIMES
    forms = verb_forms(lemma)
    third = subject.person == 3 and subject.number == "Sing"
    if lemma == "be":
        surface = _be(past, subject)
    elif past:
        surface = forms.past
    else:
        surface = forms.third if third else forms.base
    feats = {"Mood": "Ind", "Tense": "Past" if past else "Pres", "VerbForm": "Fin"}
    if lemma == "be" or not past:
        feats |= {"Number": subject.number, "Person": str(subject.person)}
    return Node(surface, lemma, _upos(deprel), words.features(feats), deprel)


def _be(past: bool, subject: Nominal) -> str:
    singular = subject.number == "Sing" and subject.person != 2
    if past:
        return "was" if singular else "were"
    if not singular:
        return "are"
    return "am" if subject.person == 1 else "is"
