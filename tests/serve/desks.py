"""A desk on which a small grammar works, and the questions of its page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from depinduce.serve.desk import Desk
from depinduce.serve.desk_api import DESK_ACTIONS
from depinduce.serve.shelf import Shelf

WORDS = {"dogs": "NOUN", "cats": "NOUN", "bark": "VERB", "sleep": "VERB", "the": "DET", "old": "ADJ", ".": "PUNCT"}


def block(text: str, heads: str = "", labels: str = "", comments: str = "") -> str:
    """A sentence in CoNLL-U of words whose tags are known; heads `2 _ 0`, labels likewise."""
    words = text.split()
    above, names = heads.split() or ["_"] * len(words), labels.split() or ["_"] * len(words)
    rows = zip(words, above, names, strict=True)
    lines = [
        f"{number}\t{word}\t{word}\t{WORDS[word.lower()]}\t_\t_\t{head}\t{label}\t_\t_"
        for number, (word, head, label) in enumerate(rows, start=1)
    ]
    return "".join(f"{line}\n" for line in [*comments.splitlines(), *lines]) + "\n"


FILE = (
    block("the dogs bark .")
    + block("old cats sleep", "_ 3 _", "_ nsubj _", "# sent_id = named")
    + "# a comment alone\n\n"
    + block("the dogs bark .")
    + block("dogs bark", "2 0", "nsubj root")
    + "# the end\n"
)


@contextmanager
def desk_on(path: Path, *models: Path) -> Iterator[Desk]:
    with Desk.opened(path, Shelf(models)) as desk:
        desk.begin()
        yield desk


def surveyed(desk: Desk) -> Desk:
    """The same when the grammar in use has seen all sentences."""
    desk.survey.finished.wait(60)
    assert desk.survey.is_complete, desk.survey.fault
    return desk


def ask(desk: Desk, action: str, **request) -> dict:
    """The answer as the page gets it."""
    steps = DESK_ACTIONS[action](desk, request)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return json.loads(json.dumps(end.value, allow_nan=False))


def give_head(desk: Desk, number: int, word: int, head: int) -> dict:
    """Give a word a head, on top of whatever there is."""
    version = desk.journal[number].version
    saved = ask(desk, "desk-save", number=number, version=version, word=word, head=head)
    assert saved["saved"]
    return saved["sentence"]


def check(desk: Desk, number: int, is_checked: bool = True) -> dict:
    version = desk.journal[number].version
    saved = ask(desk, "desk-save", number=number, version=version, checked=is_checked)
    assert saved["saved"]
    return saved["sentence"]
