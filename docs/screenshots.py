"""Pictures of depinduce at work, for the tutorial: what its commands draw and how its pages look in a browser.

They show a grammar that is trained as the tutorial says. Pages need Debian's chromium and the extra `browser`.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from depinduce.cli import main
from depinduce.cli.demo import GOLD, TAGGED

if TYPE_CHECKING:
    from playwright.sync_api import Page

SENTENCE = "There/PRON are/VERB pears/NOUN in/ADP the/DET basket/NOUN ./PUNCT"
IN = 4  # the word whose arc is looked at
WIDTH, HEIGHT = 1200, 900  # pixels of the window


def practice_tree(path: Path) -> None:
    """A sentence with its errors."""
    gold, parsed = practice() / "corpus" / GOLD, practice() / "parsed.conllu"
    depinduce("parse", "universal", gold, "-o", parsed, "--posteriors")
    depinduce("draw", parsed, "--gold", gold, "--sentence", "104", "-o", path)


def report(path: Path) -> None:
    """The beginning of a report."""
    page_file = practice() / "report.html"
    depinduce("report", practice() / "grammar", "--gold", practice() / "corpus" / GOLD, "-o", page_file)
    with browser_page() as page:
        page.goto(page_file.as_uri())
        page.screenshot(path=path)


def served(path: Path) -> None:
    """The page of `serve`, with an arc that is looked at."""
    from playwright.sync_api import expect

    from depinduce.serve.server import PageServer
    from depinduce.serve.shelf import Shelf

    shelf = Shelf([practice() / "alone", practice() / "grammar-with-rules"])
    for model in shelf.models.values():
        model.parser()
    with PageServer(shelf, "127.0.0.1") as server, browser_page() as page:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page.goto(server.address)
        expect(page.locator("#first svg")).to_be_visible()  # of an example
        page.locator("#text").fill(SENTENCE)
        expect(page.locator("#first svg .word-button")).to_have_count(len(SENTENCE.split()))
        page.locator(f'#first .word-button[data-word="{IN}"]').click()
        expect(page.get_by_text("Heads that “in” could have")).to_be_visible()
        page.locator("body").click(position={"x": WIDTH - 5, "y": 5})  # away from the word
        page.screenshot(path=path)
        server.shutdown()


@cache
def practice() -> Path:
    """A folder with the demo corpus and the grammars of the tutorial, gone when the script ends."""
    place = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, place)
    depinduce("demo", "--corpus", place / "corpus")
    text = ("--train", place / "corpus" / TAGGED)
    depinduce("train", "--recipe", "adapt", *text, "--out", place / "grammar")
    depinduce("train", "--recipe", "ud-sibling", *text, "--out", place / "alone")
    with_rules = ("--init", "hdp-dep", "ud")
    depinduce("train", "--recipe", "ud-sibling", *with_rules, *text, "--out", place / "grammar-with-rules")
    return place


def depinduce(*arguments: object) -> None:
    if main([str(argument) for argument in arguments]) != 0:
        raise SystemExit(f"depinduce {arguments[0]} failed")


@contextmanager
def browser_page() -> Iterator[Page]:
    """A page in a window of a browser that nobody sees."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise SystemExit("Pictures of pages need playwright: pip install 'depinduce[browser]'") from None
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("Pictures of pages need Debian's chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        browser.close()


SHOWN: dict[str, Callable[[Path], None]] = {
    "practice-tree.svg": practice_tree,
    "report.png": report,
    "serve.png": served,
}
