"""A list of words with the tags that they can have: a word, a tab, and tags with commas between, on every line."""

from __future__ import annotations

from pathlib import Path

from depinduce.corpus.faults import quoted
from depinduce.corpus.formats.brought import name_of, read_lines
from depinduce.errors import InputError


def read_lexicon(path: str | Path) -> dict[str, frozenset[str]]:
    """The tags of every word; a word that is there twice has those of both lines."""
    lexicon: dict[str, frozenset[str]] = {}
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        word, _, tags = line.partition("\t")
        word, found = word.strip(), frozenset(tag.strip() for tag in tags.split(","))
        if not word or any(not tag.strip("_") or len(tag.split()) != 1 for tag in found):
            remedy = "Write a word, a tab, and its tags with commas between: dog<TAB>NOUN or walk<TAB>NOUN,VERB."
            raise InputError(name_of(path), number, f"{quoted(line)} is not a word and its tags", remedy)
        lexicon[word] = lexicon.get(word, frozenset()) | found
    if not lexicon:
        raise InputError(name_of(path), None, "not a single word", "Write lines such as dog<TAB>NOUN.")
    return lexicon
