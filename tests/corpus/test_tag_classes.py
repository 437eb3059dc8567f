"""Coarse classes of tags, of the Penn Treebank and of Universal Dependencies."""

from __future__ import annotations

import pytest

from depinduce.corpus.tag_classes import TAG_CLASSES, family, in_class


@pytest.mark.parametrize(
    ("name", "tags"),
    [
        ("noun", "NN NNS NNP NNPS NOUN PROPN NOUN+Case=Nom"),
        ("verb", "VB VBD VBG MD VERB AUX VERB+VerbForm=Fin"),
        ("noun-verb", "NN VBZ NOUN AUX"),
        ("open", "NN JJ RB VB ADJ INTJ"),
        ("closed", "DT IN TO CC PRP ADP SCONJ CCONJ AUX"),
    ],
)
def test_tags_belong_to_classes(name, tags):
    assert in_class(tags.split(), name).all()


@pytest.mark.parametrize("name", TAG_CLASSES)
def test_other_tags_belong_to_none(name):
    assert not in_class(["N", "V", "nn", "X", "PUNCT", "."], name).any()


def test_nouns_are_no_verbs_and_pronouns_neither():
    assert not in_class(["VB", "VERB", "PRP", "PRON", "DT"], "noun").any()
    assert not in_class(["NN", "NOUN", "PRP", "PRON", "JJ"], "verb").any()


@pytest.mark.parametrize("tags", ["NN NNS NOUN PROPN", "VB MD VERB AUX", "JJ JJR ADJ", "CC CONJ CCONJ"])
def test_kinds_of_one_tag_are_a_family(tags):
    assert len({family(tag) for tag in tags.split()}) == 1


def test_families_differ():
    tags = ["NN", "VB", "JJ", "RB", "PRP", "DT", "IN", "CD", "CC", "Q"]
    assert len({family(tag) for tag in tags}) == len(tags)
