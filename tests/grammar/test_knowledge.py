"""Rule sets: what the shipped ones say, which dependencies they match, and how faults in a file are told."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from depinduce.corpus import Vocabulary
from depinduce.errors import DepinduceError
from depinduce.grammar.knowledge import Knowledge, Matches, load_knowledge, rule_set_names
from depinduce.grammar.rules import LEFT, RIGHT

UNKNOWN = -1  # of a vocabulary, and the last place in its matches

# Naseem, Chen, Barzilay and Johnson (2010), table 1
UNIVERSAL = """
    Root Auxiliary   Root Verb        Verb Noun      Verb Pronoun   Verb Adverb    Verb Verb        Auxiliary Verb
    Noun Adjective   Noun Article     Noun Noun      Noun Numeral   Preposition Noun   Adjective Adverb
"""
ENGLISH = {  # theirs for English
    "either": "Root MD  Root VBD  Root VBP  Root VBZ",
    "left": "NN POS  NNS JJ  POS NNP  VBD NNS  VBD PRP  VBP NNS  VBP PRP  VBZ NN  VBZ PRP",
    "right": "MD VB  TO VB  VBN IN  VBD TO  VBD VBN  VBP VBN  VBZ VBN",
}


# What each of their categories is in the tags of the Penn Treebank, of which there are 36 for words, and in those of
# Universal Dependencies; tags that are in none match no rule.
PENN_CATEGORIES = {
    "Noun": "NN NNS NNP NNPS VBG", "Verb": "VB VBD VBN VBP VBZ", "Auxiliary": "MD", "Adjective": "JJ JJR JJS",
    "Adverb": "RB RBR RBS WRB", "Article": "DT WDT PRP$", "Numeral": "CD", "Preposition": "IN TO", "Pronoun": "PRP WP",
    "Conjunction": "CC",
}  # fmt: skip
PENN_IN_NONE = "EX FW LS PDT POS RP SYM UH WP$"
UD_CATEGORIES = {
    "Noun": "NOUN PROPN", "Verb": "VERB", "Adjective": "ADJ", "Adverb": "ADV", "Article": "DET", "Numeral": "NUM",
    "Preposition": "ADP", "Pronoun": "PRON", "Function": "AUX PART SCONJ",
}  # fmt: skip
UD_IN_NONE = "CONJ CCONJ INTJ PUNCT SYM X"
UD_RULES = """
    Root Verb        Verb Noun       Verb Pronoun   Verb Adverb    Verb Verb        Verb Function
    Noun Adjective   Noun Article    Noun Noun      Noun Numeral   Noun Preposition
    Pronoun Preposition   Adjective Adverb
"""


def pairs(text: str) -> set[tuple[str, str]]:
    words = text.split()
    return set(zip(words[::2], words[1::2], strict=True))


def vocabulary(*tags: str) -> Vocabulary:
    return Vocabulary(tags, [1] * len(tags))


def matched_arcs(matches: Matches, tags: Vocabulary) -> set[tuple[int, str, str]]:
    """direction, head, child; ? is a tag that nobody knows"""
    names = [*tags, "?"]
    return {(int(side), names[head], names[child]) for side, head, child in np.argwhere(matches.arc)}


def write(tmp_path: Path, text: str) -> str:
    path = tmp_path / "mine.toml"
    path.write_text(text, "utf-8")
    return str(path)


# ---------------------------------------------------------------- the shipped rule sets


def test_three_rule_sets_come_with_the_package():
    assert rule_set_names() == ["english", "penn", "ud"]
    assert {name: load_knowledge(name).share for name in rule_set_names()} == {"english": 0.25, "penn": 0.8, "ud": 0.8}


def test_penn_has_the_thirteen_universal_rules():
    penn = load_knowledge("penn")
    assert len(penn.rules) == 13
    assert {(head, child) for _, head, child in penn.rules} == pairs(UNIVERSAL)
    assert {side for side, _, _ in penn.rules} == {"either"}
    assert all(name in penn.categories for rule in pairs(UNIVERSAL) for name in rule if name != "Root")


def test_the_english_rules_are_twenty_and_have_sides():
    english = load_knowledge("english")
    assert len(english.rules) == 20
    for side, text in ENGLISH.items():
        assert {(head, child) for found, head, child in english.rules if found == side} == pairs(text)
    assert not english.categories


def test_ud_has_the_rules_with_content_words_as_heads():
    ud = load_knowledge("ud")
    assert {(head, child) for _, head, child in ud.rules} == pairs(UD_RULES)
    assert {side for side, _, _ in ud.rules} == {"either"}


@pytest.mark.parametrize(
    ("name", "categories", "in_none", "tags"),
    [("penn", PENN_CATEGORIES, PENN_IN_NONE, 36), ("ud", UD_CATEGORIES, UD_IN_NONE, 18)],
)
def test_every_tag_is_in_its_category_and_no_other(name, categories, in_none, tags):
    knowledge = load_knowledge(name)
    assert {category: set(members) for category, members in knowledge.categories.items()} == {
        category: set(members.split()) for category, members in categories.items()
    }
    known = " ".join([*categories.values(), in_none]).split()
    assert len(known) == len(set(known)) == tags  # none is forgotten
    assert all(knowledge.category(tag) == tag for tag in in_none.split())


@pytest.mark.parametrize("name", ["penn", "ud"])
def test_every_name_in_a_rule_of_ours_is_a_category_that_has_tags(name):
    knowledge = load_knowledge(name)
    used = {name for _, *names in knowledge.rules for name in names} - {"Root"}
    assert used <= set(knowledge.categories)
    assert all(knowledge.categories.values())


def test_in_penn_function_words_head_and_in_ud_content_words():
    english = vocabulary("NN", "VBZ", "IN", "MD", "DT")
    penn = matched_arcs(load_knowledge("penn").matches(english), english)
    assert (RIGHT, "IN", "NN") in penn and (RIGHT, "MD", "VBZ") in penn
    assert not any(head == "NN" and child == "IN" for _, head, child in penn)
    universal = vocabulary("NOUN", "VERB", "ADP", "AUX", "DET")
    ud = matched_arcs(load_knowledge("ud").matches(universal), universal)
    assert (LEFT, "NOUN", "ADP") in ud and (LEFT, "VERB", "AUX") in ud
    assert not any(head in ("ADP", "AUX", "DET") for _, head, _ in ud)


# ---------------------------------------------------------------- matches


def test_rules_match_by_category_or_tag_and_on_their_side():
    knowledge = Knowledge(
        "mine",
        {"Noun": ("NN", "NNS"), "Verb": ("VB",)},
        (
            ("either", "Root", "Verb"),
            ("either", "Verb", "Noun"),
            ("left", "Noun", "DT"),
            ("right", "NN", "IN"),
            ("left", "Verb", "MD"),  # which does not occur
        ),
    )
    tags = vocabulary("IN", "NN", "VB", "DT", "NNS")
    matches = knowledge.matches(tags)
    assert matched_arcs(matches, tags) == {
        (LEFT, "VB", "NN"), (LEFT, "VB", "NNS"), (RIGHT, "VB", "NN"), (RIGHT, "VB", "NNS"),
        (LEFT, "NN", "DT"), (LEFT, "NNS", "DT"), (RIGHT, "NN", "IN"),
    }  # fmt: skip
    assert [tag for tag, found in zip([*tags, "?"], matches.root, strict=True) if found] == ["VB"]


def test_an_unknown_tag_matches_nothing():
    matches = load_knowledge("penn").matches(vocabulary("NN", "VBZ"))
    assert matches.root.shape == (3,) and matches.arc.shape == (2, 3, 3)
    assert not matches.root[UNKNOWN]
    assert not matches.arc[:, UNKNOWN].any() and not matches.arc[:, :, UNKNOWN].any()
    assert matches.root.any() and matches.arc.any()


def test_rules_about_categories_match_where_categories_are_the_symbols():
    penn, tags = load_knowledge("penn"), vocabulary("NN", "VBZ", "MD", "FW")
    symbols = vocabulary(*(penn.category(tag) for tag in tags))
    assert list(symbols) == ["Noun", "Verb", "Auxiliary", "FW"]
    by_tag, by_category = penn.matches(tags), penn.matches(symbols)
    assert np.array_equal(by_tag.arc, by_category.arc) and np.array_equal(by_tag.root, by_category.root)


def test_a_rule_set_may_be_about_roots_alone(tmp_path):
    matches = load_knowledge(write(tmp_path, '[either]\nRoot = ["V"]')).matches(vocabulary("N", "V"))
    assert matches.root.tolist() == [False, True, False]
    assert not matches.arc.any()


# ---------------------------------------------------------------- files


def test_a_file_of_the_user_is_read(tmp_path):
    text = 'share = 0.6\n[categories]\nV = ["VB"]\n[right]\nV = ["N", "P"]\n[either]\nRoot = ["V"]\n'
    knowledge = load_knowledge(write(tmp_path, text))
    assert knowledge.share == 0.6
    assert Counter(knowledge.rules) == Counter([("either", "Root", "V"), ("right", "V", "N"), ("right", "V", "P")])
    assert (knowledge.category("VB"), knowledge.category("N")) == ("V", "N")


def test_without_a_share_most_dependencies_should_match(tmp_path):
    assert load_knowledge(write(tmp_path, '[either]\nV = ["N"]')).share == 0.8


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[eithr]\nV = ["N"]', "what is [eithr]? The tables of a rule set are: categories, either, left, right."),
        ('rules = "V N"\n[either]\nV = ["N"]', "what is [rules]?"),
        ('[categories]\nA = ["X", "Y"]\nB = ["Z", "Y"]\n[either]\nA = ["B"]', "the tag Y is in the categories twice"),
        ('[left]\nRoot = ["V"]', "Root has no sides. Put its children under [either]."),
        ('[right]\nV = ["N"]\nRoot = ["V"]', "Root has no sides."),
        ('[either]\nV = "N"', 'V = \'N\' is not a list of names. Write: V = ["A", "B"]'),
        ("[either]\nV = [1]", "V = [1] is not a list of names."),
        ('[categories]\nV = "VB"\n[either]\nV = ["N"]', "V = 'VB' is not a list of names."),
        ("", 'no rule. Write lines such as: Verb = ["Noun"], under [either]'),
        ('[categories]\nV = ["VB"]', "no rule."),
        ("[either]\nV = []", "no rule."),
        ('share = 1.5\n[either]\nV = ["N"]', "share = 1.5 is not a number between 0 and 1. Write: share = 0.8"),
        ('share = 0.0\n[either]\nV = ["N"]', "share = 0.0 is not a number between 0 and 1."),
        ('share = "most"\n[either]\nV = ["N"]', "share = 'most' is not a number between 0 and 1."),
        ('[either\nV = ["N"]', "not a TOML file"),
        ('[either]\nV = ["N"]\nV = ["P"]', "not a TOML file"),
    ],
)
def test_faults_in_a_file_are_told_with_its_name(text, message, tmp_path):
    path = write(tmp_path, text)
    with pytest.raises(DepinduceError) as refusal:
        load_knowledge(path)
    assert message in str(refusal.value)
    assert path in str(refusal.value)


def test_a_toml_error_speaks_of_rules(tmp_path):
    with pytest.raises(DepinduceError) as refusal:
        load_knowledge(write(tmp_path, "[either"))
    assert "epochs" not in str(refusal.value)  # which is a setting of a training, not a rule


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pen", "There are no rules 'pen'. Did you mean penn? Rules: english, penn, ud, or the path of a .toml file."),
        ("latin", "There are no rules 'latin'. Rules: "),
        ("nowhere.toml", "nowhere.toml: No such file or directory"),
    ],
)
def test_unknown_rules_are_refused_with_the_known_ones(name, message):
    with pytest.raises(DepinduceError) as refusal:
        load_knowledge(name)
    assert message in str(refusal.value)


def test_rules_that_match_no_tag_of_the_corpus_are_refused():
    with pytest.raises(DepinduceError) as refusal:
        load_knowledge("penn").matches(vocabulary("NOUN", "VERB", "DET"))
    message = "--rules penn: no rule matches any of the tags NOUN VERB DET. Choose another column with --tags"
    assert message in str(refusal.value)
