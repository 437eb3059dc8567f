"""A room imports only from rooms above it: tools/import_graph.py finds the imports, and finds each kind of them."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tools"))
graph = importlib.import_module("import_graph")


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A package with three rooms, of which each imports the one above it, and a door that leads to the last."""
    package = tmp_path / "depinduce"
    for room in ("corpus", "chart", "cli"):
        (package / room).mkdir(parents=True)
        (package / room / "__init__.py").touch()
    (package / "chart" / "inside.py").write_text("from depinduce.corpus import Corpus\n")
    (package / "cli" / "parse.py").write_text("def run():\n    from depinduce.chart.inside import best\n")
    (package / "__init__.py").write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from depinduce.cli.parse import run\n"
    )
    return package


def test_no_room_imports_from_a_room_below_it_and_none_each_other_in_a_cycle():
    found = graph.imports_between_rooms()
    assert [str(each) for each in graph.breaks(found)] == []
    assert graph.cycle(found) == []


def test_every_room_is_in_the_list_and_every_room_of_the_list_is_there():
    assert graph.rooms_of_files() == set(graph.ROOMS)


def test_the_readme_lists_rooms_in_the_same_order():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^ {6}(\w+)/ ", readme.partition("    src/depinduce/\n")[2], re.MULTILINE)
    assert len(listed) > 10
    assert listed == [room for room in graph.ROOMS if room in listed]


def test_imports_from_above_are_found_and_break_nothing(house):
    found = graph.imports_between_rooms(house)
    assert [(each.importer, each.imported, each.kind) for each in found] == [
        ("chart", "corpus", "top"),
        ("cli", "chart", "late"),
    ]
    assert graph.breaks(found) == []
    assert graph.cycle(found) == []


@pytest.mark.parametrize(
    "line",
    [
        "from depinduce.cli.parse import run",
        "from depinduce.cli import parse",
        "from depinduce import cli",
        "from depinduce import run",
        "from ..cli import parse",
        "from .. import cli",
        "import depinduce.cli.parse",
        "import depinduce; depinduce.cli.parse.run()",
        "import_module('depinduce.cli.parse')",
        "importlib.import_module(f'depinduce.cli.{name}')",
        "try:\n    import depinduce.cli\nexcept ImportError:\n    pass",
        "def late():\n    from depinduce.cli import parse",
        "class Late:\n    async def method(self):\n        if True:\n            from depinduce.cli import parse",
        "if TYPE_CHECKING:\n    pass\nelse:\n    from depinduce.cli import parse",
    ],
)
def test_an_import_from_below_is_found_however_it_is_written(house, line):
    (house / "chart" / "fault.py").write_text(f"{line}\n")
    found = graph.imports_between_rooms(house)
    assert {(each.importer, each.imported, each.path.name) for each in graph.breaks(found)} == {
        ("chart", "cli", "fault.py")
    }
    assert set(graph.cycle(found)) == {"chart", "cli"}


@pytest.mark.parametrize("test", ["TYPE_CHECKING", "typing.TYPE_CHECKING"])
def test_an_import_for_types_alone_is_shown_but_does_not_count(house, test):
    (house / "chart" / "typed.py").write_text(f"if {test}:\n    from depinduce.cli import parse\n")
    found = graph.imports_between_rooms(house)
    assert ("chart", "cli", "types") in {(each.importer, each.imported, each.kind) for each in found}
    assert graph.breaks(found) == []
    assert graph.cycle(found) == []


def test_a_room_that_is_not_in_the_list_may_import_nothing_and_be_imported_by_none(house):
    (house / "attic.py").write_text("import depinduce.corpus\n")
    (house / "cli" / "climb.py").write_text("from depinduce import attic\n")
    assert "attic" in graph.rooms_of_files(house)
    broken = graph.breaks(graph.imports_between_rooms(house))
    assert {(each.importer, each.imported) for each in broken} == {("attic", "corpus"), ("cli", "attic")}


def test_the_graph_is_printed_with_what_breaks_it(house, capsys):
    (house / "chart" / "fault.py").write_text("\nfrom depinduce.cli import parse\n")
    assert graph.main([], house) == 1
    printed = capsys.readouterr().out
    assert "chart        corpus cli\n" in printed
    assert "cli          (late: chart)\n" in printed
    assert "depinduce/chart/fault.py:2: chart imports cli (top)\n" in printed
    assert graph.main(["--plain"], house) == 0
    assert "cli\tchart\tlate\tdepinduce/cli/parse.py:2\n" in capsys.readouterr().out
