"""The networks of the D-NDMV compute their formulas for every sentence, whatever stands beside it, and the gradient."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from chart.enumeration import projective_trees
from networks.sentences_by_hand import (
    SIZES,
    TAGS,
    network_of,
    posterior_by_hand,
    read_by_hand,
    table_by_hand,
    vector_by_hand,
    weights_of,
)

from depinduce.chart.engine import expectations, log_partition
from depinduce.errors import DepinduceError
from depinduce.grammar.rules import Order, RuleTable, tag_batch
from depinduce.grammar.trees import tree_log_potentials
from depinduce.networks.jiang_network import JiangNetwork
from depinduce.networks.network_settings import JiangNetworkSettings, SentenceNetworkSettings
from depinduce.networks.sentence_batch import sentence_batch, spread
from depinduce.networks.sentence_network import SentenceNetwork
from depinduce.networks.tag_network import as_table

torch.set_num_threads(1)  # the networks here are tiny

SENTENCES = [[0, 2, 1, 0], [3], [1, 1, 2], [2, 1, 0, 0], [0, 1], [3, 0, 2, 1, 0, 2]]
TOKENS, OFFSETS = np.concatenate(SENTENCES), np.concatenate([[0], np.cumsum([len(tags) for tags in SENTENCES])])
BATCH = sentence_batch(TOKENS, OFFSETS, TAGS)
both_kinds = pytest.mark.parametrize("variational", [False, True])


def batch_of(tags: list[int]):
    return sentence_batch(np.array(tags), np.array([0, len(tags)]), TAGS)


# ---------------------------------------------------------------- the formulas


@both_kinds
@pytest.mark.parametrize("child_valence", [True, False])
def test_every_sentence_has_the_rules_of_its_own_vector(variational, child_valence):
    network = network_of(variational=variational, child_valence=child_valence)
    table = as_table(network.rules_of(BATCH)[0])
    child, decision = (part.reshape(2, len(BATCH.head_tags), 2, -1) for part in (table.child, table.decision))
    heads = list(zip(BATCH.head_sentences.tolist(), BATCH.head_tags.tolist(), strict=True))
    assert heads == [(number, tag) for number, tags in enumerate(SENTENCES) for tag in sorted(set(tags))]
    for place, (number, tag) in enumerate(heads):
        wanted = table_by_hand(network, vector_by_hand(network, SENTENCES[number]))
        np.testing.assert_allclose(child[:, place], wanted.child.reshape(2, TAGS, 2, -1)[:, tag], atol=1e-10)
        np.testing.assert_allclose(decision[:, place], wanted.decision.reshape(2, TAGS, 2, -1)[:, tag], atol=1e-10)
        np.testing.assert_allclose(table.root, wanted.root, atol=1e-10)


@both_kinds
def test_a_chart_sums_over_all_trees_under_the_rules_of_each_sentence(variational):
    network = network_of(variational=variational)
    found = log_partition(as_table(network.rules_of(BATCH)[0]), BATCH)
    for log_z, tags in zip(found, SENTENCES, strict=True):
        table = table_by_hand(network, vector_by_hand(network, tags))
        batch = tag_batch(Order.FIRST, np.array(tags), np.array([0, len(tags)]), TAGS)
        trees = [tree_log_potentials(table, batch, np.array(tree))[0] for tree in projective_trees(len(tags))]
        assert log_z == pytest.approx(np.logaddexp.reduce(trees))


@both_kinds
def test_what_stands_beside_a_sentence_makes_no_difference_to_it(variational):
    """A batch is a loop over its sentences, and the places beyond the end of a short one are not read."""
    network = network_of(variational=variational)
    together, divergence = network.rules_of(BATCH)
    log_z = log_partition(as_table(together), BATCH)
    for number, tags in enumerate(SENTENCES):
        alone, own = network.rules_of(batch_of(tags))
        mine = np.flatnonzero(BATCH.head_sentences == number)
        for one, all_of_them in zip(alone[1:], together[1:], strict=True):
            rows = all_of_them.view(2, len(BATCH.head_tags), 2, -1)[:, mine]
            torch.testing.assert_close(one, rows.reshape(one.shape))
        assert own.tolist() == pytest.approx([divergence[number].item()])
        assert log_partition(as_table(alone), batch_of(tags)) == pytest.approx(log_z[number])


def test_the_order_of_the_words_is_read():
    network = network_of()
    one, other = (network.rules_of(batch_of(tags))[0][1] for tags in ([0, 2, 1, 0], [2, 0, 0, 1]))
    assert not np.allclose(one.detach(), other.detach(), atol=1e-3)


def test_an_unknown_tag_is_read_as_the_mean_of_all():
    network, tags = network_of(), np.array([0, -1, 2, 3])
    found = network.vectors(tags, np.array([0, 4])).s[0].detach()
    np.testing.assert_allclose(found, read_by_hand(network, tags.tolist()), atol=1e-10)


@both_kinds
def test_no_sentences_have_no_rules(variational):
    rules, divergence = network_of(variational=variational).rules_of(sentence_batch(TOKENS[:0], np.zeros(1, int), TAGS))
    assert [part.shape for part in rules] == [(TAGS,), (0, TAGS), (0, 2)]
    assert divergence.shape == (0,)


# ---------------------------------------------------------------- without the vector it is jiang-ndmv


def jiang_like(network: SentenceNetwork, child_valence: bool) -> RuleTable:
    """The table of Jiang et al. with the same weights."""
    sizes = {name: SIZES[name] for name in ("tag_size", "valence_size")}
    jiang = JiangNetwork(TAGS, JiangNetworkSettings(**sizes, child_valence=child_valence)).double()
    jiang.load_state_dict({name: network.state_dict()[name] for name in jiang.state_dict()})
    return jiang.table()


@pytest.mark.parametrize("child_valence", [True, False])
@pytest.mark.parametrize("switched_off", ["no vector", "weights of zero"])
def test_without_its_vector_all_sentences_have_the_rules_of_jiang_et_al(switched_off, child_valence):
    if switched_off == "no vector":
        network = network_of(sentence_size=0, child_valence=child_valence)
    else:
        network = network_of(child_valence=child_valence)
        for layer in (network.child_sentence, network.decision_sentence):
            layer.weight.data.zero_()
    wanted = spread(jiang_like(network, child_valence), BATCH)
    for found, part in zip(as_table(network.rules_of(BATCH)[0]).parts, wanted.parts, strict=True):
        np.testing.assert_allclose(found, part, atol=1e-12)


def test_a_grammar_that_was_spread_gives_every_sentence_what_it_gives_it():
    table = jiang_like(network_of(), True)
    ours, plain = (
        expectations(spread(table, BATCH), BATCH),
        expectations(table, tag_batch(Order.FIRST, TOKENS, OFFSETS, 4)),
    )
    np.testing.assert_allclose(ours.log_z, plain.log_z)
    child = ours.counts.child.reshape(2, -1, 2, TAGS)
    summed = np.stack([child[:, BATCH.head_tags == tag].sum(axis=1) for tag in range(TAGS)], axis=1)
    np.testing.assert_allclose(summed.reshape(-1, TAGS), plain.counts.child, atol=1e-12)


def test_under_the_vector_0_it_has_the_table_that_jiang_et_al_compute():
    network = network_of()
    for found, wanted in zip(network.table_under(np.zeros(6)).parts, network.table().parts, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-12)


# ---------------------------------------------------------------- hidden vectors


def test_the_divergence_is_what_samples_of_q_say():
    network = network_of(variational=True)
    _, divergence = network.rules_of(BATCH)
    rng = np.random.default_rng(0)
    for found, tags in zip(divergence.tolist(), SENTENCES, strict=True):
        mean, variance = posterior_by_hand(network, tags)
        s = mean + np.sqrt(variance) * rng.standard_normal((40_000, len(mean)))
        log_q = -((s - mean) ** 2 / variance + np.log(2 * np.pi * variance)).sum(axis=1) / 2
        log_prior = -(s**2 + np.log(2 * np.pi)).sum(axis=1) / 2
        drawn = log_q - log_prior
        assert found == pytest.approx(drawn.mean(), abs=6 * drawn.std() / len(s) ** 0.5)


def test_training_draws_from_q_and_parsing_takes_its_mean():
    network = network_of(variational=True)
    copies = np.tile(SENTENCES[0], 4000)
    noise = torch.Generator().manual_seed(0)
    s = network.vectors(copies, np.arange(0, len(copies) + 1, 4), noise).s.detach().numpy()
    mean, variance = posterior_by_hand(network, SENTENCES[0])
    assert (np.abs(s.mean(axis=0) - mean) < 6 * np.sqrt(variance / 4000)).all()
    np.testing.assert_allclose(s.var(axis=0), variance, rtol=0.2)
    np.testing.assert_allclose(network.vectors(TOKENS, OFFSETS).s[0].detach(), mean, atol=1e-10)


def test_dropout_leaves_the_mean_of_what_was_read():
    network = network_of(sentence_dropout=0.25)
    copies, read = np.tile(SENTENCES[0], 4000), read_by_hand(network, SENTENCES[0])
    dropped = (
        network.vectors(copies, np.arange(0, len(copies) + 1, 4), torch.Generator().manual_seed(0)).s.detach().numpy()
    )
    assert np.mean(dropped == 0) == pytest.approx(0.25, abs=0.02)
    np.testing.assert_allclose(dropped.mean(axis=0), read, atol=0.05)
    np.testing.assert_allclose(network.vectors(TOKENS, OFFSETS).s[0].detach(), read, atol=1e-10)


# ---------------------------------------------------------------- the gradient


@both_kinds
def test_the_gradient_is_that_of_small_differences(variational):
    network = network_of(variational=variational, sentence_dropout=0.3)

    def results() -> list[torch.Tensor]:
        rules, divergence = network.rules_of(BATCH, torch.Generator().manual_seed(5))
        return [*rules, divergence]

    found = results()
    weights = [torch.randn_like(part) for part in found]
    total = sum((weight * part).sum() for weight, part in zip(weights, found, strict=True))
    gradients = torch.autograd.grad(total, list(network.parameters()))

    @torch.no_grad()
    def objective() -> float:
        return float(sum((weight * part).sum() for weight, part in zip(weights, results(), strict=True)))

    step, rng = 1e-6, np.random.default_rng(0)
    for parameter, gradient in zip(network.parameters(), gradients, strict=True):
        for place in [tuple(rng.integers(parameter.shape)) for _ in range(4)]:
            was, ends = float(parameter.data[place]), []
            for there in (was + step, was - step):
                parameter.data[place] = there
                ends.append(objective())
            parameter.data[place] = was
            assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(float(gradient[place]), rel=1e-4, abs=1e-5)


# ---------------------------------------------------------------- sizes


def test_its_sizes_are_those_of_the_settings():
    shapes = {name: weights.shape for name, weights in weights_of(network_of(variational=True)).items()}
    assert shapes["read_vectors"] == (TAGS, 2)
    assert shapes["reader.weight_hh_l0"] == shapes["reader.weight_hh_l0_reverse"] == (4 * 3, 3)
    assert shapes["child_sentence.weight"] == shapes["decision_sentence.weight"] == (2 * 5, 6)
    assert shapes["posterior.weight"] == (2 * 6, 6)
    assert not any(name.startswith(("read", "posterior")) for name in weights_of(network_of(sentence_size=0)))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"sentence_size": 7}, "sentence_size cannot be 7: it has two halves."),
        ({"sentence_size": -2}, "--sentence-size must be at least 0"),
        ({"read_size": 0}, "--read-size must be at least 1"),
        ({"sentence_dropout": 1.0}, "sentence_dropout cannot be 1.0"),
        ({"sentence_size": 0, "variational": True}, "there is no vector to draw"),
        ({"tag_size": 0}, "--tag-size must be at least 1"),
    ],
)
def test_sizes_that_cannot_be_are_refused(wrong, message):
    with pytest.raises(DepinduceError, match=message):
        SentenceNetworkSettings(**wrong)
