"""What a grammar has learned, rule by rule: how probable each is, and how often a sentence uses it.

A table holds probabilities only. How much a rule matters depends also on how often a sentence comes by its row, and
the grammar itself tells: `generation.expected_uses`. (In a grammar that EM has brought to rest these are the counts
that it found per training sentence, but for the smoothing.)

The view of a second-order grammar as a first-order one is the mean of its contexts, weighted by their uses. A context
differs from it by so many bits per sentence: its uses · Σ p · log₂ (p / p in general).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from depinduce.corpus.tags import called
from depinduce.errors import DepinduceError
from depinduce.grammar.between_orders import lower_order
from depinduce.grammar.rules import GO, HAS, LEFT, NO, RIGHT, Order, RuleCounts, RuleTable
from depinduce.insight.generation import NEGLIGIBLE, Uses, expected_uses
from depinduce.models.tag_model import GrammarModel

ROOT = "ROOT"  # in the place of a head's head
UNUSED = 1e-100  # the weight of a row that no sentence comes by: it counts only where all rows are such


@dataclass(frozen=True)
class Rule:
    """A root, or a child on one side of a head."""

    tag: str
    probability: float
    uses: float  # in a sentence


@dataclass(frozen=True)
class Side:
    """The children of a head in one direction."""

    direction: str  # left or right
    any_child: float  # the probability that there is one
    another: float  # the probability of one more after each
    children: list[Rule]  # the most probable first


@dataclass(frozen=True)
class ContextRule:
    """What the context of a head changes: whether it takes a child, or the child that it takes most tellingly more."""

    direction: str
    context: str  # the previous child, or the head's head
    child: str | None  # None: whether there is a child
    after_a_child: bool  # about further children only
    probability: float
    in_general: float  # without looking at the context
    difference: float  # in bits per sentence: of all children together, or of the decision
    uses: float  # of the context, in a sentence: how often there is a child, or the decision


@dataclass(frozen=True)
class Head:
    """A tag as a head."""

    tag: str
    uses: float  # words of this tag in a sentence
    children: float  # of each
    sides: list[Side]
    contexts: list[ContextRule]  # the greatest difference first; none in a first-order grammar


@dataclass(frozen=True)
class Inspection:
    """A grammar laid open."""

    order: str
    inside_out: bool
    tags: list[str]
    non_heads: list[str]  # the tags that have no children
    words: float  # in a sentence
    kept: float  # the share of generated trees that come to an end and in which the non-heads have no children
    settled: bool  # whether uses are final; if not, they are too small, but right beside each other
    roots: list[Rule]  # the most probable first
    heads: list[Head]  # those with the most children in a sentence first
    reading: dict  # how the training file was read
    history: dict  # how it was trained

    def to_json(self) -> dict:
        return asdict(self)

    def _repr_html_(self) -> str:
        """What a notebook shows: the strongest rules of each head."""
        from depinduce.evaluation.tables import as_html
        from depinduce.insight.texts import tables_of

        return "".join(map(as_html, tables_of(self)))


def inspect_grammar(model: GrammarModel, heads: Sequence[str] = ()) -> Inspection:
    """All there is to tell about a grammar; of its heads all, or these."""
    tags = model.tags
    for tag in heads:
        if not called(tags, [tag]):
            raise DepinduceError(f"This grammar has no tag {tag!r}. Its tags are: {' '.join(tags)}.")
    non_heads = called(tags, model.non_heads)
    uses = expected_uses(model)
    weighted, view = _weighted(model.table, uses), first_order_view(model.table, model.order, uses)
    laid_open = [
        _head(model, uses, weighted, view, tag) for tag in called(tags, heads or tags.symbols) if tag not in non_heads
    ]
    return Inspection(
        order=model.order.value,
        inside_out=model.inside_out,
        tags=list(tags),
        non_heads=non_heads,
        words=float(uses.words.sum()),
        kept=uses.kept,
        settled=uses.settled,
        roots=_ranked(model, np.exp(model.table.root), uses.counts.root),
        heads=sorted(laid_open, key=lambda head: -head.uses * head.children),
        reading=vars(model.reading),
        history=model.history,
    )


def first_order_view(table: RuleTable, order: Order, uses: Uses) -> RuleTable:
    """The grammar as one of first order: the mean of the contexts, weighted by how often a sentence comes by them."""
    counts = lower_order(_weighted(table, uses), order)
    with np.errstate(divide="ignore"):
        return RuleTable(table.root, np.log(_shares(counts.child)), np.log(_shares(counts.decision)))


def _weighted(table: RuleTable, uses: Uses) -> RuleCounts:
    """The probabilities of the table, times how often a sentence comes by their rows."""
    decision = (uses.counts.decision.sum(axis=1, keepdims=True) + UNUSED) * np.exp(table.decision)
    child = (decision[:, [GO]] + UNUSED**2) * np.exp(table.child)
    return RuleCounts(uses.counts.root, child, decision)


def _shares(counts: np.ndarray) -> np.ndarray:
    return counts / counts.sum(axis=-1, keepdims=True)


def _ranked(model: GrammarModel, probabilities: np.ndarray, uses: np.ndarray) -> list[Rule]:
    order = np.argsort(-probabilities, kind="stable")
    return [Rule(model.tags[tag], float(probabilities[tag]), float(uses[tag])) for tag in order]


def _head(model: GrammarModel, uses: Uses, weighted: RuleCounts, view: RuleTable, tag: str) -> Head:
    head, tags = model.tags.id(tag), len(model.tags)
    go = np.exp(view.decision).reshape(2, tags, 2, 2)[:, head, :, GO]  # [direction, valence]
    child = _shares(weighted.child.reshape(2, tags, -1, tags)[:, head].sum(axis=1))  # [direction, child]
    taken = uses.counts.child.reshape(2, tags, -1, tags)[:, head].sum(axis=1)
    sides = [
        Side(name, float(go[side, NO]), float(go[side, HAS]), _ranked(model, child[side], taken[side]))
        for side, name in ((LEFT, "left"), (RIGHT, "right"))
    ]
    contexts = [rule for rule in _context_rules(model, weighted, head) if rule.difference > NEGLIGIBLE]
    contexts.sort(key=lambda rule: -rule.difference)
    words = float(uses.words[head])
    return Head(tag, words, float(taken.sum()) / words if words else 0.0, sides, contexts)


def _context_rules(model: GrammarModel, weighted: RuleCounts, head: int) -> Iterator[ContextRule]:
    """The rules of a head in every context, beside those of all contexts together."""
    order, tags = model.order, len(model.tags)
    if order is Order.FIRST:
        return
    names = [*model.tags, ROOT]
    for side, direction in ((LEFT, "left"), (RIGHT, "right")):
        child = weighted.child.reshape(*order.shape(tags), tags)[side, head]  # [context, (valence,) child]
        decision = weighted.decision.reshape(*order.shape(tags), 2)[side, head]
        if order is Order.SIBLING:
            child, decisions = child[:tags], {True: decision[:tags]}  # NULL is no context: there is nothing beside it
        else:
            child, decisions = child.sum(axis=1), {False: decision[:, NO], True: decision[:, HAS]}
        share, general, bits = _beside_all(child)
        for context, telling in enumerate(bits.argmax(axis=1)):
            yield ContextRule(
                direction, names[context], names[telling], order is Order.SIBLING,
                float(share[context, telling]), float(general[telling]), float(bits[context].sum()),
                float(child[context].sum()),
            )  # fmt: skip
        for after_a_child, counts in decisions.items():
            share, general, bits = _beside_all(counts)
            for context, difference in enumerate(bits.sum(axis=1)):
                yield ContextRule(
                    direction, names[context], None, after_a_child,
                    float(share[context, GO]), float(general[GO]), float(difference), float(counts[context].sum()),
                )  # fmt: skip


def _beside_all(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The shares in each context, those in all together, and what each adds to the difference in bits.

    counts: [context, outcome]
    """
    share, general = _shares(counts), _shares(counts.sum(axis=0))
    ratio = np.divide(share, general, out=np.ones_like(share), where=share > 0)
    return share, general, counts * np.log2(ratio)
