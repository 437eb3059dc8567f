"""The languages of a corpus, as a training tells them apart or throws them together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from depinduce.corpus import Corpus, Vocabulary
from depinduce.errors import DepinduceError
from depinduce.learning.settings.learning import LearningSettings


def told_apart(settings: LearningSettings, train: Corpus) -> bool:
    """Whether every language gets rules of its own: if a model can have them, unless somebody wants it otherwise."""
    if settings.needs_languages:
        return len(language_of(train)) > 0
    return settings.entry.tells_languages and settings.languages != "together" and len(train.languages) > 1


def require_languages(source: object, train: Corpus, option: str) -> None:
    """Refuse files that somebody gave to other languages than those that are learned from. option: where he did"""
    strangers = [name for name in source if name not in train.languages] if isinstance(source, Mapping) else []
    if strangers:
        known = f"it has {' '.join(train.languages)}" if train.languages else "name those of --train, too"
        raise DepinduceError(f"{option}: training has no language {strangers[0]}; {known}.")


def language_of(corpus: Corpus) -> np.ndarray:
    """The language of every sentence. [sentence]"""
    if corpus.language is None or (corpus.language < 0).any():
        raise DepinduceError(
            "--model polyglot learns from several languages and must know which is which: --train fr=fr.conllu "
            "pl=pl.conllu, or --train-dir DIR with DIR/fr/train.conllu and so on."
        )
    return corpus.language


def text_of(corpus: Corpus, language: str | None = None) -> Corpus:
    """The sentences of one language, or all, as if they had been read alone: with the tags that occur in them."""
    own = corpus if language is None else corpus.select(language_of(corpus) == corpus.languages.index(language))
    counts = np.bincount(own.as_text.tags, minlength=len(corpus.tag_vocabulary)).tolist()
    seen = {tag: count for tag, count in zip(corpus.tag_vocabulary, counts, strict=True) if count}
    tags = Vocabulary.from_counts(seen)
    numbers = tags.ids(corpus.tag_vocabulary)[own.tags]
    return replace(own, tags=numbers, tag_vocabulary=tags, languages=(), language=None)


def by_language(corpus: Corpus) -> list[Corpus]:
    """The sentences of every language, with the tags of all."""
    return [corpus.select(language_of(corpus) == number) for number in range(len(corpus.languages))]


def weighing(settings: LearningSettings, corpus: Corpus) -> np.ndarray:
    """By how many sentences the counts of every language are divided before all are added. [language]

    If it is as many as there are, languages weigh alike; if it is the same number for all, they weigh by size.
    """
    sizes = np.bincount(language_of(corpus), minlength=len(corpus.languages))
    return sizes if settings.languages == "alike" else np.full(len(sizes), sizes.mean())


def words_of(corpus: Corpus, language: str) -> np.ndarray:
    """Which words are in sentences of a language. [token] bool"""
    return np.repeat(language_of(corpus) == corpus.languages.index(language), corpus.lengths)


def in_languages_of(corpus: Corpus, languages: tuple[str, ...]) -> Corpus:
    """The corpus with its languages numbered as somebody else does, -1 those that he does not know."""
    if corpus.language is None or corpus.languages == languages:
        return corpus
    numbers = [languages.index(name) if name in languages else -1 for name in corpus.languages]
    return replace(corpus, languages=languages, language=np.array([*numbers, -1], dtype=np.int32)[corpus.language])


def batches_of_languages(
    sentences: np.ndarray, language: np.ndarray, size: int, alike: bool, generator: np.random.Generator
) -> list[np.ndarray]:
    """Sentences, in random order, in batches of up to so many of one language, each spread evenly over the epoch.

    alike: of every language there are as many as all have on average: those of a small one come again, of a large one
        only some come this time
    sentences: [sentence] their numbers, language: [sentence] of the whole corpus
    """
    of_each = [sentences[language[sentences] == number] for number in np.unique(language[sentences])]
    if alike and of_each:
        share = -(-len(sentences) // len(of_each))
        of_each = [np.resize(own, share) for own in of_each]
    batches, places = [], []
    for own in of_each:
        count = -(-len(own) // size)
        batches += np.array_split(own, count)
        places.append((np.arange(count) + generator.random(count)) / count)
    order = np.argsort(np.concatenate(places or [[]]), kind="stable")
    return [batches[number] for number in order]
