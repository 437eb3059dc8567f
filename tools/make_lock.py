"""Write requirements.lock: the files that depinduce may be installed from, each with its hash.

    python tools/make_lock.py

The versions are those of constraints.txt. pip downloads each file as it is set up to; the hash is that of what came.
For Linux, torch is looked for only where `find-links` of pip's settings points, since the build that an index has
wants gigabytes of libraries for graphics cards: put the wheels of its CPU build there, one for each Python.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

from dependencies import CELLS, EXTRAS, NEURAL, PLATFORMS, PYTHONS, ROOT, TO_BUILD, TO_RUN, Cell, licence, needed, pins
from packaging.utils import canonicalize_name

LOCK = ROOT / "requirements.lock"
# the tags of the wheels that run on a platform
TAGS = {
    "linux": ["manylinux2014_x86_64", *(f"manylinux_2_{libc}_x86_64" for libc in range(17, 29))],
    "darwin": ["macosx_14_0_arm64"],
    "win32": ["win_amd64"],
}

HEAD = """\
# The files that depinduce may be installed from, for Python 3.11 to 3.13 on Linux (x86_64), macOS (arm64) and Windows
# (AMD64): what it needs to run, with the extra `neural`, and to be built, at the versions of constraints.txt. Made by
# tools/make_lock.py.
#
#   pip install --require-hashes -r requirements.lock
#   pip install --no-deps --no-build-isolation .
#
# To do without networks, leave out torch and what only torch needs.
# Each hash is that of a file that pip fetched when this list was made, and the same as in the index that it came from.
# torch for Linux is an exception: that is its CPU build (+cpu), which was at hand as a file, with no index that names
# its hash. It is not in pip's usual index: show pip where it is, with --find-links or --extra-index-url. The files for
# Linux were also installed and run; those for macOS and Windows were not.
"""
MISSING = """\
# No file, and so no line, for: {}.
# There, install it first and by hand, without a hash.
"""


def hashes(names: list[str], cell: Cell) -> dict[str, str]:
    """The hash of the wheel of each package, as far as pip finds one: all of them, or of one package none."""
    platform, python = cell
    tags = [part for tag in TAGS[platform] for part in ("--platform", tag)]
    pinned = [f"{name}=={pins()[name]}" for name in names]
    alone = ["--no-index"] if platform == "linux" and names == ["torch"] else []
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", *alone]
        done = subprocess.run([*command, "--python-version", python, *tags, "--dest", folder, *pinned])
        if done.returncode and names != ["torch"]:
            sys.exit(f"pip did not find everything for {platform} and Python {python}")
        wheels = Path(folder).glob("*.whl")
        return {
            canonicalize_name(wheel.name.split("-")[0]): hashlib.sha256(wheel.read_bytes()).hexdigest()
            for wheel in wheels
        }


def marker(cells: list[Cell]) -> str:
    """The condition that holds in these cells and in no others; empty if it is all of them."""
    pythons = {platform: tuple(python for each, python in cells if each == platform) for platform in PLATFORMS}

    def one_of(wanted: tuple[str, ...]) -> str:
        return " or ".join(f'python_version == "{python}"' for python in wanted)

    if cells == CELLS:
        return ""
    if len(set(pythons.values())) == 1:
        return one_of(pythons["linux"])
    return " or ".join(
        f'sys_platform == "{platform}"' + ("" if wanted == PYTHONS else f" and ({one_of(wanted)})")
        for platform, wanted in pythons.items()
        if wanted
    )


def entry(name: str, found: dict[Cell, str], askers: set[str]) -> str:
    condition = marker(list(found))
    lines = [f"# licence: {licence(name)}; needed by {', '.join(sorted(askers))}"]
    lines.append(f"{name}=={pins()[name]}" + (f" ; {condition}" if condition else ""))
    return " \\\n    --hash=sha256:".join(["\n".join(lines), *sorted(set(found.values()))]) + "\n"


def main() -> int:
    askers: dict[str, set[str]] = {}
    files: dict[str, dict[Cell, str]] = {}
    missing = []
    for cell in CELLS:
        here = needed(TO_RUN, "depinduce", cell)
        for requirements, asker in ((EXTRAS["neural"], NEURAL), (TO_BUILD, "the build of depinduce")):
            for name, who in needed(requirements, asker, cell).items():
                here.setdefault(name, set()).update(who)
        for name, who in here.items():
            askers.setdefault(name, set()).update(who)
        found = hashes(sorted(set(here) - {"torch"}), cell) | hashes(["torch"], cell)
        for name in here:
            if name in found:
                files.setdefault(name, {})[cell] = found[name]
            else:
                missing.append(f"{name} on {PLATFORMS[cell[0]][0]} with Python {cell[1]}")
    head = HEAD + (MISSING.format(", ".join(missing)) if missing else "")
    entries = [entry(name, files[name], askers[name]) for name in sorted(files)]
    LOCK.write_text("\n".join([head, *entries]), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
