"""Labels that are counted in trees."""

from __future__ import annotations

import json
import random
from itertools import islice

import pytest
from corpus.blocks import block
from real_data import REAL_DATA

from depinduce.corpus import Reading, Sentence, read_sentences, read_text
from depinduce.corpus.demo import demo_file
from depinduce.labels import Labeller, LearnedLabels, learn_labels, main_type, relation_table
from depinduce.labels.learned import LEVELS, STRENGTH
from depinduce.models.model_files import how_made

READING = Reading()


def trees(*blocks: str) -> list[Sentence]:
    return list(read_text("".join(blocks)))


def learned(*blocks: str) -> LearnedLabels:
    found = learn_labels(trees(*blocks), READING)
    assert found is not None
    return found


def labels(labeller: Labeller, made: Sentence) -> list[str]:
    return labeller.labels(made, made.heads, READING)


def share_right(labeller: Labeller, gold: list[Sentence]) -> float:
    pairs = [
        (main_type(found), main_type(label))
        for made in gold
        for found, label in zip(labels(labeller, made), made.column(8), strict=True)
    ]
    return 100 * sum(found == label for found, label in pairs) / len(pairs)


def test_a_treebank_with_other_names_is_learned_from_few_trees():
    old_style = block("she/PRON sees/VERB dogs/NOUN", [2, 0, 2], labels=["nsubj", "root", "dobj"])
    (other,) = trees(block("men/NOUN like/VERB Ada/PROPN", [2, 0, 2]))
    assert labels(relation_table(), other) == ["nsubj", "root", "obj"]
    assert labels(learned(old_style * 3), other) == ["nsubj", "root", "dobj"]


def test_where_nothing_was_seen_the_table_decides():
    found = learned(block("she/PRON sees/VERB dogs/NOUN", [2, 0, 2], labels=["nsubj", "root", "dobj"]) * 9)
    (other,) = trees(block("the/DET old/ADJ men/NOUN", [3, 3, 0]))
    assert labels(found, other) == ["det", "amod", "root"]


def test_shares_are_mixed_from_coarse_to_fine():
    """Counted by hand: `obj` by the table, then once `dobj` in every context: 1/(1+2), then 1/3 + 2/3 · 1/3, …"""
    found = learned(block("sees/VERB dogs/NOUN", [0, 1], labels=["root", "dobj"]))
    assert STRENGTH == 2.0
    share = 0.0
    for _ in range(LEVELS):
        share = (1 + STRENGTH * share) / (1 + STRENGTH)
    assert 1 - share < share  # (2/3)^5 is left of the table's label
    (same,) = trees(block("likes/VERB cats/NOUN", [0, 1]))
    assert labels(found, same) == ["root", "dobj"]
    (less_alike,) = trees(block("cats/NOUN likes/VERB dogs/PROPN", [2, 0, 2]))  # only the coarsest context was seen
    assert labels(found, less_alike) == ["nsubj", "root", "obj"]


def test_function_words_and_features_tell_relations_apart():
    to, by = (
        block(f"go/VERB {word}/ADP Rome/PROPN", [0, 3, 1], labels=["root", "case", label])
        for word, label in (("to", "obl:goal"), ("by", "obl:agent"))
    )
    found = learned(to * 5, by * 5)
    assert [labels(found, made)[2] for made in trees(to, by)] == ["obl:goal", "obl:agent"]


def test_the_main_relation_is_chosen_before_its_subtype():
    phrase = "dogs/NOUN bark/VERB"
    given = [("nsubj:a", 2), ("nsubj:b", 3), ("csubj", 4)]
    found = learned(*(block(phrase, [2, 0], labels=[label, "root"]) * times for label, times in given))
    assert labels(found, trees(block(phrase, [2, 0]))[0]) == ["nsubj:b", "root"]


def test_trees_without_labels_teach_nothing():
    bare = block("she/PRON sees/VERB dogs/NOUN", [2, 0, 2])
    plain = block("she/PRON sees/VERB dogs/NOUN", [2, 0, 2], labels=["dep", "root", "dep"])
    assert learn_labels(trees(bare, plain), READING) is None
    half = block("she/PRON sees/VERB dogs/NOUN", [2, 0, "_"], labels=["nsubj", "root", "obj"])
    assert learned(bare, plain, half).arcs == 1


def test_it_survives_json():
    gold = list(read_sentences(demo_file("train")))
    found = learn_labels(gold[:50], READING)
    assert found is not None
    again = LearnedLabels.from_json(json.loads(json.dumps(found.to_json())))
    for made in gold[50:150]:
        assert labels(again, made) == labels(found, made)


@pytest.mark.parametrize(
    "values", [{}, {"counts": [{}] * 4}, {"counts": [{"a": {"b": 0}}] * 5}, {"counts": [{"a": 3}] * 5}, {"counts": 5}]
)
def test_what_is_no_count_is_refused(values):
    with pytest.raises((ValueError, KeyError)):
        LearnedLabels.from_json(values)


def test_a_model_with_damaged_labels_is_refused():
    description = {"reading": {}, "non_heads": [], "history": {"labels": {"counts": [{}] * LEVELS}}}
    assert how_made(description)["history"] == description["history"]
    description["history"]["labels"]["counts"].pop()
    with pytest.raises(ValueError, match="learned labels are counts in 5 kinds of contexts"):
        how_made(description)


def test_labels_of_some_trees_are_better_than_the_table_in_the_demo():
    found = learn_labels(islice(read_sentences(demo_file("train")), 60), READING)
    gold = list(read_sentences(demo_file("test")))
    assert found is not None
    assert share_right(found, gold) > share_right(relation_table(), gold) + 1


@pytest.mark.slow
@pytest.mark.parametrize(("language", "at_least"), [("fr", 86), ("pl", 84), ("eu", 74)])
def test_a_hundred_trees_of_ud_one_suffice(language, at_least):
    folder = REAL_DATA / "ud14" / language
    if not folder.exists():
        pytest.skip(f"no real treebank at {folder}")
    hundred = random.Random(0).sample(list(read_sentences(folder / "train.conllu")), 100)
    found, gold = learn_labels(hundred, READING), list(read_sentences(folder / "dev.conllu"))
    assert found is not None
    assert share_right(found, gold) > max(at_least, share_right(relation_table(), gold) + 10)
