"""A tree beside its words, one word per line: the form for long sentences and for all scripts.

Read from top to bottom the words are the sentence. Every head has a trunk, a vertical line from its first
to its last child, one step to the right of the trunk of its own head; its children branch off to the right:

       ╭── The   DET
    ╭──┴┄┄ cat   NOUN
    ●─┄┄┄┄ sat   VERB
    ╰───┄┄ down  ADV
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from depinduce.evaluation.trees import is_projective
from depinduce.report.arc_layout import wrong_words
from depinduce.report.canvas import Canvas, styled
from depinduce.report.display_width import display_width, is_right_to_left, pad

LEFT_TO_RIGHT_MARK = "\N{LEFT-TO-RIGHT MARK}"  # keeps a line with Hebrew or Arabic from being turned round
STEPS = 3, 2, 1  # columns between trunks: the most that there is room for
STALK = 1  # columns between the innermost trunk and the words
ROOT, LEADER = "●", "┄"


def draw_outline(
    words: Sequence[str],
    tags: Sequence[str],
    heads: Sequence[int],
    gold: Sequence[int] | None = None,
    width: int = 80,
    colour: bool = False,
    notes: Sequence[str] | None = None,  # a short text for every word, after its tag
    faint: Collection[int] = (),  # words 0..n-1 whose arcs step back
) -> str:
    """The tree to the left of its words and tags; words with a wrong head are followed by the right one."""
    places = trunk_places(heads)
    texts = _text_columns(words, tags, heads, gold, colour, notes)
    widest = max(map(display_width, _text_columns(words, tags, heads, gold, False, notes)))
    # Where every trunk is next to that of its head, a line to a word might touch the trunk of a third word,
    # unless the tree is projective.
    steps = STEPS if -1 not in heads and is_projective(heads) else STEPS[:-1]
    step = next((step for step in steps if step * max(places) + STALK + 2 + widest <= width), steps[-1])
    lines = []
    rows = _tree_rows(heads, [step * place for place in places], faint, colour)
    for row, text in zip(rows, texts, strict=True):
        line = f"{row} {text}".rstrip()
        lines.append(LEFT_TO_RIGHT_MARK + line if is_right_to_left(line) else line)
    return "\n".join(lines) + "\n"


def trunk_places(heads: Sequence[int]) -> list[int]:
    """The place (0, 1, … from the left) of every word's trunk: in a projective tree the depth of the word.

    Each is to the right of its head's, and two trunks in one place never lie side by side. That can only
    happen in a tree that is not projective; the lower of the two then moves one place on.
    """
    words = len(heads)
    children: list[list[int]] = [[] for _ in range(words)]
    for child, head in enumerate(heads):
        if head > 0:
            children[head - 1].append(child)
    places = [0] * words
    taken: list[set[int]] = []  # the rows in use, by place
    waiting = [word for word in range(words) if heads[word] <= 0]
    while waiting:
        word = waiting.pop(0)
        waiting += children[word]
        place = places[heads[word] - 1] + 1 if heads[word] > 0 else 0
        rows = set(range(min([word, *children[word]]), max([word, *children[word]]) + 1))
        while place < len(taken) and taken[place] & rows:
            place += 1
        taken += [set() for _ in range(place + 1 - len(taken))]
        taken[place] |= rows
        places[word] = place
    return places


def _tree_rows(heads: Sequence[int], columns: list[int], faint: Collection[int], colour: bool) -> list[str]:
    """The lines of the tree, one row per word, all of the same width."""
    canvas, right_edge = Canvas(), max(columns) + STALK
    for word in sorted(range(len(heads)), key=lambda word: word not in faint):  # the last line shows its style
        head, style = heads[word], "faint" if word in faint else "plain"
        canvas.horizontal(word, columns[word], columns[word] + 1, style)
        if head > 0:
            trunk = columns[head - 1]
            canvas.horizontal(word, trunk, columns[word], style)
            canvas.vertical(trunk, *sorted((word, head - 1)), style=style)
        elif head == 0:
            canvas.put(word, columns[word], ROOT)
    for word in range(len(heads)):
        for column in range(columns[word], right_edge + 1):
            if canvas.is_empty(word, column):
                canvas.put(word, column, LEADER, "tag")
    return canvas.lines(len(heads), colour)


def _text_columns(
    words: Sequence[str],
    tags: Sequence[str],
    heads: Sequence[int],
    gold: Sequence[int] | None,
    colour: bool,
    notes: Sequence[str] | None,
) -> list[str]:
    """What stands to the right of the tree: word, tag, note and, where the head is wrong, the gold head.

    Words carry their number when there is a gold tree, so that the remark can say which word it means.
    """
    wrong = wrong_words(heads, gold)
    word_width, tag_width = max(map(display_width, words)), max(map(display_width, tags))
    number_width = len(str(len(words)))
    notes = [""] * len(words) if notes is None else ["  " + pad(note, max(map(display_width, notes))) for note in notes]
    texts = []
    for word, (form, tag) in enumerate(zip(words, tags, strict=True)):
        number = "" if gold is None else styled(f"{word + 1:>{number_width}} ", "tag", colour)
        form = styled(form, "wrong" if word in wrong else "word", colour) + pad("", word_width - display_width(form))
        remark = ""
        if gold is not None and word in wrong:
            right = f"{gold[word]} {words[gold[word] - 1]}" if gold[word] else "root"
            remark = "  " + styled(f"✗ gold: {right}", "gold", colour)
        texts.append(f"{number}{form}  {styled(pad(tag, tag_width) + notes[word], 'tag', colour)}{remark}")
    return texts
