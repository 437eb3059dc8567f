"""What is in a CoNLL-U file: counts, tags, lengths, trees and what looks wrong."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from itertools import compress

import numpy as np

from depinduce.corpus import Reading, Sentence, is_punctuation, read_sentences
from depinduce.corpus.conllu import UPOS, XPOS
from depinduce.corpus.tags import TagReader
from depinduce.evaluation.trees import find_cycle, is_projective

NO_SENTENCES = "not a single sentence"
NO_TAG = "words without a tag"
NOT_MAPPED = "tags for which --map has no line:"


@dataclass
class Overview:
    """The facts about one file."""

    path: str
    sentences: int = 0
    words: int = 0  # with punctuation
    punctuation: int = 0
    blocks_without_words: int = 0  # comments only
    tags: Counter = field(default_factory=Counter)
    filled: dict[str, int] = field(default_factory=lambda: {"upos": 0, "xpos": 0})  # words with a tag in that column
    lengths: Counter = field(default_factory=Counter)  # of sentences, punctuation not counted
    with_trees: int = 0
    without_heads: int = 0
    partly_with_heads: int = 0
    several_roots: int = 0
    non_projective: int = 0
    problems: dict[str, list[int]] = field(default_factory=dict)  # what -> lines of the sentences; none: the file

    def to_json(self) -> dict:
        facts = asdict(self)
        facts["tags"] = dict(self.tags.most_common())
        facts["lengths"] = {str(length): count for length, count in sorted(self.lengths.items())}
        facts["non_projective_share"] = self.non_projective / self.with_trees if self.with_trees else None
        return facts


def look_over(path: str, reading: Reading) -> Overview:
    """The overview of a file, which is read once and in bounded memory."""
    overview, marks, tag_reader = Overview(str(path)), reading.marks, reading.tag_reader()
    for sentence in read_sentences(path):
        if len(sentence) == 0:
            overview.blocks_without_words += 1
            continue
        _count(overview, sentence, is_punctuation(sentence, marks), tag_reader)
    if overview.sentences == 0:
        overview.problems[NO_SENTENCES] = []
    if tag_reader.unmapped:
        overview.problems[f"{NOT_MAPPED} {' '.join(sorted(tag_reader.unmapped))}"] = []
    return overview


def _count(overview: Overview, sentence: Sentence, marks: np.ndarray, tag_reader: TagReader) -> None:
    """marks: which words are punctuation [word]"""
    tags = sentence.column(tag_reader.column)
    overview.sentences += 1
    overview.words += len(sentence)
    overview.punctuation += int(marks.sum())
    overview.tags.update(map(tag_reader, tag_reader.column_of(sentence)))
    overview.lengths[int((~marks).sum())] += 1
    for name, column in (("upos", UPOS), ("xpos", XPOS)):
        overview.filled[name] += sum(tag not in ("_", "") for tag in sentence.column(column))
    if any(tag in ("_", "") for tag in compress(tags, ~marks)):  # punctuation needs none
        _note(overview, NO_TAG, sentence.line)
    _look_at_tree(overview, sentence)


def _look_at_tree(overview: Overview, sentence: Sentence) -> None:
    heads = sentence.heads
    known = sum(head >= 0 for head in heads)
    if known == 0:
        overview.without_heads += 1
    elif known < len(heads):
        overview.partly_with_heads += 1
        _note(overview, "some words have a head and others have none", sentence.line)
    elif find_cycle(heads) is not None:
        _note(overview, "heads that lead in a circle", sentence.line)
    else:
        overview.with_trees += 1
        overview.several_roots += heads.count(0) > 1
        overview.non_projective += not is_projective(heads)


def _note(overview: Overview, problem: str, line: int) -> None:
    overview.problems.setdefault(problem, []).append(line)
