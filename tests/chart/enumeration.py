"""The slow, obvious oracle of the charts: every projective tree of a short sentence, one by one.

It follows the generative story word by word and shares nothing with the charts but the dataclasses that
describe a problem.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from depinduce.grammar.rules import (
    GO,
    HAS,
    LEFT,
    NO,
    RIGHT,
    STOP,
    Batch,
    Factors,
    Order,
    RuleCounts,
    RuleTable,
    tag_batch,
)

Heads = tuple[int, ...]  # the head of words 1, 2, …; 0 is the root


@cache
def projective_trees(length: int) -> tuple[Heads, ...]:
    """All projective trees over `length` words with exactly one root: 1, 2, 7, 30, 143, 728, …"""
    return tuple(
        (*left, 0, *right)
        for root in range(1, length + 1)
        for left in _forests(1, root - 1, root)
        for right in _forests(root + 1, length, root)
    )


def _forests(first: int, last: int, head: int) -> Iterator[Heads]:
    """The heads of words first..last when they are any sequence of trees whose tops hang from `head`."""
    if first > last:
        yield ()
    for end in range(first, last + 1):  # the leftmost tree covers first..end
        for top in range(first, end + 1):
            for left in _forests(first, top - 1, top):
                for right in _forests(top + 1, end, top):
                    for others in _forests(end + 1, last, head):
                        yield (*left, head, *right, *others)


@dataclass(frozen=True)
class Story:
    """The rules that generate one tree, in the order of its heads. Tokens count through the whole batch."""

    root: int  # token
    decisions: list[tuple[int, int, int, int, int]]  # row, STOP or GO, token, direction, valence
    children: list[tuple[int, int, int, int, int]]  # row, column, head, child (counted in the sentence), valence


def tell(batch: Batch, sentence: int, heads: Heads) -> Story:
    """The generative story of a tree: each head, in each direction, its children from the outside in."""
    first, length = int(batch.offsets[sentence]), len(heads)
    decisions, children = [], []
    for head in range(length):
        grandparent = heads[head] - 1  # -1 is ROOT
        left = [child for child in range(head) if heads[child] == head + 1]
        right = [child for child in reversed(range(head + 1, length)) if heads[child] == head + 1]
        for direction, farthest_first in ((LEFT, left), (RIGHT, right)):
            sibling = -1  # NULL
            for child in (*farthest_first, None):
                valence = NO if sibling < 0 else HAS
                if batch.order is Order.SIBLING:
                    slot = batch.context[first + sibling] if sibling >= 0 else batch.no_context
                else:
                    above = batch.context[first + grandparent] if grandparent >= 0 else batch.no_context
                    slot = 2 * above + valence
                row = int(batch.rows[batch.base[first + head, direction] + slot])
                decisions.append((row, STOP if child is None else GO, first + head, direction, valence))
                if child is not None:
                    children.append((row, int(batch.column[first + child]), head, child, valence))
                    sibling = child
    return Story(first + heads.index(0), decisions, children)


def tree_log_potential(
    table: RuleTable, batch: Batch, sentence: int, heads: Heads, factors: Factors | None = None
) -> float:
    """The log potential of one tree: the sum over the rules and factors of its story."""
    story, factors = tell(batch, sentence, heads), factors or Factors()
    total = table.root[batch.roots[story.root]]
    total += sum(table.decision[row, decision] for row, decision, *_ in story.decisions)
    total += sum(table.child[row, column] for row, column, *_ in story.children)
    if factors.root is not None:
        total += factors.root[story.root]
    if factors.decision is not None:
        for _, decision, token, direction, valence in story.decisions:
            total += factors.decision[token, direction, valence, decision]
    if factors.arc is not None:
        for _, _, head, child, valence in story.children:
            arc = batch.arc_offsets[sentence] + head * len(heads) + child
            total += factors.arc[arc, valence]
    return float(total)


def tree_rule_counts(table: RuleTable, batch: Batch, sentence: int, heads: Heads) -> RuleCounts:
    """How often one tree uses each rule of the table."""
    counts, story = RuleCounts.zeros_like(table), tell(batch, sentence, heads)
    counts.root[batch.roots[story.root]] += 1
    for row, decision, *_ in story.decisions:
        counts.decision[row, decision] += 1
    for row, column, *_ in story.children:
        counts.child[row, column] += 1
    return counts


class Enumerated:
    """One sentence with all its trees, best first, and every quantity a chart may be asked for."""

    def __init__(self, table: RuleTable, batch: Batch, sentence: int = 0, factors: Factors | None = None):
        self.table, self.batch, self.sentence = table, batch, sentence
        self.length = int(batch.lengths[sentence])
        trees = projective_trees(self.length)
        scores = [tree_log_potential(table, batch, sentence, heads, factors) for heads in trees]
        best_first = sorted(range(len(trees)), key=lambda tree: -scores[tree])
        self.trees = [trees[tree] for tree in best_first]
        self.scores = np.array([scores[tree] for tree in best_first])
        self.log_z = float(np.logaddexp.reduce(self.scores))
        if np.isneginf(self.log_z):  # no tree at all
            self.probabilities = np.zeros(len(trees))
        else:
            self.probabilities = np.exp(self.scores - self.log_z)

    @cached_property
    def counts(self) -> RuleCounts:
        """Expected rule counts."""
        counts = RuleCounts.zeros_like(self.table)
        for heads, probability in zip(self.trees, self.probabilities, strict=True):
            once = tree_rule_counts(self.table, self.batch, self.sentence, heads)
            counts.root[:] += probability * once.root
            counts.child[:] += probability * once.child
            counts.decision[:] += probability * once.decision
        return counts

    @cached_property
    def arcs_by_valence(self) -> np.ndarray:
        """The posterior of each arc, apart for its head's first and later children. [head, child, valence]"""
        posterior = np.zeros((self.length, self.length, 2))
        for heads, probability in zip(self.trees, self.probabilities, strict=True):
            for _, _, head, child, valence in tell(self.batch, self.sentence, heads).children:
                posterior[head, child, valence] += probability
        return posterior

    @cached_property
    def arcs(self) -> np.ndarray:
        """The posterior of each arc. [head, child]"""
        return self.arcs_by_valence.sum(axis=-1)

    @cached_property
    def roots(self) -> np.ndarray:
        """The posterior of each word to be the root. [child]"""
        posterior = np.zeros(self.length)
        for heads, probability in zip(self.trees, self.probabilities, strict=True):
            posterior[heads.index(0)] += probability
        return posterior

    @cached_property
    def decisions(self) -> np.ndarray:
        """The expected number of each decision at each word. [head, direction, valence, STOP or GO]"""
        posterior = np.zeros((self.length, 2, 2, 2))
        first = self.batch.offsets[self.sentence]
        for heads, probability in zip(self.trees, self.probabilities, strict=True):
            for _, decision, token, direction, valence in tell(self.batch, self.sentence, heads).decisions:
                posterior[token - first, direction, valence, decision] += probability
        return posterior

    @property
    def entropy(self) -> float:
        """- Σ p log p over the trees, in nats."""
        possible = self.probabilities[self.probabilities > 0]
        return float(-np.sum(possible * np.log(possible)))


def random_problem(
    order: Order,
    lengths: list[int],
    tags: int,
    seed: int,
    scale: float = 1.0,
    normalised: bool = True,
    factors: bool = False,
    shuffled: bool = False,
) -> tuple[RuleTable, Batch, Factors | None]:
    """Random rules, sentences of the given lengths, and random factors if asked for.

    scale: spread of the normal log potentials, before the softmax of `normalised`
    shuffled: rows and columns of the table lie in an order of their own, as in a lexical model
    """
    random = np.random.default_rng(seed)
    shape = order.shape(tags)

    def draw(*size: int) -> np.ndarray:
        logits = random.normal(size=size) * scale
        return logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True) if normalised else logits

    table = RuleTable.of_tags(draw(tags), draw(*shape, tags), draw(*shape, 2))
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    batch = tag_batch(order, random.integers(tags, size=offsets[-1]), offsets, tags)
    if shuffled:
        table, batch = _shuffle(random, table, batch)
    if not factors:
        return table, batch, None
    return table, batch, _random_factors(random, batch, scale)


def _shuffle(random: np.random.Generator, table: RuleTable, batch: Batch) -> tuple[RuleTable, Batch]:
    """The same rules with their rows, columns and roots moved, and unused ones among them."""
    tags, used = len(table.root), len(table.child)
    row = random.permutation(used + 3)[:used]  # where each row goes
    column = random.permutation(tags)
    child, decision = random.normal(size=(used + 3, tags)), random.normal(size=(used + 3, 2))
    child[row] = table.child[:, np.argsort(column)]
    decision[row] = table.decision
    root, root_column = random.normal(size=tags + 2), random.permutation(tags + 2)[:tags]
    root[root_column] = table.root
    moved = RuleTable(root, child, decision)
    return moved, Batch(
        order=batch.order,
        offsets=batch.offsets,
        column=column[batch.column].astype(np.int32),
        base=batch.base + 2,
        context=batch.context,
        no_context=batch.no_context,
        rows=np.concatenate([[0, 0], row]).astype(np.int32),
        root_column=root_column[batch.column].astype(np.int32),
    )


def _random_factors(random: np.random.Generator, batch: Batch, scale: float) -> Factors:
    tokens = len(batch.column)
    return Factors(
        root=random.normal(size=tokens) * scale,
        decision=random.normal(size=(tokens, 2, 2, 2)) * scale,
        arc=random.normal(size=(batch.arc_offsets[-1], 2)) * scale,
    )
