"""From sentences to trees in a file: read, parse and write block by block, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from depinduce.chart.engine import best_trees, expectations, trees_of_posteriors
from depinduce.corpus import Corpus, Reading, Sentence, attach, build_corpus
from depinduce.corpus.punctuation import marks_of
from depinduce.grammar.rules import arcs_of
from depinduce.models.hdp_model import HdpModel

if TYPE_CHECKING:
    from depinduce.models.loading import Model

BLOCK = 2000  # sentences parsed together
MOST_ROOM = 16_000_000  # numbers in a table that is made for some sentences: 128 MB


@dataclass(frozen=True)
class Parsing:
    """How trees are chosen and what is written of them."""

    decode: str = "viterbi"  # or "mbr", minimum Bayes risk
    posteriors: bool = False  # add the probability of each arc to MISC
    threads: int = 1


@dataclass(frozen=True)
class ParsedBlock:
    """Some sentences with their trees, ready to be written."""

    rendered: list[str]
    sentences: int
    words: int
    unknown_tags: set[str]


def parse_corpus(model: Model, corpus: Corpus, parsing: Parsing) -> np.ndarray:
    """The heads of a corpus in the model's tag vocabulary. [token], from 1 within the sentence, 0 is the root"""
    return parse_with_posteriors(model, corpus, parsing)[0]


def parse_with_posteriors(model: Model, corpus: Corpus, parsing: Parsing) -> tuple[np.ndarray, np.ndarray | None]:
    """Heads, and the probability of each if `parsing` asks for it. Both [token]"""
    if model.one_table:
        return _parse_together(model, corpus, parsing)
    heads = np.empty(len(corpus.tags), dtype=np.int32)
    posteriors = np.empty(len(corpus.tags)) if parsing.posteriors else None
    for some in _pieces(corpus.lengths):  # the rules of words are made for the sentences
        mask = np.isin(np.arange(len(corpus)), some)
        tokens = np.repeat(mask, corpus.lengths)
        heads[tokens], found = _parse_together(model, corpus.select(mask), parsing)
        if posteriors is not None:
            posteriors[tokens] = found
    return heads, posteriors


def _pieces(lengths: np.ndarray) -> Iterator[np.ndarray]:
    """The sentences from the shortest to the longest, in pieces whose tables have at most MOST_ROOM numbers."""
    order = np.argsort(lengths, kind="stable")
    room = 4.0 * lengths[order] * (lengths[order] + 1)  # rows, of the largest kind of grammar
    begin = 0
    while begin < len(order):
        needed = np.cumsum(room[begin:]) * lengths[order[begin:]]
        end = begin + max(1, int(np.searchsorted(needed, MOST_ROOM, side="right")))
        yield order[begin:end]
        begin = end


def _parse_together(model: Model, corpus: Corpus, parsing: Parsing) -> tuple[np.ndarray, np.ndarray | None]:
    lengths, threads = corpus.lengths, parsing.threads
    hidden = isinstance(model, HdpModel)  # the best tree over all states cannot be found, the least risky one can
    if hidden:
        posteriors = model.posteriors(corpus, threads)
        root, arc = posteriors.root, posteriors.arc
    else:
        table, batch, factors = model.problem(corpus)
        if parsing.posteriors or parsing.decode == "mbr":
            expected = expectations(table, batch, factors, positions=True, threads=threads)
            root, arc = expected.root, expected.arc.sum(axis=1)
    if hidden or parsing.decode == "mbr":
        trees = trees_of_posteriors(corpus.offsets, root, arc, threads=threads)
    else:
        trees = best_trees(table, batch, factors, threads=threads)
    heads = trees.heads[0]
    if (heads < 0).any():  # a grammar with zeros may allow no tree: then the next best thing is a chain
        heads = np.where(heads < 0, np.arange(len(heads)) - np.repeat(corpus.offsets[:-1], lengths), heads)
    if not parsing.posteriors:
        return heads, None
    return heads, np.where(heads == 0, root, arc[arcs_of(heads, corpus.offsets)])


def parse_stream(
    model: Model, sentences: Iterable[Sentence], parsing: Parsing, block: int = BLOCK
) -> Iterator[ParsedBlock]:
    """The sentences with trees, in their order. While one block is parsed the next is read."""
    sentences = iter(sentences)
    with ThreadPoolExecutor(1) as worker:
        pending = None
        while batch := list(islice(sentences, block)):
            following = worker.submit(_parse_block, model, batch, parsing)
            if pending is not None:
                yield pending.result()
            pending = following
        if pending is not None:
            yield pending.result()


def _parse_block(model: Model, sentences: list[Sentence], parsing: Parsing) -> ParsedBlock:
    reading = replace(model.reading, min_length=None, max_length=None)  # every sentence gets a tree
    corpus = build_corpus(sentences, reading, tag_vocabulary=model.tags, word_vocabulary=model.words)
    heads, posteriors = parse_with_posteriors(model, corpus, parsing)
    return ParsedBlock(
        rendered=list(_render(sentences, corpus, reading, heads, posteriors)),
        sentences=sum(len(sentence) > 0 for sentence in sentences),
        words=sum(map(len, sentences)),
        unknown_tags=set(corpus.unknown_tags),
    )


def _render(
    sentences: list[Sentence], corpus: Corpus, reading: Reading, heads: np.ndarray, posteriors: np.ndarray | None
) -> Iterator[str]:
    """The text of every sentence, its punctuation attached; those without words as they were."""
    number_in_corpus = dict(zip(corpus.index.tolist(), range(len(corpus)), strict=True))
    offsets, heads = corpus.offsets.tolist(), heads.tolist()
    marks = marks_of(reading.punctuation, reading.tag_column)
    for number, sentence in enumerate(sentences):
        if len(sentence) == 0:
            yield sentence.render()
            continue
        place = number_in_corpus.get(number)
        start, end = (offsets[place], offsets[place + 1]) if place is not None else (0, 0)
        keep = marks.keep(sentence)  # None: there is no punctuation
        tree = heads[start:end] if keep is None else attach(heads[start:end], keep)
        misc = None
        if posteriors is not None:
            values = iter(posteriors[start:end])
            misc = [f"Posterior={next(values):.4f}" if kept else "" for kept in keep or [True] * len(tree)]
        yield sentence.render(tree, misc=misc)
