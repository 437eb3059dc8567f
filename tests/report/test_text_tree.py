"""Trees in the terminal: fixed pictures, and trees read back from their own drawing."""

import re

import numpy as np
import pytest

from depinduce.evaluation.baselines import random_tree
from depinduce.report.display_width import display_width
from depinduce.report.text_tree import draw_tree

CAT = ["The", "old", "cat", "sat", "on", "the", "mat"]
CAT_TAGS = ["DET", "ADJ", "NOUN", "VERB", "ADP", "DET", "NOUN"]
CAT_HEADS = [3, 3, 4, 0, 7, 7, 4]


def picture(text):
    """A drawing written into the test: without the line break after the opening quotes."""
    return text.removeprefix("\n")


def any_tree(words, rng):
    """Heads of a random tree, projective or not: each word hangs on one that came before it in some order."""
    order = rng.permutation(words) + 1
    heads = [0] * words
    for number in range(1, words):
        heads[order[number] - 1] = int(order[rng.integers(number)])
    return heads


def names(words):
    """Words of different lengths, all different."""
    return [f"w{number}" + "x" * (number % 5) for number in range(1, words + 1)]


def test_one_word():
    assert draw_tree(["Yes"], ["INTJ"], [0], width=80) == " ╷\n ▼\nYes\nINTJ\n"


def test_arcs_above_the_words():
    assert draw_tree(CAT, CAT_TAGS, CAT_HEADS, width=80) == picture("""
                 ╷╭──────────────╮
 ╭────────╮      ││    ╭────────╮│
 │    ╭───┤╭────╮││    │    ╭───┤│
 ▼    ▼   │▼    │▼│    ▼    ▼   │▼
The  old  cat   sat   on   the  mat
DET  ADJ  NOUN  VERB  ADP  DET  NOUN
""")


def test_words_move_closer_before_the_form_changes():
    tight = draw_tree(CAT, CAT_TAGS, CAT_HEADS, width=31)
    assert tight.splitlines()[-2] == "The old cat  sat  on  the mat"
    assert tight.splitlines()[-1] == "DET ADJ NOUN VERB ADP DET NOUN"
    assert len(draw_tree(CAT, CAT_TAGS, CAT_HEADS, width=29).splitlines()) == len(CAT)


def test_gold_arcs_below_the_words():
    heads = [3, 3, 4, 0, 4, 7, 5]
    assert draw_tree(CAT, CAT_TAGS, heads, gold=CAT_HEADS, width=80) == picture("""
 ╭────────╮      ╷      ╭────────╮
 │    ╭───┤╭────╮│╭────╮│   ╭───╮│
 ▼    ▼   │▼    │▼│    ✗│   ▼   │✗
The  old  cat   sat   on   the  mat
DET  ADJ  NOUN  VERB  ADP  DET  NOUN
                  │    ▲        │▲
                  │    ╰────────╯│
                  ╰──────────────╯
""")


def test_outline_beside_the_words():
    assert draw_tree(CAT, CAT_TAGS, CAT_HEADS, width=20) == picture("""
   ╭──── The  DET
   ├──── old  ADJ
╭──┴─┄┄┄ cat  NOUN
●─┄┄┄┄┄┄ sat  VERB
│  ╭──── on   ADP
│  ├──── the  DET
╰──┴─┄┄┄ mat  NOUN
""")


def test_outline_names_the_gold_heads():
    heads = [3, 3, 0, 3, 7, 7, 4]
    lines = draw_tree(CAT, CAT_TAGS, heads, gold=CAT_HEADS, width=20).splitlines()
    assert lines[2].endswith("3 cat  NOUN  ✗ gold: 4 sat")
    assert lines[3].endswith("4 sat  VERB  ✗ gold: root")
    assert sum("✗" in line for line in lines) == 2


def test_crossing_lines_pass_without_joining():
    words = ["A", "hearing", "is", "scheduled", "on", "the", "issue", "today"]
    heads = [2, 4, 4, 0, 7, 7, 2, 4]
    assert draw_tree(words, ["X"] * 8, heads, width=80) == picture("""
                       ╷
         ╭─────────────│──────────────────╮
         │             │╭─────────────────│──────╮
        ╭│────────────╮││      ╭─────────╮│      │
 ╭─────╮││     ╭──────┤││      │    ╭────┤│      │
 ▼     │▼│     ▼      │▼│      ▼    ▼    │▼      ▼
 A   hearing  is   scheduled  on   the  issue  today
 X      X      X       X       X    X     X      X
""")
    assert draw_tree(words, ["X"] * 8, heads, width=20) == picture("""
  ╭───┄┄ A          X
╭─┼─┄┄┄┄ hearing    X
├─│───┄┄ is         X
●─│┄┄┄┄┄ scheduled  X
│ │ ╭─── on         X
│ │ ├─── the        X
│ ╰─┴─┄┄ issue      X
╰───┄┄┄┄ today      X
""")


def read_arcs(drawing, words):
    """The heads that a reader sees: follow each arrow up its line, along the level, down to the head."""
    lines = drawing.splitlines()
    arrows = next(number for number, line in enumerate(lines) if "▼" in line)
    grid = [line.ljust(max(map(len, lines))) for line in lines[: arrows + 1]]
    assert lines[arrows + 1].split() == words
    middles = [match.start() for match in re.finditer("▼", grid[arrows])]
    heads = []
    for column in middles:
        row = arrows - 1
        while grid[row][column] == "│" and row > 0:
            row -= 1
        if grid[row][column] == "╷":
            heads.append(0)
            continue
        step = {"╭": 1, "╮": -1}[grid[row][column]]
        column += step
        while grid[row][column] in "─│":
            column += step
        assert grid[row][column] in ("╮┤" if step > 0 else "╭├")
        heads.append(1 + middles.index(column + step))  # the line meets its head one column before the middle
    return heads


def read_outline(drawing):
    """The heads that a reader sees: follow each word's line left to a trunk, and the trunk to its head."""
    grid = drawing.splitlines()
    heads = []
    for row, line in enumerate(grid):
        column = max(line.rfind("─"), line.rfind("┄"))
        while line[column] not in "╭├╰●":
            assert line[column] in "─┄│┴┬┼"
            column -= 1
        if line[column] == "●":
            heads.append(0)
            continue
        ways = {"╭": [1], "╰": [-1], "├": [1, -1]}[line[column]]
        found = {end for way in ways if (end := _trunk_head(grid, row, column, way)) is not None}
        heads.append(1 + found.pop())
        assert not found
    return heads


def _trunk_head(grid, row, column, way):
    while True:
        row += way
        sign = grid[row][column] if 0 <= row < len(grid) and column < len(grid[row]) else " "
        if sign in "┴┬┼●":
            return row
        if sign not in "│├":
            return None


@pytest.mark.parametrize("make_tree", [random_tree, any_tree])
@pytest.mark.parametrize("words", [*range(1, 13), 40])
def test_trees_can_be_read_back_from_both_forms(words, make_tree):
    rng = np.random.default_rng(words)
    for _ in range(10):
        heads = make_tree(words, rng)
        forms, tags = names(words), ["NOUN"] * words
        assert read_arcs(draw_tree(forms, tags, heads, width=10_000), forms) == heads
        outline = draw_tree(forms, tags, heads, width=0)
        assert read_outline(outline) == heads
        assert [line.split()[-2] for line in outline.splitlines()] == forms


@pytest.mark.parametrize("words", range(1, 41))
def test_every_word_and_tag_is_there_at_every_length(words):
    heads = random_tree(words, np.random.default_rng(words))
    drawing = draw_tree(names(words), [f"T{n}" for n in range(words)], heads, width=80)
    assert set(names(words)) <= set(drawing.split())
    assert {f"T{n}" for n in range(words)} <= set(drawing.split())
    assert not any(line != line.rstrip() for line in drawing.splitlines())


def test_arcs_keep_to_the_width():
    for words in range(1, 30):
        heads = random_tree(words, np.random.default_rng(words))
        drawing = draw_tree(names(words), ["NOUN"] * words, heads, width=80)
        assert max(map(len, drawing.splitlines())) <= 80


@pytest.mark.parametrize(
    "words",
    [
        ["我", "喜欢", "猫"],  # two columns each
        ["שלום", "לך", "עולם"],  # from right to left
        ["हिन्दी", "में", "लिखो"],  # combining signs
    ],
)
def test_scripts_that_do_not_keep_to_columns_get_one_line_per_word(words):
    lines = draw_tree(words, ["X", "Y", "Z"], [2, 0, 2], width=200).splitlines()
    assert len(lines) == 3
    assert all(word in line for word, line in zip(words, lines, strict=True))
    assert len({display_width(line) for line in lines}) == 1  # the tags stay in line


def test_letters_with_accents_are_composed():
    lines = draw_tree(["cafe\u0301", "noir"], ["NOUN", "ADJ"], [0, 1], width=80).splitlines()
    assert lines[-2] == "café  noir"


def test_control_characters_do_not_reach_the_terminal():
    assert "\x1b" not in draw_tree(["a\x1b[31mb"], ["X\t"], [0], width=80)


def test_colour_only_adds_escape_codes():
    for width in (80, 20):
        plain = draw_tree(CAT, CAT_TAGS, [3, 3, 4, 0, 4, 7, 5], gold=CAT_HEADS, width=width)
        coloured = draw_tree(CAT, CAT_TAGS, [3, 3, 4, 0, 4, 7, 5], gold=CAT_HEADS, width=width, colour=True)
        bare = re.sub(r"\x1b\[\d*m", "", coloured)
        assert [line.rstrip() for line in bare.splitlines()] == plain.splitlines()
        assert bare != coloured


def test_several_roots_and_unknown_heads():
    assert draw_tree(["a", "b"], ["X", "Y"], [0, 0], width=80).count("▼") == 2
    assert draw_tree(["a", "b"], ["X", "Y"], [0, -1], width=80).count("▼") == 1
    assert len(draw_tree(["a", "b"], ["X", "Y"], [0, -1], width=1).splitlines()) == 2
    assert "✗" not in draw_tree(["a", "b"], ["X", "Y"], [0, 1], gold=[-1, -1], width=80)


def test_no_words_no_picture():
    assert draw_tree([], [], []) == ""


@pytest.mark.parametrize(
    ("tags", "heads", "message"),
    [
        (["X"], [2, 0], "2 words but 1 tags"),
        (["X", "Y"], [0], "2 words but 1 heads"),
        (["X", "Y"], [3, 0], "cannot have the head 3"),
        (["X", "Y"], [1, 0], "cannot have the head 1"),
        (["X", "Y"], [2, 1], "cycle: a → b → a"),
    ],
)
def test_what_is_not_a_tree_is_refused(tags, heads, message):
    with pytest.raises(ValueError, match=message):
        draw_tree(["a", "b"], tags, heads, width=80)
