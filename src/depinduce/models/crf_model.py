"""The CRF autoencoder: a conditional model of trees that must be able to rebuild the sentence (Cai, Jiang and Tu 2017).

    p(x̂, z | x) = Π_arcs exp(w · features of the arc in x) / Z(x) · Π_arcs p(tag of the child | tag of the head)

The encoder is a CRF over projective trees with one root, whose arcs see the tags of both words and around them
(`grammar.arc_features`); the decoder tells the tag of every word from that of its head, or from ROOT. x̂ is x once more,
so that the log-likelihood of a sentence is log p(x̂ | x), the sum over all trees: not how probable the sentence is, and
not to be compared with that of a grammar. The best tree is the best of the product.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np

from depinduce.chart.problems import Problem
from depinduce.corpus import Corpus, Reading, Vocabulary
from depinduce.corpus.ragged import pairs
from depinduce.grammar.arc_features import ArcFeatures, arc_codes
from depinduce.grammar.constraints import allowed_heads, forbid_heads, keep_heads
from depinduce.grammar.multinomials import Multinomials
from depinduce.grammar.rules import Factors, Order, RuleCounts
from depinduce.models.model import Model, OpenRules
from depinduce.models.model_files import how_made, new_model, numbers_of, write_numbers
from depinduce.models.sound_numbers import require_distributions, require_finite, require_kind
from depinduce.models.tag_model import GrammarModel

SMOOTHING = 0.1  # of the view as a plain grammar


@dataclass(frozen=True)
class Autoencoder:
    """The parameters of both parts."""

    weights: np.ndarray  # [feature + 1] of the encoder; the last, of features that nobody knows, is 0
    decoder: np.ndarray  # [tag of the head or ROOT, tag of the child] log p

    @property
    def named(self) -> dict[str, np.ndarray]:
        return {"weights": self.weights, "decoder": self.decoder}

    def encoder_problem(self, offsets: np.ndarray, features: ArcFeatures, factors: Factors | None) -> Problem:
        """Trees by the encoder alone. factors: those of trees that there are"""
        return Problem.of_arcs(offsets, *features.scores(self.weights)).times(factors)

    def problem(self, encoder: Problem, decoded: Factors, *, threads: int = 1) -> Problem:
        """Trees by log p(x̂, z | x). decoded: see `decoded`"""
        log_z = encoder.log_partition(threads=threads)
        per_root = np.repeat(-log_z, encoder.batch.lengths)  # every tree has one
        return encoder.times(decoded).times(Factors(root=per_root))

    def decoded(self, tags: np.ndarray, offsets: np.ndarray) -> Factors:
        """log p of every word under every head. tags: [token], -1 is the average of all"""
        table = self.decoder if not (tags < 0).any() else self._with_unknown
        root, by_head = table[-1], table[:-1]
        sentence, head, child = pairs(offsets)
        begin = offsets[sentence]
        arc = by_head[tags[begin + head], tags[begin + child]]
        return Factors(root=root[tags], arc=np.repeat(arc[:, None], 2, axis=1))

    @property
    def _with_unknown(self) -> np.ndarray:
        """With one more head and one more child, the average of all."""
        table = np.exp(self.decoder)
        table = np.insert(table, len(table) - 1, table[:-1].mean(axis=0), axis=0)
        with np.errstate(divide="ignore"):
            return np.log(np.append(table, table.mean(axis=1, keepdims=True), axis=1))


@dataclass(frozen=True)
class CrfModel(Model):
    """A CRF autoencoder that can parse."""

    tags: Vocabulary
    features: np.ndarray  # [feature] int64: those that have a weight, ascending, see `arc_codes`
    parameters: Autoencoder
    counts: RuleCounts  # of a first-order grammar, in the trees that it found in the training sentences
    non_heads: tuple[str, ...] = ()
    reading: Reading = field(default_factory=Reading)
    history: dict = field(default_factory=dict)

    kind: ClassVar[str] = "crf"
    one_table: ClassVar[bool] = False  # its arcs are scored sentence by sentence
    order: ClassVar[Order] = Order.FIRST  # pyright: ignore[reportIncompatibleVariableOverride]
    about_rules: ClassVar[str] = (
        "It has no rules, but weights of features. These are the rules of a first-order grammar, counted in the trees "
        "that it found in the training sentences."
    )

    @property
    def about(self) -> str:
        return "a CRF autoencoder: arcs by features of tags, that must rebuild every tag from its head's"

    def problem(self, corpus: Corpus) -> Problem:
        codes = arc_codes(corpus.tags, corpus.offsets, len(self.tags))
        allowed = allowed_heads(self.tags, self.non_heads, corpus)
        made = self.parameters
        encoder = made.encoder_problem(corpus.offsets, ArcFeatures.of(codes, self.features), None)
        if allowed is not None:
            encoder = encoder.times(forbid_heads(encoder.batch, allowed))
        problem = made.problem(encoder, made.decoded(corpus.tags, corpus.offsets))
        return problem.times(keep_heads(corpus.known, corpus.offsets))

    @cached_property
    def _grammar(self) -> GrammarModel:
        table = Multinomials.smoothed(Order.FIRST, len(self.tags), SMOOTHING).estimate(self.counts)
        return GrammarModel(Order.FIRST, self.tags, table, self.non_heads, self.reading, self.history)

    def rule_view(self) -> GrammarModel:
        """The first-order grammar of its own trees."""
        return self._grammar

    def open_rules(self, corpus: Corpus) -> list[OpenRules]:
        """The rules of that grammar, whose product is not what the model thinks of a tree."""
        (rules,) = self._grammar.open_rules(corpus)
        return [replace(rules, title="a first-order grammar of its trees")]

    def with_non_heads(self, tags: tuple[str, ...]) -> CrfModel:
        return replace(self, non_heads=tags)

    def save(self, directory: str | Path) -> None:
        with new_model(directory, self, {"tags": self.tags.to_json()}) as folder:
            counts = {f"counts.{name}": part for name, part in self.counts.named.items()}
            write_numbers(folder, {"features": self.features, **self.parameters.named, **counts})

    @classmethod
    def read(cls, directory: Path, description: dict) -> CrfModel:
        arrays, tags = numbers_of(directory, description), Vocabulary.from_json(description["tags"])
        parameters = Autoencoder(arrays["weights"], arrays["decoder"])
        counts = RuleCounts(*(arrays[f"counts.{name}"] for name in ("root", "child", "decision")))
        _require_sound(arrays["features"], parameters, counts, len(tags))
        return cls(tags, arrays["features"], parameters, counts, **how_made(description))


def _require_sound(features: np.ndarray, parameters: Autoencoder, counts: RuleCounts, tags: int) -> None:
    """A chart takes whatever it is given, and an index is not checked there."""
    rows = 2 * tags * Order.FIRST.slots(tags)
    wanted = ((tags,), (rows, tags), (rows, 2), (tags + 1, tags), (len(features) + 1,))
    found = (*(part.shape for part in counts.parts), parameters.decoder.shape, parameters.weights.shape)
    if found != wanted or features.ndim != 1:
        raise ValueError(f"the numbers are not those of {tags} tags")
    require_kind({"features": features}, np.int64)
    if not (np.diff(features) > 0).all():
        raise ValueError("the features are not in their order")
    numbers: Mapping[str, np.ndarray] = {"weights": parameters.weights, **counts.named}
    require_kind(numbers)
    require_finite(numbers)
    if parameters.weights[-1] != 0 or any((part < 0).any() for part in counts.parts):
        raise ValueError("a weight or a number of times cannot be")
    require_distributions({"decoder": parameters.decoder})
