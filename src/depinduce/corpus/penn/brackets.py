"""The bracketed trees of `.mrg` files, each bracket with its line so that a fault can be found again."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from depinduce.corpus.faults import quoted, refuse_encoding, shortened
from depinduce.corpus.streams import open_input
from depinduce.errors import InputError

_TOKEN = re.compile(r"[()]|[^()\s]+")
_DEEPEST = 200  # brackets within brackets; the deepest tree of sections 0 and 1 has 30


@dataclass(slots=True)
class Tree:
    """A bracket: a phrase with its children, or a tag with its word."""

    label: str  # as in the file, function tags included; empty for the bracket around a whole tree
    line: int
    children: list[Tree] = field(default_factory=list)
    word: str = ""  # empty for a phrase

    def leaves(self) -> Iterator[Tree]:
        """The tagged words, from left to right."""
        if self.word:
            yield self
        for child in self.children:
            yield from child.leaves()

    def without(self, tags: Collection[str]) -> Tree | None:
        """The tree without the words of these tags and the phrases that they leave empty; None if all is gone."""
        if self.word:
            return None if self.label in tags else self
        kept = [child for child in (child.without(tags) for child in self.children) if child is not None]
        return Tree(self.label, self.line, kept) if kept else None


def read_trees(path: str | Path) -> list[Tree]:
    """All trees of a file, at least one."""
    trees: list[Tree] = []
    opened: list[Tree] = []  # the brackets that are open, outermost first
    for line, text in enumerate(_text(path).split("\n"), start=1):
        for token in _TOKEN.findall(text):
            if token == "(":
                if opened:
                    _require_place_for_bracket(path, line, opened)
                opened.append(Tree("", line))
            elif token == ")":
                if not opened:
                    _refuse(path, line, "this closing bracket closes nothing", "Delete it, or add what it should close")
                tree = opened.pop()
                if not tree.children and not tree.word:
                    found = f"the bracket ({shortened(tree.label)}) is empty"
                    _refuse(path, line, found, "Write a tag and its word, as in (NN dog), or delete it")
                (opened[-1].children if opened else trees).append(tree)
            else:
                _take_label_or_word(path, line, token, opened)
    if opened:
        found = f"the tree that begins here is never closed: {len(opened)} `(` more than `)` up to the end of the file"
        _refuse(path, opened[0].line, found, "Add what is missing, or copy the file again if it was cut short")
    if not trees:
        _refuse(path, None, "there is not a single tree in this file", "Copy it again from your treebank, or delete it")
    return trees


def _take_label_or_word(path: str | Path, line: int, token: str, opened: list[Tree]) -> None:
    """The first token in a bracket is its label, the second its word."""
    if not opened:
        found = f"{quoted(token)} stands outside of all brackets"
        _refuse(path, line, found, "Delete it; is this a bracketed .mrg file?")
    tree = opened[-1]
    if tree.children:
        remedy = f"Write a bracket around both, as in (NN {shortened(token)})"
        _refuse(path, line, f"the word {quoted(token)} has no tag", remedy)
    if not tree.label:
        tree.label = token
    elif not tree.word:
        tree.word = token
    else:
        found = f"two words in one bracket, ({shortened(f'{tree.label} {tree.word} {token}')})"
        _refuse(path, line, found, "Give each word a bracket and a tag of its own")


def _require_place_for_bracket(path: str | Path, line: int, opened: list[Tree]) -> None:
    """A fault if no bracket may open inside the innermost one."""
    tree, whole = opened[-1], opened[0]
    if tree.word:
        found = f"a bracket opens beside the word {quoted(tree.word)}, which has no tag of its own"
        remedy = f"Write a bracket around both, as in (NN {shortened(tree.word)}), or close it before this one"
        _refuse(path, line, found, remedy)
    if not tree.label and tree is not whole:
        found = f"a bracket without a label inside the tree that begins in line {whole.line}"
        _refuse(path, tree.line, found, "Give it a label; or, if a new tree begins here, close the one before it")
    if len(opened) >= _DEEPEST:
        found = f"brackets are nested {_DEEPEST} deep since line {whole.line}"
        _refuse(path, line, found, "Close those that are complete")


def _text(path: str | Path) -> str:
    with open_input(path) as read:
        data = read(-1)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        refuse_encoding(str(path), 1, data, error.start)


def _refuse(path: str | Path, line: int | None, found: str, remedy: str) -> NoReturn:
    raise InputError(path, line, found, remedy if remedy.endswith("?") else f"{remedy}.")
