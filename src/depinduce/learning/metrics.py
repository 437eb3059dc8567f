"""What is written down of every round: a line of JSON each, in a file that only grows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from depinduce.files import append_line, parse_json, write_file

TIMES = ("seconds", "sentences_per_second")  # which differ whenever the same is done again


def add_round(path: Path, line: dict[str, Any]) -> None:
    append_line(path, json.dumps(line), lasting=False)


def without_times(line: dict[str, Any]) -> dict[str, Any]:
    """What is the same whenever the same is done again."""
    return {name: value for name, value in line.items() if name not in TIMES}


def mend_rounds(path: Path, history: list[dict[str, Any]]) -> None:
    """A line for each round of a history: those after it are done again; lost ones are there without times."""
    lines = path.read_bytes().split(b"\n") if path.exists() else []
    lines += [b""] * len(history)
    kept = [
        line.decode() if _tells_of(line, known) else json.dumps(known)
        for line, known in zip(lines, history, strict=False)
    ]
    write_file(path, "".join(f"{line}\n" for line in kept))


def _tells_of(line: bytes, known: dict[str, Any]) -> bool:
    """Whether a line of the metrics is of this round."""
    try:
        found = parse_json(line)
        return isinstance(found, dict) and found.get("train") == known["train"]
    except ValueError:  # also if it is not UTF-8
        return False
