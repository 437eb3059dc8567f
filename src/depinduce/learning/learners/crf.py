"""The CRF autoencoder of Cai, Jiang and Tu (2017), by coordinate ascent on the best trees.

What is maximised is the score of the best tree of every sentence, as a tree that the encoder finds in x and from which
the decoder rebuilds it, with what the rules say and a price on weights,

    Σ_x max_z [ log p(x̂, z | x) + α · matches in z / (words + 1) ]  -  λ · sentences / 200 · |w|₁
        +  smoothing · Σ log p(child | head)

An iteration goes up the encoder's weights w, then up the decoder's probabilities. The gradient by w is the features of
the best trees less those that the encoder expects, on some sentences at a time: a step of AdaGrad, then every weight
comes nearer to 0 (FOBOS). The decoder is the relative frequencies of the best trees, several times over. Where the
passes of the encoder have lowered the objective they are undone, and the next ones are half as long: it never falls.

The published program takes all of its λ at every step, and a step learns from 200 sentences. So λ is the price for so
many here, too, however many a step takes.

The harmonic start is an encoder and a decoder of attachments that fall with the distance, in which any tag is as good a
root. Trees of a start are learned from in the same way.

Where we differ: the published program puts 1e-8 beside the counts of the decoder, stops when an iteration gains less
than 0.1 %, and never undoes a pass; its harmonic counts are not of one head for every word; and tags of two words that
are written together the same are one feature to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from depinduce.chart.problems import Problem
from depinduce.corpus import Corpus
from depinduce.corpus.ragged import pairs, pieces
from depinduce.grammar.arc_features import ArcFeatures, arc_codes
from depinduce.grammar.constraints import allowed_heads, forbid_heads, keep_heads
from depinduce.grammar.knowledge import load_knowledge
from depinduce.grammar.multinomials import log_shares, uniform_counts
from depinduce.grammar.rules import Factors, Order, RuleCounts, arcs_of, multiplied, tag_batch
from depinduce.grammar.trees import tree_counts
from depinduce.learning.learners.learner import Arrays, Learner, Start, View, under, with_prefix
from depinduce.learning.posterior_constraint import tilt_of
from depinduce.learning.settings.configuration import Configuration
from depinduce.learning.settings.crf import CrfSettings
from depinduce.models.crf_model import Autoencoder, CrfModel

LEAST_SQUARE = 1e-12  # of a gradient: a feature that has none does not move
PRICED = 200  # sentences for which a weight has its price


@dataclass(frozen=True)
class Attachments:
    """How often every arc is wanted: once for those of a tree, or by halves."""

    root: np.ndarray  # [token]
    arc: np.ndarray  # [arc]

    @classmethod
    def of_trees(cls, heads: np.ndarray, offsets: np.ndarray) -> Attachments:
        arc = np.zeros(int((np.diff(offsets) ** 2).sum()))
        arc[arcs_of(heads, offsets)[heads > 0]] = 1.0
        return cls((heads == 0).astype(np.float64), arc)

    @classmethod
    def harmonic(cls, offsets: np.ndarray) -> Attachments:
        """p(head of a word) ∝ 1 / distance, and every word is the root in one of n cases, see `learning.harmonic`."""
        lengths = np.diff(offsets)
        sentence, head, child = pairs(offsets)
        token = offsets[sentence] + child
        distance = np.abs(head - child)
        near = np.divide(1.0, distance, where=distance > 0, out=np.zeros(len(head)))
        all_heads = np.bincount(token, weights=near, minlength=offsets[-1])
        root = np.repeat(1.0 / lengths, lengths)
        share = np.divide(1.0 - root, all_heads, where=all_heads > 0, out=np.zeros(len(root)))
        return cls(root, near * share[token])


@dataclass(frozen=True)
class CrfData:
    """Sentences to learn from or to watch."""

    tags: np.ndarray  # [token]
    offsets: np.ndarray  # [sentence + 1]
    features: ArcFeatures
    allowed: np.ndarray | None  # [token] which words may have children; None: all
    known: Factors | None  # trees that have the heads that are known
    bonus: Factors | None  # what matching the rules is worth

    def take(self, sentences: np.ndarray) -> CrfData:
        """Some of the sentences."""
        tokens, offsets = pieces(self.offsets, sentences)
        lengths = np.diff(self.offsets)
        arcs, _ = pieces(np.concatenate([[0], np.cumsum(lengths**2)]), sentences)

        def of(factors: Factors | None) -> Factors | None:
            if factors is None or factors.root is None or factors.arc is None:
                return None
            return Factors(root=factors.root[tokens], arc=factors.arc[arcs])

        allowed = None if self.allowed is None else self.allowed[tokens]
        features = self.features.take(tokens, arcs)
        return CrfData(self.tags[tokens], offsets, features, allowed, of(self.known), of(self.bonus))

    def encoder(self, parameters: Autoencoder) -> Problem:
        problem = parameters.encoder_problem(self.offsets, self.features, None)
        return problem if self.allowed is None else problem.times(forbid_heads(problem.batch, self.allowed))

    def wanted(self, parameters: Autoencoder) -> Factors:
        """What makes a tree better beside the encoder."""
        return multiplied(multiplied(parameters.decoded(self.tags, self.offsets), self.bonus), self.known)

    def problem(self, parameters: Autoencoder, threads: int = 1) -> Problem:
        return parameters.problem(self.encoder(parameters), self.wanted(parameters), threads=threads)


class CrfSentences:
    """A corpus as the autoencoder sees it."""

    of_each_language: None = None

    def __init__(self, corpus: Corpus, settings: CrfSettings, known: np.ndarray, stage: str):
        """known: the features that have a weight"""
        tags, offsets = corpus.tags, corpus.offsets
        codes = arc_codes(tags, offsets, len(corpus.tag_vocabulary))
        allowed = allowed_heads(corpus.tag_vocabulary, settings.non_heads_in(stage), corpus)
        bonus = None if stage == "held-out" else rules_bonus(settings, corpus)
        features = ArcFeatures.of(codes, known)
        self.data = CrfData(tags, offsets, features, allowed, keep_heads(corpus.known, offsets), bonus)

    def take(
        self, sentences: np.ndarray, times: np.ndarray | None = None, among: np.ndarray | None = None
    ) -> tuple[CrfData, np.ndarray]:
        assert times is None, "each has features of its own"
        return self.data.take(sentences), pieces(self.data.offsets, sentences)[0]

    def counted(self) -> tuple[np.ndarray, None]:
        return np.arange(len(self.data.offsets) - 1), None

    def lengths_of(self, sentences: np.ndarray) -> np.ndarray:
        return np.diff(self.data.offsets)[sentences]

    def all(self) -> CrfData:
        return self.data


def rules_bonus(settings: CrfSettings, corpus: Corpus) -> Factors | None:
    """What it is worth that an arc matches the rules, if there are any: less in a long sentence."""
    if settings.rules is None:
        return None
    matches = load_knowledge(settings.rules).matches(corpus.tag_vocabulary)
    tilt = tilt_of(matches, corpus.tags, corpus.offsets)
    weight = settings.rules_weight / (corpus.lengths + 1)  # [sentence]
    arc = tilt.arc * np.repeat(weight, corpus.lengths**2)
    return Factors(root=tilt.root * np.repeat(weight, corpus.lengths), arc=np.repeat(arc[:, None], 2, axis=1))


class CrfLearner(Learner):
    """The parameters of an autoencoder, and the best so far."""

    settings: CrfSettings

    def __init__(self, settings: CrfSettings, train: Corpus, seed: int):
        super().__init__(settings)
        self.tags, self.seed = train.tag_vocabulary, seed
        self.price = settings.sparse_weights * len(train) / PRICED  # λ, for all sentences
        self.features = arc_codes(train.tags, train.offsets, len(self.tags)).known
        tags = len(self.tags)
        self.now = Autoencoder(np.zeros(len(self.features) + 1), np.full((tags + 1, tags), -np.log(tags)))
        self.counts_now = RuleCounts.zeros_like(uniform_counts(Order.FIRST, tags))  # of the trees last found
        self.best, self.best_counts = self.now, self.counts_now
        self.rate, self.done = settings.learning_rate, 0

    # ---------------------------------------------------------------- from sentences to trees

    def sentences(self, corpus: Corpus, stage: str) -> CrfSentences:
        return CrfSentences(corpus, self.settings, self.features, stage)

    def view(self, data: CrfData, training: bool = False) -> View:
        return View(data.problem(self.now, self.settings.threads), data)

    def counts(self, data: CrfData, expected: Any) -> Any:
        raise NotImplementedError("it learns from best trees")

    def counts_of_trees(self, data: CrfData, heads: np.ndarray) -> np.ndarray:
        """The trees themselves: what the encoder learns from changes with every step."""
        return heads

    def share_constraint(self, train: Corpus) -> None:
        return None  # rules are worth something to a tree, see `rules_bonus`

    # ---------------------------------------------------------------- from trees to parameters

    def begin(self, start: Start, train: Corpus) -> None:
        settings, tags = self.settings, len(self.tags)
        if start.name == "random":
            drawn = np.random.default_rng(settings.seed).standard_exponential((tags + 1, tags))
            self.now = replace(self.now, decoder=log_shares(drawn))
            return
        data = self.sentences(train, "start").all()
        if start.heads is None:
            wanted = Attachments.harmonic(train.offsets)
        else:
            wanted = Attachments.of_trees(start.heads, train.offsets)
        decoder = self._decoder(data, wanted)
        if start.heads is None:
            decoder[-1] = -np.log(tags)
        self.now = Autoencoder(self.now.weights, decoder)
        if settings.start_passes:
            self.now = replace(self.now, weights=self._climbed(data, settings.start_passes, wanted))

    def learn(self, view: View | None, counts: np.ndarray, sentences: int, steps: int | None = None) -> None:
        """The encoder's passes, unless they lower the objective; then the decoder's."""
        assert view is not None, "it takes all sentences at once"
        data, settings = view.data, self.settings
        before, tried = self.objective(data), replace(self.now, weights=self._climbed(data, settings.encoder_passes))
        if self.objective(data, tried) >= before:
            self.now = tried
        else:
            self.rate /= 2
        encoder, heads = data.encoder(self.now), counts
        for _ in range(settings.decoder_passes):
            heads = encoder.times(data.wanted(self.now)).best_trees(threads=settings.threads).heads[0]
            decoder = self._decoder(data, Attachments.of_trees(heads, data.offsets))
            if np.array_equal(decoder, self.now.decoder):
                break
            self.now = replace(self.now, decoder=decoder)
        batch = tag_batch(Order.FIRST, data.tags, data.offsets, len(self.tags))
        self.counts_now = tree_counts(self.counts_now, batch, heads)
        self.done += 1

    def objective(self, data: CrfData, parameters: Autoencoder | None = None) -> float:
        """What is maximised, on all sentences."""
        made = parameters or self.now
        trees = data.problem(made, self.settings.threads).best_trees(threads=self.settings.threads)
        return float(trees.log_potential[0].sum()) + self._beside(made)

    def beside_likelihood(self) -> float:
        return self._beside(self.now)

    def _beside(self, made: Autoencoder) -> float:
        return float(self.settings.smoothing * made.decoder.sum() - self.price * np.abs(made.weights).sum())

    def _decoder(self, data: CrfData, wanted: Attachments) -> np.ndarray:
        """The relative frequencies of children below each tag and below ROOT."""
        tags = len(self.tags)
        sentence, head, child = pairs(data.offsets)
        begin = data.offsets[sentence]
        pair = data.tags[begin + head].astype(np.int64) * tags + data.tags[begin + child]
        below = np.bincount(pair, weights=wanted.arc, minlength=tags * tags).reshape(tags, tags)
        root = np.bincount(data.tags, weights=wanted.root, minlength=tags)
        return log_shares(np.vstack([below, root]) + self.settings.smoothing)

    def _climbed(self, data: CrfData, passes: int, wanted: Attachments | None = None) -> np.ndarray:
        """The weights after so many passes of AdaGrad, towards what is wanted or else the trees that are best now."""
        settings, sentences = self.settings, len(data.offsets) - 1
        generator = np.random.default_rng([self.seed, self.done])
        made, squares = self.now, np.full(len(self.now.weights), LEAST_SQUARE)
        targets = None if wanted is None else _Targets(wanted, data.offsets)
        for _ in range(passes):
            order = generator.permutation(sentences)
            for first in range(0, sentences, settings.step_sentences):
                some = order[first : first + settings.step_sentences]
                gradient = self.gradient(made, data.take(some), None if targets is None else targets.take(some))
                squares += gradient**2
                rate = self.rate / np.sqrt(squares)
                moved = made.weights + rate * gradient
                price = rate * self.price * len(some) / sentences
                weights = np.sign(moved) * np.maximum(np.abs(moved) - price, 0.0)
                weights[-1] = 0.0
                made = replace(made, weights=weights)
        return made.weights

    def gradient(self, made: Autoencoder, data: CrfData, wanted: Attachments | None = None) -> np.ndarray:
        """The features of what is wanted, or of the best trees, less those that the encoder expects. [feature + 1]"""
        threads, encoder = self.settings.threads, data.encoder(made)
        if wanted is None:
            trees = encoder.times(data.wanted(made)).best_trees(threads=threads)
            wanted = Attachments.of_trees(trees.heads[0], data.offsets)
        expected = encoder.posteriors(threads=threads)
        root, arc = wanted.root - expected.root, wanted.arc - expected.arc
        return data.features.counts(root, arc, len(self.features))

    @property
    def is_sound(self) -> bool:
        return bool(np.isfinite(self.now.weights).all())

    # ---------------------------------------------------------------- what is kept

    def keep(self) -> None:
        self.best, self.best_counts = self.now, self.counts_now

    def model(self, about: Mapping[str, Any], best: bool = True) -> CrfModel:
        """With those features only that have a weight."""
        made, counts = (self.best, self.best_counts) if best else (self.now, self.counts_now)
        used = np.flatnonzero(made.weights)
        parameters = Autoencoder(np.append(made.weights[used], 0.0), made.decoder)
        return CrfModel(self.tags, self.features[used], parameters, counts, **about)

    def state(self) -> Arrays:
        parts = {
            "now.": self.now.named,
            "best.": self.best.named,
            "counts.": self.counts_now.named,
            "best_counts.": self.best_counts.named,
        }
        arrays = [with_prefix(prefix, part) for prefix, part in parts.items()]
        numbers = {"rate": np.array([self.rate]), "done": np.array([self.done])}
        return {name: array for part in (*arrays, numbers) for name, array in part.items()}

    def restore(self, state: Arrays) -> None:
        self.now, self.best = (Autoencoder(**under(prefix, state)) for prefix in ("now.", "best."))
        self.counts_now, self.best_counts = (
            RuleCounts(**under(prefix, state)) for prefix in ("counts.", "best_counts.")
        )
        self.rate, self.done = float(state["rate"][0]), int(state["done"][0])


@dataclass(frozen=True)
class _Targets:
    """What is wanted of all sentences, to be taken of some."""

    wanted: Attachments
    offsets: np.ndarray  # [sentence + 1]

    def take(self, sentences: np.ndarray) -> Attachments:
        tokens, _ = pieces(self.offsets, sentences)
        arcs, _ = pieces(np.concatenate([[0], np.cumsum(np.diff(self.offsets) ** 2)]), sentences)
        return Attachments(self.wanted.root[tokens], self.wanted.arc[arcs])


def make_learners(
    settings: CrfSettings, configuration: Configuration, train: Corpus, seed: int, vectors: np.ndarray | None = None
) -> list[Learner]:
    """The learners of a CRF autoencoder: one."""
    return [CrfLearner(settings, train, seed)]
