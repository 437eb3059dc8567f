"""The rule network computes the paper's appendix: the same table as loops over every rule, and its gradient."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import torch
from learning.tagged import random_sentences, tagged

from depinduce.chart.engine import expectations, log_partition
from depinduce.errors import DepinduceError
from depinduce.grammar.between_orders import raise_order
from depinduce.grammar.rules import GO, HAS, LEFT, NO, RIGHT, STOP, Order, RuleTable, tag_batch
from depinduce.networks.network_settings import NetworkSettings
from depinduce.networks.tag_network import RuleNetwork, as_table

torch.set_num_threads(1)  # the networks here are tiny

TAGS = 4
SIZES = {"size": 9, "child_rank": 6, "decision_rank": 5}  # all different, none the number of tags
VALENCES, DIRECTIONS = (NO, HAS), (LEFT, RIGHT)

every_order = pytest.mark.parametrize("order", list(Order))
higher_orders = pytest.mark.parametrize("order", [Order.SIBLING, Order.GRANDPARENT])
every_encoder = pytest.mark.parametrize("encoder", ["ud", "wsj"])
with_and_without_skips = pytest.mark.parametrize("skip", [True, False])


def network_of(order: Order, encoder: str = "ud", skip: bool = True, seed: int = 1) -> RuleNetwork:
    """In double precision, its weights large enough for rules that are far from equally probable."""
    torch.manual_seed(seed)
    network = RuleNetwork(order, TAGS, NetworkSettings(**SIZES, encoder=encoder, skip_connections=skip)).double()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.4)
    return network


# ---------------------------------------------------------------- where the module keeps its weights


@dataclass
class Layer:
    """W x + b, sharing its memory with the module."""

    weight: np.ndarray
    bias: np.ndarray

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return self.weight @ x + self.bias


class Weights:
    """The weights of a network under the paper's names. Nothing else here knows how the module keeps them."""

    def __init__(self, network: RuleNetwork):
        self.embedding = network.embedding.detach().numpy()  # x of each symbol: the tags, then
        self.context, self.stop, self.go, self.root = range(TAGS, TAGS + 4)  # NULL or ROOT, STOP, GO, the root
        roles = ("parent", "child", "context", "decision", "root")
        self.role = dict(zip(roles, network.roles.weight.detach().numpy().reshape(5, -1, SIZES["size"]), strict=True))
        encoder = network.encoder
        self.valence, self.direction = _two_layers(encoder.valence), _two_layers(encoder.direction)
        layers = (encoder.w1, encoder.w2, encoder.w3, encoder.w4, *encoder.deeper)
        self.w = {number: _layer(layer) for number, layer in enumerate(layers, start=1)}
        child, decision = slice(None, SIZES["child_rank"]), slice(SIZES["child_rank"], None)
        self.factors = {  # C of each kind of rule, by role; rows of one kind follow those of another
            "child": {"parent": _rows(network.parent_factors, child), "child": _rows(network.child_factors, child)},
            "decision": {
                "parent": _rows(network.parent_factors, decision),
                "decision": _rows(network.decision_factors, slice(None)),
            },
            "root": {
                "root": _rows(network.root_factors, slice(None)),
                "child": _rows(network.child_factors, slice(SIZES["child_rank"], None)),
            },
        }
        if network.order is not Order.FIRST:
            self.factors["child"]["context"] = _rows(network.context_factors, child)
            self.factors["decision"]["context"] = _rows(network.context_factors, decision)


def _rows(projection: torch.nn.Linear, rows: slice) -> np.ndarray:
    return projection.weight.detach().numpy()[rows]


def _layer(linear: torch.nn.Linear) -> Layer:
    return Layer(linear.weight.detach().numpy(), linear.bias.detach().numpy())


def _two_layers(linear: torch.nn.Linear) -> list[Layer]:
    """The layers of the two valences or directions, which the module keeps as one."""
    both = _layer(linear)
    size = len(both.bias) // 2
    return [Layer(both.weight[:size], both.bias[:size]), Layer(both.weight[size:], both.bias[size:])]


# ---------------------------------------------------------------- the appendix, one rule at a time


def relu(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 0)


class Appendix:
    """The full parameterisation as the paper writes it down."""

    def __init__(self, network: RuleNetwork, encoder: str, skip: bool):
        self.order, self.encoder, self.skip, self.weights = network.order, encoder, skip, Weights(network)

    def h(self, role: str, symbol: int, valence: int, direction: int) -> np.ndarray:
        """The final hidden representation of a symbol in a role."""
        return self.h_of(self.weights.role[role] @ self.weights.embedding[symbol], valence, direction)

    def h_of(self, e: np.ndarray, valence: int, direction: int) -> np.ndarray:
        w, again = self.weights.w, e if self.skip else 0 * e
        v = relu(w[1](relu(self.weights.valence[valence](e) + again)))
        d = w[3](relu(w[2](self.weights.direction[direction](v) + again)))
        if self.encoder == "wsj":
            return relu(w[4](d))
        return relu(w[6](relu(w[5](relu(w[4](d) + again)))))

    def score(self, kind: str, valence: int, direction: int, **symbols: int) -> float:
        """The multilinear score of a rule, given which symbol has which role."""
        product = 1.0
        for role, symbol in symbols.items():
            product = product * (self.weights.factors[kind][role] @ self.h(role, symbol, valence, direction))
        return float(np.sum(product))

    def table(self) -> RuleTable:
        child, decision = np.zeros((*self.order.shape(TAGS), TAGS)), np.zeros((*self.order.shape(TAGS), 2))
        for place in np.ndindex(self.order.shape(TAGS)):
            row = self.row(*place)
            child[place] = log_softmax([self.score("child", **row, child=tag) for tag in range(TAGS)])
            decisions = {STOP: self.weights.stop, GO: self.weights.go}
            decision[place] = log_softmax([self.score("decision", **row, decision=decisions[a]) for a in (STOP, GO)])
        root = [
            sum(
                self.score("root", valence, direction, root=self.weights.root, child=tag)
                for valence in VALENCES
                for direction in DIRECTIONS
            )
            for tag in range(TAGS)
        ]
        return RuleTable.of_tags(log_softmax(root), child, decision)

    def row(self, direction: int, parent: int, *context: int) -> dict[str, int]:
        """What the score of a row sees."""
        if self.order is Order.FIRST:
            (valence,) = context
            return {"direction": direction, "valence": valence, "parent": parent}
        if self.order is Order.SIBLING:
            (sibling,) = context
            valence = NO if sibling == TAGS else HAS  # who has a sibling is not the first child
            symbol = self.weights.context if sibling == TAGS else sibling
        else:
            grandparent, valence = context
            symbol = self.weights.context if grandparent == TAGS else grandparent
        return {"direction": direction, "valence": valence, "parent": parent, "context": symbol}


def log_softmax(scores: list[float]) -> np.ndarray:
    return np.array(scores) - np.log(np.sum(np.exp(scores)))


@every_order
@every_encoder
@with_and_without_skips
def test_the_table_is_that_of_the_appendix(order, encoder, skip):
    network = network_of(order, encoder, skip)
    found, expected = network.table(), Appendix(network, encoder, skip).table()
    for part in ("root", "child", "decision"):
        np.testing.assert_allclose(getattr(found, part), getattr(expected, part), rtol=1e-9, atol=1e-9)
        assert np.ptp(getattr(found, part)) > 0.1  # there is something to tell apart


@every_order
@every_encoder
def test_the_training_precision_gives_the_same_table(order, encoder):
    network = network_of(order, encoder)
    exact, single = network.table(), network.float().table()
    for part in ("root", "child", "decision"):
        assert getattr(single, part).dtype == np.float64
        np.testing.assert_allclose(getattr(single, part), getattr(exact, part), rtol=1e-3, atol=1e-3)


@every_order
@every_encoder
@with_and_without_skips
def test_every_row_is_a_distribution(order, encoder, skip):
    torch.manual_seed(0)
    network = RuleNetwork(order, 5, NetworkSettings(**SIZES, encoder=encoder, skip_connections=skip))
    table = network.table()
    assert table.root.shape == (5,)
    assert table.child.shape == (2 * 5 * order.slots(5), 5)
    assert table.decision.shape == (2 * 5 * order.slots(5), 2)
    for part in (table.root, table.child, table.decision):
        assert np.exp(part).sum(axis=-1) == pytest.approx(1, abs=1e-6)


@every_order
def test_every_context_makes_a_difference(order):
    # A row that another row repeats would be a context that the network does not see.
    child = network_of(order).table().child
    distances = np.abs(child[:, None] - child[None]).max(axis=-1) + np.eye(len(child))
    assert distances.min() > 1e-6


def test_the_weights_depend_on_the_seed_only():
    def child(seed: int) -> np.ndarray:
        torch.manual_seed(seed)
        return RuleNetwork(Order.SIBLING, TAGS, NetworkSettings(**SIZES)).table().child

    assert np.array_equal(child(3), child(3))
    assert not np.allclose(child(3), child(4))


# ---------------------------------------------------------------- the gradient


def sentences(order: Order):
    corpus = tagged(*random_sentences(5, count=8, longest=6))
    return tag_batch(order, corpus.tags, corpus.offsets, TAGS)


@every_order
@every_encoder
@with_and_without_skips
def test_expected_counts_give_the_gradient_of_the_likelihood(order, encoder, skip):
    network, batch = network_of(order, encoder, skip, seed=2), sentences(order)

    def loss() -> float:
        return -log_partition(network.table(), batch).sum()

    log_probabilities = network()
    counts = expectations(as_table(log_probabilities), batch).counts
    gradients = [torch.from_numpy(-part) for part in (counts.root, counts.child, counts.decision)]
    torch.autograd.backward(log_probabilities, gradients)

    random, step, moved = np.random.default_rng(0), 1e-6, 0
    for name, parameter in network.named_parameters():
        towards = torch.from_numpy(random.normal(size=parameter.shape))
        with torch.no_grad():
            parameter += step * towards
            above = loss()
            parameter -= 2 * step * towards
            below = loss()
            parameter += step * towards
        slope = 0.0 if parameter.grad is None else float((parameter.grad * towards).sum())
        assert slope == pytest.approx((above - below) / (2 * step), rel=1e-4, abs=1e-5), name
        moved += abs(slope) > 1e-3
    assert moved >= 10  # most of the parameters matter


# ---------------------------------------------------------------- one order within another


@higher_orders
@every_encoder
@with_and_without_skips
def test_with_context_factors_of_one_it_is_the_first_order_network(order, encoder, skip):
    network = network_of(order, encoder, skip, seed=3)
    first = RuleNetwork(Order.FIRST, TAGS, NetworkSettings(**SIZES, encoder=encoder, skip_connections=skip)).double()
    first.load_state_dict({name: network.state_dict()[name] for name in first.state_dict()})
    assert not np.allclose(network.table().child, raise_order(first.table(), order).child)

    make_contexts_ones(network, Appendix(network, encoder, skip))
    raised = raise_order(first.table(), order)
    for part in ("root", "child", "decision"):
        np.testing.assert_allclose(getattr(network.table(), part), getattr(raised, part), rtol=1e-6, atol=1e-6)
    alone, within = (
        log_partition(first.table(), sentences(Order.FIRST)),
        log_partition(network.table(), sentences(order)),
    )
    np.testing.assert_allclose(within, alone, rtol=1e-6)


def make_contexts_ones(network: RuleNetwork, appendix: Appendix) -> None:
    """Choose W_s and both C_s such that C_s h_s is one for every context."""
    weights = appendix.weights
    weights.role["context"][:] = 0  # then h_s is the same for all symbols, one for each valence and direction,
    nothing = np.zeros(SIZES["size"])
    h = np.stack([appendix.h_of(nothing, valence, direction) for valence in VALENCES for direction in DIRECTIONS])
    for kind in ("child", "decision"):  # and C_s solves C_s h_s = 1
        projection = weights.factors[kind]["context"]
        projection[:] = np.linalg.lstsq(h, np.ones((len(h), len(projection))), rcond=None)[0].T
        np.testing.assert_allclose(h @ projection.T, 1, rtol=1e-6)


# ---------------------------------------------------------------- sizes


@every_encoder
def test_sizes_and_ranks_are_those_of_the_settings(encoder):
    weights = Weights(network_of(Order.GRANDPARENT, encoder))
    size = SIZES["size"]
    assert weights.embedding.shape == (TAGS + 4, size)
    assert {matrix.shape for matrix in weights.role.values()} == {(size, size)}
    layers = [*weights.valence, *weights.direction, *weights.w.values()]
    assert len(layers) == (10 if encoder == "ud" else 8)
    assert {layer.weight.shape for layer in layers} == {(size, size)}
    ranks = {kind: {matrix.shape for matrix in factors.values()} for kind, factors in weights.factors.items()}
    assert ranks == {"child": {(6, size)}, "decision": {(5, size)}, "root": {(6, size)}}


def test_the_defaults_are_the_papers_for_ud():
    settings = NetworkSettings()
    assert (settings.size, settings.child_rank, settings.decision_rank) == (100, 30, 10)
    assert (settings.encoder, settings.skip_connections) == ("ud", True)
    assert RuleNetwork(Order.FIRST, TAGS).embedding.shape == (TAGS + 4, 100)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"size": 0}, "--size must be at least 1, not 0"),
        ({"child_rank": 0}, "--child-rank must be at least 1, not 0"),
        ({"decision_rank": -3}, "--decision-rank must be at least 1, not -3"),
        ({"encoder": "ptb"}, "There is no encoder 'ptb'. Choose from: ud, wsj."),
    ],
)
def test_impossible_settings_are_refused(wrong, message):
    with pytest.raises(DepinduceError) as refusal:
        NetworkSettings(**wrong)
    assert message in str(refusal.value)
