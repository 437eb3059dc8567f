"""The encoder of the rule network: puts valence, then direction into the representation of a token.

    v = ReLU(W₁ ReLU(W_val e + e))
    d = W₃ ReLU(W₂ (W_dir v + e))
    h = ReLU(W₄ d)                                     wsj
    h = ReLU(W₆ ReLU(W₅ ReLU(W₄ d + e)))               ud

Without skip connections every `+ e` is left out. Nothing lies between W₃ and W₄, so the two are multiplied first.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from depinduce.networks.gradients import PullBack, linear, linear_back, relu_back
from depinduce.networks.network_settings import NetworkSettings

VALENCES, DIRECTIONS = 2, 2


class Encoder(nn.Module):
    """The parameters, in the order in which `encode` takes them: one encoder for all roles."""

    def __init__(self, settings: NetworkSettings):
        super().__init__()
        size = settings.size
        self.skip = settings.skip_connections
        self.valence = nn.Linear(size, VALENCES * size)
        self.w1 = nn.Linear(size, size)
        self.direction = nn.Linear(size, DIRECTIONS * size)
        self.w2, self.w3, self.w4 = (nn.Linear(size, size) for _ in range(3))
        self.deeper = nn.ModuleList(nn.Linear(size, size) for _ in range(2 if settings.encoder == "ud" else 0))


def encode(
    e: Tensor, inputs: Tensor, skip: bool, parameters: Sequence[Tensor]
) -> tuple[Tensor, PullBack[tuple[Tensor, list[Tensor]]]]:
    """Hidden representations of tokens with valences, in both directions. [input · direction, size]

    e: [token, size], inputs: [input] 2 · token + valence. The pull-back gives the gradients by e and the parameters.
    """
    weights, biases = parameters[::2], parameters[1::2]
    size, deep = e.shape[1], len(weights) > 6
    of_input = inputs // VALENCES
    beside = e.index_select(0, of_input) if skip else None  # e of every input

    first = linear(e, weights[0], biases[0]).view(-1, size).index_select(0, inputs)
    first = (first if beside is None else first.add_(beside)).relu_()
    v = linear(first, weights[1], biases[1]).relu_()
    directed = linear(v, weights[2], biases[2]).view(-1, DIRECTIONS, size)
    directed = (directed if beside is None else directed.add_(beside.unsqueeze(1))).view(-1, size)
    second = linear(directed, weights[3], biases[3]).relu_()
    merged = weights[5] @ weights[4]  # W₄ W₃
    last = linear(second, merged, torch.addmv(biases[5], weights[5], biases[4]))
    if deep and beside is not None:
        last.view(-1, DIRECTIONS, size).add_(beside.unsqueeze(1))
    hidden = [last.relu_()]
    for weight, bias in zip(weights[6:], biases[6:], strict=True):
        hidden.append(linear(hidden[-1], weight, bias).relu_())

    def pull_back(to_hidden: Tensor) -> tuple[Tensor, list[Tensor]]:
        gradients: list[Tensor] = []  # last layer first, bias before weight

        def through_linear(number: int, x: Tensor, to_y: Tensor) -> Tensor:
            to_x, to_weight, to_bias = linear_back(x, weights[number], to_y)
            gradients.extend((to_bias, to_weight))
            return to_x

        for number in range(len(hidden) - 1, 0, -1):
            to_hidden = through_linear(5 + number, hidden[number - 1], relu_back(hidden[number], to_hidden))
        to_last = relu_back(hidden[0], to_hidden)
        to_second, to_merged, to_bias = linear_back(second, merged, to_last)
        to_w4 = torch.addr(to_merged @ weights[4].t(), to_bias, biases[4])
        gradients.extend((to_bias, to_w4, to_bias @ weights[5], weights[5].t() @ to_merged))
        to_directed = through_linear(3, directed, relu_back(second, to_second))
        to_v = through_linear(2, v, to_directed.view(-1, DIRECTIONS * size))
        to_first = relu_back(first, through_linear(1, first, relu_back(v, to_v)))
        to_valence = e.new_zeros(VALENCES * len(e), size).index_copy_(0, inputs, to_first)
        to_e = through_linear(0, e, to_valence.view(len(e), -1))
        if skip:
            twice = to_directed + to_last if deep else to_directed
            to_beside = twice.view(-1, DIRECTIONS, size).sum(1).add_(to_first)
            to_e.index_add_(0, of_input, to_beside)
        return to_e, gradients[::-1]

    return hidden[-1], pull_back
