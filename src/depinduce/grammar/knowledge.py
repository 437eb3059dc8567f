"""Linguistic knowledge: a list of rules that most dependencies of a corpus should match.

A rule set is a TOML file. `[categories]` gathers tags under names; `[either]`, `[left]` and `[right]` say which
children a head has, on which side; the head `Root` stands above the sentence. Names are categories or tags. Before
the tables, `share = 0.8` may say how many dependencies should match.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from depinduce.corpus import Vocabulary
from depinduce.corpus.faults import shortened
from depinduce.corpus.tags import bare_tag, called
from depinduce.errors import DepinduceError
from depinduce.grammar.rules import LEFT, RIGHT
from depinduce.settings import read_toml

ROOT = "Root"
SHARE = 0.8
EXAMPLE = 'Verb = ["Noun"], under [either]'
SIDES = {"either": (LEFT, RIGHT), "left": (LEFT,), "right": (RIGHT,)}


@dataclass(frozen=True)
class Matches:
    """Which dependencies match a rule, by the numbers of their tags; the last one is a tag that nobody knows."""

    root: np.ndarray  # [tag + 1] bool
    arc: np.ndarray  # [direction, head tag + 1, child tag + 1] bool


@dataclass(frozen=True)
class Knowledge:
    """A rule set."""

    name: str
    categories: dict[str, tuple[str, ...]]  # the tags of each
    rules: tuple[tuple[str, str, str], ...]  # side, head, child
    share: float = SHARE  # of all dependencies that should match, at least

    def category(self, tag: str) -> str:
        """Where a tag belongs; itself, if to no category."""
        return next((name for name, tags in self.categories.items() if called([tag], tags)), tag)

    def matches(self, tags: Vocabulary) -> Matches:
        """The rules among these tags (or categories). None at all is an error, for then the tags are others."""
        names = {tag: {tag, bare_tag(tag), self.category(tag)} for tag in tags}

        def called(name: str) -> list[int]:
            return [number for number, tag in enumerate(tags) if name in names[tag]]

        size = len(tags) + 1
        root, arc = np.zeros(size, dtype=bool), np.zeros((2, size, size), dtype=bool)
        for side, head, child in self.rules:
            if head == ROOT:
                root[called(child)] = True
            for direction in SIDES[side]:
                arc[direction][np.ix_(called(head), called(child))] = True
        if not root.any() and not arc.any():
            raise DepinduceError(
                f"--rules {self.name}: no rule matches any of the tags {' '.join(tags)}. "
                "Choose another column with --tags, or other rules."
            )
        return Matches(root, arc)


def rule_set_names() -> list[str]:
    """The rule sets that come with the package."""
    folder = resources.files("depinduce.grammar") / "rule_sets"
    return sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))


def load_knowledge(name: str) -> Knowledge:
    """A rule set by its name or by the path of a TOML file."""
    if name in rule_set_names():
        with resources.as_file(resources.files("depinduce.grammar") / "rule_sets" / f"{name}.toml") as path:
            return _read(name, read_toml(path, "rules", EXAMPLE))
    if name.endswith(".toml") or Path(name).exists():
        return _read(name, read_toml(name, "rules", EXAMPLE))
    close = difflib.get_close_matches(name, rule_set_names(), n=1)
    hint = f" Did you mean {close[0]}?" if close else ""
    raise DepinduceError(
        f"There are no rules {name!r}.{hint} Rules: {', '.join(rule_set_names())}, or the path of a .toml file."
    )


def _read(name: str, tables: dict[str, Any]) -> Knowledge:
    share = tables.pop("share", SHARE)
    if not (isinstance(share, float) and 0 < share < 1):
        found = f"share = {shortened(repr(share))} is not a number between 0 and 1"
        raise DepinduceError(f"--rules {name}: {found}. Write: share = 0.8")
    unknown = [table for table in tables if table not in (*SIDES, "categories") or not isinstance(tables[table], dict)]
    if unknown:
        known = ", ".join(("categories", *SIDES))
        raise DepinduceError(
            f"--rules {name}: what is [{shortened(unknown[0])}]? The tables of a rule set are: {known}."
        )
    categories = {category: _names(name, category, tags) for category, tags in tables.get("categories", {}).items()}
    twice = _first_repeated(tag for tags in categories.values() for tag in tags)
    if twice is not None:
        raise DepinduceError(f"--rules {name}: the tag {shortened(twice)} is in the categories twice. Leave it in one.")
    rules = tuple(
        (side, head, child)
        for side in SIDES
        for head, children in tables.get(side, {}).items()
        for child in _names(name, head, children)
    )
    if not rules:
        raise DepinduceError(f"--rules {name}: no rule. Write lines such as: {EXAMPLE}")
    if any(side != "either" for side, head, _ in rules if head == ROOT):
        raise DepinduceError(f"--rules {name}: {ROOT} has no sides. Put its children under [either].")
    return Knowledge(name, categories, rules, share)


def _names(rule_set: str, key: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        key, found = shortened(key), shortened(repr(value))
        raise DepinduceError(f'--rules {rule_set}: {key} = {found} is not a list of names. Write: {key} = ["A", "B"]')
    return tuple(value)


def _first_repeated(names: Iterable[str]) -> str | None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None
