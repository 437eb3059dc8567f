"""From a corpus to trees: the best of every sentence, the k best, or samples; and how probable they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from depinduce.corpus import Corpus
from depinduce.errors import DepinduceError
from depinduce.models.model import Model
from depinduce.parsing.consensus import minimum_risk_trees
from depinduce.settings import MOST, MOST_SEED, MOST_THREADS, require_within

DECODERS = ("viterbi", "mbr")
MOST_BEST_TREES = 1000  # of a sentence; a chart keeps so many of every part of it
MOST_SAMPLES = 100_000
MOST_ROOM = 16_000_000  # numbers in a table that is made for some sentences: 128 MB


@dataclass(frozen=True)
class Parsing:
    """Which trees are wanted, and what is to be known about them."""

    decode: str | None = None  # "viterbi" (which None is, too) or "mbr", minimum Bayes risk
    posteriors: bool = False  # the probability of each arc
    threads: int = 1
    k_best: int | None = None  # the so many best trees of every sentence, not one
    samples: int | None = None  # so many trees of every sentence, drawn from their distribution
    seed: int | None = None  # of the samples; 0, if it is not given
    log_likelihood: bool = False  # of every sentence; and the log-probabilities of trees
    max_words: int | None = None  # longer sentences are parsed in pieces of up to so many words
    keep_labels: bool = False  # those that a file has, where the head is still the same
    raw_posteriors: bool = False  # as the chart has them, and not what they are worth
    min_confidence: float | None = None  # heads below this probability are left open
    labels: bool = False  # name the relations of words to their heads
    keep_heads: bool = False  # those that a file has, with the best tree around them

    def __post_init__(self):
        require_within(1, MOST_THREADS, threads=self.threads)
        require_within(1, MOST, max_words=self.max_words)
        require_within(1, MOST_BEST_TREES, k_best=self.k_best)
        require_within(1, MOST_SAMPLES, samples=self.samples)
        require_within(0, MOST_SEED, seed=self.seed)
        require_within(0.0, 1.0, min_confidence=self.min_confidence)
        if self.decode is not None and self.decode not in DECODERS:
            raise DepinduceError(f"--decode cannot be {self.decode!r}. Choose from: {', '.join(DECODERS)}.")
        if self.k_best is not None and self.samples is not None:
            raise DepinduceError("--k-best and --samples: choose one of them.")
        if self.several and self.decode is not None:
            why = "the k best trees are the most probable ones" if self.k_best else "samples are drawn by probability"
            raise DepinduceError(f"--decode chooses one tree, but {why}. Leave --decode away.")
        if self.several and self.min_confidence is not None:
            raise DepinduceError("--min-confidence leaves heads of one tree open, not of several. Leave it away.")
        if self.keep_heads and self.max_words is not None:
            raise DepinduceError("--keep-heads and --max-words: a piece cannot keep a head in another. Leave one away.")
        if self.seed is not None and self.samples is None:
            raise DepinduceError("--seed is for --samples: nothing else is random. Leave it away.")

    @property
    def several(self) -> bool:
        """Whether a sentence can get more trees than one."""
        return self.k_best is not None or self.samples is not None

    @property
    def needs_posteriors(self) -> bool:
        """Whether somebody asks how probable arcs are, be it to write it down."""
        return self.posteriors or self.min_confidence is not None

    @property
    def trees(self) -> int:
        """How many a sentence gets at the most."""
        return self.k_best or self.samples or 1


@dataclass(frozen=True)
class Parses:
    """The trees of a corpus, and what was asked about them."""

    heads: np.ndarray  # [tree, token] from 1 within the sentence, 0 is the root, -1 where it has fewer trees
    posteriors: np.ndarray | None = None  # [tree, token] of each arc, calibrated if the model knows how
    log_z: np.ndarray | None = None  # [sentence] its log-likelihood
    log_probability: np.ndarray | None = None  # [tree, sentence] log p(sentence, tree)


def parse_corpus(model: Model, corpus: Corpus, parsing: Parsing) -> np.ndarray:
    """The heads of a corpus in the model's tag vocabulary. [token], from 1 within the sentence, 0 is the root"""
    return parse_trees(model, corpus, parsing).heads[0]


def parse_trees(model: Model, corpus: Corpus, parsing: Parsing, first: int = 0) -> Parses:
    """All trees that are wanted of a corpus in the model's tag vocabulary.

    first: the number in its file of the sentence that has index 0, so that its samples do not depend on blocks
    """
    if parsing.several and not model.scores_trees:
        option = "--k-best" if parsing.k_best else "--samples"
        another = f"one of its members, --part {' or '.join(model.parts)}" if model.parts else "another model"
        raise DepinduceError(
            f"{option}: {model.why_no_single_trees}. Leave the option away for the tree with the most probable arcs, "
            f"or take {another}."
        )
    seeds = sample_seeds(parsing.seed or 0, first + corpus.index) if parsing.samples else None
    found = _parse_all(model, corpus, parsing, seeds)
    if found.posteriors is None or parsing.raw_posteriors or model.calibration is None:
        return found
    posteriors = model.calibration(found.posteriors)
    if corpus.known is not None:
        posteriors = np.where(corpus.known.heads >= 0, found.posteriors, posteriors)  # of these nobody doubts
    return replace(found, posteriors=posteriors)


def _parse_all(model: Model, corpus: Corpus, parsing: Parsing, seeds: np.ndarray | None) -> Parses:
    """The trees with the posteriors of the chart."""
    if model.one_table:
        return _parse_together(model, corpus, parsing, seeds)
    parts = []
    for some in _pieces(corpus.lengths):  # the rules of words are made for the sentences
        mask = np.isin(np.arange(len(corpus)), some)
        found = _parse_together(model, corpus.select(mask), parsing, None if seeds is None else seeds[mask])
        parts.append((mask, found))
    return _joined(parts, corpus, parsing)


def sample_seeds(seed: int, numbers: np.ndarray) -> np.ndarray:
    """The seeds of sentences by their ascending numbers in the file, whatever is parsed together. [sentence]"""
    if len(numbers) == 0:
        return np.empty(0, dtype=np.uint64)
    first, last = int(numbers[0]), int(numbers[-1])
    return (np.random.PCG64(seed).advance(first).random_raw(last - first + 1) >> 32)[numbers - first]


# ---------------------------------------------------------------- some sentences together


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


def _joined(parts: list[tuple[np.ndarray, Parses]], corpus: Corpus, parsing: Parsing) -> Parses:
    """The parses of pieces, each with the mask of its sentences, as those of the corpus."""
    trees, tokens, sentences = parsing.trees, len(corpus.tags), len(corpus)
    scored = parsing.several or parsing.log_likelihood
    whole = Parses(
        np.empty((trees, tokens), dtype=np.int32),
        np.empty((trees, tokens)) if parsing.needs_posteriors else None,
        np.empty(sentences) if scored else None,
        np.empty((trees, sentences)) if scored else None,
    )
    for mask, found in parts:
        of_tokens = np.repeat(mask, corpus.lengths)
        whole.heads[:, of_tokens] = found.heads
        if whole.posteriors is not None:
            whole.posteriors[:, of_tokens] = found.posteriors
        if whole.log_z is not None and whole.log_probability is not None:
            whole.log_z[mask], whole.log_probability[:, mask] = found.log_z, found.log_probability
    return whole


def _parse_together(model: Model, corpus: Corpus, parsing: Parsing, seeds: np.ndarray | None) -> Parses:
    threads, problem = parsing.threads, model.problem(corpus)
    scored = problem.with_single_trees  # without them there is no best tree
    by_arcs = parsing.decode == "mbr" or scored is None
    posteriors = problem.posteriors(threads=threads) if parsing.needs_posteriors or by_arcs else None
    trees = None
    if posteriors is not None and (by_arcs or scored is None):
        heads = minimum_risk_trees(posteriors, corpus.offsets, corpus.known, threads=threads)[None]
    elif scored is None:
        raise AssertionError("without single trees there are posteriors")
    else:
        if parsing.k_best:
            trees = scored.k_best_trees(parsing.k_best, threads=threads)
        elif parsing.samples and seeds is not None:
            trees = scored.sample_trees(parsing.samples, seeds, threads=threads)
        else:
            trees = scored.best_trees(threads=threads)
        heads = trees.heads
    missing = heads[0] < 0
    if missing.any():  # a grammar with zeros may allow no tree: then the next best thing is a chain
        heads = heads.copy()  # the score is of what was found
        heads[0] = np.where(missing, np.arange(len(missing)) - np.repeat(corpus.offsets[:-1], corpus.lengths), heads[0])
    found = None
    if parsing.needs_posteriors and posteriors is not None:
        found = np.stack([posteriors.of(tree, corpus.offsets) for tree in heads])
    if not (parsing.several or parsing.log_likelihood):
        return Parses(heads, found)
    log_z = problem.log_partition(threads=threads) if posteriors is None else posteriors.log_z
    if scored is None:
        return Parses(heads, found, log_z)
    # a tree that was chosen by its arcs has their score
    log_probability = scored.log_potentials(heads[0])[None] if trees is None else trees.log_potential
    return Parses(heads, found, log_z, log_probability)
