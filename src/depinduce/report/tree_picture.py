"""What there is to draw of one sentence of a file: its tree, the gold tree beside it, and who it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

from depinduce.corpus import Reading, Sentence, is_punctuation, remove
from depinduce.corpus.conllu import DEPREL, MISC
from depinduce.labels import says_more
from depinduce.labels.plain import ROOT, UNKNOWN
from depinduce.report.arc_layout import wrong_words
from depinduce.report.display_width import printable
from depinduce.report.glosses import glosses_of, translations_of
from depinduce.report.svg_tree import tree_svg
from depinduce.report.text_tree import draw_tree

_ONE_OF_SEVERAL = re.compile(r"^# (tree|probability) = (.+)$")  # what `parse --k-best` and `--samples` write
_POSTERIOR = re.compile(r"(?:^|\|)Posterior=([0-9.eE+-]+)(?:\||$)")


@dataclass(frozen=True)
class TreePicture:
    """A sentence ready to be drawn in any form."""

    number: int  # in its file, from 1
    name: str  # its sent_id, if it has one, and which of several trees of a sentence it is
    words: list[str]
    tags: list[str]
    heads: list[int]  # 1-based, 0 = root, -1 = unknown
    gold: list[int] | None  # the same; -1 also where it does not matter, at punctuation
    posteriors: list[float | None] | None
    punctuation: frozenset[int]  # words 0..n-1
    labels: list[str] | None = None  # what each word is to its head, if that says more than `dep`
    glosses: list[str] | None = None  # what each word means, if that is told of any
    translations: tuple[str, ...] = ()  # of the sentence

    @property
    def right(self) -> int:
        """Words that have the gold head."""
        return self.scored - len(wrong_words(self.heads, self.gold))

    @property
    def scored(self) -> int:
        """Words whose gold head is known and matters."""
        return sum(head >= 0 for head in self.gold or ())

    @property
    def caption(self) -> str:
        """Which sentence it is and, given a gold tree, how many heads are right."""
        name = f"sentence {self.number}" + (f", {printable(self.name)}" if self.name else "")
        return name if self.gold is None else f"{name}: {self.right} of {self.scored} heads right"

    def text(self, width: int | None = None, colour: bool = False) -> str:
        """The tree for a terminal, and the translations below it."""
        tree = draw_tree(
            self.words,
            self.tags,
            self.heads,
            self.gold,
            width,
            colour,
            self.posteriors,
            self.punctuation,
            self.labels,
            self.glosses,
        )
        return tree + "".join(f"‘{printable(translation)}’\n" for translation in self.translations)

    def svg(self, width: float | None = None, alone: bool = True) -> str:
        """The tree as the text of an SVG file, or of a picture in a page."""
        return tree_svg(
            self.words,
            self.tags,
            self.heads,
            self.gold,
            self.posteriors,
            width=width,
            punctuation=self.punctuation,
            alone=alone,
            labels=self.labels,
            glosses=self.glosses,
            translations=self.translations,
        )


def tree_picture(
    number: int,
    sentence: Sentence,
    gold: Sentence | None,
    reading: Reading,
    skip_punctuation: bool = False,
    heads: list[int] | None = None,
    posteriors: list[float | None] | None = None,
    labels: Sequence[str] | None = None,
) -> TreePicture:
    """The picture of a sentence, beside the same words of a gold file.

    As in scores, it is the gold file that decides what is punctuation, and what hangs on punctuation counts as
    hanging on the nearest word above it.

    heads, posteriors, labels: a tree to draw in place of that in the sentence
    """
    keep = (~is_punctuation(gold or sentence, reading.marks)).tolist()
    if heads is None:
        heads, posteriors, labels = sentence.heads, posteriors_of(sentence), sentence.column(DEPREL)
    labels = shown_labels(labels, keep)
    gold_heads = None
    if gold is not None:
        heads, gold_heads = lifted(heads, keep), lifted(gold.heads, keep)
        gold_heads = [head if kept else -1 for head, kept in zip(gold_heads, keep, strict=True)]
    words, glosses = sentence.forms, glosses_of(sentence)
    tags = ["" if tag == "_" else tag for tag in sentence.column(reading.tag_column)]
    punctuation = frozenset(word for word, kept in enumerate(keep) if not kept)
    if skip_punctuation:
        heads, gold_heads = remove(heads, keep), None if gold is None else remove(gold.heads, keep)
        words, tags = list(compress(words, keep)), list(compress(tags, keep))
        posteriors = posteriors and list(compress(posteriors, keep))
        labels = labels and list(compress(labels, keep))
        glosses = glosses and list(compress(glosses, keep))
        punctuation = frozenset()
    return TreePicture(
        number,
        _name(sentence),
        words,
        tags,
        heads,
        gold_heads,
        posteriors,
        punctuation,
        labels,
        glosses,
        tuple(translations_of(sentence)),
    )


def shown_labels(labels: Sequence[str] | None, keep: Sequence[bool] | None = None) -> list[str] | None:
    """What a picture writes on the arcs, nothing at roots and punctuation; None if no label says more than `dep`."""
    keep = [True] * len(labels or ()) if keep is None else keep
    if labels is None or not any(kept and says_more(label) for label, kept in zip(labels, keep, strict=True)):
        return None
    silent = ("", ROOT, UNKNOWN)
    return ["" if not kept or label in silent else label for label, kept in zip(labels, keep, strict=True)]


def _name(sentence: Sentence) -> str:
    comments = filter(None, map(_ONE_OF_SEVERAL.search, sentence.comments))
    return ", ".join(filter(None, [sentence.sent_id, *(f"{found[1]} {found[2]}" for found in comments)]))


def lifted(heads: Sequence[int], keep: Sequence[bool]) -> list[int]:
    """The heads with every kept word hanging on the nearest of its ancestors that is kept; others stay."""
    place = [0, *(number for number, kept in enumerate(keep, start=1) if kept)]  # of every kept word
    moved = (head if head < 0 else place[head] for head in remove(heads, keep))
    return [next(moved) if kept else head for head, kept in zip(heads, keep, strict=True)]


def posteriors_of(sentence: Sentence) -> list[float | None] | None:
    """The probabilities that `parse --posteriors` wrote to MISC; None if it did not."""
    found = [_POSTERIOR.search(misc) for misc in sentence.column(MISC)]
    posteriors = [_probability(match[1]) if match else None for match in found]
    return posteriors if any(posterior is not None for posterior in posteriors) else None


def _probability(text: str) -> float | None:
    """A number from 0 to 1; None for anything else that stands there."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value <= 1 else None
