"""The models that a page may ask for: found when the server starts, loaded when they are first needed."""

from __future__ import annotations

import sys
import threading
import traceback
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from depinduce.errors import DepinduceError
from depinduce.models.packing import description_at
from depinduce.models.places import INNER, models_below
from depinduce.visible import visible

if TYPE_CHECKING:
    from depinduce.parser import Parser

FOUND, LOADING, COMPILING, READY, FAILED = "found", "loading", "compiling", "ready", "failed"


@dataclass(eq=False)
class ShelvedModel:
    """A model by its name, and how far it is."""

    name: str
    place: Path
    about: str  # what kind of model it is, in words
    state: str = FOUND
    fault: str = ""  # why it could not be loaded
    _parser: Parser | None = None
    _begun: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def prepare(self) -> None:
        """Begin to load it in the background, unless somebody has."""
        if not self._begun:
            self._begun = True
            threading.Thread(target=self._quietly, name=f"load {self.name}", daemon=True).start()

    def parser(self) -> Parser:
        """The model ready to parse. Whoever comes first loads it, and the others wait."""
        with self._lock:
            if self._parser is None and self.state != FAILED:
                self._begun = True
                self._load()
        if self._parser is None:
            raise DepinduceError(self.fault)
        return self._parser

    def _quietly(self) -> None:
        with suppress(DepinduceError):  # `fault` tells it to whoever asks
            warm_up_log_space(self.parser())

    def _load(self) -> None:
        from depinduce.parser import Parser  # which takes its time

        try:
            self.state = LOADING
            parser = Parser.load(self.place)
            self.state = COMPILING
            warm_up(parser)
            self._parser, self.state = parser, READY
        except DepinduceError as error:
            self.fault, self.state = str(error), FAILED
        except Exception:
            traceback.print_exc(file=sys.stderr)
            self.fault = f"{self.name}: the model cannot be used; the terminal of the server tells why."
            self.state = FAILED


def warm_up(parser: Parser) -> None:
    """Ask for everything once, so that all charts are compiled."""
    sentence = [("word", parser.tags[0])] * 2
    parser.parse([sentence])
    parser.posteriors(sentence)
    if gives_several_trees(parser):
        parser.k_best(sentence, 2)


def warm_up_log_space(parser: Parser) -> None:
    """Compile also what only long sentences need, whose probabilities are too small for anything else."""
    from depinduce.corpus.tagged import as_sentence
    from depinduce.parsing.streams import corpus_for

    sentence = as_sentence([("word", parser.tags[0])] * 2, parser.model.reading.tag_column)
    parser.model.problem(corpus_for(parser.model, [sentence])).in_log_space()


def gives_several_trees(parser: Parser) -> bool:
    """Whether it knows the probabilities of trees; one with hidden states does not, nor does a committee."""
    return parser.model.scores_trees


class Shelf:
    """All models that can be asked for, by their names. A path is never one."""

    def __init__(self, directories: Sequence[str | Path]):
        self.text: Path | None = None  # that examples come from: what people work on, or what they name
        places: list[Path] = []
        for directory in directories:
            found = list(models_below(Path(directory)))
            if not found:
                raise DepinduceError(
                    f"{directory}: no model here, nor in the folders below. "
                    "Name a directory that `depinduce train --out` wrote, or one that holds several."
                )
            places += [place for place in found if place not in places]
        self.models = {
            name: ShelvedModel(name, place, _about(place)) for name, place in zip(_names(places), places, strict=True)
        }

    def add(self, directory: Path) -> str:
        """Put one more model on the shelf, by the name of its directory; gives the name that it has there."""
        (place,) = models_below(directory)
        *_, name = _names([*(model.place for model in self.models.values()), place])
        self.models[name] = ShelvedModel(name, place, _about(place))
        return name

    def __getitem__(self, name: str) -> ShelvedModel:
        if name not in self.models:
            raise DepinduceError(f"There is no model {name!r} here. Choose from: {', '.join(self.models)}.")
        return self.models[name]


def _names(places: Sequence[Path]) -> list[str]:
    """A short name for each: that of its directory, with the one above where several are the same, or a number."""
    runs = [place.parent if place.name == INNER else place for place in places]
    short = Counter(run.name for run in runs)
    names = [visible(run.name if short[run.name] == 1 else f"{run.parent.name}/{run.name}") for run in runs]
    seen: Counter[str] = Counter()
    for number, name in enumerate(names):
        seen[name] += 1
        if seen[name] > 1:
            names[number] = f"{name} ({seen[name]})"
    return names


def _about(place: Path) -> str:
    """The kind of a model, by its description alone; a damaged one says so when it is loaded."""
    try:
        return visible(str(description_at(place)["about"]))
    except (DepinduceError, KeyError):
        return "a damaged model"
