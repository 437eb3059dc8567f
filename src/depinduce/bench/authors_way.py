"""Sibling-NDMV written plainly from the paper's appendix, and run as the authors run it: the yardstick of training.

The authors' program computes probabilities for the words of a batch, not for the tags of a grammar. Every word of
every sentence is encoded as a parent and as a sibling, with both valences and in both directions; the trilinear
scores of all (parent word, sibling word) pairs with the vocabulary of children go through a softmax; those of the
words that are there are picked out; then the O(n⁴) chart runs on them, and back-propagation leads through all of it.
A sibling with the valence NO, or NULL with HAS, is computed like any other rule, though the chart never reads it.

This is our writing of that. It is spared what is easily spared: children are encoded once for all sentences, and GO is
added to the children outside the loop.
The same network can also fill a rule table once per batch (`table`), for the table-driven charts of `yardstick`.

Axes are named as in the paper: g is the sibling, of which 0 is NULL and k the k-th word.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn.functional import relu

from depinduce.bench.yardstick import to_the_end
from depinduce.chart.batched import NEVER
from depinduce.grammar.rules import GO, HAS, LEFT, NO, RIGHT, STOP
from depinduce.networks.network_settings import NetworkSettings
from depinduce.networks.tag_network import RuleNetwork

DIRECTIONS = VALENCES = DECISIONS = 2


class PlainNetwork(nn.Module):
    """The parameters of sibling-NDMV with the UD encoder, one layer for each matrix of the appendix."""

    def __init__(self, tags: int, settings: NetworkSettings):
        super().__init__()
        self.tags, size = tags, settings.size
        self.embedding = nn.Embedding(tags + 1, size)  # the last is NULL
        self.decision_embedding = nn.Embedding(DECISIONS, size)
        self.root_embedding = nn.Embedding(1, size)
        roles = ("parent", "child", "sibling", "decision", "root")
        self.roles = nn.ModuleDict({role: nn.Linear(size, size, bias=False) for role in roles})
        self.encoder = PlainEncoder(size)
        self.child_scorer = Trilinear(size, settings.child_rank)
        self.decision_scorer = Trilinear(size, settings.decision_rank)
        self.root_scorer = Bilinear(size, settings.child_rank)

    @classmethod
    def like(cls, network: RuleNetwork, settings: NetworkSettings) -> PlainNetwork:
        """The plain network with the weights of ours, and so with the same rule probabilities."""
        plain = cls(network.tags, settings).to(network.embedding.dtype)
        plain.load_state_dict(as_plain(network.state_dict()))
        return plain

    def rules(self, tags: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """log p of every root; and of every child and decision after the given parents and siblings.

        tags: [sentence, word]
        root: [child], child: [direction, valence, sentence, parent, g, child], decision: likewise, STOP or GO
        """
        words = self.embedding(tags)
        null = self.embedding.weight[-1].expand(len(tags), 1, -1)
        parent = self.encoder(self.roles["parent"](words))
        sibling = self.encoder(self.roles["sibling"](torch.cat([null, words], dim=1)))
        child = self.encoder(self.roles["child"](self.embedding.weight[:-1]))
        decision = self.encoder(self.roles["decision"](self.decision_embedding.weight))
        root = self.encoder(self.roles["root"](self.root_embedding.weight))
        return (
            self.root_scorer(root, child).log_softmax(dim=-1),
            self.child_scorer(parent, sibling, child).log_softmax(dim=-1),
            self.decision_scorer(parent, sibling, decision).log_softmax(dim=-1),
        )

    def at_positions(self, tags: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The log probabilities of what the words of the sentences can do, for `log_partition`. tags: [sentence, word]

        root: [sentence, word], stop: [direction, sentence, head, g, valence],
        attach: [sentence, head, child, g, valence], GO included, the direction being that from head to child
        """
        root, child, decision = self.rules(tags)
        count, length = tags.shape
        at_child = tags.view(count, 1, 1, length).expand(*child.shape[:-1], length)
        attach = child.gather(-1, at_child) + decision[..., GO, None]  # [direction, valence, sentence, head, g, child]
        to_the_left = torch.ones(length, length, dtype=torch.bool).tril()[:, None]  # [head, 1, child]
        attach = torch.where(to_the_left, attach[LEFT], attach[RIGHT])
        return root[tags], decision[..., STOP].movedim(1, -1), attach.permute(1, 2, 4, 3, 0)

    def table(self) -> tuple[Tensor, Tensor, Tensor]:
        """The rules of the whole vocabulary as the arrays of a `RuleTable`: all are computed, half of them kept."""
        root, child, decision = self.rules(torch.arange(self.tags)[None])  # the tags as if they were a sentence

        def rows(rules: Tensor) -> Tensor:  # [direction, parent, sibling, ·] of those that are read
            return torch.cat([rules[:, HAS, 0, :, 1:], rules[:, NO, 0, :, :1]], dim=2).flatten(0, 2)

        return root, rows(child), rows(decision)


class PlainEncoder(nn.Module):
    """The encoder of the appendix for UD: from e to h for both directions and valences."""

    def __init__(self, size: int):
        super().__init__()
        self.valences = nn.ModuleList(nn.Linear(size, size) for _ in range(VALENCES))
        self.directions = nn.ModuleList(nn.Linear(size, size) for _ in range(DIRECTIONS))
        self.w1, self.w2, self.w3, self.w4, self.w5, self.w6 = (nn.Linear(size, size) for _ in range(6))

    def forward(self, e: Tensor) -> Tensor:
        """The hidden representations of tokens: […, size] to […, direction, valence, size]."""
        with_valence = torch.stack([layer(e) + e for layer in self.valences], dim=-2)
        v = relu(self.w1(relu(with_valence)))
        e = e.unsqueeze(-2)
        with_direction = torch.stack([layer(v) + e for layer in self.directions], dim=-3)
        d = self.w3(relu(self.w2(with_direction)))
        return relu(self.w6(relu(self.w5(relu(self.w4(d) + e.unsqueeze(-3))))))


class Trilinear(nn.Module):
    """The decomposed trilinear score of parents and siblings of a batch with outcomes that all sentences share."""

    def __init__(self, size: int, rank: int):
        super().__init__()
        self.parent, self.sibling, self.outcome = (nn.Linear(size, rank, bias=False) for _ in range(3))

    def forward(self, parent: Tensor, sibling: Tensor, outcome: Tensor) -> Tensor:
        projected = self.parent(parent), self.sibling(sibling), self.outcome(outcome)
        return torch.einsum("bpdvr,bgdvr,odvr->dvbpgo", *projected)


class Bilinear(nn.Module):
    """The score of every root, summed over directions and valences, which a root has not."""

    def __init__(self, size: int, rank: int):
        super().__init__()
        self.root, self.child = (nn.Linear(size, rank, bias=False) for _ in range(2))

    def forward(self, root: Tensor, child: Tensor) -> Tensor:
        return torch.einsum("xdvr,cdvr->c", self.root(root), self.child(child))


# ---------------------------------------------------------------- from our parameters to theirs: the only such place


def as_plain(ours: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The parameters of a `RuleNetwork`, or their gradients, by the names that they have in the plain network."""
    tags, size = len(ours["embedding"]) - 4, ours["embedding"].shape[1]
    child, decision = len(ours["root_factors.weight"]), len(ours["decision_factors.weight"])  # ranks
    roles = ("parent", "child", "sibling", "decision", "root")
    rows = {  # our name -> the names of what it consists of, and how many rows each has
        "embedding": {"embedding.weight": tags + 1, "decision_embedding.weight": 2, "root_embedding.weight": 1},
        "roles.weight": {f"roles.{role}.weight": size for role in roles},
        "parent_factors.weight": {"child_scorer.parent.weight": child, "decision_scorer.parent.weight": decision},
        "context_factors.weight": {"child_scorer.sibling.weight": child, "decision_scorer.sibling.weight": decision},
        "child_factors.weight": {"child_scorer.outcome.weight": child, "root_scorer.child.weight": child},
        "decision_factors.weight": {"decision_scorer.outcome.weight": decision},
        "root_factors.weight": {"root_scorer.root.weight": child},
    }
    layers = {"valence": ("valences.0", "valences.1"), "direction": ("directions.0", "directions.1")}
    layers |= {name: (name,) for name in ("w1", "w2", "w3", "w4")} | {"deeper.0": ("w5",), "deeper.1": ("w6",)}
    for name, parts in layers.items():
        for kind in ("weight", "bias"):
            rows[f"encoder.{name}.{kind}"] = {f"encoder.{part}.{kind}": size for part in parts}
    return {
        name: part
        for whole, parts in rows.items()
        for name, part in zip(parts, ours[whole].split(list(parts.values())), strict=True)
    }


# ---------------------------------------------------------------- the chart


def log_partition(root: Tensor, stop: Tensor, attach: Tensor, lengths: Tensor | None = None) -> Tensor:
    """The log likelihood of each sentence by algorithm 2, from `PlainNetwork.at_positions`. [sentence]

    lengths: [sentence], if some are padded.

    It is `yardstick` in its published form, with the same charts over all spans that are filled in place, but its rules
    are those of positions and have a valence of their own.
    """
    count, length = root.shape

    def charts() -> list[Tensor]:
        return [root.new_full((count, length, length, length + 1, VALENCES), NEVER) for _ in (LEFT, RIGHT)]

    # C and I by direction: [sentence, first word, width, g, v] and [sentence, last word, length-1-width, g, v]
    complete_from, complete_to, arc_from, arc_to = charts(), charts(), charts(), charts()
    for direction in (LEFT, RIGHT):
        complete_from[direction][:, :, 0] = complete_to[direction][:, :, -1] = stop[direction]
    for width in range(1, length):
        firsts, lasts, near = slice(0, length - width), slice(width, length), slice(length - width, length)
        far = length - 1 - width
        # I_{i,j,0}^{g,v} = logsumexp_{i≤r<j} C_{i,r,1}^{0,NO} + C_{r+1,j,0}^{i,HAS} + D[j,g,0,v,1] + S[j,i,g,0,v]
        inner = complete_to[LEFT][:, lasts, near, :, HAS].diagonal(1, 1, 3).transpose(1, 2)  # g = i
        arc = torch.logsumexp(complete_from[RIGHT][:, firsts, :width, 0, NO] + inner, 2)
        new = arc[..., None, None] + attach.diagonal(-width, 1, 2).movedim(-1, 1)
        arc_from[LEFT][:, firsts, width] = arc_to[LEFT][:, lasts, far] = new
        # I_{i,j,1}^{g,v} = logsumexp_{i≤r<j} C_{i,r,1}^{j,HAS} + C_{r+1,j,0}^{0,NO} + D[i,g,1,v,1] + S[i,j,g,1,v]
        inner = complete_from[RIGHT][:, firsts, :width, :, HAS].diagonal(width + 1, 1, 3).transpose(1, 2)  # g = j
        arc = torch.logsumexp(inner + complete_to[LEFT][:, lasts, near, 0, NO], 2)
        new = arc[..., None, None] + attach.diagonal(width, 1, 2).movedim(-1, 1)
        arc_from[RIGHT][:, firsts, width] = arc_to[RIGHT][:, lasts, far] = new
        # C_{i,j,0}^{g,v} = logsumexp_{i≤r<j} C_{i,r,0}^{0,NO} + I_{r,j,0}^{g,v}
        outer = complete_from[LEFT][:, firsts, :width, 0, NO, None, None]
        new = torch.logsumexp(outer + arc_to[LEFT][:, lasts, far : length - 1], 2)
        complete_from[LEFT][:, firsts, width] = complete_to[LEFT][:, lasts, far] = new
        # C_{i,j,1}^{g,v} = logsumexp_{i<r≤j} I_{i,r,1}^{g,v} + C_{r,j,1}^{0,NO}
        outer = complete_to[RIGHT][:, lasts, near, 0, NO, None, None]
        new = torch.logsumexp(arc_from[RIGHT][:, firsts, 1 : width + 1] + outer, 2)
        complete_from[RIGHT][:, firsts, width] = complete_to[RIGHT][:, lasts, far] = new
    # P = logsumexp_{1≤i≤n} R[i] + C_{1,i,0}^{0,NO} + C_{i,n,1}^{0,NO}
    right = complete_to[RIGHT][:, -1, :, 0, NO]
    if lengths is not None:
        right = to_the_end(complete_from[RIGHT][..., 0, NO], lengths)
    return torch.logsumexp(root + complete_from[LEFT][:, 0, :, 0, NO] + right, 1)
