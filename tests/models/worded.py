"""Sentences of words with their tags, made in sight of the tests that use them."""

from __future__ import annotations

from collections import Counter

import numpy as np

from depinduce.corpus import Corpus, Vocabulary


def worded(*sentences: str, tags: Vocabulary | None = None, words: Vocabulary | None = None) -> Corpus:
    """A corpus of sentences given as `the/D dog/N barks/V`."""
    pairs = [tuple(pair.rsplit("/", 1)) for sentence in sentences for pair in sentence.split()]
    tags = Vocabulary.from_counts(Counter(tag for _, tag in pairs)) if tags is None else tags
    words = Vocabulary.from_counts(Counter(word for word, _ in pairs)) if words is None else words
    lengths = [len(sentence.split()) for sentence in sentences]
    return Corpus(
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        tags=tags.ids(tag for _, tag in pairs),
        words=words.ids(word for word, _ in pairs),
        heads=None,
        index=np.arange(len(sentences)),
        tag_vocabulary=tags,
        word_vocabulary=words,
        unknown_tags=Counter(tag for _, tag in pairs if tag not in tags),
    )


def random_words(seed: int, count: int = 12, tags: str = "NVDA", words: str = "abcde", longest: int = 6) -> list[str]:
    """Sentences of 1 to `longest` words, drawn one by one, the first words the most often; each tag occurs."""
    rng = np.random.default_rng(seed)
    shares = 1 / np.arange(1, len(words) + 1)

    def draw() -> str:
        return f"{rng.choice(list(words), p=shares / shares.sum())}/{rng.choice(list(tags))}"

    drawn = [" ".join(draw() for _ in range(rng.integers(1, longest + 1))) for _ in range(count)]
    return [" ".join(f"{words[0]}/{tag}" for tag in tags), *drawn]
