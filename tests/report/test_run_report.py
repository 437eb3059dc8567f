"""The report of a training: its numbers by other ways of counting, and a page that holds whatever names there are."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from corpus.blocks import block, write
from learning.tagged import random_table
from report.pages import Page

from depinduce.corpus import Vocabulary, read_sentences
from depinduce.grammar.rules import Order
from depinduce.models.calibration import Calibration
from depinduce.models.tag_model import GrammarModel
from depinduce.parsing import streams
from depinduce.parsing.decoding import Parsing
from depinduce.parsing.streams import parse_sentences
from depinduce.report.run_report.facts import Facts, gather
from depinduce.report.run_report.file_facts import MOST_TAGS, FileFacts, file_facts
from depinduce.report.run_report.heat_map import heat_map, shares_of_children
from depinduce.report.run_report.page import report_page
from depinduce.report.run_report.place import Place, SeedsOnDisk
from depinduce.report.run_report.seed_facts import seed_facts
from depinduce.report.run_report.style import STYLE
from depinduce.report.run_report.training_facts import training_facts

TAGS = ("NOUN", "VERB", "DET")
SENTENCES = [
    ("the/DET dog/NOUN barks/VERB ./PUNCT", [2, 3, 0, 3]),
    ("dogs/NOUN bark/VERB", [2, 0]),
    ("a/DET cat/NOUN sees/VERB the/DET dog/NOUN", [2, 3, 0, 5, 3]),
    ("dogs/NOUN bark/VERB", [2, 0]),
    ("look/VERB ,/PUNCT the/DET very/DET same/DET dog/NOUN !/PUNCT", [0, 1, 6, 6, 6, 1, 1]),
    ("cats/NOUN see/VERB dogs/NOUN and/X birds/NOUN", [2, 0, 2, 5, 3]),
]


def grammar(tags=TAGS, order: Order = Order.SIBLING, seed: int = 5, **options) -> GrammarModel:
    vocabulary = Vocabulary(tags, range(len(tags), 0, -1))
    return GrammarModel(order, vocabulary, random_table(order, len(tags), seed), **options)


def gold_file(folder: Path) -> Path:
    blocks = [f"# sent_id = s{number}\n" + block(*sentence) for number, sentence in enumerate(SENTENCES, start=1)]
    return write(folder / "gold.conllu", *blocks)


def of_file(folder: Path, model: GrammarModel | None = None, has_gold: bool = True, drawn: int = 2) -> FileFacts:
    path = str(gold_file(folder))
    return file_facts(model or grammar(), {}, path, read_sentences(path, trees=has_gold), has_gold, drawn)


def facts_of(model: GrammarModel, path: Path | None = None, has_gold: bool = False, **options) -> Facts:
    place = Place(Path("some") / options.pop("name", "grammar"), model, options.pop("seeds", None), None)
    return gather(place, None if path is None else str(path), has_gold, **options)


def page_of(facts: Facts) -> Page:
    return Page("".join(report_page(facts)))


def trees_of(file: FileFacts, heads: np.ndarray) -> list[list[tuple[str, str]]]:
    """The pairs (tag of the head, tag of the child) of every sentence, one by one."""
    trees = []
    for start, end in zip(file.offsets[:-1], file.offsets[1:], strict=True):
        tags, own = file.tags[start:end].tolist(), heads[start:end].tolist()
        trees.append([("ROOT" if head == 0 else tags[head - 1], tag) for head, tag in zip(own, tags, strict=True)])
    return trees


# ---------------------------------------------------------------- what a file holds


def test_words_are_read_without_punctuation_and_parsed_as_elsewhere(tmp_path):
    model = grammar()
    file = of_file(tmp_path, model)
    assert file.lengths.tolist() == [3, 2, 5, 2, 5, 5]
    assert file.punctuation == 3
    assert file.unknown_tags == ["X"]
    assert file.tag_counts == {"NOUN": 9, "DET": 6, "VERB": 6, "X": 1}
    assert file.gold[:10].tolist() == [2, 3, 0, 2, 0, 2, 3, 0, 5, 3]
    parsed, _ = parse_sentences(model, list(read_sentences(gold_file(tmp_path))), Parsing())
    assert file.heads[:3].tolist() == parsed[0][0].heads[:3]
    assert file.posteriors is None and of_file(tmp_path, has_gold=False).gold is None


def test_heads_and_children_are_counted_one_by_one(tmp_path):
    file = of_file(tmp_path)
    for counts, heads in ((file.arcs.grammar, file.heads), (file.arcs.gold, file.gold)):
        pairs = Counter(pair for tree in trees_of(file, heads) for pair in tree)
        expected = [[pairs[head, child] for child in file.arcs.tags] for head in file.arcs.heads]
        assert counts.tolist() == expected


def test_errors_are_counted_one_by_one(tmp_path):
    file = of_file(tmp_path)
    wrong = Counter()
    for ours, gold in zip(trees_of(file, file.heads), trees_of(file, file.gold), strict=True):
        wrong.update((child, right, found) for (found, child), (right, _) in zip(ours, gold, strict=True))
    right_heads = Counter(
        (tag, head, head)
        for tag, ours, gold, (head, _) in zip(
            file.tags, file.heads, file.gold, [pair for tree in trees_of(file, file.gold) for pair in tree], strict=True
        )
        if ours == gold
    )
    wrong -= right_heads
    assert {(error.child, error.right, error.wrong): error.times for error in file.errors} == dict(wrong)
    assert sum(wrong.values()) == int((file.heads != file.gold).sum()) > 0
    times = [error.times for error in file.errors]
    assert times == sorted(times, reverse=True)


def test_rare_tags_are_taken_together():
    tags = np.array([f"T{number}" for number in range(MOST_TAGS + 5) for _ in range(2)], dtype=object)
    chain = np.arange(len(tags))
    file = FileFacts("f", np.array([0, len(tags)]), tags, chain, None, np.ones(len(tags)), {}, 0, [], [], [])
    assert file.arcs.tags[-1] == "5 others"
    assert len(file.arcs.tags) == MOST_TAGS + 1
    assert file.arcs.grammar.sum() == len(tags)
    assert file.arcs.grammar[-1, -1] == 9  # ten of them in a row, the first under another


def test_blocks_change_nothing(tmp_path, monkeypatch):
    whole = of_file(tmp_path)
    monkeypatch.setattr(streams, "MOST_WORDS", 6)
    parts = of_file(tmp_path)
    np.testing.assert_array_equal(parts.heads, whole.heads)
    np.testing.assert_array_equal(parts.gold, whole.gold)
    assert (parts.best, parts.worst, parts.punctuation) == (whole.best, whole.worst, whole.punctuation)


@pytest.mark.parametrize("has_gold", [True, False])
def test_the_best_and_the_worst_sentences_are_drawn_and_none_twice(has_gold, tmp_path):
    file = of_file(tmp_path, has_gold=has_gold, drawn=3)
    drawn = [*file.best, *file.worst]
    assert len({tuple(picture.words) for picture in drawn}) == len(drawn) == 5  # of six, two have the same words

    def quality(picture) -> float:
        if has_gold:
            return picture.right / picture.scored
        return np.mean([posterior for posterior in picture.posteriors if posterior is not None])

    # Sentences with five words or more come before shorter ones, and better ones before worse ones.
    fit = [picture for picture in drawn if len(picture.words) - len(picture.punctuation) >= 5]
    assert file.best == fit == sorted(fit, key=quality, reverse=True)
    assert quality(file.worst[0]) <= quality(file.worst[1])
    assert {picture.name for picture in drawn} <= {"s1", "s2", "s3", "s4", "s5", "s6"}


def test_no_pictures_if_none_are_wanted(tmp_path):
    file = of_file(tmp_path, drawn=0)
    assert (file.best, file.worst) == ([], [])


# ---------------------------------------------------------------- heat maps


def test_shares_are_of_the_heads_of_each_child():
    shares = shares_of_children(np.array([[1, 0, 0], [3, 0, 2]]))
    assert shares.tolist() == [[0.25, 0, 0], [0.75, 0, 1]]


def test_a_heat_map_can_be_read_without_colours():
    shares = np.array([[0.25, -0.5], [0.004, 0]])
    rows = Page(heat_map(["ROOT", "A"], ["A", "B"], shares, "c", differences=True)).tables["c"]
    assert rows == [["head ↓child →", "A", "B"], ["ROOT", "+25", "−50"], ["A", "", ""]]


# ---------------------------------------------------------------- the training


def epoch(number: int, rung: int = 0, member: int = 0, max_length: int = 9, dev: float | None = -5.0, **more) -> dict:
    line = {"rung": rung, "model": "ndmv" if rung == 0 else "sibling", "member": member, "round": number}
    return line | {"max_length": max_length, "train": -10.0 - number, "dev": dev} | more


def test_rungs_and_members_are_told_apart_and_growing_sentences_left_out():
    lines = [epoch(number, member=member, max_length=7 + number) for member in (0, 1) for number in (1, 2)]
    lines += [epoch(1, rung=1, watched={"uas_15": 40.0}), epoch(2, rung=1, dev=-math.inf, watched={"uas_15": 50.0})]
    settings = {"model": "sibling", "init": ["harmonic"]}
    history = {"settings": settings, "round_name": "epoch", "rounds": lines, "watched": True}
    facts = facts_of(grammar(history=history))
    assert [(rung.model, len(rung.members)) for rung in facts.training.rungs] == [("ndmv", 2), ("sibling", 1)]
    page = page_of(facts)
    titles = [picture.get("aria-label") for picture in page.pictures]
    assert titles == ["Log-likelihood, ndmv", "Log-likelihood, sibling", "Watched attachment score, sibling"]
    ladder, last, watched = page.pictures
    name = "{http://www.w3.org/2000/svg}"
    assert [circle.find(f"{name}title").text for circle in ladder.iter(f"{name}circle")] == ["training"] * 2
    assert len([path for path in ladder.iter(f"{name}path") if path.find(f"{name}title") is not None]) == 2  # held out
    assert last.find(f"{name}desc").text == "training: from -11.00 to -12.00; held out: from -5.00 to -5.00"
    assert watched.find(f"{name}desc").text == "≤15 words: from 40.00 to 50.00"
    assert "Before epoch 2 it learned from short sentences only, first of up to 8 words." in page.text
    assert "Gold trees were watched" in page.text


def test_curves_of_a_watched_network_begin_before_its_first_epoch():
    before = {"train": -20.0, "dev": -9.0, "watched": {"uas_15": 30.0}}
    lines = [epoch(number, max_length=7 + number, watched={"uas_15": 40.0 + number}) for number in (1, 2, 3)]
    lines[0]["before"] = before
    page = page_of(facts_of(grammar(history={"settings": {}, "round_name": "epoch", "rounds": lines, "watched": True})))
    likelihood, scores = (picture.find("{*}desc").text for picture in page.pictures)
    assert likelihood.endswith("held out: from -9.00 to -5.00")
    assert scores == "≤15 words: from 30.00 to 43.00"
    assert "Before epoch 3 it learned from short sentences only, first of up to 8 words." in page.text


def test_changed_settings_come_first():
    settings = {"model": "dmv", "init": ["harmonic"], "non_heads": ["ud"], "threads": 2, "smoothing": 0.1, "old": 7}
    training = training_facts(Place(Path("x"), grammar(history={"settings": settings}), None, None))
    assert [fact.name for fact in training.settings if fact.changed] == ["non_heads", "max_length"]
    assert [fact.name for fact in training.settings[:3]] == ["model", "non_heads", "max_length"]
    by_name = {fact.name: fact for fact in training.settings}
    assert (by_name["non_heads"].value, by_name["non_heads"].default) == ("ud", "none")
    assert by_name["smoothing"].meaning == "pseudo-count of every rule"
    assert (by_name["old"].value, by_name["old"].default) == ("7", None)
    page = page_of(facts_of(grammar(history={"settings": settings})))
    assert [row[0] for row in page.table("All other settings have their defaults")[1:]] == [
        "model", "non_heads", "max_length"]  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "history", "told"),
    [
        ({"init": ["trees", "t.conllu"]}, {}, "The start learned from the trees of t.conllu: if people made them"),
        ({"init": ["model", "m"]}, {}, "The start learned from the parses of another model, m."),
        ({"init": ["hdp-dep", "ud"]}, {}, "The start learned from the parses of HDP-DEP with the rules ud."),
        ({"init": ["hdp-dep"]}, {}, "The start learned from the parses of HDP-DEP without rules."),
        (
            {},
            {"rules": [{"rules": "ud", "found": 0.8125, "wanted": 0.8, "dual": 1}]},
            "Rules ud: 81.2% of the dependen",
        ),
        ({"non_heads": ["ud"], "constraint": ["start"]}, {}, "Function-word constraint: ud (in start, not when it par"),
        ({}, {}, "No function-word constraint: every tag may have children."),
        ({}, {}, "No gold tree was watched during the training."),
    ],
)
def test_what_it_was_told(settings, history, told):
    history = {"settings": {"model": "dmv", "init": ["harmonic"]} | settings} | history
    assert told in page_of(facts_of(grammar(history=history))).text


def test_the_constraint_is_told_by_its_tags():
    settings = {"model": "sibling", "init": ["harmonic"], "constraint": ["start", "parsing"]}
    staged = grammar(non_heads=("DET",), history={"settings": settings})
    assert "DET may not have children (in start, parsing)." in page_of(facts_of(staged)).text
    page = page_of(facts_of(grammar(non_heads=("DET", "ADP"))))
    assert "Function-word constraint: DET may not have children." in page.text
    assert "It was told that these have no children: DET." in page.text


def test_a_model_from_nowhere_has_a_report():
    page = page_of(facts_of(grammar()))
    assert "The model does not remember how it was trained." in page.text
    assert "there are no curves to draw" in page.text
    assert "No file was given to try it on" in page.text
    assert page.ids[::2] == ["settings", "corpus", "curves", "scores", "rules"]


def test_a_model_of_another_version_has_a_report():
    settings = {"model": "dmv-of-tomorrow", "init": ["sunrise"]}
    page = page_of(facts_of(grammar(history={"settings": settings, "rounds": []})))
    assert "dmv-of-tomorrow" in page.text


# ---------------------------------------------------------------- the page


def test_every_number_of_a_tag_is_on_the_page(tmp_path):
    facts = facts_of(grammar(), gold_file(tmp_path), has_gold=True)
    page = page_of(facts)
    tags = {row[0]: row[1:] for row in page.table("Tags of gold.conllu")[1:]}
    assert tags["NOUN"] == ["9", "40.9", "50.0"]  # 9 of 22, and 3 of 6 in the vocabulary
    assert tags["X"] == ["1", "4.5", "0.0"]
    roots = {row[0]: row[1:] for row in page.table("The tags of the words that are roots")[1:]}
    assert roots["VERB"][1] == "100.0"
    assert sum(float(row[0]) for row in roots.values()) == pytest.approx(100, abs=0.3)
    assert "Tags that training has not seen are parsed like an average tag: X." in page.text
    assert "6 sentences with 22 words, and 3 punctuation marks that it leaves out" in page.text
    assert page.ids[::2][:7] == ["settings", "corpus", "curves", "scores", "sureness", "arcs", "roots"]


def test_probabilities_stand_beside_what_became_of_them(tmp_path):
    path = gold_file(tmp_path)
    line = Calibration((0.5, 1.0), (0.25, 0.5), "trees")
    model = grammar(history={"calibration": line.to_json()})
    page = page_of(facts_of(model, path, has_gold=True))
    (trees, _), right = parse_sentences(model, list(read_sentences(path)), Parsing(posteriors=True)), []
    for (tree,), (_, gold) in zip(trees, SENTENCES, strict=True):
        values = zip(tree.probabilities, tree.heads, gold, strict=True)
        right += [(value, head == wanted) for value, head, wanted in values if value is not None]
    rows = [row for row in page.table("Arcs by their probabilities")[1:] if row[0] == "calibrated"]
    assert sum(int(row[2]) for row in rows) == len(right) == 22
    for _, low, arcs, mean, share in rows:
        inside = [one for one in right if float(low) <= one[0] < float(low) + 0.1]
        assert int(arcs) == len(inside)
        assert float(mean) == pytest.approx(np.mean([value for value, _ in inside]), abs=0.006)
        assert float(share) == pytest.approx(np.mean([is_right for _, is_right in inside]), abs=0.006)
    assert "calibrated on gold trees, without a look at these trees" in page.text
    without = page_of(facts_of(grammar(), path, has_gold=True))
    assert {row[0] for row in without.table("Arcs by their probabilities")[1:]} == {"its own"}
    assert "sureness" not in page_of(facts_of(grammar(), path)).ids


def test_without_gold_trees_the_surest_are_drawn(tmp_path):
    page = page_of(facts_of(grammar(), gold_file(tmp_path), drawn=1))
    assert "There were no gold trees to compare with." in page.text
    assert "Surest sentences" in page.text and "Least sure sentences" in page.text
    assert "gold head" not in page.text
    assert sum("mean probability of an arc" in caption for caption in page.captions) == 2


HOSTILE = ("<script>alert(1)<!--", "\"'&<b>", "ROOT", "عربي")


def test_hostile_names_are_text_and_not_markup(tmp_path):
    nasty, quotes, root, arabic = HOSTILE
    words = [f"{nasty}/{nasty}", f'a"onload="x/{quotes}', f"]]>/{root}", f"كلب/{arabic}", f"<b></svg>/{nasty}"]
    text = "# sent_id = <img src=x>\n" + block(" ".join(words), [2, 0, 2, 3, 4])
    path = write(tmp_path / "<i>&.conllu", text)
    settings = {"model": "dmv", "init": ["model", nasty], "non_heads": [quotes]}
    history = {"settings": settings, "training_data": {"sentences": 1, "words": 5}, "watched": True}
    model = grammar(HOSTILE, history=history, non_heads=(quotes,))
    for has_gold in (True, False):
        facts = facts_of(model, path, has_gold, name="<script>")
        source = "".join(report_page(facts))
        page = Page(source)
        assert len(page.scripts) == 1 and "alert" not in page.scripts[0]
        assert "<script>alert" not in source and "<img" not in source
        assert f"{nasty} takes" in page.text
        assert any("<img src=x>" in caption for caption in page.captions)
        assert [row[0] for row in page.table("Tags of <i>&.conllu")[1:]][0] == nasty


def test_a_page_is_one_document_for_light_dark_and_paper(tmp_path):
    source = "".join(report_page(facts_of(grammar(), gold_file(tmp_path), has_gold=True)))
    assert source.count("<style>") == source.count("<script>") == source.count("<h1>") == 1
    assert source.count("prefers-color-scheme:dark") == 4  # of pages, of reports, of trees and of curves
    assert "@media print" in source
    assert len(source) < 120_000


def test_bars_that_are_compared_have_one_scale():
    """On a screen and on paper, whatever their kind."""
    lengths = re.findall(r"(?<!slim )td\.bar([^{ ]*) i\{[^}]*width:\d+px", STYLE)
    assert lengths == ["", ""]


def test_rules_of_words_are_not_listed():
    facts = replace(facts_of(grammar()), rules=None, about_rules="This is a grammar over words.")
    assert "This is a grammar over words." in page_of(facts).text


# ---------------------------------------------------------------- seeds


def test_seeds_are_compared_by_their_trees(tmp_path):
    file = of_file(tmp_path)
    other = file.heads.copy()
    other[:3] = file.gold[:3]
    file = replace(file, other_seeds={4: other})
    lines = [{"seed": 4, "train": -3.0}, {"seed": 7, "train": -2.0}, {"seed": 9, "train": -4.0}]
    seeds = seed_facts(SeedsOnDisk(tmp_path, "train", 7, lines), file)
    assert [(line.seed, line.kept) for line in seeds.lines] == [(4, False), (7, True), (9, False)]
    assert seeds.seeds_parsed == [4, 7]
    same = float(np.mean(other == file.heads))
    assert seeds.agreement.tolist() == [[1.0, same], [same, 1.0]]
    assert seeds.mean_agreement == same < 1
    scores = [100 * np.mean(heads == file.gold) for heads in (other, file.heads)]
    assert seeds.column("all") == pytest.approx(scores)
    mean, sd = seeds.mean_and_sd("all")
    assert (mean, sd) == pytest.approx((np.mean(scores), abs(scores[0] - scores[1]) / math.sqrt(2)))
    assert seeds.mean_and_sd("train") == pytest.approx((-3.0, 1.0))
    assert seeds.mean_and_sd("dev") is None
