"""Tagged documents of spaCy, as its `DocBin` keeps them in a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from depinduce.corpus.conllu import FEATS, XPOS
from depinduce.corpus.formats.brought import Brought, Opened, Word, name_of, read_bytes
from depinduce.errors import DepinduceError, InputError

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


def read_docs(path: str | Path) -> Opened:
    """The sentences of a file that `DocBin.to_disk` wrote, with the tags of their tokens."""
    try:
        import spacy
        from spacy.tokens import DocBin
    except ImportError as error:
        raise DepinduceError(
            "spaCy is needed to read its documents, and is not there. Install it: pip install spacy."
        ) from error
    name = name_of(path)
    try:
        docs = list(DocBin().from_bytes(read_bytes(path)).get_docs(spacy.blank("xx").vocab))
    except DepinduceError:
        raise
    except Exception as fault:  # whatever its many readers make of damaged bytes
        remedy = "Write it with spaCy: DocBin(docs=docs).to_disk(path)."
        raise InputError(name, None, f"this is no DocBin of spaCy ({type(fault).__name__})", remedy) from fault
    words = sum(len(doc) for doc in docs)
    if not words:
        raise InputError(name, None, "not a single word", "Tag a text with spaCy first.")
    lack = sum(not doc.has_annotation("SENT_START") for doc in docs)
    taken = [
        f"{len(docs)} documents of spaCy",
        "  tag: pos_ in UPOS, tag_ in XPOS; lemmas and features where they are",
        *[f"  no sentences in {lack} of them: each is one sentence"] * bool(lack),
    ]
    return Opened(taken, _sentences(docs))


def _sentences(docs: list[Doc]) -> Iterator[Brought]:
    for doc in docs:
        for sentence in doc.sents if doc.has_annotation("SENT_START") else [doc]:
            words = [_word(token) for token in sentence if token.text.strip()]
            if words:
                yield Brought(words)


def _word(token: Token) -> Word:
    further = {XPOS: token.tag_ or "_", FEATS: str(token.morph) or "_"}
    following = token.doc[token.i + 1 : token.i + 2].text  # a line break is a token
    misc = {} if token.whitespace_ or not following.strip() else {"SpaceAfter": "No"}
    return Word(token.text, token.pos_ or "_", token.lemma_ or "_", further, misc)
