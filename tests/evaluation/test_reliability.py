"""Reliability: probabilities beside what became of them, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from depinduce.evaluation.reliability import Bin, Reliability


def test_every_tenth_says_what_was_said_and_what_was_right():
    found = Reliability.of(np.array([0.05, 0.62, 0.66, 1.0, 0.9]), np.array([True, True, False, True, False]))
    assert [(one.low, one.arcs, one.right) for one in found.bins] == [(0.0, 1, 1.0), (0.6, 2, 0.5), (0.9, 2, 0.5)]
    assert [one.said for one in found.bins] == pytest.approx([0.05, 0.64, 0.95])
    assert found.error == pytest.approx((1 * 0.95 + 2 * 0.14 + 2 * 0.45) / 5)


def test_probabilities_that_keep_what_they_say_have_no_error_and_none_have_none():
    assert Reliability.of(np.full(4, 0.75), np.array([1, 1, 1, 0])) == Reliability([Bin(0.7, 4, 0.75, 0.75)])
    assert Reliability.of(np.full(4, 0.75), np.array([1, 1, 1, 0])).error == 0
    assert Reliability.of(np.empty(0), np.empty(0)).error == 0
