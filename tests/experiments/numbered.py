"""Made-up results in which every number tells what it is, so that a table shows whose numbers it has where.

The hundreds are the experiment, the tens the part of the model that parses, the ones the decoder and the length.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

PARTS = ("both", "tags", "words")
KINDS = ("", "viterbi short", "viterbi long", "mbr short", "mbr long", "train", "dev")

Told = tuple[str, str, str]  # experiment, part, kind


def numbered_cells(names: Sequence[str], language: str, lengths: tuple[str, str]) -> list[dict[str, Any]]:
    """A cell of every experiment."""
    return [_cell(name, 100.0 * number, language, lengths) for number, name in enumerate(names)]


def _cell(name: str, hundreds: float, language: str, lengths: tuple[str, str]) -> dict[str, Any]:
    def scores(part: str) -> dict[str, dict[str, float]]:
        first = hundreds + 10 * PARTS.index(part)
        viterbi, mbr = (
            dict(zip(lengths, pair, strict=True)) for pair in ((first + 1, first + 2), (first + 3, first + 4))
        )
        return {"viterbi": viterbi, "mbr": mbr}

    return {
        "experiment": name,
        "language": language,
        "seed": 0,
        "code": "0",
        "scores": scores("both"),
        "parts": {part: scores(part) for part in PARTS[1:]},
        "log_likelihood": {"train": -(hundreds + 5), "dev": -(hundreds + 6)},
        "epochs": 3,
        "seconds": 1.5,
        "history": [],
    }


def told(text: str, names: Sequence[str]) -> list[Told]:
    """What the numbers in a cell of a table are."""
    numbers = [abs(round(float(number))) for number in text.split(" / ")]
    return [(names[number // 100], PARTS[number // 10 % 10], KINDS[number % 10]) for number in numbers]


def both_lengths_of(text: str, names: Sequence[str], part: str = "both", decoder: str = "viterbi") -> str:
    """The experiment whose scores of both lengths a cell of a table has; they must be of this part and decoder."""
    (first, *short), (second, *long) = told(text, names)
    assert (short, long) == ([part, f"{decoder} short"], [part, f"{decoder} long"])
    assert first == second
    return first
