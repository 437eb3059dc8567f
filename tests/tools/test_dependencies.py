"""What depinduce needs is named with versions, hashes and licences, and none of it forbids handing depinduce on."""

from __future__ import annotations

import importlib
import re
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "tools"))
dependencies = importlib.import_module("dependencies")
bill_of_materials = importlib.import_module("bill_of_materials")
make_lock = importlib.import_module("make_lock")

LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
ENTRIES = {entry["name"]: entry for entry in bill_of_materials.ENTRY.finditer(LOCK)}
TABLES = dict(re.findall(r"^## (.+)\n\n\| package .*\n\|.*\n((?:\|.*\n)+)", PAGE, re.MULTILINE))

# what asks for no more than that its text goes along
PERMISSIVE = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "ISC",
    "MIT", "PSF-2.0", "Zlib",
}  # fmt: skip


def rows(title: str) -> dict[str, tuple[str, str]]:
    """The packages of a table, with version and licence."""
    cells = (re.split(r" \| ", line.strip("| ")) for line in TABLES[title].splitlines())
    return {name: (version, licence) for name, version, licence, _ in cells}


def permissive(licence: str) -> bool:
    choices = licence.split(" OR ")
    return any(all(part in PERMISSIVE for part in choice.strip("()").split(" AND ")) for choice in choices)


@pytest.mark.parametrize("licence", ["GPL-3.0-or-later", "MIT AND LGPL-2.1-only", "MPL-2.0", "BSD", "UNKNOWN", ""])
def test_copyleft_and_what_is_no_name_of_a_licence_are_not_permissive(licence):
    assert not permissive(licence)


def test_nothing_that_depinduce_needs_to_run_is_under_copyleft():
    assert {"numba", "numpy", "safetensors", "rich"} <= set(rows("To run"))
    assert "torch" in rows("Only with `[neural]`")
    needed = rows("To run") | rows("Only with `[neural]`")
    assert {name: licence for name, (_, licence) in needed.items() if not permissive(licence)} == {}


def test_what_is_under_copyleft_is_listed_apart():
    strict = {title: {name for name, (_, licence) in rows(title).items() if "GPL" in licence} for title in TABLES}
    assert {title: names for title, names in strict.items() if names} == {
        "Only with `[vectors]`": {"gensim"},
        "Only for tests": {"udapi", "udtools"},
    }


def test_constraints_lock_and_licences_name_the_same_packages_and_versions():
    pins = dependencies.pins()
    assert {name: version for title in TABLES for name, (version, _) in rows(title).items()} == pins
    locked = {name: entry["version"] for name, entry in ENTRIES.items()}
    tables = ("To run", "Only with `[neural]`", "To build the wheel")
    assert locked == {name: pins[name] for title in tables for name in rows(title)}
    assert len(re.findall("^[^# \n]", LOCK, re.MULTILINE)) == len(locked)  # there is no line that we do not read


def test_every_package_of_the_lock_has_hashes_and_nothing_else():
    assert "://" not in LOCK
    for name, entry in ENTRIES.items():
        lines = [line.strip(" \\") for line in entry["hashes"].splitlines()]
        assert lines and all(re.fullmatch("--hash=sha256:[0-9a-f]{64}", line) for line in lines), name
    assert len(ENTRIES["numpy"]["hashes"].splitlines()) == len(dependencies.CELLS)  # a file for each of them


def test_the_lock_has_all_that_the_installed_packages_say_they_need():
    wanted = {
        "depinduce": dependencies.TO_RUN,
        dependencies.NEURAL: dependencies.EXTRAS["neural"],
        "the build of depinduce": dependencies.TO_BUILD,
    }
    askers: dict[str, set[str]] = {}
    for asker, requirements in wanted.items():
        for name, who in dependencies.needed_anywhere(requirements, asker).items():
            askers.setdefault(name, set()).update(who)
    assert {name: ", ".join(sorted(who)) for name, who in askers.items()} == {
        name: entry["askers"] for name, entry in ENTRIES.items()
    }


@pytest.mark.parametrize(
    ("cells", "marker"),
    [
        (dependencies.CELLS, ""),
        (
            [cell for cell in dependencies.CELLS if cell[1] != "3.11"],
            'python_version == "3.12" or python_version == "3.13"',
        ),
        (
            [cell for cell in dependencies.CELLS if cell[0] != "linux" or cell[1] == "3.11"],
            'sys_platform == "linux" and (python_version == "3.11") or sys_platform == "darwin" '
            'or sys_platform == "win32"',
        ),
        ([cell for cell in dependencies.CELLS if cell[0] == "win32"], 'sys_platform == "win32"'),
    ],
)
def test_a_line_of_the_lock_says_where_it_holds(cells, marker):
    assert make_lock.marker(cells) == marker


def test_the_bill_has_what_a_package_needs_directly_or_not_and_nothing_else():
    entry = "# licence: {}; needed by {}\n{}==1.0 \\\n    --hash=sha256:{}\n"
    lock = "\n".join(
        entry.format(*each)
        for each in [
            ("MIT", "house, roof", "wood", "a" * 64),
            ("MIT OR Zlib", "house", "roof", "b" * 64 + " \\\n    --hash=sha256:" + "c" * 64),
            ("GPL-3.0-only", "the build of house", "crane", "d" * 64),
            ("ISC", "house[garden]", "pond", "e" * 64),
            ("ISC", "pond", "water", "f" * 64),
        ]
    )
    bill = bill_of_materials.bill("house", "2.0", lock)
    assert [(each["name"], each["scope"]) for each in bill["components"]] == [
        ("pond", "optional"), ("roof", "required"), ("water", "optional"), ("wood", "required"),
    ]  # fmt: skip
    assert bill["components"][1]["licenses"] == [{"expression": "MIT OR Zlib"}]
    assert [each["content"][0] for each in bill["components"][1]["hashes"]] == ["b", "c"]
    assert bill["dependencies"] == [
        {"ref": "house", "dependsOn": ["pond", "roof", "wood"]},
        {"ref": "pond", "dependsOn": ["water"]},
        {"ref": "roof", "dependsOn": ["wood"]},
        {"ref": "water", "dependsOn": []},
        {"ref": "wood", "dependsOn": []},
    ]


@pytest.mark.slow  # needs what only the slow tests have installed
def test_the_page_of_licences_is_the_one_that_its_tool_writes():
    missing = [name for name in ("gensim", "huggingface_hub", "playwright") if not find_spec(name)]
    if missing:
        pytest.skip(f"needs {' and '.join(missing)}")
    assert importlib.import_module("list_licences").page() == PAGE
