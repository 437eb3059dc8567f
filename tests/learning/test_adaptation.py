"""A universal grammar that learns the order of a text before it parses it: as `--recipe adapt` on that text would."""

from __future__ import annotations

import numpy as np
import pytest
from corpus.blocks import write
from learning.languages import TAGS, language, universal_of

from depinduce import Parser
from depinduce.corpus import Sentence, read_text
from depinduce.corpus.tagged import as_sentence
from depinduce.errors import DepinduceError
from depinduce.grammar.rules import Order
from depinduce.grammar.stacked import stacked
from depinduce.learning.adaptation import FEWEST, adapted, likeness
from depinduce.parsing import streams

UNIVERSAL = universal_of(("final", "initial", "mixed"))


def sentences(order: str, count: int, seed: int = 4) -> list[Sentence]:
    corpus, _ = language(order, count, seed)
    pieces = np.split(corpus.tags, corpus.offsets[1:-1])
    return [as_sentence([("word", TAGS[tag]) for tag in piece]) for piece in pieces]


def text_file(path, some: list[Sentence]):
    return write(path, "".join(sentence.render([0] * len(sentence), ended=True) for sentence in some))


@pytest.fixture(scope="module")
def universal(tmp_path_factory) -> str:
    place = tmp_path_factory.mktemp("universal") / "model"
    UNIVERSAL.save(place)
    return str(place)


def heads(parses) -> list[list[int]]:
    return [parse.heads for parse in parses]


@pytest.mark.parametrize("count", [FEWEST, 60])
def test_parsing_a_text_gives_the_trees_of_adapt_on_the_same_text(universal, count, tmp_path):
    some = sentences("final", count)
    trained = Parser.train(some, recipe="adapt", init=("universal", universal))
    wanted = heads(trained.parse(some))
    assert heads(Parser.load(universal).parse(some)) == wanted
    source = text_file(tmp_path / "text.conllu", some)
    totals = Parser.load(universal).parse_file(source, tmp_path / "parsed.conllu")
    assert [sentence.heads for sentence in read_text((tmp_path / "parsed.conllu").read_text("utf-8"))] == wanted
    assert f"learned the order of the language from {count} sentences; it is most like " in totals.learned
    assert wanted != heads(Parser.load(universal).parse(some, adapt=False))


def test_few_sentences_have_the_universal_order(universal, tmp_path):
    some = sentences("final", FEWEST - 1)
    parser = Parser.load(universal)
    assert heads(parser.parse(some)) == heads(parser.parse(some, adapt=False))
    totals = parser.parse_file(text_file(tmp_path / "text.conllu", some), tmp_path / "parsed.conllu")
    assert totals.learned == "fewer than 10 sentences of up to 15 words: parsed in the universal order"


@pytest.mark.parametrize("bound", ["MOST_LEARNED", "MOST_LEARNED_WORDS"])
def test_only_the_first_sentences_are_learned_from_and_all_are_parsed(bound, universal, monkeypatch):
    some = sentences("final", 60)
    most = {"MOST_LEARNED": 20, "MOST_LEARNED_WORDS": sum(map(len, some[:20]))}
    monkeypatch.setattr(streams, bound, most[bound])
    first = Parser(adapted(UNIVERSAL, some[:20])[0])
    assert heads(Parser.load(universal).parse(some)) == heads(first.parse(some))


def test_a_language_that_it_knows_is_not_learned_anew(universal):
    some = sentences("final", 20)
    for sentence in some:
        sentence.language = "initial"
    model, told = adapted(UNIVERSAL, some)
    assert model is UNIVERSAL and not told
    by_name = Parser.load(universal, language="initial")
    assert heads(Parser.load(universal).parse(some)) == heads(by_name.parse(some))


def test_tags_that_few_sentences_lack_are_known_from_the_others(universal):
    some = [as_sentence("a/N b/V")] * FEWEST
    model, _ = adapted(UNIVERSAL, some)
    assert set(model.tags) == set(TAGS)
    trained = Parser.train(some, recipe="adapt", init=("universal", universal))
    assert set(trained.tags) == set(TAGS)


def test_a_text_with_other_tags_is_refused(universal):
    with pytest.raises(DepinduceError, match="that model knows none of the tags X Y"):
        Parser.load(universal).parse(["a/X b/Y"] * FEWEST)
    with pytest.raises(DepinduceError, match=r"--init universal .*: that model knows none of the tags"):
        Parser.train(["a/X b/Y"] * FEWEST, recipe="adapt", init=("universal", universal))


def test_the_nearest_language_has_the_likeliest_rules():
    languages = {order: adapted(UNIVERSAL, sentences(order, 100, seed=9))[0] for order in ("final", "initial")}
    table = stacked(language.table for language in languages.values())
    order = languages["final"].tags.ids(TAGS)
    assert order.tolist() == languages["initial"].tags.ids(TAGS).tolist()
    known = type(UNIVERSAL).of(Order.FIRST, languages["final"].tags, ("final", "initial"), table, UNIVERSAL.pool)
    for name in ("final", "initial"):
        text, _ = language(name, 30, seed=10)
        numbered = known.tags.ids(TAGS)[text.tags]
        corpus = type(text)(**vars(text) | {"tags": numbered, "tag_vocabulary": known.tags})
        found = likeness(known, known.in_language(name), corpus)
        assert found.nearest[0][0] == name
        assert 0 < found.changed < 1
