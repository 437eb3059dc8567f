"""A hidden Markov model of tags: which tag follows which two, and which tags a word has.

All probabilities are smoothed in the way of Witten and Bell: what was seen in a context, and what a shorter context
says, weighted by how many different things the context was seen with. The contexts of a tag are the two tags before it,
the one, none. Those of a word are the word, the word in small letters, its last letters down to the last one, and its
shape (capital, digits, a mark), so that unknown words get their tags from others that end alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from depinduce.errors import DepinduceError

Tagged = tuple[Sequence[str], Sequence[str | None]]  # words and their tags; None where there is none
LONGEST_ENDING = 6  # letters
RARE = 10  # words that are seen more often tell nothing about the endings of unknown ones
MOST_TAGS = 250  # the table of three tags in a row has their third power


@dataclass
class Tagger:
    """Tags with their probabilities."""

    tags: list[str]
    prior: np.ndarray  # [tag] p(t)
    transitions: np.ndarray  # [tag before the last, last tag, tag] log p(t | u, v); the last index is the boundary
    contexts: dict[str, np.ndarray]  # [tag] counts in a context of words
    lexicon: Mapping[str, frozenset[str]]

    @classmethod
    def learn(
        cls,
        sentences: Iterable[Tagged],
        lexicon: Mapping[str, frozenset[str]] | None = None,
        more_tags: Iterable[str] = (),
    ) -> Tagger:
        """The tagger of these sentences, whole or partly tagged.

        lexicon: the tags that words can have, and no others; more_tags: others that may be met
        """
        sentences, lexicon = list(sentences), lexicon or {}
        seen = {tag for _, given in sentences for tag in given if tag is not None}
        tags = sorted(seen | {tag for allowed in lexicon.values() for tag in allowed} | set(more_tags))
        if len(tags) > MOST_TAGS:
            raise DepinduceError(f"{len(tags)} different tags are more than {MOST_TAGS}. Is this the column of tags?")
        index = {tag: number for number, tag in enumerate(tags)}
        numbered = [[None if tag is None else index[tag] for tag in given] for _, given in sentences]
        transitions = _transitions(numbered, len(tags))
        prior = np.ones(len(tags))  # each seen once more than it was
        for tag in (tag for given in numbered for tag in given if tag is not None):
            prior[tag] += 1
        words = [(list(words), given) for (words, _), given in zip(sentences, numbered, strict=True)]
        return cls(tags, prior / prior.sum(), transitions, _contexts(words, len(tags)), lexicon)

    def knows(self, word: str) -> bool:
        """Whether a word was seen with a tag, or is in the lexicon."""
        return f"={word}" in self.contexts or word in self.lexicon

    def of_word(self, word: str, first: bool) -> np.ndarray:
        """p(t | w) of every tag, for a word that begins a sentence or not."""
        # p(t | c) = (n(c, t) + d(c) p(t | c')) / (n(c) + d(c)): d(c) different tags, c' the shorter context
        probabilities = self.prior
        for context in contexts_of(word, first):
            counts = self.contexts.get(context)
            if counts is not None:
                different = np.count_nonzero(counts)
                probabilities = (counts + different * probabilities) / (counts.sum() + different)
        allowed = self.lexicon.get(word) or self.lexicon.get(word.lower())
        if allowed:
            probabilities = probabilities * np.array([tag in allowed for tag in self.tags])
            probabilities = probabilities / probabilities.sum()
        return probabilities

    def scores(self, words: Sequence[str], given: Sequence[str | None]) -> np.ndarray:
        """[word, tag] log p(t | w) / p(t), which is log p(w | t) but for a constant; given tags have no rivals."""
        scores = np.full((len(words), len(self.tags)), -np.inf)
        for place, (word, tag) in enumerate(zip(words, given, strict=True)):
            if tag is not None:
                scores[place, self.tags.index(tag)] = 0.0
            else:
                with np.errstate(divide="ignore"):  # what the lexicon rules out
                    scores[place] = np.log(self.of_word(word, place == 0)) - np.log(self.prior)
        return scores

    def tag(self, words: Sequence[str], given: Sequence[str | None] | None = None) -> list[str]:
        """The most probable tags of a sentence, around those that are given; among equals, the first by name."""
        given = [None] * len(words) if given is None else given
        boundary = len(self.tags)
        best = np.full((boundary + 1, boundary + 1), -np.inf)  # [tag before the last, last tag]
        best[boundary, boundary] = 0.0
        back: list[np.ndarray] = []
        for scores in self.scores(words, given):
            # best(v, t) = max_u best(u, v) + log p(t | u, v) + log p(w | t)
            extended = best[:, :, None] + self.transitions[:, :, :boundary]
            back.append(extended.argmax(axis=0))
            best = np.full_like(best, -np.inf)
            best[:, :boundary] = extended.max(axis=0) + scores
        last = best + self.transitions[:, :, boundary]
        before, tag = np.unravel_index(int(last.argmax()), last.shape)
        path = []
        for pointers in reversed(back):
            path.append(self.tags[int(tag)])
            before, tag = pointers[before, tag], before
        return path[::-1]


def contexts_of(word: str, first: bool) -> list[str]:
    """What tells about the tags of a word, from the widest to the word itself."""
    shape, small = _shape(word, first), word.lower()
    endings = [f"{shape}{small[-length:]}" for length in range(1, min(LONGEST_ENDING, len(small)) + 1)]
    return [shape, *endings, f"~{small}", f"={word}"]


def _shape(word: str, first: bool) -> str:
    if not any(map(str.isalnum, word)):
        return "."
    if any(map(str.isdigit, word)):
        return "0"
    return ("B" if first else "A") if word[:1].isupper() else "a"  # every sentence begins with a capital


def _contexts(sentences: Iterable[tuple[list[str], list[int | None]]], tags: int) -> dict[str, np.ndarray]:
    sentences = list(sentences)
    often = Counter(word for words, _ in sentences for word in words)
    found: dict[str, np.ndarray] = {}
    for words, given in sentences:
        for place, (word, tag) in enumerate(zip(words, given, strict=True)):
            if tag is None:
                continue
            contexts = contexts_of(word, place == 0)
            for context in contexts if often[word] <= RARE else contexts[-2:]:
                if context not in found:
                    found[context] = np.zeros(tags)
                found[context][tag] += 1
    return found


def _transitions(sentences: Iterable[Sequence[int | None]], tags: int) -> np.ndarray:
    """[u, v, t] log p(t | u, v), by Witten and Bell; only tags that are known count."""
    counts = np.zeros((tags + 1, tags + 1, tags + 1))
    pairs, single = np.zeros((tags + 1, tags + 1)), np.ones(tags + 1)
    for given in sentences:
        row = [tags, tags, *given, tags]
        for u, v, t in zip(row, row[1:], row[2:], strict=False):
            if t is not None:
                single[t] += 1
                if v is not None:
                    pairs[v, t] += 1
                    if u is not None:
                        counts[u, v, t] += 1
    return np.log(_smoothed(counts, _smoothed(pairs, single / single.sum())))


def _smoothed(counts: np.ndarray, shorter: np.ndarray) -> np.ndarray:
    """p(t | c) = (n(c, t) + d(c) p(t | c')) / (n(c) + d(c)); of a context that was never seen, the shorter one's."""
    different = np.count_nonzero(counts, axis=-1)[..., None]
    total = counts.sum(axis=-1, keepdims=True) + different
    return np.where(total > 0, (counts + different * shorter) / np.maximum(total, 1), shorter)
