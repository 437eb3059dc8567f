"""Where to look first: the sentences and the words of a file of whose heads a grammar is least sure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from heapq import nsmallest
from pathlib import Path
from typing import Any

from depinduce.corpus import Sentence, read_sentences
from depinduce.models.model import Model
from depinduce.parsing.decoding import Parsing
from depinduce.parsing.parsed_sentences import ParsedSentence
from depinduce.parsing.streams import (
    Adapt,
    blocks,
    learned_from,
    parse_sentences,
    warn_of_long_sentence,
    with_strangers_told,
)

ROOT = "root"


@dataclass(frozen=True)
class UnsureSentence:
    """A sentence, and the share of its heads that are probably right."""

    probability: float  # the mean of its arcs
    line: int  # on which it begins, in the file
    sent_id: str | None
    words: int  # punctuation not counted
    text: str


@dataclass(frozen=True)
class UnsureArc:
    """A word, the head that it was given, and how probable it is that this is right."""

    probability: float
    line: int  # of the word
    sent_id: str | None
    word: str
    tag: str
    head: str  # the word, or `root`
    head_tag: str
    distance: int  # from the word to its head, to the right if positive; 0 for the root


@dataclass(frozen=True)
class LeastSure:
    """What was found in a file, the least sure first."""

    path: str
    words: int  # of the whole file, punctuation not counted
    mean: float  # probability of their arcs
    sentences: list[UnsureSentence]
    arcs: list[UnsureArc]
    unknown_tags: list[str]
    learned: str = ""  # from the text, before

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def least_sure(
    model: Model,
    source: str | Path,
    number: int,
    parsing: Parsing,
    adapt: Adapt | None = None,
    report: Callable[[int], None] = lambda sentences: None,
) -> LeastSure:
    """The so many sentences and words of a file of whose heads a grammar is least sure, in bounded memory.

    parsing: with posteriors; adapt: learns from the sentences before they are parsed; report: is told how many are done
    """
    sentences: Iterable[Sentence] = read_sentences(source)
    learned, done, warned, column = "", 0, False, model.reading.tag_column
    if adapt is not None:
        model, learned, sentences = learned_from(iter(sentences), adapt)
    unsure: list[UnsureSentence] = []
    arcs: list[UnsureArc] = []
    words, total, unknown = 0, 0.0, set[str]()
    for some in blocks(with_strangers_told(model, sentences), parsing):
        warned = warned or warn_of_long_sentence(model, some, parsing)
        found, strange = parse_sentences(model, some, parsing)
        unknown |= strange
        trees = [tree for (tree,) in found]
        told = [one for one in map(_sentence, trees) if one.words]
        words, total = words + sum(one.words for one in told), total + sum(one.words * one.probability for one in told)
        unsure = nsmallest(number, [*unsure, *told], key=_rank)
        arcs = nsmallest(number, [*arcs, *(arc for tree in trees for arc in _arcs(tree, column))], key=_rank)
        done += len(some)
        report(done)
    return LeastSure(str(source), words, total / max(words, 1), unsure, arcs, sorted(unknown), learned)


def _rank(one: UnsureSentence | UnsureArc) -> tuple[float, int]:
    """The least probable first; of equals, the one that stands first in the file."""
    return one.probability, one.line


def _sentence(tree: ParsedSentence) -> UnsureSentence:
    sentence, known = tree.sentence, [value for value in tree.probabilities or () if value is not None]
    mean = sum(known) / max(len(known), 1)
    return UnsureSentence(mean, sentence.line, sentence.sent_id, len(known), " ".join(sentence.forms))


def _arcs(tree: ParsedSentence, tag_column: int) -> Iterator[UnsureArc]:
    sentence, forms, tags = tree.sentence, tree.sentence.forms, tree.sentence.column(tag_column)
    for word, (head, value) in enumerate(zip(tree.heads, tree.probabilities or (), strict=False)):
        if value is None:
            continue
        named = (forms[head - 1], tags[head - 1], head - 1 - word) if head > 0 else (ROOT, "", 0)
        yield UnsureArc(value, sentence.line_of(word + 1), sentence.sent_id, forms[word], tags[word], *named)
