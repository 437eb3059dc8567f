"""What a model makes of a file: its trees beside gold trees, and which of them are worth a picture.

The file is read once and parsed block by block; what stays in memory is a few numbers for every word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from depinduce.corpus import Corpus, Sentence, attach
from depinduce.corpus.conllu import DEPREL
from depinduce.errors import InputError
from depinduce.evaluation.baselines import BASELINES
from depinduce.evaluation.scores import Scores, score
from depinduce.evaluation.trees import projective_sentences
from depinduce.labels import says_more
from depinduce.parsing.decoding import Parses, Parsing, parse_corpus, parse_trees
from depinduce.parsing.streams import blocks, corpus_for, spread, warn_of_long_sentence
from depinduce.report.run_report.sureness import Sureness
from depinduce.report.tree_picture import TreePicture, tree_picture

if TYPE_CHECKING:
    from depinduce.models.loading import Model

ROOT = "ROOT"
MOST_TAGS = 20  # in a table of heads and children; rarer ones are taken together
SHORT, LONG = 5, 20  # words of a sentence that is fit for a picture
ERRORS_TOLD = 10
TOO_LONG = "Without such sentences in the file there is no such wait"


@dataclass(frozen=True)
class ArcCounts:
    """How often a tag is the head of another: in the trees of the grammar, and in gold trees."""

    tags: list[str]  # of children; ROOT comes before them as a head
    grammar: np.ndarray  # [head, child]
    gold: np.ndarray | None

    @property
    def heads(self) -> list[str]:
        return [ROOT, *self.tags]


@dataclass(frozen=True)
class ErrorFact:
    """A mistake that comes again and again."""

    child: str
    right: str  # the tag of the gold head
    wrong: str  # the tag of the head that the grammar chose
    times: int


@dataclass(frozen=True)
class FileFacts:
    """A file with its trees; all arrays are over its words without punctuation."""

    path: str
    offsets: np.ndarray  # [sentence + 1]
    tags: np.ndarray  # [token] spelled out
    heads: np.ndarray  # [token] from 1, 0 is the root
    gold: np.ndarray | None  # [token]
    posteriors: np.ndarray | None  # [token] of the arcs, where there are no gold trees
    other_seeds: dict[int, np.ndarray]  # the heads that the models of other seeds found
    punctuation: int  # marks
    unknown_tags: list[str]
    best: list[TreePicture]  # with the most right heads or, without gold trees, the most probable arcs
    worst: list[TreePicture]
    languages: np.ndarray | None = None  # [sentence] by name, "" where unknown; None: the grammar tells none apart
    universal: np.ndarray | None = None  # [token] the heads in the mean order of all languages, if it has several
    sureness: Sureness | None = None  # probabilities beside gold trees, if there are some

    @property
    def name(self) -> str:
        return "standard input" if self.path == "-" else Path(self.path).name

    @property
    def lengths(self) -> np.ndarray:
        return np.diff(self.offsets)

    @cached_property
    def tag_counts(self) -> dict[str, int]:
        """How often each tag occurs, from the most to the least frequent."""
        counts = Counter(self.tags.tolist())
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    @cached_property
    def scores(self) -> Scores | None:
        return None if self.gold is None else score(self.gold, self.heads, self.offsets, self.tags)

    @cached_property
    def baselines(self) -> dict[str, Scores]:
        if self.gold is None:
            return {}
        return {
            name: score(self.gold, guess(self.offsets, 0), self.offsets, self.tags) for name, guess in BASELINES.items()
        }

    @property
    def best_baseline(self) -> str:
        return max(self.baselines, key=lambda name: self.baselines[name].uas)

    @property
    def non_projective(self) -> int:
        """Gold trees that no projective grammar can find."""
        return 0 if self.gold is None else int((~projective_sentences(self.gold, self.offsets)).sum())

    @cached_property
    def arcs(self) -> ArcCounts:
        shown = list(self.tag_counts)
        rare = len(shown) - MOST_TAGS
        if rare > 1:
            shown = [*shown[:MOST_TAGS], f"{rare} others"]
        place = {tag: min(number, len(shown) - 1) for number, tag in enumerate(self.tag_counts)}
        child = np.array([place[tag] for tag in self.tags.tolist()], dtype=np.int64)
        grammar = _count_pairs(child, self._head_words(self.heads), len(shown))
        gold = None if self.gold is None else _count_pairs(child, self._head_words(self.gold), len(shown))
        return ArcCounts(shown, grammar, gold)

    @cached_property
    def errors(self) -> list[ErrorFact]:
        """The most frequent kinds of wrong heads."""
        if self.gold is None:
            return []
        right, wrong = (self._tags_of(self._head_words(heads)) for heads in (self.gold, self.heads))
        mistaken = self.gold != self.heads
        kinds = zip(*(tags[mistaken].tolist() for tags in (self.tags, right, wrong)), strict=True)
        ranked = sorted(Counter(kinds).items(), key=lambda item: (-item[1], item[0]))
        return [ErrorFact(child, right, wrong, times) for (child, right, wrong), times in ranked[:ERRORS_TOLD]]

    def _head_words(self, heads: np.ndarray) -> np.ndarray:
        """The places of heads among all words, -1 for the root. [token]"""
        start = np.repeat(self.offsets[:-1], self.lengths)
        return np.where(heads == 0, -1, start + heads - 1)

    def _tags_of(self, words: np.ndarray) -> np.ndarray:
        return np.append(self.tags.astype(object), ROOT)[words]  # -1 is the last


def _count_pairs(child: np.ndarray, head_word: np.ndarray, tags: int) -> np.ndarray:
    """How often a head and a child come together. [head, child], head 0 is the root"""
    head = np.append(child + 1, 0)[head_word]
    return np.bincount(head * tags + child, minlength=(tags + 1) * tags).reshape(tags + 1, tags)


# ---------------------------------------------------------------- reading and parsing


@dataclass(frozen=True)
class _Candidate:
    """A sentence that may be drawn."""

    quality: float  # share of right heads, or mean probability of its arcs
    length: int
    number: int  # in the file, from 1
    sentence: Sentence
    heads: list[int]  # without punctuation
    posteriors: list[float] | None

    def rank(self, best: bool) -> tuple:
        """The smallest is drawn first: fit for a picture, then good or bad, then long."""
        is_fit = SHORT <= self.length <= LONG
        return not is_fit, -self.quality if best else self.quality, -self.length, self.number


def file_facts(
    model: Model,
    other_seeds: dict[int, Model],
    path: str,
    sentences: Iterable[Sentence],
    has_gold: bool,
    drawn: int,
    threads: int = 1,
    report: Callable[[int], None] = lambda sentences: None,
) -> FileFacts:
    """The facts of a file, parsed with a model and with those of other seeds. drawn: pictures of either kind"""
    parsing, warned = Parsing(threads=threads), False
    # What belongs to every block: the words, and the heads that each model finds.
    lengths, tags, heads, gold, posteriors, raw, languages, universal = [], [], [], [], [], [], [], []
    others: dict[int, list[np.ndarray]] = {seed: [] for seed in other_seeds}
    punctuation, unknown, first = 0, set(), 0
    best: list[_Candidate] = []
    worst: list[_Candidate] = []
    for some in blocks(sentences, parsing):
        corpus = corpus_for(model, some, with_heads=has_gold)
        ours = replace(parsing, posteriors=True, raw_posteriors=has_gold)
        warned = warned or warn_of_long_sentence(model, some, ours, TOO_LONG)
        parses = parse_trees(model, corpus, ours)
        if has_gold and parses.posteriors is not None:  # for whether they are right; pictures show that itself
            raw.append(parses.posteriors[0])
            parses = replace(parses, posteriors=None)
        kept = _kept_tags(model, some, corpus)
        lengths.append(corpus.lengths)
        tags += kept
        heads.append(parses.heads[0])
        if corpus.heads is not None:
            gold.append(corpus.heads)
        if parses.posteriors is not None:
            posteriors.append(np.minimum(parses.posteriors[0], 1.0))
        for seed, other in other_seeds.items():
            others[seed].append(parse_trees(other, corpus_for(other, some), parsing).heads[0])
        if corpus.language is not None:
            languages.append(np.array([*corpus.languages, ""], dtype=object)[corpus.language])
            named = (corpus.language >= 0).any()
            mean = parse_corpus(model, replace(corpus, language=None), parsing) if named else parses.heads[0]
            universal.append(mean)
        candidates = _candidates(some, corpus, parses, first)
        best = _foremost([*best, *candidates], True, drawn)
        worst = _foremost([*worst, *candidates], False, 2 * drawn)  # some of which are among the best
        punctuation += sum(map(len, some)) - len(kept)
        unknown |= set(corpus.unknown_tags)
        first += len(some)
        report(first)
    if not tags:
        raise InputError(path, None, "there are no words to parse", "Name a file with sentences.")
    among_best = {candidate.number for candidate in best}
    worst = [candidate for candidate in worst if candidate.number not in among_best][:drawn]
    pictures = ([_picture(model, candidate, has_gold) for candidate in chosen] for chosen in (best, worst))
    return FileFacts(
        path,
        np.concatenate([[0], np.cumsum(np.concatenate(lengths))]),
        np.array(tags, dtype=object),
        np.concatenate(heads),
        np.concatenate(gold) if gold else None,
        np.concatenate(posteriors) if posteriors else None,
        {seed: np.concatenate(found) for seed, found in others.items()},
        punctuation,
        sorted(unknown),
        *pictures,
        languages=np.concatenate(languages) if languages else None,
        universal=np.concatenate(universal) if universal else None,
        sureness=Sureness.of(model, *map(np.concatenate, (raw, heads, gold))) if gold else None,
    )


def _kept_tags(model: Model, sentences: Sequence[Sentence], corpus: Corpus) -> list[str]:
    """The tags of all words but punctuation, as they are spelled in the file."""
    column, marks = model.reading.tag_column, model.reading.marks
    tags: list[str] = []
    for number in corpus.index:
        keep, own = marks.keep(sentences[number]), sentences[number].column(column)
        tags += own if keep is None else compress(own, keep)
    return tags


def _candidates(sentences: Sequence[Sentence], corpus: Corpus, parses: Parses, first: int) -> list[_Candidate]:
    if len(corpus) == 0:
        return []
    quality = np.add.reduceat(_worth(corpus, parses), corpus.offsets[:-1]) / corpus.lengths
    made = []
    for place, number in enumerate(corpus.index.tolist()):
        span = slice(corpus.offsets[place], corpus.offsets[place + 1])
        probabilities = None if parses.posteriors is None else parses.posteriors[0][span].tolist()
        heads = parses.heads[0][span].tolist()
        length = len(heads)
        made.append(
            _Candidate(float(quality[place]), length, first + number + 1, sentences[number], heads, probabilities)
        )
    return made


def _worth(corpus: Corpus, parses: Parses) -> np.ndarray:
    """How good each arc is: whether it is right or, where nobody knows, how probable. [token]"""
    if corpus.heads is not None:
        return (parses.heads[0] == corpus.heads).astype(float)
    if parses.posteriors is None:
        raise ValueError("trees without gold heads are ranked by their posteriors, which are missing")
    return parses.posteriors[0]


def _foremost(candidates: Iterable[_Candidate], best: bool, number: int) -> list[_Candidate]:
    """The best candidates, or the worst: so many of them, no two with the same words."""
    chosen: dict[tuple[str, ...], _Candidate] = {}
    for candidate in sorted(candidates, key=lambda candidate: candidate.rank(best)):
        if len(chosen) == number:
            break
        chosen.setdefault(tuple(candidate.sentence.forms), candidate)
    return list(chosen.values())


def _picture(model: Model, candidate: _Candidate, has_gold: bool) -> TreePicture:
    sentence, reading = candidate.sentence, model.reading
    keep = reading.marks.keep(sentence)
    heads = candidate.heads if keep is None else attach(candidate.heads, keep)
    posteriors = None if candidate.posteriors is None else spread(candidate.posteriors, keep)
    gold = sentence if has_gold else None
    labels = None
    if model.names_arcs or (has_gold and any(map(says_more, sentence.column(DEPREL)))):
        labels = model.labeller.labels(sentence, heads, reading)
    return tree_picture(candidate.number, sentence, gold, reading, heads=heads, posteriors=posteriors, labels=labels)
