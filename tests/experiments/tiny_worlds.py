"""The experiments on many languages in small: two worlds of a few sentences, and tiny grammars."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from depinduce.corpus import read_sentences
from depinduce.corpus.demo import demo_file
from depinduce.experiments.experiment import Cell
from depinduce.experiments.polyglot import POLYGLOT
from depinduce.experiments.polyglot_cells import run_task, work_of
from depinduce.experiments.suites import EXPERIMENTS
from depinduce.experiments.worlds import read_worlds

OWN = {
    "model": "sibling", "init": ("harmonic",), "epochs": 1, "batch_size": 16, "size": 8, "child_rank": 4,
    "decision_rank": 2, "non_heads": ("ud",),
}  # fmt: skip
TREES = {
    "ud1": {"fr": ("dev", "test"), "pl": ("dev", "test"), "ru": ("dev",), "xx": ()},
    "ud2": {"ja": ("dev",), "xx": ()},
}  # the languages of each world, and the splits with trees


def tiny_worlds(folder: Path) -> list[str]:
    """Two folders of languages that differ in their sentences; gives them as --data takes them."""
    for world, languages in TREES.items():
        for number, (language, splits) in enumerate(languages.items()):
            text = "train" if world == "ud1" else "text"
            for name, split in ((text, "train"), *((split, split) for split in splits)):
                write_part(folder / world / language / f"{name}.conllu", split, 16 * number, 12 if name == text else 8)
    return [str(folder / world) for world in TREES]


def write_part(path: Path, split: str, first: int, count: int) -> None:
    """Sentences of the demo corpus, with their trees."""
    path.parent.mkdir(parents=True, exist_ok=True)
    some = islice(read_sentences(demo_file(split)), first, first + count)
    path.write_text("".join(sentence.render() for sentence in some), encoding="utf-8")


def shrink_worlds(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Give every experiment a tiny grammar and few rounds; own grammars are what a recipe in the folder says."""
    recipe = folder / "own.toml"
    lines = [f"{name} = {list(value) if isinstance(value, tuple) else value!r}" for name, value in OWN.items()]
    recipe.write_text("\n".join(lines) + "\n", encoding="utf-8")
    few = {"iterations": 2}
    members = {"own_recipe": str(recipe), "student_recipe": str(recipe), "fewest_sentences": 12, "least_agreement": 0.0}
    changes = {
        "ud-sibling": {},
        "universal": few | {"poolings": 2, "init": ("recipe", str(recipe))},
        "adapt": few | members,
        "ud-student": {name: value for name, value in OWN.items() if name != "init"} | {"ladder": ()},
    }
    for name, experiment in POLYGLOT.items():
        smaller = {**experiment.changes, **changes.get(experiment.recipe or "", few)}
        own = str(recipe) if experiment.recipe == "ud-sibling" else experiment.recipe
        monkeypatch.setitem(EXPERIMENTS, name, replace(experiment, recipe=own, changes=smaller))


def run_all(cells: list[Cell], folders: list[str], out: Path) -> dict[Cell, dict]:
    """Run cells, and what they need, in this process; gives what came out of each of them."""
    work = work_of(cells, read_worlds(folders), out)
    results = {item: run_task(task) for item, task in zip(work.items, work.tasks, strict=True)}
    return {cell: results[cell] for cell in cells}
