"""The notebook runs, and shows what is printed in it, up to last digits, which differ between machines."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from run_notebook import code_cells, main, read_notebook, run_cells

NOTEBOOK = Path(__file__).parents[2] / "examples" / "first-look.ipynb"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


def same(shown: str, now: str) -> bool:
    """Whether two texts are equal but for the last digit of numbers with decimals."""
    if NUMBER.sub("0", shown) != NUMBER.sub("0", now):
        return False
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(now), strict=True)
    return all(one == two or abs(float(one) - float(two)) <= 1.01 * _last_digit(one, two) for one, two in pairs)


def _last_digit(*numbers: str) -> float:
    """How much the last digit of the number with fewer decimals stands for; of whole numbers nothing differs."""
    return max(10.0 ** -len(number.partition(".")[2]) if "." in number else 0.0 for number in numbers)


@pytest.mark.parametrize(
    ("shown", "now", "equal"),
    [
        ("0.71 of 150", "0.72 of 150", True),
        ("0.71 of 150", "0.73 of 150", False),
        ("0.71 of 150", "0.71 of 151", False),
        ("0.8094", "0.80941", True),
        ("heads 2 0", "head 2 0", False),
    ],
)
def test_last_digits_may_differ_and_nothing_else(shown, now, equal):
    assert same(shown, now) == equal


@pytest.fixture(scope="module")
def notebook() -> dict:
    pytest.importorskip("pandas", reason="needs depinduce[pandas]")
    return read_notebook(NOTEBOOK)


def texts(outputs: list[dict]) -> dict[str, str]:
    """What a cell shows, by its kind: printed, or as which sort of picture of a value."""
    found = {}
    for output in outputs:
        kinds = output["data"] if "data" in output else {"printed": output["text"]}
        found |= {kind: "".join(lines) for kind, lines in kinds.items()}
    return found


def test_every_cell_shows_what_is_printed_in_the_notebook(notebook):
    kinds = set[str]()
    for cell, now in zip(code_cells(notebook), run_cells(notebook), strict=True):
        shown, now = texts(cell["outputs"]), texts(now)
        assert set(shown) == set(now) != set(), cell["id"]
        for kind in shown:
            if "<style" not in shown[kind] or kind == "image/svg+xml":  # pandas may dress its tables anew
                assert same(shown[kind], now[kind]), (cell["id"], kind, now[kind])
        kinds |= set(shown)
    assert kinds == {"printed", "text/plain", "text/html", "image/svg+xml"}


def test_the_notebook_is_one_that_other_tools_read(notebook):
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    names = [cell["id"] for cell in notebook["cells"]]
    assert len(set(names)) == len(names) and all(re.fullmatch("[a-zA-Z0-9_-]{1,64}", name) for name in names)
    assert [cell["execution_count"] for cell in code_cells(notebook)] == list(range(1, len(code_cells(notebook)) + 1))


def test_cells_share_their_names_and_what_they_show_is_written_into_the_file(tmp_path):
    sources = ["number = 3\nprint('three')", "number + 1\n", "number = 5"]
    cells = [{"cell_type": "code", "source": source.splitlines(keepends=True)} for source in sources]
    path = tmp_path / "small.ipynb"
    path.write_text(json.dumps({"cells": [{"cell_type": "markdown", "source": ["# numbers"]}, *cells]}))
    assert main([str(path)]) == 0
    shown = [texts(cell["outputs"]) for cell in code_cells(read_notebook(path))]
    assert shown == [{"printed": "three\n"}, {"text/plain": "4"}, {}]
