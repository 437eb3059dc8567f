"""Write docs/licences.md: the licence of everything that depinduce needs, to run, to be built and to be tested."""

from __future__ import annotations

import sys

from dependencies import EXTRAS, ROOT, TO_BUILD, TO_RUN, licence, needed_anywhere, pins

PAGE = ROOT / "docs" / "licences.md"
HEAD = """# Licences

depinduce is under the MIT licence, and its wheel has nothing in it that others wrote. What it needs is installed beside
it, under these licences. What it needs to run is free of copyleft, and a test sees to it; so you may hand on all of it
together, in a closed program too, with the texts of the licences, which lie in each package's own folder. (Compiled
packages such as numpy also carry run-time libraries of GCC: GPL with the exception that allows just this.) The same
holds for `[neural]`, which trains networks. What else you install only if you want it, and what the tests use, is
listed apart. `python tools/list_licences.py` writes this page; the wheel has the first two tables as a bill of
materials (CycloneDX) in `depinduce-….dist-info/sboms`.
"""
GROUPS = {
    "To run": TO_RUN,
    "Only with `[neural]`": EXTRAS["neural"],
    "To build the wheel": TO_BUILD,
    "Only with `[vectors]`": EXTRAS["vectors"],
    "Only with `[nltk]`": EXTRAS["nltk"],
    "Only with `[spacy]`": EXTRAS["spacy"],
    "Only with `[pandas]`": EXTRAS["pandas"],
    "Only with `[hub]`": EXTRAS["hub"],
    "Only with `[parquet]`": EXTRAS["parquet"],
    "Only with `[cluster]`": EXTRAS["cluster"],
    "Only for tests": EXTRAS["test"] + EXTRAS["browser"],
}


def page() -> str:
    parts, told = [HEAD], set[str]()
    for title, requirements in GROUPS.items():
        parts.append(f"\n## {title}\n\n| package | version | licence | needed by |\n|---|---|---|---|\n")
        for name, askers in sorted(needed_anywhere(requirements, "depinduce").items()):
            if name not in told:
                told.add(name)
                parts.append(f"| {name} | {pins()[name]} | {licence(name)} | {', '.join(sorted(askers))} |\n")
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.exit(0)
