"""Running one cell of an experiment: train without any tree, then score the trees of one file."""

from __future__ import annotations

import hashlib
import json
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import depinduce
from depinduce.chart.engine import expectations, log_partition
from depinduce.corpus import Corpus, Reading, Vocabulary, build_corpus, load_corpus
from depinduce.errors import DepinduceError
from depinduce.evaluation.scores import score
from depinduce.experiments.ud import CELL_FORMAT, CELL_FORMAT_VERSION, DECODERS, EXPERIMENTS, LENGTHS, Cell
from depinduce.files import atomic_file
from depinduce.grammar.rules import RuleTable
from depinduce.learning.configuration import configure
from depinduce.learning.held_out import held_out, training_corpus
from depinduce.learning.learning_settings import NETWORK_MODELS
from depinduce.learning.network_training import Diverged
from depinduce.learning.neural_settings import NeuralSettings
from depinduce.learning.runs import Run
from depinduce.learning.watching import watcher
from depinduce.models.grammar_model import GrammarModel
from depinduce.models.loading import member
from depinduce.models.model_files import FIRST, SECOND
from depinduce.models.parsing import Parsing, parse_corpus

if TYPE_CHECKING:
    from depinduce.models.loading import Model

TRAINING_CODE = ("corpus", "grammar", "chart", "evaluation", "models", "learning")  # all that results depend on
SHARED = "shared"  # where the cells of one call keep what several of them need; can be deleted at any time
LIKELIHOOD_LENGTH = 15  # log-likelihoods are those of sentences of up to so many words


@dataclass(frozen=True)
class CellTask:
    """Everything that a process of its own needs to know to run a cell."""

    cell: Cell
    recipe: str
    settings: dict[str, Any]
    watched: bool
    data: Path
    out: Path
    code: str


def tasks_of(cells: list[Cell], data: Path, out: Path) -> list[CellTask]:
    tasks, code = [], code_fingerprint()
    for cell in cells:
        experiment = EXPERIMENTS[cell.experiment]
        settings = experiment.configuration(cell.seed).values()
        tasks.append(CellTask(cell, experiment.recipe, settings, experiment.watched, data, out, code))
    return tasks


def code_fingerprint() -> str:
    """A name for the present state of the code that trains and scores, to tell results of different states apart."""
    package, digest = Path(depinduce.__file__).parent, hashlib.sha256()
    for source in sorted(path for room in TRAINING_CODE for path in package.glob(f"{room}/**/*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def run_cell(task: CellTask, send: Callable[[Any], None] = lambda message: None) -> dict[str, Any]:
    """Run a cell and write down its result. A training that goes astray gives {"failed": why} and writes nothing."""
    began = time.perf_counter()
    try:
        result = _trained_and_scored(task)
    except Diverged as error:
        return {"failed": str(error), "seconds": time.perf_counter() - began}
    result["seconds"] = round(time.perf_counter() - began, 2)
    with atomic_file(task.cell.path(task.out)) as temporary:
        temporary.write_text(json.dumps(result) + "\n", encoding="utf-8")
    return result


def _trained_and_scored(task: CellTask) -> dict[str, Any]:
    cell, configuration = task.cell, configure(task.settings)
    files = {name: str(task.data / cell.language / f"{name}.conllu") for name in ("train", "dev", cell.split)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # held-out sentences with unseen tags are left out, as everywhere
        train = training_corpus([files["train"]], configuration.reading)
        dev = held_out([files["dev"]], configuration.reading, train)
    watch = watcher(files["dev"], train.tag_vocabulary, configuration.reading) if task.watched else None
    run = Run(configuration, train, dev, watch=watch)
    if configuration.learning.ladder:
        _share_first_rung(run, task.out / SHARED, task.code)
    model, finished = run.go()
    if not finished:
        raise KeyboardInterrupt
    settings, gold = configuration.learning, _gold(files[cell.split], configuration.reading, train.tag_vocabulary)
    return {
        "format": CELL_FORMAT,
        "format_version": CELL_FORMAT_VERSION,
        "depinduce": depinduce.__version__,
        "code": task.code,
        "experiment": cell.experiment,
        "recipe": task.recipe,
        "settings": task.settings,
        "language": cell.language,
        "seed": cell.seed,
        "split": cell.split,
        "training_data": train.identity(),
        "scores": _scores(model, gold),
        "members": {name: _scores(member(model, name), gold) for name in (FIRST, SECOND) if settings.is_joint},
        "log_likelihood": {
            name: _mean_log_likelihood(model, settings, part) for name, part in (("train", train), ("dev", dev))
        },
        "epochs": len(run.history),
        "history": run.history,
    }


def _share_first_rung(run: Run, folder: Path, code: str) -> None:
    """Train the first rung of a ladder, unless a cell whose ladder begins in the same way has done so.

    Recipes of different models share it: the same settings, seed and sentences give the same trees.
    """
    first = [rung for rung in run.rungs if rung.number == 0]
    description = {
        "rungs": [vars(rung) | {"settings": vars(rung.settings)} for rung in first],
        "network": vars(run.configuration.network),
        "data": [run.train.fingerprint(), run.dev.fingerprint()],
        "code": code,
    }
    name = hashlib.sha256(json.dumps(description, sort_keys=True).encode()).hexdigest()[:16]
    path = folder / f"{name}.npz"
    if path.exists():
        with np.load(path) as shared:
            run.stand_on_second_rung(shared["heads"], json.loads(str(shared["history"])))
        return
    for _ in first:
        run.climb()
    with atomic_file(path) as temporary, open(temporary, "wb") as file:
        np.savez(file, heads=run.heads, history=json.dumps(run.history))


def _gold(path: str, reading: Reading, tags: Vocabulary) -> Corpus:
    """The gold trees of a file, of any length."""
    whole = replace(reading, min_length=None, max_length=None)
    gold = load_corpus(path, whole, tag_vocabulary=tags, with_heads=True)
    if not (gold.heads >= 0).any():
        raise DepinduceError(f"{path}: it has no trees to score. Name a data directory with gold trees.")
    return gold


def _scores(model: Model, gold: Corpus) -> dict[str, dict[str, float | None]]:
    """The attachment score of each decoder, by sentence length."""
    scores = {}
    for decoder in DECODERS:
        heads = parse_corpus(model, gold, Parsing(decoder))
        by_length = score(gold.heads, heads, gold.offsets).by_length
        scores[decoder] = {length: by_length[length].to_json()["uas"] for length in LENGTHS}
    return scores


def _mean_log_likelihood(model: Model, settings: NeuralSettings, corpus: Corpus) -> float:
    """Of a sentence of up to 15 words, under the constraint of the training."""
    short = corpus.select(corpus.lengths <= LIKELIHOOD_LENGTH)
    table, batch, factors = model.with_non_heads(settings.non_heads_in("training")).problem(short)
    return float(log_partition(table, batch, factors, threads=settings.threads).mean())


def warm_up(cells: list[Cell]) -> None:
    """Compile the charts that these cells need, so that their processes find them compiled."""
    tags = Vocabulary.from_counts({"NOUN": 2, "DET": 1})
    ids = tags.ids(["NOUN", "DET", "NOUN"])
    corpus = replace(build_corpus([]), offsets=np.array([0, 1, 3]), tags=ids, words=ids, tag_vocabulary=tags)
    settings = [EXPERIMENTS[name].configuration().learning for name in dict.fromkeys(cell.experiment for cell in cells)]
    for order in {NETWORK_MODELS[model] for learning in settings for model in (*learning.ladder, learning.model)}:
        rows = 2 * len(tags) * order.slots(len(tags))
        table = RuleTable(np.zeros(len(tags)), np.zeros((rows, len(tags))), np.zeros((rows, 2)))
        for non_heads in ((), ("DET",)):
            model = GrammarModel(order, tags, table, non_heads)
            expectations(*model.problem(corpus))
            log_partition(*model.problem(corpus))
            for decoder in DECODERS:
                parse_corpus(model, corpus, Parsing(decoder))
