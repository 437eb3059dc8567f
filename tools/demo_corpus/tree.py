"""A dependency tree under construction, and its CoNLL-U form.

A node keeps its dependents in two ordered lists, those before it and those after it. Reading a tree
out is therefore an in-order walk, and every tree is projective and single-rooted by construction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

_VOWELS = "aeiou"
_CONSONANT_SOUND = ("use", "uni", "one", "eu")  # "a useful map": a written vowel, a spoken consonant
_VOWEL_SOUND = ("hour", "honest")


@dataclass
class Node:
    """A word with its dependents on either side."""

    form: str
    lemma: str
    upos: str
    feats: str = "_"
    deprel: str = "root"
    left: list[Node] = field(default_factory=list)
    right: list[Node] = field(default_factory=list)
    clitic: bool = False  # written without a space before it

    def labelled(self, deprel: str) -> Node:
        """This node, standing in the relation `deprel` to its head."""
        self.deprel = deprel
        return self

    def words(self) -> Iterator[Node]:
        """The words of the subtree, in the order in which they are spoken."""
        for child in self.left:
            yield from child.words()
        yield self
        for child in self.right:
            yield from child.words()


def punctuation(mark: str) -> Node:
    """A punctuation mark, written onto the word before it."""
    return Node(mark, mark, "PUNCT", deprel="punct", clitic=True)


def finish(root: Node, mark: str) -> Node:
    """A written sentence: final mark, a or an as the next word asks, a capital to begin with."""
    root.deprel = "root"
    root.right.append(punctuation(mark))
    words = list(root.words())
    for article, following in zip(words, words[1:], strict=False):
        if article.lemma == "a":
            article.form = "an" if _begins_with_vowel_sound(following.form) else "a"
    words[0].form = words[0].form[0].upper() + words[0].form[1:]
    return root


def _begins_with_vowel_sound(form: str) -> bool:
    form = form.lower()
    if form.startswith(_CONSONANT_SOUND):
        return False
    return form[0] in _VOWELS or form.startswith(_VOWEL_SOUND)


def text(root: Node) -> str:
    """The sentence as it is printed, clitics and punctuation joined to the word before them."""
    return "".join(word.form if word.clitic else " " + word.form for word in root.words()).strip()


def length(root: Node) -> int:
    """The number of words, punctuation not counted."""
    return sum(word.upos != "PUNCT" for word in root.words())


def conllu(root: Node, comments: Iterable[str]) -> str:
    """The sentence as a CoNLL-U block, with the blank line that ends it."""
    words = list(root.words())
    position = {id(word): number for number, word in enumerate(words, start=1)}
    head = {id(child): position[id(word)] for word in words for child in word.left + word.right}
    lines = [f"# {comment}" for comment in comments]
    for number, word in enumerate(words, start=1):
        joined = number < len(words) and words[number].clitic
        misc = "SpaceAfter=No" if joined else "_"
        columns = (word.form, word.lemma, word.upos, "_", word.feats, head.get(id(word), 0), word.deprel)
        lines.append("\t".join(map(str, (number, *columns, "_", misc))))
    return "\n".join(lines) + "\n\n"
