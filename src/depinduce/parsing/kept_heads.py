"""Heads that are known before a sentence is parsed: whether a tree can have them all, and which stand in its way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from depinduce.chart.engine import log_partition
from depinduce.corpus import Corpus, Reading, Sentence
from depinduce.corpus.cycles import find_cycle
from depinduce.corpus.faults import quoted, require_no_circle
from depinduce.errors import InputError
from depinduce.grammar.constraints import allowed_heads, constraint
from depinduce.grammar.rules import Order, RuleTable, tag_batch
from depinduce.models.model import Model


class Conflict(NamedTuple):
    """Something known that no tree of the grammar can have."""

    sentence: int  # its number in the corpus
    word: int | None  # from 1, punctuation not counted; None: the sentence as a whole
    why: str


def impossible_sentences(corpus: Corpus, non_heads: Sequence[str] = ()) -> np.ndarray:
    """The numbers of the sentences that have no tree with what is known of them, projective and with one root."""
    numbers = np.flatnonzero(corpus.is_given)
    some = corpus.take(numbers)
    batch = tag_batch(Order.FIRST, np.zeros_like(some.tags), some.offsets, 1)
    nothing = RuleTable(np.zeros(1), np.zeros((4, 1)), np.zeros((4, 2)))
    factors = constraint(corpus.tag_vocabulary, tuple(non_heads), some, batch)
    return numbers[np.isneginf(log_partition(nothing, batch, factors))]


def without_conflicts(corpus: Corpus, non_heads: Sequence[str] = ()) -> tuple[Corpus, list[Conflict]]:
    """The corpus with as much of what is known as a tree can have, and what was given up.

    Given up are heads under a tag that heads nothing, and roots that have one; roots after the first; of crossing arcs
    those that cross most; then whatever no tree has beside shorter arcs. If what words do *not* hang on leaves no tree,
    everything that is known of the sentence is given up.
    """
    if corpus.known is None:
        return corpus, []
    heads, conflicts = corpus.known.heads.copy(), list[Conflict]()
    allowed = allowed_heads(corpus.tag_vocabulary, non_heads, replace(corpus, known=None))
    for number in np.flatnonzero(corpus.is_given).tolist():
        own = slice(*corpus.offsets[number : number + 2].tolist())
        for word, why in _conflicts(heads[own], None if allowed is None else allowed[own]).items():
            heads[own.start + word - 1] = -1
            conflicts.append(Conflict(number, word, why))
    known = replace(corpus.known, heads=heads)
    corpus = replace(corpus, known=known)
    lost = impossible_sentences(corpus, non_heads)
    if len(lost):
        corpus, more = _with_short_arcs_first(corpus, lost, non_heads)
        conflicts = sorted((*conflicts, *more), key=lambda one: (one.sentence, one.word or 0))
    return corpus, conflicts


def _with_short_arcs_first(corpus: Corpus, lost: np.ndarray, non_heads: Sequence[str]) -> tuple[Corpus, list[Conflict]]:
    """Sentences that have no tree, with those of their heads that can stay: the shortest arc first, one by one.

    lost: their numbers; all of them are tried at once
    """
    assert (known := corpus.known) is not None
    wanted, conflicts = known.heads, list[Conflict]()
    heads = np.where(_words_of(corpus, lost), np.int32(-1), wanted)

    def impossible() -> np.ndarray:
        tried = replace(corpus, known=replace(known, heads=heads)).take(lost)
        return lost[impossible_sentences(tried, non_heads)]

    hopeless = impossible()
    conflicts += [Conflict(number, None, "no tree has everything that is known of it") for number in hopeless.tolist()]
    to_try = {
        number: _by_length(wanted[slice(*corpus.offsets[number : number + 2])])
        for number in np.setdiff1d(lost, hopeless).tolist()
    }
    for turn in range(max(map(len, to_try.values()), default=0)):
        tried = {number: words[turn] for number, words in to_try.items() if turn < len(words)}
        places = {number: corpus.offsets[number] + word - 1 for number, word in tried.items()}
        for place in places.values():
            heads[place] = wanted[place]
        for number in np.setdiff1d(impossible(), hopeless).tolist():
            heads[places[number]] = -1
            conflicts.append(Conflict(number, tried[number], "no tree has it beside other heads that are known"))
    return replace(corpus, known=replace(known, heads=heads).without(_words_of(corpus, hopeless))), conflicts


def _words_of(corpus: Corpus, sentences: np.ndarray) -> np.ndarray:
    """Which words are in sentences of these numbers. [token] bool"""
    return np.repeat(np.isin(np.arange(len(corpus)), sentences), corpus.lengths)


def _by_length(heads: np.ndarray) -> list[int]:
    """The words of a sentence whose heads are known, those with short arcs first and the root last."""
    known = {word: head for word, head in enumerate(heads.tolist(), start=1) if head >= 0}
    return sorted(known, key=lambda word: (known[word] == 0, abs(word - known[word]), word))


def _conflicts(heads: np.ndarray, may_head: np.ndarray | None) -> dict[int, str]:
    """The words of a sentence whose known heads cannot stay, each with the reason."""
    arcs, found = dict[int, int](), dict[int, str]()
    for word, head in enumerate(heads.tolist(), start=1):
        if head == 0 and len(heads) > 1 and may_head is not None and not may_head[word - 1]:
            found[word] = "it is the root, but its tag heads nothing (--non-heads)"
        elif head == 0 and 0 in arcs.values():
            found[word] = "there is another root"
        elif head > 0 and may_head is not None and not may_head[head - 1]:
            found[word] = "its head has a tag that heads nothing (--non-heads)"
        elif head >= 0:
            arcs[word] = head
    while crossing := {word: count for word in arcs if (count := _crossings(word, arcs))}:
        worst = max(crossing, key=lambda word: (crossing[word], abs(word - arcs[word])))
        found[worst] = "its arc crosses another: the tree is not projective"
        del arcs[worst]
    return dict(sorted(found.items()))


def _crossings(word: int, arcs: dict[int, int]) -> int:
    """How many arcs cross that of a word; that of the root comes from the left of the sentence."""
    left, right = sorted((word, arcs[word]))
    ends = (sorted(arc) for arc in arcs.items())
    return sum(left < low < right < high or low < left < high < right for low, high in ends)


# ---------------------------------------------------------------- heads that must stay


def require_possible(corpus: Corpus, sentences: Sequence[Sentence], model: Model) -> None:
    """A fault, with its line, where a sentence has no tree with the heads in its file. corpus: made of the sentences"""
    for sentence in sentences:
        require_no_circle(sentence)
        _require_headed_punctuation(sentence, model.reading)
    if not len(lost := impossible_sentences(corpus, model.non_heads)):
        return
    first = corpus.take(lost[:1])
    _, (conflict, *_) = without_conflicts(first, model.non_heads)
    sentence = sentences[int(first.index[0])]
    word = 1 if conflict.word is None else places_of_words(sentence, model.reading)[conflict.word - 1]
    found = f"the head of word {word} {quoted(sentence.forms[word - 1])} cannot stay: {conflict.why}"
    if conflict.word is None:
        found = "no tree has all heads that are known here, and none that NotHead names"
    raise InputError(sentence.path, sentence.line_of(word), found, "Correct it, or write `_` for an unknown head.")


def _require_headed_punctuation(sentence: Sentence, reading: Reading) -> None:
    """A fault where a word hangs on punctuation that hangs on nothing: where to is not known."""
    keep = reading.marks.keep(sentence)
    heads = sentence.heads
    for word, head in enumerate(heads, start=1):
        if keep is not None and keep[word - 1] and head > 0 and not keep[head - 1] and heads[head - 1] < 0:
            found = f"the head of word {word} {quoted(sentence.forms[word - 1])} is punctuation without a head"
            raise InputError(sentence.path, sentence.line_of(word), found, f"Give word {head} a head, too.")


def with_kept_heads(heads: list[int], sentence: Sentence) -> list[int]:
    """The heads of all words with those of punctuation that are known; heads: other words have theirs already."""
    known = sentence.heads
    root = known.index(0) + 1 if 0 in known else 0
    kept = [own if own >= 0 else found or root for found, own in zip(heads, known, strict=True)]
    if kept.count(0) != 1 or find_cycle(kept):
        found = "no tree has the heads of punctuation that are known here"
        raise InputError(sentence.path, sentence.line, found, "Correct them, or write `_` for an unknown head.")
    return kept


def places_of_words(sentence: Sentence, reading: Reading) -> list[int]:
    """The numbers in its file of the words of a sentence that are not punctuation, from 1."""
    keep = reading.marks.keep(sentence)
    return [place for place in range(1, len(sentence) + 1) if keep is None or keep[place - 1]]
