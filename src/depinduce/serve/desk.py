"""A desk: a file, what people have done about its sentences, and the grammar that does the rest.

A head is decided if somebody gave it, here or in the file; all others are the grammar's, which finds the best tree
around the decided ones. A tree that was checked stays as it is, whatever the grammar thinks. Everything is saved when
it is done, to a journal in a folder beside the file; the file itself is never written.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from depinduce.corpus import Sentence, open_output
from depinduce.corpus.metadata import with_own_metadata
from depinduce.errors import DepinduceError
from depinduce.files import only_writer
from depinduce.labels.plain import ROOT, UNNAMED, main_type
from depinduce.models.places import models_below
from depinduce.parsing.parsed_sentences import ParsedSentence
from depinduce.serve.corpus_file import CorpusFile
from depinduce.serve.journal import OPEN, Journal, Tree, Work
from depinduce.serve.retraining import Retraining
from depinduce.serve.shelf import Shelf
from depinduce.serve.survey import Survey
from depinduce.serve.trees import FoundTree, labels_around, path_up, trees_around, with_head

if TYPE_CHECKING:
    from depinduce.models.model import Model

FOLDER = ".desk"  # what is added to the name of the file
RETRAINED = "retrained"
EXPORTED_AT_ONCE = 200  # sentences
GRAMMAR, FILE, OWN = "grammar", "file", "own"  # whose a head is
_NAME = re.compile(rf"{RETRAINED}-([1-9][0-9]{{0,8}})")
ANOTHER = "another `depinduce serve` has this file open. Use the page of that one, or end it."


@dataclass(frozen=True)
class Shown:
    """A sentence as it is on the desk."""

    number: int
    sentence: Sentence
    work: Work
    found: FoundTree
    labels: list[str]
    whose: list[str]  # every head

    @property
    def heads(self) -> list[int]:
        return self.found.heads


class Desk:
    """What people work on. Several of them may: a save names the version that it changes, and only the first counts."""

    def __init__(self, path: str | Path, shelf: Shelf, report: Callable[[int], None] = lambda sentences: None):
        self.shelf, self.file = shelf, CorpusFile(path, report)
        shelf.text = self.file.path
        self.place = place_beside(path)
        self.journal = Journal(self.place, self.file.digest, self.file.lengths)
        for place in retrained_in(self.place):
            shelf.add(place)
        self.before: Survey | None = None  # by the grammar that was in use before
        self.searches: dict[tuple[str, str], np.ndarray] = {}  # which sentences have a tag and a word [sentence] bool
        self.retraining = Retraining(self)
        self._lock = threading.Lock()
        known = self.journal.grammar if self.journal.grammar in shelf.models else None
        self.survey = Survey(self.file, shelf[known or next(iter(shelf.models))])

    @classmethod
    @contextmanager
    def opened(cls, path: str | Path, shelf: Shelf, report: Callable[[int], None] = lambda n: None) -> Iterator[Desk]:
        """The desk of a file, which nobody else may open as long as this lasts."""
        CorpusFile.require_file(path)  # before a folder is made beside it
        with only_writer(place_beside(path), ANOTHER):
            desk = cls(path, shelf, report)
            try:
                yield desk
            finally:
                desk.retraining.stop()
                desk.survey.stop()

    def begin(self) -> None:
        """Let the grammar look through the file, in the background."""
        survey = self.survey
        survey.begin(lambda first, after: self.look(survey, first, after))

    def use(self, name: str) -> None:
        """Let another grammar do the rest from now on; `before` still knows what the last one did."""
        shelved = self.shelf[name]
        if name == self.survey.name:
            return
        self.journal.use(name)
        self.survey.stop()
        self.before, self.survey = self.survey, Survey(self.file, shelved)
        self.begin()

    def place_for_next(self) -> Path:
        """A directory for one more grammar that is retrained."""
        return self.place / f"{RETRAINED}-{max(_numbered(self.place), default=0) + 1}"

    @property
    def checked(self) -> list[int]:
        """The numbers of the sentences that were checked."""
        return sorted(number for number, work in list(self.journal.works.items()) if work.is_checked)

    # ---------------------------------------------------------------- looking

    def shown(self, number: int, work: Work | None = None) -> Shown:
        """A sentence with the tree that it has by now, or that it would have after other work."""
        (found,) = self.several([number], None if work is None else [work])
        return found

    def several(
        self, numbers: Sequence[int], works: Sequence[Work] | None = None, model: Model | None = None
    ) -> list[Shown]:
        """The same for sentences that follow each other. model: by another grammar than the one in use"""
        model = model or self.survey.model()
        works = [self.journal[number] for number in numbers] if works is None else works
        sentences = self.file.sentences(numbers[0], numbers[-1] + 1)
        decided = [decided_heads(sentence, work) for sentence, work in zip(sentences, works, strict=True)]
        trees = trees_around(model, sentences, decided)
        return [
            Shown(number, sentence, work, found, labels_of(model, sentence, work, found.heads), _whose(sentence, work))
            for number, sentence, work, found in zip(numbers, sentences, works, trees, strict=True)
        ]

    def look(self, survey: Survey, first: int, after: int) -> None:
        """Let a survey know the trees of some sentences."""
        for shown in self.several(range(first, after), model=survey.model()):
            self._note(survey, shown)

    def _note(self, survey: Survey, shown: Shown) -> None:
        with self._lock:
            if shown.work.version == self.journal[shown.number].version:  # and nobody was quicker
                survey.put(shown.number, shown.sentence, (shown.heads, shown.labels, shown.found.certainty))

    # ---------------------------------------------------------------- doing

    def save(self, number: int, version: int, change: Callable[[Shown], Work]) -> tuple[bool, Shown]:
        """Change the work on a sentence and write it down; gives whether that was done, and what there is by now.

        It is not done if somebody has saved the sentence since: then the version is another.
        """
        now = self.shown(number)
        if now.work.version != version:
            return False, now
        work = replace(change(now), version=version + 1)
        new = self.shown(number, work)
        with self._lock:
            saved = self.journal[number].version == version
            if saved:
                self.journal.save(number, work)
        if not saved:
            return False, self.shown(number)
        self._note(self.survey, new)
        return True, new

    def head(self, shown: Shown, word: int, head: int) -> Work:
        """Give a word a head. Of the decided heads that no tree has beside it, the nearest becomes the grammar's."""
        work, words = shown.work, len(shown.sentence)
        if not (1 <= word <= words and 0 <= head <= words) or word == head:
            raise DepinduceError(f"Word {word} cannot have the head {head}: the sentence has {words} words.")
        decided = decided_heads(shown.sentence, replace(work, tree=None))
        heads = {**work.heads, word: head}
        if head == 0:
            heads |= {other: OPEN for other, above in enumerate(decided, 1) if above == 0 and other != word}
        elif word in path_up(decided, head):
            heads[head] = OPEN
        labels = {of: label for of, label in work.labels.items() if of != word or fits(label, head)}
        work = replace(work, heads=heads, labels=labels)
        if work.tree is None:
            return work
        changed = with_head(shown.heads, word, head)
        assert changed is not None  # as no word is fixed
        named = labels_of(self.survey.model(), shown.sentence, replace(work, tree=None), changed)
        of_tree = [
            old if above == before and fits(old, above) else new
            for old, new, above, before in zip(work.tree.labels, named, changed, shown.heads, strict=True)
        ]
        return replace(work, tree=Tree(changed, of_tree))

    def label(self, shown: Shown, word: int, label: str) -> Work:
        """Name the arc of a word."""
        if not 1 <= word <= len(shown.sentence):
            raise DepinduceError(f"There is no word {word}: the sentence has {len(shown.sentence)} words.")
        if not fits(label, shown.heads[word - 1]):
            raise DepinduceError("The root, and no other word, is called root. Give the word another head first.")
        work = replace(shown.work, labels={**shown.work.labels, word: label})
        if work.tree is None:
            return work
        labels = [label if of == word else old for of, old in enumerate(work.tree.labels, start=1)]
        return replace(work, tree=Tree(work.tree.heads, labels))

    def open(self, shown: Shown, word: int) -> Work:
        """Leave a head to the grammar again; a tree of which that is so is not checked any more."""
        if not 1 <= word <= len(shown.sentence):
            raise DepinduceError(f"There is no word {word}: the sentence has {len(shown.sentence)} words.")
        heads = {of: head for of, head in shown.work.heads.items() if of != word}
        if shown.sentence.heads[word - 1] >= 0:
            heads[word] = OPEN
        labels = {of: label for of, label in shown.work.labels.items() if of != word}
        return replace(shown.work, heads=heads, labels=labels, tree=None)

    def check(self, shown: Shown, is_checked: bool) -> Work:
        """Say that the tree is right as it is, or that this is no longer sure."""
        return replace(shown.work, tree=Tree(shown.heads, shown.labels) if is_checked else None)

    # ---------------------------------------------------------------- taking away

    def exported(self, numbers: Sequence[int], *, everything: bool) -> str:
        """Sentences as CoNLL-U with the trees that they have by now, and with the comments that UD wants.

        everything: with what stands between them, and after the last sentence of the file
        """
        pieces = []
        for some in _runs(numbers):
            for shown in self.several(some):
                pieces += [self.file.before(shown.number)] * everything
                sentence = with_own_metadata(shown.sentence, shown.number + 1)
                pieces.append(ParsedSentence(sentence, shown.heads, relations=shown.labels).render(ended=True))
        if everything and numbers and numbers[-1] == len(self.file) - 1:
            pieces.append(self.file.before(len(self.file)))
        return "".join(pieces)

    def export(self, path: str | Path, *, checked: bool) -> int:
        """Write the sentences, or only those that were checked, to a file; gives how many these are."""
        numbers = self.checked if checked else range(len(self.file))
        with open_output(path) as output:
            for first in range(0, len(numbers), EXPORTED_AT_ONCE):
                output.write(self.exported(numbers[first : first + EXPORTED_AT_ONCE], everything=not checked))
        return len(numbers)

    def owns(self, path: str | Path) -> bool:
        """Whether this is the file that people work on, or in the folder of its journal."""
        place = Path(path).resolve()
        return place == self.file.path.resolve() or place.is_relative_to(self.place.resolve())


def place_beside(path: str | Path) -> Path:
    """The folder of the journal of a file, and of grammars that learned from it."""
    return Path(f"{path}{FOLDER}")


def retrained_in(place: Path) -> list[Path]:
    """The grammars that were retrained there, the oldest first."""
    numbered = _numbered(place)
    return [numbered[number] for number in sorted(numbered) if any(models_below(numbered[number]))]


def _numbered(place: Path) -> dict[int, Path]:
    return {int(found[1]): path for path in place.glob("*") if (found := _NAME.fullmatch(path.name))}


def decided_heads(sentence: Sentence, work: Work) -> list[int]:
    """The heads that are not the grammar's to choose; OPEN where they are."""
    if work.tree is not None:
        return work.tree.heads
    return [work.heads.get(word, head) for word, head in enumerate(sentence.heads, start=1)]


def labels_of(model: Model, sentence: Sentence, work: Work, heads: list[int]) -> list[str]:
    """What arcs are called by whoever named them: people here, the file, or the grammar."""
    if work.tree is not None:
        return work.tree.labels
    labels = labels_around(model, sentence, heads)
    return [
        own if (own := work.labels.get(word)) and fits(own, head) else fitting(label, head)
        for word, (head, label) in enumerate(zip(heads, labels, strict=True), start=1)
    ]


def fits(label: str, head: int) -> bool:
    """Whether an arc can be called so: the root, and no other word, is called root."""
    return (main_type(label) == ROOT) == (head == 0)


def fitting(label: str, head: int) -> str:
    return label if fits(label, head) else ROOT if head == 0 else UNNAMED


def _whose(sentence: Sentence, work: Work) -> list[str]:
    given = sentence.heads
    heads = [work.heads.get(word) for word in range(1, len(sentence) + 1)]
    return [
        FILE if own is None and of_file >= 0 else GRAMMAR if own in (None, OPEN) else OWN
        for own, of_file in zip(heads, given, strict=True)
    ]


def _runs(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    """Those numbers that follow each other, together."""
    first = 0
    for place, (one, other) in enumerate(pairwise(numbers), start=1):
        if other != one + 1:
            yield numbers[first:place]
            first = place
    if len(numbers):
        yield numbers[first:]
