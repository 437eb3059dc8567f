"""The paper's parameterisation over words: the rules of one batch, each normalised over the whole vocabulary.

A token enters as the embedding of its tag beside the vector of its word; otherwise the network is that of `network`.
What differs is size. All tokens of the vocabulary go through the encoder as children, some at a time; heads and
contexts are only those of the batch. Their scores with all children are the largest array: it is made for a few
contexts at a time, and where all of them would not fit into memory, made again for the gradient.

With classes of words (`word_classes`) the vocabulary that goes through the encoder is that of the classes, and a word
has its share of the probability of its class. A class of several words has the embedding of their tag beside a vector
of its own, after those of words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from depinduce.grammar.rules import HAS, NO, Order
from depinduce.networks.encoder import DIRECTIONS, VALENCES, Encoder, encode
from depinduce.networks.gradients import Gradients, PullBack, project
from depinduce.networks.lexicon import Lexicon
from depinduce.networks.network_settings import NetworkSettings
from depinduce.networks.tag_network import CHILD, CONTEXT, DECISION, PARENT, ROLES, ROOT, Rules
from depinduce.networks.word_batch import NOTHING, LexicalBatch
from depinduce.networks.word_classes import Classes, words_of_classes

BLOCKS = DIRECTIONS * VALENCES
TOKENS_AT_A_TIME = 512  # through the encoder: their representations stay in the cache of the processor
NULL, DECISIONS, THE_ROOT = 0, slice(1, 3), 3  # the symbols that are not tokens


class _Weights(NamedTuple):
    """The parameters of a network by name, in their order."""

    tag: Tensor  # [tag, size]
    word: Tensor  # [tag, word or larger class; size]
    symbols: Tensor
    roles: Tensor  # [role, size, size]
    encoder: Sequence[Tensor]
    parent: Tensor  # the matrices of factors
    context: Tensor | None
    child: Tensor
    decision: Tensor
    root: Tensor
    in_class: Tensor | None  # the matrix of factors of words among those of their class


class _ToOutcomes(NamedTuple):
    """The gradients of what children and roots are scored by."""

    x: Tensor  # [token (a tag never seen, too) or larger class; size]
    pairs: Tensor  # [context, rank]
    root_factor: Tensor  # [block, rank]
    role: Tensor
    child: Tensor  # the matrix of factors
    encoder: list[Tensor]
    in_class: tuple[Tensor, ...] = ()  # only a softmax of two levels has it


class LexicalNetwork(nn.Module):
    """Parameters from which the rules of a grammar over words are computed."""

    _tag_of: Tensor  # [token or larger class]
    _word_of: Tensor  # [token or larger class]

    def __init__(
        self,
        order: Order,
        lexicon: Lexicon,
        settings: NetworkSettings,
        tag_size: int,
        dropout: float = 0.0,
        softmax_memory: int = 256,
        dropout_of: str = "everything",
        classes: Classes | None = None,
    ):
        """dropout_of: everything, one mask for every token and symbol; or heads, one for every word of a batch
        classes: of the tokens, if the softmax has two levels
        """
        super().__init__()
        self.order, self.lexicon, self.dropout, self.classes = order, lexicon, dropout, classes
        self.drops_heads = dropout > 0 and dropout_of == "heads"  # its batches to learn from are `by_position`
        self.most_scores = softmax_memory * 2**20 // 4
        size, self.rank = settings.size, settings.child_rank
        both = settings.child_rank + settings.decision_rank
        self.tag_embedding = nn.Parameter(torch.randn(len(lexicon.tags), tag_size))
        words = len(lexicon.tags) + len(lexicon.words)
        larger = [] if classes is None else classes.one_of_each[classes.larger]
        self.word_embedding = nn.Parameter(torch.randn(words + len(larger), size - tag_size))
        self.symbols = nn.Parameter(torch.randn(4, size))  # NULL or ROOT, STOP, GO, the root
        self.roles = nn.Linear(size, ROLES * size, bias=False)
        self.encoder = Encoder(settings)
        self.parent_factors = nn.Linear(size, both, bias=False)  # C of child rules, then C of decision rules
        self.context_factors = nn.Linear(size, both, bias=False) if order is not Order.FIRST else None
        self.child_factors = nn.Linear(size, 2 * settings.child_rank, bias=False)  # of child rules, then of root rules
        self.decision_factors = nn.Linear(size, settings.decision_rank, bias=False)
        self.root_factors = nn.Linear(size, settings.child_rank, bias=False)
        if classes is not None:
            word_size = size - tag_size  # words of a class have one tag, which tells nothing among them
            self.in_class_factors = nn.Linear(word_size, 2 * settings.child_rank, bias=False)  # of children, of roots
        tag_of = np.append(lexicon.tag_of, lexicon.tag_of[larger])
        word_of = np.append(lexicon.word_of, words + np.arange(len(larger)))
        self.register_buffer("_tag_of", torch.from_numpy(tag_of), persistent=False)
        self.register_buffer("_word_of", torch.from_numpy(word_of), persistent=False)
        self._weights = tuple(self.parameters())

    def with_classes(self, classes: Classes, settings: NetworkSettings) -> LexicalNetwork:
        """A new one like this, with other classes and random weights."""
        dropout_of = "heads" if self.drops_heads else "everything"
        how = self.tag_embedding.shape[1], self.dropout, self.most_scores * 4 // 2**20, dropout_of
        return LexicalNetwork(self.order, self.lexicon, settings, *how, classes)

    @property
    def _named(self) -> _Weights:
        """The parameters; those over matrices of factors are the last ones."""
        weights = list(self._weights)
        in_class = None if self.classes is None else weights.pop()
        tag, word, symbols, roles, *rest = weights
        size, factors = symbols.shape[1], 4 if self.order is Order.FIRST else 5
        parent, *context, child, decision, root = rest[-factors:]
        context = context[0] if context else None
        roles = roles.view(ROLES, size, size)
        return _Weights(tag, word, symbols, roles, rest[:-factors], parent, context, child, decision, root, in_class)

    @torch.no_grad()
    def rules(self, batch: LexicalBatch, noise: torch.Generator | None = None) -> tuple[Rules, PullBack[Gradients]]:
        """log p of the rules of a batch, and the way back to the gradient by each of the parameters.

        root: [token], child: [row, column], decision: [row, STOP or GO]; with `noise` some of the embeddings are
        dropped
        """
        weights = self._named
        with_unknown = bool((batch.tokens >= len(self.lexicon)).any())
        x, embeddings_back = self._embed(None if self.drops_heads else noise, with_unknown)
        tokens = len(x) - len(weights.symbols)
        plan = _Plan.of(batch, self.order, first_symbol=tokens)
        assert noise is None or not self.drops_heads or batch.positions is not None, "a batch by position"
        kept_of_heads = self._kept((len(batch.tokens), x.shape[1]), noise if self.drops_heads else None)
        (parent, context, decision, root), few_back = self._few(x, plan, kept_of_heads)
        pairs, pairs_back = self._pairs(parent, context, plan)
        decision_factor, decision_back = project(decision, weights.decision)  # [STOP or GO · block, rank]
        root_factor, root_back = project(root, weights.root)  # [block, rank]
        outcomes = x[:tokens], pairs[:, : self.rank], root_factor, batch
        if self.classes is None:
            (root_rules, child_rules), outcomes_back = self._of_all(*outcomes)
        else:
            (root_rules, child_rules), outcomes_back = self._of_classes(*outcomes)
        decision_rules, decisions_back = _decision_rules(pairs[:, self.rank :], decision_factor, plan.block, batch)

        def pull_back(to_roots: Tensor, to_children: Tensor, to_decisions: Tensor) -> list[Tensor]:
            to_decision_pairs, to_decision_factor = decisions_back(to_decisions)
            to = outcomes_back(to_roots, to_children)
            to_x = torch.cat([to.x, torch.zeros_like(weights.symbols)])
            to_pairs = torch.cat([to.pairs, to_decision_pairs], dim=1)
            to_parent, to_context, *to_pair_weights = pairs_back(to_pairs)
            to_decision, to_decision_weight = decision_back(to_decision_factor)
            to_root, to_root_weight = root_back(to.root_factor)
            to_few, to_roles, encoder_too = few_back(to_parent, to_context, to_decision, to_root)
            to_x.index_add_(0, plan.symbols, to_few)
            to_roles[CHILD] += to.role
            _add(to.encoder, encoder_too)
            to_factors = [*to_pair_weights, to.child, to_decision_weight, to_root_weight, *to.in_class]
            return [*embeddings_back(to_x), to_roles.flatten(0, 1), *to.encoder, *to_factors]

        return (root_rules, child_rules, decision_rules), pull_back

    def _embed(
        self, noise: torch.Generator | None, with_unknown: bool
    ) -> tuple[Tensor, PullBack[tuple[Tensor, Tensor, Tensor]]]:
        """What goes into the network: all tokens, then larger classes, then the symbols. [row, size]

        A tag never seen is the mean of those seen; it is the last token, and stands outside of the normalisation.
        """
        tag, word, symbols = self._named[:3]
        tags, vocabulary = len(tag), len(self.lexicon)
        x = torch.cat([tag.index_select(0, self._tag_of), word.index_select(0, self._word_of)], dim=1)
        unknown = [x[:tags].mean(0, keepdim=True)] if with_unknown else []
        x = torch.cat([x[:vocabulary], *unknown, x[vocabulary:], symbols])
        kept = self._kept(x.shape, noise)
        if kept is not None:
            x *= kept

        def pull_back(to_x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
            to_x = to_x if kept is None else to_x * kept
            to_tokens = to_x[: len(self._tag_of)]
            if with_unknown:
                to_tokens = torch.cat([to_x[:vocabulary], to_x[vocabulary + 1 : -len(symbols)]])
                to_tokens[:tags] += to_x[vocabulary] / tags
            to_tag = torch.zeros_like(tag).index_add_(0, self._tag_of, to_tokens[:, : tag.shape[1]])
            to_word = torch.zeros_like(word).index_add_(0, self._word_of, to_tokens[:, tag.shape[1] :])
            return to_tag, to_word, to_x[-len(symbols) :]

        return x, pull_back

    def _kept(self, shape: Sequence[int], noise: torch.Generator | None) -> Tensor | None:
        """By what numbers are multiplied of which some are dropped: 0, or as much more as makes up for these."""
        if noise is None or not self.dropout:
            return None
        kept = torch.rand(shape, generator=noise).ge_(self.dropout).div_(1 - self.dropout)
        return kept.to(self.symbols.dtype)

    def _few(
        self, x: Tensor, plan: _Plan, kept_of_heads: Tensor | None
    ) -> tuple[tuple[Tensor, Tensor, Tensor, Tensor], PullBack[tuple[Tensor, Tensor, list[Tensor]]]]:
        """Hidden rows of the heads, contexts, decisions and the root of a batch. kept_of_heads: [head, size]"""
        weights = self._named
        rows = x.index_select(0, plan.symbols)
        if kept_of_heads is not None:
            rows[: len(kept_of_heads)] *= kept_of_heads
        in_roles = [(role, *project(own, weights.roles[role])) for role, own in plan.by_role(rows)]
        e = torch.cat([rows for _, rows, _ in in_roles])
        hidden, encoder_back = encode(e, plan.inputs, self.encoder.skip, weights.encoder)

        def pull_back(*to_hidden: Tensor) -> tuple[Tensor, Tensor, list[Tensor]]:
            to_e, to_encoder = encoder_back(plan.merge(to_hidden))
            to_roles, to_x = torch.zeros_like(weights.roles), []
            for (role, _, back), (_, to_rows) in zip(in_roles, plan.by_role(to_e), strict=True):
                to_part, to_roles[role] = back(to_rows)
                to_x.append(to_part)
            to_rows = torch.cat(to_x)
            if kept_of_heads is not None:
                to_rows[: len(kept_of_heads)] *= kept_of_heads
            return to_rows, to_roles, to_encoder

        return plan.split(hidden), pull_back

    def _pairs(self, parent: Tensor, context: Tensor, plan: _Plan) -> tuple[Tensor, PullBack[tuple[Tensor, ...]]]:
        """The factors of every context of the batch, those of its head and of what else it sees. [context, ranks]"""
        weights = self._named
        of_parents, parent_back = project(parent, weights.parent)
        parent_factor = of_parents.index_select(0, plan.parent_of)

        def back_to_parents(to_factor: Tensor) -> tuple[Tensor, Tensor]:
            return parent_back(torch.zeros_like(of_parents).index_add_(0, plan.parent_of, to_factor))

        if weights.context is None or plan.context_of is None:  # first order

            def pull_back_parents(to_pairs: Tensor) -> tuple[Tensor, ...]:
                to_parent, to_weight = back_to_parents(to_pairs)
                return to_parent, torch.zeros_like(context), to_weight

            return parent_factor, pull_back_parents

        context_of = plan.context_of
        of_contexts, context_back = project(context, weights.context)
        context_factor = of_contexts.index_select(0, context_of)

        def pull_back(to_pairs: Tensor) -> tuple[Tensor, ...]:
            to_parent, to_weight = back_to_parents(to_pairs * context_factor)
            to_factor = to_pairs * parent_factor
            to_context, weight_too = context_back(torch.zeros_like(of_contexts).index_add_(0, context_of, to_factor))
            return to_parent, to_context, to_weight, weight_too

        return parent_factor * context_factor, pull_back

    def _children(
        self, x: Tensor, root_factor: Tensor
    ) -> tuple[Tensor, Tensor, PullBack[tuple[Tensor, Tensor, Tensor, Tensor, list[Tensor]]]]:
        """The factors and the root scores of all tokens as children. [block, token, rank], [token]

        x: [token, size], root_factor: [block, rank]. The pull-back gives the gradients by these two, by the matrix of
        the role, by that of the factors, and by those of the encoder.
        """
        weights, size = self._named, x.shape[1]
        role, factors, of_root = weights.roles[CHILD], weights.child[: self.rank], weights.child[self.rank :]
        as_root = _in_order_of_inputs(root_factor @ of_root).flatten()  # [valence · dir · size]
        outcome, root_score = x.new_empty(BLOCKS, len(x), self.rank), x.new_empty(len(x))
        parts = []
        for begin in range(0, len(x), TOKENS_AT_A_TIME):
            some = slice(begin, min(begin + TOKENS_AT_A_TIME, len(x)))
            e, role_back = project(x[some], role)
            hidden, encoder_back = encode(e, torch.arange(VALENCES * len(e)), self.encoder.skip, weights.encoder)
            outcome[:, some] = _by_block(hidden @ factors.t())
            root_score[some] = hidden.view(-1, BLOCKS * size) @ as_root
            parts.append((some, hidden, role_back, encoder_back))

        def pull_back(to_outcome: Tensor, to_root_score: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, list[Tensor]]:
            to_x = torch.empty_like(x)
            to_as_root, to_factors, to_role = (torch.zeros_like(part) for part in (as_root, factors, role))
            to_encoder = [torch.zeros_like(part) for part in weights.encoder]
            for some, hidden, role_back, encoder_back in parts:
                to_rows = _by_input(to_outcome[:, some])
                to_hidden = to_rows @ factors
                to_hidden.view(-1, BLOCKS * size).addr_(to_root_score[some], as_root)
                to_factors += to_rows.t() @ hidden
                to_as_root += to_root_score[some] @ hidden.view(-1, BLOCKS * size)
                to_e, gradients = encoder_back(to_hidden)
                to_x[some], to_role_too = role_back(to_e)
                to_role += to_role_too
                _add(to_encoder, gradients)
            by_block = _in_order_of_inputs(to_as_root.view(BLOCKS, size))
            to_child_weight = torch.cat([to_factors, root_factor.t() @ by_block])
            return to_x, by_block @ of_root.t(), to_role, to_child_weight, to_encoder

        return outcome, root_score, pull_back

    def _of_all(
        self, x: Tensor, pairs: Tensor, root_factor: Tensor, batch: LexicalBatch
    ) -> tuple[tuple[Tensor, Tensor], PullBack[_ToOutcomes]]:
        """log p of the roots and of the children of a batch, by a softmax over all tokens."""
        outcome, root_score, children_back = self._children(x, root_factor)
        root_rules, roots_back = _root_rules(root_score, batch, len(self.lexicon))
        child_rules, scores_back = self._child_rules(pairs, outcome, batch, len(self.lexicon))

        def pull_back(to_roots: Tensor, to_children: Tensor) -> _ToOutcomes:
            to_pairs, to_outcome = scores_back(to_children)
            to_x, to_root_factor, to_role, to_child, to_encoder = children_back(to_outcome, roots_back(to_roots))
            return _ToOutcomes(to_x, to_pairs, to_root_factor, to_role, to_child, to_encoder)

        return (root_rules, child_rules), pull_back

    def _of_classes(
        self, x: Tensor, pairs: Tensor, root_factor: Tensor, batch: LexicalBatch
    ) -> tuple[tuple[Tensor, Tensor], PullBack[_ToOutcomes]]:
        """The same by a softmax over all classes, and one over the words of a class. x: larger classes after tokens"""
        classes, in_class = self.classes, self._named.in_class
        assert classes is not None and in_class is not None
        rows = torch.from_numpy(classes.rows(unknown=len(x) > len(self._tag_of)))
        outcome, root_score, children_back = self._children(x.index_select(0, rows), root_factor)
        by_class = classes.batch(batch)
        root_of_class, roots_back = _root_rules(root_score, by_class, len(classes))
        class_rules, scores_back = self._child_rules(pairs, outcome, by_class, len(classes))
        tag_size = self.tag_embedding.shape[1]
        child_in_class, root_in_class, words_back = words_of_classes(
            x[:, tag_size:], pairs, root_factor.sum(0), in_class, batch, classes, self.most_scores // 4
        )

        def pull_back(to_roots: Tensor, to_children: Tensor) -> _ToOutcomes:
            to_pairs, to_outcome = scores_back(to_children)
            to_rows, to_root_factor, to_role, to_child, to_encoder = children_back(to_outcome, roots_back(to_roots))
            to_words, pairs_too, to_as_root, to_in_class = words_back(to_children, to_roots)
            to_x = torch.zeros_like(x).index_add_(0, rows, to_rows)
            to_x[:, tag_size:] += to_words
            to_pairs, to_root_factor = to_pairs + pairs_too, to_root_factor + to_as_root
            return _ToOutcomes(to_x, to_pairs, to_root_factor, to_role, to_child, to_encoder, (to_in_class,))

        return (root_of_class + root_in_class, class_rules + child_in_class), pull_back

    def _child_rules(
        self, pairs: Tensor, outcome: Tensor, batch: LexicalBatch, vocabulary: int
    ) -> tuple[Tensor, PullBack[tuple[Tensor, Tensor]]]:
        """log p of the children in the batch. [row, column]

        pairs: [context, rank], outcome: [block, token, rank]
        """
        by_context = torch.from_numpy(np.argsort(batch.context_of_row, kind="stable"))
        sorted_rows = batch.context_of_row[by_context.numpy()]
        wanted = torch.from_numpy(batch.children).index_select(0, by_context)
        columns = outcome.shape[1]
        chunks = list(_chunks(batch.contexts[:, 0], max(1, self.most_scores // 4 // columns)))
        keep = len(pairs) * columns <= self.most_scores
        ends = np.searchsorted(sorted_rows, [chunk.stop for _, chunk in chunks])

        def normalised(block: int, some: slice) -> Tensor:
            scores = pairs[some] @ outcome[block].t()
            if columns == vocabulary:
                return torch.log_softmax(scores, dim=1)
            return scores - torch.logsumexp(scores[:, :vocabulary], dim=1, keepdim=True)

        result = pairs.new_empty(len(by_context), wanted.shape[1])
        kept, places, begin = [], [], 0
        for (block, some), end in zip(chunks, ends.tolist(), strict=True):
            log_p = normalised(block, some)
            row = torch.from_numpy(sorted_rows[begin:end] - some.start)
            place = row.unsqueeze(1) * columns + wanted[begin:end]
            result[begin:end] = log_p.view(-1).take(place)
            kept.append(log_p if keep else None)
            places.append((begin, end, row, place))
            begin = end

        def pull_back(to_rules: Tensor) -> tuple[Tensor, Tensor]:
            to_rules = to_rules.index_select(0, by_context)
            to_pairs, to_outcome = torch.empty_like(pairs), torch.zeros_like(outcome)
            for (block, some), log_p, (begin, end, row, place) in zip(chunks, kept, places, strict=True):
                of_chunk = to_rules[begin:end]
                log_p = normalised(block, some) if log_p is None else log_p
                to_scores = torch.softmax(log_p[:, :vocabulary], dim=1)
                if columns > vocabulary:  # an unknown tag
                    to_scores = torch.cat([to_scores, to_scores.new_zeros(len(to_scores), 1)], dim=1)
                of_context = of_chunk.new_zeros(len(to_scores)).index_add_(0, row, of_chunk.sum(1))
                to_scores.mul_(-of_context.unsqueeze(1))
                to_scores.view(-1).index_add_(0, place.view(-1), of_chunk.reshape(-1))
                torch.mm(to_scores, outcome[block], out=to_pairs[some])
                to_outcome[block].addmm_(to_scores.t(), pairs[some])
            return to_pairs, to_outcome

        in_order = torch.empty_like(result)
        in_order[by_context] = result
        return in_order, pull_back


def _root_rules(scores: Tensor, batch: LexicalBatch, vocabulary: int) -> tuple[Tensor, PullBack[Tensor]]:
    """log p of every word of the batch as a root. [word]

    scores: [token]
    """
    tokens = torch.from_numpy(batch.tokens)
    log_p = scores - torch.logsumexp(scores[:vocabulary], 0)

    def pull_back(to_rules: Tensor) -> Tensor:
        to_scores = torch.zeros_like(scores).index_add_(0, tokens, to_rules)
        to_scores[:vocabulary] -= to_rules.sum() * torch.exp(log_p[:vocabulary])
        return to_scores

    return log_p.index_select(0, tokens), pull_back


def _decision_rules(
    pairs: Tensor, factors: Tensor, block: Tensor, batch: LexicalBatch
) -> tuple[Tensor, PullBack[tuple[Tensor, Tensor]]]:
    """log p of both decisions. [row, STOP or GO]

    pairs: [context, rank], factors: [STOP or GO · block, rank], block: [context]
    """
    of_row = torch.from_numpy(batch.context_of_row)
    of_context = factors.view(2, BLOCKS, -1).index_select(1, block)  # [STOP or GO, context, rank]
    result = torch.log_softmax((of_context * pairs).sum(2).t(), dim=1)

    def pull_back(to_rules: Tensor) -> tuple[Tensor, Tensor]:
        to_result = torch.zeros_like(result).index_add_(0, of_row, to_rules)
        to_scores = torch.ops.aten._log_softmax_backward_data(to_result, result, 1, result.dtype).t().unsqueeze(2)
        to_factors = torch.zeros_like(factors).view(2, BLOCKS, -1).index_add_(1, block, to_scores * pairs)
        return (to_scores * of_context).sum(0), to_factors.view_as(factors)

    return result.index_select(0, of_row), pull_back


def _add(sums: Sequence[Tensor], more: Sequence[Tensor]) -> None:
    for part, one in zip(sums, more, strict=True):
        part.add_(one)


def _by_block(rows: Tensor) -> Tensor:
    """The rows of inputs by block: [token · valence · dir, rank] as [dir · valence, token, rank]"""
    return rows.view(-1, VALENCES, DIRECTIONS, rows.shape[1]).permute(2, 1, 0, 3).flatten(0, 1)


def _by_input(blocks: Tensor) -> Tensor:
    """The rows of blocks by input: [dir · valence, token, rank] as [token · valence · dir, rank]"""
    return blocks.unflatten(0, (DIRECTIONS, VALENCES)).permute(2, 1, 0, 3).reshape(-1, blocks.shape[2])


def _in_order_of_inputs(blocks: Tensor) -> Tensor:
    """The blocks in the order of inputs: [dir · valence, size] as [valence · dir, size]. It is its own inverse."""
    return blocks.unflatten(0, (DIRECTIONS, VALENCES)).transpose(0, 1).flatten(0, 1)


def _chunks(blocks: np.ndarray, most: int):
    """Contexts of one block, so many at a time: (block, slice)."""
    for block in range(BLOCKS):
        begin, end = np.searchsorted(blocks, [block, block + 1]).tolist()
        for first in range(begin, end, most):
            yield block, slice(first, min(first + most, end))


@dataclass(frozen=True)
class _Plan:
    """What of a batch goes through the encoder beside the children, and where it comes out again."""

    symbols: Tensor  # [symbol] tokens, and symbols that are not: heads, contexts, STOP and GO, the root
    sizes: list[tuple[int, int]]  # role and number of its symbols, in this order
    inputs: Tensor  # [input] 2 · symbol + valence
    rows: list[int]  # of the hidden representations of each role
    parent_of: Tensor  # [context] the hidden row of its head
    context_of: Tensor | None  # [context] the hidden row of its context
    block: Tensor  # [context]

    @classmethod
    def of(cls, batch: LexicalBatch, order: Order, first_symbol: int) -> _Plan:
        block, parent, context = batch.contexts.T
        direction, valence = np.divmod(block, VALENCES)
        parents, parent_of = np.unique(parent, return_inverse=True)
        if batch.positions is not None:
            parents, parent_of = batch.tokens, batch.positions
        parent_row = (VALENCES * parent_of + valence) * DIRECTIONS + direction
        seen, context_of = np.unique(context, return_inverse=True)
        seen_symbols = np.where(seen == NOTHING, first_symbol + NULL, seen)
        context_row = context_inputs = None
        if order is Order.SIBLING:  # a sibling tells the valence
            context_inputs = VALENCES * np.arange(len(seen)) + np.where(seen == NOTHING, NO, HAS)
            context_row = DIRECTIONS * context_of + direction
        elif order is Order.GRANDPARENT:
            context_inputs = np.arange(VALENCES * len(seen))
            context_row = (VALENCES * context_of + valence) * DIRECTIONS + direction
        else:
            seen_symbols = seen_symbols[:0]
        sizes = [(PARENT, len(parents)), (CONTEXT, len(seen_symbols)), (DECISION, 2), (ROOT, 1)]
        others = first_symbol + np.array([1, 2, THE_ROOT])
        inputs = [
            np.arange(VALENCES * len(parents)),
            *([] if context_inputs is None else [VALENCES * len(parents) + context_inputs]),
            VALENCES * (len(parents) + len(seen_symbols)) + np.arange(VALENCES * 3),
        ]
        counts = [len(part) for part in inputs]
        rows = [counts[0], counts[1] if context_inputs is not None else 0, VALENCES * 2, VALENCES]
        return cls(
            symbols=torch.from_numpy(np.concatenate([parents, seen_symbols, others])),
            sizes=[(role, count) for role, count in sizes if count],
            inputs=torch.from_numpy(np.concatenate(inputs)),
            rows=[DIRECTIONS * count for count in rows],
            parent_of=torch.from_numpy(parent_row),
            context_of=None if context_row is None else torch.from_numpy(context_row),
            block=torch.from_numpy(block),
        )

    def by_role(self, rows: Tensor) -> list[tuple[int, Tensor]]:
        """The symbols' rows with their role."""
        parts = rows.split([count for _, count in self.sizes])
        return [(role, part) for (role, _), part in zip(self.sizes, parts, strict=True)]

    def split(self, hidden: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Hidden rows of heads, of contexts, of decisions by block, and of the root by block."""
        parent, context, decision, root = hidden.split(self.rows)
        decision = torch.cat([_in_order_of_inputs(part) for part in decision.split(BLOCKS)])
        return parent, context, decision, _in_order_of_inputs(root)

    def merge(self, to_hidden: tuple[Tensor, ...]) -> Tensor:
        """The gradients by what `split` gave, as the gradient by the hidden rows."""
        *rest, decision, root = to_hidden
        decision = torch.cat([_in_order_of_inputs(part) for part in decision.split(BLOCKS)])
        return torch.cat([*rest, decision, _in_order_of_inputs(root)])
