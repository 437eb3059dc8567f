"""Settings written once: a frozen dataclass whose fields carry their help, for the command line and for files."""

from __future__ import annotations

import dataclasses
from typing import Any

from depinduce.errors import DepinduceError


def setting(default: Any, help: str, *, choices: tuple[str, ...] | None = None, metavar: str | None = None) -> Any:
    """A field of a settings dataclass. On the command line `some_name` is `--some-name`."""
    return dataclasses.field(default=default, metadata={"help": help, "choices": choices, "metavar": metavar})


def require_positive(settings: Any, *names: str) -> None:
    """Refuse settings of a dataclass that are not at least 1."""
    for name in names:
        if getattr(settings, name) < 1:
            raise DepinduceError(f"--{name.replace('_', '-')} must be at least 1, not {getattr(settings, name)}.")


def names_one_of(choices: dict[str, tuple[int, ...]], words: tuple[str, ...]) -> bool:
    """Whether the first word is one of the choices and as many words follow as it can take."""
    return bool(words) and words[0] in choices and len(words) - 1 in choices[words[0]]
