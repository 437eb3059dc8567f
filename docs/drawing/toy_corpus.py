"""Four sentences small enough to count by hand, what grammars make of them, and all trees of a short one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np

from depinduce.corpus import Vocabulary
from depinduce.evaluation.trees import find_cycle, is_projective
from depinduce.grammar.multinomials import Multinomials, uniform_counts
from depinduce.grammar.rules import Batch, Order, RuleTable, tag_batch
from depinduce.grammar.trees import tree_counts, tree_log_potentials

TAGS = Vocabulary.from_counts({"DET": 4, "NOUN": 8, "VERB": 4})  # in all SENTENCES
TAG_OF = {"the": "DET", "girls": "NOUN", "book": "NOUN", "books": "NOUN", "read": "VERB"}
SENTENCES = ["girls read books", "the girls read books", "girls read the book", "the girls read the book"]
SHORTEST = SENTENCES[0].split()


def tags_of(words: Sequence[str]) -> list[str]:
    return [TAG_OF[word] for word in words]


def batch_of(order: Order, sentences: Sequence[Sequence[str]]) -> Batch:
    """Sentences of words as a chart would read them."""
    tags = TAGS.ids(tag for words in sentences for tag in tags_of(words))
    return tag_batch(order, tags, np.cumsum([0, *map(len, sentences)]), len(TAGS))


def articles_below_nouns(words: Sequence[str]) -> list[int]:
    """The tree in which an article hangs on the noun after it. 1-based heads, 0 is the root"""
    verb = words.index("read") + 1
    return [0 if word == "read" else at + 1 if word == "the" else verb for at, word in enumerate(words, 1)]


def all_below_the_verb(words: Sequence[str]) -> list[int]:
    """The tree in which every word hangs on the verb."""
    verb = words.index("read") + 1
    return [0 if word == "read" else verb for word in words]


def grammar_of(order: Order, trees: Sequence[tuple[list[str], list[int]]], smoothing: float = 0.0) -> RuleTable:
    """The rules that make sentences with these trees most probable: how often each is used in them."""
    batch = batch_of(order, [words for words, _ in trees])
    heads = np.concatenate([heads for _, heads in trees])
    counts = tree_counts(uniform_counts(order, len(TAGS)), batch, heads)
    return Multinomials.smoothed(order, len(TAGS), smoothing).estimate(counts)


def probabilities_with(order: Order, tree_of: Callable[[list[str]], list[int]]) -> np.ndarray:
    """The probability of each of SENTENCES with a kind of tree, under the rules that suit these best. [sentence]"""
    trees = [(words, tree_of(words)) for words in map(str.split, SENTENCES)]
    batch = batch_of(order, [words for words, _ in trees])
    heads = np.concatenate([heads for _, heads in trees])
    return np.exp(tree_log_potentials(grammar_of(order, trees), batch, heads))


def all_trees(length: int) -> list[list[int]]:
    """Every projective tree with one root over so many words, as 1-based heads."""
    candidates = map(list, product(range(length + 1), repeat=length))
    return [heads for heads in candidates if heads.count(0) == 1 and not find_cycle(heads) and is_projective(heads)]


def probabilities(table: RuleTable, words: Sequence[str], trees: Sequence[list[int]]) -> np.ndarray:
    """p(sentence, tree) of several trees of a sentence under a first-order grammar. [tree]"""
    batch = batch_of(Order.FIRST, [words] * len(trees))
    return np.exp(tree_log_potentials(table, batch, np.concatenate(trees)))
