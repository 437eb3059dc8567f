"""The decomposed trilinear score of the paper, and the softmax of it.

    S(p, s, c) = Σᵢ parent[p, i] · context[s, i] · outcome[c, i]
    p(c | p, s) = exp S(p, s, c) / Σ_c' exp S(p, s, c')

Without a context it is bilinear. The gradient is written out for the same reason as in `encoder`.
"""

from __future__ import annotations

import torch
from torch import Tensor


def log_probabilities(parent: Tensor, context: Tensor | None, outcome: Tensor) -> Tensor:
    """log p(c | p, s). [block, parent, context, outcome], one context where there is none

    parent: [block, parent, rank], context: [block, context, rank], outcome: [block, outcome, rank]; blocks are
    independent of each other (directions, valences)
    """
    return _Trilinear.apply(parent, context, outcome)


class _Trilinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, parent: Tensor, context: Tensor | None, outcome: Tensor) -> Tensor:
        pairs = parent.unsqueeze(2) if context is None else parent.unsqueeze(2) * context.unsqueeze(1)
        pairs = pairs.flatten(1, 2)  # [block, parent · context, rank]
        result = torch.log_softmax(pairs @ outcome.transpose(1, 2), dim=-1)
        ctx.save_for_backward(parent, context, outcome, pairs, result)
        return result.unflatten(1, (parent.shape[1], -1))

    @staticmethod
    def backward(ctx, to_result: Tensor):
        parent, context, outcome, pairs, result = ctx.saved_tensors
        to_result = to_result.reshape(result.shape)
        to_scores = torch.ops.aten._log_softmax_backward_data(to_result, result, -1, result.dtype)
        to_pairs = (to_scores @ outcome).unflatten(1, (parent.shape[1], -1))  # [block, parent, context, rank]
        to_outcome = to_scores.transpose(1, 2) @ pairs
        if context is None:
            return to_pairs.squeeze(2), None, to_outcome
        return (to_pairs * context.unsqueeze(1)).sum(2), (to_pairs * parent.unsqueeze(2)).sum(1), to_outcome
