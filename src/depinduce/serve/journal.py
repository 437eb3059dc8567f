"""What people have done about the sentences of a file, written down line by line before anybody is told that it is.

The first line says of which file; each of the others is all that there is of one sentence by then, so that the last one
counts. A line that a kill has cut off was never confirmed, and gives way to the next.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from depinduce.corpus.cycles import find_cycle
from depinduce.errors import DepinduceError
from depinduce.files import append_line, parse_json, write_file
from depinduce.labels.plain import ROOT, main_type

JOURNAL = "journal.jsonl"
FORMAT = "depinduce journal"
OPEN = -1  # a head that is left to the grammar, though the file has one
_LABEL = re.compile(r"[a-z]+(?::[a-z]+)?(?::[^\W\d_A-Z]+(?:_[^\W\d_A-Z]+)*)?")  # as UD writes them


@dataclass(frozen=True)
class Tree:
    """A tree that somebody has looked through."""

    heads: list[int]
    labels: list[str]


@dataclass(frozen=True)
class Work:
    """What people have done about a sentence. Words are counted from 1."""

    version: int = 0  # how often it was saved
    heads: Mapping[int, int] = field(default_factory=dict)  # that words were given, 0 for the root, or OPEN
    labels: Mapping[int, str] = field(default_factory=dict)
    tree: Tree | None = None  # that is right, as somebody says who has checked it

    @property
    def is_checked(self) -> bool:
        return self.tree is not None

    def to_json(self) -> dict[str, Any]:
        tree = None if self.tree is None else {"heads": self.tree.heads, "labels": self.tree.labels}
        return {"version": self.version, "heads": dict(self.heads), "labels": dict(self.labels), "checked": tree}

    @classmethod
    def from_json(cls, found: Any, words: int) -> Work:
        """ValueError for whatever is not the work on a sentence of so many words."""
        if not isinstance(found, Mapping):
            raise ValueError("no work on a sentence")
        heads = {_word(key, words): _head(head, words) for key, head in _mapping(found, "heads")}
        labels = {_word(key, words): require_label(label) for key, label in _mapping(found, "labels")}
        if any(word == head for word, head in heads.items()):
            raise ValueError("a word that is its own head")
        checked = found.get("checked")
        return cls(_whole(found.get("version")), heads, labels, None if checked is None else _tree(checked, words))


def require_label(label: Any) -> str:
    """What people may call an arc; ValueError otherwise."""
    if not isinstance(label, str) or not _LABEL.fullmatch(label):
        raise ValueError(f"{label!r} is no relation: small letters, such as nsubj, or nsubj:pass with a subtype")
    return label


class Journal:
    """The journal of a file: what was done, in memory and on the disk.

    damaged: lines that could not be read, from 1
    """

    def __init__(self, place: Path, digest: str, lengths: Sequence[int] | np.ndarray):
        """place: the folder; digest, lengths: of the file and its sentences"""
        self.path = place / JOURNAL
        self.works: dict[int, Work] = {}
        self.grammar: str | None = None  # that was last in use
        self.damaged: list[int] = []
        self._lengths = lengths
        if self.path.exists():
            self._replay(digest)
        else:
            self._first = json.dumps({"format": FORMAT, "sha256": digest, "sentences": len(lengths)})

    def __getitem__(self, number: int) -> Work:
        return self.works.get(number, Work())

    def save(self, number: int, work: Work) -> None:
        """Write it down. When this returns it is on the disk; if it fails nothing has happened."""
        line = {"sentence": number, **work.to_json()}
        try:
            Work.from_json(parse_json(json.dumps(line)), int(self._lengths[number]))
        except ValueError as fault:  # what could not be read again would be lost at the next start
            raise DepinduceError(f"Not saved, because the journal could not be read again: {fault}.") from fault
        self._add(line)
        self.works[number] = work

    def use(self, grammar: str) -> None:
        """Write down which grammar is in use from now on."""
        if grammar != self.grammar:
            self._add({"grammar": grammar})
            self.grammar = grammar

    def _add(self, line: dict[str, Any]) -> None:
        if not self.path.exists():  # where nothing was done there is none
            write_file(self.path, f"{self._first}\n")
        append_line(self.path, json.dumps(line, ensure_ascii=False))

    def _replay(self, digest: str) -> None:
        first, *lines = self.path.read_bytes().split(b"\n")[:-1] or [b""]  # the last line has no end: it does not count
        try:
            about = parse_json(first)
        except ValueError:
            about = None
        if not isinstance(about, Mapping) or about.get("format") != FORMAT:
            raise DepinduceError(f"{self.path}: this is no journal of ours. Move it away to begin another.")
        if about.get("sha256") != digest:
            raise DepinduceError(
                f"{self.path}: it belongs to the file as it was before, which has been changed since. Put that one "
                "back, or move the folder of the journal away to begin another."
            )
        for number, line in enumerate(lines, start=2):
            try:
                self._take(parse_json(line))
            except ValueError:
                self.damaged.append(number)

    def _take(self, found: Any) -> None:
        if isinstance(found, Mapping) and isinstance(found.get("grammar"), str):
            self.grammar = found["grammar"]
            return
        number = _whole(found.get("sentence") if isinstance(found, Mapping) else None)
        if number >= len(self._lengths):
            raise ValueError("no sentence of the file")
        self.works[number] = Work.from_json(found, int(self._lengths[number]))


def _mapping(found: Mapping, name: str) -> list[tuple[Any, Any]]:
    value = found.get(name)
    if not isinstance(value, Mapping):
        raise ValueError(f"no {name}")
    return list(value.items())


def _word(key: Any, words: int) -> int:
    """JSON has only texts as keys."""
    if not (isinstance(key, str) and key.isascii() and key.isdecimal() and len(key) < 10 and 1 <= int(key) <= words):
        raise ValueError("no word of the sentence")
    return int(key)


def _head(head: Any, words: int) -> int:
    if isinstance(head, bool) or not isinstance(head, int) or not OPEN <= head <= words:
        raise ValueError("no head in the sentence")
    return head


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError("no whole number")
    return value


def _in_column(label: Any) -> str:
    """Any label that a file may have, whatever it is called there."""
    if not isinstance(label, str) or not label or set(label) & set("\t\r\n"):
        raise ValueError("no label")
    return label


def _tree(found: Any, words: int) -> Tree:
    heads, labels = (found.get(name) if isinstance(found, Mapping) else None for name in ("heads", "labels"))
    if not isinstance(heads, list) or not isinstance(labels, list) or not len(heads) == len(labels) == words:
        raise ValueError("no tree of the sentence")
    tree = Tree([_head(head, words) for head in heads], [_in_column(label) for label in labels])
    if tree.heads.count(0) != 1 or OPEN in tree.heads or find_cycle(tree.heads):
        raise ValueError("no tree")
    if any((main_type(label) == ROOT) != (head == 0) for head, label in zip(heads, labels, strict=True)):
        raise ValueError("the root and nothing else is called root")
    return tree
