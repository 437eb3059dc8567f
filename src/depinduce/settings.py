"""Settings written once: a frozen dataclass whose fields carry their help, for the command line and for files."""

from __future__ import annotations

import dataclasses
from typing import Any


def setting(default: Any, help: str, *, choices: tuple[str, ...] | None = None, metavar: str | None = None) -> Any:
    """A field of a settings dataclass. On the command line `some_name` is `--some-name`."""
    return dataclasses.field(default=default, metadata={"help": help, "choices": choices, "metavar": metavar})
