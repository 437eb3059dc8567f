"""The formulas of the D-NDMV one sentence and one rule at a time: an LSTM in plain loops, and a table per sentence."""

from __future__ import annotations

import numpy as np
import torch

from depinduce.grammar.rules import GO, HAS, LEFT, NO, RIGHT, STOP, RuleTable
from depinduce.networks.network_settings import SentenceNetworkSettings
from depinduce.networks.sentence_network import SentenceNetwork

TAGS = 4
SIZES = {"tag_size": 5, "valence_size": 3, "sentence_size": 6, "read_size": 2, "sentence_dropout": 0.0}  # all different


def network_of(seed: int = 1, **settings) -> SentenceNetwork:
    """In double precision, all its weights random."""
    torch.manual_seed(seed)
    network = SentenceNetwork(TAGS, SentenceNetworkSettings(**SIZES | settings)).double()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.copy_(torch.randn_like(parameter))
    return network


def weights_of(network: SentenceNetwork) -> dict[str, np.ndarray]:
    return {name: tensor.detach().numpy() for name, tensor in network.named_parameters()}


def softmax(scores: list[float]) -> np.ndarray:
    shares = np.exp(scores)
    return shares / shares.sum()


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def last_state(vectors: list[np.ndarray], weights: dict[str, np.ndarray], end: str) -> np.ndarray:
    """Where an LSTM ends that reads these vectors in their order."""
    w, u, b, c = (weights[f"reader.{name}_l0{end}"] for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
    state = memory = np.zeros(u.shape[1])
    for vector in vectors:
        taken, kept, new, shown = np.split(w @ vector + b + u @ state + c, 4)
        memory = sigmoid(kept) * memory + sigmoid(taken) * np.tanh(new)
        state = sigmoid(shown) * np.tanh(memory)
    return state


def read_by_hand(network: SentenceNetwork, tags: list[int]) -> np.ndarray:
    """What is read of one sentence, from the left and then from the right."""
    weights = weights_of(network)
    vectors = [weights["read_vectors"][tag] if tag >= 0 else weights["read_vectors"].mean(axis=0) for tag in tags]
    return np.concatenate([last_state(vectors, weights, ""), last_state(vectors[::-1], weights, "_reverse")])


def posterior_by_hand(network: SentenceNetwork, tags: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variances of q."""
    weights = weights_of(network)
    numbers = weights["posterior.weight"] @ read_by_hand(network, tags) + weights["posterior.bias"]
    return numbers[: network.size], np.exp(numbers[network.size :])


def vector_by_hand(network: SentenceNetwork, tags: list[int]) -> np.ndarray:
    return posterior_by_hand(network, tags)[0] if network.variational else read_by_hand(network, tags)


def table_by_hand(network: SentenceNetwork, vector: np.ndarray) -> RuleTable:
    """The grammar over tags under one vector."""
    weights = weights_of(network)
    tag, valence = weights["tag_vectors"], weights["valence_vectors"]
    size = tag.shape[1]
    side = {LEFT: slice(0, size), RIGHT: slice(size, 2 * size)}
    outcome = {STOP: weights["decision_vectors"][0], GO: weights["decision_vectors"][1]}
    child, decision = np.zeros((2, TAGS, 2, TAGS)), np.zeros((2, TAGS, 2, 2))
    for direction in (LEFT, RIGHT):
        for head in range(TAGS):
            for has in (NO, HAS):
                both = np.concatenate([tag[head], valence[has]])
                scores = weights["child_layer.weight"][side[direction]] @ (both if network.child_valence else tag[head])
                hidden = np.maximum(scores + weights["child_sentence.weight"][side[direction]] @ vector, 0)
                child[direction, head, has] = softmax([float(hidden @ tag[c]) for c in range(TAGS)])
                scores = weights["decision_layer.weight"][side[direction]] @ both
                hidden = np.maximum(scores + weights["decision_sentence.weight"][side[direction]] @ vector, 0)
                decision[direction, head, has] = softmax([float(hidden @ outcome[a]) for a in (STOP, GO)])
    return RuleTable.of_tags(*map(np.log, (softmax(list(weights["root_scores"])), child, decision)))
