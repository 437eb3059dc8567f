"""The comments that Universal Dependencies wants above every sentence: its name and its text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePath

from depinduce.corpus.conllu import Sentence


def with_metadata(sentences: Iterable[Sentence], number: int = 0) -> Iterator[Sentence]:
    """The sentences of a file, each with `# sent_id` and `# text` where it has none.

    The twelfth sentence of corpus.conllu is called corpus-12, so that names differ between files, too.

    number: of sentences in the file before these
    """
    for sentence in sentences:
        number += len(sentence) > 0
        yield with_own_metadata(sentence, number) if len(sentence) else sentence


def with_own_metadata(sentence: Sentence, number: int) -> Sentence:
    """The sentence with the comments that it lacks. number: among the sentences of its file, from 1"""
    missing = []
    if sentence.sent_id is None:
        missing.append(f"sent_id = {_name_of_file(sentence.path)}-{number}")
    if not sentence.has_text:
        missing.append(f"text = {sentence.text}")
    return sentence.with_comments(missing) if missing else sentence


def _name_of_file(path: str) -> str:
    """What a sentence of this file can be called after."""
    name = PurePath(path).name.removesuffix(".gz").removesuffix(".conllu")
    return re.sub(r"[^\w.]+", "-", name).strip("-") or "sentence"
