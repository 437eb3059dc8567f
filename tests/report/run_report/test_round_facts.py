"""Round by round: the page shows, of every round that was kept, the tree that its grammar finds, and its rules."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
from cli.demo_parts import demo_part, depinduce
from report.pages import Page

from depinduce import Parser
from depinduce.corpus import read_sentences
from depinduce.corpus.conllu import UPOS
from depinduce.errors import DepinduceError
from depinduce.models.loading import load_grammar
from depinduce.models.places import kept_rounds
from depinduce.report.run_report import round_facts as module
from depinduce.report.run_report.facts import gather
from depinduce.report.run_report.page import report_page
from depinduce.report.run_report.place import open_place
from depinduce.report.run_report.round_facts import MOST_STEPS, chosen, round_facts, short_ones

ROUNDS = 5


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("rounds")
    train = demo_part(folder / "train.conllu", count=60)
    demo_part(folder / "gold.conllu", "dev", 40)
    options = ("--model", "dmv", "--non-heads", "ud", "--iterations", ROUNDS)
    assert depinduce("train", "--train", train, *options, "--keep-rounds", "--out", folder / "grammar") == 0
    return folder


def facts_of(folder: Path, has_gold: bool = True, drawn: int = 3):
    return gather(open_place(folder / "grammar"), str(folder / "gold.conllu"), has_gold, drawn)


def steps_on(page: str) -> list[list[tuple[str, list[int]]]]:
    """What the page itself shows: of every sentence, the title of every round and the heads of its picture."""
    figures = re.findall(r'<figure class="growth">(.*?)</figure>', page, re.DOTALL)
    shown = []
    for figure in figures:
        steps = re.findall(r'<div class="step" data-title="([^"]*)">.*?(<svg.*?</svg>)', figure, re.DOTALL)
        shown.append([(title, heads_in(picture)) for title, picture in steps])
    return shown


def heads_in(picture: str) -> list[int]:
    """The heads of the arcs that are drawn above the words, in the order of the words."""
    arcs = re.findall(r'<g class="dep-arc([^"]*)" data-head="(\d+)" data-child="(\d+)"', picture)
    heads = {int(child): int(head) for kind, head, child in arcs if "dep-gold" not in kind}
    return [heads[child] for child in sorted(heads)]


def test_every_round_shows_the_tree_that_its_grammar_finds(folder):
    facts = facts_of(folder)
    places = kept_rounds(folder / "grammar")
    assert [place.name for place in places] == [f"00-{number:04}" for number in range(ROUNDS + 1)]
    assert facts.rounds is not None and len(facts.rounds.sentences) == 3
    parsers = [Parser.load(place) for place in places]
    sentences = list(read_sentences(folder / "gold.conllu"))
    for steps in facts.rounds.sentences:
        assert len(steps) == ROUNDS + 1
        for step, parser in zip(steps, parsers, strict=True):
            (parse,) = parser.parse([sentences[step.picture.number - 1]])
            assert step.picture.heads == parse.heads
            assert step.log_probability == pytest.approx(parse.log_probability)


def test_the_page_has_the_tree_of_every_round(folder):
    facts = facts_of(folder)
    source = "".join(report_page(facts))
    Page(source)
    names = ["the start", *(f"iteration {number}" for number in range(1, ROUNDS + 1))]
    expected = []
    for steps in facts.rounds.sentences:
        titles = [f"{name}: {step.picture.right} of {step.picture.scored} heads right"
                  for name, step in zip(names, steps, strict=True)]  # fmt: skip
        expected.append([(title, step.picture.heads) for title, step in zip(titles, steps, strict=True)])
    assert steps_on(source) == expected


def test_the_rules_are_those_of_the_table_of_the_round(folder):
    facts = facts_of(folder)
    for steps in facts.rounds.sentences:
        for place, step in zip(kept_rounds(folder / "grammar"), steps, strict=True):
            grammar = load_grammar(place)
            root = next(rule for rule in step.rules if rule.text.startswith("the root is "))
            tag = root.text.removeprefix("the root is ")
            assert root.probability == pytest.approx(math.exp(grammar.table.root[grammar.tags.id(tag)]))
            assert len(step.rules) == sum(head >= 0 for head in step.picture.gold)
    probabilities = {tuple(rule.probability for rule in step.rules) for step in facts.rounds.sentences[0]}
    assert len(probabilities) == ROUNDS + 1


@pytest.mark.parametrize("has_gold", [True, False])
def test_sentences_that_won_or_changed_the_most_come_first(has_gold, folder):
    short: list = []
    list(short_ones(read_sentences(folder / "gold.conllu"), short))
    facts = round_facts(kept_rounds(folder / "grammar"), short, has_gold, len(short))
    ranks = []
    for steps in facts.sentences:
        changes = sum(one.picture.heads != other.picture.heads for one, other in zip(steps, steps[1:], strict=False))
        right = [wanted(step.picture.heads, short, step.picture.number) for step in (steps[0], steps[-1])]
        ranks.append((right[1] - right[0], changes) if has_gold else (changes,))
    assert ranks == sorted(ranks, reverse=True) and ranks[0] > ranks[-1]
    words = [tuple(steps[0].picture.words) for steps in facts.sentences]
    assert len(set(words)) == len(words)


def wanted(heads: list[int], sentences: list, number: int) -> int:
    """How many words have the head of the file, punctuation not counted."""
    sentence = dict(sentences)[number]
    tags = sentence.column(UPOS)
    return sum(head == gold for head, gold, tag in zip(heads, sentence.heads, tags, strict=True) if tag != "PUNCT")


def test_a_slider_can_be_used_by_keyboard_and_paper_shows_the_first_and_the_last(folder):
    source = "".join(report_page(facts_of(folder)))
    assert source.count('<input type="range" min="0" max="5" step="1" value="5" aria-label="Round of the training') == 3
    assert ".step{display:none" in source and ".step:first-child,.step:last-child{display:block}" in source
    assert re.search(r"@media screen\{\n\.live \.slider\{display:flex\}", source)  # which only a script makes live


def test_without_gold_trees_nothing_is_called_right(folder):
    shown = steps_on("".join(report_page(facts_of(folder, has_gold=False))))
    assert [title for title, _ in shown[0]] == ["the start", *(f"iteration {number}" for number in range(1, 6))]


def test_without_a_file_the_page_asks_for_one_and_without_rounds_it_says_nothing(folder):
    place = open_place(folder / "grammar")
    assert "The grammars of 6 rounds were kept. Name a file" in "".join(report_page(gather(place)))
    other = "".join(report_page(gather(open_place(folder / "grammar" / "model"))))
    assert "How the trees came to be" not in other and "growth" not in other


def test_a_damaged_round_is_told_with_what_to_do(folder, tmp_path):
    broken = tmp_path / "rounds" / "00-0000"
    broken.mkdir(parents=True)
    (broken / "model.json").write_text("{")
    with pytest.raises(DepinduceError, match=f"Or remove {broken.parent}"):
        round_facts(kept_rounds(tmp_path), [], False, 1)


@pytest.mark.parametrize("counts", [[7], [MOST_STEPS], [200], [101, 1, 40], [2] * 40])
def test_few_of_many_rounds_are_shown_the_first_and_the_last_of_every_rung_among_them(counts):
    rungs = [f"{rung:02}" for rung, count in enumerate(counts) for _ in range(count)]
    numbers = chosen(rungs)
    assert numbers == sorted(set(numbers))
    assert len(numbers) <= max(MOST_STEPS, 2 * len(counts))
    ends = np.cumsum(counts)
    assert {*(ends - counts).tolist(), *(ends - 1).tolist()} <= set(numbers)
    if sum(counts) <= MOST_STEPS:
        assert numbers == list(range(sum(counts)))


def test_the_sentences_that_are_read_are_short_and_not_too_many(folder, monkeypatch):
    monkeypatch.setattr(module, "MOST_READ", 3)
    short: list = []
    everything = list(short_ones(read_sentences(folder / "gold.conllu"), short))
    assert len(everything) == 40 and len(short) == 3
    assert all(everything[number - 1] is sentence and 4 <= len(sentence) <= 10 for number, sentence in short)
