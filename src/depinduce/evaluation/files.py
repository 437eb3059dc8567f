"""Gold and predicted trees out of two CoNLL-U files, word for word."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import compress, zip_longest

import numpy as np

from depinduce.corpus import Reading, Sentence, is_punctuation, read_sentences, remove
from depinduce.corpus.conllu import DEPREL
from depinduce.errors import InputError
from depinduce.labels import main_type


@dataclass(frozen=True)
class AlignedTrees:
    """The same sentences with two trees each, punctuation removed."""

    offsets: np.ndarray  # [sentence + 1]
    gold: np.ndarray  # [token]
    predicted: np.ndarray  # [token]
    tags: list[str]  # [token]
    gold_labels: list[str]  # [token] relations without their subtypes
    predicted_labels: list[str]  # [token] likewise


def align_files(gold: str, predicted: str, reading: Reading) -> AlignedTrees:
    """The trees of two files that hold the same words. What is punctuation is decided by the gold file."""
    lengths, gold_heads, predicted_heads, tags = [], [], [], []
    gold_labels, predicted_labels = [], []
    marks, tag_reader = reading.marks, reading.tag_reader()
    for ours, theirs in sentence_pairs(gold, predicted):
        keep = ~is_punctuation(ours, marks)
        length = int(keep.sum())
        if not reading.fits(length):
            continue
        lengths.append(length)
        gold_heads += remove(ours.heads, keep)
        predicted_heads += remove(theirs.heads, keep)
        tags += map(tag_reader, compress(tag_reader.column_of(ours), keep))
        gold_labels += map(main_type, compress(ours.column(DEPREL), keep))
        predicted_labels += map(main_type, compress(theirs.column(DEPREL), keep))
    tag_reader.require_mapped()
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    gold_array, predicted_array = (np.array(heads, dtype=np.int64) for heads in (gold_heads, predicted_heads))
    return AlignedTrees(offsets, gold_array, predicted_array, tags, gold_labels, predicted_labels)


def sentence_pairs(gold: str, predicted: str, *, trees: bool = True) -> Iterator[tuple[Sentence, Sentence]]:
    """The pairs of a gold and a predicted sentence; files that do not hold the same words are refused.

    With `trees`, every word must be in a tree in both. Sentences without words are left out.
    """
    pairs = zip_longest(_with_words(gold, trees), _with_words(predicted, trees))
    for number, (ours, theirs) in enumerate(pairs, start=1):
        if ours is None or theirs is None:
            longer, shorter, extra = (predicted, gold, theirs) if ours is None else (gold, predicted, ours)
            assert extra is not None  # the longer file has it
            raise InputError(
                longer, extra.line, f"sentence {number} is not in {shorter}", "Compare files with the same sentences."
            )
        if len(ours) != len(theirs):
            found = f"sentence {number} has {len(theirs)} words, but {len(ours)} in {gold}:{ours.line}"
            raise InputError(predicted, theirs.line, found, "Compare files with the same words.")
        for word, (our_form, their_form) in enumerate(zip(ours.forms, theirs.forms, strict=True), start=1):
            if our_form != their_form:
                found = f"word {word} is {their_form!r}, but {our_form!r} in {gold}:{ours.line_of(word)}"
                raise InputError(predicted, theirs.line_of(word), found, "Compare files with the same words.")
        yield ours, theirs


def _with_words(path: str, trees: bool) -> Iterator[Sentence]:
    return (sentence for sentence in read_sentences(path, trees=trees) if len(sentence) > 0)
