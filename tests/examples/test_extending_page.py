"""docs/extending.md shows the lines that are in the files, and what the programs really print."""

from __future__ import annotations

import doctest
import pkgutil
import re
from pathlib import Path

import clause_contexts
import pytest
import third_order
from clause_model import CLAUSE
from parameters import some_now

import depinduce
from depinduce.learning.settings.recipes import load_recipe
from depinduce.models.table import MODELS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "extending.md"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
SHOWN = [
    block
    for language, block in BLOCKS
    if (language == "python" and not block.startswith(">>>")) or block.startswith("# examples/pyproject.toml")
]
PROGRAMS = {"examples/clause_contexts.py": clause_contexts.main, "examples/third_order.py": third_order.main}


@pytest.mark.parametrize("block", SHOWN, ids=lambda block: block.splitlines()[1].strip()[:40])
def test_code_on_the_page_is_code_of_the_file_it_names(block):
    name, code = block.split("\n", 1)
    assert name.startswith("# ")
    assert code in (ROOT / name.removeprefix("# ")).read_text(encoding="utf-8")


def test_names_of_the_package_on_the_page_are_there():
    parts = "|".join(module.name for module in pkgutil.iter_modules(depinduce.__path__))
    names = re.findall(rf"`(?:depinduce\.)?((?:{parts})\.\w[\w.]*)`", PAGE.read_text(encoding="utf-8"))
    assert len(names) > 15
    for name in names:
        pkgutil.resolve_name(f"depinduce.{name}")


def test_the_page_shows_both_examples_and_their_tests():
    assert {block.split("\n", 1)[0] for block in SHOWN} == {
        "# examples/clause_model.py",
        "# examples/pyproject.toml",
        "# examples/third_order_chart.py",
        "# tests/examples/test_clause_model.py",
    }


def test_the_network_on_the_page_runs_and_gives_what_it_says():
    result = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert result.failed == 0
    assert result.attempted > 10


def test_the_recipe_on_the_page_is_one(tmp_path):
    (recipe,) = (block for language, block in BLOCKS if language == "toml" and block.startswith("# my-sibling"))
    path = tmp_path / "my-sibling.toml"
    path.write_text(recipe, encoding="utf-8")
    assert load_recipe(str(path))["ladder"] == ["grand"]


@some_now("name", [], later=["examples/clause_contexts.py", "examples/third_order.py"])
def test_output_on_the_page_is_what_the_program_prints(name, monkeypatch, capsys):
    monkeypatch.setitem(MODELS, "clause", CLAUSE)  # as the program does; but afterwards it is gone
    (shown,) = (block for language, block in BLOCKS if block.startswith(f"$ python {name}\n"))
    assert PROGRAMS[name]([]) == 0
    assert capsys.readouterr().out.strip() == shown.split("\n", 1)[1].strip()
