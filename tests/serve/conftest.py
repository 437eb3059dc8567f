"""A browser for tests of pages.

It needs playwright (the extra `browser`) and Debian's chromium. Without them the tests are skipped, unless
DEPINDUCE_NEED_BROWSER says that they must run, as in .ci/run.
"""

from __future__ import annotations

import os
import shutil

import pytest

CHROMIUM = shutil.which("chromium")
try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None


@pytest.fixture(scope="module")
def browser():
    missing = "playwright is not installed" if sync_playwright is None else "there is no chromium" * (CHROMIUM is None)
    if missing and os.environ.get("DEPINDUCE_NEED_BROWSER"):
        pytest.fail(f"{missing}, and DEPINDUCE_NEED_BROWSER asks for it")
    if missing:
        pytest.skip(missing)
    options = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        yield browser
        browser.close()
