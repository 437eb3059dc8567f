"""The page in a real browser: everything that people do with it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from serve.demo_models import SENTENCE, running, train_models

from depinduce.corpus import read_text
from depinduce.serve.shelf import COMPILING, Shelf

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:tags that training has not seen")]

try:
    from playwright.sync_api import Page, Route, expect
except ImportError:
    Page = Route = expect = None

AMBIGUOUS = "She/PRON saw/VERB the/DET boy/NOUN with/ADP a/DET telescope/NOUN ./PUNCT"
DOGS = "Dogs/NOUN bark/VERB"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    shelf = Shelf([train_models(tmp_path_factory.mktemp("browsed"))])
    for model in shelf.models.values():
        model.parser()
    with running(shelf) as server:
        yield server


@pytest.fixture
def open_page(windows, server):
    """A function that opens the page, with a text in it."""

    def open_page(width: int = 1200, height: int = 900, text: str | None = SENTENCE, **options) -> Page:
        page = windows(server.address, width, height, **options)
        if text is not None:
            expect(page.locator("#first svg")).to_be_visible()
            write(page, text)
        return page

    return open_page


@pytest.fixture
def page(open_page) -> Page:
    return open_page()


def write(page: Page, text: str) -> None:
    """Put a text into the page and wait for its first tree."""
    page.locator("#text").fill(text)
    first = next(line for line in text.splitlines() if line and not line.startswith("#"))
    word = first.split("\t")[1] if "\t" in first else first.split()[0].rpartition("/")[0]
    expect(word_button(page, 1)).to_have_attribute("aria-label", re.compile(re.escape(f"{word}, ")))


def word_button(page: Page, number: int, side: str = "first"):
    return page.locator(f'#{side} .word-button[data-word="{number}"]')


def arc(page: Page, child: int, head: int, side: str = "first"):
    return page.locator(f'#{side} .tree .dep-arc[data-child="{child}"][data-head="{head}"]')


def heads(page: Page, side: str = "first") -> list[int]:
    arcs = page.locator(f"#{side} .tree .dep-arc").evaluate_all(
        "arcs => arcs.map(arc => [Number(arc.dataset.child), Number(arc.dataset.head)])"
    )
    return [head for _, head in sorted(arcs)]


def hit(page: Page, child: int) -> None:
    """Click the middle of an arc's line."""
    place = page.locator(f'#first .tree .dep-arc[data-child="{child}"] path').first.evaluate(
        """line => {
            const middle = line.getPointAtLength(line.getTotalLength() / 2).matrixTransform(line.getScreenCTM());
            return [middle.x, middle.y];
        }"""
    )
    page.mouse.click(*place)


def choose_head(page: Page, child: int, head: int) -> None:
    word_button(page, child).click()
    page.get_by_role("button", name="Choose another in the tree").click()
    word_button(page, head).click()


def fits(page: Page) -> bool:
    """Whether nothing sticks out of the window at its side."""
    return page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


# ---------------------------------------------------------------- trees


def test_the_page_opens_with_an_example_and_its_tree(open_page):
    page = open_page(text=None)
    expect(page.locator("#first svg")).to_be_visible()
    assert "/NOUN" in page.locator("#text").input_value()
    expect(page.locator("#first h2")).to_have_text("dmv")
    expect(page.locator("#status")).to_be_empty()
    expect(page.locator("#fault")).to_be_empty()


def test_examples_come_one_after_the_other(open_page):
    page = open_page(text=None)
    expect(page.locator("#first svg")).to_be_visible()
    before = page.locator("#text").input_value()
    page.get_by_role("button", name="Another example").click()
    after = page.locator("#text").input_value()
    assert after != before
    expect(page.locator("#first .word-button")).to_have_count(len(after.split()))


def test_arcs_are_as_faint_as_they_are_improbable_and_tell_it(page):
    write(page, AMBIGUOUS)
    shown = page.locator("#first .tree .dep-arc[opacity]").evaluate_all(
        "arcs => arcs.map(arc => [Number(arc.getAttribute('opacity')), arc.querySelector('title').textContent])"
    )
    assert len(shown) == 7  # but for the full stop
    for opacity, remark in shown:
        probability = float(re.search(r"→ .*, probability (\d\.\d\d)$", remark)[1])
        assert opacity == pytest.approx(0.25 + 0.75 * probability, abs=0.011)


def test_conllu_can_be_pasted(page):
    write(page, "# sent_id = s7\n1\tDogs\t_\tNOUN\t_\t_\t_\t_\t_\t_\n2\tbark\t_\tVERB\t_\t_\t_\t_\t_\t_\n")
    expect(page.locator("#first .bar")).to_contain_text("s7")
    assert heads(page) == [2, 0]


GIVEN = "1\tDogs\t_\tNOUN\t_\t_\t0\troot\t_\t_\n2\tbark\t_\tVERB\t_\t_\t_\t_\t_\t_\n"


def test_heads_in_conllu_are_kept_and_told_apart(page):
    write(page, GIVEN)
    expect(arc(page, 1, 0)).to_have_class(re.compile("kept"))
    assert heads(page) == [0, 1]
    expect(arc(page, 2, 1)).not_to_have_class(re.compile("kept"))
    expect(page.locator("#first .verdict")).to_contain_text("The best tree with the heads of your text")
    expect(page.locator("#first .legend")).to_contain_text("Violet")
    page.locator("#trees .alternative").first.click()  # what the grammar would have said
    expect(arc(page, 2, 0)).to_be_visible()


def test_identical_sentences_have_their_own_corrections(page):
    write(page, f"{DOGS}\n{DOGS}")
    assert heads(page) == [2, 0]
    choose_head(page, 2, 1)
    page.get_by_role("button", name="Yes, put it there").click()
    expect(page.locator("#sentences .mark")).to_have_count(1)
    page.locator("#sentences button").nth(1).click()
    expect(page.locator("#first .verdict")).to_contain_text("The best tree")
    assert heads(page) == [2, 0]


def test_words_can_run_down_the_page(page):
    first, last = (word_button(page, number) for number in (1, 8))
    assert first.bounding_box()["y"] == pytest.approx(last.bounding_box()["y"], abs=3)
    page.get_by_role("button", name="Downwards").click()
    expect(page.locator("#first .dep-row").first).to_be_visible()
    assert last.bounding_box()["y"] > first.bounding_box()["y"] + 100
    page.get_by_role("button", name="Downwards").click()
    expect(page.locator("#first .dep-row")).to_have_count(0)


def test_a_second_grammar_that_cannot_read_a_text_does_not_stop_the_first(page):
    page.get_by_label("Compare with").select_option("siblings")
    expect(page.locator("#second svg")).to_be_visible()

    def refuse(route: Route):
        if route.request.post_data_json["model"] == "siblings":
            route.fulfill(status=400, json={"error": "A word without a tag."})
        else:
            route.continue_()

    page.route("**/api/parse", refuse)
    write(page, DOGS)
    expect(page.locator("#first .word-button")).to_have_count(2)
    expect(page.locator("#second")).to_be_hidden()
    expect(page.locator("#warning")).to_contain_text("siblings cannot be compared: A word without a tag.")
    expect(page.locator("#fault")).to_be_empty()


def test_tokens_from_right_to_left_stay_in_their_order_in_the_box(page):
    page.locator("#text").fill("كلب/NOUN ./PUNCT")
    assert page.locator("#text").evaluate("box => getComputedStyle(box).direction") == "ltr"


def test_one_of_several_sentences_can_be_chosen(page):
    write(page, f"{SENTENCE}\n{DOGS}")
    listed = page.locator("#sentences button")
    expect(listed).to_have_count(2)
    listed.nth(1).click()
    expect(page.locator("#first .word-button")).to_have_count(2)
    expect(listed.nth(1)).to_have_attribute("aria-current", "true")
    expect(page.locator("#first .bar")).to_contain_text("sentence 2 of 2")


def test_another_grammar_can_be_chosen(page):
    page.get_by_label("Grammar").select_option("siblings")
    expect(page.locator("#first h2")).to_have_text("siblings")
    expect(page.locator("#first .bar")).to_contain_text("a sibling grammar over tags")


def test_while_charts_are_compiled_the_page_says_so(open_page, server, monkeypatch):
    model = server.shelf["siblings"]
    state = model.state
    monkeypatch.setattr(model, "state", COMPILING)
    page = open_page()
    page.get_by_label("Grammar").select_option("siblings")
    expect(page.locator("#status")).to_contain_text("Preparing the charts")
    expect(page.locator("#first h2")).to_have_text("dmv")
    model.state = state
    expect(page.locator("#first h2")).to_have_text("siblings")
    expect(page.locator("#status")).to_be_empty()


# ---------------------------------------------------------------- alternatives, other heads, rules


def test_the_best_trees_are_shown_with_their_probabilities(page):
    write(page, AMBIGUOUS)
    trees = page.locator("#trees .alternative")
    expect(trees).to_have_count(6)
    numbers = [float(re.search(r"\d\. <?(\d\.\d+)", text)[1]) for text in trees.all_inner_texts()]
    assert numbers == sorted(numbers, reverse=True)
    best = heads(page)
    expect(trees.nth(0)).to_have_attribute("aria-pressed", "true")
    trees.nth(1).click()
    expect(page.locator("#first .verdict")).to_contain_text("Tree 2: probability")
    expect(page.locator("#first .verdict")).to_contain_text("times less probable than the best")
    assert heads(page) != best
    expect(trees.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(trees.nth(1)).to_be_focused()  # though the pictures are made anew
    page.get_by_role("button", name="Keep this tree").click()
    expect(page.locator("#first .verdict")).to_contain_text("Your tree")
    page.get_by_role("button", name="Back to the grammar’s tree").click()
    expect(page.locator("#first .verdict")).to_contain_text("The best tree")
    assert heads(page) == best


def test_a_click_on_an_arc_tells_the_rules_that_made_it(page):
    hit(page, 2)
    expect(page.locator("#why .arc-line")).to_have_text("answer → girls")
    rules = page.locator("#why .rules li")
    expect(rules).to_have_count(4)
    expect(rules.nth(0)).to_have_text(re.compile(r"VERB has a child on its left\s*0\.\d+"))
    expect(rules.nth(1)).to_have_text(re.compile(r"VERB takes NOUN as the farthest child on its left\s*0\.\d+"))
    expect(page.locator("#why .posterior")).to_have_text(re.compile(r"[01]\.\d\d that this is right"))
    expect(page.locator("#heads h3")).to_have_text("Heads that “girls” could have")


def test_punctuation_has_no_rules_and_the_page_says_why(page):
    word_button(page, 8).click()
    expect(page.locator("#why")).to_contain_text("The grammar does not see punctuation")


def test_hidden_states_are_explained(page):
    page.get_by_label("Grammar").select_option("hidden")
    expect(page.locator("#first h2")).to_have_text("hidden")
    expect(page.locator("#trees")).to_contain_text(
        "One tree, that with the most probable arcs: this model has hidden states"
    )
    word_button(page, 2).click()
    expect(page.locator("#why")).to_contain_text("By the grammar without its hidden states")


def test_the_heads_that_a_word_could_have_are_listed_and_one_can_be_taken(page):
    write(page, AMBIGUOUS)
    word_button(page, 5).click()
    rows = page.locator("#heads .choice")
    expect(rows.first).to_be_visible()
    current = page.locator("#heads .choice[aria-current]")
    expect(current).to_contain_text(page.locator("#why .arc-line").inner_text().partition(" ")[0])
    other = page.locator("#heads button.choice[data-head]").first
    head = int(other.get_attribute("data-head"))
    other.click()
    expect(arc(page, 5, head)).to_be_visible()
    expect(page.locator("#first .verdict")).to_contain_text("Your tree, 1 head changed")


# ---------------------------------------------------------------- two grammars


def test_two_grammars_are_compared_and_what_differs_is_marked_and_told(page):
    page.get_by_label("Compare with").select_option("siblings")
    expect(page.locator("#second h2")).to_have_text("siblings")
    both = zip(heads(page), heads(page, "second"), strict=True)
    differing = [number for number, (one, other) in enumerate(both, start=1) if one != other]
    # make sure that there is something to see: whatever they agree on, a correction makes them differ
    page.locator("#first").get_by_role("button", name=re.compile("^girls, ")).click()
    page.get_by_role("button", name="Choose another in the tree").click()
    word_button(page, 5).click()
    expect(page.locator("#first .verdict")).to_contain_text("Your tree, 1 head")
    word_button(page, 8).click()  # punctuation, which does not count
    page.get_by_role("button", name="Choose another in the tree").click()
    word_button(page, 1).click()
    expect(page.locator("#first .verdict")).to_contain_text("Your tree, 2 heads")
    expected = sorted({*differing, 2} - {8})
    expect(page.locator("#second .verdict")).to_have_text(f"Differs in {len(expected)} of 7 heads")
    expect(page.locator("#second .differences")).to_contain_text("girls: letter above, ")
    for side in ("first", "second"):
        arcs = page.locator(f"#{side} .tree .dep-arc.differs")
        marked = arcs.evaluate_all("arcs => arcs.map(arc => Number(arc.dataset.child))")
        assert sorted(marked) == expected
    word_button(page, 2, "second").click()
    expect(page.locator("#why .rules li")).to_have_count(4)
    expect(page.get_by_role("button", name="Choose another in the tree")).to_have_count(0)  # the first is corrected
    page.get_by_label("Compare with").select_option("")
    expect(page.locator("#second")).to_be_hidden()
    expect(page.locator("#first .tree .dep-arc.differs")).to_have_count(0)


def test_a_grammar_compared_with_itself_is_the_same(page):
    page.get_by_label("Compare with").select_option("dmv")
    expect(page.locator("#second .verdict")).to_have_text("The same 7 heads")


# ---------------------------------------------------------------- corrections


def test_a_head_is_corrected_by_clicking_and_the_correction_undone(page):
    before = heads(page)
    choose_head(page, 6, 5)
    expect(arc(page, 6, 5)).to_have_class(re.compile("corrected"))
    expect(page.locator("#first .verdict")).to_have_text(
        re.compile(r"^Your tree, 1 head changed: probability .* times less probable than the best$")
    )
    expect(word_button(page, 6)).to_have_attribute("aria-label", re.compile("head letter.*corrected"))
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#first .dep-arc.corrected")).to_have_count(0)
    assert heads(page) == before


def drag(page: Page, source, target) -> None:
    begin, end = source.bounding_box(), target.bounding_box()
    page.mouse.move(begin["x"] + begin["width"] / 2, begin["y"] + begin["height"] / 2)
    page.mouse.down()
    page.mouse.move(begin["x"], begin["y"] - 40, steps=4)
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=4)


def test_a_head_is_corrected_by_dragging(page):
    drag(page, word_button(page, 7), word_button(page, 5))
    expect(page.locator("#first .drag")).to_be_visible()
    expect(word_button(page, 5)).to_have_class(re.compile("target"))
    page.mouse.up()
    expect(arc(page, 7, 5)).to_have_class(re.compile("corrected"))
    expect(page.locator("#first .drag")).to_have_count(0)


def test_a_drag_can_be_given_up(page):
    before = heads(page)
    drag(page, word_button(page, 7), word_button(page, 5))
    page.keyboard.press("Escape")
    page.mouse.up()
    expect(page.locator("#first .drag")).to_have_count(0)
    drag(page, word_button(page, 7), page.locator("h1"))
    page.mouse.up()
    drag(page, word_button(page, 7), word_button(page, 7))
    page.mouse.up()
    assert heads(page) == before
    expect(page.locator("#first .verdict")).to_contain_text("The best tree")


def test_a_word_is_dragged_to_the_root_after_a_question(page):
    drag(page, word_button(page, 2), page.locator("#first .root-target"))
    expect(page.locator("#first .root-target")).to_be_visible()
    page.mouse.up()
    expect(page.locator("#question")).to_contain_text(
        "A tree has one root, which is “answer”. Make “girls” the root, and the head of “answer”?"
    )
    page.get_by_role("button", name="Yes, make it the root").click()
    expect(arc(page, 2, 0)).to_have_class(re.compile("corrected"))
    expect(arc(page, 3, 2)).to_have_class(re.compile("corrected"))


def test_a_circle_is_refused_in_words_and_mended_on_request(page):
    before = heads(page)
    assert before[:3] == [2, 3, 0]
    choose_head(page, 3, 1)
    expect(page.locator("#question")).to_contain_text("“The” hangs below “answer”, so the heads would go in a circle")
    page.get_by_role("button", name="No", exact=True).click()
    expect(page.locator("#question")).to_be_hidden()
    assert heads(page) == before
    choose_head(page, 3, 1)
    page.get_by_role("button", name="Yes, put it there").click()
    expect(arc(page, 3, 1)).to_be_visible()
    assert heads(page)[:3] == [0, 3, 1]
    expect(page.locator("#first .verdict")).to_contain_text("does not allow this tree")  # a DET with children


def test_crossing_arcs_are_allowed_and_told(page):
    choose_head(page, 5, 1)
    expect(page.locator("#first .verdict")).to_contain_text("Some arcs cross")


def test_everything_can_be_done_with_the_keyboard(page):
    page.locator("#text").focus()
    word_button(page, 1).focus()
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    expect(word_button(page, 7)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#why .arc-line")).to_contain_text("→ home")
    page.keyboard.press("h")
    expect(page.locator("#question")).to_contain_text("Click the new head of “home”")
    page.keyboard.press("Escape")
    expect(page.locator("#question")).to_be_hidden()
    page.keyboard.press("h")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(arc(page, 7, 5)).to_have_class(re.compile("corrected"))
    expect(word_button(page, 5)).to_be_focused()
    page.keyboard.press("Control+z")
    expect(page.locator("#first .dep-arc.corrected")).to_have_count(0)
    page.keyboard.press("h")
    page.keyboard.press("0")
    expect(page.locator("#question")).to_contain_text("A tree has one root")


def test_only_one_word_is_a_stop_for_the_tab_key(page):
    expect(page.locator('#first .word-button[tabindex="0"]')).to_have_count(1)


def download(page: Page) -> str:
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download CoNLL-U").click()
    assert waiting.value.suggested_filename == "trees.conllu"
    return Path(waiting.value.path()).read_text(encoding="utf-8")


def test_all_sentences_are_downloaded_with_their_corrections(page):
    text = (
        "# sent_id = one\n# a remark\n1\tDogs\tdog\tNOUN\tNNS\tNumber=Plur\t_\tnsubj\t_\tA=b\n"
        "2\tbark\tbark\tVERB\tVBP\t_\t_\troot\t_\tSpaceAfter=No\n\n1\tCats\t_\tNOUN\t_\t_\t_\t_\t_\t_\n"
        "2\tsleep\t_\tVERB\t_\t_\t_\t_\t_\t_\n3\tnow\t_\tADV\t_\t_\t_\t_\t_\t_\n\n"
    )
    write(page, text)
    page.locator("#sentences button").nth(1).click()
    expect(page.locator("#first .word-button")).to_have_count(3)
    assert heads(page)[1] == 0
    choose_head(page, 3, 1)
    expect(arc(page, 3, 1)).to_be_visible()
    expect(page.locator("#sentences button").nth(1)).to_contain_text("corrected")
    page.locator("#sentences button").nth(0).click()
    expect(page.locator("#first .word-button")).to_have_count(2)
    expected = text.replace("Plur\t_\tnsubj", "Plur\t2\tdep").replace("VBP\t_\t_", "VBP\t_\t0")
    expected = expected.replace("Cats\t_\tNOUN\t_\t_\t_\t_", "Cats\t_\tNOUN\t_\t_\t2\tdep")
    expected = expected.replace("sleep\t_\tVERB\t_\t_\t_\t_", "sleep\t_\tVERB\t_\t_\t0\troot")
    expected = expected.replace("now\t_\tADV\t_\t_\t_\t_", "now\t_\tADV\t_\t_\t1\tdep")
    assert download(page) == expected
    expect(page.locator("#downloaded")).to_have_text("2 sentences, 1 corrected")
    page.locator("#sentences button").nth(1).click()
    expect(arc(page, 3, 1)).to_have_class(re.compile("corrected"))  # it is still there


def test_a_correction_stays_when_another_sentence_is_added(page):
    choose_head(page, 7, 5)
    expect(arc(page, 7, 5)).to_be_visible()
    page.locator("#text").fill(f"{SENTENCE}\n{DOGS}")
    expect(page.locator("#sentences button")).to_have_count(2)
    expect(arc(page, 7, 5)).to_have_class(re.compile("corrected"))
    first, _ = read_text(download(page))
    assert first.heads[6] == 5


@pytest.mark.parametrize("way_back", ["Undo", "Back to the grammar’s tree"])
def test_a_correction_that_was_taken_back_leaves_no_tree_for_another_grammar(way_back, page):
    page.get_by_label("Grammar").select_option("hidden")
    expect(page.locator("#first h2")).to_have_text("hidden")
    own = heads(page)
    page.get_by_label("Grammar").select_option("dmv")
    expect(page.locator("#first h2")).to_have_text("dmv")
    assert heads(page) != own
    choose_head(page, 7, 5)
    expect(page.locator("#first .verdict")).to_have_text(re.compile("^Your tree"))
    page.get_by_role("button", name=way_back).click()
    expect(page.locator("#first .verdict")).to_have_text(re.compile("^The best tree"))
    page.get_by_label("Grammar").select_option("hidden")
    expect(page.locator("#first h2")).to_have_text("hidden")
    expect(page.locator("#first .verdict")).to_have_text("The best tree")
    assert heads(page) == own


def test_the_browser_asks_before_corrections_are_lost_until_they_are_downloaded(page):
    def asks() -> bool:
        return page.evaluate("() => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }))")

    assert not asks()
    choose_head(page, 7, 5)
    expect(arc(page, 7, 5)).to_have_class(re.compile("corrected"))
    assert asks()
    download(page)
    expect(page.locator("#downloaded")).to_have_text("1 sentence, 1 corrected")
    assert not asks()
    choose_head(page, 7, 2)
    expect(arc(page, 7, 2)).to_have_class(re.compile("corrected"))
    assert asks()
    for _ in range(2):
        page.get_by_role("button", name="Undo").click()
    expect(page.locator("#first .verdict")).to_have_text(re.compile("^The best tree"))
    assert not asks()  # there is nothing left to lose


# ---------------------------------------------------------------- in a hurry


class Held:
    """Questions of the page to the server, whose answers wait."""

    def __init__(self, page: Page, action: str):
        self.page, self.questions, self.is_over = page, [], False
        page.route(f"**/api/{action}", lambda question: question.continue_() if self.is_over else self.keep(question))

    def keep(self, question: Route) -> None:
        self.questions.append(question)

    def release(self) -> None:
        """Answer all of them, in the order in which they came, and let the page do what it does then."""
        self.is_over = True
        for question in self.questions:
            with self.page.expect_event("requestfinished", lambda request, asked=question.request: request == asked):
                question.continue_()
        self.page.evaluate("() => new Promise((done) => setTimeout(done, 100))")


def test_a_word_that_is_looked_at_may_go_from_the_text(page):
    word_button(page, 8).click()
    expect(page.locator("#heads")).to_be_visible()
    write(page, DOGS)
    expect(page.locator("#first .word-button")).to_have_count(2)
    expect(page.locator("#heads")).to_be_hidden()
    expect(page.locator("#fault")).to_be_empty()


def test_a_grammar_that_takes_its_time_does_not_push_out_one_that_was_chosen_later(page, server, monkeypatch):
    slow = server.shelf["siblings"]
    monkeypatch.setattr(slow, "state", COMPILING)
    other = page.get_by_label("Compare with")
    other.select_option("siblings")
    expect(page.locator("#status")).to_contain_text("Preparing the charts")
    with page.expect_response(lambda answer: "siblings" in answer.request.post_data):  # how far it is by now
        other.select_option("hidden")
        expect(page.locator("#second h2")).to_have_text("hidden")
    write(page, DOGS)
    expect(page.locator("#second .word-button")).to_have_count(2)


def test_a_tree_goes_by_the_name_of_its_own_grammar_until_the_next_has_parsed_the_text(page):
    with page.expect_request("**/api/sentence"):
        looks = Held(page, "sentence")
        page.locator("#text").fill(AMBIGUOUS)
    with page.expect_request("**/api/parse"):
        parses = Held(page, "parse")
        page.get_by_label("Grammar").select_option("siblings")
    looks.release()
    expect(word_button(page, 1)).to_have_attribute("aria-label", re.compile("^She, "))
    expect(page.locator("#first h2")).to_have_text("dmv")
    parses.release()
    expect(page.locator("#first h2")).to_have_text("siblings")


@pytest.mark.parametrize("action", ["parse", "sentence", "draw"])
def test_a_text_that_was_deleted_does_not_come_back(action, page):
    with page.expect_request(f"**/api/{action}"):
        held = Held(page, action)
        page.locator("#text").fill(DOGS)
    page.locator("#text").fill("")
    expect(page.locator("#status")).to_contain_text("Type a sentence")
    held.release()
    expect(page.locator("#first")).to_be_hidden()
    expect(page.locator("#fault")).to_be_empty()
    expect(page.get_by_role("button", name="Download CoNLL-U")).to_be_disabled()


def test_what_is_done_to_a_tree_is_not_done_to_the_sentence_that_comes(page):
    page.locator("#text").fill(f"{SENTENCE}\n{AMBIGUOUS}")
    expect(page.locator("#first .bar")).to_contain_text("sentence 1 of 2")
    choose_head(page, 7, 5)
    expect(arc(page, 7, 5)).to_have_class(re.compile("corrected"))
    page.locator("#sentences button").nth(1).click()
    expect(word_button(page, 1)).to_have_attribute("aria-label", re.compile("^She, "))
    word_button(page, 5).click()
    with page.expect_request("**/api/sentence"):
        held = Held(page, "sentence")
        page.locator("#sentences button").nth(0).click()
    page.keyboard.press("Control+z")
    page.locator("#trees button").nth(1).click()
    page.locator("#heads button").first.click()
    page.get_by_role("button", name="Choose another in the tree").click()
    held.release()
    expect(page.locator("#first .verdict")).to_have_text(re.compile("^Your tree, 1 head changed"))
    expect(arc(page, 7, 5)).to_have_class(re.compile("corrected"))
    expect(page.locator("#fault")).to_be_empty()


# ---------------------------------------------------------------- faults and hostile input


def test_faults_are_shown_in_words_and_go_away(page):
    page.locator("#text").fill("Dogs/NOUN bark")
    expect(page.locator("#fault")).to_have_text(
        "Line 1: word 2 'bark' has no tag. Write its tag behind a slash: bark/NOUN."
    )
    expect(page.locator("body")).to_have_class(re.compile("is-stale"))
    page.locator("#text").fill("Dogs/NOUN bark/VERB")
    expect(page.locator("#fault")).to_be_empty()
    expect(page.locator("#first .word-button")).to_have_count(2)


def test_no_text_is_no_fault(page):
    page.locator("#text").fill("")
    expect(page.locator("#first")).to_be_hidden()
    expect(page.locator("#status")).to_contain_text("Type a sentence")
    expect(page.get_by_role("button", name="Download CoNLL-U")).to_be_disabled()


def test_unknown_tags_are_a_warning(page):
    write(page, "Dogs/NOUN bark/NEW")
    expect(page.locator("#warning")).to_have_text("Tags that training has not seen, parsed like an average tag: NEW.")


def test_a_server_that_is_gone_is_told(open_page):
    page = open_page()
    page.route("**/api/parse", lambda route: route.abort())
    page.locator("#text").fill(DOGS)
    expect(page.locator("#fault")).to_have_text("The server does not answer. Is `depinduce serve` still running?")


def test_hostile_words_are_only_text(page):
    words = ["<script>alert(1)</script>", "<img/src=x/onerror=alert(2)>", "\u200b\u200b", "&lt;b&gt;", "y" * 3000]
    write(page, " ".join(f"{word}/NOUN" for word in words))
    expect(page.locator("#first .word-button")).to_have_count(5)
    for number in range(1, 6):
        word_button(page, number).click()
        expect(page.locator("#why .rules li")).to_have_count(4 if heads(page)[number - 1] else 3)
    assert page.locator("script:not([src])").count() == page.locator("main img").count() == 0
    assert fits(page)


def test_right_to_left_sentences_run_from_right_to_left(page):
    write(page, "הילד/NOUN אכל/VERB תפוח/NOUN")
    places = [word_button(page, number).bounding_box()["x"] for number in (1, 2, 3)]
    assert places == sorted(places, reverse=True)
    word_button(page, 1).focus()
    page.keyboard.press("ArrowLeft")
    expect(word_button(page, 2)).to_be_focused()


# ---------------------------------------------------------------- how it looks


@pytest.mark.parametrize("width", [400, 800, 1200])
@pytest.mark.parametrize("text", [SENTENCE, " ".join([SENTENCE] * 4), f"{'x' * 200}/NOUN"])
def test_nothing_sticks_out_at_any_width(width, text, open_page):
    page = open_page(width, text=text)
    page.get_by_label("Compare with").select_option("siblings")
    expect(page.locator("#second svg")).to_be_visible()
    word_button(page, 1).click()
    expect(page.locator("#why .rules li").first).to_be_visible()
    assert fits(page)


def test_a_tree_is_drawn_anew_for_a_narrower_window(page):
    def runs_down() -> bool:
        return word_button(page, 2).bounding_box()["y"] > word_button(page, 1).bounding_box()["y"] + 10

    assert not runs_down()
    tall = page.locator("#first .tree svg").get_attribute("height")
    page.set_viewport_size({"width": 400, "height": 800})
    expect(page.locator("#first .tree svg")).not_to_have_attribute("height", tall)
    assert runs_down()
    assert fits(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_are_legible_on_a_light_and_on_a_dark_ground(scheme, open_page):
    page = open_page(color_scheme=scheme)

    def brightness(selector: str, what: str) -> float:
        colour = page.locator(selector).first.evaluate(f"element => getComputedStyle(element)['{what}']")
        return sum(map(int, re.findall(r"\d+", colour)[:3])) / 3

    for text, colour in (("#first .dep-word", "fill"), ("h2", "color"), (".verdict", "color"), ("#text", "color")):
        difference = brightness(text, colour) - brightness("#first", "backgroundColor")
        assert difference > 130 if scheme == "dark" else difference < -130
