"""Which sentences are listed, and in which order: as a look at each of them one by one would find."""

from __future__ import annotations

import numpy as np
import pytest
from cli.demo_parts import demo_part, without_heads
from serve.desks import ask, check, desk_on, give_head, surveyed

from depinduce import DepinduceError, Parser
from depinduce.corpus import read_sentences
from depinduce.corpus.conllu import UPOS
from depinduce.serve.survey import signs_of, verdict_on


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    place = tmp_path_factory.mktemp("choice")
    train = demo_part(place / "train.conllu", count=120)
    Parser.train(train, model="dmv", iterations=5, non_heads="ud", out=place / "dmv")
    corpus = place / "corpus.conllu"
    corpus.write_text(without_heads(train.read_text("utf-8")))
    with desk_on(corpus, place / "dmv") as desk:
        surveyed(desk)
        check(desk, 3)
        give_head(desk, 7, 1, 2)
        yield desk


@pytest.fixture(scope="module")
def sentences(desk):
    return list(read_sentences(desk.file.path))


def listed(desk, **wanted) -> list[int]:
    """All of them, page by page."""
    numbers, page = [], 0
    while True:
        answer = ask(desk, "desk-list", size=7, page=page, **wanted)
        numbers += [line["number"] for line in answer["sentences"]]
        page += 1
        if page == answer["pages"]:
            assert len(numbers) == answer["total"]
            return numbers


def test_without_a_wish_all_are_there_in_the_order_of_the_file(desk):
    assert listed(desk) == list(range(120))


def test_by_tag_word_and_length(desk, sentences):
    adpositions = [n for n, one in enumerate(sentences) if "ADP" in one.column(UPOS)]
    assert listed(desk, tag="ADP") == listed(desk, tag="adp") == adpositions
    she = [n for n, one in enumerate(sentences) if "she" in map(str.lower, one.forms + one.column(3))]
    assert listed(desk, word="She") == she
    assert listed(desk, least=5, most=6) == [n for n, one in enumerate(sentences) if 5 <= len(one) <= 6]
    both = [n for n in she if "ADP" in sentences[n].column(UPOS)]
    assert listed(desk, word="she", tag="ADP") == both
    assert listed(desk, word="NOUN") == []  # which is a tag


def test_by_what_was_done(desk):
    assert listed(desk, state="checked") == [3]
    assert listed(desk, state="unchecked") == [n for n in range(120) if n != 3]
    assert listed(desk, state="corrected") == [7]
    assert listed(desk, state="changed") == []


def test_by_label_with_any_subtype(desk):
    shown = [ask(desk, "desk-sentence", number=number)["labels"] for number in range(120)]
    assert listed(desk, label="obl") == [n for n, labels in enumerate(shown) if "obl" in labels]
    version = desk.journal[9].version
    ask(desk, "desk-save", number=9, version=version, word=1, label="obl:agent")
    assert 9 in listed(desk, label="obl")
    assert listed(desk, label="obl:agent") == [9]
    assert 9 in listed(desk, state="corrected")
    (line,) = ask(desk, "desk-list", label="obl:agent")["sentences"]
    assert line["corrected"] == 1
    assert listed(desk, label="nothing") == []


def test_by_verdict_and_by_what_looks_wrong(desk):
    seen = [ask(desk, "desk-sentence", number=number) for number in range(120)]
    for verdict in ("good", "doubtful", "poor"):
        assert listed(desk, verdict=verdict) == [n for n, one in enumerate(seen) if one["verdict"] == verdict]
    signs = [signs_of(one["tags"], one["heads"]) for one in seen]
    for bit, name in enumerate(("root", "noun", "function")):
        assert listed(desk, verdict=name) == [n for n, bits in enumerate(signs) if bits >> bit & 1]
    assert listed(desk, verdict="sign") == [n for n, bits in enumerate(signs) if bits]
    assert len({len(listed(desk, verdict=name)) for name in ("good", "poor", "sign")}) > 1


def test_the_least_sure_come_first_and_what_is_known_comes_last(desk):
    numbers = listed(desk, order="unsure")
    certainty = [ask(desk, "desk-sentence", number=number)["certainty"] for number in numbers]
    assert numbers[-1] == 3
    assert certainty[-1] is None
    assert certainty[:-1] == sorted(certainty[:-1])
    assert certainty[0] < certainty[-2]


@pytest.mark.parametrize(
    "wrong", [{"order": "x"}, {"state": []}, {"verdict": 1}, {"least": 0}, {"tag": 3}, {"size": 0}]
)
def test_a_wish_that_nobody_understands_is_refused(wrong, desk):
    with pytest.raises(DepinduceError, match="must be|needs a text"):
        ask(desk, "desk-list", **wrong)


@pytest.mark.parametrize(
    ("tags", "heads", "signs"),
    [
        ("NOUN VERB", [2, 0], 0),
        ("NOUN VERB", [0, 1], 1),
        ("NOUN ADJ", [2, 0], 2),
        ("DET NOUN VERB", [3, 1, 0], 4),
        ("DET NOUN VERB", [0, 1, 2], 1 + 4),
    ],
)
def test_what_looks_wrong_about_a_tree(tags, heads, signs):
    assert signs_of(tags.split(), heads) == signs


def test_the_verdict_on_a_sentence_has_the_bounds_of_that_on_a_text():
    assert [verdict_on(value) for value in (0.9, 0.55, 0.5, 0.45, 0.2, np.nan)] == [
        "good", "good", "doubtful", "doubtful", "poor", "",
    ]  # fmt: skip
