"""Settings written once: a frozen dataclass whose fields carry their help, for the command line and for files."""

from __future__ import annotations

import dataclasses
import json
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from depinduce.errors import DepinduceError


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


def require_positive(settings: Any, *names: str) -> None:
    """Refuse settings of a dataclass that are not at least 1."""
    for name in names:
        if getattr(settings, name) < 1:
            raise DepinduceError(f"--{name.replace('_', '-')} must be at least 1, not {getattr(settings, name)}.")


def names_one_of(choices: dict[str, tuple[int, ...]], words: tuple[str, ...]) -> bool:
    """Whether the first word is one of the choices and as many words follow as it can take."""
    return bool(words) and words[0] in choices and len(words) - 1 in choices[words[0]]


def to_toml(values: dict[str, Any]) -> str:
    """Plain names and values as TOML; None is left out."""
    return "".join(f"{name} = {_toml(value)}\n" for name, value in values.items() if value is not None)


def _toml(value: Any) -> str:
    text = json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)  # the same in both, but
    return text.replace("\x7f", "\\u007f")  # for this


def read_toml(path: str | Path, what: str = "settings", example: str = "epochs = 4") -> dict[str, Any]:
    """The tables of a TOML file. what, example: what it should hold, for errors"""
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise DepinduceError(f"{path}: {error.strerror}. Name a TOML file of {what}.") from error
    except (ValueError, RecursionError) as error:  # not UTF-8, not TOML, a number without end, or nested too deeply
        raise DepinduceError(f"{path}: not a TOML file ({error}). Write lines such as: {example}") from error
