"""A universal grammar that learns the order of a text before it parses it: as `--recipe adapt` on that text would."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from corpus.blocks import write
from learning.languages import TAGS, language, universal_of

from depinduce import Parser
from depinduce.corpus import Sentence, build_corpus, read_text
from depinduce.corpus.tagged import as_sentence
from depinduce.errors import DepinduceError
from depinduce.grammar.rules import Order
from depinduce.grammar.stacked import stacked
from depinduce.learning import adaptation
from depinduce.learning.adaptation import adapted, likeness
from depinduce.learning.held_out import ENOUGH, FEWEST, reading_of_few
from depinduce.learning.lesson import Lesson
from depinduce.learning.settings.configuration import configure
from depinduce.learning.settings.recipes import load_recipe
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
    assert totals.learned == "fewer than 10 sentences of up to 40 words: parsed in the universal order"


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


def words_of(*lengths: int) -> list[Sentence]:
    return [as_sentence([("word", "N"), *[("word", "D")] * (length - 1)]) for length in lengths]


@pytest.mark.parametrize(
    ("lengths", "max_length", "learned"),
    [
        ([3] * ENOUGH + [16] * 5, 15, ENOUGH),  # enough short ones
        ([3] * (ENOUGH - 2) + [16, 20, 20, 30, 41], 20, ENOUGH + 1),  # longer ones, and those as long as the last
        ([18] * 4 + [40, 41], 40, 5),  # all that are not far too long
        ([41] * 12, 15, 0),
    ],
)
def test_longer_sentences_are_learned_from_if_there_are_too_few_short_ones(lengths, max_length, learned):
    reading = reading_of_few(words_of(*lengths), replace(UNIVERSAL.reading, max_length=15))
    assert reading.max_length == max_length
    assert len(build_corpus(words_of(*lengths), reading)) == learned


@pytest.mark.parametrize("given", ["files", "sentences", "stdin"])
def test_training_and_parsing_learn_from_the_same_longer_sentences(given, universal, tmp_path, monkeypatch):
    some = sentences("final", 60)
    short = sorted(map(len, some))[30]  # so that too few are short enough
    path = text_file(tmp_path / "text.conllu", some)
    if given == "stdin":
        monkeypatch.setattr(sys, "stdin", path.open())
    source = {"files": [path], "sentences": some, "stdin": ["-"]}[given]
    configuration = configure(load_recipe("adapt") | {"init": ("universal", universal), "max_length": short - 1})
    lesson = Lesson.of(configuration, source)
    assert ENOUGH <= len(lesson.train) < 60
    assert lesson.configuration.reading.max_length == lesson.train.lengths.max() >= short
    model, _ = lesson.run().go()
    assert model.reading.max_length == lesson.train.lengths.max()
    limited = UNIVERSAL.with_reading(replace(UNIVERSAL.reading, max_length=short - 1))
    assert heads(Parser(model).parse(some)) == heads(Parser(limited).parse(some))


TINY = {  # with as many sentences as there are, a committee of count models
    "adapt": 'model = "committee"\ninit = ["universal", "{universal}"]\nfewest_sentences = 60\nleast_agreement = 0.1\n'
    'own_recipe = "{folder}/own.toml"\nstudent_recipe = "{folder}/student.toml"\n',
    "own": 'model = "dmv-sibling"\nladder = ["dmv"]\niterations = 3\nprior_strength = 10.0\n',
    "student": 'model = "dmv-sibling"\nladder = ["dmv-grand"]\niterations = 2\n',
}


def test_parsing_a_longer_text_gives_the_trees_of_the_committee(universal, tmp_path, monkeypatch):
    for name, text in TINY.items():
        write(tmp_path / f"{name}.toml", text.format(universal=universal, folder=tmp_path))
    monkeypatch.setattr(adaptation, "load_recipe", lambda name: load_recipe(str(tmp_path / f"{name}.toml")))
    some, told = sentences("final", 60), []
    trained = Parser.train(some, recipe=str(tmp_path / "adapt.toml"), report=told.append)
    assert list(trained.model.parts) == ["order-free", "own", "student"]
    wanted = heads(trained.parse(some))
    assert heads(Parser.load(universal).parse(some)) == wanted
    monkeypatch.setattr(streams, "QUICK", 0.0)
    seen: list[float] = []
    source, out = text_file(tmp_path / "text.conllu", some), tmp_path / "parsed.conllu"
    totals = Parser.load(universal).parse_file(
        source, out, report=lambda totals: seen.append(totals.learning), threads=2
    )
    assert [sentence.heads for sentence in read_text(out.read_text("utf-8"))] == wanted
    assert seen[0] < seen[-2] == 1.0 and seen[-1] is None
    agreed = f"its own grammar agrees with the order-free one in {trained.model.history['committee']['agreement']:.1%}"
    assert totals.learned.endswith(f"; {agreed} of the words and joined it")
    *_, likeness_told, verdict = told
    assert likeness_told.endswith(f"; {agreed} of the words and joined it")
    assert verdict.startswith("verdict: good")
