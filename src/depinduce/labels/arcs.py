"""What a label can depend on: the arcs of a tree, each with what stands around it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from depinduce.corpus import Reading, Sentence
from depinduce.corpus.conllu import FEATS, UPOS
from depinduce.labels.plain import main_type, plain_labels

LEFT, RIGHT = "left", "right"
MARKERS = ("ADP", "SCONJ")  # words that say what their head is to its own head
NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Arc:
    """An arc from a head to a child: words 0..n-1, and what is known of them."""

    child: int
    head: int
    child_tag: str
    head_tag: str
    side: str  # of the head on which the child stands
    children: frozenset[str]  # tags of the child's own children
    siblings: frozenset[str]  # of the head's other children
    between: frozenset[str]  # of those among them that stand between the two
    led_by: frozenset[str]  # of the first word of the child's phrase, and of the word before, unless it is the head
    features: frozenset[str]  # of the child: `Case=Nom`, and its name `Case`
    cases: bool  # some word of the sentence has a Case
    markers: tuple[str, ...]  # the child's own adpositions and subordinators, in lower case


class Labeller(ABC):
    """Whatever names the arcs of a tree."""

    @abstractmethod
    def label(self, arc: Arc, taken: frozenset[str]) -> str:
        """The relation of an arc, given those (without subtypes) of the siblings on its left."""

    def labels(self, sentence: Sentence, heads: Sequence[int], reading: Reading) -> list[str]:
        """What stands in DEPREL of every word: `root`, a relation, or `_` where the head is unknown."""
        found, taken = plain_labels(heads), dict[int, frozenset[str]]()
        for arc in arcs_of(sentence, heads, reading):
            before = taken.get(arc.head, NOTHING)
            found[arc.child] = label = self.label(arc, before)
            taken[arc.head] = before | {main_type(label)}
        return found


def arcs_of(sentence: Sentence, heads: Sequence[int], reading: Reading) -> list[Arc]:
    """The arcs of a tree between words, in the order of the children."""
    tags, forms = universal_tags(sentence, reading), sentence.forms
    features = [_features(feats) for feats in sentence.column(FEATS)]
    cases = any("Case" in found for found in features)
    children: list[list[int]] = [[] for _ in tags]
    for child, head in enumerate(heads):
        if head > 0:
            children[head - 1].append(child)
    first = _first_words(heads)

    def arc(child: int, head: int) -> Arc:
        siblings = [other for other in children[head] if other != child]
        left, right = sorted((child, head))
        leading = [word for word in (first[child] - 1, first[child]) if word >= 0 and word not in (child, head)]
        return Arc(
            child=child,
            head=head,
            child_tag=tags[child],
            head_tag=tags[head],
            side=LEFT if child < head else RIGHT,
            children=frozenset(tags[below] for below in children[child]),
            siblings=frozenset(tags[other] for other in siblings),
            between=frozenset(tags[other] for other in siblings if left < other < right),
            led_by=frozenset(tags[word] for word in leading),
            features=features[child],
            cases=cases,
            markers=tuple(forms[below].lower() for below in children[child] if tags[below] in MARKERS),
        )

    return [arc(child, head - 1) for child, head in enumerate(heads) if head > 0]


def universal_tags(sentence: Sentence, reading: Reading) -> list[str]:
    """The tags of a sentence by their universal names: through the map of tags if there is one, otherwise its UPOS.

    CONJ, as UD 1 has it, is CCONJ here.
    """
    reader = reading.tag_reader()
    table = reader.table
    tags = sentence.column(UPOS) if table is None else [table.get(tag, tag) for tag in sentence.column(reader.column)]
    return ["CCONJ" if tag == "CONJ" else tag for tag in tags]


def _features(feats: str) -> frozenset[str]:
    if feats == "_":
        return NOTHING
    found = feats.split("|")
    return frozenset([*found, *(feature.partition("=")[0] for feature in found)])


def _first_words(heads: Sequence[int]) -> list[int]:
    """The first word of the phrase of every word, which is all that hangs on it, and itself. [word]"""
    first = list(range(len(heads)))
    for word in range(len(heads)):
        above = heads[word] - 1
        while above >= 0 and first[above] > word:  # what is further left has been there before
            first[above] = word
            above = heads[above] - 1
    return first
