"""Sentences to learn from and sentences to watch, in one vocabulary and without their trees."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path

import numpy as np

from depinduce.corpus import Corpus, Reading, Sentence, build_corpus, read_sentences
from depinduce.corpus.encoded import encode_part, join_parts, key_of, open_encoded, part_of_files
from depinduce.corpus.tags import called
from depinduce.errors import DepinduceError
from depinduce.files import workshop
from depinduce.learning.given_trees import corpus_with_trees
from depinduce.learning.languages import require_languages, told_apart
from depinduce.learning.settings.learning import LearningSettings
from depinduce.learning.team import ALONE, Team

Texts = Sequence[str | Path] | Sequence[Sentence]  # files, or what somebody has read from files
Source = Texts | Mapping[str, Texts]  # the latter: of several languages, by their names
FEWEST = 10  # sentences from which the order of a language is learned
ENOUGH = 50  # short sentences; where there are fewer, longer ones are learned from, too,
LONGEST = 40  # of up to so many words
LOOKED_AT = 1000  # sentences, to see whether there are enough


@dataclass(frozen=True)
class Trees:
    """Sentences with known heads, and how they are learned from."""

    sentences: Sequence[Sentence]
    non_heads: tuple[str, ...] = ()  # tags that head nothing
    weight: int | None = None  # how often each sentence counts; None: as usual


def training_corpus(source: Source, reading: Reading, trees: Trees | None = None) -> Corpus:
    """The sentences to learn from, those with trees last; none is an error that says why."""
    return _built(_sentences(source), source, reading, trees)


def cached_corpus(source: Source, reading: Reading, cache: str | Path, team: Team = ALONE) -> Corpus:
    """The sentences to learn from, kept in a folder so that memory need not hold them, see `corpus.encoded`.

    team: the processes that need them; each reads a part of the files if nobody has done so before
    """
    languages, texts = _languages(source), source if isinstance(source, Mapping) else {None: source}
    files = [(name, str(path)) for name, paths in texts.items() for path in paths]
    key = team.told(key_of(files, reading) if team.is_first else "")
    place = Path(cache) / key
    if not team.told(place.exists()):
        with workshop(place) if team.is_first else nullcontext(place) as folder:  # other teams have their own
            folder = team.told(folder)
            parts = [folder / f"{part}-of-{team.size}" for part in range(team.size)]
            encode_part(part_of_files(files, team.rank, team.size), reading, languages, parts[team.rank])
            team.told_by_all(None)  # that it is there
            if team.is_first:
                join_parts(parts, reading, languages, place)
            team.told(None)  # that all of it is there
    return _required(open_encoded(place), source)


def adaptation_corpus(source: Source, reading: Reading, trees: Trees | None = None) -> tuple[Corpus, Reading]:
    """The sentences to learn the order of a language from, and how they were read, see `reading_of_few`."""
    sentences = _sentences(source)
    first = list(islice(sentences, LOOKED_AT))  # stdin can be read only once
    reading = reading_of_few(first, reading)
    return _built(chain(first, sentences), source, reading, trees), reading


def _built(sentences: Iterator[Sentence], source: Source, reading: Reading, trees: Trees | None) -> Corpus:
    if trees is None:
        return _required(build_corpus(sentences, reading, languages=_languages(source)), source)
    corpus = corpus_with_trees(
        sentences, trees.sentences, reading, trees.non_heads, trees.weight, _languages(source)
    )  # fmt: skip
    return _required(corpus, source)


def reading_of_few(sentences: Sequence[Sentence], reading: Reading) -> Reading:
    """The same reading; but if it finds fewer than 50 sentences, one for longer ones, until there are 50.

    Long sentences tell more of an order than none. Where there are enough short ones, they only harm.
    """
    if reading.max_length is None or reading.max_length >= LONGEST:
        return reading
    shortest = np.sort(build_corpus(sentences, replace(reading, max_length=LONGEST)).lengths)[:ENOUGH]
    return replace(reading, max_length=max(reading.max_length, shortest.max(initial=0).item()))


def _required(train: Corpus, source: Source) -> Corpus:
    if len(train) == 0:
        reasons = {
            "too long: raise --max-length": train.too_long,
            "too short: lower --min-length": train.too_short,
            "only punctuation: see --punctuation": train.empty,
        }
        why = "".join(f"; {count} are {reason}" for reason, count in reasons.items() if count)
        raise DepinduceError(f"{_name(source)}: no sentences to learn from{why}.")
    nothing = [name for name, sentences in train.sentences_by_language().items() if sentences == 0]
    if nothing:
        raise DepinduceError(
            f"{' '.join(nothing)}: no sentences to learn from. Leave the language away, or see --max-length."
        )
    return train


def held_out(source: Source, reading: Reading, train: Corpus) -> Corpus:
    """Held-out sentences in the training vocabulary, without those that have a tag it lacks."""
    require_languages(source, train, "--dev")
    dev = build_corpus(_sentences(source), reading, tag_vocabulary=train.tag_vocabulary, languages=train.languages)
    if dev.unknown_tags:
        names = " ".join(sorted(dev.unknown_tags))
        warnings.warn(f"held-out sentences with tags that training has not seen are left out: {names}", stacklevel=2)
        dev = dev.select(np.minimum.reduceat(dev.tags, dev.offsets[:-1]) >= 0)
    if len(dev) == 0:
        raise DepinduceError(f"{_name(source)}: no sentence to hold out. Raise --max-length, or leave --dev away.")
    return dev


def warn_about_tags(settings: LearningSettings, train: Corpus) -> None:
    """Warn of non-heads that do not occur, and of columns that hold something else than tags."""
    tags = train.tag_vocabulary
    missing = [tag for tag in settings.non_heads if tag != "ud" and not called(tags, [tag])]
    doubts = []
    if missing:
        doubts.append(f"--non-heads names tags that do not occur: {' '.join(missing)}. The tags are: {' '.join(tags)}")
    elif settings.non_heads and not called(tags, settings.constrained_tags):
        doubts.append(f"none of the tags of --non-heads occurs. The tags are: {' '.join(tags)}")
    if len(tags) > 200:
        some = " ".join(tags.symbols[:3])
        doubts.append(f"{len(tags)} different tags, such as {some}: is that the right column? See --tags.")
    for doubt in doubts:
        warnings.warn(doubt, stacklevel=2)


def about_languages(settings: LearningSettings, train: Corpus) -> str | None:
    """What becomes of the languages of a corpus, if anybody named them."""
    if not train.languages:
        return None
    told = ", ".join(f"{name} {sentences}" for name, sentences in train.sentences_by_language().items())
    number = f"{len(train.languages)} language{'s' if len(train.languages) > 1 else ''}"
    return f"{number}{'' if told_apart(settings, train) else ' thrown together'}, in sentences: {told}"


def _sentences(source: Source, language: str | None = None) -> Iterator[Sentence]:
    """All sentences of a source, in its order, with their languages."""
    if isinstance(source, Mapping):
        for name, texts in source.items():
            yield from _sentences(texts, name)
        return
    for part in source:
        if not isinstance(part, Sentence):
            yield from read_sentences(part, language=language)
        elif language is None:
            yield part
        else:
            named = copy.copy(part)  # theirs stays as it is
            named.language = language
            yield named


def read_once(source: Source) -> Source:
    """The same source with its files read, for those who need it twice."""
    if isinstance(source, Mapping):
        return {name: sentences_of(texts) for name, texts in source.items()}
    return sentences_of(source)


def sentences_of(source: Source) -> list[Sentence]:
    """All sentences of a source, in its order, with their languages."""
    return list(_sentences(source))


def _languages(source: Source) -> tuple[str, ...]:
    return tuple(source) if isinstance(source, Mapping) else ()


def _name(source: Source) -> str:
    """The files, for errors."""
    parts = [part for texts in source.values() for part in texts] if isinstance(source, Mapping) else source
    return " ".join(map(str, parts)) if parts and not isinstance(parts[0], Sentence) else "the sentences"
