"""Languages in a training: who is told apart, and in which batches they come."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from learning.languages import language, together

from depinduce.errors import DepinduceError
from depinduce.learning.languages import batches_of_languages, in_languages_of, told_apart, weighing
from depinduce.learning.settings.configuration import configure

SIZES = {"final": 7, "initial": 50, "mixed": 33}
CORPUS = together({order: language(order, size, 1)[0] for order, size in SIZES.items()})


def told(train=CORPUS, **values) -> bool:
    return told_apart(configure(values).learning, train)


@pytest.mark.parametrize(
    "model", ["dmv", "dmv-sibling", "dmv-grand", "ndmv", "sibling", "grand", "joint-grand", "polyglot"]
)
def test_grammars_over_tags_tell_languages_apart_unless_somebody_wants_it_otherwise(model):
    assert told(model=model) and told(model=model, languages="by-size")
    if model != "polyglot":
        assert not told(model=model, languages="together")
        assert not told(replace(CORPUS, languages=(), language=None), model=model)
        one = together({"final": language("final", 7, 1)[0]})
        assert not told(one, model=model)  # from whom?


@pytest.mark.parametrize(
    "model", ["hdp-dep", "e-dmv", "feature-dmv", "ln-dmv", "crfae", "jiang-ndmv", "d-ndmv", "lexical", "lexical-grand"]
)
def test_others_throw_them_together(model):
    assert not told(model=model)


def test_polyglot_cannot_do_without_and_others_know_three_ways():
    with pytest.raises(DepinduceError, match="--languages together: polyglot learns the order of each"):
        told(model="polyglot", languages="together")
    with pytest.raises(DepinduceError, match="must know which is which"):
        told(replace(CORPUS, languages=(), language=None), model="polyglot")
    with pytest.raises(DepinduceError, match="--languages cannot be 'all'. Choose from: alike, by-size, together."):
        told(languages="all")


def test_languages_keep_their_names_where_their_numbers_change():
    known = in_languages_of(CORPUS, ("mixed", "other", "final"))
    names = [known.languages[number] if number >= 0 else None for number in known.language]
    assert Counter(names) == {"final": 7, None: 50, "mixed": 33}
    assert in_languages_of(CORPUS, CORPUS.languages) is CORPUS
    nothing = in_languages_of(CORPUS, ())
    assert (nothing.language == -1).all()
    assert in_languages_of(replace(CORPUS, language=None), ("mixed",)).language is None


def test_what_languages_count_as():
    assert weighing(configure({}).learning, CORPUS).tolist() == [7, 50, 33]
    assert weighing(configure({"languages": "by-size"}).learning, CORPUS).tolist() == [30, 30, 30]


# ---------------------------------------------------------------- batches


def batches(size: int, alike: bool, seed: int = 0, sentences: np.ndarray | None = None) -> list[np.ndarray]:
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(CORPUS)) if sentences is None else sentences
    return batches_of_languages(order, CORPUS.language, size, alike, generator)


def languages_in(batch: np.ndarray) -> set[int]:
    return set(CORPUS.language[batch].tolist())


@pytest.mark.parametrize("alike", [True, False])
@pytest.mark.parametrize("size", [1, 8, 1000])
def test_a_batch_is_of_one_language_and_not_too_large(alike, size):
    for batch in batches(size, alike):
        assert 0 < len(batch) <= size
        assert len(languages_in(batch)) == 1


@pytest.mark.parametrize("size", [8, 1000])
def test_languages_that_weigh_alike_have_as_many_sentences_and_batches(size):
    made = batches(size, alike=True)
    seen, steps = Counter(CORPUS.language[np.concatenate(made)].tolist()), Counter()
    for batch in made:
        steps.update(languages_in(batch))
    assert set(seen.values()) == {30} and len(set(steps.values())) == 1
    again = Counter(np.concatenate(made).tolist())
    small, large = np.flatnonzero(CORPUS.language == 0), np.flatnonzero(CORPUS.language == 1)
    assert {again[sentence] for sentence in small} == {4, 5}  # 30 of 7
    assert sum(again[sentence] for sentence in large) == 30 and max(again[sentence] for sentence in large) == 1


def test_by_size_every_sentence_comes_once():
    found = np.concatenate(batches(8, alike=False))
    assert sorted(found.tolist()) == list(range(len(CORPUS)))


def test_every_language_comes_once_before_any_comes_again():
    order = [languages_in(batch).pop() for batch in batches(8, alike=True)]
    rounds = np.array(order).reshape(-1, 3)
    assert (np.sort(rounds, axis=1) == [0, 1, 2]).all()
    assert len({tuple(each) for each in rounds.tolist()}) > 1  # not in the same order each time


def test_a_large_language_shows_others_of_its_sentences_in_another_epoch():
    one, two = (np.concatenate(batches(8, alike=True, seed=seed)) for seed in (0, 1))
    assert set(one.tolist()) != set(two.tolist())


def test_a_language_without_short_sentences_is_absent_while_they_grow():
    some = np.flatnonzero(CORPUS.language != 1)
    made = batches(8, alike=True, sentences=some)
    assert set().union(*map(languages_in, made)) == {0, 2}
    assert batches(8, alike=True, sentences=some[:0]) == []
