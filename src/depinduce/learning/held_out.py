"""Sentences to learn from and sentences to watch, in one vocabulary and without their trees."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from depinduce.corpus import Corpus, Reading, load_corpus
from depinduce.errors import DepinduceError


def training_corpus(paths: Sequence[str], reading: Reading) -> Corpus:
    """The sentences to learn from; none is an error that says why."""
    train = load_corpus(list(paths), reading)
    if len(train) == 0:
        reasons = {
            "too long: raise --max-length": train.too_long,
            "too short: lower --min-length": train.too_short,
            "only punctuation: see --punctuation": train.empty,
        }
        why = "".join(f"; {count} are {reason}" for reason, count in reasons.items() if count)
        raise DepinduceError(f"{' '.join(paths)}: no sentences to learn from{why}.")
    return train


def held_out(paths: Sequence[str], reading: Reading, train: Corpus) -> Corpus:
    """Held-out sentences in the training vocabulary, without those that have a tag it lacks."""
    dev = load_corpus(list(paths), reading, tag_vocabulary=train.tag_vocabulary)
    if dev.unknown_tags:
        names = " ".join(sorted(dev.unknown_tags))
        warnings.warn(f"held-out sentences with tags that training has not seen are left out: {names}", stacklevel=2)
        dev = dev.select(np.minimum.reduceat(dev.tags, dev.offsets[:-1]) >= 0)
    if len(dev) == 0:
        raise DepinduceError(f"{' '.join(paths)}: no sentence to hold out. Raise --max-length, or leave --dev away.")
    return dev
