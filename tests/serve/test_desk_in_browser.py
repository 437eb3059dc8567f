"""The page of a desk in a real browser: what a linguist does in an afternoon, and what must not happen to it."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest
from campaign.served import serving
from cli.demo_parts import demo_part, without_heads
from cli.test_cli_parse import level_two_faults
from serve.demo_models import running
from serve.desks import ask, check, desk_on, give_head, surveyed

from depinduce.corpus import read_sentences, read_text
from depinduce.serve.journal import Work

pytestmark = pytest.mark.slow

try:
    from playwright.sync_api import Page, expect
except ImportError:
    Page = expect = None

COUNT, GIVEN = 60, 4  # sentences, of which the first so many have their heads in the file
RETRAINED = 120_000  # milliseconds in which a small grammar has learned


@pytest.fixture
def corpus(tmp_path) -> Path:
    path = demo_part(tmp_path / "corpus.conllu", count=COUNT)
    blocks = path.read_text("utf-8").split("\n\n")
    path.write_text("\n\n".join([*blocks[:GIVEN], *map(without_heads, blocks[GIVEN:])]))
    return path


@pytest.fixture
def server(models, corpus):
    with desk_on(corpus, models / "dmv") as desk, running(desk.shelf, desk=desk) as server:
        surveyed(desk)
        yield server


@pytest.fixture
def open_page(windows):
    """A function that opens the page of an address."""

    def open_page(address: str, width: int = 1200, **options) -> Page:
        page = windows(address, width, **options)
        expect(page.locator("#first svg")).to_be_visible()
        return page

    return open_page


@pytest.fixture
def page(open_page, server) -> Page:
    """The page with the first sentence that has no heads in the file."""
    page = open_page(server.address)
    in_the_order_of_the_file(page)
    go_to(page, GIVEN)
    return page


def in_the_order_of_the_file(page: Page) -> None:
    page.get_by_label("Order").select_option("file")
    expect(page.locator("#sentences button").first).to_have_attribute("data-number", "0")


def go_to(page: Page, number: int) -> None:
    page.locator(f'#sentences button[data-number="{number}"]').click()
    is_at(page, number)


def is_at(page: Page, number: int) -> None:
    expect(page.locator("#first h2")).to_have_text(re.compile(f"^Sentence {number + 1} of "))


def word_button(page: Page, number: int):
    return page.locator(f'#first .word-button[data-word="{number}"]')


def arc(page: Page, child: int, head: int):
    return page.locator(f'#first .tree .dep-arc[data-child="{child}"][data-head="{head}"]')


def heads(page: Page) -> list[int]:
    arcs = page.locator("#first .tree .dep-arc").evaluate_all(
        "arcs => arcs.map(arc => [Number(arc.dataset.child), Number(arc.dataset.head)])"
    )
    return [head for _, head in sorted(arcs)]


def another_head(page: Page) -> tuple[int, int]:
    """A word, and a head that it has not, which makes no circle."""
    found = heads(page)
    child = next(word for word, head in enumerate(found, start=1) if head not in (0, 1) and word not in found)
    return child, next(head for head in range(1, len(found) + 1) if head not in (child, found[child - 1]))


def set_head(page: Page, child: int, head: int) -> None:
    """With the keyboard."""
    word_button(page, child).focus()
    page.keyboard.press("h")
    expect(page.locator("#question")).to_be_visible()
    for _ in range(abs(head - child)):
        page.keyboard.press("ArrowRight" if head > child else "ArrowLeft")
    page.keyboard.press("Enter")


def listed(page: Page) -> list[int]:
    return [int(one) for one in page.locator("#sentences button").evaluate_all("all => all.map(o => o.dataset.number)")]


def exported(page: Page, button: str, tmp_path: Path) -> str:
    with page.expect_download() as download:
        page.get_by_role("button", name=button).click()
    path = tmp_path / "downloaded.conllu"
    download.value.save_as(path)
    return path.read_text("utf-8")


# ---------------------------------------------------------------- looking


def test_the_least_sure_sentence_is_the_first_that_is_shown(open_page, server):
    page = open_page(server.address)
    certainty = server.desk.survey.certainty
    expect(page.locator("#sentences button").first).to_have_attribute("aria-current", "true")
    assert certainty[listed(page)[0]] == min(value for value in certainty if value == value)
    assert page.title() == "corpus.conllu · depinduce"


def test_sentences_are_paged(page):
    assert listed(page) == list(range(25))
    page.get_by_role("button", name="Page after").click()
    expect(page.locator("#pages")).to_have_text(f"page 2 of 3 · {COUNT} sentences")
    expect(page.locator("#sentences button").first).to_have_attribute("data-number", "25")
    assert listed(page) == list(range(25, 50))
    go_to(page, 49)
    page.keyboard.press("n")
    is_at(page, 50)
    expect(page.locator("#pages")).to_contain_text("page 3 of 3")
    page.keyboard.press("p")
    is_at(page, 49)


def test_heads_of_the_file_are_told_apart(page, corpus):
    go_to(page, 0)
    first = next(iter(read_sentences(corpus)))
    assert heads(page) == first.heads
    expect(page.locator("#first .dep-arc.kept")).to_have_count(len(first))
    expect(page.locator("#first .legend")).to_contain_text("Violet: from the file.")
    go_to(page, GIVEN)
    expect(page.locator("#first .dep-arc.kept")).to_have_count(0)


def test_sentences_are_chosen_by_what_they_have(page, corpus):
    sentences = list(read_sentences(corpus))
    page.get_by_label("Word", exact=True).fill("she")
    she = [n for n, one in enumerate(sentences) if "she" in map(str.lower, one.forms + one.column(3))]
    expect(page.locator("#pages")).to_contain_text(f"{len(she)} sentence")
    assert listed(page) == she[:25]
    page.get_by_label("Word", exact=True).fill("nothing-of-the-kind")
    expect(page.locator("#pages")).to_have_text("no such sentence")
    page.get_by_label("Word", exact=True).fill("")
    page.get_by_label("at least so many words").fill("5")
    page.get_by_label("at most so many words").fill("6")
    short = [n for n, one in enumerate(sentences) if 5 <= len(one) <= 6]
    expect(page.locator("#pages")).to_contain_text(f"{len(short)} sentence")
    page.get_by_label("Verdict").select_option("poor")
    expect(page.locator("#pages")).not_to_contain_text(f"· {len(short)} sentence")


def test_words_can_run_down_the_page(page):
    page.get_by_role("button", name="Downwards").click()
    expect(page.locator("#first .dep-row").first).to_be_visible()
    page.keyboard.press("n")
    is_at(page, GIVEN + 1)
    expect(page.locator("#first .dep-row").first).to_be_visible()


# ---------------------------------------------------------------- doing


def test_a_head_is_corrected_by_the_keyboard_and_saved_at_once(page, server):
    child, head = another_head(page)
    set_head(page, child, head)
    expect(arc(page, child, head)).to_have_class(re.compile("corrected"))
    assert dict(server.desk.journal[GIVEN].heads) == {child: head}
    expect(word_button(page, child)).to_be_focused()
    expect(page.locator(f'#sentences button[data-number="{GIVEN}"] .mark')).to_have_text("corrected")


def test_a_head_is_corrected_by_dragging(page, server):
    child, head = another_head(page)
    start, end = (word_button(page, word).bounding_box() for word in (child, head))
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=6)
    page.mouse.up()
    expect(arc(page, child, head)).to_have_class(re.compile("corrected"))
    assert dict(server.desk.journal[GIVEN].heads) == {child: head}


def test_the_rest_is_parsed_around_a_correction_and_all_can_be_undone(page, server):
    before = heads(page)
    root = before.index(0) + 1
    other = 1 if root != 1 else 2
    word_button(page, other).focus()
    page.keyboard.press("r")
    expect(arc(page, other, 0)).to_be_visible()
    assert heads(page).count(0) == 1
    page.keyboard.press("Control+z")
    expect(arc(page, root, 0)).to_be_visible()
    assert heads(page) == before
    assert dict(server.desk.journal[GIVEN].heads) == {}
    assert server.desk.journal[GIVEN].version == 2


def test_a_relation_is_named_with_the_keyboard_alone(page, server):
    child = next(word for word, head in enumerate(heads(page), start=1) if head)
    word_button(page, child).focus()
    page.keyboard.press("l")
    expect(page.get_by_role("combobox", name="Relation of")).to_be_focused()
    page.keyboard.type("voc")
    expect(page.locator("#label-list li")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator("#label-chooser")).to_be_hidden()
    expect(word_button(page, child)).to_be_focused()
    expect(word_button(page, child)).to_have_attribute("aria-label", re.compile("vocative of"))
    assert dict(server.desk.journal[GIVEN].labels) == {child: "vocative"}
    page.keyboard.press("l")
    page.keyboard.type("nmod:poss")  # a subtype that nobody has used
    page.keyboard.press("Enter")
    expect(word_button(page, child)).to_have_attribute("aria-label", re.compile("nmod:poss of"))
    page.keyboard.press("l")
    page.keyboard.press("Escape")
    expect(page.locator("#label-chooser")).to_be_hidden()
    assert dict(server.desk.journal[GIVEN].labels) == {child: "nmod:poss"}


def test_a_relation_that_was_proposed_can_be_kept_and_left_to_the_grammar_again(page, server):
    child = next(word for word, head in enumerate(heads(page), start=1) if head)
    proposed = server.desk.shown(GIVEN).labels[child - 1]
    mark = page.locator(f'#sentences button[data-number="{GIVEN}"] .mark')
    word_button(page, child).focus()
    page.keyboard.press("l")
    page.keyboard.press("Enter")
    expect(page.locator("#word")).to_contain_text(f"{proposed}, as you named it; the head is the grammar’s")
    expect(mark).to_have_text("corrected")
    assert dict(server.desk.journal[GIVEN].labels) == {child: proposed}
    page.keyboard.press("l")
    page.keyboard.press("Enter")  # it is known already
    expect(page.locator("#label-chooser")).to_be_hidden()
    page.keyboard.press("o")
    expect(page.locator("#word")).to_contain_text(f"{proposed}; the head is the grammar’s")
    expect(mark).to_have_count(0)
    assert server.desk.journal[GIVEN] == Work(version=2)


def test_checked_trees_are_marked_and_the_next_one_comes(page, server):
    page.keyboard.press("c")
    is_at(page, GIVEN + 1)
    assert server.desk.checked == [GIVEN]
    expect(page.locator(f'#sentences button[data-number="{GIVEN}"] .mark')).to_have_text("✓")
    expect(page.locator("#about-file")).to_contain_text("1 checked")
    go_to(page, GIVEN)
    expect(page.locator("#check")).to_have_attribute("aria-pressed", "true")
    page.locator("#check").click()
    expect(page.get_by_role("button", name="Mark as checked")).to_be_visible()
    assert server.desk.checked == []


def test_who_works_down_the_list_of_unchecked_sentences_misses_none(page, server):
    page.get_by_label("Done").select_option("unchecked")
    expect(page.locator("#pages")).to_contain_text(f"{COUNT} sentences")
    go_to(page, 0)
    for number in range(COUNT - 1):
        is_at(page, number)
        page.keyboard.press("c")
    is_at(page, COUNT - 1)
    assert server.desk.checked == list(range(COUNT - 1))


def test_identical_sentences_have_their_own_corrections(open_page, models, tmp_path):
    path = demo_part(tmp_path / "twice.conllu", count=1)
    path.write_text(2 * without_heads(path.read_text("utf-8")))
    with desk_on(path, models / "dmv") as desk, running(desk.shelf, desk=desk) as server:
        page = open_page(server.address)
        go_to(page, 0)
        set_head(page, *(changed := another_head(page)))
        expect(arc(page, *changed)).to_have_class(re.compile("corrected"))
        go_to(page, 1)
        expect(page.locator("#first .dep-arc.corrected")).to_have_count(0)


# ---------------------------------------------------------------- two people


def test_the_second_of_two_is_told_and_can_do_both(page, server):
    child, head = another_head(page)
    other = next(word for word in range(1, len(heads(page)) + 1) if word not in (child, head))
    theirs = next(above for above in range(1, len(heads(page)) + 1) if above not in (other, child))
    give_head(server.desk, GIVEN, other, theirs)
    set_head(page, child, head)
    expect(page.locator("#question")).to_contain_text("Somebody else has saved this sentence")
    expect(arc(page, other, theirs)).to_have_class(re.compile("corrected"))
    assert dict(server.desk.journal[GIVEN].heads) == {other: theirs}
    page.get_by_role("button", name="Do mine, too").click()
    expect(arc(page, child, head)).to_have_class(re.compile("corrected"))
    assert dict(server.desk.journal[GIVEN].heads) == {other: theirs, child: head}


def test_what_others_have_checked_is_counted(page, server):
    ask(server.desk, "desk-save", number=7, version=0, checked=True)
    expect(page.locator("#about-file")).to_contain_text("1 checked", timeout=30_000)


# ---------------------------------------------------------------- taking away, and learning


def test_exports_are_valid_and_have_what_was_done(page, server, tmp_path):
    child, head = another_head(page)
    set_head(page, child, head)
    expect(arc(page, child, head)).to_have_class(re.compile("corrected"))
    page.keyboard.press("c")
    is_at(page, GIVEN + 1)
    everything = exported(page, "Export all", tmp_path)
    assert level_two_faults(everything) == []
    sentences = list(read_text(everything))
    assert len(sentences) == COUNT
    assert sentences[GIVEN].heads[child - 1] == head
    (only,) = read_text(exported(page, "Export checked", tmp_path))
    assert only.heads == sentences[GIVEN].heads


def test_a_grammar_learns_from_checked_trees_while_the_page_goes_on(page, server):
    expect(page.get_by_role("button", name="Retrain")).to_be_disabled()
    for number in range(GIVEN, GIVEN + 7):
        is_at(page, number)
        page.keyboard.press("c")
    page.get_by_role("button", name="Retrain").click()
    expect(page.locator("#retraining progress")).to_be_visible()
    page.keyboard.press("n")  # nobody has to wait
    expect(page.locator("#retraining")).to_contain_text("retrained-1 has learned from 7 trees", timeout=RETRAINED)
    expect(page.locator("#grammar")).to_have_value("retrained-1")
    expect(page.locator("#retraining table")).to_contain_text("on trees that it did not see", timeout=RETRAINED)
    assert server.desk.before.name == "dmv"
    page.locator("#grammar").select_option("dmv")
    expect(page.locator("#grammar")).to_have_value("dmv")
    surveyed(server.desk)
    if changed := ask(server.desk, "desk")["changed"]:
        page.get_by_role("button", name="Show them").click()
        expect(page.locator("#pages")).to_contain_text(f"{changed} sentence")


# ---------------------------------------------------------------- what goes wrong


def test_what_is_not_saved_is_not_shown_as_if_it_were(page, server, monkeypatch):
    def full(*given):
        raise OSError(28, "No space left on device")

    before = heads(page)
    child, head = another_head(page)
    with monkeypatch.context() as patch:
        patch.setattr("depinduce.serve.journal.append_line", full)
        set_head(page, child, head)
        expect(page.locator("#question")).to_contain_text("Not saved")
        expect(page.locator("#fault")).to_contain_text("No space left on device")
        assert heads(page) == before
    page.get_by_role("button", name="Try again").click()
    expect(arc(page, child, head)).to_have_class(re.compile("corrected"))
    expect(page.locator("#fault")).to_be_empty()


def held_save(page: Page, child: int, head: int):
    """Give a word a head; the save that the page sends does not reach the server by itself, as later ones do."""
    held = []
    page.route("**/api/desk-save", lambda route: route.continue_() if held else held.append(route))
    with page.expect_request("**/api/desk-save"):
        set_head(page, child, head)
    while not held:
        page.wait_for_timeout(5)  # in which the browser hands it over
    return held[0]


def test_a_tree_is_checked_with_the_head_that_was_just_given(page, server):
    child, head = another_head(page)
    save = held_save(page, child, head)
    page.keyboard.press("c")  # before the server has answered
    save.continue_()
    is_at(page, GIVEN + 1)
    work = server.desk.journal[GIVEN]
    assert work.version == 2 and dict(work.heads) == {child: head}
    assert work.tree.heads[child - 1] == head


def test_what_was_not_saved_of_one_sentence_is_not_done_to_another(page, server):
    child, head = another_head(page)
    save = held_save(page, child, head)
    page.keyboard.press("n")
    is_at(page, GIVEN + 1)
    save.abort()
    expect(page.locator("#question")).to_contain_text(f"Not saved (sentence {GIVEN + 1})")
    page.get_by_role("button", name="Try again").click()
    is_at(page, GIVEN)
    expect(arc(page, child, head)).to_have_class(re.compile("corrected"))
    assert dict(server.desk.journal[GIVEN].heads) == {child: head}
    assert server.desk.journal[GIVEN + 1].version == 0


def test_whoever_has_gone_on_is_told_that_somebody_else_was_quicker(page, server):
    child, head = another_head(page)
    save = held_save(page, child, head)
    page.keyboard.press("n")
    is_at(page, GIVEN + 1)
    check(server.desk, GIVEN)
    save.continue_()
    is_at(page, GIVEN)
    expect(page.locator("#question")).to_contain_text("Somebody else has saved this sentence")
    expect(page.locator("#first.is-checked")).to_be_visible()
    assert dict(server.desk.journal[GIVEN].heads) == {}


def test_an_undo_takes_nothing_of_others_away(page, server):
    child, head = another_head(page)
    set_head(page, child, head)
    expect(arc(page, child, head)).to_have_class(re.compile("corrected"))
    expect(page.locator("#undo")).to_be_enabled()
    check(server.desk, GIVEN)
    page.keyboard.press("n")
    is_at(page, GIVEN + 1)
    page.keyboard.press("p")
    is_at(page, GIVEN)
    expect(page.locator("#first.is-checked")).to_be_visible()
    expect(page.locator("#undo")).to_be_disabled()
    page.keyboard.press("Control+z")
    assert server.desk.journal[GIVEN].is_checked


def test_several_things_are_undone_one_after_the_other(page, server):
    before = heads(page)
    child, head = another_head(page)
    set_head(page, child, head)
    expect(arc(page, child, head)).to_have_class(re.compile("corrected"))
    page.keyboard.press("l")
    page.keyboard.type("voc")
    page.keyboard.press("Enter")
    expect(word_button(page, child)).to_have_attribute("aria-label", re.compile("vocative of"))
    page.keyboard.press("Control+z")
    expect(word_button(page, child)).not_to_have_attribute("aria-label", re.compile("vocative of"))
    page.keyboard.press("Control+z")
    expect(page.locator("#first .dep-arc.corrected")).to_have_count(0)
    assert heads(page) == before
    expect(page.locator("#undo")).to_be_disabled()


def test_everything_is_there_when_browser_and_server_have_been_killed(browser, models, corpus, tmp_path):
    context = browser.new_context()
    with serving(models, tmp_path, "dmv", file=corpus) as served:
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{served.port}/")
        in_the_order_of_the_file(page)
        go_to(page, GIVEN)
        child, head = another_head(page)
        set_head(page, child, head)
        expect(arc(page, child, head)).to_have_class(re.compile("corrected"))
        page.keyboard.press("c")
        is_at(page, GIVEN + 1)
        context.close()
        os.kill(served.process.pid, signal.SIGKILL)
        served.process.wait(60)
    with desk_on(corpus, models / "dmv") as desk:
        assert dict(desk.journal[GIVEN].heads) == {child: head}
        assert desk.checked == [GIVEN]


def test_a_server_that_is_gone_is_told_and_one_that_is_back_is_used(open_page, models, corpus):
    with desk_on(corpus, models / "dmv") as desk, running(desk.shelf, desk=desk) as server:
        page = open_page(server.address)
        in_the_order_of_the_file(page)
        go_to(page, GIVEN)
        child, head = another_head(page)
        page.route("**/api/**", lambda route: route.abort())
        set_head(page, child, head)
        expect(page.locator("#question")).to_contain_text("The server does not answer")
        page.unroute("**/api/**")
        page.get_by_role("button", name="Try again").click()
        expect(arc(page, child, head)).to_have_class(re.compile("corrected"))


# ---------------------------------------------------------------- looks


@pytest.mark.parametrize("width", [360, 800, 1200, 1900])
def test_nothing_sticks_out_at_any_width(width, open_page, server):
    page = open_page(server.address, width)
    word_button(page, 1).click()
    page.keyboard.press("l")
    expect(page.locator("#label-list li").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_right_to_left_words_run_from_right_to_left(open_page, models, tmp_path):
    path = tmp_path / "arabic.conllu"
    lines = "".join(
        f"{number}\t{word}\t_\t{tag}\t_\t_\t_\t_\t_\t_\n"
        for number, (word, tag) in enumerate([("نام", "VERB"), ("الكلب", "NOUN"), (".", "PUNCT")], start=1)
    )
    path.write_text(f"{lines}\n", encoding="utf-8")
    with desk_on(path, models / "dmv") as desk, running(desk.shelf, desk=desk) as server:
        page = open_page(server.address)
        order = "[...document.querySelectorAll('#first .word-button')].map((word) => word.getBoundingClientRect().x)"
        boxes = page.evaluate(order)
        assert len(boxes) == 3 and boxes == sorted(boxes, reverse=True)
        word_button(page, 1).focus()
        page.keyboard.press("ArrowLeft")
        expect(word_button(page, 2)).to_be_focused()
