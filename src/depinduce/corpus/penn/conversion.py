"""From the sections of the Penn Treebank to dependency trees in CoNLL-U."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from depinduce.corpus.faults import shortened
from depinduce.corpus.penn.brackets import Tree, read_trees
from depinduce.corpus.penn.head_rules import HEAD_RULES, dependencies
from depinduce.corpus.penn.sections import find_sections, require_sections
from depinduce.corpus.penn.settings import PennSettings
from depinduce.corpus.penn.universal_tags import universal_tag
from depinduce.corpus.streams import open_output
from depinduce.errors import DepinduceError, InputError

_EMPTY_ELEMENT = {"-NONE-"}


@dataclass(frozen=True, slots=True)
class PennSentence:
    """A converted sentence; `text` has also the words that were removed."""

    sent_id: str
    text: str
    forms: list[str]
    tags: list[str]  # of the Penn Treebank
    heads: list[int]  # from 1, 0 for the root

    def to_conllu(self) -> str:
        lines = [f"# sent_id = {self.sent_id}", f"# text = {self.text}"]
        for number, (form, tag, head) in enumerate(zip(self.forms, self.tags, self.heads, strict=True), start=1):
            deprel = "dep" if head else "root"
            lines.append(f"{number}\t{form}\t_\t{universal_tag(tag)}\t{tag}\t_\t{head}\t{deprel}\t_\t_")
        return "\n".join(lines) + "\n\n"


@dataclass
class Split:
    """The sentences of train, dev or test, and how many were left out."""

    sections: list[int]
    files: int = 0
    sentences: list[PennSentence] = field(default_factory=list)
    empty: int = 0  # all their words were removed
    too_short: int = 0
    too_long: int = 0

    @property
    def words(self) -> int:
        return sum(len(sentence.forms) for sentence in self.sentences)


def convert(
    directory: str | Path,
    settings: PennSettings | None = None,
    report: Callable[[Path, int, int], None] = lambda path, done, total: None,
) -> dict[str, Split]:
    """The chosen splits of the treebank below a directory, by name; none of them is without sentences.

    `report` is called with every file that is done, the number of those done and of all that will be.
    """
    settings = settings or PennSettings()
    there = find_sections(directory)
    chosen = {name: sections for name, sections in settings.sections.items() if sections}
    require_sections(directory, list(there), chosen)
    total = sum(len(there[section]) for sections in chosen.values() for section in sections)
    splits, done = {}, 0
    for name, sections in chosen.items():
        split = splits[name] = Split(sections)
        for path in (path for section in sections for path in there[section]):
            _add_file(path, split, settings)
            done += 1
            report(path, done, total)
        if not split.sentences:
            raise DepinduceError(f"{directory}: for {name}, no sentence is left with these options.")
    return splits


def _add_file(path: Path, split: Split, settings: PennSettings) -> None:
    """Convert the sentences of a file, leaving out those that are empty or not of the wanted length."""
    lengths = settings.lengths
    split.files += 1
    for number, tree in enumerate(read_trees(path), start=1):
        sentence = convert_tree(tree, f"{path.stem.lower()}.{number}", path, settings)
        length = len(sentence.forms)
        if lengths.fits(length):
            split.sentences.append(sentence)
        elif not length:
            split.empty += 1
        elif length < (lengths.min_length or 1):
            split.too_short += 1
        else:
            split.too_long += 1


def convert_tree(tree: Tree, sent_id: str, path: str | Path, settings: PennSettings) -> PennSentence:
    """The dependency tree of a constituent tree; one without words if all its words are removed."""
    spoken = tree.without(_EMPTY_ELEMENT)
    kept = spoken.without(settings.removed_tags) if spoken else None
    words = list(spoken.leaves()) if spoken else []
    for leaf in words:
        _require_tag(leaf, path)
    text = " ".join(leaf.word for leaf in words)
    leaves = list(kept.leaves()) if kept else []
    return PennSentence(
        sent_id,
        text,
        forms=[sys.intern(leaf.word) for leaf in leaves],
        tags=[sys.intern(leaf.label) for leaf in leaves],
        heads=dependencies(kept, HEAD_RULES[settings.heads]) if kept else [],
    )


def _require_tag(leaf: Tree, path: str | Path) -> None:
    if universal_tag(leaf.label) is None:
        label, word = shortened(leaf.label), shortened(leaf.word)
        found = f"the word {word!r} has the tag {label!r}, which is not one of the Penn Treebank's"
        remedy = f"Correct it; if it is a phrase, give the word its own tag, as in ({label} (NN {word}))."
        raise InputError(path, leaf.line, found, remedy)


def write_splits(splits: dict[str, Split], out: str | Path) -> list[Path]:
    """Write train.conllu and so on into a directory: all of them, or none if something goes wrong."""
    paths = [Path(out) / f"{name}.conllu" for name in splits]
    with ExitStack() as stack:
        for path, split in zip(paths, splits.values(), strict=True):
            output = stack.enter_context(open_output(path))
            for sentence in split.sentences:
                output.write(sentence.to_conllu())
    return paths
