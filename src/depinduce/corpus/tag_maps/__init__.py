"""Maps from one set of tags to another: TOML files here, or one's own, with a line `NN = "NOUN"` for every tag."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from depinduce.corpus.faults import shortened
from depinduce.errors import DepinduceError
from depinduce.settings import read_toml

EXAMPLE = 'NN = "NOUN"'


@cache
def map_names() -> list[str]:
    """The maps that come with the package."""
    folder = resources.files("depinduce.corpus") / "tag_maps"
    return sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))


def load_map(name: str) -> dict[str, str]:
    """A map by its name or by the path of a TOML file."""
    if name in map_names():
        return _ours(name)
    if name.endswith(".toml") or Path(name).exists():
        return checked_map(read_toml(name, "tags", EXAMPLE), name)
    close = difflib.get_close_matches(name, map_names(), n=1)
    hint = f" Did you mean {close[0]}?" if close else ""
    raise DepinduceError(
        f"There is no map of tags {name!r}.{hint} Maps: {', '.join(map_names())}, or the path of a .toml file."
    )


@cache
def _ours(name: str) -> dict[str, str]:
    with resources.as_file(resources.files("depinduce.corpus") / "tag_maps" / f"{name}.toml") as path:
        return checked_map(read_toml(path, "tags", EXAMPLE), name)


def checked_map(lines: Mapping[Any, Any], name: str) -> dict[str, str]:
    """The lines of a map; what is not a tag for a tag is refused."""
    table: dict[str, str] = {}
    for tag, meant in lines.items():
        if not isinstance(tag, str) or not isinstance(meant, str) or not meant.strip("_") or len(meant.split()) != 1:
            line = f"{shortened(str(tag))} = {shortened(repr(meant))}"
            raise DepinduceError(f"--map {name}: {line} is no tag for a tag. Write lines such as: {EXAMPLE}")
        table[tag] = meant
    if not table:
        raise DepinduceError(f"--map {name}: no tags. Write lines such as: {EXAMPLE}")
    return table
