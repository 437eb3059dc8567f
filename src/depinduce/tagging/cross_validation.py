"""How good a tagger is, by what it makes of sentences that it did not learn from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from depinduce.tagging.tagger import Tagged, Tagger

FOLDS = 5


@dataclass
class TagScores:
    """Words and how many of them got their tag; all, and those that the tagger did not know."""

    words: int = 0
    right: int = 0
    unknown: int = 0
    unknown_right: int = 0
    of_tag: Counter[str] = field(default_factory=Counter)
    errors: Counter[tuple[str, str]] = field(default_factory=Counter)  # (right tag, tag in its place)

    def add(self, tag: str, guess: str, known: bool) -> None:
        self.words, self.right = self.words + 1, self.right + (tag == guess)
        if not known:
            self.unknown, self.unknown_right = self.unknown + 1, self.unknown_right + (tag == guess)
        self.of_tag[tag] += 1
        if tag != guess:
            self.errors[tag, guess] += 1

    def worst(self, number: int) -> list[tuple[str, int, int, str]]:
        """The tags with the most errors: tag, errors, words, and what mostly stands in its place."""
        wrong: Counter[str] = Counter()
        for (tag, _), count in self.errors.items():
            wrong[tag] += count
        told = []
        for tag, count in wrong.most_common(number):
            guesses = Counter({guess: errors for (right, guess), errors in self.errors.items() if right == tag})
            told.append((tag, count, self.of_tag[tag], guesses.most_common(1)[0][0]))
        return told


def cross_validate(sentences: Sequence[Tagged], lexicon: Mapping[str, frozenset[str]] | None = None) -> TagScores:
    """The scores of five taggers, each on every fifth of these sentences, having learned from the others."""
    scores = TagScores()
    for fold in range(min(FOLDS, len(sentences))):
        others = [each for number, each in enumerate(sentences) if number % FOLDS != fold]
        tagger = Tagger.learn(others, lexicon)
        for words, given in sentences[fold::FOLDS]:
            for word, tag, guess in zip(words, given, tagger.tag(words), strict=True):
                if tag is not None:
                    scores.add(tag, guess, tagger.knows(word))
    return scores
