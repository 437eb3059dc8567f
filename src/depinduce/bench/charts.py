"""The charts against the paper's own algorithm: first the same results, then the time, the memory, the growth.

Both are given the same rule table (17 tags, random, normalised) and the same random sentences, in one process and
with the same number of threads. What is timed:

    gradient   log Z of every sentence and its gradient by every log-probability of the table, from the table on
    decoding   the best tree of every sentence and its score, from the table on

The yardstick is `bench.yardstick`: the paper's algorithm with its slips mended, batched torch, O(n⁴), gradient by
autograd, at its fastest batch size. It runs in two forms and two precisions:

    published   charts over all spans, filled in place, as the authors keep them; in single precision as they ran it
    growing     the fastest form of the same algorithm that we could write; in single and in double precision

Ours always computes in double precision. Machines are noisy: every time is the least of several repetitions.
"""

from __future__ import annotations

import json
import math
import multiprocessing
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import torch

from depinduce.bench import yardstick
from depinduce.bench.chart_settings import ChartBench
from depinduce.chart.engine import best_trees, expectations
from depinduce.grammar.rules import Batch, Order, RuleTable, tag_batch
from depinduce.grammar.trees import tree_log_potentials

TAGS = 17
BATCH_SIZES = (1, 4, 10, 30, 100)
DTYPES = {"double": torch.float64, "single": torch.float32}
YARDSTICKS = {  # name -> form, precision
    "published, single": (yardstick.PUBLISHED, "single"),
    "growing, single": (yardstick.GROWING, "single"),
    "growing, double": (yardstick.GROWING, "double"),
}
YARDSTICK_BYTES = 8e9  # batch sizes whose charts would need more are left out


@dataclass
class Case:
    """One length: seconds per sentence of both, and how many times faster ours is."""

    length: int
    ours: dict[str, float]  # gradient, decoding
    yardstick: dict[str, dict[str, float]] = field(default_factory=dict)  # gradient, decoding -> which -> seconds
    batch_size: dict[str, dict[str, int]] = field(default_factory=dict)  # the yardstick's fastest
    times_faster: dict[str, dict[str, float]] = field(default_factory=dict)
    ties: int = 0  # sentences whose best trees differ but score the same


def measure(settings: ChartBench, report: Callable[[Case], None] = lambda case: None) -> dict:
    """The results of the benchmark, as a dictionary for JSON."""
    torch.set_num_threads(settings.threads)
    table = random_table(Order(settings.order), settings.seed)
    cases = []
    for length in (*settings.lengths, *settings.alone):
        case = measure_length(settings, table, length, with_yardstick=length in settings.lengths)
        cases.append(case)
        report(case)
    return {
        "benchmark": "charts",
        "denominator": denominator(__doc__),
        "settings": asdict(settings),
        "cases": [asdict(case) for case in cases],
        "growth_exponent": {
            task: growth_exponent([(case.length, case.ours[task]) for case in cases if 20 <= case.length <= 160])
            for task in ("gradient", "decoding")
        },
        "peak_memory_mb": measure_memory(settings),
        "side_by_side": measure_side_by_side(settings),
    }


def random_table(order: Order, seed: int) -> RuleTable:
    """A normalised random grammar over 17 tags."""
    random = np.random.default_rng(seed)

    def log_shares(*shape: int) -> np.ndarray:
        logits = random.normal(size=shape)
        return logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))

    shape = order.shape(TAGS)
    return RuleTable.of_tags(log_shares(TAGS), log_shares(*shape, TAGS), log_shares(*shape, 2))


def random_tags(count: int, length: int, seed: int) -> np.ndarray:
    return np.random.default_rng([seed, length]).integers(0, TAGS, size=(count, length))


def random_batch(order: Order, tags: np.ndarray) -> Batch:
    """Sentences of one length as a batch. tags: [sentence, position]"""
    return tag_batch(order, tags.ravel(), np.arange(len(tags) + 1) * tags.shape[1], TAGS)


def measure_length(settings: ChartBench, table: RuleTable, length: int, with_yardstick: bool) -> Case:
    order = Order(settings.order)
    count = max(8, min(400, 400_000 // length**2))
    tags = random_tags(count, length, settings.seed)
    batch = random_batch(order, tags)
    tasks = {
        "gradient": lambda: expectations(table, batch, threads=settings.threads),
        "decoding": lambda: best_trees(table, batch, threads=settings.threads),
    }
    ties = assert_equal_results(order, table, tags[:8]) if with_yardstick else 0
    case = Case(length, {task: least_seconds(run, settings.seconds) / count for task, run in tasks.items()}, ties=ties)
    if with_yardstick:
        for task in tasks:
            case.yardstick[task], case.batch_size[task], case.times_faster[task] = {}, {}, {}
            for which, (form, precision) in yardsticks(order).items():
                seconds, size = time_yardstick(settings, table, tags, task, form, precision)
                case.yardstick[task][which], case.batch_size[task][which] = seconds, size
                case.times_faster[task][which] = seconds / case.ours[task]
    return case


def yardsticks(order: Order) -> dict[str, tuple[str, str]]:
    """What ours is measured against. Of the grandparent chart there is only the faster form."""
    wanted = YARDSTICKS.items()
    return {which: how for which, how in wanted if order is Order.SIBLING or how[0] == yardstick.GROWING}


def denominator(about: str | None) -> str:
    """What a benchmark measures, and against what: the text of its module without the title."""
    return (about or "").partition("\n\n")[2].strip()


def least_seconds(run: Callable[[], object], seconds: float, fewest: int = 3) -> float:
    """The shortest of repeated runs."""
    run()  # compiles, fills caches
    best, repetitions, start = math.inf, 0, time.perf_counter()
    while repetitions < fewest or time.perf_counter() - start < seconds:
        begin = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - begin)
        repetitions += 1
    return best


def as_tensors(table: RuleTable, precision: str) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    parts = (table.root, table.child, table.decision)
    root, child, decision = (torch.tensor(part, dtype=DTYPES[precision]) for part in parts)
    return root, child, decision


def time_yardstick(
    settings: ChartBench, table: RuleTable, tags: np.ndarray, task: str, form: str, precision: str
) -> tuple[float, int]:
    """The yardstick's seconds per sentence at its fastest batch size, and that size."""
    order, tensors = Order(settings.order), as_tensors(table, precision)
    run = yardstick.log_partition_and_gradient if task == "gradient" else yardstick.best_trees
    best, best_size = math.inf, 0
    for size in BATCH_SIZES:
        bytes_needed = 60 * size * tags.shape[1] ** 3 * (8 if precision == "double" else 4)
        if bytes_needed > YARDSTICK_BYTES:
            break
        chosen = torch.tensor(np.resize(tags, (size, tags.shape[1])))
        seconds = (
            least_seconds(lambda chosen=chosen: run(order, *tensors, chosen, form=form), settings.seconds / 3) / size
        )
        if seconds < best:
            best, best_size = seconds, size
    return best, best_size


def assert_equal_results(order: Order, table: RuleTable, tags: np.ndarray) -> int:
    """The number of ties among best trees; an error unless all give the same log Z, gradient and score."""
    return max(_assert_equal(order, table, tags, form) for form in {form for form, _ in yardsticks(order).values()})


def _assert_equal(order: Order, table: RuleTable, tags: np.ndarray, form: str) -> int:
    batch, tensors, sentences = random_batch(order, tags), as_tensors(table, "double"), torch.tensor(tags)
    ours = expectations(table, batch)
    log_z, gradients = yardstick.log_partition_and_gradient(order, *tensors, sentences, form=form)
    np.testing.assert_allclose(ours.log_z, log_z.detach().numpy(), rtol=1e-9)
    counts = (ours.counts.root, ours.counts.child, ours.counts.decision)
    for count, gradient in zip(counts, gradients, strict=True):
        np.testing.assert_allclose(count, gradient.numpy().reshape(count.shape), rtol=1e-7, atol=1e-9)
    trees = best_trees(table, batch)
    heads, scores = yardstick.best_trees(order, *tensors, sentences, form=form)
    theirs = np.asarray(heads).reshape(-1)
    np.testing.assert_allclose(trees.log_potential[0], np.asarray(scores.detach()), rtol=1e-9)
    np.testing.assert_allclose(tree_log_potentials(table, batch, theirs), trees.log_potential[0], rtol=1e-9)
    different = (theirs != trees.heads[0]).reshape(tags.shape).any(axis=1)
    return int(different.sum())  # other trees of the same score


def growth_exponent(points: list[tuple[int, float]]) -> float | None:
    """The slope of log time over log length."""
    if len(points) < 2:
        return None
    lengths, seconds = zip(*points, strict=True)
    return float(np.polyfit(np.log(lengths), np.log(seconds), 1)[0])


# ---------------------------------------------------------------- memory, in processes of their own

MEMORY_TASKS = {
    "ours, gradient, 100 sentences of 40 words": ("ours", "gradient", 40, 100),
    "yardstick (growing), gradient, 30 sentences of 40 words": ("yardstick", "gradient", 40, 30),
    "ours, one sentence of 300 words parsed": ("ours", "decoding", 300, 1),
    "ours, nothing but imports and a sentence of 2 words": ("ours", "decoding", 2, 1),
}


def measure_memory(settings: ChartBench) -> dict[str, float]:
    """The peak resident memory of a fresh process for each task, in MB."""
    peaks = {}
    for name, task in MEMORY_TASKS.items():
        command = [sys.executable, "-m", "depinduce.bench.charts", json.dumps([asdict(settings), task])]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        peaks[name] = float(done.stdout)
    return peaks


def run_and_measure_memory(settings: ChartBench, who: str, task: str, length: int, count: int) -> float:
    order, table = Order(settings.order), random_table(Order(settings.order), settings.seed)
    tags = random_tags(count, length, settings.seed)
    torch.set_num_threads(settings.threads)
    if who == "yardstick":
        yardstick.log_partition_and_gradient(order, *as_tensors(table, "double"), torch.tensor(tags))
    elif task == "gradient":
        expectations(table, random_batch(order, tags), threads=settings.threads)
    else:
        best_trees(table, random_batch(order, tags), threads=settings.threads)
    return peak_memory_mb()


def peak_memory_mb() -> float:
    """The most memory that this process has had. On Linux not what a parent had before it started us."""
    status = Path("/proc/self/status")
    if status.exists():
        return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM")) / 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 2**20 if sys.platform == "darwin" else most / 2**10


# ---------------------------------------------------------------- two jobs on two cores


def measure_side_by_side(settings: ChartBench) -> dict[str, float]:
    """Sentences per second of one single-threaded training process, alone and beside another one."""
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        arguments = (settings.order, settings.seed, settings.seconds)
        pool.starmap(_work, [(settings.order, settings.seed, 0.1)] * 2, chunksize=1)  # compiles and warms up
        alone = pool.apply(_work, arguments)
        both = pool.starmap(_work, [arguments] * 2, chunksize=1)
    return {"alone": alone, "each of two": min(both), "share of the speed alone": min(both) / alone}


def _work(order: str, seed: int, seconds: float) -> float:
    """The best rate of inside-outside over batches of 100 sentences of 15 words, in sentences per second."""
    table = random_table(Order(order), seed)
    batch = random_batch(Order(order), random_tags(100, 15, seed))
    return 100 / least_seconds(lambda: expectations(table, batch), seconds)


if __name__ == "__main__":
    chosen, memory_task = json.loads(sys.argv[1])
    lists = {"lengths": tuple(chosen["lengths"]), "alone": tuple(chosen["alone"])}
    print(run_and_measure_memory(ChartBench(**(chosen | lists)), *memory_task))
