"""Labels that are always true, and those that a file has already."""

from __future__ import annotations

from corpus.blocks import block

from depinduce.corpus import read_text
from depinduce.labels import plain_labels, with_kept_labels


def test_the_root_is_root_and_an_unknown_head_has_no_label():
    assert plain_labels([2, 0, -1]) == ["dep", "root", "_"]


def test_a_label_stays_with_its_head():
    (sentence,) = read_text(block("a/DET b/NOUN c/VERB", [2, 3, 0], labels=["det", "nsubj:pass", "root"]))
    assert with_kept_labels(sentence, [2, 3, 0], ["x", "y", "z"]) == ["det", "nsubj:pass", "root"]
    assert with_kept_labels(sentence, [3, 3, 0], ["x", "y", "z"]) == ["x", "nsubj:pass", "root"]
    assert with_kept_labels(sentence, [2, 0, 2], ["x", "y", "z"]) == ["det", "y", "z"]


def test_a_label_that_was_wrong_does_not_stay():
    (sentence,) = read_text(block("a/DET b/NOUN c/VERB d/X", [2, 3, 0, 3], labels=["root", "_", "nsubj", "root:x"]))
    assert with_kept_labels(sentence, [2, 3, 0, 3], ["p", "q", "r", "s"]) == ["p", "q", "r", "s"]
