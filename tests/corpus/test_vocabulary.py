"""A vocabulary numbers symbols by frequency and comes back from JSON."""

from __future__ import annotations

import json

import numpy as np
import pytest

from depinduce.corpus import Vocabulary


def test_frequent_symbols_come_first_and_equals_by_spelling():
    assert Vocabulary.from_counts({"b": 2, "c": 5, "a": 2}).symbols == ("c", "a", "b")


def test_order_of_counting_does_not_matter():
    assert Vocabulary.from_counts({"a": 1, "b": 1}) == Vocabulary.from_counts({"b": 1, "a": 1})


def test_unknown_symbols_are_minus_one():
    vocabulary = Vocabulary(["NOUN", "VERB"], [3, 2])
    ids = vocabulary.ids(["VERB", "X", "NOUN"])
    assert ids.dtype == np.int32
    assert ids.tolist() == [1, -1, 0]
    assert vocabulary.id("X") == -1
    assert "X" not in vocabulary
    with pytest.raises(IndexError):
        vocabulary[-1]


def test_json_round_trip():
    vocabulary = Vocabulary.from_counts({"été": 2, '"': 1})
    assert Vocabulary.from_json(json.loads(json.dumps(vocabulary.to_json()))) == vocabulary


@pytest.mark.parametrize(("symbols", "counts"), [(["a", "a"], [1, 1]), (["a"], [1, 2])])
def test_inconsistent_vocabularies_are_refused(symbols, counts):
    with pytest.raises(ValueError):
        Vocabulary(symbols, counts)
