"""Sentences to learn from and sentences to watch, in one vocabulary and without their trees."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from depinduce.corpus import Corpus, Reading, Sentence, Vocabulary, build_corpus, load_corpus
from depinduce.errors import DepinduceError
from depinduce.learning.settings.learning import LearningSettings

Source = Sequence[str | Path] | Sequence[Sentence]  # files, or what somebody has read from files


def training_corpus(source: Source, reading: Reading) -> Corpus:
    """The sentences to learn from; none is an error that says why."""
    train = _load(source, reading)
    if len(train) == 0:
        reasons = {
            "too long: raise --max-length": train.too_long,
            "too short: lower --min-length": train.too_short,
            "only punctuation: see --punctuation": train.empty,
        }
        why = "".join(f"; {count} are {reason}" for reason, count in reasons.items() if count)
        raise DepinduceError(f"{_name(source)}: no sentences to learn from{why}.")
    return train


def held_out(source: Source, reading: Reading, train: Corpus) -> Corpus:
    """Held-out sentences in the training vocabulary, without those that have a tag it lacks."""
    dev = _load(source, reading, train.tag_vocabulary)
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
    missing = [tag for tag in settings.non_heads if tag != "ud" and tag not in tags]
    doubts = []
    if missing:
        doubts.append(f"--non-heads names tags that do not occur: {' '.join(missing)}. The tags are: {' '.join(tags)}")
    elif settings.non_heads and not set(settings.constrained_tags) & set(tags):
        doubts.append(f"none of the tags of --non-heads occurs. The tags are: {' '.join(tags)}")
    if len(tags) > 200:
        some = " ".join(tags.symbols[:3])
        doubts.append(f"{len(tags)} different tags, such as {some}: is that the right column? See --tags.")
    for doubt in doubts:
        warnings.warn(doubt, stacklevel=2)


def _load(source: Source, reading: Reading, tags: Vocabulary | None = None) -> Corpus:
    files = [part for part in source if not isinstance(part, Sentence)]
    if files:
        return load_corpus(files, reading, tag_vocabulary=tags)
    return build_corpus((part for part in source if isinstance(part, Sentence)), reading, tag_vocabulary=tags)


def _name(source: Source) -> str:
    return " ".join(map(str, source)) if _are_files(source) else "the sentences"


def _are_files(source: Source) -> bool:
    return len(source) > 0 and not isinstance(source[0], Sentence)
