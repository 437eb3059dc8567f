"""Learning from some trees: they are never broken, they weigh enough, and whole ones are supervised counts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from chart.state_enumeration import enumerate_states
from chart.test_states import assert_same, random_batch, random_rules
from parameters import some_now

from depinduce.chart.states import state_expectations
from depinduce.corpus import Corpus, Reading, in_vocabulary, read_text
from depinduce.corpus.known_heads import KnownHeads
from depinduce.errors import DepinduceError
from depinduce.grammar.trees import tree_counts
from depinduce.learning.given_trees import ALONE, HALF, corpus_with_trees, share_of_trees, usual_weight
from depinduce.learning.lesson import Lesson
from depinduce.learning.run import Run
from depinduce.learning.settings.configuration import configure
from depinduce.learning.training import growing_lengths
from depinduce.models.table import models
from depinduce.parsing.decoding import Parsing, parse_corpus

TEXT = [
    "the/DET old/ADJ dog/NOUN barks/VERB", "she/PRON sees/VERB a/DET cat/NOUN", "dogs/NOUN sleep/VERB well/ADV",
    "a/DET cat/NOUN sleeps/VERB in/ADP the/DET house/NOUN", "they/PRON saw/VERB the/DET big/ADJ dog/NOUN",
]  # fmt: skip
ODD = [0, 1, 2, 3]  # a chain to the right, that no grammar would find by itself
SMALL = {"epochs": 3, "batch_size": 10}
SIZES = {"size": 6, "child_rank": 4, "decision_rank": 3}


def block(sentence: str, heads: list[int | str] | None = None, extra: str = "_") -> str:
    words = [word.split("/") for word in sentence.split()]
    heads = heads or ["_"] * len(words)
    lines = [
        f"{i}\t{w}\t_\t{t}\t_\t_\t{h}\t_\t_\t{extra}"
        for i, ((w, t), h) in enumerate(zip(words, heads, strict=True), start=1)
    ]
    return "\n".join(lines) + "\n\n"


def sentences(*blocks: str):
    return list(read_text("".join(blocks), "trees.conllu"))


def text(times: int = 1):
    return sentences(*(block(one) for one in TEXT * times))


def taught(weight: int | None = None, times: int = 1, heads: list[int | str] | None = None) -> Corpus:
    return corpus_with_trees(text(times), sentences(block(TEXT[0], heads or ODD)), Reading(), weight=weight)


# ---------------------------------------------------------------- which sentences, and how often


def test_a_sentence_that_is_in_the_text_too_counts_once_and_as_often_as_it_weighs():
    corpus = taught(weight=3)
    assert len(corpus) == 4 + 3 and corpus.counted_once == (5, 22) and corpus.is_given.sum() == 3
    assert corpus.known is not None and corpus.known.heads[-12:].tolist() == ODD * 3
    assert (corpus.known.heads[:-12] == -1).all()
    assert corpus.tag_vocabulary.counts == taught(weight=1).tag_vocabulary.counts
    other_tag = sentences(block(TEXT[0].replace("ADJ", "NOUN"), ODD))
    assert corpus_with_trees(text(), other_tag, Reading(), weight=1).counted_once[0] == 6


def test_few_trees_weigh_more_than_many_and_together_never_more_than_the_text():
    assert usual_weight(10, 5000) == 5000 // HALF and usual_weight(HALF, 10 * HALF) * HALF == 10 * HALF
    assert usual_weight(1000, 5000) * 1000 == 5000
    assert usual_weight(10, 0) == ALONE // 10 and usual_weight(10_000, 0) == usual_weight(100, 100) == 1


def test_trees_weigh_as_much_as_the_text_of_their_language_only():
    en, fr, trees = text(20), text(10), sentences(*[block(TEXT[2], [2, 0, 2])] * 2, block(TEXT[0], ODD))
    for one, language in zip((*en, *fr, *trees), ["en"] * 100 + ["fr"] * 50 + ["en", "en", "fr"], strict=True):
        one.language = language
    corpus = corpus_with_trees([*en, *fr], trees, Reading(), languages=("en", "fr"))
    assert corpus.language is not None and corpus.about_trees() == {"sentences": 3, "whole": 3, "arcs": 10, "times": 2}
    assert corpus.language[corpus.is_given].tolist() == [0, 0] * usual_weight(2, 98) + [1] * usual_weight(1, 49)
    assert share_of_trees(corpus).tolist() == [2 / (2 + HALF), 1 / (1 + HALF)]


def test_one_sentence_of_which_no_head_can_be_learned_makes_no_text_of_the_others():
    """Its tree is lost; beside it the others would count once."""
    assert usual_weight(99, 1) == usual_weight(99, 0) > 1
    assert share_of_trees(taught(weight=7)) == [1 / (1 + HALF)] and share_of_trees(taught().as_text) == [0]


def test_what_no_tree_can_have_is_told_with_its_line_and_the_rest_is_learned_from():
    trees = sentences(block(TEXT[1], [2, 0, 2, 3]), block(TEXT[0], [3, 3, 4, 0]))
    with pytest.warns(UserWarning, match=r"one head is not learned from.*\n  trees.conllu:4: .*heads nothing"):
        corpus = corpus_with_trees(text(), trees, Reading(), non_heads=("DET",), weight=1)
    assert corpus.known is not None and corpus.known.heads[-8:].tolist() == [2, 0, 2, -1, 3, 3, 4, 0]
    many = sentences(*(block(TEXT[3], [3, 4, 0, 0, 0, 0]) for _ in range(3)))
    with pytest.warns(UserWarning, match=r"12 heads are not learned from.*(?s:.*)… and 7 more"):
        corpus_with_trees(text(), many, Reading(), weight=1)
    with pytest.raises(DepinduceError, match="no sentence with a head"):
        corpus_with_trees(text(), text(), Reading())
    with pytest.raises(DepinduceError, match="circle"):
        corpus_with_trees(text(), sentences(block(TEXT[2], [2, 1, 0])), Reading())


def test_trees_take_part_in_all_rounds_of_growing_lengths():
    settings = configure({"model": "ndmv", "grow_from": 2}).learning
    long = block(" ".join(TEXT), [0, *range(1, 22)])
    corpus = corpus_with_trees(text(), sentences(long), Reading(max_length=6))
    assert growing_lengths(settings, corpus) == [3, 4, 5]
    assert growing_lengths(settings, corpus_with_trees([], sentences(long), Reading(max_length=6))) == []


def test_enough_trees_do_what_members_and_short_sentences_are_for():
    settings = {"model": "sibling", "ladder": ("ndmv",), "members": 3, "grow_from": 2}
    longer = block(" ".join(TEXT), [0, *range(1, 22)])
    for trees, members, growing in ((2, 3, True), (3, 1, False)):  # 44 and 66 heads
        corpus = corpus_with_trees(text(), sentences(longer * trees), Reading(max_length=6), weight=5)
        rungs = Run(configure(settings), corpus).rungs
        assert sum(rung.model == "ndmv" for rung in rungs) == members == rungs[0].members
        assert bool(growing_lengths(rungs[0].settings, corpus)) is growing


# ---------------------------------------------------------------- learning


def run(model: str, corpus: Corpus, **settings):
    small = SMALL if models()[model].network else {"iterations": 2}
    known = configure({"model": model}).values()
    sizes = {name: size for name, size in SIZES.items() if name in known}
    return Run(configure({"model": model, **small, **sizes, **settings}), corpus)


ONE_LANGUAGE = [name for name in models() if name not in ("polyglot", "committee", "order-free")]
AT_ONCE = ("dmv-grand", "hdp-dep", "sibling")


@some_now("model", AT_ONCE, later=[name for name in ONE_LANGUAGE if name not in AT_ONCE])
def test_every_model_learns_what_it_is_shown(model):
    pytest.importorskip("torch")
    lexical = {"min_count": 1} if models()[model].sees_words else {}
    shown, _ = run(model, taught(weight=300), **lexical).go()
    blind, _ = run(model, taught(weight=300).as_text, **lexical).go()
    tree = taught(weight=1).select(taught(weight=1).is_given).as_text
    assert parse_corpus(shown, tree, Parsing()).tolist() == ODD != parse_corpus(blind, tree, Parsing()).tolist()
    assert shown.history["training_data"]["trees"] == {"sentences": 1, "whole": 1, "arcs": 4, "times": 300}


def test_whole_trees_alone_are_supervised_counts():
    corpus = corpus_with_trees([], sentences(block(TEXT[0], ODD), block(TEXT[2], [2, 0, 2])), Reading(), weight=1)
    training = run("dmv-sibling", corpus, init=("uniform",))
    training.climb()
    (learner,) = training.training.learners
    data = learner.sentences(corpus, "training").all()
    counts = learner.counts(data, data.problem(learner.table).expect())
    expected = tree_counts(learner.table, data.batch, np.array([*ODD, 2, 0, 2]))
    for found, wanted in zip(counts.parts, expected.parts, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-12)


@pytest.mark.parametrize("model", ["order-free", "committee"])
def test_a_universal_grammar_gives_way_to_trees(model):
    settings = {"model": model, "init": ("universal",), "non_heads": ("ud",), "trees_weight": 300}
    trees = sentences(*(block(TEXT[2], [2, 3, 0]) for _ in range(20)))
    found = {}
    for name, given in (("shown", trees), ("blind", None)):
        parsed, _ = Lesson.of(configure(settings), text(4), trees=given).run().go()
        only = corpus_with_trees([], trees[:1], Reading(), weight=1)
        found[name] = parse_corpus(parsed, in_vocabulary(only.as_text, parsed.tags), Parsing()).tolist()
    assert found == {"shown": [2, 3, 0], "blind": [2, 0, 2]}


def test_labels_of_trees_are_learned():
    labelled = "".join(
        f"{i}\t{w}\t_\t{t}\t_\t_\t{h}\t{r}\t_\t_\n"
        for i, (w, t, h, r) in enumerate([("dogs", "NOUN", 2, "agent"), ("bark", "VERB", 0, "root")], start=1)
    )
    lesson = Lesson.of(configure({"model": "dmv", "iterations": 1}), text(), trees=sentences(labelled + "\n"))
    model, _ = lesson.run().go()
    assert "agent" in str(model.history["labels"])
    assert Lesson.of(configure({"model": "dmv"}), text(), trees=sentences(block(TEXT[0], ODD))).labels is None


# ---------------------------------------------------------------- the chart with hidden states


def test_hidden_states_keep_to_what_is_possible():
    rules, batch = random_rules(5), random_batch(5)
    heads = [2, 0, -1, -1, -1, -1, 3, -1, -1, -1, 1, -1, 0, -1]
    refused = [(), (), (), (), (0,), (), (), (2,), (), (), (), (), (), ()]
    known = KnownHeads.of(heads, refused)
    root, arc = known.possible(batch.offsets)
    batch = replace(batch, may_be_root=root, may_be_arc=arc)
    assert_same(state_expectations(rules, batch, positions=True), enumerate_states(rules, batch))
