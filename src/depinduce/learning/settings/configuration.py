"""A training in full: what is learned, by which network, from which part of the files. Made from names and values."""

from __future__ import annotations

import dataclasses
import difflib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, get_args, get_origin

from depinduce.corpus import Reading
from depinduce.corpus.faults import quoted
from depinduce.errors import DepinduceError
from depinduce.learning.settings.learning import LearningSettings
from depinduce.models.table import entry, find
from depinduce.networks.lexical_settings import LexicalSettings
from depinduce.networks.network_settings import JiangNetworkSettings, NetworkSettings
from depinduce.settings import MOST_SEED, types_of

MOST_SEEDS = 1000
MAX_LENGTH = 15  # long sentences teach little and cost much


@dataclass(frozen=True)
class Configuration:
    """The settings of one training."""

    learning: LearningSettings
    network: NetworkSettings | JiangNetworkSettings | None  # of a neural model
    reading: Reading
    lexical: LexicalSettings | None = None  # of one that sees words

    def values(self) -> dict[str, Any]:
        """Every setting by its name, as `configure` takes them."""
        return {name: value for part in self._parts for name, value in vars(part).items()}

    def defaults(self) -> dict[str, Any]:
        """The same settings with the values that they have if nobody gives another."""
        return {field.name: field.default for part in self._parts for field in dataclasses.fields(part)}

    @property
    def _parts(self) -> list[Any]:
        return [part for part in (self.learning, self.network, self.lexical, self.reading) if part is not None]

    def replace(self, **changes: Any) -> Configuration:
        return configure(self.values() | changes)


def as_saved(values: dict[str, Any]) -> dict[str, Any]:
    """Settings as they come back from a file, lists for tuples."""
    return json.loads(json.dumps(values))


def changes(names: Iterable[str], before: dict[str, Any], now: dict[str, Any]) -> str:
    """What these settings were and are, in words."""
    return ", ".join(f"{name} was {before.get(name)!r}, is {now.get(name)!r}" for name in names)


def configure(values: dict[str, Any], where: str = "") -> Configuration:
    """The configuration in which the named settings have these values and the others their defaults.

    where: whence the values come, for errors
    """
    model = values.get("model", LearningSettings.model)
    try:
        line = entry(model)
    except DepinduceError as error:
        raise DepinduceError(f"{where}{error}") from None
    parts: dict[str, Any] = {"learning": find(line.settings), "reading": Reading}
    if line.network:
        parts["network"] = find(line.network)
    if line.sees_words:
        parts["lexical"] = LexicalSettings
    known = {field.name: part for part in parts.values() for field in dataclasses.fields(part)}
    values = {"max_length": MAX_LENGTH} | values
    for name in values:
        if name not in known:
            raise DepinduceError(f"{where}{_unknown(name, list(known), str(model))}")
    made: dict[str, Any] = {"network": None}
    for role, part in parts.items():
        types = types_of(part)
        own = {name: value for name, value in values.items() if known[name] is part}
        own = {name: _checked(name, value, types[name], where) for name, value in own.items()}
        try:
            made[role] = part(**own)
        except DepinduceError as error:
            raise DepinduceError(f"{where}{error}") from None
    return Configuration(**made)


def _unknown(name: str, known: list[str], model: str) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    hint = f" Did you mean {close[0]}?" if close else ""
    return f"there is no setting {quoted(name)} for the model {model}.{hint} Settings: {', '.join(sorted(known))}."


def _checked(name: str, value: Any, annotation: Any, where: str) -> Any:
    """A value of the annotated type, lists as tuples; anything else is refused."""
    if get_origin(annotation) is tuple:
        if isinstance(value, str):
            value = (value,)
        if isinstance(value, list | tuple) and all(isinstance(item, get_args(annotation)[0]) for item in value):
            return tuple(value)
    else:
        kinds = get_args(annotation) or (annotation,)
        if float in kinds and isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        if isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool)):
            return value
    raise DepinduceError(f"{where}{name} cannot be {value!r}.")


def parse_seeds(text: str) -> list[int]:
    """`0-4`, `0,2,5` or `7` as numbers."""
    seeds: list[int] = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        last = last if dash else first
        are_numbers = all(seed.isdecimal() and len(seed) <= len(str(MOST_SEED)) for seed in (first, last))
        if not are_numbers or not int(first) <= int(last) <= MOST_SEED:
            raise DepinduceError(f"--seeds {text}: not seeds. Write for example 0-4 or 0,2,5.")
        if len(seeds) + int(last) - int(first) >= MOST_SEEDS:
            raise DepinduceError(f"--seeds {text}: more than {MOST_SEEDS} seeds. Train fewer at a time.")
        seeds += range(int(first), int(last) + 1)
    if len(set(seeds)) < len(seeds):
        raise DepinduceError(f"--seeds {text}: a seed comes twice.")
    return seeds
