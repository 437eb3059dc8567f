"""The languages of a grammar beside each other, and what a grammar has become of the universal one it started from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from depinduce.corpus import Sentence
from depinduce.evaluation.scores import score
from depinduce.insight.adapted_order import AdaptedOrder
from depinduce.insight.language_plane import FEWEST, LanguagePlane, language_plane
from depinduce.insight.word_order import WordOrder, order_of_grammar, order_of_languages
from depinduce.learning.adaptation import Likeness, likeness
from depinduce.parsing.streams import corpus_for

if TYPE_CHECKING:
    from depinduce.models.model import Model
    from depinduce.report.run_report.file_facts import FileFacts

MOST_COMPARED, LONGEST_COMPARED = 1000, 40  # sentences of a file, and their words, that all known languages read


@dataclass(frozen=True)
class FileOfLanguage:
    """The sentences of one language in a file."""

    name: str
    sentences: int
    words: int
    uas: float | None  # in percent; None: there are no gold trees
    as_universal: float  # the share of words with the same head as in the universal order


@dataclass(frozen=True)
class LanguageFacts:
    """The languages of a grammar that tells them apart."""

    sentences: dict[str, int]  # that it has learned from, of each language, as far as it remembers
    order: WordOrder
    universal: np.ndarray  # [head, child] the share of children on the left, in its universal grammar
    one_headedness: bool  # which tags head which is the same in all languages
    vectors: np.ndarray | None  # [language, number] what their vectors do, if they have some
    in_file: list[FileOfLanguage]  # those that a file names

    @cached_property
    def plane(self) -> LanguagePlane | None:
        return language_plane(self.order) if len(self.order.languages) >= FEWEST else None

    @property
    def plane_of_vectors(self) -> LanguagePlane | None:
        return None if self.plane is None or self.vectors is None else language_plane(self.order, self.vectors)

    def agreement(self, language: int) -> float:
        """The share of children on the same side as in the universal grammar."""
        return self.order.agreement(self.order.left[language], self.universal)


@dataclass(frozen=True)
class AdaptationFacts:
    """A grammar beside the universal one that it started from."""

    universal: LanguageFacts
    order: AdaptedOrder
    likeness: Likeness | None  # on some sentences of a file
    read: int  # so many


def language_facts(model: Model, file: FileFacts | None = None) -> LanguageFacts | None:
    """The languages of a model, and of a file that it has parsed; None if it tells none apart."""
    if not model.languages or model.rule_view() is None:
        return None
    order = order_of_languages(model)
    sentences = model.history.get("training_data", {}).get("languages", {})
    universal, one_headedness = order_of_grammar(model, order.tags).left[0], model.headedness is not None
    return LanguageFacts(sentences, order, universal, one_headedness, model.language_vectors, list(_in_file(file)))


def _in_file(file: FileFacts | None) -> Iterator[FileOfLanguage]:
    if file is None or file.languages is None or file.universal is None:
        return
    for name in dict.fromkeys(filter(None, file.languages.tolist())):
        of_sentence = file.languages == name
        of_word = np.repeat(of_sentence, file.lengths)
        offsets = np.concatenate([[0], np.cumsum(file.lengths[of_sentence])])
        uas = None if file.gold is None else score(file.gold[of_word], file.heads[of_word], offsets).uas
        same = float(np.mean(file.heads[of_word] == file.universal[of_word]))
        yield FileOfLanguage(name, int(of_sentence.sum()), int(of_word.sum()), uas, same)


def keeping(sentences: Iterable[Sentence], kept: list[Sentence]) -> Iterator[Sentence]:
    """The sentences, of which some are kept to compare grammars on."""
    for sentence in sentences:
        if len(kept) < MOST_COMPARED and len(sentence) <= LONGEST_COMPARED:
            kept.append(sentence)
        yield sentence


def adaptation_facts(universal: Model, model: Model, sentences: list[Sentence], threads: int) -> AdaptationFacts | None:
    """What a grammar has become of the universal one. sentences: on which the two are compared"""
    known = language_facts(universal)
    if known is None:
        return None
    own = order_of_grammar(model, known.order.tags)
    text = corpus_for(model, sentences)
    found = likeness(universal, model, text, threads) if len(text) else None
    return AdaptationFacts(known, AdaptedOrder(known.order, known.universal, own), found, len(text))
