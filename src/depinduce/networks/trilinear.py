"""The decomposed trilinear score of the paper, and the softmax of it.

    S(p, s, c) = Σᵢ parent[p, i] · context[s, i] · outcome[c, i]
    p(c | p, s) = exp S(p, s, c) / Σ_c' exp S(p, s, c')

Without a context it is bilinear. A parent and a context make several kinds of outcome (children, decisions), each with
ranks i of its own; their ranks lie one after the other.
"""

from __future__ import annotations

import torch
from torch import Tensor

from depinduce.networks.gradients import PullBack


def log_probabilities(
    parent: Tensor, context: Tensor | None, outcomes: tuple[Tensor, ...], rows: Tensor | None = None
) -> tuple[list[Tensor], PullBack[tuple[Tensor, Tensor | None, list[Tensor]]]]:
    """log p(c | p, s) of chosen p and s, or of all, for each kind of outcome. Each [row, outcome]

    parent: [block, parent, ranks], context: [block, context, ranks], outcomes: each [block, outcome, its ranks]; blocks
    are independent of each other (directions, valences); rows: [row] the number of a (block, parent, context)
    """
    parent = parent.unsqueeze(2)
    pairs = parent if context is None else parent * context.unsqueeze(1)  # [block, parent, context, ranks]
    by_kind = pairs.flatten(1, 2).split([outcome.shape[2] for outcome in outcomes], dim=2)
    results = []
    for pair, outcome in zip(by_kind, outcomes, strict=True):
        scores = torch.bmm(pair, outcome.transpose(1, 2)).view(-1, outcome.shape[1])
        results.append(torch.log_softmax(scores if rows is None else scores.index_select(0, rows), dim=-1))

    def pull_back(*to_results: Tensor) -> tuple[Tensor, Tensor | None, list[Tensor]]:
        to_outcomes, to_pairs = [], []
        for pair, outcome, result, to_result in zip(by_kind, outcomes, results, to_results, strict=True):
            to_rows = torch.ops.aten._log_softmax_backward_data(to_result, result, -1, result.dtype)
            to_scores = to_rows
            if rows is not None:
                to_scores = result.new_zeros(len(pair) * pair.shape[1], result.shape[1]).index_copy_(0, rows, to_rows)
            to_scores = to_scores.view(len(pair), pair.shape[1], -1)
            to_outcomes.append(torch.bmm(to_scores.transpose(1, 2), pair))
            to_pairs.append(torch.bmm(to_scores, outcome))
        to_pair = (torch.cat(to_pairs, dim=2) if len(to_pairs) > 1 else to_pairs[0]).view_as(pairs)
        if context is None:
            return to_pair.squeeze(2), None, to_outcomes
        return (to_pair * context.unsqueeze(1)).sum(2), (to_pair * parent).sum(1), to_outcomes

    return results, pull_back
