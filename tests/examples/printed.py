"""What the programs print, as numbers."""

from __future__ import annotations

import re


def scores(output: str) -> dict[str, list[float]]:
    """The rows of the first table: a name and seven numbers."""
    rows = re.findall(r"^  (\S.*?)((?: +\d+\.\d){7})$", output, re.MULTILINE)
    return {name: list(map(float, numbers.split())) for name, numbers in rows}
