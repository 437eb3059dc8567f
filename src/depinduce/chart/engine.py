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
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from types import ModuleType

import numpy as np

from depinduce.chart import derivations, grandparent, passes, sibling
from depinduce.chart.problem import CountArrays, Posteriors, Workspace, make_groups, make_problem
from depinduce.chart.semirings import LOG, MAX, SUM, Semiring, in_semiring
from depinduce.grammar.rules import Batch, Factors, Order, RuleCounts, RuleTable, tag_batch

VOTES = 2.0**24  # the posterior of an arc, as a vote for it, is a multiple of 1 / VOTES
_PLAIN = ("context_count", "root_posterior", "cell_count")  # the same in every semiring


@cache
def _kernels(chart: ModuleType, semiring: Semiring) -> dict[str, Callable]:
    """All passes of one chart in one semiring; each is compiled when it is first called."""
    plain = {name: getattr(chart, name) for name in _PLAIN}
    templates = (*chart.TEMPLATES, *passes.TEMPLATES, *derivations.TEMPLATES)
    return in_semiring(semiring, chart.__name__.rpartition(".")[2], templates, plain)


@dataclass(frozen=True)
class Expectations:
    """What inside-outside gives: log Z, rule counts summed over the batch, and posteriors by position."""

    log_z: np.ndarray  # [sentence]
    counts: RuleCounts
    root: np.ndarray | None = None  # [token] posterior of being the root
    decision: np.ndarray | None = None  # [token, direction, valence, STOP or GO]
    arc: np.ndarray | None = None  # [arc, valence of the head], see Batch.arc_offsets


@dataclass(frozen=True)
class Trees:
    """Trees of a batch, as heads that count from 1 within the sentence; 0 is the root, -1 where there is none."""

    heads: np.ndarray  # [tree, token]
    log_potential: np.ndarray  # [tree, sentence]


def log_partition(
    table: RuleTable, batch: Batch, factors: Factors | None = None, *, threads: int = 1, space: str = "auto"
) -> np.ndarray:
    """log Z of every sentence. `space`: "auto", or "log" to compute everything in log space. [sentence]"""
    log_z = np.full(len(batch), np.nan)
    nothing = np.empty(0)
    no_counts, no_posteriors = CountArrays(nothing, nothing, nothing), Posteriors(nothing, nothing, nothing)

    def run(kernel, problem, groups, space, redo):
        kernel(problem, groups, space, False, log_z, redo, no_counts, no_posteriors)

    _Pass("expectation_pass", table, batch, factors, threads, run).sum(space)
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
    shares: list[tuple[int, CountArrays]] = []  # with the first sentence of each

    def run(kernel, problem, groups, space, redo):
        share = _no_counts(table)
        shares.append((int(groups[0, 0]), share))
        kernel(problem, groups, space, True, log_z, redo, share, posteriors)

    _Pass("expectation_pass", table, batch, factors, threads, run, with_outside=True).sum(space)
    shares.sort(key=lambda pair: pair[0])  # whichever thread was first: the same sum to the last bit
    first, *others = (share for _, share in shares) if shares else [_no_counts(table)]
    total = CountArrays(*(sum(parts[1:], parts[0]) for parts in zip(first, *others, strict=True)))
    counts = RuleCounts(
        total.root,
        total.child.reshape(rows + 1, columns + 1)[:-1, :-1],
        total.decision.reshape(rows + 1, 2)[:-1],
    )
    if not positions:
        return Expectations(log_z, counts)
    decision, arc = posteriors.decision.reshape(-1, 2, 2, 2), posteriors.arc.reshape(-1, 2)
    return Expectations(log_z, counts, posteriors.root, decision, arc)


def _no_counts(table: RuleTable) -> CountArrays:
    """Zero counts in the layout of the kernels, whose tables have one more row and column."""
    rows, columns = table.child.shape
    return CountArrays(np.zeros(columns), np.zeros((rows + 1) * (columns + 1)), np.zeros((rows + 1) * 2))


def best_trees(table: RuleTable, batch: Batch, factors: Factors | None = None, *, threads: int = 1) -> Trees:
    """The most probable tree of every sentence and its log potential; `derivations` says which of several."""
    heads = np.full((1, len(batch.column)), -1, dtype=np.int32)
    rounded = np.full(len(batch), -np.inf)
    no_seeds = np.empty(0, dtype=np.int64)

    def run(kernel, problem, groups, space, redo):
        kernel(problem, groups, space, no_seeds, rounded, redo, heads)

    _Pass("tree_pass", table, batch, factors, threads, run).maximise()
    return _with_scores(heads, table, batch, factors)


def k_best_trees(table: RuleTable, batch: Batch, k: int, factors: Factors | None = None, *, threads: int = 1) -> Trees:
    """The k most probable trees of every sentence, best first; fewer where a sentence has fewer trees."""
    heads = np.full((k, len(batch.column)), -1, dtype=np.int32)
    best = np.full(len(batch), -np.inf)

    def run(kernel, problem, groups, space, redo):
        kernel(problem, groups, space, k, best, redo, heads)

    _Pass("k_best_pass", table, batch, factors, threads, run).maximise()
    return _with_scores(heads, table, batch, factors)


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

    def run(kernel, problem, groups, space, redo):
        kernel(problem, groups, space, seeds, log_z, redo, heads)

    _Pass("tree_pass", table, batch, factors, threads, run).sum(space)
    return _with_scores(heads, table, batch, factors)


def entropy(
    table: RuleTable, batch: Batch, factors: Factors | None = None, *, threads: int = 1, space: str = "auto"
) -> np.ndarray:
    """The entropy of p(tree | sentence) in nats, 0 for a sentence without a tree. [sentence]"""
    log_z, entropies = np.full(len(batch), np.nan), np.zeros(len(batch))

    def run(kernel, problem, groups, space, redo):
        kernel(problem, groups, space, log_z, redo, entropies)

    _Pass("entropy_pass", table, batch, factors, threads, run).sum(space)
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
    heads = best_trees(nothing, plain, rounded, threads=threads).heads
    return _with_scores(heads, nothing, plain, exact)


def _with_scores(heads: np.ndarray, table: RuleTable, batch: Batch, factors: Factors | None) -> Trees:
    """Trees with their log potentials as they are, not rounded."""
    from depinduce.grammar.trees import tree_log_potentials

    score = np.full((len(heads), len(batch)), -np.inf)
    for tree in range(len(heads)):
        exists = heads[tree, batch.offsets[:-1]] >= 0
        score[tree, exists] = tree_log_potentials(table, batch, heads[tree], factors)[exists]
    return Trees(heads, score)


# ---------------------------------------------------------------- running a pass


@dataclass(frozen=True)
class _Pass:
    """A pass over a batch. `run` calls the kernel: run(kernel, problem, groups, workspace, redo)"""

    name: str
    table: RuleTable
    batch: Batch
    factors: Factors | None
    threads: int
    run: Callable
    with_outside: bool = False

    def sum(self, space: str) -> None:
        """Sum over trees: with probabilities first, then in log space what left their safe range."""
        if space not in ("auto", "log"):
            raise ValueError(f"space is 'auto' or 'log', not {space!r}")
        left = np.arange(len(self.batch))
        if space == "auto":
            left = self.over_threads(SUM, left)
        if len(left):
            self.over_threads(LOG, left)

    def maximise(self) -> None:
        """Find the best trees."""
        self.over_threads(MAX, np.arange(len(self.batch)))

    def over_threads(self, semiring: Semiring, sentences: np.ndarray) -> np.ndarray:
        """Deal the sentences out to threads; gives those that must be done again in another semiring."""
        if self.threads < 1:
            raise ValueError(f"threads must be at least 1, not {self.threads}")
        batch, chart = self.batch, sibling if self.batch.order is Order.SIBLING else grandparent
        kernel = _kernels(chart, semiring)[self.name]
        problem = make_problem(self.table, batch, self.factors, semiring)
        redo = np.zeros(len(batch), dtype=np.bool_)
        groups = make_groups(batch.lengths, sentences)
        longest = int(batch.lengths[sentences].max(initial=1))
        contexts = 1 if batch.order is not Order.GRANDPARENT else 1 + min(longest, len(np.unique(batch.context)))

        def run_share(share: np.ndarray) -> None:
            self.run(kernel, problem, share, _workspace(chart, longest, contexts, self.with_outside), redo)

        # contiguous for any number of threads, or the kernel would be compiled once more for arrays with gaps
        shares = [np.ascontiguousarray(groups[k :: self.threads]) for k in range(self.threads) if len(groups) > k]
        if len(shares) <= 1:
            for share in shares:
                run_share(share)
        else:
            for done in [_pool(self.threads).submit(run_share, share) for share in shares]:
                done.result()
        return np.flatnonzero(redo)


_memory = threading.local()
_KEPT_NUMBERS = 8_000_000  # 64 MB per thread at the most stay allocated between calls


def _workspace(chart: ModuleType, longest: int, contexts: int, with_outside: bool) -> Workspace:
    """Room for the charts of one thread, the same again from call to call while it is large enough."""
    sizes = chart.workspace(longest, contexts, with_outside)
    kept = getattr(_memory, "arrays", None)
    if kept is None or any(len(array) < size for array, size in zip(kept, sizes, strict=True)):
        kept = _aligned(sizes[0], np.int64), _aligned(sizes[1], np.float64)
        if max(sizes) <= _KEPT_NUMBERS:
            _memory.arrays = kept
    return Workspace(*kept, np.empty(longest + 1), np.empty(4 * (longest + 1), dtype=np.int64), longest, contexts)


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
