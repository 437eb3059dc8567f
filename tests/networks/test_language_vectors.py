"""A language is a vector that moves the embeddings of symbols: what the network then is, and its gradient."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from depinduce.errors import DepinduceError
from depinduce.grammar.rules import Order
from depinduce.networks.network_settings import NetworkSettings
from depinduce.networks.tag_network import RuleNetwork

torch.set_num_threads(1)  # the networks here are tiny

TAGS, LANGUAGES = 3, 4
SETTINGS = NetworkSettings(size=7, child_rank=5, decision_rank=4, vector_size=2)

every_order = pytest.mark.parametrize("order", list(Order))


def network_of(order: Order, settings: NetworkSettings = SETTINGS) -> RuleNetwork:
    """In double precision, its weights large enough for languages that are far from each other."""
    torch.manual_seed(1)
    network = RuleNetwork(order, TAGS, settings, LANGUAGES).double()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.5)
    return network


def plain_network(network: RuleNetwork) -> RuleNetwork:
    """The same without languages."""
    plain = RuleNetwork(network.order, TAGS, SETTINGS).double()
    plain.load_state_dict({name: network.state_dict()[name] for name in plain.state_dict()})
    return plain


def same(one, other) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one.parts, other.parts, strict=True))


@every_order
def test_without_a_vector_it_is_the_network_without_languages(order):
    network = network_of(order)
    assert same(network.table(), plain_network(network).table())
    assert not same(network.table(0), network.table())
    assert not same(network.table(0), network.table(1))


@every_order
def test_a_vector_moves_the_embedding_of_every_symbol(order):
    network, language = network_of(order), 2
    plain, vector = plain_network(network), network.languages.vectors[language].tolist()
    with torch.no_grad():
        for symbol in range(TAGS + 4):
            for place in range(SETTINGS.size):
                weights = network.languages.maps[symbol, place].tolist()
                plain.embedding[symbol, place] += sum(w * z for w, z in zip(weights, vector, strict=True))
    for found, wanted in zip(network.table(language).parts, plain.table().parts, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12)


@every_order
@pytest.mark.parametrize("language", [1, None])
def test_the_pull_back_gives_the_slope_of_anything_made_of_the_rules(order, language):
    network, random, step = network_of(order), np.random.default_rng(0), 1e-6
    weights = [torch.from_numpy(random.normal(size=part.shape)) for part in network.rules(language)[0]]

    def value() -> float:
        return float(sum((w * part).sum() for w, part in zip(weights, network.rules(language)[0], strict=True)))

    with torch.no_grad():
        gradients = network.rules(language)[1](*weights)
    told_apart = 0
    for (name, parameter), gradient in zip(network.named_parameters(), gradients, strict=True):
        towards = torch.from_numpy(random.normal(size=parameter.shape))
        with torch.no_grad():
            parameter += step * towards
            above = value()
            parameter -= 2 * step * towards
            below = value()
            parameter += step * towards
        slope = float((gradient * towards).sum())
        assert slope == pytest.approx((above - below) / (2 * step), rel=1e-4, abs=1e-6), name
        told_apart += name.startswith("languages.") and abs(slope) > 1e-2
    assert told_apart == (0 if language is None else 2)


@every_order
def test_autograd_gives_the_gradient_by_vectors_too(order):
    network = network_of(order)
    rules, pull_back = network.rules(3)
    ones = [torch.full_like(part, 0.5) for part in rules]
    torch.autograd.backward(network(3), ones)
    for parameter, gradient in zip(network.parameters(), pull_back(*ones), strict=True):
        torch.testing.assert_close(parameter.grad, gradient)


def test_only_the_vector_of_the_language_learns():
    network = network_of(Order.FIRST)
    rules, pull_back = network.rules(1)
    *_, to_vectors, _ = pull_back(*map(torch.ones_like, rules))
    assert to_vectors[1].any() and not to_vectors[[0, 2, 3]].any()


def test_at_first_all_languages_are_alike_but_can_be_told_apart():
    torch.manual_seed(0)
    network = RuleNetwork(Order.FIRST, TAGS, SETTINGS, LANGUAGES)
    assert same(network.table(0), network.table()) and same(network.table(1), network.table())
    rules, pull_back = network.rules(0)
    *_, to_maps = pull_back(*(torch.rand_like(part) for part in rules))
    assert to_maps.any()


def test_other_weights_are_those_of_a_network_without_languages():
    torch.manual_seed(5)
    alone = RuleNetwork(Order.SIBLING, TAGS, SETTINGS).table()
    torch.manual_seed(5)
    assert same(alone, RuleNetwork(Order.SIBLING, TAGS, SETTINGS, LANGUAGES).table())


def test_vectors_of_no_size_tell_nothing():
    network = network_of(Order.FIRST, NetworkSettings(size=7, child_rank=5, decision_rank=4, vector_size=0))
    assert same(network.table(0), network.table())
    rules, pull_back = network.rules(0)
    assert pull_back(*map(torch.ones_like, rules))[-2].shape == (LANGUAGES, 0)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"vector_size": -1}, "--vector-size must be at least 0, not -1"),
        ({"vector_dropout": 1.0}, "vector_dropout cannot be 1.0: at least 0, less than 1."),
    ],
)
def test_impossible_settings_are_refused(wrong, message):
    with pytest.raises(DepinduceError, match=message):
        NetworkSettings(**wrong)
