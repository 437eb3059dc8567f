"""For all tests: the same examples every time, however long they take; no waiting for the disk; shared compiling of the
charts; a browser."""

import os
import shutil

import pytest
from hypothesis import settings

settings.register_profile("the same every time", deadline=None, derandomize=True, database=None)
settings.load_profile("the same every time")

# Only a power cut would show whether it was waited for, and no test makes one; which calls there are, some tests count.
os.fsync = lambda handle: None


def pytest_collection_finish(session):
    """Each worker compiles its share of what the charts' tests need; without this both would want the same first.

    Where the charts are compiled already this takes a second, and where their tests are not wanted, none.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if workers > 1 and any("chart/" in item.nodeid for item in session.items):
        from chart.compilations import COMPILATIONS

        for compilation in COMPILATIONS[int(os.environ["PYTEST_XDIST_WORKER"].removeprefix("gw")) :: workers]:
            compilation()


@pytest.fixture(scope="module")
def browser():
    """A browser for tests of pages: playwright (the extra `browser`) with Debian's chromium.

    Without them its tests are skipped, unless DEPINDUCE_NEED_BROWSER says that they must run, as in .ci/run. Every
    module has its own: playwright keeps an event loop running, in which no cluster starts.
    """
    chromium = shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        sync_playwright = None
    missing = "playwright is not installed" if sync_playwright is None else "there is no chromium" * (chromium is None)
    if missing and os.environ.get("DEPINDUCE_NEED_BROWSER"):
        pytest.fail(f"{missing}, and DEPINDUCE_NEED_BROWSER asks for it")
    if missing:
        pytest.skip(missing)
    options = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=options)
        yield browser
        browser.close()
