"""Examples of rules: the shortest sentence with such an arc, its child and its head marked."""

from __future__ import annotations

from depinduce.insight.examples import Examples
from depinduce.insight.inspection import ROOT

LONG = (["the", "old", "dog", "barks"], ["D", "A", "N", "V"], [3, 3, 4, 0])
SHORT = (["bark", "dogs"], ["V", "N"], [0, 1])


def test_the_shortest_sentence_with_an_arc_is_its_example():
    examples = Examples()
    for sentence in (LONG, SHORT, LONG):
        examples.show(*sentence)
    assert examples.of(("N", "left", "D")) == "(the) old [dog] barks"
    assert examples.of(("V", "left", "N")) == "the old (dog) [barks]"
    assert examples.of(("V", "right", "N")) == "[bark] (dogs)"
    assert examples.of((ROOT, "", "V")) == "(bark) dogs"


def test_what_was_never_seen_has_no_example():
    examples = Examples()
    examples.show(*SHORT)
    assert examples.of(("N", "left", "V")) is None
    assert examples.of(None) is None
