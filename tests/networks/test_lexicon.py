"""Which tokens a lexical grammar has, and which of them stands for a word with its tag."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from models.worded import random_words, worded

from depinduce.corpus import Vocabulary
from depinduce.networks.lexicon import Lexicon

# the/D 3, run/V 2, run/N 2, dog/N 2, dogs/N 1, barks/V 1
SENTENCES = ["the/D dog/N run/V", "the/D run/N barks/V", "the/D dog/N run/V", "run/N dogs/N"]
TAGS = Vocabulary(["N", "D", "V"], [5, 3, 3])
CORPUS = worded(*SENTENCES, tags=TAGS)


def spelled(lexicon: Lexicon, corpus=CORPUS) -> list[str]:
    return [lexicon.spelling(token) for token in lexicon.tokens(corpus)]


@pytest.mark.parametrize(
    ("min_count", "pairs"),
    [
        (1, {"the/D", "run/V", "run/N", "dog/N", "dogs/N", "barks/V"}),
        (2, {"the/D", "run/V", "run/N", "dog/N"}),
        (3, {"the/D"}),
        (4, set()),
    ],
)
def test_pairs_seen_often_enough_have_a_token_after_those_of_the_tags(min_count, pairs):
    lexicon = Lexicon.of(CORPUS, min_count)
    spellings = [lexicon.spelling(token) for token in range(len(lexicon))]
    assert len(lexicon) == lexicon.unknown == 3 + len(pairs)
    assert spellings[:3] == ["N", "D", "V"]
    assert set(spellings[3:]) == pairs
    assert [spelling.rpartition("/")[2] for spelling in spellings] == [TAGS[tag] for tag in lexicon.tag_of]
    assert set(lexicon.words) == {pair.partition("/")[0] for pair in pairs}


def test_rare_words_fall_back_to_their_tags():
    rare = {"barks/V": "V", "dogs/N": "N"}
    words = [word for sentence in SENTENCES for word in sentence.split()]
    assert spelled(Lexicon.of(CORPUS)) == [rare.get(word, word) for word in words]
    assert spelled(Lexicon.of(CORPUS, 100)) == [word.rpartition("/")[2] for word in words]


def test_words_with_another_tag_fall_back_to_that_tag():
    found = spelled(Lexicon.of(CORPUS), worded("the/N dog/V dog/N", tags=TAGS, words=CORPUS.word_vocabulary))
    assert found == ["N", "V", "dog/N"]


def test_unknown_words_and_unknown_tags():
    lexicon = Lexicon.of(CORPUS)
    found = worded("cat/D the/X cat/X the/D", tags=TAGS, words=CORPUS.word_vocabulary)
    assert (found.words[0], found.tags[1]) == (-1, -1)
    assert spelled(lexicon, found) == ["D", "?", "?", "the/D"]
    assert lexicon.tokens(found)[1] == lexicon.unknown


def test_a_word_that_was_not_read_is_unknown():
    lexicon = Lexicon.of(CORPUS)
    no_words = worded("the/D dog/N the/X", tags=TAGS, words=Vocabulary((), ()))
    assert spelled(lexicon, no_words) == ["D", "N", "?"]


@pytest.mark.parametrize("min_count", [1, 2, 5, 1000])
@pytest.mark.parametrize("seed", range(3))
def test_tokens_are_looked_up_by_spelling(min_count, seed):
    corpus = worded(*random_words(seed, count=30))
    lexicon = Lexicon.of(corpus, min_count)
    counts = Counter(word for sentence in random_words(seed, count=30) for word in sentence.split())
    frequent = {word for word, count in counts.items() if count >= min_count}
    other = random_words(seed + 100, tags="NVDAX", words="xebda")  # in the order of another vocabulary
    for numbering in (None, corpus.word_vocabulary, lexicon.words):
        for sentences in (random_words(seed, count=30), other):
            words = [word for sentence in sentences for word in sentence.split()]
            expected = [word if word in frequent else "?" if word.endswith("X") else word[-1] for word in words]
            found = worded(*sentences, tags=corpus.tag_vocabulary, words=numbering)
            assert spelled(lexicon, found) == expected


def test_a_word_with_two_tags_is_two_tokens_of_one_word():
    lexicon = Lexicon.of(CORPUS)
    noun, verb = (lexicon.tokens(worded(run, tags=TAGS))[0] for run in ("run/N", "run/V"))
    assert noun != verb
    assert lexicon.word_of[noun] == lexicon.word_of[verb] == len(TAGS) + lexicon.words.id("run")
    assert [TAGS[lexicon.tag_of[token]] for token in (noun, verb)] == ["N", "V"]


def test_a_tag_stands_for_its_words_with_a_vector_of_its_own():
    lexicon = Lexicon.of(CORPUS)
    assert lexicon.word_of[:3].tolist() == lexicon.tag_of[:3].tolist() == [0, 1, 2]
    assert set(lexicon.word_of[3:]) == {3, 4, 5}  # the, dog, run


def test_the_counts_of_the_words_are_those_of_their_tokens():
    words = Lexicon.of(CORPUS).words
    assert dict(zip(words.symbols, words.counts, strict=True)) == {"the": 3, "dog": 2, "run": 4}


@pytest.mark.parametrize("min_count", [1, 2, 100])
def test_a_lexicon_comes_back_from_json(min_count):
    lexicon = Lexicon.of(CORPUS, min_count)
    again = Lexicon.from_json(TAGS, json.loads(json.dumps(lexicon.to_json())))
    assert (again.tags, again.words, len(again)) == (lexicon.tags, lexicon.words, len(lexicon))
    assert again.pairs.dtype == lexicon.pairs.dtype and np.array_equal(again.pairs, lexicon.pairs)
    assert np.array_equal(again.tokens(CORPUS), lexicon.tokens(CORPUS))
