"""The table of relations: what its rules call arcs, and how often that is right."""

from __future__ import annotations

import re
from collections import Counter
from importlib import resources
from pathlib import Path

import pytest
from corpus.blocks import block
from labels.test_arcs import sentence
from real_data import REAL_DATA

from depinduce.corpus import Reading, Sentence, read_sentences, read_text
from depinduce.corpus.demo import demo_file
from depinduce.labels import main_type, relation_table
from depinduce.labels.arcs import arcs_of
from depinduce.labels.table import Rule

# The relations of Universal Dependencies, version 2: universaldependencies.org/u/dep
RELATIONS = (
    "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated expl fixed "
    "flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum root vocative xcomp"
)
TAGS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"
LANGUAGES = ["eu", "fi", "fr", "ja", "pl", "ru"]


def labels(made: Sentence) -> list[str]:
    return relation_table().labels(made, made.heads, Reading())


@pytest.mark.parametrize(
    ("words", "heads", "expected"),
    [
        ("the/DET old/ADJ dog/NOUN barks/VERB ./PUNCT", [3, 3, 4, 0, 4], "det amod nsubj root punct"),
        ("she/PRON gave/VERB the/DET dog/NOUN in/ADP town/NOUN", [2, 0, 4, 2, 6, 2], "nsubj root det obj case obl"),
        ("cats/NOUN ,/PUNCT dogs/NOUN and/CCONJ mice/NOUN", [0, 3, 1, 5, 1], "root punct conj cc conj"),
        ("he/PRON has/AUX been/AUX a/DET king/NOUN", [5, 5, 5, 5, 0], "nsubj aux cop det root"),
        ("he/PRON has/AUX slept/VERB", [3, 3, 0], "nsubj aux root"),
        ("Ada/PROPN King/PROPN wrote/VERB two/NUM notes/NOUN", [3, 1, 0, 5, 3], "nsubj flat root nummod obj"),
        ("dogs/NOUN that/SCONJ bark/VERB bite/VERB", [4, 3, 1, 0], "nsubj mark acl root"),
        ("cats/NOUN CONJ/CONJ dogs/NOUN", [0, 1, 1], "root cc conj"),  # as in UD 1, on the first conjunct
        ("a/Foo b/Bar", [2, 0], "dep root"),
    ],
)
def test_arcs_have_the_names_that_one_expects(words, heads, expected):
    assert labels(sentence(words, heads)) == expected.split()


def test_cases_decide_where_there_are_some():
    made = sentence("a/NOUN b/NOUN c/NOUN d/VERB", [4, 4, 4, 0], {1: "Case=Acc", 2: "Case=Nom", 3: "Case=Dat"})
    assert labels(made) == ["obj", "nsubj", "iobj", "root"]


def test_what_is_called_once_goes_to_the_first_from_the_left():
    assert labels(sentence("a/NOUN b/NOUN c/VERB d/NOUN", [3, 3, 0, 3])) == ["nsubj", "obj", "root", "obl"]


def test_unknown_heads_have_no_label():
    made = sentence("a/DET b/NOUN c/VERB", [2, 3, 0])
    assert relation_table().labels(made, [2, -1, 0], Reading()) == ["det", "_", "root"]


def test_every_relation_is_one_of_universal_dependencies():
    assert {rule.label for rule in relation_table().rules} <= set(RELATIONS.split())


def test_every_tag_and_condition_of_the_table_is_one_that_there_is():
    for rule in relation_table().rules:
        for tags in (rule.child, rule.head, rule.children, rule.without, rule.siblings, rule.between, rule.led_by):
            assert tags <= set(TAGS.split()), rule
        assert rule.side in ("", "left", "right"), rule
        assert all(re.fullmatch(r"[A-Z]\w+(=[A-Z]\w+)?", feature) for feature in rule.features), rule
    text = (resources.files("depinduce.labels") / "relations.toml").read_text("utf-8")
    explained = text[: text.index("\n[tags]")]
    for condition in set(Rule.__dataclass_fields__) - {"label"}:
        assert re.search(rf"\b{condition}\b", explained), condition


def accuracy(path: Path) -> tuple[float, float]:
    """How many labels of gold trees are right, by the commonest of each tag in the same file and by the table, in %."""
    by_tag: dict[str, Counter[str]] = {}
    right = words = 0
    for made in read_sentences(path):
        gold = [main_type(label) for label in made.column(8)]
        for tag, label, found in zip(made.column(4), gold, labels(made), strict=True):
            by_tag.setdefault(tag, Counter())[label] += 1
            right, words = right + (label == found), words + 1
    commonest = sum(counts.most_common(1)[0][1] for counts in by_tag.values())
    return 100 * commonest / words, 100 * right / words


def test_the_table_is_far_better_than_the_commonest_label_of_each_tag_in_the_demo():
    by_tag, by_rule = accuracy(demo_file("test"))
    assert by_rule > by_tag + 10


def real_trees(language: str) -> Path:
    path = REAL_DATA / "ud2" / language / "dev.conllu"
    if not path.exists():
        pytest.skip(f"no real treebank at {path}")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_is_far_better_than_the_commonest_label_of_each_tag(language):
    by_tag, by_rule = accuracy(real_trees(language))
    assert by_rule > by_tag + 15


@pytest.mark.slow
def test_every_rule_is_mostly_right_about_what_no_rule_before_it_names():
    rules = relation_table().rules
    named, right = Counter[int](), Counter[int]()
    for language in LANGUAGES:
        for made in read_sentences(real_trees(language)):
            taken: dict[int, frozenset[str]] = {}
            for arc in arcs_of(made, made.heads, Reading()):
                before = taken.get(arc.head, frozenset())
                number = next((n for n, rule in enumerate(rules) if rule.fits(arc, before)), None)
                if number is not None:
                    taken[arc.head] = before | {rules[number].label}
                    named[number] += 1
                    right[number] += main_type(made.column(8)[arc.child]) == rules[number].label
    for number, rule in enumerate(rules):
        assert named[number] >= 20, rule
        assert right[number] / named[number] > 0.3, (rule, right[number], named[number])


def test_a_sentence_in_two_readings_has_the_same_labels_by_its_universal_tags():
    (made,) = read_text(block("the/DET dog/NOUN barks/VERB", [2, 3, 0], xpos=["DT", "NN", "VBZ"]))
    other = Reading(tags="xpos", map="penn")
    assert relation_table().labels(made, made.heads, other) == labels(made) == ["det", "nsubj", "root"]
    assert len(arcs_of(made, made.heads, other)) == 2
