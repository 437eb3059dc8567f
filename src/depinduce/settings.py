"""Settings written once: a frozen dataclass whose fields carry their help, for the command line and for files."""

from __future__ import annotations

import dataclasses
import json
import tomllib
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

from depinduce.errors import DepinduceError

MOST = 1_000_000_000  # of a number that costs nothing as such, as of rounds; more is a slip, and may not fit anywhere
MOST_SEED = (1 << 32) - 1  # what every generator of random numbers takes
MOST_THREADS = 1024
DEEPEST = 16  # tables and lists within each other in a TOML file; ours have two


def setting(
    default: Any,
    help: str,
    *,
    choices: tuple[str, ...] | Callable[[], Iterable[str]] | None = None,
    metavar: str | None = None,
    expert: bool = False,
) -> Any:
    """A field of a settings dataclass. On the command line `some_name` is `--some-name`.

    choices: a function gives those that are known only when somebody asks
    expert: few will ever change it, so that it has no option of its own: `--set some_name=VALUE`, or a recipe
    """
    metadata = {"help": help, "choices": choices, "metavar": metavar, "expert": expert}
    return dataclasses.field(default=default, metadata=metadata)


@cache
def types_of(settings: type) -> Mapping[str, Any]:
    """The type of every field of a settings dataclass. Python finds them out in milliseconds, every time."""
    hints = get_type_hints(settings)
    return {field.name: hints[field.name] for field in dataclasses.fields(settings)}


def require_within(least: float, most: float, **options: float | None) -> None:
    """Refuse options that are less or more than this, or no numbers at all; None is one that was not given."""
    for name, value in options.items():
        option = f"--{name.replace('_', '-')}"
        if value is not None and not value >= least:
            raise DepinduceError(f"{option} must be at least {_shown(least)}, not {_shown(value)}.")
        if value is not None and value > most:
            raise DepinduceError(f"{option} can be at most {_shown(most)}, not {_shown(value)}.")


def _shown(number: float) -> str:
    """A number for an error; the thousands of digits that a user may have typed tell nobody anything."""
    return "a number of so many digits" if isinstance(number, int) and abs(number) >= 1 << 64 else f"{number}"


def names_one_of(choices: dict[str, tuple[int, ...]], words: tuple[str, ...]) -> bool:
    """Whether the first word is one of the choices and as many words follow as it can take."""
    return bool(words) and words[0] in choices and len(words) - 1 in choices[words[0]]


def to_toml(values: dict[str, Any]) -> str:
    """Plain names and values as TOML; None is left out."""
    return "".join(f"{name} = {_toml(value)}\n" for name, value in values.items() if value is not None)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_toml(name)} = {_toml(one)}" for name, one in value.items()) + "}"
    text = json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)  # the same in both, but
    return text.replace("\x7f", "\\u007f")  # for this


def read_toml(path: str | Path, what: str = "settings", example: str = "epochs = 4") -> dict[str, Any]:
    """The tables of a TOML file. what, example: what it should hold, for errors"""
    try:
        return parse_toml(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise DepinduceError(f"{path}: {error.strerror}. Name a TOML file of {what}.") from error
    except ValueError as error:  # not UTF-8, not TOML, a number without end, or nested too deeply
        raise DepinduceError(f"{path}: not a TOML file ({error}). Write lines such as: {example}") from error


def parse_toml(text: str) -> dict[str, Any]:
    """The tables of a text in TOML; ValueError says what is wrong with it.

    The format's whole numbers have 64 bits, which the library does not insist on; and far more brackets than anyone
    needs would leave the interpreter without stack.
    """
    try:
        tables = tomllib.loads(text)
    except RecursionError:
        raise ValueError(f"brackets are nested more than {DEEPEST} deep") from None
    within: list[Any] = [tables]
    for _ in range(DEEPEST):
        within = [value for outer in within for value in (outer.values() if isinstance(outer, dict) else outer)]
        if any(isinstance(value, int) and not -(1 << 63) <= value < 1 << 63 for value in within):
            raise ValueError("a whole number has more than 64 bits")
        within = [value for value in within if isinstance(value, dict | list)]
    if within:
        raise ValueError(f"tables are nested more than {DEEPEST} deep")
    return tables
