"""Where to look first: the lowest of all probabilities that a parse gives, however the file is cut into blocks."""

from __future__ import annotations

import pytest
from corpus.blocks import block, write

from depinduce import Parser
from depinduce.corpus import read_sentences
from depinduce.corpus.demo import demo_file
from depinduce.errors import DepinduceError
from depinduce.parsing import streams


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser.train(demo_file("train"), model="dmv", non_heads="ud", iterations=3)


def test_the_lowest_of_all_come_first_and_say_where_they_are(parser, monkeypatch):
    lines = demo_file("test").read_text("utf-8").split("\n")
    parses = parser.parse(read_sentences(demo_file("test")))
    values = sorted(value for parse in parses for value in parse.probabilities if value is not None)
    means = sorted(_mean(parse.probabilities) for parse in parses)
    found = parser.least_sure(demo_file("test"), 30)
    assert [arc.probability for arc in found.arcs] == pytest.approx(values[:30])
    assert [one.probability for one in found.sentences] == pytest.approx(means[:30])
    assert found.words == len(values) and found.mean == pytest.approx(sum(values) / len(values))
    for arc in found.arcs:
        number, word, *_ = lines[arc.line - 1].split("\t")
        assert word == arc.word
        head = lines[arc.line - 1 + arc.distance].split("\t")
        assert arc.distance == 0 or (head[0], head[1]) == (str(int(number) + arc.distance), arc.head)
    assert all(lines[one.line - 1].startswith("#") and one.sent_id in lines[one.line - 1] for one in found.sentences)
    monkeypatch.setattr(streams, "MOST_WORDS", 100)  # in many blocks
    again = parser.least_sure(demo_file("test"), 30)
    assert (again.arcs, again.sentences) == (found.arcs, found.sentences)


def test_a_file_of_punctuation_has_nothing_to_look_at(parser, tmp_path):
    path = write(tmp_path / "marks.conllu", block("!/PUNCT"))
    found = parser.least_sure(path, 3)
    assert (found.words, found.mean, found.sentences, found.arcs) == (0, 0.0, [], [])


def test_none_of_them_is_refused(parser):
    with pytest.raises(DepinduceError, match="--least-sure must be at least 1"):
        parser.least_sure(demo_file("test"), 0)


def _mean(values: list[float | None]) -> float:
    known = [value for value in values if value is not None]
    return sum(known) / len(known)
