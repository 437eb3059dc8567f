"""Tiny languages with one headedness: the same tags head the same tags, each language puts them where it likes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
from learning.tagged import Tree, tagged, tree_above

from depinduce.corpus import Corpus, Vocabulary
from depinduce.grammar.headedness import Headedness, OrderFree
from depinduce.grammar.multinomials import uniform_counts
from depinduce.grammar.rules import Order, tag_batch
from depinduce.grammar.stacked import stacked
from depinduce.grammar.trees import tree_counts
from depinduce.models.polyglot_model import PolyglotModel

CHILDREN = {"V": {"N": 0.9, "A": 0.5, "P": 0.6}, "N": {"D": 0.6, "A": 0.6, "P": 0.3}, "P": {"N": 1.0}}
TAGS = Vocabulary("NVDAP", [5, 4, 3, 2, 1])
ORDERS = {  # which children stand on the left of their head
    "final": {"N", "P", "D", "A"},
    "initial": set(),
    "mixed": {"D", "A"},
}


def language(order: str, count: int, seed: int) -> tuple[Corpus, np.ndarray]:
    """So many sentences of a language, with their trees."""
    rng = np.random.default_rng(seed)
    trees = [tree for tree in (_grow("V", ORDERS[order], rng, 0) for _ in range(3 * count)) if len(tree[0]) <= 9]
    assert len(trees) >= count
    corpus = tagged(*(" ".join(tags) for tags, _ in trees[:count]), vocabulary=TAGS)
    return corpus, np.concatenate([heads for _, heads in trees[:count]]).astype(np.int32)


def _grow(tag: str, left: set[str], rng: np.random.Generator, depth: int) -> Tree:
    children = [child for child, share in CHILDREN.get(tag, {}).items() if rng.random() < share * 0.8**depth]
    grown = {child: _grow(child, left, rng, depth + 1) for child in children}
    sides = [[grown[child] for child in children if (child in left) == on_left] for on_left in (True, False)]
    return tree_above(sides[0], tag, sides[1][::-1])


def together(corpora: dict[str, Corpus]) -> Corpus:
    """Texts of several languages as one corpus that tells them apart."""
    parts = list(corpora.values())
    lengths = np.concatenate([part.lengths for part in parts])
    tags = np.concatenate([part.tags for part in parts])
    counts = Counter({tag: int(count) for tag, count in zip(TAGS, np.bincount(tags, minlength=len(TAGS)), strict=True)})
    vocabulary = Vocabulary.from_counts({tag: count for tag, count in counts.items() if count})
    return replace(
        parts[0],
        offsets=np.concatenate([[0], np.cumsum(lengths)]),
        tags=vocabulary.ids(TAGS)[tags],
        words=np.zeros(len(tags), dtype=np.int32),
        index=np.arange(len(lengths)),
        tag_vocabulary=vocabulary,
        languages=tuple(corpora),
        language=np.repeat(np.arange(len(parts)), [len(part) for part in parts]).astype(np.int32),
    )


def universal_of(orders: tuple[str, ...], count: int = 200) -> PolyglotModel:
    """The universal grammar of some languages whose trees are known; their own order is not asked for."""
    drawn = [language(order, count, seed) for seed, order in enumerate(orders)]
    like = uniform_counts(Order.FIRST, len(TAGS))
    counts = stacked(
        tree_counts(like, tag_batch(Order.FIRST, corpus.tags, corpus.offsets, len(TAGS)), heads)
        for corpus, heads in drawn
    )
    pool = Headedness.by_language(counts, np.full(len(drawn), count))
    return PolyglotModel.of(Order.FIRST, TAGS, orders, OrderFree(pool).start().table, pool.pooled())


def share_right(found: np.ndarray, heads: np.ndarray) -> float:
    return float(np.mean(found == heads))
