"""From sentences to trees in a file: read, parse and write block by block, in bounded memory."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from depinduce.corpus import Corpus, Reading, Sentence, attach, build_corpus, read_sentences
from depinduce.corpus.metadata import with_metadata
from depinduce.corpus.streams import WHOLE, Part
from depinduce.labels import Labeller, plain_labels, with_kept_labels
from depinduce.models.model import Model
from depinduce.parsing.decoding import Parses, Parsing, parse_trees
from depinduce.parsing.kept_heads import require_possible, with_kept_heads
from depinduce.parsing.long_sentences import Cost, cost_of, cut, joined, pieces_of
from depinduce.parsing.parsed_sentences import ParsedSentence
from depinduce.parsing.written_forms import CONLLU, Form
from depinduce.visible import visible

T = TypeVar("T")

# A block of sentences ends with the one that reaches any of these. Three blocks are in memory at the most: one that is
# read, one that is parsed, and one that is written.
BLOCK = 2000  # sentences
MOST_WORDS = 40_000  # each of which is ten strings
MOST_LINES = 400_000  # words of all trees that are written
MOST_ARCS = 4_000_000  # pairs of words, for each of which there can be a posterior
SHORTEST_LONG_ONE = 100  # words; shorter sentences are not looked at
MOST_WORK = 300_000_000  # cubes of lengths: seconds, after which there is something to report
IN_PIECES = "With --max-words 200 such sentences are parsed in pieces"
QUICK = 2.0  # seconds of learning before anybody is told how far it is
MOST_LEARNED = 5000  # sentences of a text that a grammar learns from before it parses them
MOST_LEARNED_WORDS = 150_000  # of these sentences, which are kept until they are parsed

Told = Callable[[int, int], None]  # how many rounds of learning are done, of how many
Adapt = Callable[[list[Sentence], Told], tuple[Model, str]]  # from some sentences to a grammar for them, and a word


@dataclass(frozen=True)
class ParsedBlock:
    """Some sentences with their trees, ready to be written."""

    rendered: list[Any]  # in the form in which they are written
    sentences: int
    words: int
    unknown_tags: set[str]
    cut: int  # sentences that were parsed in pieces
    open_heads: int  # words whose heads were left open


@dataclass
class Throughput:
    """What was parsed so far."""

    sentences: int = 0
    words: int = 0
    seconds: float = 0.0
    unknown_tags: set[str] = field(default_factory=set)
    cut: int = 0  # sentences that were parsed in pieces
    open_heads: int = 0  # words whose heads were left open, for they are unsure
    ahead: Cost | None = None  # of the long sentence that is being parsed now, if it is one
    learning: float | None = None  # how far the grammar has come in learning from the text, while it does
    learned: str = ""  # what the grammar learned from the text before, if anything

    @property
    def words_per_second(self) -> float:
        return self.words / self.seconds if self.seconds else 0.0


def parse_file(
    model: Model,
    source: str | Path,
    target: str | Path,
    parsing: Parsing,
    report: Callable[[Throughput], None] = lambda totals: None,
    adapt: Adapt | None = None,
    metadata: bool = False,
    form: Form = CONLLU,
    part: Part = WHOLE,
) -> Throughput:
    """Parse a CoNLL-U file into another, which appears complete or not at all. `-` is stdin or stdout, `.gz` works.

    adapt: learns from the sentences before they are parsed
    metadata: add `# sent_id` and `# text` to sentences that have none
    form: what is written, if it is not CoNLL-U
    part: only these sentences of the file
    """
    totals, start = Throughput(), time.perf_counter()
    warned = False

    def announce(sentence: Sentence, cost: Cost) -> None:
        nonlocal warned
        if not warned:
            warnings.warn(about_long_sentence(sentence, cost), stacklevel=2)
        warned, totals.ahead = True, cost
        report(totals)

    def tell(done: int, rounds: int) -> None:
        totals.learning = done / rounds
        if time.perf_counter() - start >= QUICK:
            report(totals)

    with form.open(target) as write:
        sentences = iter(read_sentences(source, part=part))
        if metadata:
            sentences = with_metadata(sentences, part.sentences)
        if adapt is not None:
            model, totals.learned, sentences = learned_from(sentences, adapt, tell)
            totals.learning = None
        told = with_strangers_told(model, sentences)
        for block in parse_stream(model, told, parsing, announce, form=form, part=part):
            for item in block.rendered:
                write(item)
            totals.sentences, totals.words = totals.sentences + block.sentences, totals.words + block.words
            totals.unknown_tags |= block.unknown_tags
            totals.cut, totals.ahead = totals.cut + block.cut, None
            totals.open_heads += block.open_heads
            totals.seconds = time.perf_counter() - start
            report(totals)
    totals.seconds = time.perf_counter() - start
    return totals


def learned_from(
    sentences: Iterator[Sentence], adapt: Adapt, report: Told = lambda done, rounds: None
) -> tuple[Model, str, Iterator[Sentence]]:
    """A grammar that has learned from the first sentences, what is to be said of it, and all sentences again."""
    first, words = [], 0
    for sentence in sentences:
        first.append(sentence)
        words += len(sentence)
        if len(first) >= MOST_LEARNED or words >= MOST_LEARNED_WORDS:
            break
    return *adapt(first, report), chain(first, sentences)


def with_strangers_told(model: Model, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """The same sentences; warns once of every language that a model of several does not know."""
    told = {None, *model.languages}
    for sentence in sentences:
        if model.languages and sentence.language not in told:
            told.add(sentence.language)
            warnings.warn(about_unknown_language(str(sentence.language), model), stacklevel=2)
        yield sentence


def about_unknown_language(name: str, model: Model) -> str:
    """What the user should know of it."""
    return (
        f"# language = {visible(name)}: the grammar does not know this language and parses it by what it knows of all. "
        f"It knows {' '.join(model.languages)}"
    )


def about_unknown_tags(tags: Iterable[str]) -> str:
    """What the user should know of them."""
    return f"tags that training has not seen, parsed like an average tag: {visible(' '.join(sorted(tags)))}"


def about_long_sentence(sentence: Sentence, cost: Cost, remedy: str = IN_PIECES) -> str:
    """What the user should know before the wait."""
    duration = f"{cost.seconds:.0f} s" if cost.seconds < 120 else f"{cost.seconds / 60:.0f} min"
    return (
        f"{sentence.path}:{sentence.line}: a sentence of {cost.words:,} words, which takes about {duration} and "
        f"{max(cost.bytes / 1e9, 0.1):.1f} GB of memory. {remedy}"
    )


def warn_of_long_sentence(
    model: Model, sentences: list[Sentence], parsing: Parsing, remedy: str = IN_PIECES, caller: int = 3
) -> bool:
    """Warn of the first sentence that will take long, if there is one; gives whether there is."""
    for sentence, cost in _long_ones(model, sentences, parsing):
        warnings.warn(about_long_sentence(sentence, cost, remedy), stacklevel=caller)
        return True
    return False


def parse_stream(
    model: Model,
    sentences: Iterable[Sentence],
    parsing: Parsing,
    announce: Callable[[Sentence, Cost], None] = lambda sentence, cost: None,
    block: int = BLOCK,
    form: Form = CONLLU,
    part: Part = WHOLE,
) -> Iterator[ParsedBlock]:
    """The sentences with trees, in their order. While one block is parsed the next is read.

    announce: is told of every sentence that takes long when it is its turn
    part: of the file, from which the sentences come
    """
    with ThreadPoolExecutor(1) as worker:
        pending, first, before = None, part.blocks, part.sentences
        for some in blocks(sentences, parsing, block):
            following = worker.submit(_parse_block, model, some, parsing, first, form, before)
            first, before = first + len(some), before + _with_words(some)
            if pending is not None:
                yield pending.result()
            pending = following
            for sentence, cost in _long_ones(model, some, parsing):
                announce(sentence, cost)
        if pending is not None:
            yield pending.result()


def blocks(sentences: Iterable[Sentence], parsing: Parsing, most: int = BLOCK) -> Iterator[list[Sentence]]:
    """The sentences in blocks that fit into memory, of this many at the most; a very long one is a block of its own."""
    most_words = min(MOST_WORDS, MOST_LINES // parsing.trees)
    some, words, arcs, work = [], 0, 0, 0
    for sentence in sentences:
        if some and len(sentence) ** 3 >= MOST_WORK:
            yield some
            some, words, arcs, work = [], 0, 0, 0
        some.append(sentence)
        words, arcs, work = words + len(sentence), arcs + len(sentence) ** 2, work + len(sentence) ** 3
        if len(some) >= most or words >= most_words or arcs >= MOST_ARCS or work >= MOST_WORK:
            yield some
            some, words, arcs, work = [], 0, 0, 0
    if some:
        yield some


def _with_words(sentences: list[Sentence]) -> int:
    """How many of them have words; a block of comments has none."""
    return sum(len(sentence) > 0 for sentence in sentences)


def _parse_block(
    model: Model, sentences: list[Sentence], parsing: Parsing, first: int, form: Form, before: int
) -> ParsedBlock:
    """Sentences with trees.

    first, before: how many blocks, and how many sentences with words, there are before them in the file
    """
    parsed, unknown_tags = _parse_one_by_one(model, sentences, parsing, first)
    rendered, cut_sentences, open_heads, number = [], 0, 0, before
    for trees in parsed:
        number += len(trees[0].heads) > 0
        cut_sentences += trees[0].pieces > 1
        if parsing.min_confidence is not None:
            trees = [tree.sure(parsing.min_confidence) for tree in trees]
            open_heads += sum(head < 0 for tree in trees for head in tree.heads)
        for tree in trees:
            rendered += form.render(tree, number, parsing)
    return ParsedBlock(
        rendered=rendered,
        sentences=number - before,
        words=sum(map(len, sentences)),
        unknown_tags=unknown_tags,
        cut=cut_sentences,
        open_heads=open_heads,
    )


def _long_ones(model: Model, sentences: list[Sentence], parsing: Parsing) -> Iterator[tuple[Sentence, Cost]]:
    """The sentences that will take long, and how long."""
    for sentence in sentences:
        if len(sentence) >= SHORTEST_LONG_ONE:
            cost = cost_of(model, parsing, len(sentence), len(set(sentence.column(model.reading.tag_column))))
            if cost.is_high:
                yield sentence, cost


def parse_sentences(
    model: Model, sentences: list[Sentence], parsing: Parsing, first: int = 0
) -> tuple[list[list[ParsedSentence]], set[str]]:
    """The trees of each sentence, one at least, and the tags that training has not seen.

    first: the number of the first sentence in its file
    """
    parsed, unknown_tags = _parse_one_by_one(model, sentences, parsing, first)
    return list(parsed), unknown_tags


def _parse_one_by_one(
    model: Model, sentences: list[Sentence], parsing: Parsing, first: int
) -> tuple[Iterator[list[ParsedSentence]], set[str]]:
    """The same, but for whoever needs only one sentence at a time."""
    corpus = corpus_for(model, sentences, keep_heads=parsing.keep_heads)
    longest = parsing.max_words
    if longest is None or corpus.lengths.max(initial=0) <= longest:
        parses = parse_trees(model, corpus, parsing, first)
    else:
        pieces = cut(corpus, longest)
        parses = joined(parse_trees(model, pieces, parsing, first), pieces, corpus)
    naming = Naming(model.labeller if parsing.labels else None, model.reading, parsing.keep_labels)
    return _of_sentences(sentences, corpus, naming, parses, parsing), set(corpus.unknown_tags)


def corpus_for(model: Model, sentences: list[Sentence], with_heads: bool = False, keep_heads: bool = False) -> Corpus:
    """The sentences as a model reads them, of any length, without punctuation.

    with_heads: with the trees in the file, for scoring; keep_heads: only trees with the heads in the file are allowed
    """
    reading = replace(model.reading, min_length=None, max_length=None)  # those are limits of training
    corpus = build_corpus(
        [] if keep_heads else sentences,
        reading,
        tag_vocabulary=model.tags,
        word_vocabulary=model.words,
        with_heads=with_heads,
        languages=model.languages,
        given=sentences if keep_heads else None,
    )
    if keep_heads:
        require_possible(corpus, sentences, model)
    return corpus


def _of_sentences(
    sentences: list[Sentence], corpus: Corpus, naming: Naming, parses: Parses, parsing: Parsing
) -> Iterator[list[ParsedSentence]]:
    number_in_corpus = dict(zip(corpus.index.tolist(), range(len(corpus)), strict=True))
    offsets, heads = corpus.offsets.tolist(), parses.heads.tolist()
    posteriors = None if parses.posteriors is None else np.minimum(parses.posteriors, 1.0).tolist()  # rounded sums
    log_z = None if parses.log_z is None else parses.log_z.tolist()
    log_probability = None if parses.log_probability is None else parses.log_probability.tolist()
    marks = naming.reading.marks
    for number, sentence in enumerate(sentences):
        place, nothing = number_in_corpus.get(number), list[float | None]([None] * len(sentence))
        if place is None:  # no words, or nothing but punctuation
            heads_of_marks = attach([], [False] * len(sentence))
            if parsing.keep_heads:
                heads_of_marks = with_kept_heads(heads_of_marks, sentence)
            number_of_tree = 1 if parsing.several and len(sentence) else None
            unknown = None if posteriors is None else nothing
            labels = naming(sentence, heads_of_marks)
            yield [ParsedSentence(sentence, heads_of_marks, unknown, number=number_of_tree, relations=labels)]
            continue
        start, end = offsets[place], offsets[place + 1]
        keep = marks.keep(sentence)  # None: there is no punctuation
        pieces = pieces_of(end - start, parsing.max_words)
        trees = [tree for tree, heads_of_all in enumerate(heads) if heads_of_all[start] >= 0]
        known = pieces == 1  # how probable a tree is
        of_words = (heads[tree][start:end] for tree in trees)
        whole = [found if keep is None else attach(found, keep) for found in of_words]
        if parsing.keep_heads and keep is not None:
            whole = [with_kept_heads(found, sentence) for found in whole]
        yield [
            ParsedSentence(
                sentence,
                heads_of_tree,
                None if posteriors is None else spread(posteriors[tree][start:end] if known else nothing, keep),
                log_z[place] if known and log_z is not None else None,
                log_probability[tree][place] if known and log_probability is not None else None,
                tree + 1 if parsing.several else None,
                len(trees),
                pieces,
                naming(sentence, heads_of_tree),
            )
            for tree, heads_of_tree in zip(trees, whole, strict=True)
        ]


@dataclass(frozen=True)
class Naming:
    """Which labels are wanted."""

    labeller: Labeller | None
    reading: Reading
    keep: bool  # those of the file, where the head is still the same

    def __call__(self, sentence: Sentence, heads: list[int]) -> list[str] | None:
        """What is known of the arcs of a tree beyond which word is the root, if that is asked for."""
        if self.labeller is None and not self.keep:
            return None
        labels = plain_labels(heads) if self.labeller is None else self.labeller.labels(sentence, heads, self.reading)
        return with_kept_labels(sentence, heads, labels) if self.keep else labels


def spread(values: list[T], keep: list[bool] | None) -> list[T | None]:
    """One for each word, None for those that were not kept."""
    if keep is None:
        return [*values]
    kept = iter(values)
    return [next(kept) if stays else None for stays in keep]
