"""The paper's neural parameterisation: embeddings of tags in, a rule table out.

Every symbol (a tag; NULL or ROOT as a context; the decisions STOP and GO; the root) has an embedding x. A role
(parent, child, context, decision, root) transforms it, e = W_role x, and one encoder for all roles puts in the
valence and then the direction, h = encode(e, valence, direction); see `encoder`. Scores are sums of products of low
rank, different for each kind of rule, and a softmax makes them probabilities:

    child(c | p, s)       Σᵢ (C_p h_p)ᵢ (C_s h_s)ᵢ (C_c h_c)ᵢ          s: the sibling or grandparent, if any
    decision(a | p, s)    likewise, with h_a of STOP or GO
    root(c)               Σᵢ (C_root h_root)ᵢ (C_c h_c)ᵢ, summed over valences and directions, which a root has not

The whole table comes from one pass: all symbols in all roles go through the encoder together. Where languages are told
apart, x is another in each of them, see `language_vectors`, and so is the table.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from functools import partial
from itertools import chain

import torch
from torch import Tensor, nn

from depinduce.grammar.rules import HAS, NO, Order, RuleTable
from depinduce.networks.encoder import DIRECTIONS, VALENCES, Encoder, encode
from depinduce.networks.gradients import Gradients, PullBack, differentiable
from depinduce.networks.language_vectors import LanguageVectors, moved
from depinduce.networks.network_settings import NetworkSettings
from depinduce.networks.trilinear import log_probabilities

PARENT, CHILD, CONTEXT, DECISION, ROOT = range(ROLES := 5)
Rules = tuple[Tensor, Tensor, Tensor]  # log p of roots, children and decisions: the arrays of a `RuleTable`


class TagNetwork(nn.Module, ABC):
    """Parameters from which the rule table of a tag grammar is computed."""

    order: Order
    tags: int
    _weights: tuple[Tensor, ...]  # all parameters: to collect them at every step takes longer than some products

    def forward(self, language: int | None = None) -> Rules:
        """log p of every rule, in a language or in none: the arrays of a `RuleTable`, open to autograd."""
        return differentiable(partial(self._compute, language), *self._weights)

    @torch.no_grad()
    def rules(self, language: int | None = None) -> tuple[Rules, PullBack[Gradients]]:
        """log p of every rule, and the way back to the gradient by each of the parameters. Faster than autograd."""
        return self._compute(language, *self._weights)

    @abstractmethod
    def _compute(self, language: int | None, *weights: Tensor) -> tuple[Rules, PullBack[Gradients]]:
        """The rules as a function of all parameters, and its pull-back."""

    @torch.no_grad()
    def table(self, language: int | None = None) -> RuleTable:
        """The rule table as the charts want it, in double precision."""
        return as_table(self.rules(language)[0])


class RuleNetwork(TagNetwork):
    """The parameters of the paper's network."""

    _tokens: Tensor
    _inputs: Tensor
    _rows: Tensor

    def __init__(self, order: Order, tags: int, settings: NetworkSettings | None = None, languages: int = 0):
        """languages: so many are told apart"""
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
        self.languages = LanguageVectors(languages, len(self.embedding), settings) if languages else None
        tokens, inputs, self._shapes = _layout(order, tags)
        self.register_buffer("_tokens", tokens, persistent=False)
        self.register_buffer("_inputs", inputs, persistent=False)
        self.register_buffer("_rows", _rows(order, tags), persistent=False)
        self._weights = tuple(self.parameters())

    def _compute(self, language: int | None, *weights: Tensor) -> tuple[Rules, PullBack[Gradients]]:
        if self.languages is None:
            return self._of_symbols(*weights)
        embedding, *rest, vectors, maps = weights
        symbols, back_to_embedding = moved(embedding, vectors, maps, language)
        rules, back_to_symbols = self._of_symbols(symbols, *rest)

        def pull_back(*to_rules: Tensor) -> Gradients:
            to_symbols, *to_rest = back_to_symbols(*to_rules)
            to_embedding, *to_languages = back_to_embedding(to_symbols)
            return to_embedding, *to_rest, *to_languages

        return rules, pull_back

    def _of_symbols(self, embedding: Tensor, roles: Tensor, *rest: Tensor) -> tuple[Rules, PullBack[Gradients]]:
        encoder_weights, factor_weights = rest[: -len(self._shapes)], rest[-len(self._shapes) :]
        in_roles = (embedding @ roles.t()).view(-1, embedding.shape[1])  # [symbol · role, size]
        tokens = in_roles.index_select(0, self._tokens)
        hidden, back_to_tokens = encode(tokens, self._inputs, self.encoder.skip, encoder_weights)
        by_role = hidden.split([DIRECTIONS * valences * symbols for valences, symbols in self._shapes])
        blocks, backs = zip(*map(_blocks, by_role, factor_weights, self._shapes), strict=True)
        rules, back_to_blocks = self._score(*blocks)

        def pull_back(*to_rules: Tensor) -> Gradients:
            to_blocks = back_to_blocks(*to_rules)
            to_hidden, to_factors = zip(*(back(to) for back, to in zip(backs, to_blocks, strict=True)), strict=True)
            to_tokens, to_encoder = back_to_tokens(torch.cat(to_hidden))
            to_roles = torch.zeros_like(in_roles).index_copy_(0, self._tokens, to_tokens).view(len(embedding), -1)
            return to_roles @ roles, to_roles.t() @ embedding, *to_encoder, *to_factors

        return rules, pull_back

    def _score(self, parent: Tensor, *rest: Tensor) -> tuple[Rules, PullBack[list[Tensor]]]:
        """The rules from the factors of every role. [block, symbol, rank]"""
        *contexts, child, decision, root = rest
        rank = self.ranks[0]
        as_root = child[..., rank:].transpose(0, 1).reshape(1, self.tags, -1)  # one score of all blocks
        (roots,), root_back = log_probabilities(root.view(1, 1, -1), None, (as_root,))
        context = contexts[0] if contexts else None
        outcomes = child[..., :rank], decision
        (children, decisions), rules_back = log_probabilities(parent, context, outcomes, self._rows)

        def pull_back(to_roots: Tensor, to_children: Tensor, to_decisions: Tensor) -> list[Tensor]:
            to_root, _, (to_as_root,) = root_back(to_roots.unsqueeze(0))
            to_parent, to_context, (to_child, to_decision) = rules_back(to_children, to_decisions)
            to_as_root = to_as_root.view(self.tags, len(child), -1).transpose(0, 1)
            to_child = torch.cat([to_child, to_as_root], dim=-1)
            to_contexts = [] if to_context is None else [to_context]
            return [to_parent, *to_contexts, to_child, to_decision, to_root.view_as(root)]

        return (roots.squeeze(0), children, decisions), pull_back


def as_table(parts: Rules) -> RuleTable:
    return RuleTable(*(part.detach().double().numpy() for part in parts))


def _blocks(hidden: Tensor, weight: Tensor, shape: tuple[int, int]) -> tuple[Tensor, PullBack[tuple[Tensor, Tensor]]]:
    """The factors of one role, by direction and valence. [dir · valence, symbol, rank]

    hidden: [valence · symbol · dir, size]. What has only one valence stands in both.
    """
    valences, symbols = shape
    factors = (hidden @ weight.t()).view(valences, symbols, DIRECTIONS, -1).permute(2, 0, 1, 3)
    blocks = factors.expand(-1, VALENCES, -1, -1).reshape(DIRECTIONS * VALENCES, symbols, -1)

    def pull_back(to_blocks: Tensor) -> tuple[Tensor, Tensor]:
        to_factors = to_blocks.view(DIRECTIONS, VALENCES, symbols, -1)
        to_factors = to_factors if valences > 1 else to_factors.sum(1, keepdim=True)
        to_factors = to_factors.permute(1, 2, 0, 3).reshape(len(hidden), -1)
        return to_factors @ weight, to_factors.t() @ hidden

    return blocks, pull_back


def _layout(order: Order, tags: int) -> tuple[Tensor, Tensor, list[tuple[int, int]]]:
    """What goes through the encoder: the symbols of one role after those of another.

    tokens: [token] 5 · symbol + role; inputs: [input] 2 · token + valence; and of each role how many valences and
    symbols it has
    """
    null, stop, go, root = range(tags, tags + 4)
    as_context = {  # [valence][symbol] as (symbol, valence)
        Order.FIRST: [],
        Order.SIBLING: [[*((tag, HAS) for tag in range(tags)), (null, NO)]],  # a sibling tells the valence
        Order.GRANDPARENT: _with_valences(range(tags + 1)),
    }
    members = {
        PARENT: _with_valences(range(tags)),
        CONTEXT: as_context[order],
        CHILD: _with_valences(range(tags)),
        DECISION: _with_valences([stop, go]),
        ROOT: _with_valences([root]),
    }
    numbers: dict[tuple[int, int], int] = {}  # (symbol, role) -> token
    inputs = []
    for role, by_valence in members.items():
        for symbol, valence in chain(*by_valence):
            token = numbers.setdefault((symbol, role), len(numbers))
            inputs.append(VALENCES * token + valence)
    tokens = [ROLES * symbol + role for symbol, role in numbers]
    shapes = [(len(by_valence), len(by_valence[0])) for by_valence in members.values() if by_valence]
    return torch.tensor(tokens), torch.tensor(inputs), shapes


def _with_valences(symbols: Iterable[int]) -> list[list[tuple[int, int]]]:
    return [[(symbol, valence) for symbol in symbols] for valence in (NO, HAS)]


def _rows(order: Order, tags: int) -> Tensor:
    """Where the rules of each row of the table are among all (dir, valence, parent, context)."""
    contexts = 1 if order is Order.FIRST else tags + 1
    everything = torch.arange(DIRECTIONS * VALENCES * tags * contexts).view(DIRECTIONS, VALENCES, tags, contexts)
    if order is not Order.SIBLING:
        return everything.permute(0, 2, 3, 1).flatten()  # as in `Order.shape`
    return torch.cat([everything[:, HAS, :, :-1], everything[:, NO, :, -1:]], dim=2).flatten()  # with NULL: NO
