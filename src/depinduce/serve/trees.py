"""The best trees around heads that are decided already, whatever these are: arcs may cross, and punctuation may head.

A chart has projective trees of words. Heads that fit into one of these go into the chart; the others are put into the
tree that comes out of it, with as little change to the rest as makes it a tree again.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from depinduce.corpus import Sentence, build_corpus
from depinduce.corpus.cycles import find_cycle
from depinduce.corpus.faults import HEAD
from depinduce.errors import InputError
from depinduce.labels import with_kept_labels
from depinduce.parsing.decoding import Parsing
from depinduce.parsing.kept_heads import places_of_words, without_conflicts
from depinduce.parsing.streams import parse_sentences
from depinduce.serve.requests import MOST_WORDS, MOST_WORDS_OF_WORDS

if TYPE_CHECKING:
    from depinduce.models.model import Model

OPEN = -1  # a head that the grammar chooses
_AROUND = Parsing(posteriors=True, keep_heads=True)
_NO_COMMENT, _NOT_HEAD = re.compile(r"(?!)"), re.compile(r"NotHead=.*")


@dataclass(frozen=True)
class FoundTree:
    """A tree of which some heads were decided before."""

    heads: list[int]
    probabilities: list[float | None]  # of arcs that the grammar chose; None for others, and for punctuation
    lost: tuple[int, ...] = ()  # words, from 1, whose heads no tree can have beside the others

    @property
    def certainty(self) -> float | None:
        """The mean probability of the arcs that the grammar chose, if it chose any."""
        chosen = [value for value in self.probabilities if value is not None]
        return sum(chosen) / len(chosen) if chosen else None


def is_tree(heads: Sequence[int]) -> bool:
    return min(heads) >= 0 and list(heads).count(0) == 1 and not find_cycle(heads)


def longest(model: Model) -> int:
    """So many words of a sentence are parsed at once, so that an answer comes soon; more in pieces."""
    return MOST_WORDS_OF_WORDS if model.costly else MOST_WORDS


def trees_around(model: Model, sentences: Sequence[Sentence], decided: Sequence[Sequence[int]]) -> list[FoundTree]:
    """The best tree of every sentence that has the heads that are decided; OPEN are those that are not."""
    found: dict[int, FoundTree] = {}
    asked = []
    for number, heads in enumerate(decided):
        if is_tree(heads):
            found[number] = FoundTree(list(heads), [None] * len(heads))
        elif len(heads) <= longest(model):
            asked.append(number)
    try:
        given = [_with_heads(sentences[number], decided[number]) for number in asked]
        trees = _parsed(model, given, _AROUND)
    except InputError:  # some of these heads are in no projective tree
        asked, trees = [], []
    for number, (heads, probabilities) in zip(asked, trees, strict=True):
        found[number] = _with_certainty(heads, probabilities, decided[number])
    for number, sentence in enumerate(sentences):
        if number not in found:
            found[number] = _one_around(model, sentence, decided[number])
    return [found[number] for number in range(len(sentences))]


def labels_around(model: Model, sentence: Sentence, heads: list[int]) -> list[str]:
    """What the arcs are called: as in the file where the head is as there, otherwise as the grammar says."""
    return with_kept_labels(sentence, heads, model.labeller.labels(sentence, heads, model.reading))


def with_head(heads: Sequence[int], word: int, head: int, fixed: Collection[int] = ()) -> list[int] | None:
    """A tree in which a word hangs elsewhere, and others as little as can be; None if the fixed words stand in the way.

    heads: a tree. An old root hangs on a new one; of the words above the new head one takes the place of the word, if
    otherwise there were a circle: the new head itself or, if that is fixed, the next one.
    """
    changed = list(heads)
    changed[word - 1] = head
    if head == 0:
        for other in range(1, len(changed) + 1):
            if other != word and changed[other - 1] == 0 and other not in fixed:
                changed[other - 1] = word
    elif word in (way := path_up(heads, head)):
        free = [other for other in way[: way.index(word)] if other not in fixed]
        if not free:
            return None
        changed[free[0] - 1] = heads[word - 1]
    return changed if is_tree(changed) else None


def path_up(heads: Sequence[int], word: int) -> list[int]:
    """A word and all words above it, as far as their heads are known; each once."""
    way: list[int] = []
    while word > 0 and word not in way:
        way.append(word)
        word = heads[word - 1]
    return way


# ---------------------------------------------------------------- within


def _one_around(model: Model, sentence: Sentence, decided: Sequence[int]) -> FoundTree:
    """The tree of a sentence whose heads are not all in one projective tree, or that is too long for one chart."""
    bare = sentence.without(_NO_COMMENT, _NOT_HEAD)
    nothing = [OPEN] * len(decided)
    if len(decided) > longest(model):
        in_pieces = Parsing(posteriors=True, max_words=longest(model))
        ((heads, probabilities),) = _parsed(model, [_with_heads(bare, nothing)], in_pieces)
    else:
        try:
            ((heads, probabilities),) = _parsed(model, [_with_heads(bare, _projective(model, bare, decided))], _AROUND)
        except InputError:
            ((heads, probabilities),) = _parsed(model, [_with_heads(bare, nothing)], _AROUND)
    fixed, lost = set[int](), list[int]()
    for word in [word for word, head in enumerate(decided, start=1) if head != OPEN]:
        changed = with_head(heads, word, decided[word - 1], fixed)
        if changed is None:
            lost.append(word)
        else:
            heads = changed
            fixed.add(word)
    kept = [head if word in fixed else OPEN for word, head in enumerate(decided, start=1)]
    return _with_certainty(heads, probabilities, kept, tuple(lost))


def _projective(model: Model, sentence: Sentence, decided: Sequence[int]) -> list[int]:
    """Those of the heads that a projective tree of words can have."""
    kept = list(decided)
    while circle := find_cycle(kept):
        kept[circle[0] - 1] = OPEN
    words = places_of_words(sentence, model.reading)
    for word, head in enumerate(kept, start=1):
        if word not in words or (head > 0 and head not in words):
            kept[word - 1] = OPEN
    reading = replace(model.reading, min_length=None, max_length=None)  # those are limits of training
    given = [_with_heads(sentence, kept)]
    corpus = build_corpus(
        [], reading, tag_vocabulary=model.tags, word_vocabulary=model.words, languages=model.languages, given=given
    )
    for conflict in without_conflicts(corpus, model.non_heads)[1]:
        if conflict.word is not None:
            kept[words[conflict.word - 1] - 1] = OPEN
    return kept


def _parsed(model: Model, sentences: list[Sentence], parsing: Parsing) -> list[tuple[list[int], list[float | None]]]:
    if not sentences:
        return []
    trees, _ = parse_sentences(model, sentences, parsing)
    return [(list(tree.heads), list(tree.probabilities or [None] * len(tree.heads))) for (tree,) in trees]


def _with_heads(sentence: Sentence, heads: Sequence[int]) -> Sentence:
    return sentence.with_column(HEAD, [str(head) if head >= 0 else "_" for head in heads])


def _with_certainty(
    heads: list[int], probabilities: Sequence[float | None], decided: Sequence[int], lost: tuple[int, ...] = ()
) -> FoundTree:
    return FoundTree(
        heads, [value if head == OPEN else None for value, head in zip(probabilities, decided, strict=True)], lost
    )
