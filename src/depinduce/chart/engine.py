"""Charts over many sentences: which kernel, in which semiring, by how many threads.

    log_partition   log Z of every sentence
    expectations    log Z, expected rule counts, and arc posteriors where wanted
    best_trees      the most probable tree
    k_best_trees    the k most probable ones
    sample_trees    trees drawn from their distribution
    entropy         of that distribution
    minimum_risk_trees    the tree with the largest sum of arc posteriors
    trees_of_posteriors   the same, from posteriors that somebody else computed

All take a RuleTable, a Batch and optional Factors, for any order. Sums are computed with probabilities
where that is safe; the few sentences in which a cell leaves the safe range are redone in log space.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cache, cached_property, reduce
from typing import NamedTuple

import numpy as np

from depinduce.chart import grandparent, sibling
from depinduce.chart.functions import Chart
from depinduce.chart.kernels import Kernels, kernels
from depinduce.chart.problem import CountArrays, Posteriors, ProblemArrays, Workspace, make_groups, make_problem
from depinduce.chart.semirings import LOG, MAX, SUM, Semiring
from depinduce.grammar.rules import Batch, Factors, Order, RuleCounts, RuleTable, tag_batch
from depinduce.grammar.trees import tree_log_potentials

VOTES = 2.0**24  # the posterior of an arc, as a vote for it, is a multiple of 1 / VOTES


@dataclass(frozen=True)
class Expectations:
    """What inside-outside gives: log Z, rule counts summed over the batch, and posteriors by position.

    A sentence that counts several times counts so in the counts and in the posteriors.
    """

    log_z: np.ndarray  # [sentence]
    counts: RuleCounts
    root: np.ndarray  # [token] posterior of being the root; empty where nobody asked, like the next two
    decision: np.ndarray  # [token, direction, valence, STOP or GO]
    arc: np.ndarray  # [arc, valence of the head], see Batch.arc_offsets


@dataclass(frozen=True)
class Trees:
    """Trees of a batch, as heads that count from 1 within the sentence; 0 is the root, -1 where there is none."""

    heads: np.ndarray  # [tree, token]
    table: RuleTable  # that they were found by, like the rest
    batch: Batch
    factors: Factors | None

    @cached_property
    def log_potential(self) -> np.ndarray:
        """Not rounded; summed when it is first asked for, because most want the heads only. [tree, sentence]"""
        score = np.full((len(self.heads), len(self.batch)), -np.inf)
        for tree, heads in enumerate(self.heads):
            exists = heads[self.batch.offsets[:-1]] >= 0
            score[tree, exists] = tree_log_potentials(self.table, self.batch, heads, self.factors)[exists]
        return score


def log_partition(
    table: RuleTable, batch: Batch, factors: Factors | None = None, *, threads: int = 1, space: str = "auto"
) -> np.ndarray:
    """log Z of every sentence. `space`: "auto", or "log" to compute everything in log space. [sentence]"""
    log_z = np.full(len(batch), np.nan)
    nothing = np.empty(0)
    no_counts, no_posteriors = CountArrays(nothing, nothing, nothing), Posteriors(nothing, nothing, nothing)

    def run(kernels, share):
        kernels.expectation_pass(*share, False, log_z, no_counts, no_posteriors)

    _over_trees(_sums(space), table, batch, factors, threads, run)
    return log_z


def expectations(
    table: RuleTable,
    batch: Batch,
    factors: Factors | None = None,
    *,
    positions: bool = False,
    threads: int = 1,
    space: str = "auto",
) -> Expectations:
    """log Z and expected rule counts; with `positions` also the posteriors of arcs, decisions and roots."""
    log_z = np.full(len(batch), np.nan)
    tokens, arcs = len(batch.column), int(batch.arc_offsets[-1])
    posteriors = Posteriors(
        root=np.zeros(tokens if positions else 0),
        decision=np.zeros(8 * tokens if positions else 0),
        arc=np.zeros(2 * arcs if positions else 0),
    )
    columns, rows = table.child.shape[1], len(table.child)
    counted: list[tuple[int, CountArrays]] = []  # by each thread, with the first sentence it was given

    def run(kernels, share):
        counts = _no_counts(table)
        counted.append((int(share.groups[0, 0]), counts))
        kernels.expectation_pass(*share, True, log_z, counts, posteriors)

    _over_trees(_sums(space), table, batch, factors, threads, run, with_outside=True)
    counted.sort(key=lambda pair: pair[0])  # whichever thread was first: the same sum to the last bit
    first, *others = (counts for _, counts in counted) if counted else [_no_counts(table)]
    total = CountArrays(*(reduce(np.add, parts) for parts in zip(first, *others, strict=True)))
    counts = RuleCounts(
        total.root,
        total.child.reshape(rows + 1, columns + 1)[:-1, :-1],
        total.decision.reshape(rows + 1, 2)[:-1],
    )
    decision, arc = posteriors.decision.reshape(-1, 2, 2, 2), posteriors.arc.reshape(-1, 2)
    return Expectations(log_z, counts, posteriors.root, decision, arc)


def _no_counts(table: RuleTable) -> CountArrays:
    """Zero counts in the layout of the kernels, whose tables have one more row and column."""
    rows, columns = table.child.shape
    return CountArrays(np.zeros(len(table.root)), np.zeros((rows + 1) * (columns + 1)), np.zeros((rows + 1) * 2))


def best_trees(table: RuleTable, batch: Batch, factors: Factors | None = None, *, threads: int = 1) -> Trees:
    """The most probable tree of every sentence and its log potential; `derivations` says which of several."""
    return Trees(_best_heads(table, batch, factors, threads), table, batch, factors)


def _best_heads(table: RuleTable, batch: Batch, factors: Factors | None, threads: int) -> np.ndarray:
    """The heads of the best trees. [1, token]"""
    heads = np.full((1, len(batch.column)), -1, dtype=np.int32)
    rounded = np.full(len(batch), -np.inf)
    no_seeds = np.empty(0, dtype=np.int64)

    def run(kernels, share):
        kernels.tree_pass(*share, no_seeds, rounded, heads)

    _over_trees((MAX,), table, batch, factors, threads, run)
    return heads


def k_best_trees(table: RuleTable, batch: Batch, k: int, factors: Factors | None = None, *, threads: int = 1) -> Trees:
    """The k most probable trees of every sentence, best first; fewer where a sentence has fewer trees."""
    heads = np.full((k, len(batch.column)), -1, dtype=np.int32)
    best = np.full(len(batch), -np.inf)

    def run(kernels, share):
        kernels.k_best_pass(*share, k, best, heads)

    _over_trees((MAX,), table, batch, factors, threads, run)
    return Trees(heads, table, batch, factors)


def sample_trees(
    table: RuleTable,
    batch: Batch,
    samples: int,
    factors: Factors | None = None,
    *,
    seed: int | np.ndarray = 0,
    threads: int = 1,
    space: str = "auto",
) -> Trees:
    """Trees drawn from p(tree | sentence). The same seed gives the same trees on any number of threads.

    seed: one for the batch, or one of 32 bits for every sentence, which then has the same trees in any batch
    """
    heads = np.full((samples, len(batch.column)), -1, dtype=np.int32)
    seeds = seed if isinstance(seed, np.ndarray) else np.random.SeedSequence(seed).generate_state(len(batch))
    seeds = seeds.astype(np.int64)
    if seeds.shape != (len(batch),):  # a chart does not check its indices
        raise ValueError(f"{seeds.shape} seeds for {len(batch)} sentences")
    log_z = np.full(len(batch), np.nan)

    def run(kernels, share):
        kernels.tree_pass(*share, seeds, log_z, heads)

    _over_trees(_sums(space), table, batch, factors, threads, run)
    return Trees(heads, table, batch, factors)


def entropy(
    table: RuleTable, batch: Batch, factors: Factors | None = None, *, threads: int = 1, space: str = "auto"
) -> np.ndarray:
    """The entropy of p(tree | sentence) in nats, 0 for a sentence without a tree. [sentence]"""
    log_z, entropies = np.full(len(batch), np.nan), np.zeros(len(batch))

    def run(kernels, share):
        kernels.entropy_pass(*share, log_z, entropies)

    _over_trees(_sums(space), table, batch, factors, threads, run)
    return entropies


def minimum_risk_trees(table: RuleTable, batch: Batch, factors: Factors | None = None, *, threads: int = 1) -> Trees:
    """The trees with the largest expected number of right heads (minimum Bayes risk), which is their score."""
    expected = expectations(table, batch, factors, positions=True, threads=threads)
    return trees_of_posteriors(batch.offsets, expected.root, expected.arc.sum(axis=1), threads=threads)


def trees_of_posteriors(offsets: np.ndarray, root: np.ndarray, arc: np.ndarray, *, threads: int = 1) -> Trees:
    """The trees with the largest sum of the posteriors of their arcs; none for a sentence without any posterior.

    That is the best tree of a first-order grammar without rules, whose arcs weigh their posteriors. These are rounded
    to multiples of 2⁻²⁴ before, so that arcs that are equally probable but for rounding tie, and position decides.

    root: [token], arc: [arc], see Batch.arc_offsets
    """
    nothing = RuleTable(np.zeros(1), np.zeros((4, 1)), np.zeros((4, 2)))
    plain = tag_batch(Order.FIRST, np.zeros(len(root), np.int32), offsets, 1)
    sentence = np.repeat(np.arange(len(plain)), plain.lengths)
    has_tree = np.bincount(sentence, weights=root, minlength=len(plain)) > 0.0
    exact, rounded = (
        Factors(root=np.where(has_tree[sentence], root, -np.inf), arc=np.repeat(arc[:, None], 2, axis=1))
        for root, arc in ((root, arc), (np.rint(root * VOTES) / VOTES, np.rint(arc * VOTES) / VOTES))
    )
    return Trees(_best_heads(nothing, plain, rounded, threads), nothing, plain, exact)


# ---------------------------------------------------------------- running a pass


class _Share(NamedTuple):
    """What every pass is given first: the part of a batch that one thread does."""

    arrays: ProblemArrays
    groups: np.ndarray  # [group, lane]
    space: Workspace
    redo: np.ndarray  # [sentence] the pass marks those that must be done again in another semiring


def _sums(space: str) -> tuple[Semiring, ...]:
    """The semirings that sum over trees: probabilities first, then log space for what left their safe range."""
    if space not in ("auto", "log"):
        raise ValueError(f"space is 'auto' or 'log', not {space!r}")
    return (SUM, LOG) if space == "auto" else (LOG,)


def _over_trees(
    semirings: tuple[Semiring, ...],
    table: RuleTable,
    batch: Batch,
    factors: Factors | None,
    threads: int,
    run: Callable[[Kernels, _Share], None],
    with_outside: bool = False,
) -> None:
    """Deal the sentences out to threads, which `run` a pass; each semiring does what the one before has left over."""
    if threads < 1:
        raise ValueError(f"threads must be at least 1, not {threads}")
    chart = sibling.CHART if batch.order is Order.SIBLING else grandparent.CHART
    left = np.arange(len(batch))
    for semiring in semirings:
        if len(left) == 0:
            break
        arrays, passes = make_problem(table, batch, factors, semiring), kernels(chart, semiring)
        redo = np.zeros(len(batch), dtype=np.bool_)
        groups = make_groups(batch.lengths, left)
        longest = int(batch.lengths[left].max(initial=1))
        contexts = 1 if batch.order is not Order.GRANDPARENT else 1 + min(longest, len(np.unique(batch.context)))

        # contiguous for any number of threads, or the kernel would be compiled once more for arrays with gaps
        parts = [np.ascontiguousarray(groups[k::threads]) for k in range(min(threads, len(groups)))]
        shares = [
            _Share(arrays, part, _workspace(k, chart, longest, contexts, with_outside), redo)
            for k, part in enumerate(parts)
        ]
        if len(shares) == 1:
            run(passes, shares[0])
        else:
            running = [_pool(threads).submit(run, passes, share) for share in shares]
            wait(running)  # all of them, before an error of one lets others use their memory
            for done in running:
                done.result()
        left = np.flatnonzero(redo)


_memory = threading.local()
_KEPT_NUMBERS = 8_000_000  # 64 MB per thread at the most stay allocated between calls


def _workspace(k: int, chart: Chart, longest: int, contexts: int, with_outside: bool) -> Workspace:
    """Room for the charts of the caller's k-th share, the same again from call to call while it is large enough."""
    sizes = chart.workspace(longest, contexts, with_outside)
    if not hasattr(_memory, "arrays"):
        _memory.arrays = {}
    kept = _memory.arrays.get(k)
    if kept is None or any(len(array) < size for array, size in zip(kept, sizes, strict=True)):
        kept = _aligned(sizes[0], np.int64), _aligned(sizes[1], np.float64)
        if max(sizes) <= _KEPT_NUMBERS:
            _memory.arrays[k] = kept
    places, cells = kept
    edge_weights, edge_links = np.empty(longest + 1), np.empty(4 * (longest + 1), dtype=np.int64)
    return Workspace(places, cells, edge_weights, edge_links, longest, contexts)


def _aligned(size: int, dtype: type) -> np.ndarray:
    """Uninitialised numbers that begin where a cache line begins, so that no vector lies across two."""
    numbers = np.empty(size + 8, dtype=dtype)  # a line holds eight
    return numbers[-numbers.ctypes.data % 64 // 8 :][:size]


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="depinduce-chart")


__all__ = [
    "Expectations", "Trees", "best_trees", "entropy", "expectations", "k_best_trees",
    "log_partition", "minimum_risk_trees", "sample_trees", "trees_of_posteriors",
]  # fmt: skip
