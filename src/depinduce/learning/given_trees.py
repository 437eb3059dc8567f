"""Trees that people have made, beside text without any: what a grammar can take of them, and how much they weigh.

A sentence with a tree is learned from like any other, but its charts have only trees with the heads that are known. A
few such sentences would be drowned by thousands of others, so each counts several times: so often that 50 of them weigh
as much as all other text, and more of them no more than that.

What a ladder does to find the better one of several optima, trees do at once: with some of them one member is enough
for its first rung, and short sentences need not come first (`tell_the_optimum`).
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from depinduce.corpus import Corpus, Reading, Sentence, build_corpus
from depinduce.corpus.faults import require_no_circle
from depinduce.errors import DepinduceError
from depinduce.parsing.kept_heads import Conflict, places_of_words, without_conflicts

HALF = 50  # trees that weigh as much as all other sentences together
ALONE = 1500  # sentences, as which trees count that are all there is, or most of it
ENOUGH_ARCS = 50  # to tell good trees from bad ones: of a handful of short sentences
MOST_TOLD = 5  # places that a warning names


def corpus_with_trees(
    text: Iterable[Sentence],
    trees: Sequence[Sentence],
    reading: Reading,
    non_heads: Sequence[str] = (),
    weight: int | None = None,
    languages: tuple[str, ...] = (),
) -> Corpus:
    """The text, then the sentences with trees, as often as they count; a sentence that is among both is one of these.

    Warns of heads that no tree of the grammar can have.
    weight: how often each tree counts; None: see `usual_weight`, in every language by itself
    """
    for sentence in trees:
        require_no_circle(sentence)
    others = _Others(text, trees, reading.tag_column)
    everything = build_corpus(others, reading, languages=languages, given=trees)
    corpus, conflicts = without_conflicts(everything, non_heads)
    if conflicts:
        _warn(conflicts, {number: trees[corpus.index[number] - others.count] for number, *_ in conflicts}, reading)
    given = corpus.is_given
    if not given.any():
        raise DepinduceError("--trees: no sentence with a head that can be learned from. Leave the option away.")
    times = _usual_weights(corpus) if weight is None else np.where(given, weight, 1)
    return corpus.take(np.repeat(np.arange(len(corpus)), times))


def _usual_weights(corpus: Corpus) -> np.ndarray:
    """How often every sentence counts. [sentence]"""
    times, given = np.ones(len(corpus), dtype=np.int64), corpus.is_given
    language = np.zeros(len(corpus)) if corpus.language is None else corpus.language
    for one in np.unique(language[given]):
        trees, others = given & (language == one), ~given & (language == one)
        times[trees] = usual_weight(int(trees.sum()), int(others.sum()))
    return times


def usual_weight(trees: int, others: int) -> int:
    """How often each of so many trees counts beside so many other sentences, of which there should be more."""
    if others < trees:
        return max(1, round(ALONE / trees))
    return max(1, round(others / max(trees, HALF)))


def share_of_trees(corpus: Corpus) -> np.ndarray:
    """How much of what is to be known of a language comes from trees, between 0 and 1. [language], or of all"""
    counted = corpus.is_given & corpus.is_first
    language = np.zeros(len(corpus), dtype=np.int32) if corpus.language is None else corpus.language
    trees = np.bincount(language[counted & (language >= 0)], minlength=max(1, len(corpus.languages)))
    return trees / (trees + HALF)


def tell_the_optimum(corpus: Corpus) -> bool:
    """Whether enough is known of trees to lead a training where it should go."""
    return (about := corpus.about_trees()) is not None and about["arcs"] >= ENOUGH_ARCS


@dataclass(eq=False)
class _Others:
    """The sentences of a text that are not among those with trees, by words and tags; counted as they come."""

    text: Iterable[Sentence]
    trees: Sequence[Sentence]
    tag_column: int
    count: int = 0

    def __iter__(self) -> Iterator[Sentence]:
        keys = Counter(map(self._key, self.trees))
        for sentence in self.text:
            key = self._key(sentence)
            if keys[key] > 0:
                keys[key] -= 1
            else:
                self.count += 1
                yield sentence

    def _key(self, sentence: Sentence) -> tuple[str | None, str, str]:
        return sentence.language, "\t".join(sentence.forms), "\t".join(sentence.column(self.tag_column))


def _warn(conflicts: Sequence[Conflict], trees: dict[int, Sentence], reading: Reading) -> None:
    """Tell what is not learned from. trees: by their numbers in the corpus"""
    lines = list[str]()
    for conflict in conflicts[:MOST_TOLD]:
        sentence = trees[conflict.sentence]
        word = 1 if conflict.word is None else places_of_words(sentence, reading)[conflict.word - 1]
        lines.append(f"{sentence.path}:{sentence.line_of(word)}: {conflict.why}")
    if len(conflicts) > MOST_TOLD:
        lines.append(f"… and {len(conflicts) - MOST_TOLD} more")
    heads = "one head is" if len(conflicts) == 1 else f"{len(conflicts)} heads are"
    lines.insert(0, f"--trees: {heads} not learned from, which the grammar cannot have")
    warnings.warn("\n  ".join(lines), stacklevel=3)
