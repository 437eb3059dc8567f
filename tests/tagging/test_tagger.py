"""The tagger against all sequences of tags, and its probabilities against sums by hand."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from depinduce.errors import DepinduceError
from depinduce.tagging.tagger import Tagger, contexts_of

TEXT = [
    ("The dog barks", "DET NOUN VERB"),
    ("The old dog sleeps", "DET ADJ NOUN VERB"),
    ("Dogs bark loudly", "NOUN VERB ADV"),
    ("the old bark", "DET ADJ NOUN"),
]
SENTENCES = [(words.split(), tags.split()) for words, tags in TEXT]


def log_probability(tagger: Tagger, words: list[str], tags: tuple[str, ...], given: list[str | None]) -> float:
    """The sum that the best tags maximise, term by term."""
    index = {tag: number for number, tag in enumerate(tagger.tags)}
    end = len(tagger.tags)
    row = [end, end, *(index[tag] for tag in tags), end]
    total = sum(tagger.transitions[u, v, t] for u, v, t in zip(row, row[1:], row[2:], strict=False))
    for place, (word, tag) in enumerate(zip(words, tags, strict=True)):
        if given[place] is not None:
            total += 0.0 if given[place] == tag else -np.inf
        else:
            with np.errstate(divide="ignore"):
                total += np.log(tagger.of_word(word, place == 0)[index[tag]] / tagger.prior[index[tag]])
    return total


@pytest.mark.parametrize("words", ["dog", "The bark", "Old cats meow softly", "bark the loudly dog", "7 , x"])
@pytest.mark.parametrize("constrained", [False, True])
def test_the_best_tags_are_those_of_the_enumeration(words, constrained):
    lexicon = {"meow": frozenset({"VERB", "INTJ"}), "x": frozenset({"NOUN"})} if constrained else None
    tagger = Tagger.learn(SENTENCES, lexicon)
    words = words.split()
    given: list[str | None] = [None] * len(words)
    if constrained:
        given[-1] = "ADJ"
    best = max(product(tagger.tags, repeat=len(words)), key=lambda tags: log_probability(tagger, words, tags, given))
    assert tagger.tag(words, given) == list(best)


def test_enumeration_and_tagger_agree_with_random_tables():
    rng = np.random.default_rng(0)
    tagger = Tagger.learn(SENTENCES)
    tagger.transitions = np.log(rng.dirichlet(np.ones(len(tagger.tags) + 1), tagger.transitions.shape[:2]))
    for words in (["dog"], ["dog", "dog"], ["x", "y", "z", "dog"]):
        given: list[str | None] = [None] * len(words)
        best = max(
            product(tagger.tags, repeat=len(words)), key=lambda tags: log_probability(tagger, words, tags, given)
        )
        assert tagger.tag(words) == list(best)


def test_probabilities_sum_to_one():
    tagger = Tagger.learn(SENTENCES, {"cat": frozenset({"NOUN", "VERB"})}, more_tags=["X"])
    assert np.exp(tagger.transitions).sum(axis=-1) == pytest.approx(1.0)
    for word in ("dog", "Dog", "cat", "9", "?", ""):
        assert tagger.of_word(word, False).sum() == pytest.approx(1.0)


def test_probabilities_of_tags_in_a_row_by_hand():
    """One sentence A B: after A comes B, once; after anything else, what the shorter context says."""
    tagger = Tagger.learn([(["a", "b"], ["A", "B"])])
    p = np.exp(tagger.transitions)
    single = np.array([2, 2, 2]) / 6  # A, B and the end, each once and one more
    after_a = (np.array([0, 1, 0]) + 1 * single) / 2
    assert p[1, 0] == pytest.approx(after_a)  # B A was never seen
    assert p[2, 0] == pytest.approx((np.array([0, 1, 0]) + after_a) / 2)


def test_probabilities_of_a_word_by_hand():
    tagger = Tagger.learn([(["x", "ab"], [None, "A"]), (["x", "cb"], [None, "B"])])
    expected = tagger.prior
    for counts in ([1, 1], [1, 1]):  # of the shape, and of the ending b
        expected = (np.array(counts) + 2 * expected) / 4
    assert tagger.of_word("db", False) == pytest.approx(expected)
    for counts in ([1, 0], [1, 0], [1, 0]):  # the ending ab, the word in small letters, the word
        expected = (np.array(counts) + expected) / 2
    assert tagger.of_word("ab", False) == pytest.approx(expected)


def test_unknown_words_are_tagged_by_their_endings():
    learned = [([f"w{letter}ly", f"n{letter}ness"], ["ADV", "NOUN"]) for letter in "abcdefgh"]
    assert Tagger.learn(learned).tag(["zzzness"]) == ["NOUN"]
    assert Tagger.learn(learned).tag(["zzzly"]) == ["ADV"]
    assert contexts_of("Das", True)[0] != contexts_of("Das", False)[0] != contexts_of("das", False)[0]


def test_the_lexicon_rules_out_other_tags():
    tagger = Tagger.learn(SENTENCES, {"dog": frozenset({"VERB"}), "cat": frozenset({"PROPN"})})
    assert tagger.tag(["The", "dog"])[1] == "VERB"
    assert tagger.tag(["The", "Cat"])[1] == "PROPN"
    assert tagger.tag(["dog"], ["NOUN"]) == ["NOUN"]
    assert tagger.knows("cat") and tagger.knows("barks") and not tagger.knows("cow")


def test_what_is_no_column_of_tags_is_refused():
    with pytest.raises(DepinduceError, match="300 different tags are more than 250"):
        Tagger.learn([([str(number)], [str(number)]) for number in range(300)])
