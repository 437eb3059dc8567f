"""The encoder of the rule network: puts valence, then direction into the representation of a token.

    v = ReLU(W₁ ReLU(W_val e + e))
    d = W₃ ReLU(W₂ (W_dir v + e))
    h = ReLU(W₄ d)                                     wsj
    h = ReLU(W₆ ReLU(W₅ ReLU(W₄ d + e)))               ud

Without skip connections every `+ e` is left out. With tags the matrices are so small that keeping the books of
automatic differentiation would take longer than the products themselves; so the gradient is written out, below the
formula and in the opposite order.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from depinduce.models.network_settings import NetworkSettings

VALENCES, DIRECTIONS = 2, 2


class Encoder(nn.Module):
    """One for all roles."""

    def __init__(self, settings: NetworkSettings):
        super().__init__()
        size = settings.size
        self.skip = settings.skip_connections
        self.valence = nn.Linear(size, VALENCES * size)
        self.w1 = nn.Linear(size, size)
        self.direction = nn.Linear(size, DIRECTIONS * size)
        self.w2, self.w3, self.w4 = (nn.Linear(size, size) for _ in range(3))
        self.deeper = nn.ModuleList(nn.Linear(size, size) for _ in range(2 if settings.encoder == "ud" else 0))

    def forward(self, e: Tensor, inputs: Tensor) -> Tensor:
        """Hidden representations of tokens with valences, in both directions. [input · direction, size]

        e: [token, size], inputs: [input] 2 · token + valence
        """
        layers = (self.valence, self.w1, self.direction, self.w2, self.w3, self.w4, *self.deeper)
        parameters = [part for layer in layers for part in (layer.weight, layer.bias)]
        return _Encode.apply(e, inputs, self.skip, *parameters)


class _Encode(torch.autograd.Function):
    """The formula and its gradient. Rows below: [token], [input] and [input · direction]."""

    @staticmethod
    def forward(ctx, e: Tensor, inputs: Tensor, skip: bool, *parameters: Tensor) -> Tensor:
        weights, biases = parameters[::2], parameters[1::2]
        size, deep = e.shape[1], len(weights) > 6
        of_input = inputs // VALENCES
        beside = e.index_select(0, of_input) if skip else None  # e of every input

        def linear(number: int, x: Tensor) -> Tensor:
            return torch.addmm(biases[number], x, weights[number].t())

        first = linear(0, e).view(-1, size).index_select(0, inputs)
        first = (first.add_(beside) if skip else first).relu_()
        v = linear(1, first).relu_()
        directed = linear(2, v).view(-1, DIRECTIONS, size)
        directed = (directed.add_(beside.unsqueeze(1)) if skip else directed).view(-1, size)
        second = linear(3, directed).relu_()
        d = linear(4, second)
        last = linear(5, d)
        if skip and deep:
            last.view(-1, DIRECTIONS, size).add_(beside.unsqueeze(1))
        hidden = [last.relu_()]
        for number in range(6, len(weights)):
            hidden.append(linear(number, hidden[-1]).relu_())
        ctx.skip = skip
        ctx.save_for_backward(e, inputs, of_input, first, v, directed, second, d, *hidden, *weights)
        ctx.hidden = len(hidden)
        return hidden[-1]

    @staticmethod
    def backward(ctx, to_hidden: Tensor):
        e, inputs, of_input, first, v, directed, second, d, *rest = ctx.saved_tensors
        hidden, weights = rest[: ctx.hidden], rest[ctx.hidden :]
        size, deep = e.shape[1], len(hidden) > 1
        gradients: list[Tensor | None] = [None] * (2 * len(weights))
        to_beside = None  # of e, where it enters again

        def through_linear(number: int, x: Tensor, to_y: Tensor) -> Tensor:
            gradients[2 * number : 2 * number + 2] = to_y.t() @ x, to_y.sum(0)
            return to_y @ weights[number]

        def through_relu(y: Tensor, to_y: Tensor) -> Tensor:
            return torch.ops.aten.threshold_backward(to_y, y, 0)

        for number in range(len(hidden) - 1, 0, -1):
            to_hidden = through_linear(5 + number, hidden[number - 1], through_relu(hidden[number], to_hidden))
        to_last = through_relu(hidden[0], to_hidden)
        to_second = through_linear(4, second, through_linear(5, d, to_last))
        to_directed = through_linear(3, directed, through_relu(second, to_second))
        to_v = through_linear(2, v, to_directed.view(-1, DIRECTIONS * size))
        to_first = through_relu(first, through_linear(1, first, through_relu(v, to_v)))
        to_valence = torch.zeros(VALENCES * len(e), size, dtype=e.dtype, device=e.device)
        to_valence.index_add_(0, inputs, to_first)
        to_e = through_linear(0, e, to_valence.view(len(e), -1))
        if ctx.skip:
            twice = to_directed + to_last if deep else to_directed
            to_beside = twice.view(-1, DIRECTIONS, size).sum(1).add_(to_first)
            to_e.index_add_(0, of_input, to_beside)
        return to_e, None, None, *gradients
