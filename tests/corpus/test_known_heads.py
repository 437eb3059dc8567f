"""Heads that are known: read from a file by its ids, and what they leave possible."""

from __future__ import annotations

import numpy as np
import pytest

from depinduce.corpus import Reading, build_corpus, read_text
from depinduce.corpus.known_heads import KnownHeads
from depinduce.errors import InputError


def block(*rows: str) -> str:
    """A sentence; every row is `ID FORM TAG HEAD MISC`."""
    lines = (row.split() for row in rows)
    return "".join(f"{i}\t{form}\t_\t{tag}\t_\t_\t{head}\t_\t_\t{misc}\n" for i, form, tag, head, misc in lines) + "\n"


def given(text: str, **reading):
    return build_corpus([], Reading(**reading), given=list(read_text(text)))


def test_heads_pass_through_multiword_tokens_and_punctuation_by_the_ids_of_the_file():
    text = block(
        "1 ( PUNCT 3 _", "2-3 du X _ _", "2 de ADP 4 NotHead=1,3,0", "3 le DET _ NotHead=5", "4 chat NOUN 5 _",
        "5 , PUNCT 6 _", "6 dort VERB 0 _",
    )  # fmt: skip
    known = given(text).known
    assert known is not None
    assert known.heads.tolist() == [3, -1, 4, 0]  # the comma is gone: its child hangs on its head
    refused = [known.refused[known.offsets[word] : known.offsets[word + 1]].tolist() for word in range(4)]
    assert refused == [[0, 2], [], [], []]  # punctuation cannot head anything any more


@pytest.mark.parametrize("value", ["", "x", "4", "1,,2", "-1", "1;2", "²"])
def test_other_numbers_than_those_of_words_are_a_fault_with_their_line(value):
    text = block("1 a N _ _", f"2 b N _ SpaceAfter=No|NotHead={value}", "3 c N _ _")
    with pytest.raises(InputError, match=r"<text>:2: NotHead=.* names no words of the sentence, which has 3"):
        given(text)


def test_sentences_with_known_heads_come_last_and_may_be_longer():
    plain, long = block("1 a N 0 _"), block(*(f"{i} w N {i - 1} _" for i in range(1, 8)))
    corpus = build_corpus(read_text(plain + long), Reading(max_length=5), given=list(read_text(long)))
    assert corpus.lengths.tolist() == [1, 7] and corpus.too_long == 1 and corpus.is_given.tolist() == [False, True]
    assert corpus.known is not None and corpus.known.heads.tolist() == [-1, *range(7)]
    assert corpus.heads is None  # what is known is no gold to score with


def test_what_is_possible_is_what_nobody_excludes():
    known = KnownHeads.of([2, -1, -1, -1, 0], [(), (0, 3), (), (1,), ()])
    root, arc = known.possible(np.array([0, 3, 5]))
    assert root.tolist() == [False, False, True, True, True]
    for child, head in ((1, h) for h in (1, 2, 3)):
        assert arc[3 * (head - 1) + child - 1] == (head == 2)
    assert arc[:9].reshape(3, 3)[:, 1].tolist() == [True, True, False]
    assert arc[:9].reshape(3, 3)[:, 2].tolist() == [True, True, True]
    assert arc[9:].reshape(2, 2)[:, 0].tolist() == [False, True] and arc[9:].reshape(2, 2)[:, 1].tolist() == [False] * 2


def test_taking_and_forgetting_words():
    known = KnownHeads.of([1, -1, 0], [(2,), (), (1, 3)])
    taken = known.take(np.array([2, 0, 2]))
    assert taken.heads.tolist() == [0, 1, 0] and taken.refused.tolist() == [1, 3, 2, 1, 3]
    left = known.without(np.array([False, False, True]))
    assert left.heads.tolist() == [1, -1, -1] and left.refused.tolist() == [2] and left.offsets.tolist() == [0, 1, 1, 1]
    assert left.informed.tolist() == [True, False, False]


def test_a_corpus_says_what_is_known_and_counts_every_sentence_once():
    text = block("1 a N 0 _", "2 b V 1 _") + block("1 a N _ _", "2 b V _ NotHead=0") + block("1 c N _ _")
    corpus = given(text)
    assert corpus.about_trees() == {"sentences": 2, "whole": 1, "arcs": 2, "times": 1}
    often = corpus.take(np.array([0, 0, 0, 1, 1, 1, 2]))
    assert often.about_trees() == {"sentences": 2, "whole": 1, "arcs": 2, "times": 3}
    assert often.counted_once == (3, 5) and often.identity()["trees"]["arcs"] == 2
    assert often.as_text.known is None and often.as_text.tags.tolist() == corpus.tags.tolist()
    assert often.fingerprint() != often.as_text.fingerprint()
    assert "trees" not in build_corpus(read_text(text)).identity()
