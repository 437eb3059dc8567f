"""The paper itself, where it is at hand: its tables, row by row, and its text."""

from __future__ import annotations

import re

import pytest
from real_data import PAPER

needs_paper = pytest.mark.skipif(not PAPER.exists(), reason="the paper is not here")


def text_of_paper() -> str:
    """In one line, as TeX has it."""
    return " ".join(PAPER.read_text("utf-8").split())


def table_of(label: str) -> list[str]:
    """The rows of a table."""
    text, end = PAPER.read_text("utf-8"), rf"\label{{{label}}}"
    body = text[: text.index(end)].rpartition(r"\begin{tabular}")[2]
    return [" ".join(row.replace(r"\hline", "").split()) for row in body.split(r"\\")]


def numbers_in(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+\.\d+", text)]


def sums(rows: list[list[float]]) -> tuple[list[float], list[float]]:
    """Of every row and of every column, to a decimal: they change with any number, and where two are swapped."""
    columns = zip(*rows, strict=True)
    return [round(sum(row), 1) for row in rows], [round(sum(column), 1) for column in columns]
