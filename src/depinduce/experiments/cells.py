"""Running one cell of an experiment: train without any tree, then score the trees of one file."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

import depinduce
from depinduce.chart.states import state_expectations, tiny_problem
from depinduce.corpus import Corpus, Reading, Vocabulary, build_corpus, load_corpus
from depinduce.errors import DepinduceError
from depinduce.evaluation.scores import score
from depinduce.experiments.compared import StartExperiment
from depinduce.experiments.experiment import CELL_FORMAT, CELL_FORMAT_VERSION, Cell, name_of_trees
from depinduce.experiments.kept_cells import keep
from depinduce.experiments.pace import guess_of
from depinduce.experiments.suites import EXPERIMENTS
from depinduce.files import append_line, atomic_file
from depinduce.grammar.rules import RuleTable
from depinduce.learning.lesson import Lesson
from depinduce.learning.run import Run
from depinduce.learning.settings.configuration import configure
from depinduce.learning.settings.learning import LearningSettings
from depinduce.learning.settings.recipes import load_recipe
from depinduce.learning.starts import trees_of_file
from depinduce.learning.training import Diverged
from depinduce.models.model import Model
from depinduce.models.table import entry
from depinduce.models.tag_model import GrammarModel
from depinduce.parsing.decoding import DECODERS, Parsing, parse_corpus

TRAINING_CODE = (  # all that results depend on
    "corpus", "grammar", "chart", "evaluation", "networks", "models", "parsing", "learning",
)  # fmt: skip
SHARED = "shared"  # where cells keep what others need, too; can be deleted at any time
LOOKS = "looks-at-test.jsonl"  # a line for every run that scores test trees
LIKELIHOOD_LENGTH = 15  # log-likelihoods are those of sentences of up to so many words


@dataclass(frozen=True)
class Task:
    """A cell with what a process of its own needs to know to run it, whatever the suite."""

    cell: Cell
    recipe: str | None
    settings: dict[str, Any]
    lengths: tuple[str, str]
    out: Path
    code: str

    def __str__(self) -> str:
        return str(self.cell)

    def about(self) -> dict[str, Any]:
        """What the result says of itself."""
        return {
            "format": CELL_FORMAT,
            "format_version": CELL_FORMAT_VERSION,
            "depinduce": depinduce.__version__,
            "code": self.code,
            "experiment": self.cell.experiment,
            "recipe": self.recipe,
            "settings": self.settings,
            "language": self.cell.language,
            "seed": self.cell.seed,
            "split": self.cell.split,
        }

    def run(self) -> dict[str, Any]:
        """Train, score, and give the result."""
        raise NotImplementedError


@dataclass(frozen=True)
class CellTask(Task):
    """A cell that is one training, from files that are its own."""

    watched: bool
    data: Path
    start: str | None = None  # a file of trees to start from, in the place of HDP-DEP
    before: str | None = None  # a recipe that finds the trees to start from

    def run(self) -> dict[str, Any]:
        return _trained_and_scored(self)


def tasks_of(cells: list[Cell], data: Path, out: Path, start: str | None = None) -> list[CellTask]:
    tasks, code = [], code_fingerprint()
    for cell in cells:
        experiment = EXPERIMENTS[cell.experiment]
        settings = experiment.configuration(cell.seed).values()
        how = experiment.recipe, settings, experiment.lengths, out, code, experiment.watched, data
        before = experiment.before if isinstance(experiment, StartExperiment) else None
        tasks.append(CellTask(cell, *how, start if experiment.starts_from_hdp else None, before))
    return tasks


@dataclass(frozen=True)
class Work:
    """All that is to be done for some cells, with what they need before."""

    items: list[Any]  # cells, and whatever else takes its time
    tasks: list[Any]  # one for each of them
    run: Callable[[Any, Callable[[Any], None]], dict[str, Any]]  # a task, in a process of its own
    guess: Callable[[Any], float]  # seconds for an item
    needs: list[list[int]] = field(default_factory=list)  # the numbers of the items that each of them needs

    @property
    def cells(self) -> int:
        return sum(isinstance(item, Cell) for item in self.items)

    def beside(self, other: Work) -> Work:
        """This work and other cells, run in the same way from other files."""
        guesses = {item: work.guess for work in (self, other) for item in work.items}
        return Work(
            self.items + other.items, self.tasks + other.tasks, self.run, lambda item: guesses[item](item)
        )  # fmt: skip


def work_of(cells: list[Cell], data: Path, out: Path, start: str | None = None) -> Work:
    return Work(cells, tasks_of(cells, data, out, start), run_cell, guess_of(data))


def code_fingerprint() -> str:
    """A name for the present state of the code that trains and scores, to tell results of different states apart."""
    package, digest = Path(depinduce.__file__).parent, hashlib.sha256()
    files = (path for room in TRAINING_CODE for path in package.glob(f"{room}/**/*"))
    for source in sorted(path for path in files if path.suffix in (".py", ".toml")):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def run_cell(task: Task, send: Callable[[Any], None] = lambda message: None) -> dict[str, Any]:
    """Run a cell and write down its result. A training that goes astray gives {"failed": why} and writes nothing."""
    began = time.perf_counter()
    try:
        result = task.run()
    except Diverged as error:
        return {"failed": str(error), "seconds": time.perf_counter() - began}
    result["seconds"] = round(time.perf_counter() - began, 2)
    keep(task.cell, result, task.out)
    return result


def _trained_and_scored(task: CellTask) -> dict[str, Any]:
    cell, configuration = task.cell, configure(task.settings)
    files = {name: str(task.data / cell.language / f"{name}.conllu") for name in ("train", "dev", cell.split)}
    watched = files["dev"] if task.watched else None
    lesson = Lesson.of(
        configuration, [files["train"]], [files["dev"]], watched, quiet=True, watched_lengths=task.lengths[:1]
    )
    train, dev = lesson.train, lesson.dev
    if configuration.learning.batch_size is None:  # trained to the end, so that nothing need be held out
        lesson = replace(lesson, dev=None)
    model, history = _trained(task, lesson.run())
    settings, gold = configuration.learning, gold_of(files[cell.split], configuration.reading, train.tag_vocabulary)
    return task.about() | {
        "training_data": train.identity(),
        "start": None if task.start is None else name_of_trees(task.start),
        "scores": scores(model, gold, task.lengths),
        "parts": {name: scores(part, gold, task.lengths) for name, part in model.parts.items()},
        "log_likelihood": {
            name: _mean_log_likelihood(model, settings, part)
            for name, part in (("train", train), ("dev", dev))
            if part is not None
        },
        "epochs": len(history),
        "history": history,
    }


def _trained(task: CellTask, run: Run) -> tuple[Model, list[dict[str, Any]]]:
    if task.before is not None:
        run.heads = _trees_by(task.before, run)
    elif run.settings.init[0] == "hdp-dep":
        run.heads = _start_trees(run, task)
    if run.settings.ladder:
        _share_first_rung(run, task)
    if run.configuration.lexical is not None and run.configuration.lexical.learns_vectors:
        run.vectors = _learned_vectors(run, task)
    return trained(run), run.history


def trained(run: Run) -> Model:
    """The model of a training that nobody interrupted."""
    model, finished = run.go()
    if not finished:
        raise KeyboardInterrupt
    return model


def _start_trees(run: Run, task: CellTask) -> np.ndarray:
    """The parses of HDP-DEP, unless there is a file of other trees. All experiments of a seed share them."""
    if task.start is not None:
        return trees_of_file(task.start, run.train, run.configuration.reading)
    settings = run.settings
    description = {"init": settings.init, "non_heads": settings.non_heads_in("start"), "seed": settings.seed}
    return _shared(run, task, description, lambda: {"heads": run.start_trees(settings.init)})["heads"]


def _trees_by(recipe: str, run: Run) -> np.ndarray:
    """The trees that another recipe finds in the same sentences, from the same seed."""
    configuration = configure(load_recipe(recipe) | {"seed": run.settings.seed})
    return parse_corpus(trained(Run(configuration, run.train)), run.train, Parsing())


def _learned_vectors(run: Run, task: CellTask) -> np.ndarray:
    """Word vectors that are learned from the text, which takes minutes. All experiments of a seed share them."""
    text = hashlib.sha256(json.dumps(run.text).encode()).hexdigest()
    description = {"lexical": vars(run.configuration.lexical), "seed": run.settings.seed, "text": text}
    return _shared(run, task, description, lambda: {"vectors": run.word_vectors()})["vectors"]


def _share_first_rung(run: Run, task: CellTask) -> None:
    """Train the first rung of a ladder, unless a cell whose ladder begins in the same way has done so.

    Recipes of different models share it: the same settings, seed, sentences and start give the same trees.
    """
    first = [rung for rung in run.rungs if rung.number == 0]
    description = {
        "rungs": [vars(rung) | {"settings": vars(rung.settings)} for rung in first],
        "network": run.configuration.network and vars(run.configuration.network),
        "heads": None if run.heads is None else hashlib.sha256(run.heads.tobytes()).hexdigest(),
        "watched": task.watched,
    }

    def climb() -> dict[str, Any]:
        for _ in first:
            run.climb()
        return {"heads": run.heads, "history": json.dumps(run.history)}

    shared = _shared(run, task, description, climb)
    if run.rung == 0:
        run.stand_on_second_rung(shared["heads"], json.loads(str(shared["history"])))


def _shared(run: Run, task: CellTask, description: dict, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Arrays that an earlier cell made in the same way from the same files, or that are made now and kept."""
    dev = None if run.dev is None else run.dev.fingerprint()
    about = description | {"data": [run.train.fingerprint(), dev], "code": task.code}
    name = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:16]
    path = task.out / SHARED / f"{name}.npz"
    if path.exists():
        with np.load(path) as arrays:
            return dict(arrays)
    made = make()
    with atomic_file(path) as file:
        np.savez(file, **made)
    return made


def gold_of(path: str | Path, reading: Reading, tags: Vocabulary) -> Corpus:
    """The gold trees of a file, of any length."""
    whole = replace(reading, min_length=None, max_length=None)
    gold = load_corpus(path, whole, tag_vocabulary=tags, with_heads=True)
    if not (gold.gold >= 0).any():
        raise DepinduceError(f"{path}: it has no trees to score. Name a data directory with gold trees.")
    return gold


def scores(model: Model, gold: Corpus, lengths: tuple[str, str]) -> dict[str, dict[str, float | None]]:
    """The attachment score of each decoder, by sentence length."""
    found = {}
    for decoder in DECODERS:
        heads = parse_corpus(model, gold, Parsing(decoder))
        by_length = score(gold.gold, heads, gold.offsets).by_length
        found[decoder] = {length: by_length[length].to_json()["uas"] for length in lengths}
    return found


def _mean_log_likelihood(model: Model, settings: LearningSettings, corpus: Corpus) -> float | None:
    """The mean of sentences of up to 15 words, under the constraint of the training; HDP-DEP has only a bound of it."""
    if not model.scores_trees:
        return None
    short = corpus.select(corpus.lengths <= LIKELIHOOD_LENGTH)
    problem = model.with_non_heads(settings.non_heads_in("training")).problem(short)
    return float(problem.log_partition(threads=settings.threads).mean())


def log_look_at_test(cells: Iterable[Cell], out: Path) -> None:
    """Write down that test trees are about to be looked at: when, by which state of the code, and for which cells."""
    if at_test := [str(cell) for cell in cells if cell.split == "test"]:
        look = {
            "date": date.today().isoformat(),
            "depinduce": depinduce.__version__,
            "code": code_fingerprint(),
            "cells": at_test,
        }
        append_line(out / LOOKS, json.dumps(look))


def warm_up(experiments: Iterable[str]) -> None:
    """Compile the charts that these experiments need, so that their processes find them compiled."""
    tags = Vocabulary.from_counts({"NOUN": 2, "DET": 1})
    ids = tags.ids(["NOUN", "DET", "NOUN"])
    corpus = replace(build_corpus([]), offsets=np.array([0, 1, 3]), tags=ids, words=ids, tag_vocabulary=tags)
    settings = [EXPERIMENTS[name].configuration().learning for name in experiments]
    names = {name for learning in settings for name in (*learning.ladder, learning.model)}
    if any("hdp-dep" in (learning.model, learning.init[0]) for learning in settings):
        state_expectations(*tiny_problem())
    for order in {entry(name).order for name in names - {"hdp-dep"}}:
        rows = 2 * len(tags) * order.slots(len(tags))
        table = RuleTable(np.zeros(len(tags)), np.zeros((rows, len(tags))), np.zeros((rows, 2)))
        for non_heads in ((), ("DET",)):
            model = GrammarModel(order, tags, table, non_heads)
            model.problem(corpus).expect()
            model.problem(corpus).log_partition()
            for decoder in DECODERS:
                parse_corpus(model, corpus, Parsing(decoder))
