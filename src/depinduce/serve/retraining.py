"""A grammar that learns anew, from a file and from those of its trees that were checked, while people go on.

It is trained in a process of its own as `depinduce train --trees` would, by the settings of the grammar in use. Then a
third of the checked trees is left out in turn, to tell how a grammar does on trees that it has not learned from. If the
server ends, however it does, so does that process.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from depinduce.corpus import Sentence, read_sentences
from depinduce.corpus.conllu import DEPREL
from depinduce.errors import DepinduceError
from depinduce.files import remove
from depinduce.labels import main_type

if TYPE_CHECKING:
    from depinduce.models.model import Model
    from depinduce.serve.desk import Desk

FOLDS, FEWEST_SCORED = 3, 6  # of the checked trees; with fewer nothing is told
CHECKED = "checked.conllu"
IDLE, TRAINING, SCORING, DONE, FAILED, STOPPED = "idle", "training", "scoring", "done", "failed", "stopped"
FOR_A_UNIVERSAL_GRAMMAR = "adapt"


@dataclass(frozen=True)
class TreeScore:
    """How many words, punctuation not counted, have the head that somebody gave them, and the label, too."""

    words: int = 0
    heads: int = 0
    labels: int = 0

    def __add__(self, other: TreeScore) -> TreeScore:
        return TreeScore(self.words + other.words, self.heads + other.heads, self.labels + other.labels)


@dataclass
class Status:
    """How far it has come."""

    state: str = IDLE
    trees: int = 0
    done: int = 0
    total: int = 0
    fault: str = ""
    grammar: str = ""  # the name of the one that came out
    old_grammar: str = ""
    fold: int = 0  # that is left out just now, from 1
    old_score: TreeScore | None = None
    new_score: TreeScore | None = None  # of grammars that have not seen the trees

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"folds": FOLDS, "fewest_scored": FEWEST_SCORED}


class Retraining:
    """The retraining of a desk: none, or one at a time."""

    def __init__(self, desk: Desk):
        self._desk = desk
        self._status = Status()
        self._process: BaseProcess | None = None
        self._lock = threading.Lock()

    def to_json(self) -> dict[str, Any]:
        return self._status.to_json()

    @property
    def is_running(self) -> bool:
        return self._status.state in (TRAINING, SCORING)

    def begin(self) -> None:
        """Begin with the trees that are checked by now."""
        desk = self._desk
        with self._lock:
            if self.is_running:
                raise DepinduceError("A retraining is on its way. Wait for it, or stop it.")
            if not desk.checked:
                raise DepinduceError("No tree was checked yet. Mark some as checked: they are what is learned from.")
            model = desk.survey.model()
            trees = desk.place / CHECKED
            number = desk.export(trees, checked=True)
            out = desk.place_for_next()
            old = score(model, list(read_sentences(trees))) if number >= FEWEST_SCORED else None
            self._status = Status(TRAINING, number, old_grammar=desk.survey.name, old_score=old)
            ours, theirs = (context := multiprocessing.get_context("spawn")).Pipe(duplex=False)
            task = (settings_of(desk.shelf[desk.survey.name].parser().model), str(desk.file.path), str(trees), str(out))
            self._process = context.Process(target=_work, args=(task, theirs), daemon=True)
            self._process.start()
            theirs.close()
            arguments = (self._process, ours, self._status, out)
            threading.Thread(target=self._listen, args=arguments, name="retraining", daemon=True).start()

    def stop(self) -> None:
        """End it, and keep the grammar that it has given if there is one."""
        with self._lock:
            if self.is_running and self._process is not None:
                self._status.state = DONE if self._status.grammar else STOPPED
                self._process.terminate()

    def _listen(self, process: BaseProcess, messages: Connection, status: Status, out: Path) -> None:
        try:
            while True:
                self._heed(status, out, *messages.recv())
        except EOFError:
            process.join()
        except OSError as error:  # the journal cannot be written
            status.state, status.fault = FAILED, str(error)
        with self._lock:
            if status.state in (TRAINING, SCORING):
                status.state, status.fault = FAILED, "The training ended, perhaps for want of memory. Try again."
            if not status.grammar:
                remove(out, quietly=True)

    def _heed(self, status: Status, out: Path, kind: str, told: Any) -> None:
        if kind == "progress":
            status.done, status.total = told
        elif kind == "trained":
            name = self._desk.shelf.add(out)
            self._desk.use(name)
            status.grammar, status.state, status.done, status.total = name, SCORING, 0, 0
        elif kind == "fold":
            status.fold = told
        elif kind == "score":
            status.new_score = None if told is None else TreeScore(*told)
            status.state = DONE
        elif kind == "fault":
            status.state, status.fault = FAILED, told


def settings_of(model: Model) -> dict[str, Any]:
    """The settings by which a grammar was trained; of one for many languages, those by which others come of it."""
    from depinduce.learning.settings.recipes import load_recipe

    settings = model.history.get("settings")
    return load_recipe(FOR_A_UNIVERSAL_GRAMMAR) if settings is None or model.languages else dict(settings)


def score(model: Model, trees: Sequence[Sentence]) -> TreeScore:
    """How a grammar does on trees that people have made, and whose heads it is not told."""
    from depinduce.parsing.decoding import Parsing
    from depinduce.parsing.streams import parse_sentences

    found, _ = parse_sentences(model, list(trees), Parsing(labels=True))
    total = TreeScore()
    for sentence, (parsed,) in zip(trees, found, strict=True):
        counted = model.reading.marks.keep(sentence) or [True] * len(sentence)
        columns = zip(counted, sentence.heads, parsed.heads, sentence.column(DEPREL), parsed.labels, strict=True)
        right = [(own == head, main_type(name) == main_type(label)) for kept, own, head, name, label in columns if kept]
        total += TreeScore(len(right), sum(head for head, _ in right), sum(head and label for head, label in right))
    return total


# ---------------------------------------------------------------- in its own process


def _work(task: tuple[dict[str, Any], str, str, str], messages: Connection) -> None:
    if multiprocessing.parent_process() is not None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends this one
        threading.Thread(target=_end_with_parent, daemon=True).start()
    warnings.simplefilter("ignore")
    settings, file, trees, out = task
    try:
        given = list(read_sentences(trees))
        tell = _teller(messages)
        _trained(settings, file, given, out, tell)
        messages.send(("trained", None))
        messages.send(("score", _cross_validated(settings, file, given, messages)))
    except DepinduceError as fault:
        messages.send(("fault", str(fault)))
    except Exception:
        traceback.print_exc(file=sys.stderr)
        messages.send(("fault", "Something went wrong in the training; the terminal of the server tells what."))


def _teller(messages: Connection) -> Callable[[int, int], None]:
    return lambda done, total: messages.send(("progress", (done, total)))


def _trained(
    settings: dict[str, Any], file: str, trees: list[Sentence], out: str | None, tell: Callable[[int, int], None]
) -> Model:
    from depinduce.learning.lesson import Lesson
    from depinduce.learning.settings.configuration import configure

    run = Lesson.of(configure(settings), [file], trees=trees, quiet=True).run(out)
    model, finished = run.go(lambda progress: tell(progress.done, progress.total))
    if not finished:
        raise DepinduceError("The training was interrupted.")
    return model


def _cross_validated(
    settings: dict[str, Any], file: str, trees: list[Sentence], messages: Connection
) -> tuple[int, int, int] | None:
    """The score on trees that were left out, a third of them in turn; None where there are too few."""
    if len(trees) < FEWEST_SCORED:
        return None
    total = TreeScore()
    for fold in range(FOLDS):
        messages.send(("fold", fold + 1))
        known = [tree for number, tree in enumerate(trees) if number % FOLDS != fold]
        model = _trained(settings, file, known, None, _teller(messages))
        total += score(model, trees[fold::FOLDS])
    return total.words, total.heads, total.labels


def _end_with_parent() -> None:
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        os._exit(1)
