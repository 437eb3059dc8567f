"""The slider of a report in a browser: by keyboard and by itself, on paper, and without scripts."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.demo_parts import demo_part, depinduce

try:
    from playwright.sync_api import expect
except ImportError:
    expect = None

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> str:
    folder: Path = tmp_path_factory.mktemp("page")
    train, out = demo_part(folder / "train.conllu", count=60), folder / "grammar"
    depinduce("train", "--train", train, "--model", "dmv", "--iterations", 4, "--keep-rounds", "--out", out)
    assert depinduce("report", out, "--gold", train, "-o", folder / "report.html") == 0
    return (folder / "report.html").as_uri()


def test_arrow_keys_lead_through_the_rounds(browser, address):
    page = browser.new_page()
    page.goto(address)
    figure = page.locator(".growth").first
    slider, shown = figure.locator("input"), figure.locator(".step:visible")
    expect(shown).to_have_count(1)
    expect(figure.locator("output")).to_contain_text("iteration 4")
    slider.press("Home")
    expect(figure.locator("output")).to_contain_text("the start")
    slider.press("ArrowRight")
    expect(figure.locator("output")).to_contain_text("iteration 1")
    expect(shown).to_have_attribute("data-title", figure.locator("output").inner_text())
    expect(slider).to_have_attribute("aria-valuetext", figure.locator("output").inner_text())
    expect(page.locator(".growth").nth(1).locator("output")).to_contain_text("iteration 4")  # the others stand still
    page.close()


def test_the_rounds_are_played_from_the_start_to_the_end(browser, address):
    page = browser.new_page()
    page.clock.install()
    page.goto(address)
    figure = page.locator(".growth").first
    button, output = figure.get_by_role("button"), figure.locator("output")
    button.press("Enter")
    expect(output).to_contain_text("the start")
    expect(button).to_have_text("Stop")
    page.clock.run_for(1000)
    expect(output).to_contain_text("iteration 1")
    page.clock.run_for(5000)
    expect(output).to_contain_text("iteration 4")
    expect(button).to_have_text("Play")
    page.close()


@pytest.mark.parametrize("way", ["paper", "no scripts"])
def test_on_paper_and_without_scripts_the_first_and_the_last_tree_are_there(way, browser, address):
    page = browser.new_page(java_script_enabled=way == "paper")
    page.goto(address)
    if way == "paper":
        page.emulate_media(media="print")
    figure = page.locator(".growth").first
    titles = figure.locator(".step:visible .step-title")
    expect(titles).to_have_count(2)
    expect(titles.first).to_contain_text("the start")
    expect(titles.last).to_contain_text("iteration 4")
    expect(figure.locator("input")).to_be_hidden()
    page.close()
