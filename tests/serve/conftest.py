"""For tests of pages, windows of a browser; for those of desks, a small file and a small grammar."""

from __future__ import annotations

import pytest
from cli.demo_parts import demo_part
from serve.desks import FILE

from depinduce import Parser


@pytest.fixture
def windows(browser):
    """A function that opens an address in a window of its own, of a certain kind; nothing may go wrong in it."""
    contexts, faults = [], []

    def open_window(address: str, width: int = 1200, height: int = 900, **options):
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda said: faults.append(said.text) if "Content Security" in said.text else None)
        page.on("dialog", lambda dialog: (faults.append(dialog.message), dialog.dismiss()))
        page.goto(address)
        return page

    yield open_window
    for context in contexts:
        context.close()
    assert faults == []


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.conllu"
    path.write_text(FILE)
    return path


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    place = tmp_path_factory.mktemp("desk")
    train = demo_part(place / "train.conllu", count=150)
    Parser.train(train, model="dmv", iterations=8, non_heads="ud", out=place / "dmv")
    return place


@pytest.fixture(scope="module")
def model(models):
    return models / "dmv"
