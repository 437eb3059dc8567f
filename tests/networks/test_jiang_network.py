"""The networks of Jiang et al. compute their formulas: the same table as loops over every rule, and its gradient."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from depinduce.errors import DepinduceError
from depinduce.grammar.rules import GO, HAS, LEFT, NO, RIGHT, STOP, Order, RuleTable
from depinduce.networks.jiang_network import JiangNetwork
from depinduce.networks.network_settings import JiangNetworkSettings
from depinduce.networks.tag_network import as_table

torch.set_num_threads(1)  # the networks here are tiny

TAGS, SIZE, VALENCE = 4, 5, 3  # all different
with_and_without_child_valence = pytest.mark.parametrize("child_valence", [True, False])


def network_of(child_valence: bool, seed: int = 1) -> JiangNetwork:
    """In double precision, all its weights random, those of the roots, too."""
    torch.manual_seed(seed)
    settings = JiangNetworkSettings(tag_size=SIZE, valence_size=VALENCE, child_valence=child_valence)
    network = JiangNetwork(TAGS, settings).double()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.copy_(torch.randn_like(parameter))
    return network


# ---------------------------------------------------------------- the formulas, one rule at a time


def softmax(scores: list[float]) -> np.ndarray:
    shares = np.exp(scores)
    return shares / shares.sum()


def table_by_hand(network: JiangNetwork, child_valence: bool) -> RuleTable:
    """Every rule as the paper has it; nothing else here knows how the module keeps its weights."""
    weights = {name: tensor.detach().numpy() for name, tensor in network.named_parameters()}
    tag, valence = weights["tag_vectors"], weights["valence_vectors"]
    child_layers = {LEFT: weights["child_layer.weight"][:SIZE], RIGHT: weights["child_layer.weight"][SIZE:]}
    decision_layers = {LEFT: weights["decision_layer.weight"][:SIZE], RIGHT: weights["decision_layer.weight"][SIZE:]}
    outcome = {STOP: weights["decision_vectors"][0], GO: weights["decision_vectors"][1]}
    child, decision = np.zeros((2, TAGS, 2, TAGS)), np.zeros((2, TAGS, 2, 2))
    for direction in (LEFT, RIGHT):
        for head in range(TAGS):
            for has in (NO, HAS):
                both = np.concatenate([tag[head], valence[has]])
                hidden = np.maximum(child_layers[direction] @ (both if child_valence else tag[head]), 0)
                child[direction, head, has] = softmax([float(hidden @ tag[c]) for c in range(TAGS)])
                hidden = np.maximum(decision_layers[direction] @ both, 0)
                decision[direction, head, has] = softmax([float(hidden @ outcome[a]) for a in (STOP, GO)])
    root = softmax(list(weights["root_scores"]))
    return RuleTable.of_tags(*map(np.log, (root, child, decision)))


@with_and_without_child_valence
def test_the_table_is_that_of_the_formulas(child_valence):
    network = network_of(child_valence)
    wanted = table_by_hand(network, child_valence)
    for found in (network.table(), as_table(network()), as_table(network.rules()[0])):
        for part, by_hand in zip(found.parts, wanted.parts, strict=True):
            np.testing.assert_allclose(part, by_hand, atol=1e-12)


def test_only_with_child_valence_does_a_child_depend_on_whether_it_is_the_first():
    tables = {valence: network_of(valence).table() for valence in (True, False)}
    first, later = (tables[False].child.reshape(2, TAGS, 2, TAGS)[:, :, valence] for valence in (NO, HAS))
    assert np.array_equal(first, later)
    first, later = (tables[True].child.reshape(2, TAGS, 2, TAGS)[:, :, valence] for valence in (NO, HAS))
    assert (np.abs(first - later).max(axis=2) > 1e-3).all()
    for table in tables.values():  # decisions always do
        first, later = (table.decision.reshape(2, TAGS, 2, 2)[:, :, valence] for valence in (NO, HAS))
        assert not np.allclose(first, later)


# ---------------------------------------------------------------- the gradient


@with_and_without_child_valence
def test_the_gradient_is_that_of_small_differences(child_valence):
    network = network_of(child_valence)
    rules, pull_back = network.rules()
    weights = [torch.randn_like(part) for part in rules]
    with torch.no_grad():
        gradients = pull_back(*weights)

    def objective() -> float:
        return float(sum((weight * part).sum() for weight, part in zip(weights, network.rules()[0], strict=True)))

    step = 1e-6
    for parameter, gradient in zip(network.parameters(), gradients, strict=True):  # in this order they are one vector
        assert gradient.shape == parameter.shape
        for place in np.ndindex(parameter.shape):
            was, ends = float(parameter.data[place]), []
            for there in (was + step, was - step):
                parameter.data[place] = there
                ends.append(objective())
            parameter.data[place] = was
            assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(float(gradient[place]), rel=1e-5, abs=1e-6)


@with_and_without_child_valence
def test_autograd_knows_the_same_gradient(child_valence):
    network = network_of(child_valence)
    rules, pull_back = network.rules()
    weights = [torch.randn_like(part) for part in rules]
    found = torch.autograd.grad(network(), list(network.parameters()), weights)
    for one, other in zip(found, pull_back(*weights), strict=True):
        torch.testing.assert_close(one, other)


# ---------------------------------------------------------------- what it begins with


def test_roots_begin_alike_and_all_else_by_the_seed():
    def table(seed: int) -> RuleTable:
        torch.manual_seed(seed)
        return JiangNetwork(TAGS).table()

    assert np.allclose(table(0).root, -np.log(TAGS))
    assert np.array_equal(table(0).child, table(0).child)
    assert not np.allclose(table(0).child, table(1).child)


def test_its_sizes_are_those_of_the_settings():
    network, sizes = JiangNetwork(TAGS), JiangNetworkSettings()
    assert (network.order, network.tags) == (Order.FIRST, TAGS)
    assert network.tag_vectors.shape == (TAGS, sizes.tag_size)
    assert network.child_layer.weight.shape == (2 * sizes.tag_size, sizes.tag_size + sizes.valence_size)
    for wrong in ({"tag_size": 0}, {"valence_size": 0}, {"tag_size": 10**9}):
        with pytest.raises(DepinduceError, match="-size (must be at least|can be at most)"):
            JiangNetworkSettings(**wrong)
