"""Gradients written out by hand, and how autograd gets to know them.

With tags the matrices of a rule network are so small that the books of automatic differentiation are a good part of a
step: autograd through the same forward pass takes 1.1 times as long for ndmv and grand, and 1.6 times for sibling.
Over words it takes 1.2 times as long, and would keep the scores of a whole batch with all words, where a pull-back
makes them again in pieces that fit into memory. (`tools/measure_gradients.py`, French, one core; equal to 3e-7.)

So a computation here gives, beside its results, its *pull-back*: the function from the gradient by the results to the
gradient by what they were computed from. A larger computation calls the smaller ones, and its pull-back calls theirs
in the opposite order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import torch
from torch import Tensor

Gradients = Sequence[Tensor]  # by each argument
ByArguments = TypeVar("ByArguments")
PullBack = Callable[..., ByArguments]  # from the gradient by each result to the gradients by the arguments


def differentiable(compute: Callable[..., tuple[tuple[Tensor, ...], PullBack[Gradients]]], *arguments: Tensor):
    """The results of `compute(*arguments)`, which autograd differentiates by the pull-back that comes with them."""
    return _WrittenOut.apply(compute, *arguments)


class _WrittenOut(torch.autograd.Function):
    @staticmethod
    def forward(ctx, compute, *arguments):
        results, ctx.pull_back = compute(*arguments)
        return results

    @staticmethod
    def backward(ctx, *to_results):
        return None, *ctx.pull_back(*to_results)


def linear(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """The linear map x Wᵀ + b. [row, size]"""
    return torch.addmm(bias, x, weight.t())


def linear_back(x: Tensor, weight: Tensor, to_y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients by x, W and b."""
    return to_y @ weight, to_y.t() @ x, to_y.sum(0)


def project(x: Tensor, weight: Tensor) -> tuple[Tensor, PullBack[tuple[Tensor, Tensor]]]:
    """The projection x Wᵀ; its pull-back gives the gradients by x and W. [row, size]"""

    def pull_back(to_y: Tensor) -> tuple[Tensor, Tensor]:
        return to_y @ weight, to_y.t() @ x

    return x @ weight.t(), pull_back


def relu_back(y: Tensor, to_y: Tensor) -> Tensor:
    """The gradient by x of y = ReLU(x)."""
    return torch.ops.aten.threshold_backward(to_y, y, 0)
