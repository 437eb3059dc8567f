"""The story that a grammar tells: sentences generated from it, and how often they use each rule.

ROOT generates a word; every word generates its children on the left and on the right, one after the other, with a
decision to GO or to STOP before each. Where the grammar has tags that head nothing, its trees are those of the story
in which they do not: a story in which they do is thrown away whole and told anew. What is left has the probabilities
of the grammar, divided by the share of stories that are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from depinduce.corpus.conllu import FEATS
from depinduce.corpus.tags import bare_tag, called
from depinduce.errors import DepinduceError
from depinduce.grammar.rules import GO, HAS, LEFT, NO, RIGHT, STOP, Order, RuleCounts
from depinduce.models.tag_model import GrammarModel

TRIES = 100_000  # stories told for one sentence before giving up
STEPS = 5000  # of a story that are followed: a grammar on the edge of endless sentences would go on for ever
NEGLIGIBLE = 1e-12


@dataclass(frozen=True)
class Rows:
    """The rows of a rule table in the order of the story. Takes numbers, or arrays that broadcast."""

    order: Order
    tags: int

    def first(self, direction, head, above):
        """The row of a head without a child in this direction. above: the tag of its own head, ROOT is `tags`"""
        slot = {Order.FIRST: NO, Order.SIBLING: self.tags, Order.GRANDPARENT: 2 * above + NO}[self.order]
        return (direction * self.tags + head) * self.order.slots(self.tags) + slot

    def after(self, row, child):
        """The row of the same head when it has taken this child."""
        if self.order is Order.SIBLING:
            slots = self.order.slots(self.tags)
            return row // slots * slots + child
        return row // 2 * 2 + HAS  # valence is the last axis of a row


# ---------------------------------------------------------------- sentences


@dataclass(frozen=True)
class GeneratedSentence:
    """A sentence of tags with the tree it was generated with."""

    tags: list[str]
    heads: list[int]  # counted from 1, 0 is the root
    log_probability: float  # of the tree with its tags: the sum of its rules

    def to_conllu(self, sent_id: str, tag_column: int) -> str:
        """The sentence as a CoNLL-U block in which every word is called by its tag."""
        lines = [
            f"# sent_id = {sent_id}",
            f"# text = {' '.join(self.tags)}",
            f"# log_probability = {self.log_probability:.6f}",
        ]
        for number, (tag, head) in enumerate(zip(self.tags, self.heads, strict=True), start=1):
            columns = [str(number), tag, *"____", str(head), "dep" if head else "root", "_", "_"]
            columns[tag_column - 1] = bare = bare_tag(tag)
            if tag != bare:
                columns[FEATS - 1] = "|".join(sorted(tag[len(bare) + 1 :].split("+")))
            lines.append("\t".join(columns))
        return "\n".join(lines) + "\n\n"


@dataclass
class _Word:
    """A word of a story: its tag, the word it hangs on, and its children in the order of their generation."""

    tag: int
    head: int | None
    children: tuple[list[int], list[int]]  # left, right


class Generator:
    """Generates sentences from a grammar; counts what it throws away."""

    def __init__(self, model: GrammarModel, seed: int = 0, max_words: int = 40):
        self.model, self.max_words = model, max_words
        self.too_long = 0  # stories thrown away because they grew longer than max_words
        self.disobedient = 0  # and because a tag had children that may have none
        self.non_heads = called(model.tags, model.non_heads)
        self._non_heads = set(model.tags.ids(self.non_heads).tolist())
        self._random = np.random.default_rng(seed).random
        self._rows = Rows(model.order, len(model.tags))
        self._root, self._child = _cumulated(model.table.root), _cumulated(model.table.child)
        self._go = np.exp(model.table.decision[:, GO])

    def sentences(self, count: int) -> Iterator[GeneratedSentence]:
        """So many sentences, one after the other."""
        for _ in range(count):
            yield self._sentence()

    def _sentence(self) -> GeneratedSentence:
        long_before = self.too_long
        for _ in range(TRIES):
            story = self._story()
            if story is not None:
                return self._as_sentence(*story)
        too_long = self.too_long - long_before
        told = f"{too_long:,} times there were more than {self.max_words} words"
        if too_long < TRIES:
            told += f", {TRIES - too_long:,} times children under {' '.join(self.non_heads)}, which may have none"
        remedy = "Raise --max-words." if 2 * too_long > TRIES else "Train with these tags as --non-heads."
        raise DepinduceError(f"{TRIES:,} tries gave no sentence: {told}. {remedy}")

    def _story(self) -> tuple[list[_Word], float] | None:
        """The words of one story, ROOT's child first, and its log probability; None as soon as it must be rejected."""
        table, rows = self.model.table, self._rows
        root = self._draw(self._root)
        words, log_probability = [_Word(root, None, ([], []))], table.root[root]
        waiting = [0]
        while waiting:
            number = waiting.pop()
            word = words[number]
            above = rows.tags if word.head is None else words[word.head].tag
            for direction in (LEFT, RIGHT):
                row = rows.first(direction, word.tag, above)
                while self._random() < self._go[row]:
                    if word.tag in self._non_heads:
                        self.disobedient += 1
                        return None
                    if len(words) == self.max_words:
                        self.too_long += 1
                        return None
                    child = self._draw(self._child[row])
                    log_probability += table.decision[row, GO] + table.child[row, child]
                    word.children[direction].append(len(words))
                    waiting.append(len(words))
                    words.append(_Word(child, number, ([], [])))
                    row = rows.after(row, child)
                log_probability += table.decision[row, STOP]
        return words, float(log_probability)

    def _draw(self, cumulated: np.ndarray) -> int:
        return int(np.searchsorted(cumulated, self._random(), side="right"))

    def _as_sentence(self, words: list[_Word], log_probability: float) -> GeneratedSentence:
        """The words in the order in which they are spoken."""
        spoken, stack = [], [(0, False)]
        while stack:
            number, its_turn = stack.pop()
            if its_turn:
                spoken.append(number)
                continue
            left, right = words[number].children
            if self.model.inside_out:
                left = left[::-1]
            else:
                right = right[::-1]
            stack += [(child, False) for child in reversed(right)]
            stack.append((number, True))
            stack += [(child, False) for child in reversed(left)]
        position = {number: place for place, number in enumerate(spoken, start=1)} | {None: 0}
        return GeneratedSentence(
            tags=[self.model.tags[words[number].tag] for number in spoken],
            heads=[position[words[number].head] for number in spoken],
            log_probability=log_probability,
        )


def _cumulated(log_probabilities: np.ndarray) -> np.ndarray:
    """Running sums along the last axis; the last is exactly 1, so that no draw falls behind it."""
    sums = np.cumsum(np.exp(log_probabilities), axis=-1)
    return sums / sums[..., -1:]


# ---------------------------------------------------------------- how often sentences use a rule


@dataclass(frozen=True)
class Uses:
    """How often a sentence uses each rule, in the mean over all that the grammar generates, of any length."""

    counts: RuleCounts
    kept: float  # the share of stories that come to an end and keep to the constraint
    settled: bool  # whether the numbers are final, or those of the first STEPS steps

    @property
    def words(self) -> np.ndarray:
        """Words of each tag in a sentence. [tag]"""
        return self.counts.root + self.counts.child.sum(axis=0)


def expected_uses(model: GrammarModel) -> Uses:
    """The expected uses of every rule in one sentence, among the stories that are kept.

    Let end(row) be the probability that all a head does from `row` on is kept: that it comes to an end without
    children of non-heads; and whole(c) the same of a child, end(its first row on the left) · end(… on the right).

        end(row)       = stop(row) + go(row) Σ_c child(c | row) whole(c) end(row after c),  where a non-head cannot go
        taken(row, c)  = uses(row) go(row) child(c | row) whole(c) end(row after c) / end(row)

    The uses of a row are those of the rules that lead to it. Both equations are followed from zero, one step of the
    story at a time.
    """
    order, tags, table = model.order, len(model.tags), model.table
    rows, slots = Rows(order, tags), order.slots(tags)
    row, tag, above = np.arange(len(table.child)), np.arange(tags), np.arange(tags + 1)  # the last above is ROOT
    head = row // slots % tags
    after = np.broadcast_to(rows.after(row[:, None], tag), (len(row), tags))  # [row, child]
    first = np.stack(
        [np.broadcast_to(rows.first(side, tag[:, None], above), (tags, tags + 1)) for side in (LEFT, RIGHT)]
    )

    stop, go = np.exp(table.decision).T
    go = np.where(np.isin(head, model.tags.ids(called(model.tags, model.non_heads))), 0.0, go)
    going = go[:, None] * np.exp(table.child)  # [row, child]

    def kept_going(end: np.ndarray) -> np.ndarray:
        whole = end[first].prod(axis=0)  # [tag, above]
        return going * whole[:, head].T * end[after]

    end, ended = _follow(lambda end: stop + kept_going(end).sum(axis=1), len(row))
    step = np.divide(kept_going(end), end[:, None], out=np.zeros_like(going), where=end[:, None] > 0)
    root = np.exp(table.root) * end[first[:, :, -1]].prod(axis=0)
    kept = float(root.sum())
    root /= kept or 1.0

    def come_by(uses: np.ndarray) -> np.ndarray:
        taken = uses[:, None] * step
        below = taken.reshape(2, tags, slots, tags).sum(axis=(0, 2))  # [head, child]
        words = np.concatenate([below, root[None]]).T  # [tag, above]
        arrivals = [(first[LEFT], words), (first[RIGHT], words), (after, taken)]
        return np.sum([np.bincount(place.ravel(), number.ravel(), len(row)) for place, number in arrivals], axis=0)

    uses, settled = _follow(come_by, len(row))
    taken = uses[:, None] * step
    goes = taken.sum(axis=1)
    return Uses(RuleCounts(root, taken, np.stack([uses - goes, goes], axis=1)), kept, ended and settled)


def _follow(story: Callable[[np.ndarray], np.ndarray], size: int) -> tuple[np.ndarray, bool]:
    """Where the values go from zero when the story is told step by step, and whether they came to rest."""
    values = np.zeros(size)
    for _ in range(STEPS):
        before, values = values, story(values)
        if np.abs(values - before).max() <= NEGLIGIBLE * max(1.0, values.max()):
            return values, True
    return values, False
