"""A training from start to model: the rungs of its ladder one after the other, in a directory or in memory.

    config.toml              every setting
    metrics.jsonl            a line per round
    checkpoint.safetensors   where the training is, replaced whole after every round
    model/                   the trained model, when it is finished or was interrupted

Each rung is a model trained from the trees of the rung before. The first one may have several members, that differ
only in their seed; the next rung then starts from the trees on which they agree. The last rung is the model. Where
languages learn together, each climbs a ladder of its own before, and its trees are what the last rung starts from.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from depinduce.corpus import Corpus
from depinduce.errors import DepinduceError
from depinduce.files import append_line, parse_json, write_file
from depinduce.grammar.inside_out import as_outside_in
from depinduce.grammar.knowledge import load_knowledge
from depinduce.grammar.rules import RuleTable
from depinduce.learning.checkpoints import damage_told, read_checkpoint, write_checkpoint
from depinduce.learning.ladder import Rung, language_of, own_configuration, rungs, rungs_of_languages, text_of
from depinduce.learning.learners.learner import Arrays, Start, under, with_prefix
from depinduce.learning.minibatches import Minibatches
from depinduce.learning.settings.configuration import Configuration, as_saved, changes
from depinduce.learning.starts import start_trees
from depinduce.learning.training import Round, Training, growing_lengths
from depinduce.models.model import Model
from depinduce.models.places import CHECKPOINT, CONFIGURATION, METRICS
from depinduce.models.places import INNER as MODEL
from depinduce.models.table import find
from depinduce.parsing.consensus import agreed_trees
from depinduce.settings import read_toml, to_toml

Watch = Callable[[Model], dict[str, float]]
TREES = ("heads", "word_heads", "own_heads")  # that a run remembers
FREE_ON_RESUME = {"epochs", "iterations", "patience", "threads"}  # these may change on the way


@dataclass(frozen=True)
class Progress:
    """A round of a rung, as it is reported."""

    rung: Rung
    round: Round
    done: int  # rounds of the whole run
    total: int
    watched: dict[str, float] | None = None  # attachment scores, if the user asked for them


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
        self.settings, self.own = configuration.learning, own_configuration(configuration)
        if dev is not None and not self.settings.heeds_held_out:
            raise DepinduceError(
                f"--dev: likelihood does not tell when {self.settings.model} should stop. Leave it away."
            )
        if self.settings.entry.tells_languages:
            language_of(train)  # a fault shows before anything is written
        self.directory = Path(directory) if directory is not None else None
        self.watch, self.watched = watch, watch is not None
        self.training_data = train.identity()
        self.fingerprints = self.training_data["sha256"], None if dev is None else dev.fingerprint()
        by_language = self.own is not configuration
        self.rungs = (
            rungs_of_languages(self.own.learning, train.languages, self.settings)
            if by_language
            else rungs(self.settings)
        )
        self.rung = 0
        self.heads: np.ndarray | None = None  # of the start, unless it is a first-order grammar
        self.word_heads: np.ndarray | None = None  # of the start of the part over words, if it has one of its own
        self.own_heads: np.ndarray | None = np.zeros(len(train.tags), np.int32) if by_language else None  # by languages
        self.vectors: np.ndarray | None = None  # that words start with, if they are not random
        self.members: list[RuleTable] = []  # the finished members of this rung
        self.history: list[dict[str, Any]] = []  # a line per round, without the time it took
        self.training: Training | None = None

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
        model = self.model(finished)
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
            self._remember(rung, self.training.run_round(), report)
            self._save()
        if self.finished:
            return
        (grammar,) = self._parts(best=True)
        self.members.append(grammar.table)
        self.training = None
        self.rung += 1
        if self.rungs[self.rung].language != rung.language:
            self._leave_language(rung)
        elif self.rungs[self.rung].number > rung.number:
            self.heads = self._agreed_trees(rung)
        self._save()

    def _leave_language(self, rung: Rung) -> None:
        """Keep the trees of a language that has its own grammar now."""
        train = self.train
        assert self.own_heads is not None, "it has a ladder for every language"
        of_language = language_of(train) == train.languages.index(str(rung.language))
        self.own_heads[np.repeat(of_language, train.lengths)] = self._agreed_trees(rung)
        self.heads = self.own_heads if self.rungs[self.rung].language is None else None
        self.members = []

    def stand_on_second_rung(self, heads: np.ndarray, history: list[dict[str, Any]]) -> None:
        """Begin after the first rung, that another run with the same first rung has trained."""
        self.rung = sum(rung.number == 0 for rung in self.rungs)
        self.heads, self.history = heads, history

    def _prepare_words(self) -> None:
        """What the part over words starts with."""
        if self.configuration.lexical is not None:
            from depinduce.learning.learners.networks import word_vectors

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

    def _new_training(self, rung: Rung) -> Training:
        start, text = self._start(rung), self._text(rung)
        make = find(rung.settings.entry.learners)
        learners = make(rung.settings, self._configuration(rung), text, rung.seed, self.vectors)
        starts = [start] * len(learners)
        if rung.settings.word_init:
            starts[-1] = Start("word_init", self.word_heads)
        return Training(rung.settings, learners, text, self.dev, rung.seed, starts)

    def _text(self, rung: Rung) -> Corpus:
        """What a rung learns from: everything, or the sentences of its language."""
        return self.train if rung.language is None else text_of(self.train, rung.language)

    def _configuration(self, rung: Rung) -> Configuration:
        return self.configuration if rung.language is None else self.own

    def _start(self, rung: Rung) -> Start:
        """What a rung learns first."""
        if rung.number > 0:
            return Start("model", self.heads)
        init = self._configuration(rung).learning.init
        if rung.settings.needs_trees() and self.heads is None:
            self.heads = self.start_trees(init, rung)
        return Start(init[0], self.heads)

    def start_trees(self, init: tuple[str, ...], rung: Rung | None = None) -> np.ndarray:
        """The trees that a start gives to the training sentences, or to those of a rung."""
        rung = rung or self.rungs[0]
        non_heads, reading = self.settings.non_heads_in("start"), self.configuration.reading
        seed, threads = self.settings.seed, self.settings.threads
        child_valence = rung.settings.tells_valence
        return start_trees(
            init, self._text(rung), reading, non_heads, child_valence=child_valence, seed=seed, threads=threads
        )

    def _agreed_trees(self, rung: Rung) -> np.ndarray:
        order, non_heads = rung.settings.order, self.settings.non_heads_in("start")
        data = Minibatches(order, self._text(rung), non_heads).all()
        tables = [as_outside_in(table) if rung.settings.inside_out else table for table in self.members]
        return agreed_trees(tables, data.batch, data.factors, threads=self.settings.threads)

    def _remember(self, rung: Rung, one: Round, report: Callable[[Progress], None]) -> None:
        whole = rung.language is None
        watched = self.watch(self._model_of(self._parts(best=False))) if self.watch is not None and whole else None
        line = {"rung": rung.number, "model": rung.model, "member": rung.member, **asdict(one)}
        if not whole:
            line["language"] = rung.language
        if watched is not None:
            line["watched"] = watched
        if self.directory is not None:
            append_line(self.directory / METRICS, json.dumps(line), lasting=False)
        self.history.append(_without_times(line))
        done = len(self.history)
        report(Progress(rung, one, done, done + self._rounds_left(), watched))

    @property
    def _now(self) -> Training:
        assert self.training is not None, "between two rungs"
        return self.training

    @property
    def _place(self) -> Path:
        assert self.directory is not None, "in memory"
        return self.directory

    def _rounds_left(self) -> int:
        return self._now.total_rounds - self._now.round + sum(self._most_rounds[self.rung + 1 :])

    @cached_property
    def _most_rounds(self) -> list[int]:
        """How many rounds each rung has at the most."""
        texts = {language: self._text(rung) for language, rung in {rung.language: rung for rung in self.rungs}.items()}
        lengths = {language: text.lengths for language, text in texts.items()}
        return [
            rung.settings.most_rounds + len(growing_lengths(rung.settings, lengths[rung.language]))
            for rung in self.rungs
        ]

    # ---------------------------------------------------------------- the model

    def model(self, finished: bool = True) -> Model:
        """The model of the last rung that has begun."""
        if self.training is not None:
            return self._model_of(self._parts(best=True, finished=finished), finished)
        return self._last_member(finished)

    def _parts(self, best: bool, finished: bool = True) -> list[Any]:
        """The model of each learner, with its best parameters or with those of now."""
        about = self._about(self.rungs[self.rung], finished)
        return [learner.model(about, best) for learner in self._now.learners]

    def _model_of(self, parts: list[Any], finished: bool = True) -> Model:
        if len(parts) == 1:
            return parts[0]
        rung = self.rungs[self.rung]
        return find(rung.settings.entry.model)(*parts, self._about(rung, finished)["history"])

    def _last_member(self, finished: bool) -> Model:
        """The last model that was finished, of a run that was stopped between two."""
        rung = self.rungs[self.rung - 1]
        make = find(rung.settings.entry.learners)
        (learner,) = make(rung.settings, self._configuration(rung), self._text(rung), rung.seed)
        return replace(learner.model(self._about(rung, finished)), table=self.members[-1], network=None)

    def _about(self, rung: Rung, finished: bool = True) -> dict[str, Any]:
        """What every model remembers."""
        return {
            "non_heads": self.settings.non_heads_in("parsing"),
            "reading": self.configuration.reading,
            "history": {
                "settings": as_saved(self.configuration.values()),
                "training_data": self.training_data,
                "model": rung.model,
                "finished": finished,
                "watched": self.watched,
                "round_name": rung.settings.round_name,
                "rounds": [line for line in self.history if line.get("language") == rung.language],
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
        write_file(self._place / CONFIGURATION, to_toml(self.configuration.values()))

    def _save(self) -> None:
        """Write down everything that `resume` needs."""
        if self.directory is None:
            return
        arrays, state = ({}, None) if self.training is None else self.training.state()
        own: Arrays = {name: getattr(self, name) for name in TREES if getattr(self, name) is not None}
        for number, table in enumerate(self.members):
            own |= with_prefix(f"{number}.", table.named)
        state = {
            "rung": self.rung,
            "members": len(self.members),
            "history": self.history,
            "training": state,
            "watched": self.watched,
            "data": self.fingerprints,
            "own": as_saved(self.own.values()),
        }
        write_checkpoint(self.directory / CHECKPOINT, arrays, own, state)

    def resume(self) -> None:
        """Go back to where the run in the directory was."""
        self._require_same_configuration()
        path = self._place / CHECKPOINT
        if not path.exists():
            return  # killed before the first epoch
        arrays, own, state = read_checkpoint(path)
        with damage_told(path):
            self._restore(arrays, own, state)
        self._mend_metrics()

    def _restore(self, arrays: Arrays, own: Arrays, state: dict[str, Any]) -> None:
        self._require_same_data(state)
        self.rung, self.history = state["rung"], state["history"]
        self.watched |= state["watched"]
        self.heads, self.word_heads, self.own_heads = (own.get(name) for name in TREES)
        self.members = [RuleTable(**under(f"{number}.", own)) for number in range(state["members"])]
        if state["training"] is not None:
            self.training = self._new_training(self.rungs[self.rung])
            self.training.restore(arrays, state["training"])

    def _require_same_configuration(self) -> None:
        before, now = read_toml(self._place / CONFIGURATION), as_saved(self.configuration.values())
        changed = [name for name in now if name not in FREE_ON_RESUME and now[name] != before.get(name)]
        if changed:
            was = changes(changed, before, now)
            raise DepinduceError(f"--resume: the settings differ from those of the run: {was}. Use the same.")
        self._open_directory()  # the settings that may change

    def _require_same_data(self, state: dict) -> None:
        for name, before, now in zip(("training", "held-out"), state["data"], self.fingerprints, strict=True):
            if before != now:
                raise DepinduceError(
                    f"--resume: the {name} sentences differ from those of the run. Use the same files."
                )
        now = as_saved(self.own.values())
        changed = [name for name in now if name not in FREE_ON_RESUME and now[name] != state.get("own", now).get(name)]
        if changed and self.own is not self.configuration:
            was = changes(changed, state["own"], now)
            raise DepinduceError(f"--resume: the recipe {self.settings.init[1]} was another: {was}. Use the same.")

    def _mend_metrics(self) -> None:
        """A line for each round of the checkpoint: those after it are done again; lost ones are there without times."""
        path = self._place / METRICS
        lines = path.read_bytes().split(b"\n") if path.exists() else []
        lines += [b""] * len(self.history)
        kept = [
            line.decode() if _tells_of(line, known) else json.dumps(known)
            for line, known in zip(lines, self.history, strict=False)
        ]
        write_file(path, "".join(f"{line}\n" for line in kept))


def _without_times(line: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in line.items() if name not in ("seconds", "sentences_per_second")}


def _tells_of(line: bytes, known: dict[str, Any]) -> bool:
    """Whether a line of the metrics is of this round."""
    try:
        found = parse_json(line)
        return isinstance(found, dict) and found.get("train") == known["train"]
    except ValueError:  # also if it is not UTF-8
        return False
