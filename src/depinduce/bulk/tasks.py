"""Parts of the work on many files, each of which a process can do alone: it reads files and writes one, whole."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from depinduce.corpus import Reading, read_sentences
from depinduce.corpus.streams import WHOLE, Part
from depinduce.learning.adaptation import adapted
from depinduce.models.model import Model
from depinduce.models.places import is_packed, place_of_model
from depinduce.parser import Parser
from depinduce.parsing.decoding import Parsing
from depinduce.parsing.streams import Adapt, Throughput, learned_from, parse_file
from depinduce.parsing.written_forms import FORMS

Send = Callable[[Any], None]
MOST_KEPT = 2  # grammars that a process keeps


@dataclass(frozen=True)
class Grammar:
    """Where a grammar is and how it reads."""

    directory: str
    digest: str  # of what it is made of: one that was trained anew in the same place is another
    part: str | None = None
    language: str | None = None
    reading: Reading | None = None  # if not as in training

    def load(self) -> Parser:
        """The parser, which a process keeps, compiled as it is, until others need the place."""
        key = f"{self.digest} {self}"
        if key not in _kept:
            reading = {} if self.reading is None else {"tags": self.reading.tags, "map": self.reading.map}
            _kept[key] = Parser.load(self.directory, self.part, self.language, **reading)
            while len(_kept) > MOST_KEPT:
                del _kept[next(iter(_kept))]
        return _kept[key]


_kept: dict[str, Parser] = {}


def digest_of_grammar(directory: str | Path) -> str:
    """The SHA-256 of all files of a grammar."""
    place = Path(directory) if is_packed(directory) else place_of_model(directory)
    digest = hashlib.sha256()
    for path in [place] if place.is_file() else sorted(path for path in place.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(place)} {path.stat().st_size}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


@dataclass(frozen=True)
class Task:
    """One part of the work."""

    source: str
    target: str

    def run(self, send: Send) -> Throughput:
        raise NotImplementedError


@dataclass(frozen=True)
class Parse(Task):
    """Parse a file, or a part of it. The target appears complete or not at all."""

    grammar: Grammar
    parsing: Parsing
    form: str
    metadata: bool
    adapt: bool  # learn from the text before
    part: Part = WHOLE

    def run(self, send: Send) -> Throughput:
        model = self.grammar.load().model
        learn = adaptation_of(model) if self.adapt else None

        def report(totals: Throughput) -> None:
            send(totals.words)

        how = self.parsing, report, learn, self.metadata, FORMS[self.form], self.part
        return parse_file(model, self.source, self.target, *how)


@dataclass(frozen=True)
class Learn(Task):
    """Let a universal grammar learn from the beginning of a file all parts of which it will parse."""

    grammar: Grammar

    def run(self, send: Send) -> Throughput:
        model = self.grammar.load().model
        learn = adaptation_of(model)
        assert learn is not None
        found, learned, _ = learned_from(read_sentences(self.source), learn)
        found.save(self.target)
        return Throughput(learned=learned)


@dataclass(frozen=True)
class Join(Task):
    """Make one file of its finished parts."""

    parts: tuple[str, ...]
    form: str

    def run(self, send: Send) -> Throughput:
        FORMS[self.form].join(map(Path, self.parts), Path(self.target))
        return Throughput()


def adaptation_of(model: Model) -> Adapt | None:
    """What a universal grammar does with sentences before it parses them."""
    return None if model.headedness is None else partial(adapted, model)


def run_task(task: Task, send: Send) -> Throughput:
    """Do it in a process of its own: send how many words are done on the way, and what there is to warn of."""
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: send(str(message))
        return task.run(send)
