"""Grammars over words and joint ones as parsers: products of trees' probabilities, parts, files, and pieces."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from chart.enumeration import projective_trees, tree_log_potential, tree_rule_counts
from learning.tagged import random_table
from models.worded import random_words, worded

from depinduce.chart.engine import log_partition
from depinduce.corpus import Corpus, Reading
from depinduce.errors import DepinduceError
from depinduce.grammar.multinomials import Multinomials, uniform_counts
from depinduce.grammar.rules import Order, RuleCounts
from depinduce.learning.expect import EStep
from depinduce.learning.learners.networks import TagLearner, WordLearner
from depinduce.learning.settings.networks import NeuralSettings
from depinduce.models.joint_model import JointModel
from depinduce.models.loading import load_grammar, load_model
from depinduce.models.model import part_of
from depinduce.models.tag_model import GrammarModel
from depinduce.models.word_model import LexicalModel
from depinduce.networks.lexicon import Lexicon
from depinduce.networks.network_settings import NetworkSettings
from depinduce.networks.tag_network import RuleNetwork
from depinduce.networks.word_network import LexicalNetwork
from depinduce.parsing import decoding
from depinduce.parsing.decoding import Parsing, parse_corpus, parse_trees

torch.set_num_threads(1)  # the networks here are tiny

CORPUS = worded(*random_words(1, count=9, tags="NVD", words="abcd", longest=5))
UNKNOWN = worded("a/N b/V ?/X a/N", "?/X b/D a/N a/X", "?/X", tags=CORPUS.tag_vocabulary)
TAGS = len(CORPUS.tag_vocabulary)
SETTINGS = NetworkSettings(size=9, child_rank=6, decision_rank=5, encoder="wsj")
NAMES = {Order.SIBLING: "joint-sibling", Order.GRANDPARENT: "joint-grand"}
READING = Reading("xpos", lowercase=True, punctuation="penn", max_length=12)

every_order = pytest.mark.parametrize("order", list(Order))
both_partners = pytest.mark.parametrize("order", [Order.SIBLING, Order.GRANDPARENT])


def parse_with_posteriors(model, corpus, options: Parsing) -> tuple[np.ndarray, np.ndarray]:
    """The heads of the only trees, and their probabilities. Both [token]"""
    parses = parse_trees(model, corpus, options)
    (heads,), (posteriors,) = parses.heads, parses.posteriors
    return heads, posteriors


def lexical(order: Order = Order.FIRST, *non_heads: str, seed: int = 1, scale: float = 0.35, **about) -> LexicalModel:
    """A grammar over words with random weights; those of scale 0 make it uniform."""
    torch.manual_seed(seed)
    network = LexicalNetwork(order, Lexicon.of(CORPUS, 2), SETTINGS, 4)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.copy_(torch.randn_like(parameter) * scale)
    return LexicalModel(network, SETTINGS, non_heads, **about)


def tag_grammar(order: Order, *non_heads: str, **about) -> GrammarModel:
    return GrammarModel(order, CORPUS.tag_vocabulary, random_table(order, TAGS, seed=3), non_heads, **about)


def joint(order: Order, *non_heads: str) -> JointModel:
    return JointModel(tag_grammar(order, *non_heads), lexical(Order.FIRST, *non_heads))


def log_potentials(problem, sentence: int) -> np.ndarray:
    """Of every tree of a sentence."""
    table, batch, factors = problem
    trees = projective_trees(int(batch.lengths[sentence]))
    return np.array([tree_log_potential(table, batch, sentence, heads, factors) for heads in trees])


def heads_of(corpus: Corpus, model, **options) -> list[tuple[int, ...]]:
    heads = parse_corpus(model, corpus, Parsing(**options))
    return [tuple(tree) for tree in np.split(heads, corpus.offsets[1:-1])]


# ---------------------------------------------------------------- the product


@both_partners
@pytest.mark.parametrize("non_heads", [(), ("D",)], ids=["free", "constrained"])
@pytest.mark.parametrize("corpus", [CORPUS, UNKNOWN], ids=["known", "unknown"])
def test_the_chart_of_the_product_is_the_enumeration_of_all_trees(order, non_heads, corpus):
    model = joint(order, *non_heads)
    over_tags, over_words = model.over_tags.problem(corpus), model.over_words.problem(corpus)
    log_z, parsed, opinions = log_partition(*model.problem(corpus)), heads_of(corpus, model), set()
    for sentence, length in enumerate(corpus.lengths):
        one, other = log_potentials(over_tags, sentence), log_potentials(over_words, sentence)
        assert log_z[sentence] == pytest.approx(np.logaddexp.reduce(one + other), rel=1e-12)
        trees = projective_trees(int(length))
        assert parsed[sentence] == trees[np.argmax(one + other)]
        opinions.add((parsed[sentence] == trees[np.argmax(one)], parsed[sentence] == trees[np.argmax(other)]))
    assert len(opinions) > 1 or corpus is UNKNOWN  # the two do not always agree


@every_order
@pytest.mark.parametrize("corpus", [CORPUS, UNKNOWN], ids=["known", "unknown"])
def test_a_grammar_over_words_parses_with_the_best_of_all_trees(order, corpus):
    model = lexical(order, "D")
    problem, parsed = model.problem(corpus), heads_of(corpus, model)
    log_z = log_partition(*problem)
    for sentence, length in enumerate(corpus.lengths):
        scores = log_potentials(problem, sentence)
        assert log_z[sentence] == pytest.approx(np.logaddexp.reduce(scores), rel=1e-12)
        assert parsed[sentence] == projective_trees(int(length))[np.argmax(scores)]


@both_partners
def test_a_constraint_of_the_part_over_words_alone_holds_in_the_product(order):
    model = JointModel(tag_grammar(order), lexical(Order.FIRST, "D"))
    parts = [part.problem(CORPUS) for part in model.parts.values()]
    log_z = log_partition(*model.problem(CORPUS))
    for sentence in range(len(CORPUS)):
        scores = sum(log_potentials(part, sentence) for part in parts)
        assert log_z[sentence] == pytest.approx(np.logaddexp.reduce(scores), rel=1e-12)


def both_learners(order: Order, settings: NeuralSettings) -> list[TagLearner | WordLearner]:
    over_tags = TagLearner(RuleNetwork(order, TAGS, SETTINGS), CORPUS.tag_vocabulary, settings, seed=0)
    return [over_tags, WordLearner(lexical().network, SETTINGS, settings, seed=0)]


@both_partners
@pytest.mark.parametrize("non_heads", [(), ("D",)], ids=["free", "constrained"])
def test_both_parts_count_the_trees_of_the_product(order, non_heads):
    settings = NeuralSettings(model=NAMES[order], non_heads=non_heads)
    torch.manual_seed(5)
    learners = both_learners(order, settings)
    views = [learner.view(learner.sentences(CORPUS, "training").all()) for learner in learners]
    problems = [view.problem for view in views]
    found, _ = EStep(learners, hard=False, constraint=None, threads=1).counts(views)

    counts = [RuleCounts.zeros_like(table) for table, _, _ in problems]
    roots = np.zeros(len(CORPUS.tags))
    for sentence, length in enumerate(CORPUS.lengths):
        scores = sum(log_potentials(problem, sentence) for problem in problems)
        for heads, p in zip(projective_trees(int(length)), np.exp(scores - np.logaddexp.reduce(scores)), strict=True):
            for number, (table, batch, _) in enumerate(problems):
                counts[number] += p * tree_rule_counts(table, batch, sentence, heads)
            roots[CORPUS.offsets[sentence] + heads.index(0)] += p
    counts[1] = replace(counts[1], root=roots)  # by word, for a column is another word in every sentence
    for one, other in zip(found, counts, strict=True):
        for part, by_hand in zip(one.parts, other.parts, strict=True):
            np.testing.assert_allclose(part, by_hand, atol=1e-9)


@both_partners
def test_trees_are_counted_by_both_parts(order):
    """As in hard EM and in a start: the counts of one tree per sentence."""
    settings = NeuralSettings(model=NAMES[order])
    learners = both_learners(order, settings)
    rng = np.random.default_rng(0)
    trees = [projective_trees(int(n))[rng.integers(len(projective_trees(int(n))))] for n in CORPUS.lengths]
    for learner in learners:
        data = learner.sentences(CORPUS, "training").all()
        table, batch, _ = learner.view(data).problem
        found = learner.counts_of_trees(data, np.concatenate(trees))
        counts = RuleCounts.zeros_like(table)
        for sentence, heads in enumerate(trees):
            counts += tree_rule_counts(table, batch, sentence, heads)
        if learner is learners[1]:
            counts = replace(counts, root=(np.concatenate(trees) == 0).astype(float))
        for part, by_hand in zip(found.parts, counts.parts, strict=True):
            np.testing.assert_array_equal(part, by_hand)


# ---------------------------------------------------------------- uniform partners


@both_partners
@pytest.mark.parametrize("decode", ["viterbi", "mbr"])
@pytest.mark.parametrize("corpus", [CORPUS, UNKNOWN], ids=["known", "unknown"])
def test_beside_a_uniform_part_the_other_decides(order, decode, corpus):
    """All trees of a sentence have as many children and decisions, so that a uniform grammar prefers none."""
    uniform = Multinomials.smoothed(order, TAGS, 0.0).estimate(uniform_counts(order, TAGS))
    no_opinion = GrammarModel(order, CORPUS.tag_vocabulary, uniform)
    options = Parsing(decode, posteriors=True)
    for together, alone in (
        (JointModel(tag_grammar(order), lexical(scale=0.0)), tag_grammar(order)),
        (JointModel(no_opinion, lexical()), lexical()),
    ):
        heads, posteriors = parse_with_posteriors(together, corpus, options)
        expected, probabilities = parse_with_posteriors(alone, corpus, options)
        assert np.array_equal(heads, expected)
        np.testing.assert_allclose(posteriors, probabilities, rtol=1e-9)
        assert np.ptp(posteriors) > 0.1


# ---------------------------------------------------------------- pieces

MODELS = {
    "lexical": lexical(),
    "lexical-sibling": lexical(Order.SIBLING),
    "lexical-grand": lexical(Order.GRANDPARENT),
    "joint-sibling": joint(Order.SIBLING, "D"),
    "joint-grand": joint(Order.GRANDPARENT),
}
every_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


@every_model
@pytest.mark.parametrize("decode", ["viterbi", "mbr"])
@pytest.mark.parametrize("room", [1, 1500])
def test_sentences_parsed_in_pieces_come_back_in_their_order(model, decode, room, monkeypatch):
    corpus = worded(*random_words(4, count=25, tags="NVD", words="abcdz"), tags=CORPUS.tag_vocabulary)
    assert (np.diff(corpus.lengths) < 0).any()  # they are not sorted
    options, pieces = Parsing(decode, posteriors=True), []
    heads, posteriors = parse_with_posteriors(model, corpus, options)
    together = decoding._parse_together
    monkeypatch.setattr(decoding, "MOST_ROOM", room)
    monkeypatch.setattr(decoding, "_parse_together", lambda *given: pieces.append(len(given[1])) or together(*given))
    again, probabilities = parse_with_posteriors(model, corpus, options)
    assert sum(pieces) == len(corpus) and len(pieces) > 3
    assert (len(pieces) == len(corpus)) == (room == 1)
    assert np.array_equal(again, heads)
    np.testing.assert_allclose(probabilities, posteriors, rtol=1e-4)  # networks compute in single precision
    assert np.array_equal(parse_corpus(model, corpus, Parsing(decode)), heads)


@every_model
@pytest.mark.parametrize("room", [1, 10**9])
def test_k_best_trees_and_likelihoods_are_those_of_the_enumeration_in_any_pieces(model, room, monkeypatch):
    monkeypatch.setattr(decoding, "MOST_ROOM", room)
    k = 4
    parses = parse_trees(model, CORPUS, Parsing(k_best=k))
    problems = [part.problem(CORPUS) for part in model.parts.values() or [model]]
    for sentence, length in enumerate(CORPUS.lengths):
        scores = sum(log_potentials(problem, sentence) for problem in problems)
        assert parses.log_z[sentence] == pytest.approx(np.logaddexp.reduce(scores), rel=1e-5)
        best = np.sort(scores[scores > -np.inf])[::-1][:k]
        assert parses.log_probability[: len(best), sentence] == pytest.approx(best, rel=1e-5)
        heads = parses.heads[:, CORPUS.offsets[sentence] : CORPUS.offsets[sentence + 1]]
        assert (heads[len(best) :] == -1).all() and (parses.log_probability[len(best) :, sentence] == -np.inf).all()
        places = [projective_trees(int(length)).index(tuple(tree.tolist())) for tree in heads[: len(best)]]
        assert scores[places] == pytest.approx(best, rel=1e-5) and len(set(places)) == len(best)


@every_model
def test_samples_in_pieces_are_those_of_all_sentences_together(model, monkeypatch):
    options = Parsing(samples=6, seed=2, posteriors=True)
    together = parse_trees(model, CORPUS, options)
    monkeypatch.setattr(decoding, "MOST_ROOM", 1)
    in_pieces = parse_trees(model, CORPUS, options)
    assert np.array_equal(in_pieces.heads, together.heads)
    assert len(np.unique(together.heads, axis=0)) > 1
    for one, other in ((in_pieces.posteriors, together.posteriors), (in_pieces.log_z, together.log_z)):
        np.testing.assert_allclose(one, other, rtol=1e-4)  # networks compute in single precision


@every_model
def test_no_sentences_are_no_trees(model):
    heads, posteriors = parse_with_posteriors(
        model, CORPUS.select(np.zeros(len(CORPUS), bool)), Parsing(posteriors=True)
    )
    assert len(heads) == len(posteriors) == 0
    for several in ({"k_best": 3}, {"samples": 3}):
        parses = parse_trees(model, CORPUS.select(np.zeros(len(CORPUS), bool)), Parsing(posteriors=True, **several))
        assert parses.heads.shape == parses.posteriors.shape == (3, 0)
        assert parses.log_z.shape == (0,) and parses.log_probability.shape == (3, 0)


# ---------------------------------------------------------------- on disk

ABOUT = {"non_heads": ("D",), "reading": READING, "history": {"seed": 7, "words": "Ä/ß"}}


def example(name: str) -> LexicalModel | JointModel:
    model = MODELS[name]
    if isinstance(model, LexicalModel):
        return replace(model, **ABOUT)
    return JointModel(*(replace(part, **ABOUT) for part in model.parts.values()), {"rounds": [1, 2]})


every_example = pytest.mark.parametrize("name", MODELS)


def same_weights(one: LexicalModel, other: LexicalModel) -> bool:
    """Bit by bit."""
    ours, theirs = one.network.state_dict(), other.network.state_dict()
    return ours.keys() == theirs.keys() and all(torch.equal(ours[part], theirs[part]) for part in ours)


def same_about(one, other) -> bool:
    return all(
        getattr(one, what) == getattr(other, what) for what in ("tags", "words", "non_heads", "reading", "history")
    )


@every_example
def test_a_saved_model_comes_back_and_parses_the_same(name, tmp_path):
    model = example(name)
    model.save(tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert type(again) is type(model)
    assert same_about(again, model)
    for corpus in (CORPUS, UNKNOWN):
        one, other = (parse_with_posteriors(m, corpus, Parsing(posteriors=True)) for m in (model, again))
        assert all(a.tobytes() == b.tobytes() for a, b in zip(one, other, strict=True))


def test_a_lexical_model_is_json_and_safetensors(tmp_path):
    example("lexical-sibling").save(tmp_path / "model")
    names = sorted(path.name for path in (tmp_path / "model").iterdir())
    assert names == ["lexicon.json", "model.json", "model.safetensors"]
    again = load_model(tmp_path / "model")
    assert again.order is Order.SIBLING
    assert same_weights(again, example("lexical-sibling"))
    assert again.network.lexicon.words == Lexicon.of(CORPUS, 2).words


def test_a_model_without_words_of_its_own_comes_back(tmp_path):
    network = LexicalNetwork(Order.FIRST, Lexicon.of(CORPUS, 1000), SETTINGS, 4)
    model = LexicalModel(network, SETTINGS)
    model.save(tmp_path / "model")
    assert heads_of(CORPUS, load_model(tmp_path / "model")) == heads_of(CORPUS, model)


@pytest.mark.parametrize("name", ["joint-sibling", "joint-grand"])
def test_each_part_of_a_joint_model_is_a_model(name, tmp_path):
    model = example(name)
    model.save(tmp_path / "model")
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == ["model.json", "tags", "words"]
    over_tags, over_words = load_model(tmp_path / "model" / "tags"), load_model(tmp_path / "model" / "words")
    assert same_about(over_tags, model.over_tags) and same_about(over_words, model.over_words)
    assert same_weights(over_words, model.over_words)
    assert over_tags.table.child.tobytes() == model.over_tags.table.child.tobytes()


def test_saving_replaces_an_older_model_of_another_kind(tmp_path):
    for name in ("joint-sibling", "lexical", "joint-grand"):
        example(name).save(tmp_path / "model")
        assert heads_of(CORPUS, load_model(tmp_path / "model")) == heads_of(CORPUS, example(name))
    tag_grammar(Order.FIRST).save(tmp_path / "model")
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == ["model.json", "model.safetensors"]


@pytest.mark.parametrize("name", ["lexical", "joint-sibling"])
def test_a_failing_save_leaves_the_old_model_and_nothing_else(name, tmp_path):
    example(name).save(tmp_path / "model")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(TypeError):
        replace(example(name), history={"not": object()}).save(tmp_path / "model")  # JSON cannot hold this
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_the_grammar_of_a_joint_model_is_that_over_tags(tmp_path):
    example("joint-grand").save(tmp_path / "model")
    grammar = load_grammar(tmp_path / "model")
    assert grammar.order is Order.GRANDPARENT
    assert grammar.table.child.tobytes() == example("joint-grand").over_tags.table.child.tobytes()


def test_a_grammar_over_words_is_not_listed(tmp_path):
    example("lexical").save(tmp_path / "model")
    with pytest.raises(DepinduceError, match=r"model: a grammar over words, .* Name a grammar over tags"):
        load_grammar(tmp_path / "model")


def cut(name: str, size: int):
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:size])


def changed(name: str, **changes):
    def change(folder: Path) -> None:
        about = json.loads((folder / name).read_text("utf-8")) | changes
        (folder / name).write_text(
            json.dumps({key: value for key, value in about.items() if value is not None}), "utf-8"
        )

    return change


def swap_the_parts(folder: Path) -> None:
    (folder / "words").rename(folder / "others")
    (folder / "tags").rename(folder / "words")
    (folder / "others").rename(folder / "tags")


def in_words(damage: Callable[[Path], None], folder: Path) -> None:
    damage(folder / "words")


OF_LEXICAL = {
    "lexicon cut short": cut("lexicon.json", 30),
    "lexicon of another model": changed("lexicon.json", tags=[]),
    "no lexicon": lambda folder: (folder / "lexicon.json").unlink(),
    "fewer pairs": changed("lexicon.json", words={"symbols": [], "counts": []}, pairs=[]),
    "pairs of words that are not there": changed("lexicon.json", pairs=[[0, 999]]),
    "pairs of tags that are not there": changed("lexicon.json", pairs=[[999, 0]]),
    "no pairs": changed("lexicon.json", pairs=None),
    "numbers cut short": cut("model.safetensors", 200),
    "no numbers": lambda folder: (folder / "model.safetensors").unlink(),
    "another kind": changed("model.json", kind="songs"),
    "another order": changed("model.json", order="sibling"),
    "other sizes": changed("model.json", tag_size=5),
    "other settings": changed("model.json", network={"size": 9, "rank": 3}),
    "no description": lambda folder: (folder / "model.json").unlink(),
}
OF_JOINT = {
    "no words": lambda folder: shutil.rmtree(folder / "words"),
    "no tags": lambda folder: shutil.rmtree(folder / "tags"),
    "no history": changed("model.json", history=None),
    "parts swapped": swap_the_parts,
    **{f"words: {what}": partial(in_words, OF_LEXICAL[what]) for what in ("no lexicon", "numbers cut short")},
    "tags: no numbers": lambda folder: (folder / "tags" / "model.safetensors").unlink(),
}
DAMAGES = [pytest.param("lexical", damage, id=f"lexical: {what}") for what, damage in OF_LEXICAL.items()]
DAMAGES += [pytest.param("joint-sibling", damage, id=f"joint: {what}") for what, damage in OF_JOINT.items()]


@pytest.mark.parametrize(("name", "damage"), DAMAGES)
def test_damage_is_told_with_its_place_and_a_remedy(name, damage, tmp_path):
    example(name).save(tmp_path / "model")
    damage(tmp_path / "model")
    with pytest.raises(DepinduceError) as refusal:
        load_model(tmp_path / "model")
    assert str(tmp_path / "model") in str(refusal.value)
    assert any(remedy in str(refusal.value).lower() for remedy in ("train", "copy it again", "name the directory"))


# ---------------------------------------------------------------- parts and constraints


def test_the_parts_of_a_joint_model():
    model = joint(Order.SIBLING)
    assert part_of(model, None) is model
    assert part_of(model, "words") is model.over_words
    assert part_of(model, "tags") is model.over_tags
    for name in ("first", "joint", ""):
        with pytest.raises(DepinduceError, match=f"--part cannot be '{name}'. Choose from: tags, words."):
            part_of(model, name)


@pytest.mark.parametrize("plain", [lexical(), tag_grammar(Order.SIBLING)], ids=["words", "tags"])
def test_other_models_have_no_parts(plain):
    assert part_of(plain, None) is plain
    for name in ("tags", "words"):
        with pytest.raises(DepinduceError, match=f"--part {name}: only joint models have parts"):
            part_of(plain, name)


@every_model
def test_tags_may_be_forbidden_to_head_later(model):
    determiner = CORPUS.tag_vocabulary.id("D")
    free, constrained = (heads_of(CORPUS, model.with_non_heads(tags)) for tags in ((), ("D",)))

    def headed_by_determiners(trees) -> int:
        count = 0
        for tags, heads in zip(np.split(CORPUS.tags, CORPUS.offsets[1:-1]), trees, strict=True):
            if (tags != determiner).any():
                count += sum(head > 0 and tags[head - 1] == determiner for head in heads)
        return count

    assert headed_by_determiners(constrained) == 0
    assert headed_by_determiners(free) > 0
