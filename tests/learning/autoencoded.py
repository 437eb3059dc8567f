"""The CRF autoencoder told slowly: the features of an arc as words, and all trees of a sentence one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from chart.enumeration import Heads, projective_trees
from learning.tagged import tagged

from depinduce.corpus import Corpus
from depinduce.grammar.arc_features import arc_codes
from depinduce.learning.learners.crf import CrfLearner
from depinduce.learning.settings.crf import CrfSettings
from depinduce.models.crf_model import Autoencoder, CrfModel

SENTENCES = ["D N V", "N", "V D A N", "A N V D N", "N V", "V V N A D"]
SMALL = tagged(*SENTENCES)
Feature = tuple[str, ...]
Decoder = Mapping[str, Mapping[str, float]]  # log p, by the tag of the head or ROOT and that of the child


def features_of(tags: Sequence[str], head: int, child: int) -> list[Feature]:
    """Those of one arc. head, child: from 1; 0 is ROOT"""
    line = ["<begin>", "ROOT", *tags, "<end>"]
    left, right = sorted((head + 1, child + 1))
    length = right - left
    how = ("right" if head < child else "left", str(length) if length <= 5 else "6-10" if length <= 10 else "more")
    one, other = line[left], line[right]
    after, before = (line[left + 1], line[right - 1]) if length > 1 else ("<none>", "<none>")
    return [
        (*how, "one", one),
        (*how, "one", other),
        (*how, "both", one, other),
        (*how, "left of left", one, other, line[left - 1]),
        (*how, "right of left", one, other, after),
        (*how, "left of right", one, other, before),
        (*how, "right of right", one, other, line[right + 1]),
    ]


class Told:
    """One sentence with all its trees that are allowed."""

    def __init__(
        self, tags: Sequence[str], weights: Mapping[Feature, float], decoder: Decoder, non_heads: Sequence[str] = ()
    ):
        self.tags, self.weights, self.decoder = tags, weights, decoder
        heads_there = {*tags} - {*non_heads}
        self.trees = [
            heads
            for heads in projective_trees(len(tags))
            if not heads_there or all(head == 0 or tags[head - 1] in heads_there for head in heads)
        ]
        self.encoded = np.array([self._encoded(heads) for heads in self.trees])
        self.decoded = np.array([self._decoded(heads) for heads in self.trees])
        self.log_z = np.logaddexp.reduce(self.encoded)  # of the encoder

    def features(self, heads: Heads) -> Counter[Feature]:
        return Counter(name for child, head in enumerate(heads, 1) for name in features_of(self.tags, head, child))

    def _encoded(self, heads: Heads) -> float:
        return sum(self.weights.get(name, 0.0) * times for name, times in self.features(heads).items())

    def _decoded(self, heads: Heads) -> float:
        above = ["ROOT", *self.tags]
        return sum(self.decoder[above[head]][tag] for head, tag in zip(heads, self.tags, strict=True))

    @property
    def scores(self) -> np.ndarray:
        """log p(x̂, z | x) of every tree."""
        return self.encoded - self.log_z + self.decoded

    @property
    def log_likelihood(self) -> float:
        return float(np.logaddexp.reduce(self.scores))

    @property
    def best(self) -> Heads:
        return self.trees[int(np.argmax(self.scores))]


def features_by_name(corpus: Corpus) -> dict[Feature, int]:
    """The code of every feature that occurs, by the name that the slow way gives it."""
    codes, names = arc_codes(corpus.tags, corpus.offsets, len(corpus.tag_vocabulary)), {}
    arc = 0
    for start, end in zip(corpus.offsets[:-1], corpus.offsets[1:], strict=True):
        tags = [corpus.tag_vocabulary[tag] for tag in corpus.tags[start:end]]
        for child in range(1, len(tags) + 1):
            names |= dict(zip(features_of(tags, 0, child), codes.root[start + child - 1].tolist(), strict=True))
        for head in range(1, len(tags) + 1):
            for child in range(1, len(tags) + 1):
                if head != child:
                    names |= dict(zip(features_of(tags, head, child), codes.arc[arc].tolist(), strict=True))
                arc += 1
    return names


class Random:
    """An autoencoder with random parameters, in both ways of telling them."""

    def __init__(self, seed: int, weighs: float = 1.0, rebuilds: float = 1.0, corpus: Corpus = SMALL):
        random, self.corpus, tags = np.random.default_rng(seed), corpus, corpus.tag_vocabulary
        by_name = features_by_name(corpus)
        self.learner = CrfLearner(CrfSettings(model="crfae"), corpus, seed=0)
        place = {int(code): number for number, code in enumerate(self.learner.features)}
        weights = np.append(random.normal(size=len(place)) * weighs, 0.0)
        self.weights = {name: float(weights[place[code]]) for name, code in by_name.items()}
        self.places = {name: place[code] for name, code in by_name.items()}
        logits = random.normal(size=(len(tags) + 1, len(tags))) * rebuilds
        decoder = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
        names = [*tags, "ROOT"]
        self.decoder = {
            head: dict(zip(tags, row.tolist(), strict=True)) for head, row in zip(names, decoder, strict=True)
        }
        self.parameters = Autoencoder(weights, decoder)
        self.learner.now = self.learner.best = self.parameters

    def model(self, non_heads: tuple[str, ...] = ()) -> CrfModel:
        return self.learner.model({"non_heads": non_heads})

    def told(self, non_heads: tuple[str, ...] = ()) -> list[Told]:
        return [Told(sentence.split(), self.weights, self.decoder, non_heads) for sentence in SENTENCES]
