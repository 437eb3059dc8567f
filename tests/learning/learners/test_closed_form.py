"""Count models: where they start, what they may not use, and how they go on after an interruption."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from learning.tagged import random_table, tagged, tree_above
from learning.trainings import (
    CORPUS,
    COUNT_MODELS,
    HELD_OUT,
    count_run,
    same_table,
    stopped_at_its_start,
    trained_counts,
)

from depinduce.chart.engine import best_trees, log_partition
from depinduce.corpus import Corpus, Vocabulary
from depinduce.errors import DepinduceError
from depinduce.evaluation.trees import find_cycle, projective_sentences
from depinduce.grammar.multinomials import Multinomials
from depinduce.grammar.rules import GO, Order, RuleCounts, RuleTable, tag_batch
from depinduce.grammar.trees import tree_counts
from depinduce.learning.harmonic import harmonic_table
from depinduce.learning.settings.counts import CountSettings
from depinduce.learning.starts import in_vocabulary
from depinduce.models.loading import load_model
from depinduce.models.table import entry
from depinduce.models.tag_model import GrammarModel
from depinduce.parsing.decoding import Parsing, parse_corpus

every_model = pytest.mark.parametrize("model", COUNT_MODELS)


def first_table(settings: CountSettings, corpus: Corpus = CORPUS) -> RuleTable:
    """The rules that a training starts with."""
    return stopped_at_its_start(settings, corpus)[1].table


def first_counts(settings: CountSettings, corpus: Corpus) -> RuleCounts:
    """The counts of the trees that a training starts with."""
    run, model = stopped_at_its_start(settings, corpus)
    batch = tag_batch(settings.order, corpus.tags, corpus.offsets, len(corpus.tag_vocabulary))
    return tree_counts(model.table, batch, run.heads)


# ---------------------------------------------------------------- what is learnt

CHILDREN = {"V": ("N", "NP"), "N": ("DA", "P"), "P": ("", "N"), "D": ("", ""), "A": ("", "")}  # left, right
FIRST_CHILD = {"V": (0.7, 0.7), "N": (0.7, 0.2), "P": (0, 0.95), "D": (0, 0), "A": (0, 0)}
ANOTHER_CHILD = 0.2


def grow(tag: str, rng: np.random.Generator) -> tuple[list[str], list[int]]:
    """The tags and heads of a tree that the planted grammar generates below `tag`."""
    sides = []
    for children, go in zip(CHILDREN[tag], FIRST_CHILD[tag], strict=True):
        trees = []
        while rng.random() < go:
            trees.append(grow(str(rng.choice(list(children))), rng))
            go = ANOTHER_CHILD
        sides.append(trees)
    left, right = sides
    return tree_above(left, tag, right)


def test_a_planted_grammar_is_recovered():
    rng = np.random.default_rng(0)
    trees = [grow("V", rng) for _ in range(400)]
    trees = [(tags, heads) for tags, heads in trees if len(tags) <= 12]
    corpus, gold = tagged(*(" ".join(tags) for tags, _ in trees)), np.concatenate([heads for _, heads in trees])

    def accuracy(model: GrammarModel) -> float:
        return float(np.mean(parse_corpus(model, corpus, Parsing()) == gold))

    beginning = GrammarModel(Order.FIRST, corpus.tag_vocabulary, harmonic_table(corpus))
    assert accuracy(beginning) < 0.6
    assert accuracy(trained_counts(CountSettings(), corpus)) > 0.9


@every_model
def test_heads_in_the_corpus_are_not_looked_at(model):
    with_heads = replace(CORPUS, heads=np.zeros(len(CORPUS.tags), dtype=np.int32))
    settings = CountSettings(model=model, iterations=4, prior_strength=0.0 if model == "dmv" else 10.0)
    assert same_table(trained_counts(settings).table, trained_counts(settings, with_heads).table)


@every_model
def test_training_twice_gives_the_same_model(model):
    settings = CountSettings(model=model, iterations=4)
    assert same_table(trained_counts(settings).table, trained_counts(settings).table)


@every_model
@pytest.mark.parametrize("init", ["harmonic", "uniform", "random"])
@pytest.mark.parametrize("em", ["soft", "hard"])
def test_every_start_and_kind_of_em_gives_a_grammar(model, init, em):
    table = trained_counts(CountSettings(model=model, init=(init,), em=em, iterations=3)).table
    for part in (table.root, table.child, table.decision):
        assert np.allclose(np.exp(part).sum(axis=-1), 1)
    assert len(table.child) == 2 * 4 * entry(model).order.slots(4)


# ---------------------------------------------------------------- starts


@every_model
def test_a_random_start_depends_on_the_seed_only(model):
    settings = CountSettings(model=model, init=("random",), seed=5)
    other_sentences = tagged("V V N A", "D V")
    assert same_table(first_table(settings), first_table(settings, other_sentences))
    assert not same_table(first_table(settings), first_table(replace(settings, seed=6)))


@every_model
def test_a_uniform_start_prefers_nothing(model):
    table = first_table(CountSettings(model=model, init=("uniform",)))
    assert np.exp(table.root) == pytest.approx(np.full(4, 1 / 4))
    assert np.ptp(table.child) == np.ptp(table.decision) == 0


def test_the_seed_matters_to_no_other_start():
    one, other = (trained_counts(CountSettings(iterations=3, seed=seed)) for seed in (0, 1))
    assert same_table(one.table, other.table)


@pytest.mark.parametrize("model", ["dmv-sibling", "dmv-grand"])
def test_the_harmonic_start_of_second_order_is_parses_of_the_first_order_one(model):
    harmonic = GrammarModel(Order.FIRST, CORPUS.tag_vocabulary, harmonic_table(CORPUS))
    heads = parse_corpus(harmonic, CORPUS, Parsing())
    settings = CountSettings(model=model, prior_strength=0.0)
    assert same_table(first_table(settings), table_of_trees(entry(model).order, heads, settings))


def table_of_trees(order: Order, heads: np.ndarray, settings: CountSettings, corpus: Corpus = CORPUS):
    tags = len(corpus.tag_vocabulary)
    batch = tag_batch(order, corpus.tags, corpus.offsets, tags)
    family = Multinomials.smoothed(order, tags, settings.smoothing, settings.child_valence)
    return family.estimate(tree_counts(random_table(order, tags, 0), batch, heads))


@every_model
@pytest.mark.parametrize("source", COUNT_MODELS)
def test_a_model_can_start_from_the_parses_of_another(model, source, tmp_path):
    other = trained_counts(CountSettings(model=source, iterations=3))
    other.save(tmp_path / "other")
    settings = CountSettings(model=model, init=("model", str(tmp_path / "other")), prior_strength=0.0)
    heads = parse_corpus(other, CORPUS, Parsing())
    assert same_table(first_table(settings), table_of_trees(entry(model).order, heads, settings))


def test_a_model_of_other_tags_can_be_the_start(tmp_path):
    other = trained_counts(CountSettings(iterations=3), tagged("X N V", "V X N", "N V"))  # knows no D and no A
    other.save(tmp_path / "other")
    settings = CountSettings(init=("model", str(tmp_path / "other")))
    translated = in_vocabulary(CORPUS, other.tags)
    assert {-1, other.tags.id("N"), other.tags.id("V")} == set(translated.tags.tolist())
    heads = parse_corpus(other, translated, Parsing())
    with pytest.warns(UserWarning, match="has not seen the tags A D"):
        started = first_table(settings)
    assert same_table(started, table_of_trees(Order.FIRST, heads, settings))


def test_a_model_that_knows_none_of_the_tags_is_refused_as_a_start(tmp_path):
    trained_counts(CountSettings(iterations=1), tagged("X Y", "Y X")).save(tmp_path / "foreign")
    with pytest.raises(DepinduceError, match="knows none of the tags"):
        first_table(CountSettings(init=("model", str(tmp_path / "foreign"))))


def test_sentences_that_the_other_model_cannot_parse_start_as_chains(tmp_path):
    only_this_tree = table_of_trees(Order.FIRST, np.array([0, 1]), CountSettings(smoothing=0.0), tagged("V N"))
    GrammarModel(Order.FIRST, Vocabulary(["N", "V"], [1, 1]), only_this_tree).save(tmp_path / "narrow")
    corpus = tagged("V N", "N N V")
    counts = first_counts(CountSettings(init=("model", str(tmp_path / "narrow"))), corpus)
    chains = table_of_trees(Order.FIRST, np.array([0, 1, 0, 1, 2]), CountSettings(), corpus)
    assert same_table(Multinomials.smoothed(Order.FIRST, 2, 0.1).estimate(counts), chains)


@pytest.mark.parametrize("model", ["dmv-sibling", "dmv-grand"])
def test_a_strong_prior_keeps_second_order_near_first_order(model):
    order, strengths = entry(model).order, (0.0, 10.0, 1e7)
    spread = []
    for strength in strengths:
        table = trained_counts(CountSettings(model=model, iterations=5, prior_strength=strength)).table
        child = np.exp(table.child).reshape(2, 4, -1, *order.shape(4)[3:], 4)
        spread.append(np.ptp(child[:, :, :4], axis=2).max())  # among siblings or grandparents of one head
    assert spread[0] > spread[1] > spread[2]
    assert spread[2] < 1e-3


# ---------------------------------------------------------------- tags that head nothing


@every_model
@pytest.mark.parametrize("decode", ["viterbi", "mbr"])
def test_constrained_tags_head_nothing(model, decode):
    sentences = tagged("D N V", "D D", "N D V A D N", "D A", "A D A D N V", "D", "D A N")
    settings = CountSettings(model=model, non_heads=("D", "A"), iterations=5)
    heads = parse_corpus(trained_counts(settings, sentences), sentences, Parsing(decode=decode))
    assert projective_sentences(heads, sentences.offsets).all()
    assert all(find_cycle(tree) is None for tree in np.split(heads, sentences.offsets[1:-1]))
    words = np.array([sentences.tag_vocabulary[tag] for tag in sentences.tags])
    for number, (begin, end) in enumerate(zip(sentences.offsets[:-1], sentences.offsets[1:], strict=True)):
        tags, tree = words[begin:end], heads[begin:end]
        assert np.sum(tree == 0) == 1
        heading = set(tags[tree[tree > 0] - 1])
        if number in (1, 3, 5):  # nothing else is there, and still they get a tree
            assert heading <= {"D", "A"}
        else:
            assert heading <= {"N", "V"}


@every_model
@pytest.mark.parametrize("em", ["soft", "hard"])
def test_the_constraint_acts_in_training(model, em):
    settings = CountSettings(model=model, init=("random",), em=em, non_heads=("D",), iterations=1)
    beginning = GrammarModel(entry(model).order, CORPUS.tag_vocabulary, first_table(settings), ("D",))
    table, batch, factors = beginning.problem(CORPUS)

    def likelihood(factors):
        if em == "soft":
            return log_partition(table, batch, factors).mean()
        return best_trees(table, batch, factors).log_potential.mean()

    assert trained_counts(settings).history["rounds"][0]["train"] == pytest.approx(likelihood(factors), rel=1e-12)
    assert likelihood(factors) < likelihood(None)


@pytest.mark.parametrize("model", ["dmv-sibling", "dmv-grand"])
def test_the_constraint_acts_on_the_start(model):
    sentences = tagged("D N V", "N D V", "V D D N")
    settings = CountSettings(model=model, non_heads=("D",))
    going = first_counts(settings, sentences).decision[:, GO].reshape(2, 3, -1)
    assert not going[:, sentences.tag_vocabulary.id("D")].any()
    assert going.sum() == 7  # every word but three roots is somebody's child


def test_the_constraint_acts_on_the_start_from_another_model_too(tmp_path):
    # This model would hang N on D.
    sentences = tagged("D N V", "D N V")
    wrong = table_of_trees(Order.FIRST, np.array([0, 1, 1, 0, 1, 1]), CountSettings(), sentences)
    GrammarModel(Order.FIRST, sentences.tag_vocabulary, wrong).save(tmp_path / "wrong")
    settings = CountSettings(init=("model", str(tmp_path / "wrong")))
    determiner = sentences.tag_vocabulary.id("D")

    def children_of_determiners(settings):
        going = first_counts(settings, sentences).decision[:, GO]
        return going.reshape(2, 3, 2)[:, determiner].sum()

    assert children_of_determiners(settings) == 4
    assert children_of_determiners(replace(settings, non_heads=("D",))) == 0


@every_model
@pytest.mark.parametrize(
    "stages", [(), ("start",), ("training",), ("parsing",), ("start", "training", "parsing")], ids="+".join
)
def test_the_constraint_holds_in_its_stages_only(model, stages, tmp_path):
    determiner = CORPUS.tag_vocabulary.id("D")
    wrong = table_of_trees(Order.FIRST, np.concatenate([np.arange(n) for n in CORPUS.lengths]), CountSettings())
    GrammarModel(Order.FIRST, CORPUS.tag_vocabulary, wrong).save(tmp_path / "chains")  # D heads what follows it
    start = ("model", str(tmp_path / "chains"))
    settings = CountSettings(model=model, init=start, non_heads=("D",), constraint=stages, iterations=1)

    mixed = tagged("D N V", "N D V A D N", "V D D N", vocabulary=CORPUS.tag_vocabulary)
    going = first_counts(settings, mixed).decision[:, GO].reshape(2, 4, -1)[:, determiner]
    assert (going.sum() == 0) == ("start" in stages)
    free = replace(settings, constraint=tuple(stage for stage in stages if stage != "training"))
    rounds, of_free = (trained_counts(own).history["rounds"] for own in (settings, free))
    assert (rounds[0]["train"] < of_free[0]["train"]) == ("training" in stages)
    assert trained_counts(settings).non_heads == (("D",) if "parsing" in stages else ())


def test_ud_stands_for_the_function_words():
    assert CountSettings(non_heads=("ud",)).constrained_tags == ("ADP", "AUX", "CONJ", "CCONJ", "DET", "PART", "SCONJ")
    assert CountSettings(non_heads=("DET", "ud", "X")).constrained_tags[0] == "DET"
    assert CountSettings(non_heads=("DET", "ud", "X")).constrained_tags[-1] == "X"
    assert len(CountSettings(non_heads=("DET", "ud", "X")).constrained_tags) == 8


# ---------------------------------------------------------------- interruption


@every_model
@pytest.mark.parametrize("held_out", [None, HELD_OUT], ids=["alone", "held-out"])
@pytest.mark.parametrize("stop_at", [1, 4])
def test_resuming_gives_the_bit_identical_model(model, held_out, stop_at, tmp_path):
    prior_strength = 0.0 if model == "dmv" else 10.0
    settings = CountSettings(model=model, iterations=9, patience=5, prior_strength=prior_strength, non_heads=("D",))
    whole = trained_counts(settings, dev=held_out)

    def interrupt(progress):
        if progress.done == stop_at:
            raise KeyboardInterrupt

    partial, finished = count_run(settings, CORPUS, held_out, tmp_path / "run").go(interrupt)
    assert not finished
    assert not partial.history["finished"]
    assert len(partial.history["rounds"]) == stop_at
    assert same_table(load_model(tmp_path / "run").table, partial.table)
    resumed = count_run(settings, CORPUS, held_out, tmp_path / "run")
    resumed.resume()
    model, finished = resumed.go()
    assert finished
    assert same_table(model.table, whole.table)
    assert model.history == whole.history


def test_more_iterations_go_on_where_the_first_ended(tmp_path):
    ended, _ = count_run(CountSettings(iterations=3), directory=tmp_path / "run").go()
    longer = CountSettings(iterations=7)
    run = count_run(longer, directory=tmp_path / "run")
    run.resume()
    resumed, _ = run.go()
    assert same_table(resumed.table, trained_counts(longer).table)
    assert not same_table(resumed.table, ended.table)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"smoothing": 0.2}, "smoothing was 0.1, is 0.2"),
        ({"model": "dmv-sibling"}, "model was 'dmv', is 'dmv-sibling'"),
        ({"non_heads": ("D",)}, "non_heads was"),
    ],
)
def test_resuming_with_other_settings_is_refused(changed, message, tmp_path):
    count_run(CountSettings(iterations=2), directory=tmp_path / "run").go()
    other = count_run(CountSettings(iterations=4, **changed), directory=tmp_path / "run")
    with pytest.raises(DepinduceError, match=message):
        other.resume()


def test_resuming_with_other_sentences_is_refused(tmp_path):
    count_run(CountSettings(iterations=2), directory=tmp_path / "run").go()
    other = count_run(CountSettings(iterations=4), tagged("N V D A"), directory=tmp_path / "run")
    with pytest.raises(DepinduceError, match="training sentences differ"):
        other.resume()


def test_the_history_tells_how_the_model_was_made():
    settings = CountSettings(iterations=6, patience=2)
    model = trained_counts(settings, dev=HELD_OUT)
    history = model.history
    assert history["training_data"] == {
        "sha256": CORPUS.fingerprint(),
        "sentences": len(CORPUS),
        "words": len(CORPUS.tags),
    }
    assert history["settings"]["iterations"] == 6
    assert (history["model"], history["round_name"], history["finished"]) == ("dmv", "iteration", True)
    likelihoods = [line["dev"] for line in history["rounds"]]
    assert [line["round"] for line in history["rounds"]] == list(range(1, len(likelihoods) + 1))
    best = int(np.argmax(likelihoods)) + 1
    assert same_table(model.table, trained_counts(replace(settings, iterations=best)).table)  # it is of the best round


# ---------------------------------------------------------------- settings


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"init": ("harmonics",)}, "Choose from: harmonic, uniform, random, model DIR, trees FILE, hdp-dep RULES."),
        ({"init": ("harmonic", "random")}, "There is no start 'harmonic random'"),
        ({"init": ("model",)}, "--init model needs a directory"),
        ({"init": ("model", "a", "b")}, "--init model needs a directory"),
        ({"iterations": 0}, "--iterations must be at least"),
        ({"patience": -1}, "--patience must be at least"),
        ({"threads": 0}, "--threads must be at least"),
        ({"smoothing": -0.1}, "--smoothing must be at least"),
        ({"smoothing": float("nan")}, "--smoothing must be at least"),
        ({"smoothing": float("inf")}, "--smoothing can be at most"),
        ({"prior_strength": -1.0}, "--prior-strength must be at least"),
        ({"prior_strength": 10.0}, "--prior-strength needs a second-order --model"),
        ({"model": "dmv-sibling", "init": ("random",), "prior_strength": 10.0}, "a start made of trees"),
        ({"model": "dmv-sibling", "child_valence": False}, "child_valence=false"),
        ({"seed": -1}, "--seed must be at least"),
    ],
)
def test_impossible_settings_are_refused_with_the_possible_ones(wrong, message):
    with pytest.raises(DepinduceError) as refusal:
        CountSettings(**wrong)
    assert message in str(refusal.value)
