"""Links in the README, the changelog, docs/ and examples/ lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from depinduce.cli import COMMANDS

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md")])
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """The names of a page's headings, as they are linked to."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files_and_headings_that_are_there(page):
    for target in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        if target.startswith(("http://", "https://")):
            continue
        path, _, heading = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), f"{page.name} links to {target}, which is not there"
        assert there.is_relative_to(ROOT), f"{page.name} links to {target}, outside of the project"
        if heading:
            assert heading in anchors(there), f"{page.name} links to the heading {target}, which is not there"


def test_every_command_is_in_the_table_of_commands():
    table = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)` \|.*`depinduce (\w+)[^`]*` \|$", table, re.MULTILINE)
    assert {name for name, _ in listed} == set(COMMANDS)
    assert all(name == example for name, example in listed)


def test_every_page_of_the_docs_can_be_reached_from_the_readme():
    seen, to_read = set(), [ROOT / "README.md"]
    while to_read:
        page = to_read.pop()
        seen.add(page)
        links = LINK.findall(page.read_text(encoding="utf-8"))
        found = {(page.parent / link.partition("#")[0]).resolve() for link in links if ".md" in link}
        to_read += [path for path in found if path.is_file() and path not in seen]
    fragments = {page for page in PAGES if page.parent.parent.name == "results" and page.name != "README.md"}
    assert set(PAGES) - seen - fragments == set()
