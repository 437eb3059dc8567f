"""Which command reads a file that is not CoNLL-U, by its name and by how it begins."""

from __future__ import annotations

import re

_ENDINGS = {"eaf": "elan", "flextext": "flextext", "csv": "table", "spacy": "spacy"}
_NAMES = {
    "elan": "a file of ELAN",
    "flextext": "a text of FLEx",
    "spacy": "documents of spaCy",
    "table": "a table of words",
    "tagged": "tagged text",
    "plain": "text without tags",
}
SEPARATORS = "/", "_", "|"  # what may stand between a word and its tag
_NUMBERED = re.compile(r"[0-9]+([-.][0-9]+)?\t")
_NO_PLAIN_TEXT = re.compile(r"[0-9]+([-.][0-9]+)?\s|[<{\[]")  # columns between spaces, or a format of its own
_BRACKETED = re.compile(r"\(\s*\([A-Z]|\([A-Z]+\s")


def guess_by_name(path: str) -> tuple[str, str] | None:
    """What a file of this name looks like, and how to mend it."""
    kind = _ENDINGS.get(path.removesuffix(".gz").rpartition(".")[2].casefold())
    return None if kind is None else _told(kind)


def guess_by_bytes(data: bytes) -> tuple[str, str] | None:
    """The same of bytes that are no text."""
    if data[:2] in (b"x\x01", b"x\x5e", b"x\x9c", b"x\xda"):  # zlib, in which spaCy packs
        return _told("spacy")
    if data[:4] == b"PK\x03\x04":
        remedy = "Save its table of words as CSV in UTF-8, then: depinduce convert table FILE -o corpus.conllu."
        return "this looks like a spreadsheet or another packed document, not like CoNLL-U", remedy
    return None


def guess_by_lines(lines: list[str], row: int) -> tuple[str, str] | None:
    """The same of a block of lines, of which this one cannot be CoNLL-U."""
    text = lines[row].lstrip("\ufeff")
    if text.startswith("<"):
        for mark, kind in {"<ANNOTATION_DOCUMENT": "elan", "<interlinear-text": "flextext"}.items():
            if any(mark in line for line in lines):
                return _told(kind)
    tabs = text.count("\t")
    tokens = [token for line in lines[row:] for token in line.split()]
    if not tabs and any(all(token.rfind(mark) > 0 for token in tokens) for mark in SEPARATORS):
        return _told("tagged")
    if tabs in (1, 2) and not text[0].isdigit():
        return _told("tagged")
    same = [line for line in lines if line.count("\t") == tabs]
    if 2 <= tabs <= 5 and len(same) == len(lines) and (row > 0 or not _NUMBERED.match(text) or len(lines) > 1):
        return _told("table")
    for mark in (",", ";"):
        same = [line for line in lines if line.count(mark) == text.count(mark)]
        if not tabs and mark in text and f"{mark} " not in text and 1 < len(same) >= len(lines) / 2:
            return _told("table")
    if any("\t" in line for line in lines):
        return None
    if _BRACKETED.match(text):
        remedy = "Name the folder of the treebank: depinduce convert ptb FOLDER -o wsj."
        return "this looks like trees of the Penn Treebank, not like CoNLL-U", remedy
    if " " in text.strip() and not _NO_PLAIN_TEXT.match(text):
        found, remedy = _told("plain")
        return found, f"{remedy} Its tags are filled in by depinduce tag, or by a tagger that reads plain text."
    return None


def _told(kind: str) -> tuple[str, str]:
    remedy = f"Make a CoNLL-U file of it: depinduce convert {kind} FILE -o corpus.conllu."
    return f"this looks like {_NAMES[kind]}, not like CoNLL-U", remedy
