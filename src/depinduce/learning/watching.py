"""Attachment scores during training, for those who ask: they are recorded and marked, and decide nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from depinduce.corpus import Corpus, Reading, build_corpus, in_vocabulary, read_sentences
from depinduce.corpus.languages import named_files
from depinduce.errors import DepinduceError
from depinduce.evaluation.scores import score
from depinduce.learning.languages import require_languages
from depinduce.models.model import Model
from depinduce.parsing.decoding import Parsing, parse_corpus


def watcher(
    path: str, train: Corpus, reading: Reading, lengths: tuple[str, ...] = ("15", "40")
) -> Callable[[Model], dict[str, float]]:
    """A function that scores a model on the gold trees of a file: UAS of sentences of up to so many words.

    path: the file, or NAME=FILE, which also says the language of its sentences
    """
    named = named_files([path], "--watch")
    language, path = next((name, *files) for name, files in named.items()) if isinstance(named, dict) else (None, path)
    require_languages(named, train, "--watch")
    whole = replace(reading, min_length=None, max_length=40)
    gold = build_corpus(
        read_sentences(path, language=language),
        whole,
        tag_vocabulary=train.tag_vocabulary,
        with_heads=True,
        languages=train.languages,
    )
    if not (gold.gold >= 0).any():
        raise DepinduceError(f"--watch {path}: it has no trees to score. Name a file with gold trees.")

    def watch(model: Model) -> dict[str, float]:
        heads = parse_corpus(model, in_vocabulary(gold, model.tags), Parsing())
        scores = score(gold.gold, heads, gold.offsets).by_length
        return {f"uas_{length}": round(scores[length].uas, 2) for length in lengths}

    return watch
