"""What a grammar that knows other languages thinks of the trees of another: how far these can be trusted.

The yardstick is the order-free grammar: what the universal grammar in the box learns from the same text in a second
(`learners.order_free`). It errs, too, but it errs otherwise than a grammar that has learned from the text alone, and
it knows how sure it is: of its arcs with the posterior q about trust · q are right, where trust falls with the distance
between the order of the language and the mean of all others,

    trust = 0.95 - 0.6 · (share of words with another head than in the universal order)

These two numbers were fitted to dev trees of French, Polish, Basque and Finnish and are the same for all languages.
Where a training is given trees (`--trees`), trust is measured on these: a third is left out in turn, so that no tree is
asked about that was learned from.
What is expected of an arc of another grammar is then the mean of trust · q among arcs to which that grammar gives such
a posterior: no gold tree is needed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from depinduce.chart.problems import ArcPosteriors
from depinduce.corpus import Corpus, in_vocabulary
from depinduce.corpus.tags import find_tags
from depinduce.learning.settings.configuration import configure
from depinduce.learning.settings.recipes import load_recipe
from depinduce.models.calibration import Calibration, fitted, fixed
from depinduce.models.loading import load_universal
from depinduce.models.model import Model
from depinduce.models.places import MEMBERS
from depinduce.parsing.decoding import Parses, Parsing, parse_corpus, parse_trees

T = TypeVar("T")

ORDER_FREE = MEMBERS[0]
MOST_TRUST, LOST_BY_ORDER = 0.95, 0.6
WITHOUT = 0.6  # what the posteriors of a grammar are worth where there is no yardstick: the mean of twelve texts
MOST_LEARNED, MOST_MEASURED = 5000, 1000  # sentences
FEWEST = 10  # sentences that tell an order
FOLDS = 3  # of the trees that somebody has made
_WITH_RAW_POSTERIORS = Parsing(posteriors=True, raw_posteriors=True)
AS_ARCS = 100  # as so many arcs of trees counts what can be told without any
KNOWN = 0.9  # the share of words whose tags the universal grammar must know


@dataclass(frozen=True)
class OnTrees:
    """How an order-free grammar does on trees that it has not learned from."""

    right: float  # arcs of its trees that are
    expected: float  # by its own posteriors

    @classmethod
    def of(cls, train: Corpus, universal: Model) -> OnTrees:
        """From all trees of a corpus, a third of which is left out in turn and only read as text."""
        assert train.known is not None
        first, right, expected = train.is_first, 0.0, 0.0
        given = train.index[train.is_given & first]
        for fold in range(FOLDS):
            out = np.isin(train.index, given[fold::FOLDS])
            left = replace(train, known=train.known.without(np.repeat(out, train.lengths))).select(first | ~out)
            grammar = _learned(evenly(left, MOST_LEARNED), universal)
            asked = train.select(out & first)
            assert asked.known is not None
            posteriors, is_right = _outcomes(grammar, replace(asked, known=None), asked.known.heads)
            right, expected = right + float(is_right.sum()), expected + float(posteriors.sum())
        return cls(right, expected)


@dataclass(frozen=True)
class Yardstick:
    """The order-free grammar of a text, and what it thinks of some of its sentences."""

    universal: Model
    grammar: Model
    text: Corpus  # in the tags that it was given in
    on_trees: OnTrees | None = None  # how well it did on trees that were left out, if there are any

    @classmethod
    def of(cls, train: Corpus, model: Model | None = None, universal: Model | None = None) -> Yardstick | None:
        """The yardstick for a text; None where there are too few sentences, or tags that no other language has.

        model: may have one among its members, or be one; universal: another than the one in the box
        """
        universal = universal or load_universal()
        train = replace(train, language=None, languages=())
        known = quietly(find_tags, train.tag_vocabulary, universal.tags) >= 0
        if len(train) < FEWEST or known[evenly(train, MOST_LEARNED).tags].mean() < KNOWN:
            return None
        grammar = None if model is None else _order_free_part(model)
        grammar = grammar or quietly(_learned, evenly(train, MOST_LEARNED), universal)
        on_trees = quietly(OnTrees.of, train, universal) if train.is_given.any() else None
        return cls(universal, grammar, evenly(train.as_text, MOST_MEASURED), on_trees)

    @cached_property
    def _text(self) -> Corpus:
        return quietly(in_vocabulary, self.text, self.grammar.tags)

    @cached_property
    def posteriors(self) -> ArcPosteriors:
        """What it thinks of every arc."""
        return self.grammar.problem(self._text).posteriors()

    @cached_property
    def trees(self) -> np.ndarray:
        """Its own. [token]"""
        return parse_corpus(self.grammar, self._text, Parsing())

    @cached_property
    def changed(self) -> float:
        """The share of words with another head than in the universal order."""
        text = quietly(in_vocabulary, self.text, self.universal.tags)
        before = parse_corpus(self.universal.with_non_heads(self.grammar.non_heads), text, Parsing())
        return float(np.mean(before != self.trees))

    @property
    def trust(self) -> float:
        """The share of arcs that are right where it is wholly sure, as far as anybody can tell."""
        by_order = MOST_TRUST - LOST_BY_ORDER * self.changed
        if self.on_trees is None:
            return by_order
        found = self.on_trees
        return min(1.0, (found.right + AS_ARCS * by_order) / (found.expected + AS_ARCS))

    def worth(self, heads: np.ndarray) -> np.ndarray:
        """How probable it is that these heads of the text are right. [token]"""
        return self.trust * np.clip(self.posteriors.of(heads, self.text.offsets), 0, 1)

    def parsed(self, model: Model) -> Parses:
        """What another grammar makes of the text, with its own posteriors."""
        text = quietly(in_vocabulary, self.text, model.tags)
        return parse_trees(model, text, _WITH_RAW_POSTERIORS)


def calibrated(model: Model, yardstick: Yardstick | None) -> Model:
    """The model with a calibration of its posteriors. Of several languages, told apart, there is none."""
    return model if model.languages else with_calibration(model, calibration(model, yardstick))


def calibration(model: Model, yardstick: Yardstick | None) -> Calibration:
    """How often arcs of a grammar are right, by their posteriors."""
    found = None
    if yardstick is not None:
        parses = yardstick.parsed(model)
        assert parses.posteriors is not None
        found = fitted(parses.posteriors[0], yardstick.worth(parses.heads[0]), "order-free")
    return found or fixed(WITHOUT)


def quietly(ask: Callable[..., T], *arguments: Any) -> T:
    """The answer to a question about tags, without warnings that whoever trains or parses gets, too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ask(*arguments)


def _outcomes(model: Model, text: Corpus, heads: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The posteriors of the arcs that a grammar gives to a text, and whether they are right, where that is known.

    heads: [token] the right ones, -1 where nobody knows
    """
    parses = parse_trees(model, quietly(in_vocabulary, text, model.tags), _WITH_RAW_POSTERIORS)
    assert parses.posteriors is not None
    known = heads >= 0
    return parses.posteriors[0][known], (parses.heads[0] == heads)[known]


def with_calibration(model: Model, found: Calibration) -> Model:
    """The same model, whose posteriors are worth this."""
    history = model.history | {"calibration": found.to_json()}
    return replace(model, history=history)  # pyright: ignore[reportArgumentType, reportCallIssue]


def evenly(corpus: Corpus, most: int) -> Corpus:
    """So many sentences at the most, from all parts of a corpus."""
    if len(corpus) <= most:
        return corpus
    chosen = np.zeros(len(corpus), dtype=bool)
    chosen[np.arange(most) * len(corpus) // most] = True
    return corpus.select(chosen)


def _order_free_part(model: Model) -> Model | None:
    """The model or the member of it that is an order-free grammar, if there is one."""
    return model if model.history.get("model") == ORDER_FREE else model.parts.get(ORDER_FREE)


def _learned(text: Corpus, universal: Model) -> Model:
    """The order-free grammar of a text."""
    from depinduce.learning.run import Run  # which asks for a calibration when it is done

    run = Run(configure(load_recipe("adapt") | {"model": ORDER_FREE}), text, universal=universal)
    while not run.finished:
        run.climb()
    return run.model()
