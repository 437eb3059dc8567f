"""The neural DMV of Jiang, Han & Tu (2016): the context of a rule in, the probabilities of its outcomes out.

Every tag and every valence has a vector x. Two networks of one hidden layer see the vector of the head beside that of
its valence, one for children and one for decisions, and each has another matrix W for either direction:

    h = ReLU(W_dir [x_head; x_valence])
    child(c | head, direction, valence)       softmax over c of  x_c · h         x_c: that of the tag as a head, too
    decision(a | head, direction, valence)    softmax over a of  y_a · h         y: a vector of STOP and one of GO
    root(c)                                   softmax over c of  r_c             r: a number of every tag, no network

Without child valence the network of children sees x_head alone, so that it gives p(c | head, direction).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from depinduce.grammar.rules import Order
from depinduce.networks.encoder import DIRECTIONS, VALENCES
from depinduce.networks.gradients import Gradients, PullBack, relu_back
from depinduce.networks.network_settings import JiangNetworkSettings
from depinduce.networks.tag_network import Rules, TagNetwork


class JiangNetwork(TagNetwork):
    """The parameters of the two networks, and of the roots."""

    order = Order.FIRST

    def __init__(self, tags: int, settings: JiangNetworkSettings | None = None):
        super().__init__()
        settings = settings or JiangNetworkSettings()
        size, with_valence = settings.tag_size, settings.tag_size + settings.valence_size
        self.tags, self.child_valence = tags, settings.child_valence
        self.tag_vectors = nn.Parameter(torch.randn(tags, size))
        self.valence_vectors = nn.Parameter(torch.randn(VALENCES, settings.valence_size))
        self.decision_vectors = nn.Parameter(torch.randn(2, size))  # of STOP and GO
        self.root_scores = nn.Parameter(torch.zeros(tags))
        seen = with_valence if settings.child_valence else size
        self.child_layer = nn.Linear(seen, DIRECTIONS * size, bias=False)  # W of one direction, then of the other
        self.decision_layer = nn.Linear(with_valence, DIRECTIONS * size, bias=False)
        self._weights = tuple(self.parameters())

    def _compute(self, language: int | None, *weights: Tensor) -> tuple[Rules, PullBack[Gradients]]:
        tag, valence, decision, scores, child_layer, decision_layer = weights
        size = tag.shape[1]
        both = torch.cat([tag.repeat_interleave(VALENCES, 0), valence.repeat(len(tag), 1)], 1)  # [tag · valence, sizes]
        roots = torch.log_softmax(scores, -1)
        children, children_back = _outcomes(both if self.child_valence else tag, child_layer, tag)
        decisions, decisions_back = _outcomes(both, decision_layer, decision)
        in_rows = children if self.child_valence else children.repeat_interleave(VALENCES, 0)

        def pull_back(to_roots: Tensor, to_rows: Tensor, to_decisions: Tensor) -> Gradients:
            to_children = to_rows if self.child_valence else to_rows.view(-1, VALENCES, len(tag)).sum(1)
            to_seen, to_child_layer, to_child = children_back(to_children)
            to_both, to_decision_layer, to_decision = decisions_back(to_decisions)
            to_tag = to_child
            if self.child_valence:
                to_both = to_both + to_seen
            else:
                to_tag = to_tag + to_seen
            to_both = to_both.view(len(tag), VALENCES, -1)
            to_tag = to_tag + to_both[..., :size].sum(1)
            to_scores = _softmax_back(roots, to_roots)
            return to_tag, to_both[..., size:].sum(0), to_decision, to_scores, to_child_layer, to_decision_layer

        return (roots, in_rows, decisions), pull_back


def _outcomes(x: Tensor, layer: Tensor, outcomes: Tensor) -> tuple[Tensor, PullBack[tuple[Tensor, Tensor, Tensor]]]:
    """log p of every outcome in every context, those of one direction before those of the other.

    x: [context, input], layer: [direction · size, input], outcomes: [outcome, size]; the pull-back gives the gradients
    by all three
    """
    size = outcomes.shape[1]
    hidden = (x @ layer.t()).relu_().view(len(x), DIRECTIONS, size).transpose(0, 1).reshape(-1, size)
    log_p = torch.log_softmax(hidden @ outcomes.t(), -1)  # [direction · context, outcome]

    def pull_back(to_log_p: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        to_scores = _softmax_back(log_p, to_log_p)
        to_hidden = relu_back(hidden, to_scores @ outcomes)
        to_layer = to_hidden.view(DIRECTIONS, len(x), size).transpose(0, 1).reshape(len(x), -1)
        return to_layer @ layer, to_layer.t() @ x, to_scores.t() @ hidden

    return log_p, pull_back


def _softmax_back(log_p: Tensor, to_log_p: Tensor) -> Tensor:
    """The gradient by the scores of a softmax."""
    return torch.ops.aten._log_softmax_backward_data(to_log_p, log_p, -1, log_p.dtype)
