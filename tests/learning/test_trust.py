"""How far trees can be trusted, by what a grammar of other languages thinks of them; no gold tree is looked at."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from learning.languages import TAGS, language, share_right, universal_of
from learning.tagged import random_table, tagged

from depinduce.corpus import Reading, Vocabulary, read_sentences
from depinduce.corpus.demo import demo_file
from depinduce.corpus.known_heads import KnownHeads
from depinduce.grammar.rules import Order
from depinduce.learning import trust
from depinduce.learning.given_trees import corpus_with_trees
from depinduce.learning.health import health
from depinduce.learning.run import Run
from depinduce.learning.settings.configuration import configure
from depinduce.learning.settings.recipes import load_recipe
from depinduce.learning.trust import (
    WITHOUT,
    OnTrees,
    Yardstick,
    calibrated,
    evenly,
)
from depinduce.models.calibration import fixed
from depinduce.models.loading import load_universal
from depinduce.models.tag_model import GrammarModel
from depinduce.parsing.decoding import Parsing, parse_corpus, parse_trees

UNIVERSAL = universal_of(("final", "initial", "mixed"))
TEXT, GOLD = language("final", 150, 4)


def learned(**settings) -> GrammarModel:
    return Run(configure({"model": "dmv", "max_length": None} | settings), TEXT).go()[0]


def nonsense() -> GrammarModel:
    """A grammar of no language, which is sure of itself."""
    table = random_table(Order.FIRST, len(TAGS), np.random.default_rng(3))
    return GrammarModel(Order.FIRST, TAGS, type(table)(*(8 * part for part in table.parts)))


def test_good_and_bad_grammars_get_what_their_trees_are_worth():
    for model in (learned(iterations=20), nonsense()):
        heads = parse_trees(model, TEXT, Parsing()).heads[0]
        (found,) = parse_trees(
            calibrated(model, Yardstick.of(TEXT, model, UNIVERSAL)), TEXT, Parsing(posteriors=True)
        ).posteriors
        (raw,) = parse_trees(model, TEXT, Parsing(posteriors=True, raw_posteriors=True)).posteriors
        right = share_right(heads, GOLD)
        assert abs(found.mean() - right) < 0.2
        assert abs(found.mean() - right) <= abs(raw.mean() - right)


def test_trees_and_likelihoods_do_not_change_and_the_raw_posteriors_are_still_there():
    model = nonsense()
    with_it = calibrated(model, Yardstick.of(TEXT, model, UNIVERSAL))
    for decode in ("viterbi", "mbr"):
        parsing = Parsing(decode, posteriors=True, log_likelihood=True)
        before, after = (parse_trees(one, TEXT, parsing) for one in (model, with_it))
        np.testing.assert_array_equal(before.heads, after.heads)
        np.testing.assert_array_equal(before.log_z, after.log_z)
        assert (before.posteriors != after.posteriors).any()
    raw = parse_trees(with_it, TEXT, Parsing(posteriors=True, raw_posteriors=True))
    np.testing.assert_array_equal(raw.posteriors, parse_trees(model, TEXT, Parsing(posteriors=True)).posteriors)


def test_trust_falls_with_the_share_of_words_that_have_another_head_than_in_the_universal_order():
    found = Yardstick.of(TEXT, universal=UNIVERSAL)
    universal_order = parse_corpus(UNIVERSAL, TEXT, Parsing())
    assert 0 < found.changed == pytest.approx(1 - share_right(found.trees, universal_order))
    assert found.trust == pytest.approx(0.95 - 0.6 * found.changed)
    sure = found.posteriors.of(found.trees, TEXT.offsets)
    assert found.worth(found.trees) == pytest.approx(found.trust * sure)


def test_what_no_universal_grammar_knows_has_a_fixed_factor():
    strange = tagged("X Y Y", *["Y X Z"] * 20)
    assert Yardstick.of(strange, universal=UNIVERSAL) is None
    table = random_table(Order.FIRST, 3, np.random.default_rng(0))
    model = GrammarModel(Order.FIRST, strange.tag_vocabulary, table)
    assert calibrated(model, Yardstick.of(strange, model, UNIVERSAL)).calibration == fixed(WITHOUT)
    few = TEXT.select(np.arange(len(TEXT)) < 9)
    assert calibrated(nonsense(), Yardstick.of(few, nonsense(), UNIVERSAL)).calibration == fixed(WITHOUT)


def test_a_grammar_made_of_other_languages_is_its_own_yardstick(monkeypatch):
    model = Run(configure(load_recipe("adapt") | {"model": "order-free"}), TEXT, universal=UNIVERSAL).go()[0]

    def learn(*_):
        raise AssertionError("nothing is to be learned")

    monkeypatch.setattr(trust, "_learned", learn)
    found = Yardstick.of(TEXT, model, UNIVERSAL)
    assert found.grammar is model
    line = model.calibration
    assert line is not None and line(np.array([0.5]))[0] == pytest.approx(0.5 * found.trust, abs=0.02)


def test_several_languages_that_are_told_apart_have_none():
    assert calibrated(UNIVERSAL, Yardstick.of(TEXT, universal=UNIVERSAL)) is UNIVERSAL


def test_a_finished_training_has_one_and_an_interrupted_one_has_not(monkeypatch):
    assert learned(iterations=2).calibration is not None
    climb = Run.climb

    def interrupted(self, report):
        climb(self, report)
        raise KeyboardInterrupt

    monkeypatch.setattr(Run, "climb", interrupted)
    model = learned(iterations=2)
    assert model.calibration is None and not model.finished


def test_nobody_is_warned_twice_of_a_tag_with_two_names():
    corpus = tagged(*["NOUN VERB CONJ NOUN"] * 12, vocabulary=Vocabulary(["NOUN", "VERB", "CONJ"], [24, 12, 12]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Yardstick.of(corpus).trust > 0.3


def test_a_large_text_is_asked_for_some_sentences_of_all_its_parts():
    some = evenly(TEXT, 50)
    assert len(some) == 50 and some.index.tolist() == list(range(0, 150, 3))
    assert evenly(TEXT, 150) is TEXT


def test_a_training_keeps_its_yardstick_for_the_verdict():
    run = Run(configure({"model": "dmv", "max_length": None}), TEXT, universal=UNIVERSAL)
    model, _ = run.go()
    assert run.yardstick is not None
    assert health(model, TEXT, yardstick=run.yardstick) == health(model, TEXT, universal=UNIVERSAL)


# ---------------------------------------------------------------- with trees


def test_trust_is_measured_on_trees_that_were_left_out():
    right = corpus_with_trees([], list(read_sentences(demo_file("train")))[:60], Reading(), weight=1)
    upside_down = replace(right, known=KnownHeads.of(_previous_words(right), [()] * len(right.tags)))
    by_trees, by_wrong_ones = (Yardstick.of(corpus).trust for corpus in (right, upside_down))
    assert by_wrong_ones < by_trees - 0.1
    found = OnTrees.of(right, load_universal())
    assert 0 < found.right < len(right.tags) and 0 < found.expected <= len(right.tags)
    by_order = Yardstick.of(right.as_text).trust
    measured = found.right / found.expected
    assert min(by_order, measured) <= by_trees <= max(by_order, measured)


def test_what_is_left_out_is_not_learned_from(monkeypatch):
    corpus = corpus_with_trees([], list(read_sentences(demo_file("train")))[:9], Reading(), weight=2)
    seen = []

    def learned(text, universal):
        seen.append(text)
        return universal

    monkeypatch.setattr(trust, "_learned", learned)
    OnTrees.of(corpus, load_universal())
    assert [int(text.is_given.sum()) for text in seen] == [12] * 3 and [len(text) for text in seen] == [15] * 3


def _previous_words(corpus) -> list[int]:
    return [place for length in corpus.lengths for place in range(length)]
