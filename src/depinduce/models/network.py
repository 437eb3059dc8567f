"""The paper's neural parameterisation: embeddings of tags in, a rule table out.

Every symbol (a tag; NULL or ROOT as a context; the decisions STOP and GO; the root) has an embedding x. A role
(parent, child, context, decision, root) transforms it, e = W_role x, and one encoder for all roles puts in the
valence and then the direction:

    v = ReLU(W₁ ReLU(W_val e + e))
    d = W₃ ReLU(W₂ (W_dir v + e))
    h = ReLU(W₄ d)                                     wsj
    h = ReLU(W₆ ReLU(W₅ ReLU(W₄ d + e)))               ud

Without skip connections every `+ e` is left out. Scores are sums of products of low rank, different for each kind
of rule, and a softmax makes them probabilities:

    child(c | p, s)       Σᵢ (C_p h_p)ᵢ (C_s h_s)ᵢ (C_c h_c)ᵢ          s: the sibling or grandparent, if any
    decision(a | p, s)    likewise, with h_a of STOP or GO
    root(c)               Σᵢ (C_root h_root)ᵢ (C_c h_c)ᵢ, summed over valences and directions, which a root has not

The whole table comes from one pass: all symbols in all roles go through the encoder together.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import log_softmax, relu

from depinduce.grammar.rules import HAS, NO, Order, RuleTable
from depinduce.models.network_settings import NetworkSettings

PARENT, CHILD, CONTEXT, DECISION, ROOT = range(5)  # roles
VALENCES, DIRECTIONS, DECISIONS = 2, 2, 2


class RuleNetwork(nn.Module):
    """Parameters from which the rule table of a tag grammar is computed."""

    def __init__(self, order: Order, tags: int, settings: NetworkSettings | None = None):
        super().__init__()
        settings = settings or NetworkSettings()
        self.order, self.tags = order, tags
        size = settings.size
        self.embedding = nn.Parameter(torch.randn(tags + 4, size))  # tags, NULL or ROOT, STOP, GO, the root
        self.roles = nn.Linear(size, 5 * size, bias=False)
        self.encoder = Encoder(size, settings)
        self.child_factors = _projections(settings.child_rank, size, ("parent", "context", "child"))
        self.decision_factors = _projections(settings.decision_rank, size, ("parent", "context", "decision"))
        self.root_factors = _projections(settings.child_rank, size, ("root", "child"))
        tokens, inputs, self._inputs_by_role = _layout(order, tags)
        self.register_buffer("_tokens", tokens, persistent=False)
        self.register_buffer("_inputs", inputs, persistent=False)

    def forward(self) -> tuple[Tensor, Tensor, Tensor]:
        """log p of every rule: the arrays of a `RuleTable`."""
        size = self.embedding.shape[1]
        in_roles = self.roles(self.embedding).view(-1, size)  # [symbol · role, size]
        hidden = self.encoder(in_roles.index_select(0, self._tokens), self._inputs)  # [dir, input, size]
        parent, child, context, decision, root = hidden.split(self._inputs_by_role, dim=1)
        tags = self.tags
        child_scores = self._scores(self.child_factors, parent, context, self.child_factors["child"](child), tags)
        decision_scores = self._scores(
            self.decision_factors, parent, context, self.decision_factors["decision"](decision), DECISIONS
        )
        as_root = self.root_factors["child"](child).unflatten(1, (VALENCES, tags))  # [dir, valence, tag, rank]
        root_scores = (as_root * self.root_factors["root"](root).unflatten(1, (VALENCES, 1))).sum(dim=(0, 1, 3))
        return (
            log_softmax(root_scores, dim=-1),
            log_softmax(child_scores, dim=-1).view(-1, tags),
            log_softmax(decision_scores, dim=-1).view(-1, DECISIONS),
        )

    def _scores(self, factors: nn.ModuleDict, parent: Tensor, context: Tensor, outcome: Tensor, outcomes: int):
        """The scores of children or decisions, rows as in `Order.shape`. parent, context, outcome: [dir, input, ·]"""
        parent = factors["parent"](parent).unflatten(1, (VALENCES, self.tags))  # [dir, valence, parent, rank]
        outcome = outcome.unflatten(1, (VALENCES, outcomes)).transpose(2, 3)  # [dir, valence, rank, outcome]
        if self.order is Order.FIRST:
            return (parent @ outcome).transpose(1, 2)  # [dir, parent, valence, outcome]
        context = factors["context"](context)
        if self.order is Order.SIBLING:
            siblings, null = context[:, None, :-1], context[:, -1:]  # with a sibling HAS, with NULL NO
            after = parent[:, HAS, :, None] * siblings  # [dir, parent, sibling, rank]
            scores_after = after.flatten(1, 2) @ outcome[:, HAS]
            scores_first = (parent[:, NO] * null) @ outcome[:, NO]  # [dir, parent, outcome]
            return torch.cat([scores_after.unflatten(1, (self.tags, self.tags)), scores_first[:, :, None]], dim=2)
        grandparent = context.unflatten(1, (VALENCES, 1, self.tags + 1))
        pairs = (parent[:, :, :, None] * grandparent).flatten(2, 3)  # [dir, valence, parent · grandparent, rank]
        scores = (pairs @ outcome).unflatten(2, (self.tags, self.tags + 1))
        return scores.permute(0, 2, 3, 1, 4).contiguous()  # [dir, parent, grandparent, valence, outcome]

    @torch.no_grad()
    def table(self) -> RuleTable:
        """The rule table as the charts want it, in double precision."""
        return as_table(self())


def as_table(parts: tuple[Tensor, Tensor, Tensor]) -> RuleTable:
    return RuleTable(*(part.detach().double().numpy() for part in parts))


class Encoder(nn.Module):
    """Puts valence, then direction into the representation of a token; one for all roles."""

    def __init__(self, size: int, settings: NetworkSettings):
        super().__init__()
        self.skip = settings.skip_connections
        self.valence = nn.Linear(size, VALENCES * size)
        self.w1 = nn.Linear(size, size)
        self.direction = nn.Linear(size, DIRECTIONS * size)
        self.w2, self.w3, self.w4 = (nn.Linear(size, size) for _ in range(3))
        self.deeper = nn.ModuleList(nn.Linear(size, size) for _ in range(2 if settings.encoder == "ud" else 0))

    def forward(self, e: Tensor, inputs: Tensor) -> Tensor:
        """Hidden representations of tokens with valences, in both directions. [direction, input, size]

        e: [token, size], inputs: [input] 2 · token + valence
        """
        size = e.shape[1]
        with_valence = self.valence(e).view(-1, size).index_select(0, inputs)
        e = e.index_select(0, inputs // VALENCES)
        v = relu(self.w1(relu(self._beside(with_valence, e))))
        with_direction = self.direction(v).view(-1, DIRECTIONS, size).transpose(0, 1)
        d = self.w3(relu(self.w2(self._beside(with_direction, e))))
        if not self.deeper:
            return relu(self.w4(d))
        h = relu(self._beside(self.w4(d), e))
        for layer in self.deeper:
            h = relu(layer(h))
        return h

    def _beside(self, made: Tensor, e: Tensor) -> Tensor:
        return made + e if self.skip else made


def _projections(rank: int, size: int, roles: tuple[str, ...]) -> nn.ModuleDict:
    return nn.ModuleDict({role: nn.Linear(size, rank, bias=False) for role in roles})


def _layout(order: Order, tags: int) -> tuple[Tensor, Tensor, list[int]]:
    """What goes through the encoder, role by role.

    tokens: [token] 5 · symbol + role; inputs: [input] 2 · token + valence; and the number of inputs of each role
    """
    null, decisions, root = tags, (tags + 1, tags + 2), tags + 3
    both = (NO, HAS)
    members: list[list[tuple[int, int]]] = [  # role -> (symbol, valence)
        [(tag, valence) for valence in both for tag in range(tags)],  # PARENT
        [(tag, valence) for valence in both for tag in range(tags)],  # CHILD
        {
            Order.FIRST: [],
            Order.SIBLING: [*((tag, HAS) for tag in range(tags)), (null, NO)],  # a sibling tells the valence
            Order.GRANDPARENT: [(symbol, valence) for valence in both for symbol in range(tags + 1)],
        }[order],  # CONTEXT
        [(decision, valence) for valence in both for decision in decisions],  # DECISION
        [(root, valence) for valence in both],  # ROOT
    ]
    numbers: dict[tuple[int, int], int] = {}  # (symbol, role) -> token
    inputs = []
    for role, pairs in enumerate(members):
        for symbol, valence in pairs:
            token = numbers.setdefault((symbol, role), len(numbers))
            inputs.append(VALENCES * token + valence)
    tokens = [5 * symbol + role for symbol, role in numbers]
    return torch.tensor(tokens), torch.tensor(inputs), [len(pairs) for pairs in members]
