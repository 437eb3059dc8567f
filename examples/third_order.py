"""Third-order count models: rules that see the head and two words more.

    tri-sibling      the two previous children
    grand-sibling    the previous child and the head's head

The paper tried both without gain. This program trains them beside dmv, dmv-sibling and dmv-grand, by EM on the charts
of `third_order_chart`, and scores the trees of all. A third-order table has T + 1 times the rows of a second-order one,
so that most are seen hardly ever. Therefore EM starts from the table of a second-order model (`raised`) and adds
`--strength` pseudo-counts to every row, dealt out as that model would. A tri-sibling grammar starts from dmv-sibling; a
grand-sibling grammar from dmv-sibling or dmv-grand, which know different halves of its context.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from comparison import Comparison, options, read_corpora, run
from third_order_chart import Kind, Rules, best_trees, expected_counts, shape

from depinduce.chart.batched import NEVER
from depinduce.cli.console import progress
from depinduce.corpus import Corpus
from depinduce.errors import DepinduceError
from depinduce.grammar.constraints import may_head
from depinduce.grammar.multinomials import Multinomials
from depinduce.grammar.rules import HAS, NO, Order, RuleCounts, RuleTable
from depinduce.models.tag_model import GrammarModel
from depinduce.parsing.decoding import Parsing, parse_corpus

EXAMPLE = "python examples/third_order.py --train train.conllu --test dev.conllu --max-length 10"
ROOM = 300_000  # words to the power of three that are in one batch
STARTS = {
    "tri-sibling": (Kind.TRI_SIBLING, "dmv-sibling"),
    "grand-sibling": (Kind.GRAND_SIBLING, "dmv-sibling"),
    "grand-sibling from dmv-grand": (Kind.GRAND_SIBLING, "dmv-grand"),
}


@dataclass(frozen=True)
class Group:
    """Sentences of one length, as the charts want them."""

    words: np.ndarray  # [sentence, word] where they are in the corpus
    tags: np.ndarray  # [sentence, word]
    arcs: torch.Tensor  # [sentence, head, child] log potentials: NEVER where the head may have no children


def groups_by_length(corpus: Corpus, non_heads: tuple[str, ...]) -> Iterator[Group]:
    """A corpus by length, in groups whose charts fit into memory."""
    forbidden = np.isin(np.array(corpus.tag_vocabulary.symbols), non_heads)
    allowed = may_head(corpus.tags, corpus.offsets, forbidden)  # [token]
    for length in np.unique(corpus.lengths):
        starts = corpus.offsets[:-1][corpus.lengths == length]
        size = max(1, ROOM // int(length) ** 3)
        for first in range(0, len(starts), size):
            words = starts[first : first + size, None] + np.arange(length)
            arcs = np.where(allowed[words], 0.0, NEVER)[:, :, None].repeat(length, axis=2)
            yield Group(words, corpus.tags[words], torch.from_numpy(arcs))


def as_tensors(table: RuleTable) -> Rules:
    return tuple(map(torch.from_numpy, table.parts))


def raised(table: RuleTable, order: Order) -> RuleTable:
    """A second-order table in third-order rows: what it does not see makes no difference yet."""
    tags = len(table.root)

    def rows(rules: np.ndarray) -> np.ndarray:
        spread = np.empty((*shape(tags), rules.shape[1]))  # [direction, head, previous child, x, outcome]
        given = rules.reshape(*order.shape(tags), -1)
        if order is Order.SIBLING:
            spread[:] = given[:, :, :, None]
        else:  # [direction, head, grandparent, valence, outcome]; without a previous child the valence is NO
            spread[:, :, :tags] = given[:, :, None, :, HAS]
            spread[:, :, tags] = given[:, :, :, NO]
        return spread.reshape(-1, rules.shape[1])

    return RuleTable(table.root, rows(table.child), rows(table.decision))


def expect(kind: Kind, table: RuleTable, groups: list[Group]) -> tuple[RuleCounts, float]:
    """The counts that all trees of all sentences give to the rules, and the log-likelihood of the sentences."""
    rules, counts, log_z = as_tensors(table), RuleCounts.zeros_like(table), []
    for group in groups:
        some, of_sentences = expected_counts(kind, rules, group.tags, group.arcs)
        counts = counts + RuleCounts(*(part.numpy() for part in some))
        log_z.append(of_sentences)
    return counts, float(torch.cat(log_z).sum())


def train(
    name: str, simpler: GrammarModel, kind: Kind, groups: list[Group], strength: float, iterations: int
) -> RuleTable:
    """EM from the table of a second-order model, whose probabilities are the prior of every row."""
    table = raised(simpler.table, simpler.order)
    family = Multinomials(simpler.order, len(table.root), strength * RuleCounts(*map(np.exp, table.parts)))
    sentences = sum(len(group.words) for group in groups)
    with progress(name, iterations, "iterations") as update:
        for iteration in range(1, iterations + 1):
            counts, log_likelihood = expect(kind, table, groups)
            table = family.estimate(counts)
            update(iteration, f"log-likelihood {log_likelihood / sentences:.3f}")
    return table


def parse(name: str, kind: Kind, table: RuleTable, corpus: Corpus, non_heads: tuple[str, ...]) -> np.ndarray:
    """The heads of the best trees. [token]"""
    heads, done = np.zeros(len(corpus.tags), dtype=np.int64), 0
    with progress(f"{name}: parsing", len(corpus), "sentences") as update:
        for group in groups_by_length(corpus, non_heads):
            heads[group.words], _ = best_trees(kind, as_tensors(table), group.tags, group.arcs)
            done += len(group.words)
            update(done, f"up to {group.words.shape[1]} words")
    return heads


def plain_models(comparison: Comparison) -> dict[str, GrammarModel]:
    """A DMV, and the second-order models that start from its parses."""
    models = {"dmv": comparison.plain_model("dmv")}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "dmv"
        models["dmv"].save(place)
        for name in ("dmv-sibling", "dmv-grand"):
            models[name] = comparison.plain_model(name, init=("model", str(place)), prior_strength=100.0)
    return models


def program(arguments: argparse.Namespace) -> None:
    for option in ("iterations", "threads"):
        if (value := getattr(arguments, option)) < 1:
            raise DepinduceError(f"--{option} cannot be {value}: it must be 1 or more.")
    torch.set_num_threads(arguments.threads)
    comparison = read_corpora(arguments)
    non_heads, test = comparison.settings.constrained_tags, comparison.test
    models = plain_models(comparison)
    trees = {name: parse_corpus(model, test, Parsing()) for name, model in models.items()}
    groups = list(groups_by_length(comparison.train, non_heads))
    for name, (kind, simpler) in STARTS.items():
        table = train(name, models[simpler], kind, groups, arguments.strength, arguments.iterations)
        trees[name] = parse(name, kind, table, test, non_heads)
    comparison.show(trees)


def main(given: list[str] | None = None) -> int:
    parser = options("Train and score tri-sibling and grand-sibling grammars beside those of lower order.", EXAMPLE)
    parser.add_argument("--iterations", type=int, default=10, metavar="N", help="of EM of the third-order models (10)")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="threads of torch (1)")
    return run(program, parser, given)


if __name__ == "__main__":
    sys.exit(main())
