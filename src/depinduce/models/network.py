"""The paper's neural parameterisation: embeddings of tags in, a rule table out.

Every symbol (a tag; NULL or ROOT as a context; the decisions STOP and GO; the root) has an embedding x. A role
(parent, child, context, decision, root) transforms it, e = W_role x, and one encoder for all roles puts in the
valence and then the direction, h = encode(e, valence, direction); see `encoder`. Scores are sums of products of low
rank, different for each kind of rule, and a softmax makes them probabilities:

    child(c | p, s)       Σᵢ (C_p h_p)ᵢ (C_s h_s)ᵢ (C_c h_c)ᵢ          s: the sibling or grandparent, if any
    decision(a | p, s)    likewise, with h_a of STOP or GO
    root(c)               Σᵢ (C_root h_root)ᵢ (C_c h_c)ᵢ, summed over valences and directions, which a root has not

The whole table comes from one pass: all symbols in all roles go through the encoder together.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import log_softmax

from depinduce.grammar.rules import HAS, NO, Order, RuleTable
from depinduce.models.encoder import DIRECTIONS, VALENCES, Encoder
from depinduce.models.network_settings import NetworkSettings
from depinduce.models.trilinear import log_probabilities

ROLES = 5  # parent, child, context, decision, root
DECISIONS = 2


class RuleNetwork(nn.Module):
    """Parameters from which the rule table of a tag grammar is computed."""

    def __init__(self, order: Order, tags: int, settings: NetworkSettings | None = None):
        super().__init__()
        settings = settings or NetworkSettings()
        self.order, self.tags = order, tags
        size = settings.size
        self.ranks = settings.child_rank, settings.decision_rank
        self.embedding = nn.Parameter(torch.randn(tags + 4, size))  # tags, NULL or ROOT, STOP, GO, the root
        self.roles = nn.Linear(size, ROLES * size, bias=False)
        self.encoder = Encoder(settings)
        both = settings.child_rank + settings.decision_rank
        self.parent_factors = nn.Linear(size, both, bias=False)  # C of child rules, then C of decision rules
        self.context_factors = nn.Linear(size, both, bias=False) if order is not Order.FIRST else None
        self.child_factors = nn.Linear(size, 2 * settings.child_rank, bias=False)  # of child rules, then of root rules
        self.decision_factors = nn.Linear(size, settings.decision_rank, bias=False)
        self.root_factors = nn.Linear(size, settings.child_rank, bias=False)
        tokens, inputs, self._inputs_by_role = _layout(order, tags)
        self.register_buffer("_tokens", tokens, persistent=False)
        self.register_buffer("_inputs", inputs, persistent=False)

    def forward(self) -> tuple[Tensor, Tensor, Tensor]:
        """log p of every rule: the arrays of a `RuleTable`."""
        in_roles = self.roles(self.embedding).view(-1, self.embedding.shape[1])  # [symbol · role, size]
        hidden = self.encoder(in_roles.index_select(0, self._tokens), self._inputs)  # [input · dir, size]
        parent, child, context, decision, root = hidden.split(self._inputs_by_role)
        parent = _by_direction(self.parent_factors(parent), self.tags).split(self.ranks, dim=-1)
        context = self._contexts(context)
        child, as_root = _by_direction(self.child_factors(child), self.tags).split(self.ranks[0], dim=-1)
        decision = _by_direction(self.decision_factors(decision), DECISIONS)
        root = _by_direction(self.root_factors(root), 1)
        return (
            log_softmax((root @ as_root.transpose(2, 3)).sum(dim=(0, 1, 2)), dim=-1),
            self._rules(parent[0], context[0], child),
            self._rules(parent[1], context[1], decision),
        )

    def _contexts(self, hidden: Tensor) -> tuple[Tensor | None, Tensor | None]:
        """The factors of contexts in child and in decision rules. [dir, valence, context, rank]"""
        if self.order is Order.FIRST:
            return None, None
        factors = self.context_factors(hidden)
        if self.order is Order.GRANDPARENT:
            factors = _by_direction(factors, self.tags + 1)
        else:  # a sibling has one valence; the rules that it would make with the other are computed and left aside
            factors = factors.view(1, self.tags + 1, DIRECTIONS, -1).permute(2, 0, 1, 3).expand(-1, VALENCES, -1, -1)
        return factors.split(self.ranks, dim=-1)

    def _rules(self, parent: Tensor, context: Tensor | None, outcome: Tensor) -> Tensor:
        """log p of children or decisions, rows as in `Order.shape`. parent, outcome: [dir, valence, symbol, rank]"""
        context = None if context is None else context.flatten(0, 1)
        rules = log_probabilities(parent.flatten(0, 1), context, outcome.flatten(0, 1))
        rules = rules.unflatten(0, (DIRECTIONS, VALENCES))  # [dir, valence, parent, context, outcome]
        if self.order is Order.SIBLING:  # with a sibling HAS, with NULL NO
            rules = torch.cat([rules[:, HAS, :, :-1], rules[:, NO, :, -1:]], dim=2)
        else:
            rules = rules.permute(0, 2, 3, 1, 4)
        return rules.reshape(-1, outcome.shape[2])

    @torch.no_grad()
    def table(self) -> RuleTable:
        """The rule table as the charts want it, in double precision."""
        return as_table(self())


def as_table(parts: tuple[Tensor, Tensor, Tensor]) -> RuleTable:
    return RuleTable(*(part.detach().double().numpy() for part in parts))


def _by_direction(projected: Tensor, symbols: int) -> Tensor:
    """[valence · symbol · dir, rank] as [dir, valence, symbol, rank]"""
    return projected.view(VALENCES, symbols, DIRECTIONS, -1).permute(2, 0, 1, 3)


def _layout(order: Order, tags: int) -> tuple[Tensor, Tensor, list[int]]:
    """What goes through the encoder, role by role.

    tokens: [token] 5 · symbol + role; inputs: [input] 2 · token + valence; and twice the number of inputs of each role
    """
    null, decisions, root = tags, (tags + 1, tags + 2), tags + 3
    both = (NO, HAS)
    members: list[list[tuple[int, int]]] = [  # role -> (symbol, valence), in the order of the roles
        [(tag, valence) for valence in both for tag in range(tags)],  # as a parent
        [(tag, valence) for valence in both for tag in range(tags)],  # as a child
        {
            Order.FIRST: [],
            Order.SIBLING: [*((tag, HAS) for tag in range(tags)), (null, NO)],  # a sibling tells the valence
            Order.GRANDPARENT: [(symbol, valence) for valence in both for symbol in range(tags + 1)],
        }[order],  # as a context
        [(decision, valence) for valence in both for decision in decisions],
        [(root, valence) for valence in both],
    ]
    numbers: dict[tuple[int, int], int] = {}  # (symbol, role) -> token
    inputs = []
    for role, pairs in enumerate(members):
        for symbol, valence in pairs:
            token = numbers.setdefault((symbol, role), len(numbers))
            inputs.append(VALENCES * token + valence)
    tokens = [ROLES * symbol + role for symbol, role in numbers]
    return torch.tensor(tokens), torch.tensor(inputs), [DIRECTIONS * len(pairs) for pairs in members]
