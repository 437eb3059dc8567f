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

    from depinduce.serve.desk import Desk

SENTENCE = "There/PRON are/VERB pears/NOUN in/ADP the/DET basket/NOUN ./PUNCT"
IN = 4  # the word whose arc is looked at
MIDDLE = 2  # rounds of the lesson, after which its sentence is shown
CHECKED = 30  # trees from which a grammar learns
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


def rounds(path: Path) -> None:
    """A sentence of the lesson, in the middle of the training."""
    lesson = practice_of_lesson()
    with browser_page() as page:
        page.goto((lesson / "report.html").as_uri())
        figure = page.locator(".growth").first
        slider = figure.locator("input")
        slider.press("Home")
        for _ in range(MIDDLE):
            slider.press("ArrowRight")
        page.add_style_tag(content=".growth{padding:16px;max-width:870px}")
        figure.screenshot(path=path)


def practice_of_lesson() -> Path:
    """The folder of docs/teaching.md after its first commands, gone when the script ends."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    place = folder / "lesson"
    depinduce("demo", "--corpus", place)
    text, way = place / TAGGED, ("--model", "dmv", "--non-heads", "ud", "--iterations", "20")
    depinduce("train", *way, "--train", text, "--out", place / "grammar", "--keep-rounds")
    depinduce("report", place / "grammar", "--gold", place / GOLD, "-o", place / "report.html")
    return place


def served(path: Path) -> None:
    """The page of `serve`, with an arc that is looked at."""
    from playwright.sync_api import expect

    from depinduce.serve.server import PageServer
    from depinduce.serve.shelf import Shelf

    shelf = Shelf(own_grammars())
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


def desk(path: Path) -> None:
    """The page of `serve --file`, with a word whose relation is being named."""
    with open_desk() as (page, _):
        for number in range(3):
            page.keyboard.press("c")
            expect_checked(page, number + 1)
        page.locator('#first .word-button[data-word="2"]').click()
        page.keyboard.press("l")
        page.keyboard.type("n")
        page.screenshot(path=path)


def retrained(path: Path) -> None:
    """The same after some trees were made, and the grammar has learned from them."""
    from playwright.sync_api import expect

    from depinduce.corpus import read_sentences
    from depinduce.corpus.conllu import DEPREL
    from depinduce.corpus.demo import demo_file
    from depinduce.serve.journal import Tree, Work

    gold = list(read_sentences(demo_file("train")))  # what the annotator knows
    with open_desk() as (page, desk):
        for number in desk.survey.certainty.argsort()[:CHECKED].tolist():
            tree = Tree(gold[number].heads, gold[number].column(DEPREL))
            desk.save(number, 0, lambda shown, tree=tree: Work(tree=tree))
        expect_checked(page, CHECKED)
        page.locator("#retrain").click()
        expect(page.locator("#retraining table")).to_contain_text("did not see", timeout=600_000)
        expect(page.locator("#surveyed")).to_be_empty(timeout=60_000)
        page.locator("#show-changed").click()
        expect(page.locator("[name=state]")).to_have_value("changed")
        expect(page.locator("#sentences [aria-current]")).to_be_visible()
        page.screenshot(path=path)


@contextmanager
def open_desk() -> Iterator[tuple[Page, Desk]]:
    """The page of a desk on a copy of the corpus, when the grammar has seen all of it."""
    from playwright.sync_api import expect

    from depinduce.serve.desk import Desk
    from depinduce.serve.server import PageServer
    from depinduce.serve.shelf import Shelf

    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / TAGGED
        shutil.copy(practice() / "corpus" / TAGGED, corpus)
        with (
            Desk.opened(corpus, Shelf([practice() / "grammar"])) as desk,
            PageServer(desk.shelf, desk=desk) as server,
            browser_page() as page,
        ):
            desk.begin()
            desk.survey.finished.wait()
            threading.Thread(target=server.serve_forever, daemon=True).start()
            page.goto(server.address)
            expect(page.locator("#sentences [aria-current]")).to_be_visible()
            yield page, desk
            server.shutdown()


def expect_checked(page: Page, number: int) -> None:
    from playwright.sync_api import expect

    expect(page.locator("#about-file")).to_contain_text(f", {number} checked", timeout=30_000)


@cache
def practice() -> Path:
    """A folder with the demo corpus and the grammar of the tutorial, gone when the script ends."""
    place = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, place)
    depinduce("demo", "--corpus", place / "corpus")
    depinduce("train", "--recipe", "adapt", "--train", place / "corpus" / TAGGED, "--out", place / "grammar")
    return place


@cache
def own_grammars() -> tuple[Path, Path]:
    """The grammars of the tutorial that know no other language, without rules and with them."""
    alone, with_rules = practice() / "alone", practice() / "grammar-with-rules"
    recipe = ("train", "--recipe", "ud-sibling", "--train", practice() / "corpus" / TAGGED)
    depinduce(*recipe, "--out", alone)
    depinduce(*recipe, "--init", "hdp-dep", "ud", "--out", with_rules)
    return alone, with_rules


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
    "rounds.png": rounds,
    "desk.png": desk,
    "retrained.png": retrained,
}
