"""A trained D-NDMV parses by the rules of every sentence, comes back from its file, and shows its mean rules."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from chart.enumeration import projective_trees
from learning.tagged import tagged

from depinduce import Parser
from depinduce.corpus import Corpus, Vocabulary
from depinduce.corpus.known_heads import KnownHeads
from depinduce.errors import DepinduceError
from depinduce.grammar.between_orders import add_average_tag
from depinduce.grammar.rules import Order, tag_batch
from depinduce.grammar.trees import tree_log_potentials
from depinduce.models.loading import load_grammar, load_model
from depinduce.models.sentence_model import SentenceModel
from depinduce.networks.network_settings import SentenceNetworkSettings
from depinduce.networks.sentence_network import SentenceNetwork
from depinduce.parsing.decoding import Parsing, parse_corpus

torch.set_num_threads(1)  # the networks here are tiny

TAGS = Vocabulary(["N", "V", "D"], [3, 2, 1])
TEXT = ("D N V D N", "N V", "V", "V N D N", "N N V D")
both_kinds = pytest.mark.parametrize("variational", [False, True])


def model_of(*non_heads: str, variational: bool = False, size: int = 6) -> SentenceModel:
    """One whose vectors make a difference."""
    torch.manual_seed(3)
    settings = SentenceNetworkSettings(tag_size=4, valence_size=2, sentence_size=size, variational=variational)
    network = SentenceNetwork(len(TAGS), settings)
    weights = {name: 2 * torch.randn_like(part).numpy() for name, part in network.state_dict().items()}
    return SentenceModel(TAGS, settings, weights, np.full(size, 0.5, np.float32), non_heads)


def text(*sentences: str) -> Corpus:
    return tagged(*(sentences or TEXT), vocabulary=TAGS)


def table_of(model: SentenceModel, tags: np.ndarray):
    """The grammar over tags that parses one sentence."""
    with torch.no_grad():
        return model.network.table_under(model.network.vectors(tags, np.array([0, len(tags)])).s[0].numpy())


# ---------------------------------------------------------------- parsing


@both_kinds
def test_every_sentence_gets_the_best_tree_under_its_own_rules(variational):
    model, corpus = model_of(variational=variational), text()
    heads = parse_corpus(model, corpus, Parsing())
    for a, b in zip(corpus.offsets[:-1], corpus.offsets[1:], strict=True):
        table, batch = (
            table_of(model, corpus.tags[a:b]),
            tag_batch(Order.FIRST, corpus.tags[a:b], np.array([0, b - a]), 3),
        )
        trees = projective_trees(int(b - a))
        best = max(
            trees, key=lambda tree, table=table, batch=batch: tree_log_potentials(table, batch, np.array(tree))[0]
        )
        assert tuple(heads[a:b]) == best


def test_unknown_tags_are_parsed_as_the_average_tag_of_their_sentence():
    model, corpus = model_of(), text("N ? V", "? ? D V", "N V D")
    found = model.problem(corpus).log_partition()
    for number, tags in enumerate(([0, 3, 1], [3, 3, 2, 1], [0, 1, 2])):
        own = corpus.tags[corpus.offsets[number] : corpus.offsets[number + 1]]
        table = add_average_tag(table_of(model, own), Order.FIRST)
        batch = tag_batch(Order.FIRST, np.array(tags), np.array([0, len(tags)]), 4)
        trees = [tree_log_potentials(table, batch, np.array(tree))[0] for tree in projective_trees(len(tags))]
        assert found[number] == pytest.approx(np.logaddexp.reduce(trees), abs=1e-4)


@both_kinds
def test_unknown_tags_elsewhere_do_not_change_what_known_ones_get(variational):
    model = model_of(variational=variational)
    alone, together = (model.problem(corpus).posteriors() for corpus in (text(), text(*TEXT, "? N", "??")))
    np.testing.assert_allclose(together.arc[: len(alone.arc)], alone.arc, atol=1e-5)
    np.testing.assert_allclose(together.log_z[: len(TEXT)], alone.log_z, atol=1e-4)


def test_non_heads_and_known_heads_are_kept():
    corpus = text("D N V", "? D D", "D D")
    heads = parse_corpus(model_of("D", "N"), corpus, Parsing())
    assert heads[:6].tolist() == [3, 3, 0, 0, 1, 1]
    for told in ([2, 0, 2], [0, 1, 1], [2, 3, 0]):
        known = replace(text("D N V"), known=KnownHeads.of(told, [(), (), ()]))
        assert parse_corpus(model_of(), known, Parsing()).tolist() == told


def test_the_vector_of_a_sentence_changes_its_rules_and_without_one_nothing_does():
    """The same words before another last word."""
    one, other = text("N V D N", "N V D D"), slice(0, 1)
    for size, same in ((6, False), (0, True)):
        child = model_of(size=size).problem(one).table.child.reshape(2, -1, 2, 3)
        of_n = child[:, [0, 3]]  # heads are by sentence and tag: N V D, N V D
        assert np.allclose(of_n[:, other], of_n[:, 1:]) == same


def test_rules_are_made_by_one_thread_and_others_keep_theirs(monkeypatch):
    used, vectors = [], SentenceNetwork.vectors
    monkeypatch.setattr(SentenceNetwork, "vectors", lambda *of: used.append(torch.get_num_threads()) or vectors(*of))
    torch.set_num_threads(2)
    try:
        model_of().problem(text())
        assert (used, torch.get_num_threads()) == ([1], 2)
    finally:
        torch.set_num_threads(1)


def test_rules_that_are_no_numbers_are_refused():
    model = model_of()
    model.weights["tag_vectors"][0] = np.nan
    with pytest.raises(DepinduceError, match="gives rules that are no numbers"):
        model.problem(text())


# ---------------------------------------------------------------- what it shows


def test_the_rules_that_are_listed_are_those_of_the_mean_vector():
    model = model_of()
    table = model.network.table_under(model.mean_vector)
    assert all(np.array_equal(a, b) for a, b in zip(model.rule_view().table.parts, table.parts, strict=True))
    assert "mean vector" in model.about_rules


@both_kinds
def test_the_rules_of_one_sentence_are_its_own_and_make_up_its_trees(variational):
    model, corpus = model_of("D", variational=variational), text("D N V ?")
    (opened,) = model.open_rules(corpus)
    assert opened.names == ["D", "N", "V", "a tag that it does not know"]
    assert opened.may_head is not None and opened.may_head.tolist() == [False, True, True, True]
    ours, theirs = opened.problem.posteriors(), model.problem(corpus).posteriors()
    np.testing.assert_allclose(ours.arc, theirs.arc, atol=1e-9)


# ---------------------------------------------------------------- files


@both_kinds
def test_it_comes_back_from_its_file(variational, tmp_path):
    model = model_of("D", variational=variational)
    model.save(tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert (again.about, again.non_heads, again.settings) == (model.about, ("D",), model.settings)
    assert np.array_equal(again.problem(text()).log_partition(), model.problem(text()).log_partition())
    assert np.array_equal(load_grammar(tmp_path / "model").table.child, model.rule_view().table.child)
    (parsed,) = Parser.load(tmp_path / "model").parse(["the/D dog/N barks/V"])
    assert parsed.heads[0] > 0 and parsed.log_likelihood < 0


@pytest.mark.parametrize("wrong", ["mean", "size", "missing", "kind"])
def test_files_that_cannot_be_are_refused(wrong, tmp_path):
    model = model_of()
    weights, mean = dict(model.weights), model.mean_vector
    if wrong == "mean":
        mean = mean[:-1]
    elif wrong == "size":
        weights["tag_vectors"] = weights["tag_vectors"][:-1]
    elif wrong == "missing":
        del weights["read_vectors"]
    else:
        weights["tag_vectors"] = weights["tag_vectors"].astype(np.float64)
    SentenceModel(TAGS, model.settings, weights, mean).save(tmp_path / "model")
    with pytest.raises(DepinduceError, match="the model cannot be read"):
        load_model(tmp_path / "model")
