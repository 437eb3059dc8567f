"""The trainings that a run consists of, in their order: the rungs of a ladder, or of one ladder for every language."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from depinduce.corpus import Corpus, Vocabulary
from depinduce.errors import DepinduceError
from depinduce.learning.settings.configuration import Configuration, configure
from depinduce.learning.settings.learning import LearningSettings
from depinduce.learning.settings.recipes import load_recipe

SHARED = ("non_heads", "constraint", "rules", "rules_share", "seed", "threads")  # with every language's own grammar


@dataclass(frozen=True)
class Rung:
    """One training of the ladder."""

    number: int
    model: str
    member: int
    members: int
    settings: LearningSettings
    seed: int
    language: str | None = None  # whose sentences alone it learns from

    def __str__(self) -> str:
        name = self.model if self.members == 1 else f"{self.model} {self.member + 1}/{self.members}"
        return name if self.language is None else f"{self.language}, {name}"


def rungs(settings: LearningSettings) -> list[Rung]:
    """The trainings of one ladder, in their order."""
    ladder = []
    for number in range(len(settings.ladder) + 1):
        members = settings.members if settings.ladder and number == 0 else 1
        own = settings.of_rung(number)
        for member in range(members):
            seed = int(np.random.SeedSequence([settings.seed, number, member]).generate_state(1)[0])
            of_member = own if member == 0 else replace(own, seed=seed)
            ladder.append(Rung(number, own.model, member, members, of_member, seed))
    return ladder


def rungs_of_languages(own: LearningSettings, languages: tuple[str, ...], together: LearningSettings) -> list[Rung]:
    """A ladder for every language and, on top of all, what they learn together."""
    ladders = [replace(rung, language=language) for language in languages for rung in rungs(own)]
    (last,) = rungs(together)
    return [*ladders, replace(last, number=len(own.ladder) + 1)]


def own_configuration(configuration: Configuration) -> Configuration:
    """How every language learns a grammar of its own, if settings start from a recipe for that; or they themselves."""
    settings = configuration.learning
    if settings.init[0] != "recipe":
        return configuration
    given = {name: getattr(settings, name) for name in SHARED}
    own = configure(load_recipe(settings.init[1]) | vars(configuration.reading) | given)
    if not own.learning.entry.over_tags:
        raise DepinduceError(
            f"--init recipe {settings.init[1]}: {own.learning.model} is no grammar over tags of one language. "
            "Name a recipe such as ud-sibling."
        )
    return own


def language_of(corpus: Corpus) -> np.ndarray:
    """The language of every sentence. [sentence]"""
    if corpus.language is None or (corpus.language < 0).any():
        raise DepinduceError(
            "--model polyglot learns from several languages and must know which is which: --train fr=fr.conllu "
            "pl=pl.conllu, or --train-dir DIR with DIR/fr/train.conllu and so on."
        )
    return corpus.language


def text_of(corpus: Corpus, language: str) -> Corpus:
    """The sentences of one language, as if they had been read alone."""
    own = corpus.select(language_of(corpus) == corpus.languages.index(language))
    counts = np.bincount(own.tags, minlength=len(corpus.tag_vocabulary)).tolist()
    seen = {tag: count for tag, count in zip(corpus.tag_vocabulary, counts, strict=True) if count}
    tags = Vocabulary.from_counts(seen)
    numbers = tags.ids(corpus.tag_vocabulary)[own.tags]
    return replace(own, tags=numbers, tag_vocabulary=tags, languages=(), language=None)
