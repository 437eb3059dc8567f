"""A neural training from start to model: the rungs of its ladder one after the other, in a directory or in memory.

    config.toml              every setting
    metrics.jsonl            a line per epoch
    checkpoint.safetensors   where the training is, replaced whole after every epoch
    model/                   the trained model, when it is finished or was interrupted

Each rung is a model trained from the trees of the rung before. The first one may have several members, that differ
only in their seed; the next rung then starts from the trees on which they agree. The last rung is the model.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from depinduce.corpus import Corpus
from depinduce.errors import DepinduceError
from depinduce.files import atomic_file
from depinduce.grammar.inside_out import as_outside_in
from depinduce.grammar.knowledge import load_knowledge
from depinduce.grammar.rules import Order, RuleTable
from depinduce.learning.checkpoints import read_checkpoint, restore_training, training_state, write_checkpoint
from depinduce.learning.learners import Learner, TagLearner, make_learners, word_vectors
from depinduce.learning.minibatches import Minibatches
from depinduce.learning.network_training import Epoch, NetworkTraining, Start
from depinduce.learning.settings.configuration import Configuration, as_saved, changes
from depinduce.learning.settings.learning import NETWORK_MODELS
from depinduce.learning.settings.networks import NeuralSettings
from depinduce.learning.starts import harmonic_table, start_trees
from depinduce.models.joint_model import JointModel
from depinduce.models.model_files import CHECKPOINT, CONFIGURATION, METRICS
from depinduce.models.model_files import INNER as MODEL
from depinduce.models.tag_model import GrammarModel
from depinduce.models.word_model import LexicalModel
from depinduce.parsing.consensus import agreed_trees
from depinduce.settings import read_toml, write_toml

if TYPE_CHECKING:
    from depinduce.models.loading import Model

    Watch = Callable[[Model], dict[str, float]]
FOR_JOINT_ONLY = {"agreement": True, "word_init": (), "method": "dmo"}  # what concerns only the joint model itself
FREE_ON_RESUME = {"epochs", "patience", "threads"}  # these may change on the way


@dataclass(frozen=True)
class Rung:
    """One training of the ladder."""

    number: int
    model: str
    member: int
    members: int
    settings: NeuralSettings
    seed: int

    def __str__(self) -> str:
        return self.model if self.members == 1 else f"{self.model} {self.member + 1}/{self.members}"


@dataclass(frozen=True)
class Progress:
    """An epoch of a rung, as it is reported."""

    rung: Rung
    epoch: Epoch
    done: int  # epochs of the whole run
    total: int
    watched: dict[str, float] | None = None  # attachment scores, if the user asked for them


def rungs(settings: NeuralSettings) -> list[Rung]:
    """The trainings that a run consists of, in their order."""
    models = [*settings.ladder, settings.model]
    top = len(settings.ladder)
    anchored = max(top - settings.sees_words, min(top, 1))  # under words the last one over tags, too; no first rung
    ladder = []
    for number, model in enumerate(models):
        members = settings.members if settings.ladder and number == 0 else 1
        own = replace(
            settings,
            model=model,
            init=settings.init if number == 0 else ("model", models[number - 1]),
            ladder=(),
            members=1,
            grow_from=settings.grow_from if number == 0 else 0,
            anchor=settings.anchor if number >= anchored else 0.0,
            generation=settings.generation if NETWORK_MODELS[model] is Order.SIBLING else "outside-in",
            **(FOR_JOINT_ONLY if settings.is_joint and model != settings.model else {}),
        )
        for member in range(members):
            seed = int(np.random.SeedSequence([settings.seed, number, member]).generate_state(1)[0])
            ladder.append(Rung(number, model, member, members, own, seed))
    return ladder


class Run:
    """A training with everything it needs to go on after it was stopped."""

    def __init__(
        self,
        configuration: Configuration,
        train: Corpus,
        dev: Corpus | None = None,
        directory: str | Path | None = None,
        watch: Watch | None = None,
    ):
        self.configuration, self.train, self.dev = configuration, train, dev
        self.settings: NeuralSettings = configuration.learning
        self.directory = Path(directory) if directory is not None else None
        self.watch, self.watched = watch, watch is not None
        self.training_data = train.identity()
        self.fingerprints = self.training_data["sha256"], None if dev is None else dev.fingerprint()
        self.rungs = rungs(self.settings)
        self.rung = 0
        self.heads: np.ndarray | None = None  # of the start, unless it is a first-order grammar
        self.word_heads: np.ndarray | None = None  # of the start of the part over words, if it has one of its own
        self.vectors: np.ndarray | None = None  # that words start with, if they are not random
        self.members: list[RuleTable] = []  # the finished members of this rung
        self.history: list[dict[str, Any]] = []  # a line per epoch, without the time it took
        self.training: NetworkTraining | None = None
        torch.set_num_threads(self.settings.threads)

    # ---------------------------------------------------------------- going on

    def go(self, report: Callable[[Progress], None] = lambda progress: None) -> tuple[Model, bool]:
        """Train to the end. The model, and whether it is finished (or Ctrl-C ended it early)."""
        if self.rung < len(self.rungs) - 1 or self.training is None:  # faults of what is needed later show now
            self._prepare_words()
        if self.rung == 0 and self.training is None:
            self._prepare_start()
        if self.directory is not None and not (self.directory / CONFIGURATION).exists():
            self._open_directory()
        finished = True
        try:
            while not self.finished:
                self.climb(report)
        except KeyboardInterrupt:
            if self.training is None and not self.members:
                raise  # there is nothing yet to keep
            finished = False
        model = self.model()
        if self.directory is not None:
            model.save(self.directory / MODEL)
        return model, finished

    @property
    def finished(self) -> bool:
        """The last rung is trained to its end."""
        return self.rung == len(self.rungs) - 1 and self.training is not None and self.training.finished

    def climb(self, report: Callable[[Progress], None] = lambda progress: None) -> None:
        """Train the present rung, then stand on the next if there is one."""
        rung = self.rungs[self.rung]
        if self.training is None:
            training = self._new_training(rung)
            training.begin()
            self.training = training
            if rung.member == 0:
                self.members = []  # those of the rung before: their trees are the start of this one
            self._save()
        while not self.training.finished:
            epoch = self.training.run_epoch()
            self._remember(rung, epoch, report)
            self._save()
        if self.finished:
            return
        self.members.append(self.training.table())
        self.training = None
        self.rung += 1
        if self.rungs[self.rung].number > rung.number:
            self.heads = self._agreed_trees(rung)
        self._save()

    def stand_on_second_rung(self, heads: np.ndarray, history: list[dict[str, Any]]) -> None:
        """Begin after the first rung, that another run with the same first rung has trained."""
        self.rung = sum(rung.number == 0 for rung in self.rungs)
        self.heads, self.history = heads, history

    def _prepare_words(self) -> None:
        """What the part over words starts with."""
        self.vectors = word_vectors(self.configuration, self.train)
        if self.settings.word_init and self.word_heads is None:
            self.word_heads = self.start_trees(self.settings.word_init)

    def _prepare_start(self) -> None:
        """The trees of a start that has them already, and the rules."""
        settings = self.settings
        if settings.init[0] in ("trees", "model") and self.heads is None:
            self.heads = self.start_trees(settings.init)
        for name in (*settings.init[1:], settings.rules) if settings.init[0] == "hdp-dep" else (settings.rules,):
            if name is not None:
                load_knowledge(name).matches(self.train.tag_vocabulary)

    def _new_training(self, rung: Rung) -> NetworkTraining:
        start = self._start(rung)
        learners = make_learners(rung.settings, self.configuration, self.train, rung.seed, self.vectors)
        starts = None if start is None else [start] * len(learners)
        if rung.settings.word_init:
            starts[-1] = Start(heads=self.word_heads)
        return NetworkTraining(rung.settings, learners, self.train, self.dev, rung.seed, starts)

    def _start(self, rung: Rung) -> Start | None:
        """What a rung learns first."""
        settings = self.settings
        if rung.number > 0:
            return Start(heads=self.heads)
        if settings.init[0] == "random":
            return None
        if settings.init[0] == "harmonic" and settings.start_trees == "all" and not rung.settings.sees_words:
            return Start(first_order=harmonic_table(self.train))
        if self.heads is None:
            self.heads = self.start_trees(settings.init)
        return Start(heads=self.heads)

    def start_trees(self, init: tuple[str, ...]) -> np.ndarray:
        """The trees that a start gives to the training sentences."""
        non_heads, reading = self.settings.non_heads_in("start"), self.configuration.reading
        seed, threads = self.settings.seed, self.settings.threads
        return start_trees(init, self.train, reading, non_heads, seed=seed, threads=threads)

    def _agreed_trees(self, rung: Rung) -> np.ndarray:
        order, non_heads = rung.settings.order, self.settings.non_heads_in("start")
        data = Minibatches(order, self.train, non_heads).all()
        inside_out = rung.settings.generation == "inside-out"
        tables = [as_outside_in(table) if inside_out else table for table in self.members]
        return agreed_trees(tables, data.batch, data.factors, threads=self.settings.threads)

    def _remember(self, rung: Rung, epoch: Epoch, report: Callable[[Progress], None]) -> None:
        watched = None
        if self.watch is not None:
            watched = self.watch(self._model_of([self._part(learner) for learner in self.training.learners]))
        line = {"rung": rung.number, "model": rung.model, "member": rung.member, **asdict(epoch)}
        if watched is not None:
            line["watched"] = watched
        if self.directory is not None:
            with open(self.directory / METRICS, "a", encoding="utf-8") as metrics:
                metrics.write(json.dumps(line) + "\n")
        times = ("seconds", "sentences_per_second")
        self.history.append({name: value for name, value in line.items() if name not in times})
        done = len(self.history)
        report(Progress(rung, epoch, done, done + self._epochs_left(), watched))

    def _epochs_left(self) -> int:
        left = self.training.total_epochs - self.training.epoch
        for rung in self.rungs[self.rung + 1 :]:
            growing = len(self.training.lengths) if rung.number == 0 else 0
            left += self.settings.epochs + growing
        return left

    # ---------------------------------------------------------------- the model

    def model(self) -> Model:
        """The model of the last rung that has begun."""
        if self.training is not None:
            return self._model_of(self.training.at_best(self._part))
        return self._grammar(self.rungs[self.rung - 1], self.members[-1])

    def _model_of(self, parts: list[GrammarModel | LexicalModel]) -> Model:
        if len(parts) == 1:
            return parts[0]
        second, first = parts
        return JointModel(first, second, self._about(self.rungs[self.rung])["history"])

    def _part(self, learner: Learner) -> GrammarModel | LexicalModel:
        """The model of one learner with its present weights."""
        rung = self.rungs[self.rung]
        if isinstance(learner, TagLearner):
            return self._grammar(rung, learner.network.table())
        network = copy.deepcopy(learner.network)
        settings = self.configuration.lexical.network(self.configuration.network)
        return LexicalModel(network, settings, **self._about(rung))

    def _grammar(self, rung: Rung, table: RuleTable) -> GrammarModel:
        inside_out = rung.settings.generation == "inside-out"
        tags = self.train.tag_vocabulary
        return GrammarModel(rung.settings.order, tags, table, inside_out=inside_out, **self._about(rung))

    def _about(self, rung: Rung) -> dict[str, Any]:
        """What every model remembers."""
        return {
            "non_heads": self.settings.non_heads_in("parsing"),
            "reading": self.configuration.reading,
            "history": {
                "settings": as_saved(self.configuration.values()),
                "training_data": self.training_data,
                "model": rung.model,
                "watched": self.watched,
                "epochs": self.history,
            }
            | self._about_rules(),
        }

    def _about_rules(self) -> dict[str, Any]:
        """What a model remembers of the linguistic knowledge it was given."""
        if self.settings.rules is None or self.training is None:
            return {}
        return {"rules": [constraint.as_history(self.settings.rules) for constraint in self.training.constraints]}

    # ---------------------------------------------------------------- on disk

    def _open_directory(self) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        with atomic_file(self.directory / CONFIGURATION) as temporary:
            write_toml(temporary, self.configuration.values())

    def _save(self) -> None:
        """Write down everything that `resume` needs."""
        if self.directory is None:
            return
        tensors, state = training_state(self.training) if self.training is not None else ({}, None)
        trees = {"heads": self.heads, "word_heads": self.word_heads}
        arrays = {name: heads for name, heads in trees.items() if heads is not None}
        for number, table in enumerate(self.members):
            parts = {"root": table.root, "child": table.child, "decision": table.decision}
            arrays |= {f"{number}.{name}": part for name, part in parts.items()}
        state = {
            "rung": self.rung,
            "members": len(self.members),
            "history": self.history,
            "training": state,
            "watched": self.watched,
            "data": self.fingerprints,
        }
        write_checkpoint(self.directory / CHECKPOINT, tensors, arrays, state)

    def resume(self) -> None:
        """Go back to where the run in the directory was."""
        self._require_same_configuration()
        path = self.directory / CHECKPOINT
        if not path.exists():
            return  # killed before the first epoch
        tensors, arrays, state = read_checkpoint(path)
        self._require_same_data(state)
        self.rung, self.history = state["rung"], state["history"]
        self.watched |= state["watched"]
        self.heads, self.word_heads = arrays.get("heads"), arrays.get("word_heads")
        names = ("root", "child", "decision")
        self.members = [RuleTable(*(arrays[f"{k}.{name}"] for name in names)) for k in range(state["members"])]
        if state["training"] is not None:
            self.training = self._new_training(self.rungs[self.rung])
            restore_training(self.training, tensors, state["training"])
        self._cut_metrics()

    def _require_same_configuration(self) -> None:
        before, now = read_toml(self.directory / CONFIGURATION), as_saved(self.configuration.values())
        changed = [name for name in now if name not in FREE_ON_RESUME and now[name] != before.get(name)]
        if changed:
            was = changes(changed, before, now)
            raise DepinduceError(f"--resume: the settings differ from those of the run: {was}. Use the same.")
        self._open_directory()  # the settings that may change
        for stale in self.directory.glob(f".{CHECKPOINT}.*"):
            stale.unlink()  # half-written when the run was killed

    def _require_same_data(self, state: dict) -> None:
        for name, before, now in zip(("training", "held-out"), state["data"], self.fingerprints, strict=True):
            if before != now:
                raise DepinduceError(
                    f"--resume: the {name} sentences differ from those of the run. Use the same files."
                )

    def _cut_metrics(self) -> None:
        """Lines of epochs after the checkpoint, if it was killed between the two, are done again."""
        path = self.directory / METRICS
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
        with atomic_file(path) as temporary:
            temporary.write_text("".join(lines[: len(self.history)]), encoding="utf-8")
