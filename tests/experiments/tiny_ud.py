"""The experiments on Universal Dependencies in small: a data directory of a few sentences, and tiny networks."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cli.demo_parts import demo_part

from depinduce import jobs
from depinduce.experiments.suites import EXPERIMENTS

TINY = {"size": 8, "child_rank": 4, "decision_rank": 2, "epochs": 2, "batch_size": 16}
TINY_WORDS = {"tag_size": 4, "word_size": 4, "lexical_child_rank": 4, "lexical_decision_rank": 2, "min_count": 2,
              "vectors": ("random",)}  # fmt: skip
TINY_COUNTS = {
    "iterations": 2,
    "unambiguity_iterations": 1,
    "random_starts": 2,
    "start_iterations": 1,
    "start_passes": 1,
}
TINY_JIANG = {"tag_size": 4, "valence_size": 2, "sentence_size": 4, "epochs": 2, "m_steps": 4}


def tiny_data(folder: Path, languages: tuple[str, ...] = ("fr", "pl")) -> Path:
    """LANG/{train,dev,test}.conllu, made from the demo corpus; the languages differ in size only."""
    for number, language in enumerate(languages):
        (folder / language).mkdir(parents=True)
        for split, count in (("train", 24), ("dev", 10), ("test", 10)):
            demo_part(folder / language / f"{split}.conllu", split, count + 4 * number)
    return folder


def shrink(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
    """Give every experiment a tiny network and two epochs, or iterations."""
    for name, experiment in EXPERIMENTS.items():
        configuration = experiment.configuration()
        of_jiang = configuration.learning.model in ("jiang-ndmv", "d-ndmv")
        tiny = (TINY_JIANG if of_jiang else TINY) | changes if configuration.network else TINY_COUNTS
        words = TINY_WORDS if configuration.lexical else {}
        known = configuration.values()  # networks have settings of their own
        small = {setting: value for setting, value in (words | tiny).items() if setting in known}
        smaller = replace(experiment, changes={**experiment.changes, **small})
        monkeypatch.setitem(EXPERIMENTS, name, smaller)


def in_this_process(monkeypatch: pytest.MonkeyPatch, stop_before: int | None = None) -> list[str]:
    """Let cells run here, one after the other, and tell of each; gives the list of those that were run."""
    ran: list[str] = []

    def one_after_the_other(work, tasks, jobs, needs):
        for number, task in enumerate(tasks):
            if number == stop_before:
                raise KeyboardInterrupt
            assert not needs or all(needed < number for needed in needs[number])
            print(f"running {task}", file=sys.stderr)
            ran.append(str(task))
            yield number, work(task, lambda message: None)

    monkeypatch.setattr(jobs, "side_by_side", one_after_the_other)
    return ran


def results_in(file: Path) -> dict[str, dict[str, Any]]:
    """The results in a file of cells by the names of their cells."""
    results = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    return {f"{result['experiment']} {result['language']} {result['seed']}": result for result in results}


def made_up_cell(experiment: str, language: str, seed: int, uas: float, **more: Any) -> dict[str, Any]:
    """The result of a cell that was never run: UAS ≤40 is one lower, minimum Bayes risk one higher."""
    return {
        "experiment": experiment,
        "language": language,
        "seed": seed,
        "code": "0",
        "scores": {"viterbi": {"15": uas, "40": uas - 1}, "mbr": {"15": uas + 1, "40": uas}},
        "log_likelihood": {"train": -20.0 - seed, "dev": -21.0},
        "epochs": 3,
        "seconds": 1.5,
        "history": [],
        **more,
    }
