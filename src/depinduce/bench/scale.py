"""Training in several processes: first the same result, then how much of each process's time is not lost.

Measured is a training end to end, from the moment in which all processes have their code compiled: reading the text
from a CoNLL-U file (each process its part, into a new cache), all rounds, and the model. With T(p, n) the seconds of p
processes on n texts,

    strong   T(1, 1) / (p · T(p, 1))     the same text for one process and for p
    weak     T(1, 1) / T(p, p)           p times as much text for p processes

The shortest of several runs counts; those of one and of p processes take turns. The texts are sentences whose words
were shuffled, so that few have the same tags; HDP-DEP, whose chart sums over hidden states, too, has a tenth of them,
and polyglot has two languages of half a text each. What is added in a step is counted (bytes) and timed alone, after
all processes have waited for each other.

The estimate for more processes is on paper. With p processes a step takes

    t(p) = s + c / p + a(p),    a(p) = 2 (p - 1) · latency + 2 (p - 1) / p · bytes / bandwidth

where s, which every process does, and c, which they share, follow from t(1) and from t(p) as measured, and a(p) is
what adding along a ring takes between machines with the latency and the bandwidth that the settings name.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from depinduce.bench.charts import denominator, peak_memory_mb
from depinduce.bench.scale_settings import ScaleBench
from depinduce.corpus import Reading, load_corpus, open_output
from depinduce.corpus.demo import demo_file
from depinduce.learning.held_out import Source
from depinduce.learning.lesson import Lesson
from depinduce.learning.run import Run
from depinduce.learning.settings.configuration import Configuration, configure
from depinduce.learning.team import ALONE, Processes, Team, team_of_this_process

AT = (2, 8, 64, 1000)  # processes, on paper
ADDED = 50  # times, to find the shortest
OF_A_STEP = {"strong": "step", "adding": "adding", "bytes": "bytes"}
SAME = 1e-4  # by so much, relatively, the likelihoods of one and of several processes may differ


@dataclass(frozen=True)
class Case:
    """A learner that is measured."""

    model: str
    values: dict[str, Any] = field(default_factory=dict)  # of other settings
    text: float = 1.0  # the share of the text that it learns from
    iterations: float = 1.0  # and of the iterations, if it counts
    batches: str | None = None  # the setting that tells how large its batches are, if it is a network


CASES = {
    "count DMV": Case("dmv", {"init": ("random",)}),
    "count sibling DMV": Case("dmv-sibling", {"init": ("random",)}),
    "HDP-DEP": Case("hdp-dep", text=0.1, iterations=0.25),
    "polyglot": Case("polyglot", {"init": ("trees", "-"), "poolings": 2}, text=0.5, iterations=0.5),
    "NDMV, EM": Case("ndmv", {"method": "em"}, batches="batch_size"),
    "NDMV, DMO": Case("ndmv", batches="batch_size"),
    "sibling, DMO": Case("sibling", batches="batch_size"),
    "sibling, DMO, large": Case("sibling", batches="large_batch"),
}


@dataclass(frozen=True)
class Work:
    """One training: everything that its processes need to know."""

    settings: dict[str, Any]
    case: str
    text: str
    cache: str


def measure(settings: ScaleBench, report: Callable[[str], None] = lambda what: None) -> dict:
    """The results of the benchmark, as a dictionary for JSON."""
    count = settings.processes
    with tempfile.TemporaryDirectory() as folder:
        shares = {(CASES[name].text, number) for name in settings.learners for number in (1, count)}
        texts = {(share, number): write_text(settings, share * number, Path(folder)) for share, number in shares}
        report("the texts are written")
        cases = {}
        for case in settings.learners:
            found: dict[str, list[dict]] = {"alone": [], "strong": [], "weak": []}
            for number in range(settings.repeats):
                cache = f"{folder}/cache-{case}-{number}"
                for kind, processes, text in (("alone", 1, 1), ("strong", count, 1), ("weak", count, count)):
                    work = Work(asdict(settings), case, str(texts[CASES[case].text, text]), f"{cache}-{kind}")
                    found[kind].append(run(work, processes))
                    shutil.rmtree(work.cache)
            best = {kind: min(runs, key=lambda one: one["seconds"]) for kind, runs in found.items()}
            cases[case] = result_of(settings, best)
            report(f"measured {case}, {len(cases)} of {len(settings.learners)}")
    return {
        "benchmark": "scale",
        "denominator": denominator(__doc__),
        "settings": asdict(settings),
        "cores": os.cpu_count(),
        "cases": cases,
    }


def result_of(settings: ScaleBench, best: dict[str, dict]) -> dict:
    """What is told of one case."""
    count, alone, strong = settings.processes, best["alone"], best["strong"]
    np.testing.assert_allclose(strong["train"], alone["train"], rtol=SAME, err_msg="another likelihood")
    return {
        "seconds": {kind: one["seconds"] for kind, one in best.items()},
        "of which reading": {kind: one["reading"] for kind, one in best.items()},
        "peak_memory_mb": {kind: one["memory"] for kind, one in best.items()},
        "efficiency": {
            "strong": alone["seconds"] / (count * strong["seconds"]),
            "weak": alone["seconds"] / best["weak"]["seconds"],
            "strong, without reading": (alone["seconds"] - alone["reading"])
            / (count * (strong["seconds"] - strong["reading"])),
        },
        "words_per_second": {"alone": alone["words"] / alone["step"], "strong": strong["words"] / strong["step"]},
        "step": {"alone": alone["step"], **{name: strong[key] for name, key in OF_A_STEP.items()}},
        "on paper": on_paper(settings, alone["step"], strong["step"], strong["adding"], strong["bytes"]),
    }  # fmt: skip


def on_paper(settings: ScaleBench, alone: float, together: float, adding: float, added: float) -> dict:
    """What more processes would do. alone, together: seconds of a step; adding: of these, to add so many bytes"""
    count = settings.processes
    shared = min(alone, max(0.0, (alone - together + adding) * count / (count - 1)))  # c
    by_all = alone - shared  # s

    def step(processes: float) -> float:
        ring = 2 * (processes - 1) * settings.latency + 2 * (processes - 1) / processes * added / settings.bandwidth
        return by_all + shared / processes + (ring if processes > 1 else 0.0)

    fastest = min((2**power for power in range(24)), key=step)
    return {
        "seconds of a step that all processes spend": by_all,
        "seconds that they share": shared,
        "processes": {
            str(many): {"step": step(many), "times faster": alone / step(many), "efficiency": alone / step(many) / many}
            for many in AT
        },
        "more processes stop to pay at": fastest,
    }


# ---------------------------------------------------------------- the text


def write_text(settings: ScaleBench, number: float, folder: Path) -> Path:
    """So many times the words that one process gets, in a file."""
    corpus = load_corpus(settings.train or demo_file("train"), Reading(max_length=settings.max_length))
    random, path = np.random.default_rng(settings.seed), folder / f"text-{number}.conllu"
    words = 0
    with open_output(path) as output:
        while words < number * settings.words:
            for begin, end in zip(corpus.offsets[:-1], corpus.offsets[1:], strict=True):
                shuffled = random.permutation(corpus.tags[begin:end]).tolist()
                rows = [f"{at}\tw\t_\t{corpus.tag_vocabulary[tag]}" for at, tag in enumerate(shuffled, start=1)]
                output.write("".join(row + 6 * "\t_" + "\n" for row in rows) + "\n")
                words += len(shuffled)
                if words >= number * settings.words:
                    break
    return path


# ---------------------------------------------------------------- the processes


def run(work: Work, processes: int) -> dict[str, Any]:
    """The training of one case in so many new processes; what the first of them tells."""
    command = ["depinduce.bench.scale", json.dumps(asdict(work))]
    if processes > 1:
        torchrun = ["torch.distributed.run", "--standalone", "--local-addr", "127.0.0.1"]
        command = [*torchrun, "--nproc-per-node", str(processes), "-m", *command]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", *command]
    return json.loads(subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout)


def train(work: Work, team: Team) -> dict[str, Any]:
    """In one of the processes: the training, and how long it took."""
    settings, case = ScaleBench(**work.settings), CASES[work.case]
    configuration = configuration_of(settings, case)
    with tempfile.TemporaryDirectory() as folder:
        small = write_text(ScaleBench(train=settings.train, words=500), 1, Path(folder))
        begun(Lesson.of(configuration, source_of(case, small), quiet=True)).go()  # compiles everything
    team.told_by_all(None)  # and waits for the others
    begin = time.perf_counter()
    lesson = Lesson.of(configuration, source_of(case, work.text), quiet=True, cache=work.cache, team=team)
    reading = time.perf_counter() - begin
    training = begun(lesson, team)
    before = team.bytes_added if isinstance(team, Processes) else 0
    rounds: list[float] = []
    training.go(lambda progress: rounds.append(progress.round.seconds))
    seconds = time.perf_counter() - begin
    size = configuration.learning.batch_size
    steps = 1 if size is None else -(-len(lesson.train) // size)
    added = (team.bytes_added - before) / (steps * len(rounds)) if isinstance(team, Processes) else 0.0
    return {
        "seconds": seconds,
        "reading": reading,
        "memory": peak_memory_mb(),
        "step": min(rounds) / steps,
        "words": len(lesson.train.tags) / steps,
        "bytes": added,
        "adding": time_adding(team, int(added)),
        "train": training.history[-1]["train"],
    }


def configuration_of(settings: ScaleBench, case: Case) -> Configuration:
    values: dict[str, Any] = {"model": case.model, "max_length": settings.max_length, "seed": settings.seed}
    if case.batches is None:
        values["iterations"] = max(1, round(case.iterations * settings.iterations))
    else:
        values |= {"epochs": settings.epochs, "batch_size": getattr(settings, case.batches), "init": ("random",)}
        values["start_epochs"] = 0
    return configure(values | case.values)


def source_of(case: Case, text: str | Path) -> Source:
    """What it learns from; many languages are two here, of the same text."""
    return {"one": [text], "other": [text]} if case.model == "polyglot" else [text]


def begun(lesson: Lesson, team: Team = ALONE) -> Run:
    """The training at its beginning; if that is trees, every word hangs on the one before."""
    training, train = lesson.run(team=team), lesson.train
    if lesson.configuration.learning.init[0] == "trees":
        training.heads = (np.arange(len(train.tags)) - np.repeat(train.offsets[:-1], train.lengths)).astype(np.int32)
    return training


def time_adding(team: Team, size: int) -> float:
    """The shortest time in which so many bytes are added, once all processes are ready."""
    if team.size == 1:
        return 0.0
    numbers, shortest = np.ones(max(1, size // 8)), np.inf
    for _ in range(ADDED):
        team.sum([np.zeros(1)])
        begin = time.perf_counter()
        team.sum([numbers])
        shortest = min(shortest, time.perf_counter() - begin)
    return float(shortest)


if __name__ == "__main__":
    with team_of_this_process() as own_team:
        told = train(Work(**json.loads(sys.argv[1])), own_team)
        if own_team.is_first:
            print(json.dumps(told), flush=True)
        own_team.told_by_all(None)  # nobody leaves before it is told
    os._exit(0)  # as `cli.program` does: without taking apart the threads by which processes talk
