"""How many terminal columns a text takes, and whether that can be relied on."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from depinduce.visible import visible


def display_width(text: str) -> int:
    """The terminal columns of a text: two for wide East Asian characters, none for combining marks."""
    width = 0
    for char in text:
        if unicodedata.category(char) in ("Mn", "Me", "Cf", "Cc"):
            continue
        width += 2 if unicodedata.east_asian_width(char) in "WF" else 1
    return width


def pad(text: str, width: int) -> str:
    """The text with spaces after it up to a display width."""
    return text + " " * (width - display_width(text))


def centre(text: str, width: int) -> str:
    """The text with spaces around it up to a display width; an odd space goes to the right."""
    before = (width - display_width(text)) // 2
    return " " * before + pad(text, width - before)


def shortened(text: str, width: int) -> str:
    """The text, or as much of its beginning as leaves room for … in a display width."""
    if display_width(text) <= width:
        return text
    kept = 0
    while display_width(text[: kept + 1]) < width:
        kept += 1
    return text[:kept] + "…"


def has_steady_columns(text: str) -> bool:
    """Whether every terminal shows the text one column per character, from left to right."""
    return text.isprintable() and all(
        unicodedata.east_asian_width(char) not in "WF"
        and not unicodedata.category(char).startswith("M")
        and not is_right_to_left(char)
        for char in text
    )


def is_right_to_left(text: str) -> bool:
    """Whether the text has letters of a script written from right to left."""
    return any(unicodedata.bidirectional(char) in ("R", "AL") for char in text)


def runs_from_right(words: Sequence[str]) -> bool:
    """Whether a sentence is written from right to left, as most of its words are."""
    return sum(map(is_right_to_left, words)) * 2 > len(words)


def printable(text: str) -> str:
    """The text composed, with signs for characters that break a terminal or an XML file."""
    return visible(unicodedata.normalize("NFC", text))
