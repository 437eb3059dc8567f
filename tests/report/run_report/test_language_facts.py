"""Languages in a report: what is said of their orders, of a file by language, and of a grammar that was adapted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from corpus.blocks import block, write
from insight.known_orders import with_sides
from learning.languages import TAGS, language
from report.pages import Page

from depinduce.corpus import Corpus
from depinduce.models.model import Model
from depinduce.models.polyglot_model import PolyglotModel
from depinduce.report.run_report import language_facts
from depinduce.report.run_report.facts import Facts, gather
from depinduce.report.run_report.page import report_page
from depinduce.report.run_report.place import in_memory

SVG = "{http://www.w3.org/2000/svg}"
HISTORY = {"training_data": {"sentences": 60, "words": 300, "languages": {"l0": 10, "l1": 20, "l2": 30}}}


def universal(*left: float) -> PolyglotModel:
    return replace(with_sides(*left), history=HISTORY)


def text_of(corpus: Corpus, heads: np.ndarray, language: str = "") -> str:
    """The sentences of a corpus as a file."""
    blocks = []
    for start, end in zip(corpus.offsets[:-1], corpus.offsets[1:], strict=True):
        words = " ".join(f"x/{TAGS[tag]}" for tag in corpus.tags[start:end])
        blocks.append(block(words, heads[start:end].tolist()))
    return (f"# language = {language}\n" if language else "") + "".join(blocks)


def facts_of(model: Model, path: Path | None = None, has_gold: bool = False) -> Facts:
    return gather(in_memory(model, "grammar"), None if path is None else str(path), has_gold, drawn=0)


def page_of(facts: Facts) -> Page:
    return Page("".join(report_page(facts)))


def test_every_language_is_told_with_its_sentences_and_its_order():
    facts = facts_of(universal(0.9, 0.2, 0.5))
    page = page_of(facts)
    columns, *rows, mean = page.table("In percent, languages from left to right")
    assert [row[:2] for row in rows] == [["l1", "20"], ["l2", "30"], ["l0", "10"]]
    assert {row[0]: set(row[3:]) for row in rows} == {"l0": {"90"}, "l1": {"20"}, "l2": {"50"}}
    head, child = (TAGS[number] for number in facts.languages.order.most_frequent(1)[0])
    assert columns[3] == f"{child} before {head}" and mean[0] == "universal"
    assert "It knows 3 languages." in page.text and "in 3 languages: it saw tags" in page.text


def test_the_plane_names_all_languages_and_its_axes():
    page = page_of(facts_of(universal(0.9, 0.2, 0.5)))
    (plane,) = [picture for picture in page.pictures if "Languages by the order" in picture.findtext(f"{SVG}title")]
    names = {text.text for text in plane.iter(f"{SVG}text") if "curve-name" in text.get("class")}
    assert names == {"l0", "l1", "l2"}
    assert plane.findtext(f"{SVG}desc") == "From left to right: l1 l2 l0."
    assert "this axis tells 100% of all differences" in page.text
    assert not any("Languages by" in picture.findtext(f"{SVG}title") for picture in two_languages().pictures)


def test_a_network_is_also_told_by_the_vectors_of_its_languages():
    draw = np.random.default_rng(1).normal
    network = {"languages.vectors": draw(size=(3, 2)), "languages.maps": draw(size=(5, 4, 2))}
    facts = facts_of(replace(universal(0.9, 0.2, 0.5), pool=None, network=network))
    page = page_of(facts)
    assert "It knows 3 languages, each with rules of its own" in page.text
    titles = [picture.findtext(f"{SVG}title") for picture in page.pictures]
    assert "Languages by their vectors" in titles and "Languages by the order of heads and children" in titles
    assert facts.languages.plane_of_vectors.points.shape == (3, 2)


def two_languages() -> Page:
    page = page_of(facts_of(universal(0.9, 0.2)))
    assert page.table("In percent. ")
    return page


def test_a_grammar_of_one_language_has_no_such_part():
    facts = facts_of(universal(0.9, 0.2, 0.5).in_language("l0"))
    assert facts.languages is None and facts.adaptation is None
    assert "languages compared" not in page_of(facts).text


def test_a_file_of_known_languages_is_told_language_by_language(tmp_path):
    model = universal(0.9, 0.1, 0.5)
    final, initial = language("final", 12, seed=1), language("initial", 8, seed=2)
    path = write(tmp_path / "both.conllu", text_of(*final, "l0"), text_of(*initial, "l1"))
    facts = facts_of(model, path, has_gold=True)
    assert facts.learned == "" and facts.adaptation is None
    one, other = facts.languages.in_file
    assert (one.name, one.sentences, one.words) == ("l0", 12, len(final[0].tags))
    for found, (corpus, gold), name in ((one, final, "l0"), (other, initial, "l1")):
        ours, mean = (heads_by(grammar, corpus) for grammar in (model.in_language(name), model.rule_view()))
        assert found.uas == pytest.approx(100 * np.mean(ours == gold))
        assert found.as_universal == pytest.approx(np.mean(ours == mean))
    told = page_of(facts).table("Each sentence is parsed by the rules of its language")
    assert [row[0] for row in told] == ["language", "l0", "l1"]


def heads_by(grammar: Model, corpus: Corpus) -> np.ndarray:
    return grammar.problem(corpus).best_trees().heads[0]


def test_a_universal_grammar_learns_the_order_of_a_file_and_says_what(tmp_path):
    model = universal(0.8, 0.7, 0.6)
    path = write(tmp_path / "new.conllu", text_of(*language("initial", 60, seed=3)))
    facts = facts_of(model, path)
    page = page_of(facts)
    assert "it looked at the sentences: learned the order of the language from 60 sentences" in page.text
    found = facts.adaptation
    assert found.order.left[TAGS.id("V"), TAGS.id("N")] < found.order.mean[TAGS.id("V"), TAGS.id("N")] - 0.2
    assert found.order.nearest[0][0] == "l2" and found.read == 60
    rows = page.table("What differs most from the mean of all languages")[1:]
    order, here, mean, _ = rows[0]
    child, _, head = order.split()
    assert here == f"{100 * found.order.left[TAGS.id(head), TAGS.id(child)]:.0f}" and int(here) < int(mean)
    assert any("this language lies nearest to l2" in picture.findtext(f"{SVG}desc", "") for picture in page.pictures)


def test_a_grammar_that_was_adapted_is_told_beside_its_universal_grammar(tmp_path, monkeypatch):
    start = universal(0.8, 0.7, 0.6)
    start.save(tmp_path / "start")
    made = {"settings": {"model": "order-free", "init": ["universal", str(tmp_path / "start")]}}
    grammar = replace(with_sides(0.1, 0.2).in_language("l0"), history=made)
    facts = facts_of(grammar)
    assert facts.languages is None and facts.adaptation.likeness is None
    page = page_of(facts)
    assert [row[0] for row in page.table("The most similar of the known languages")[1:]] == ["l2", "l1", "l0"]
    assert f"universal grammar ({tmp_path / 'start'}), which other languages have taught" in page.text
    path = write(tmp_path / "text.conllu", text_of(*language("initial", 30, seed=3)))
    monkeypatch.setattr(language_facts, "MOST_COMPARED", 20)
    compared = facts_of(grammar, path).adaptation
    assert compared.read == 20 and len(compared.likeness.nearest) == 3
    assert f"{compared.likeness.changed:.1%} have another head" in page_of(facts_of(grammar, path)).text
    gone = replace(grammar, history={"settings": {"model": "order-free", "init": ["universal", "gone"]}})
    assert facts_of(gone).adaptation is None
