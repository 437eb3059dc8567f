"""Sentences and trees as the page shows them: texts that can be seen, pictures, and which words are punctuation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from depinduce.corpus import Sentence, is_punctuation
from depinduce.report.display_width import shortened
from depinduce.report.glosses import glosses_of, translations_of
from depinduce.report.svg_tree import tree_svg
from depinduce.report.tree_picture import shown_labels
from depinduce.visible import visible

if TYPE_CHECKING:
    from depinduce.corpus import Reading

LONGEST_TITLE = 300  # columns of the text that a screen reader reads for a picture


def seen(value: Any) -> Any:
    """The texts in it as people may see them: what cannot be seen, or turns others round, has a sign."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {key: seen(one) for key, one in value.items()}
    return [seen(one) for one in value] if isinstance(value, list) else value


def marks_of(sentence: Sentence, reading: Reading) -> list[int]:
    """The words that are punctuation, counted from 1."""
    return [number for number, mark in enumerate(is_punctuation(sentence, reading.marks), 1) if mark]


def picture(
    sentence: Sentence,
    reading: Reading,
    heads: list[int],
    labels: list[str],
    probabilities: Sequence[float | None] | None,
    width: int | None = None,
) -> str:
    """A tree of a sentence, drawn for the page. width: the room for it; None if there is no bound"""
    tags = ["" if tag == "_" else tag for tag in sentence.column(reading.tag_column)]
    punctuation = {number - 1 for number in marks_of(sentence, reading)}
    return tree_svg(
        sentence.forms,
        tags,
        heads,
        None,
        probabilities,
        shortened(" ".join(sentence.forms), LONGEST_TITLE),
        width,
        punctuation=punctuation,
        alone=False,
        labels=shown_labels(labels, [number not in punctuation for number in range(len(sentence))]),
        glosses=glosses_of(sentence),
        translations=translations_of(sentence),
    )
