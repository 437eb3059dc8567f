"""What is usual to say: the word lists of usage.txt."""

from __future__ import annotations

from pathlib import Path


def _read(lines: list[str]) -> dict[str, tuple[str, ...]]:
    """The lists by name; an indented line continues the one before."""
    joined: list[str] = []
    for line in lines:
        if line.startswith(" "):
            joined[-1] += " " + line.strip()
        elif line and not line.startswith("#"):
            joined.append(line)
    lists = {}
    for line in joined:
        name, _, items = line.partition(": ")
        lists[name] = tuple(items.split(", ")) if "," in items else tuple(items.split())
    return lists


_LISTS = _read((Path(__file__).parent / "usage.txt").read_text(encoding="utf-8").splitlines())


def usual(name: str) -> tuple[str, ...]:
    """The list of that name."""
    return _LISTS[name]


def usual_by(prefix: str) -> dict[str, tuple[str, ...]]:
    """All lists whose names begin with the prefix, by the rest of it: `kind of` gives animal, bird …"""
    return {name[len(prefix) + 1 :]: items for name, items in _LISTS.items() if name.startswith(prefix + " ")}
